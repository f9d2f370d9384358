/* scan.c: what only the records reveal: their clock, the threads that make calls, the files that are opened, and where
 * communicators are made. The first records of each file are always read; all of them only when the footers say that there
 * is something to find, or are missing. */
#include "core/error.h"
#include "formats/dumpi/communicators.h"

#include <stdio.h>
#include <string.h>

#define PEEK_RECORDS 64
#define PEEK_WINDOW ((size_t)16 << 10)
#define SCAN_WINDOW ((size_t)256 << 10)
#define THREAD_LIMIT 4096u
#define WORLD_LIMIT (1 << 20) /* most ranks that are accepted without files */

/* Several threads may make calls from this level on. */
#define THREAD_SERIALIZED 3

/* What is known of one process. */
struct process {
    struct quipu__dumpi_constructors constructors;
    QUIPU__VEC(struct quipu__dumpi_change) opened; /* file handles */
    uint8_t *threads;      /* which threads make calls, up to THREAD_LIMIT; NULL: only the first */
    uint32_t thread_limit; /* their numbers are below this */
    bool has_threads;
    uint8_t mask; /* of the first records */
};

static bool is_interesting(uint32_t type) {
    return quipu__dumpi_is_constructor(type) || type == QUIPU__DUMPI_TYPE_file_open ||
           type == QUIPU__DUMPI_TYPE_file_delete;
}

static bool any_interesting(const struct quipu__dumpi_trace *own) {
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++)
        if (is_interesting(type) && quipu__dumpi_is_used(own, type))
            return true;
    return false;
}

/* ---- One process ---- */

static enum quipu_status add_thread(struct quipu__dumpi_trace *own, struct process *process, uint32_t thread,
                                    struct quipu_error *err) {
    if (thread == 0 || thread >= THREAD_LIMIT)
        return QUIPU_OK;
    if (!process->threads)
        process->threads = quipu__alloc_zero(own->memory, THREAD_LIMIT);
    if (!process->threads)
        return quipu__no_memory(err, THREAD_LIMIT);
    process->threads[thread] = 1;
    if (thread >= process->thread_limit)
        process->thread_limit = thread + 1;
    return QUIPU_OK;
}

static enum quipu_status look_at_threads(struct quipu__dumpi_trace *own, struct process *process,
                                         const struct quipu__dumpi_decoder *decoder, struct quipu_error *err) {
    process->mask |= decoder->common.mask;
    if (decoder->type == QUIPU__DUMPI_TYPE_init_thread &&
        decoder->data.init_thread.provided >= THREAD_SERIALIZED)
        process->has_threads = true;
    return add_thread(own, process, decoder->common.thread, err);
}

static enum quipu_status peek(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                              struct process *process, struct quipu_error *err) {
    struct quipu__dumpi_walk walk;
    enum quipu_status status = quipu__dumpi_walk_open(&walk, own, file, PEEK_WINDOW, err);
    walk.silent = true;
    for (int i = 0; status == QUIPU_OK && i < PEEK_RECORDS; i++) {
        status = quipu__dumpi_walk_next(&walk, err);
        if (status == QUIPU_OK)
            status = look_at_threads(own, process, &walk.decoder, err);
    }
    quipu__dumpi_walk_close(&walk);
    return quipu__dumpi_lose_rest(own, file, status, err);
}

enum quipu_status quipu__dumpi_peek_world(struct quipu__dumpi_trace *own, uint32_t *size,
                                          struct quipu_error *err) {
    struct quipu__dumpi_walk walk;
    enum quipu_status status = quipu__dumpi_walk_open(&walk, own, &own->files.items[0], PEEK_WINDOW, err);
    *size = 0;
    walk.silent = true;
    for (int i = 0; status == QUIPU_OK && i < PEEK_RECORDS; i++) {
        status = quipu__dumpi_walk_next(&walk, err);
        const struct quipu__dumpi_comm_size *call = &walk.decoder.data.comm_size;
        if (status == QUIPU_OK && walk.decoder.type == QUIPU__DUMPI_TYPE_comm_size &&
            call->comm == QUIPU__DUMPI_COMM_WORLD && call->size > 0 && call->size < WORLD_LIMIT)
            *size = (uint32_t)call->size;
    }
    quipu__dumpi_walk_close(&walk);
    return quipu__dumpi_lose_rest(own, &own->files.items[0], status, err);
}

static enum quipu_status note_open(struct quipu__dumpi_trace *own, struct process *process, uint64_t offset,
                                   const struct quipu__dumpi_file_open *call, struct quipu_error *err) {
    return QUIPU__VEC_PUT(own->memory, &process->opened,
                          (struct quipu__dumpi_change){.offset = offset,
                                                       .handle = call->file,
                                                       .is_file = true,
                                                       .number = quipu__dumpi_define_file(own, call->filename)})
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__dumpi_change));
}

static enum quipu_status note(struct quipu__dumpi_trace *own, struct process *process,
                              const struct quipu__dumpi_walk *walk, struct quipu_error *err) {
    const uint32_t type = walk->decoder.type;
    const enum quipu_status status = look_at_threads(own, process, &walk->decoder, err);
    if (status != QUIPU_OK || !is_interesting(type))
        return status;
    if (type == QUIPU__DUMPI_TYPE_file_open)
        return note_open(own, process, walk->offset, &walk->decoder.data.file_open, err);
    if (type == QUIPU__DUMPI_TYPE_file_delete) {
        quipu__dumpi_define_file(own, walk->decoder.data.file_delete.filename);
        return QUIPU_OK;
    }
    return quipu__dumpi_add_constructor(&process->constructors, own, &walk->decoder, walk->offset, err);
}

static enum quipu_status scan_file(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                                   struct process *process, struct quipu_error *err) {
    struct quipu__dumpi_walk walk;
    enum quipu_status status = quipu__dumpi_walk_open(&walk, own, file, SCAN_WINDOW, err);
    walk.silent = true;
    while (status == QUIPU_OK) {
        status = quipu__dumpi_walk_next(&walk, err);
        if (status == QUIPU_OK)
            status = note(own, process, &walk, err);
    }
    quipu__dumpi_walk_close(&walk);
    return quipu__dumpi_lose_rest(own, file, status, err);
}

/* ---- Threads ---- */

static uint32_t add_location(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                             uint32_t number) {
    char name[60];
    snprintf(name, sizeof name, "rank %u thread %u", file->rank, number);
    const struct quipu_location thread = {.native_id = number,
                                          .name = name,
                                          .kind = QUIPU_LOCATION_THREAD,
                                          .parent = file->location,
                                          .rank = file->rank,
                                          .pid = -1,
                                          .tid = number,
                                          .host = file->host ? file->host : ""};
    return quipu__add_location(own->trace->define, &thread);
}

/* Thread 0 is the process itself; the others are its children. Only threads that make calls have a substream: a damaged
 * number costs one substream, not as many as the number says. */
static enum quipu_status define_threads(struct quipu__dumpi_trace *own, struct quipu__dumpi_file *file,
                                        const struct process *process, struct quipu_error *err) {
    const uint32_t limit = process->thread_limit;
    if (limit <= 1)
        return QUIPU_OK;
    uint32_t *threads = quipu__arena_alloc(&own->arena, (size_t)limit * sizeof *threads);
    uint16_t *substream_of = quipu__arena_alloc(&own->arena, (size_t)limit * sizeof *substream_of);
    uint32_t count = 1;
    if (!threads || !substream_of)
        return quipu__no_memory(err, (size_t)limit * sizeof *threads);
    threads[0] = file->location;
    memset(substream_of, 0, (size_t)limit * sizeof *substream_of);
    for (uint32_t i = 1; i < limit; i++) {
        if (!process->threads[i])
            continue;
        substream_of[i] = (uint16_t)count;
        threads[count] = add_location(own, file, i);
        if (threads[count++] == QUIPU_NONE)
            return quipu__no_memory(err, sizeof(struct quipu_location));
    }
    file->threads = threads;
    file->thread_count = count;
    file->substream_of = substream_of;
    file->thread_limit = limit;
    return QUIPU_OK;
}

/* ---- Handles ---- */

/* Merges files and communicators into one list in file order. */
static enum quipu_status list_changes(struct quipu__dumpi_trace *own, struct quipu__dumpi_file *file,
                                      const struct process *process, const uint32_t *resolved,
                                      struct quipu_error *err) {
    const size_t constructors = process->constructors.list.count, opened = process->opened.count;
    struct quipu__dumpi_change *changes =
        quipu__arena_alloc(&own->arena, (constructors + opened + 1) * sizeof *changes);
    size_t m = 0, f = 0;
    if (!changes)
        return quipu__no_memory(err, (constructors + opened) * sizeof *changes);
    while (m < constructors || f < opened) {
        struct quipu__dumpi_change *change = &changes[file->change_count];
        if (m == constructors ||
            (f < opened && process->opened.items[f].offset < process->constructors.list.items[m].offset)) {
            *change = process->opened.items[f++];
            file->change_count++;
            continue;
        }
        const struct quipu__dumpi_constructor *constructor = &process->constructors.list.items[m];
        if (quipu__dumpi_makes_communicator(constructor->type)) {
            *change = (struct quipu__dumpi_change){
                .offset = constructor->offset, .handle = constructor->result, .number = resolved[m]};
            file->change_count++;
        }
        m++;
    }
    file->changes = changes;
    return QUIPU_OK;
}

static enum quipu_status resolve(struct quipu__dumpi_trace *own, struct process *processes,
                                 struct quipu_error *err) {
    const size_t count = own->files.count;
    struct quipu__arena scratch;
    quipu__arena_init(&scratch, own->memory);
    uint32_t **resolved = quipu__arena_alloc(&scratch, count * sizeof *resolved);
    struct quipu__dumpi_constructors *constructors = quipu__arena_alloc(&scratch, count * sizeof *constructors);
    enum quipu_status status = resolved && constructors ? QUIPU_OK : quipu__no_memory(err, count);
    for (size_t i = 0; status == QUIPU_OK && i < count; i++) {
        constructors[i] = processes[i].constructors;
        resolved[i] = quipu__arena_alloc(&scratch, (constructors[i].list.count + 1) * sizeof **resolved);
        if (!resolved[i])
            status = quipu__no_memory(err, constructors[i].list.count);
    }
    if (status == QUIPU_OK)
        status = quipu__dumpi_resolve(own, constructors, resolved, err);
    for (size_t i = 0; status == QUIPU_OK && i < count; i++)
        status = list_changes(own, &own->files.items[i], &processes[i], resolved[i], err);
    quipu__arena_release(&scratch);
    return status;
}

/* ---- All ---- */

/* The clock of the trace is the best one that any process has. */
static void choose_clock(struct quipu__dumpi_trace *own, const struct process *processes) {
    uint8_t mask = 0;
    for (size_t i = 0; i < own->files.count; i++)
        mask |= processes[i].mask;
    own->clock = (mask & QUIPU__DUMPI_MASK_CPU) ? QUIPU__DUMPI_CLOCK_CPU : QUIPU__DUMPI_CLOCK_NONE;
    if (mask & QUIPU__DUMPI_MASK_WALL)
        own->clock = QUIPU__DUMPI_CLOCK_WALL;
    if (own->clock != QUIPU__DUMPI_CLOCK_WALL && mask != 0) {
        const struct quipu__where where = QUIPU__WHERE_INIT;
        quipu__dumpi_find(own, QUIPU__DUMPI_RULE_NO_CLOCK, &where, "wall times",
                          own->clock == QUIPU__DUMPI_CLOCK_CPU ? "CPU times are used instead"
                                                               : "no times at all");
    }
    quipu__dumpi_define_clock(own);
}

static enum quipu_status scan_all(struct quipu__dumpi_trace *own, struct process *processes,
                                  struct quipu_error *err) {
    const bool everything = any_interesting(own);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < own->files.count; i++) {
        const struct quipu__dumpi_file *file = &own->files.items[i];
        status = peek(own, file, &processes[i], err);
        if (status == QUIPU_OK && (everything || processes[i].has_threads || processes[i].threads))
            status = scan_file(own, file, &processes[i], err);
    }
    for (size_t i = 0; status == QUIPU_OK && i < own->files.count; i++)
        status = define_threads(own, &own->files.items[i], &processes[i], err);
    choose_clock(own, processes);
    return status == QUIPU_OK && everything ? resolve(own, processes, err) : status;
}

enum quipu_status quipu__dumpi_scan(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    const size_t size = own->files.count * sizeof(struct process);
    struct process *processes = quipu__alloc_zero(own->memory, size);
    if (!processes)
        return quipu__no_memory(err, size);
    const enum quipu_status status = scan_all(own, processes, err);
    for (size_t i = 0; i < own->files.count; i++) {
        QUIPU__VEC_RELEASE(own->memory, &processes[i].constructors.list);
        QUIPU__VEC_RELEASE(own->memory, &processes[i].opened);
        quipu__release(own->memory, processes[i].threads, THREAD_LIMIT);
    }
    quipu__release(own->memory, processes, size);
    return status;
}
