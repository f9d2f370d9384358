/* shared_fold.c: a fold of which several processes read a share each. */
#include "analysis/shared/fold.h"
#include "core/error.h"
#include "trace/shared_reading.h"

struct shared_fold {
    const struct quipu__fold *fold;
    const struct quipu__fold_start *start;
    struct quipu_reader *reader;
    void *state;
};

static enum quipu_status read_share(void *context, const struct quipu__stream_range *range, bool *must_repeat,
                                    struct quipu_error *err) {
    struct shared_fold *shared = context;
    const enum quipu_status status = shared->fold->begin(shared->start, &shared->state, err);
    return status == QUIPU_OK ? quipu__fold_read_range(shared->fold, shared->start, shared->reader, range,
                                                       must_repeat, shared->state, err)
                              : status;
}

static enum quipu_status save(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    const struct shared_fold *shared = context;
    return shared->fold->save(shared->state, out, err);
}

static enum quipu_status add(void *context, struct quipu__slice *from, bool *must_repeat,
                             struct quipu_error *err) {
    const struct shared_fold *shared = context;
    void *other = NULL;
    (void)must_repeat;
    enum quipu_status status = shared->fold->load(shared->start, from, &other, err);
    if (status == QUIPU_OK && (from->failed || quipu__slice_left(from) > 0))
        status = quipu__fail(err, QUIPU_CORRUPT, "what a process has handed on cannot be right");
    if (status == QUIPU_OK)
        status = shared->fold->combine(shared->state, other, err);
    if (other)
        shared->fold->release(other);
    return status;
}

/* Options may want what a fold that can be shared does not: events in time order. */
static bool can_share(const struct quipu__fold *fold, const struct quipu__fold_start *start) {
    return fold->save && (!start->selection || start->selection->order == QUIPU_ORDER_STREAM);
}

static enum quipu_status refuse(const struct quipu__fold *fold, struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s%s must see all events in one process", fold->info.name,
                fold->save ? " with these options" : "");
    quipu__advise(err, "run \"quipu %s\"", fold->info.name);
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu__fold_run_shared(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                         struct quipu_reader *reader, bool *must_repeat, void **state,
                                         struct quipu_error *err) {
    struct shared_fold shared = {.fold = fold, .start = start, .reader = reader};
    const struct quipu__shared_reader sharing = {
        .context = &shared, .read = read_share, .save = save, .add = add};
    if (quipu__reader_sharing(reader)->transport->is_done)
        return quipu__fail(err, QUIPU_MISUSE, "processes share a trace once");
    if (!can_share(fold, start))
        return refuse(fold, err);
    const enum quipu_status status = quipu__read_shared(reader, &sharing, must_repeat, err);
    *state = shared.state;
    return status;
}
