/* fold.c: driving a fold over a reader, with one thread or several. */
#include "analysis/fold.h"

#include "core/error.h"
#include "trace/reader.h"

enum quipu_status quipu__fold_read(const struct quipu__fold *fold, struct quipu_reader *reader, void *state,
                                   struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        status = fold->consume(state, batch, err);
        if (status != QUIPU_OK)
            return status;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

enum quipu_status quipu__fold_read_ahead(const struct quipu__fold *fold, struct quipu_reader *reader,
                                         void *state, bool *must_repeat, struct quipu_error *err) {
    const struct quipu__read_ahead reading = {
        .consume = fold->consume, .state = state, .must_repeat = must_repeat};
    *must_repeat = false;
    return quipu__reader_threads(reader, 2) > 1 ? quipu__reader_read_ahead(reader, &reading, err)
                                                : quipu__fold_read(fold, reader, state, err);
}

/* Joins all states in the first one. */
static enum quipu_status combine_states(const struct quipu__fold *fold, void *const *states, uint32_t count,
                                        struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 1; i < count && status == QUIPU_OK; i++)
        status = fold->combine(states[0], states[i], err);
    return status;
}

/* The same with a state per thread. *state is the first. */
static enum quipu_status read_together(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                       struct quipu_reader *reader, uint32_t count, bool *must_repeat,
                                       void **state, struct quipu_error *err) {
    void *states[QUIPU__FOLD_THREADS] = {*state};
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 1; i < count && status == QUIPU_OK; i++)
        status = fold->begin(start, &states[i], err);
    const struct quipu__worker_pool workers = {
        .consume = fold->consume, .states = states, .thread_count = count, .must_repeat = must_repeat};
    if (status == QUIPU_OK)
        status = quipu__reader_share(reader, &workers, err);
    if (status == QUIPU_OK)
        status = combine_states(fold, states, count, err);
    for (uint32_t i = 1; i < count; i++)
        if (states[i])
            fold->release(states[i]);
    return status;
}

enum quipu_status quipu__fold_run(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                  struct quipu_reader *reader, void **state, struct quipu_error *err) {
    const enum quipu_order order = start->selection ? start->selection->order : fold->order;
    const bool is_alone = order != QUIPU_ORDER_STREAM || fold->next_pass;
    const uint32_t count = is_alone ? 1 : quipu__reader_threads(reader, QUIPU__FOLD_THREADS);
    bool must_repeat = false;
    *state = NULL;
    enum quipu_status status = fold->begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    if (count > 1)
        status = read_together(fold, start, reader, count, &must_repeat, state, err);
    else
        status = quipu__fold_read_ahead(fold, reader, *state, &must_repeat, err);
    if (!must_repeat)
        return status;
    fold->release(*state);
    quipu_reader_rewind(reader);
    *state = NULL;
    status = fold->begin(start, state, err);
    return status == QUIPU_OK ? quipu__fold_read(fold, reader, *state, err) : status;
}
