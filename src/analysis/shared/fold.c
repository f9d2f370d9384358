/* fold.c: driving a fold over a reader, with one thread or several. */
#include "analysis/shared/fold.h"

#include "core/error.h"
#include "trace/reader.h"

void *quipu__fold_state(const struct quipu__fold_start *start, size_t size, void **state) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__memory *made = *state = quipu__alloc_zero(&memory, size);
    if (made)
        *made = memory;
    return made;
}

void quipu__fold_state_release(void *state, size_t size) {
    struct quipu__memory memory = *(struct quipu__memory *)state;
    quipu__release(&memory, state, size);
}

static void leave_out(const struct quipu__fold *fold, struct quipu_reader *reader, const void *state) {
    quipu__reader_leave_out(reader, fold->unneeded ? fold->unneeded(state) : NULL);
}

/* Reads the selection of the reader into a state, which one thread has; others may read ahead. */
static enum quipu_status read_into(const struct quipu__fold *fold, struct quipu_reader *reader,
                                   uint32_t threads, void *state, bool *must_repeat, struct quipu_error *err) {
    const struct quipu__read_ahead reading = {
        .consume = fold->consume, .state = state, .thread_count = threads, .must_repeat = must_repeat};
    leave_out(fold, reader, state);
    return quipu__reader_consume(reader, &reading, err);
}

/* Joins all states in the first one. */
static enum quipu_status combine_states(const struct quipu__fold *fold, void *const *states, uint32_t count,
                                        struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 1; i < count && status == QUIPU_OK; i++)
        status = fold->combine(states[0], states[i], err);
    return status;
}

/* A state for a further thread: in a later pass with what the first one has found. */
static enum quipu_status begin_state(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                     const void *first, void **state, struct quipu_error *err) {
    const enum quipu_status status = fold->begin(start, state, err);
    return status == QUIPU_OK && first ? fold->share(*state, first, err) : status;
}

/* The same with a state per thread. *state is the first. range NULL: everything. */
static enum quipu_status read_together(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                       struct quipu_reader *reader, const struct quipu__stream_range *range,
                                       uint32_t count, bool is_first_pass, bool *must_repeat, void *state,
                                       struct quipu_error *err) {
    void *states[QUIPU__THREADS_MOST] = {state};
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 1; i < count && status == QUIPU_OK; i++)
        status = begin_state(fold, start, is_first_pass ? NULL : state, &states[i], err);
    const struct quipu__worker_pool workers = {
        .consume = fold->consume, .states = states, .thread_count = count, .must_repeat = must_repeat};
    if (status == QUIPU_OK)
        status = range ? quipu__reader_read_range(reader, range, &workers, err)
                       : quipu__reader_share(reader, &workers, err);
    if (status == QUIPU_OK)
        status = combine_states(fold, states, count, err);
    for (uint32_t i = 1; i < count; i++)
        if (states[i])
            fold->release(states[i]);
    return status;
}

enum quipu_status quipu__fold_read_range(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                         struct quipu_reader *reader, const struct quipu__stream_range *range,
                                         bool *must_repeat, void *state, struct quipu_error *err) {
    const uint32_t count = quipu__reader_threads(reader, QUIPU__THREADS_MOST);
    const enum quipu_status status =
        read_together(fold, start, reader, range, count, true, must_repeat, state, err);
    return status == QUIPU_END && *must_repeat ? QUIPU_OK : status;
}

static enum quipu_status read_first(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                    struct quipu_reader *reader, bool *must_repeat, void **state,
                                    struct quipu_error *err) {
    const enum quipu_order order = start->selection ? start->selection->order : fold->order;
    const bool is_alone = order != QUIPU_ORDER_STREAM || fold->next_pass;
    const uint32_t count = is_alone ? 1 : quipu__reader_threads(reader, QUIPU__THREADS_MOST);
    if (quipu__reader_sharing(reader)->transport && !quipu__reader_sharing(reader)->remote)
        return quipu__fold_run_shared(fold, start, reader, must_repeat, state, err);
    const enum quipu_status status = fold->begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    return count > 1 ? read_together(fold, start, reader, NULL, count, true, must_repeat, *state, err)
                     : read_into(fold, reader, quipu__reader_threads(reader, QUIPU__THREADS_MOST), *state,
                                 must_repeat, err);
}

/* ---- Later passes ---- */

/* How many threads could share streams: where one pass gives all substreams together it is for one. */
static uint32_t most_threads(struct quipu_reader *reader) {
    const struct quipu__trace *trace = quipu__reader_trace(reader);
    size_t count = 0;
    for (uint32_t i = 0; i < trace->streams.count && count < QUIPU__THREADS_MOST; i++)
        count += quipu__substreams_of(trace, i) == QUIPU__SUBSTREAMS_TOGETHER
                     ? 1
                     : trace->streams.items[i].substreams;
    return count < QUIPU__THREADS_MOST ? (uint32_t)count : QUIPU__THREADS_MOST;
}

/* Threads that the system refuses have read nothing: then one does it. */
static enum quipu_status read_later(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                    struct quipu_reader *reader, enum quipu_order order, void *state,
                                    bool *must_repeat, struct quipu_error *err) {
    const bool is_shared = fold->share && order == QUIPU_ORDER_STREAM;
    const uint32_t count = is_shared ? quipu__reader_threads(reader, most_threads(reader)) : 1;
    if (count > 1) {
        const enum quipu_status status =
            read_together(fold, start, reader, NULL, count, false, must_repeat, state, err);
        if (!*must_repeat || quipu_reader_delivered(reader) > 0)
            return status;
        quipu_reader_rewind(reader);
    }
    return read_into(fold, reader, quipu__reader_threads(reader, QUIPU__THREADS_MOST), state, must_repeat, err);
}

/* ---- All passes ---- */

static enum quipu_status read_alone(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                    struct quipu_reader *reader, bool *must_repeat, void **state,
                                    struct quipu_error *err) {
    const enum quipu_status status = fold->begin(start, state, err);
    return status == QUIPU_OK ? read_into(fold, reader, 1, *state, must_repeat, err) : status;
}

/* By one thread, or by all that may read; ends where something is met that had no definition yet. */
static enum quipu_status read_all(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                  struct quipu_reader *reader, bool is_alone, bool *must_repeat, void **state,
                                  struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    enum quipu_status status = is_alone ? read_alone(fold, start, reader, must_repeat, state, err)
                                        : read_first(fold, start, reader, must_repeat, state, err);
    if (start->selection)
        selection = *start->selection;
    while (status == QUIPU_OK && !*must_repeat && fold->next_pass && fold->next_pass(*state, &selection)) {
        if (selection.order == QUIPU_ORDER_STREAM && start->spreads_locations)
            selection.order = QUIPU_ORDER_TIME;
        status = quipu_reader_select(reader, &selection, err);
        if (status == QUIPU_OK)
            status = is_alone ? read_into(fold, reader, 1, *state, must_repeat, err)
                              : read_later(fold, start, reader, selection.order, *state, must_repeat, err);
    }
    return status;
}

/* A later pass may meet what the first one did not read, such as attributes. */
enum quipu_status quipu__fold_run(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                  struct quipu_reader *reader, void **state, struct quipu_error *err) {
    bool must_repeat = false;
    *state = NULL;
    enum quipu_status status = read_all(fold, start, reader, false, &must_repeat, state, err);
    if (!must_repeat)
        return status;
    if (*state)
        fold->release(*state);
    *state = NULL;
    must_repeat = false;
    quipu_reader_rewind(reader);
    status = start->selection ? quipu_reader_select(reader, start->selection, err) : QUIPU_OK;
    return status == QUIPU_OK ? read_all(fold, start, reader, true, &must_repeat, state, err) : status;
}
