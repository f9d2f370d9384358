/* programs.c: which streams belong to which process, rank and world, and what the clock of each process was compared with. */
#include "record/mpi/collection.h"

#include "core/files/directory.h"
#include "core/error.h"
#include "core/os.h"
#include "core/text.h"
#include "record/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Streams ---- */

static enum quipu_status add_path(struct quipu__mpi_collection *all, const char *text,
                                  struct quipu_error *err) {
    struct quipu__mpi_recorded recorded = {.memory = &all->memory};
    const enum quipu_status status = quipu__mpi_recorded_open(&recorded, &all->files, text, err);
    if (status != QUIPU_OK)
        all->out->damaged++;
    if (status != QUIPU_OK)
        return status == QUIPU_END ? QUIPU_OK : status;
    const struct quipu__mpi_stream_head head = recorded.head;
    all->out->bytes += recorded.input->size;
    quipu__mpi_recorded_close(&recorded);
    if (all->options->process && head.process != all->options->process)
        return QUIPU_OK;
    struct quipu__mpi_path *path = QUIPU__VEC_ADD(&all->memory, &all->paths);
    if (!path)
        return quipu__no_memory(err, sizeof *path);
    *path = (struct quipu__mpi_path){text, head};
    all->out->streams++;
    return QUIPU_OK;
}

struct visit {
    struct quipu__mpi_collection *all;
    const char *folder;
    struct quipu_error *err;
};

static enum quipu_status visit_name(void *context, const char *name) {
    const struct visit *visit = context;
    struct quipu__mpi_collection *all = visit->all;
    all->out->stopped += quipu__ends_with(name, QUIPU__MPI_STOPPED_SUFFIX);
    const bool is_stream = quipu__ends_with(name, QUIPU__MPI_SUFFIX);
    if (!is_stream && !quipu__ends_with(name, QUIPU__MPI_NOTES_SUFFIX))
        return QUIPU_OK;
    const size_t size = strlen(visit->folder) + strlen(name) + 2;
    char *text = quipu__arena_alloc(&all->arena, size);
    if (!text)
        return quipu__no_memory(visit->err, size);
    snprintf(text, size, "%s/%s", visit->folder, name);
    if (is_stream)
        return add_path(all, text, visit->err);
    all->out->stopped += (uint32_t)quipu__notes_read(text).counts[QUIPU__MPI_NOTE_STOPPED];
    return QUIPU_OK;
}

static enum quipu_status find_streams(struct quipu__mpi_collection *all, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < all->options->folder_count && status == QUIPU_OK; i++) {
        struct visit visit = {all, all->options->folders[i], err};
        status = quipu__directory_visit(&all->memory, visit.folder, visit_name, &visit, err);
    }
    return status;
}

static bool is_same_program(const struct quipu__mpi_stream_head *a, const struct quipu__mpi_stream_head *b) {
    return a->process == b->process && strcmp(a->host, b->host) == 0;
}

static int compare_paths(const void *left, const void *right) {
    const struct quipu__mpi_stream_head *a = &((const struct quipu__mpi_path *)left)->head,
                                        *b = &((const struct quipu__mpi_path *)right)->head;
    const int host = strcmp(a->host, b->host);
    if (host != 0)
        return host;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* ---- Programs ---- */

static void add_sample(struct quipu__mpi_clock_line *clock, int64_t time, int64_t offset) {
    if (clock->samples++ == 0) {
        clock->first_time = time;
        clock->first_offset = offset;
    }
    clock->last_time = time;
    clock->last_offset = offset;
}

/* What the stream says about its process. */
static void read_about(const struct quipu__mpi_recorded *recorded, struct quipu__mpi_program *program) {
    struct quipu__mpi_world world;
    struct quipu__mpi_sync sync;
    if (recorded->record.record == QUIPU__MPI_WORLD && recorded->size >= sizeof world) {
        memcpy(&world, recorded->data, sizeof world);
        program->rank = world.rank;
        program->size = world.size;
    }
    if (recorded->record.record == QUIPU__MPI_LAUNCHED && recorded->size >= sizeof world)
        memcpy(&program->launched, recorded->data, sizeof world);
    if (recorded->record.record == QUIPU__MPI_SYNC && recorded->size >= sizeof sync) {
        memcpy(&sync, recorded->data, sizeof sync);
        add_sample(&program->clock, recorded->record.time, sync.offset);
    }
}

static bool is_initialization(uint16_t row) {
    return row == QUIPU__MPI_Init || row == QUIPU__MPI_Init_thread;
}

static enum quipu_status scan_stream(struct quipu__mpi_collection *all, const char *path,
                                     struct quipu__mpi_program *program, struct quipu_error *err) {
    struct quipu__mpi_recorded recorded = {.memory = &all->memory};
    enum quipu_status status = quipu__mpi_recorded_open(&recorded, &all->files, path, err);
    while (status == QUIPU_OK) {
        status = quipu__mpi_next(&recorded, err);
        if (status != QUIPU_OK || recorded.happening == QUIPU__MPI_NO_MORE)
            break;
        if (recorded.happening == QUIPU__MPI_ABOUT)
            read_about(&recorded, program);
        if (recorded.happening == QUIPU__MPI_CALL_LEFT)
            program->is_initializing |= is_initialization(recorded.start.row);
    }
    all->out->damaged += recorded.is_damaged;
    quipu__mpi_recorded_close(&recorded);
    return status;
}

static enum quipu_status add_program(struct quipu__mpi_collection *all, uint32_t first, uint32_t count,
                                     struct quipu_error *err) {
    struct quipu__mpi_program *program = QUIPU__VEC_ADD(&all->memory, &all->programs);
    if (!program)
        return quipu__no_memory(err, sizeof *program);
    *program = (struct quipu__mpi_program){
        .first = first, .count = count, .rank = QUIPU__MPI_NO_RANK, .world = QUIPU__MPI_NO_RANK};
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++)
        status = scan_stream(all, all->paths.items[first + i].text, program, err);
    if (program->rank == QUIPU__MPI_NO_RANK && program->is_initializing && program->launched.size > 0) {
        program->rank = program->launched.rank;
        program->size = program->launched.size;
    }
    if (status == QUIPU_OK && program->rank == QUIPU__MPI_NO_RANK)
        all->out->strangers++;
    return status;
}

static enum quipu_status group_streams(struct quipu__mpi_collection *all, struct quipu_error *err) {
    if (all->paths.count > 1)
        qsort(all->paths.items, all->paths.count, sizeof *all->paths.items, compare_paths);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t first = 0, i = 1; i <= all->paths.count && status == QUIPU_OK; i++) {
        if (i < all->paths.count && is_same_program(&all->paths.items[i].head, &all->paths.items[first].head))
            continue;
        status = add_program(all, first, i - first, err);
        first = i;
    }
    return status;
}

/* ---- Worlds ---- */

/* Whether a process can belong to the world of another: of the same job, and no second one of its rank. */
static bool fits(const struct quipu__mpi_collection *all, const struct quipu__mpi_program *program,
                 int32_t world) {
    for (size_t i = 0; i < all->programs.count; i++) {
        const struct quipu__mpi_program *other = &all->programs.items[i];
        if (other->world == world &&
            (other->size != program->size || other->rank == program->rank ||
             strcmp(quipu__mpi_head_of(all, other)->world, quipu__mpi_head_of(all, program)->world) != 0))
            return false;
    }
    return true;
}

static struct quipu__mpi_program *earliest_without_world(const struct quipu__mpi_collection *all) {
    struct quipu__mpi_program *earliest = NULL;
    for (size_t i = 0; i < all->programs.count; i++) {
        struct quipu__mpi_program *program = &all->programs.items[i];
        if (program->rank != QUIPU__MPI_NO_RANK && program->world == QUIPU__MPI_NO_RANK &&
            (!earliest ||
             quipu__mpi_head_of(all, program)->real_time < quipu__mpi_head_of(all, earliest)->real_time))
            earliest = program;
    }
    return earliest;
}

static void find_worlds(struct quipu__mpi_collection *all) {
    struct quipu__mpi_program *program;
    while ((program = earliest_without_world(all))) {
        int32_t world = 0;
        while (!fits(all, program, world))
            world++;
        program->world = world;
        if ((uint32_t)world >= all->out->worlds)
            all->out->worlds = (uint32_t)world + 1;
    }
}

/* One process of a machine has compared its clock; all of them have the same. */
static void share_clock(struct quipu__mpi_collection *all, struct quipu__mpi_program *program) {
    for (size_t i = 0; i < all->programs.count && program->clock.samples == 0; i++) {
        const struct quipu__mpi_program *other = &all->programs.items[i];
        if (other->world == program->world && other->clock.samples > 0 &&
            strcmp(quipu__mpi_head_of(all, other)->machine, quipu__mpi_head_of(all, program)->machine) == 0)
            program->clock = other->clock;
    }
}

enum quipu_status quipu__mpi_find_programs(struct quipu__mpi_collection *all, struct quipu_error *err) {
    enum quipu_status status = find_streams(all, err);
    if (status == QUIPU_OK)
        status = group_streams(all, err);
    if (status != QUIPU_OK)
        return status;
    find_worlds(all);
    for (size_t i = 0; i < all->programs.count; i++)
        share_clock(all, &all->programs.items[i]);
    return QUIPU_OK;
}
