/* sync.c: how far the clocks of machines are apart, at the beginning and at the end of a run: one process of each machine exchanges
 * messages with rank 0, and the fastest exchange counts. On one machine, whose processes have one clock, nothing is sent. Messages are
 * those of MPI_COMM_WORLD, inside of MPI_Init and MPI_Finalize, or of a communicator of all processes that a program of sessions makes and
 * frees: the program's own can neither be there nor be met. */
#include "record/clock.h"
#include "record/mpi/process.h"
#include "record/mpi/real.h"

#include <stdlib.h>
#include <string.h>

#define TAG 32767 /* every MPI has it */
#define ROUNDS 50
#define MACHINE_BYTES 8

typedef int six_words(word, word, word, word, word, word);
typedef int seven_words(word, word, word, word, word, word, word);

static int send(int64_t value, int rank, word communicator) {
    six_words *function = (six_words *)quipu__mpi_real.c[QUIPU__MPI_Send];
    return function((word)&value, sizeof value, quipu__mpi_real.bytes, (word)rank, TAG, communicator);
}

static int64_t receive(int rank, word communicator) {
    int64_t value = 0;
    seven_words *function = (seven_words *)quipu__mpi_real.c[QUIPU__MPI_Recv];
    function((word)&value, sizeof value, quipu__mpi_real.bytes, (word)rank, TAG, communicator,
             quipu__mpi_real.library->status_ignore);
    return value;
}

/* The clock of rank 0, as seen from the middle of the fastest exchange. */
static void measure(struct quipu__mpi_thread *thread, word communicator) {
    struct quipu__mpi_sync best = {0, INT64_MAX};
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t before = (int64_t)quipu__clock_now();
        send(before, 0, communicator);
        const int64_t there = receive(0, communicator), after = (int64_t)quipu__clock_now();
        if (after - before < best.round_trip)
            best = (struct quipu__mpi_sync){there - before - (after - before) / 2, after - before};
    }
    quipu__mpi_put(thread, QUIPU__MPI_SYNC, 0, &best, sizeof best);
}

static void answer(int rank, word communicator) {
    for (int i = 0; i < ROUNDS; i++) {
        receive(rank, communicator);
        send((int64_t)quipu__clock_now(), rank, communicator);
    }
}

static uint64_t hash_of(const char *machine) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *machine; machine++)
        hash = (hash ^ (uint8_t)*machine) * UINT64_C(1099511628211);
    return hash;
}

/* Whether the process is the first of its machine. */
static bool is_first(const uint64_t *machines, int rank) {
    for (int i = 0; i < rank; i++)
        if (machines[i] == machines[rank])
            return false;
    return true;
}

static void gather(uint64_t own, uint64_t *machines, word communicator) {
    seven_words *function = (seven_words *)quipu__mpi_real.c[QUIPU__MPI_Allgather];
    function((word)&own, MACHINE_BYTES, quipu__mpi_real.bytes, (word)machines, MACHINE_BYTES,
             quipu__mpi_real.bytes, communicator);
}

static void exchange(struct quipu__mpi_thread *thread, const uint64_t *machines, int rank, int size,
                     word communicator) {
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            if (machines[i] != machines[0] && is_first(machines, i))
                answer(i, communicator);
    } else if (machines[rank] != machines[0] && is_first(machines, rank)) {
        measure(thread, communicator);
    }
}

/* The launcher says how many processes are on this machine; where it does not, they may be anywhere. */
static bool is_one_machine(int size) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    if (getenv("QUIPU_RECORD_MACHINE"))
        return size == 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *local = getenv(names[i]);
        if (local)
            return strtol(local, NULL, 10) == size;
    }
    return size == 1;
}

void quipu__mpi_synchronize(struct quipu__mpi_thread *thread, const char *machine, uint64_t communicator) {
    const char *setting = getenv("QUIPU_RECORD_SYNC");
    int rank = 0, size = 1;
    quipu__mpi_ask(QUIPU__MPI_Comm_rank, (word)communicator, (word)&rank, 0);
    quipu__mpi_ask(QUIPU__MPI_Comm_size, (word)communicator, (word)&size, 0);
    if (is_one_machine(size) || (setting && strcmp(setting, "no") == 0))
        return;
    uint64_t *machines = calloc((size_t)size, sizeof *machines);
    if (!machines)
        return; /* the others wait: memory for the ranks of a job is what MPI itself needs */
    gather(hash_of(machine), machines, (word)communicator);
    exchange(thread, machines, rank, size, (word)communicator);
    free(machines);
}
