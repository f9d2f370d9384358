/* identity.c: what a stream says about its process besides calls. */
#include "record/clock.h"
#include "record/mpi/process.h"
#include "record/mpi/real.h"

#include <stdlib.h>

#define CONSTANTS_MOST 256
#define WORLD_NUMBER 2 /* of MPI_COMM_WORLD in DUMPI */

/* A number that launchers give processes by one of these names. */
static bool launched(const char *const names[3], int32_t *out) {
    for (size_t i = 0; i < 3; i++) {
        const char *text = getenv(names[i]);
        if (text)
            *out = (int32_t)strtol(text, NULL, 10);
        if (text)
            return true;
    }
    return false;
}

static bool launched_world(struct quipu__mpi_world *out) {
    static const char *const ranks[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"},
                             *const sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"};
    return launched(ranks, &out->rank) && launched(sizes, &out->size);
}

void quipu__mpi_put_constants(struct quipu__mpi_thread *thread) {
    const struct quipu__mpi_library *library = quipu__mpi_real.library;
    for (unsigned space = 0; space < QUIPU__MPI_SPACE_COUNT; space++) {
        struct quipu__mpi_pair values[CONSTANTS_MOST];
        size_t count = 0;
        for (uint32_t i = 0; i < library->constant_count && count < CONSTANTS_MOST; i++) {
            const struct quipu__mpi_constant *constant = &library->constants[i];
            if (constant->space == space)
                values[count++] = (struct quipu__mpi_pair){quipu__mpi_value(constant), constant->number};
        }
        quipu__mpi_put(thread, QUIPU__MPI_PREDEFINED, (uint16_t)space, values, count * sizeof *values);
    }
    struct quipu__mpi_world world = {0, 1};
    if (launched_world(&world))
        quipu__mpi_put(thread, QUIPU__MPI_LAUNCHED, 0, &world, sizeof world);
}

/* Before MPI is initialised it may not be asked. */
static void put_sizes(struct quipu__mpi_thread *thread) {
    const struct quipu__mpi_library *library = quipu__mpi_real.library;
    struct quipu__mpi_pair values[CONSTANTS_MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < library->constant_count && count < CONSTANTS_MOST; i++) {
        const struct quipu__mpi_constant *constant = &library->constants[i];
        const uint64_t type = quipu__mpi_value(constant);
        int size = 0;
        if (constant->space == QUIPU__MPI_SPACE_dtype && type && type != quipu__mpi_real.null_type &&
            quipu__mpi_ask(QUIPU__MPI_Type_size, (word)type, (word)&size, 0) == 0)
            values[count++] = (struct quipu__mpi_pair){type, size};
    }
    quipu__mpi_put(thread, QUIPU__MPI_SIZES, 0, values, count * sizeof *values);
}

void quipu__mpi_initialized(struct quipu__mpi_thread *thread) {
    struct quipu__mpi_world world = {0, 0};
    quipu__mpi_process.has_world = true;
    put_sizes(thread);
    quipu__mpi_ask(QUIPU__MPI_Comm_rank, quipu__mpi_real.world, (word)&world.rank, 0);
    quipu__mpi_ask(QUIPU__MPI_Comm_size, quipu__mpi_real.world, (word)&world.size, 0);
    quipu__mpi_put(thread, QUIPU__MPI_WORLD, 0, &world, sizeof world);
    quipu__mpi_synchronize(thread, quipu__mpi_process.machine, quipu__mpi_real.world);
    if (quipu__mpi_process.observer.initialized)
        quipu__mpi_process.observer.initialized();
}

/* ---- Sessions ---- */

/* The process's place among all that the session knows. */
static bool ask_session(uint64_t session, struct quipu__mpi_world *out) {
    uint64_t group = 0;
    if (quipu__mpi_ask(QUIPU__MPI_Group_from_session_pset, (word)session, (word) "mpi://WORLD", (word)&group) !=
        0)
        return false;
    const word handle = (word)quipu__mpi_handle(QUIPU__MPI_GROUP, (word)group);
    quipu__mpi_ask(QUIPU__MPI_Group_rank, handle, (word)&out->rank, 0);
    quipu__mpi_ask(QUIPU__MPI_Group_size, handle, (word)&out->size, 0);
    quipu__mpi_ask(QUIPU__MPI_Group_free, (word)&group, 0, 0);
    return out->rank >= 0 && out->size > 0;
}

/* A program without MPI_COMM_WORLD has the rank that it has in the session, or that its launcher gave it. */
void quipu__mpi_session_initialized(struct quipu__mpi_thread *thread, uint64_t session) {
    struct quipu__mpi_world world = {0, 1};
    if (quipu__mpi_process.has_world || quipu__mpi_process.session_world.size > 0)
        return;
    put_sizes(thread);
    if (!ask_session(session, &world) && !launched_world(&world))
        return;
    quipu__mpi_process.session_world = world;
    quipu__mpi_put(thread, QUIPU__MPI_WORLD, 0, &world, sizeof world);
}

static void renumber(struct quipu__mpi_thread *thread, uint64_t communicator, int64_t number) {
    const struct quipu__mpi_pair pair = {communicator, number};
    quipu__mpi_put(thread, QUIPU__MPI_RENUMBERED, 0, &pair, sizeof pair);
}

/* Whether a communicator has all processes, as far as can be told here: those who have the same rank and size as in the world. */
static bool is_of_all(uint64_t communicator) {
    struct quipu__mpi_world found = {-1, 0};
    const struct quipu__mpi_world *world = &quipu__mpi_process.session_world;
    quipu__mpi_ask(QUIPU__MPI_Comm_rank, (word)communicator, (word)&found.rank, 0);
    quipu__mpi_ask(QUIPU__MPI_Comm_size, (word)communicator, (word)&found.size, 0);
    return world->size > 0 && found.rank == world->rank && found.size == world->size;
}

/* The first communicator of all processes stands for MPI_COMM_WORLD in the trace. */
void quipu__mpi_session_communicator(struct quipu__mpi_thread *thread, uint64_t communicator) {
    struct quipu__mpi_process *process = &quipu__mpi_process;
    if (process->has_world || communicator == quipu__mpi_real.null_comm)
        return;
    const bool is_world = !process->has_session_comm && is_of_all(communicator);
    renumber(thread, communicator, is_world ? WORLD_NUMBER : -1);
    if (!is_world)
        return;
    process->has_session_comm = true;
    process->session_comm = communicator;
    quipu__mpi_synchronize(thread, process->machine, communicator);
}

bool quipu__mpi_session_leaving(struct quipu__mpi_thread *thread, uint64_t communicator) {
    if (!quipu__mpi_process.has_session_comm || communicator != quipu__mpi_process.session_comm)
        return false;
    quipu__mpi_synchronize(thread, quipu__mpi_process.machine, communicator);
    return true;
}

/* The handle may become that of another communicator. */
void quipu__mpi_session_left(struct quipu__mpi_thread *thread) {
    renumber(thread, quipu__mpi_process.session_comm, -1);
    quipu__mpi_process.has_session_comm = false;
}

void quipu__mpi_finalizing(struct quipu__mpi_thread *thread) {
    quipu__mpi_synchronize(thread, quipu__mpi_process.machine, quipu__mpi_real.world);
}

void quipu__mpi_put_counts(struct quipu__mpi_thread *thread) {
    struct quipu__mpi_count counts[QUIPU__MPI_ROWS];
    size_t count = 0;
    for (uint32_t i = 0; i < QUIPU__MPI_ROWS; i++)
        if (thread->ignored[i])
            counts[count++] = (struct quipu__mpi_count){i, thread->ignored[i]};
    quipu__mpi_put(thread, QUIPU__MPI_COUNTS, 0, counts, count * sizeof *counts);
}
