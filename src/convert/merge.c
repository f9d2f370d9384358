/* merge.c: several traces as one.
 *
 * Their events go through the model, one trace after the other or, when the writer wants them so, by time. Batches hold
 * events of one trace only, so that the reports know whose events the target has refused.
 */
#include "convert/convert.h"
#include "convert/join.h"
#include "convert/loss.h"
#include "core/error.h"
#include "trace/reader.h"
#include "trace/writer.h"

/* Events of a written batch. */
enum { BATCH = 4096 };

/* Where the pass over a trace is. */
struct cursor {
    const struct quipu_batch *batch; /* NULL at the end */
    uint32_t event, attribute;
    int64_t time; /* of the event, in the whole */
    uint64_t refused[QUIPU_KIND_COUNT];
};

struct merging {
    struct quipu__memory memory;
    struct quipu__join join;
    struct cursor *cursors;
    const struct quipu__format *target;
    const struct quipu_convert_options *options;
    struct quipu_writer *writer;
    struct quipu__batch *batch;
    size_t batch_trace; /* whose events the batch holds */
    uint64_t put;
};

/* One of the readers has read on: what all of them have read. */
static bool report(void *context, uint64_t done, uint64_t total, uint64_t events) {
    const struct merging *merging = context;
    const struct quipu_progress *progress = &merging->options->progress;
    (void)events;
    done = total = 0;
    for (size_t i = 0; i < merging->join.count; i++) {
        const struct quipu_reader *reader = merging->join.traces[i].reader;
        done += quipu_reader_bytes_read(reader);
        total += quipu_reader_bytes_total(reader);
    }
    return progress->report(progress->context, done, total, merging->put);
}

/* ---- Writing ---- */

static enum quipu_status flush(struct merging *merging, struct quipu_error *err) {
    uint64_t *refused = merging->cursors[merging->batch_trace].refused;
    enum quipu_status status = QUIPU_OK;
    if (merging->batch->batch.count == 0)
        return QUIPU_OK;
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        refused[kind] -= quipu_writer_dropped(merging->writer, (enum quipu_kind)kind);
    status = quipu__writer_put_batch(merging->writer, &merging->batch->batch, err);
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        refused[kind] += quipu_writer_dropped(merging->writer, (enum quipu_kind)kind);
    merging->put += merging->batch->batch.count;
    quipu__batch_clear(merging->batch);
    return status;
}

/* Of shared locations the first trace says when they begin and end, and the others which files they use. */
static bool is_said_elsewhere(const struct merging *merging, size_t trace) {
    const struct cursor *cursor = &merging->cursors[trace];
    const uint8_t kind = cursor->batch->kind[cursor->event];
    if (merging->options->shared_count > 0 && trace == 0)
        return kind >= QUIPU_KIND_io_open && kind <= QUIPU_KIND_io_control;
    return (kind == QUIPU_KIND_location_begin || kind == QUIPU_KIND_location_end) &&
           quipu__join_shares(&merging->join, trace, cursor->batch->location[cursor->event]);
}

static enum quipu_status put_event(struct merging *merging, size_t trace, struct quipu_error *err) {
    struct cursor *cursor = &merging->cursors[trace];
    enum quipu_status status = QUIPU_OK;
    if (is_said_elsewhere(merging, trace))
        return QUIPU_OK;
    if (merging->batch_trace != trace || quipu__batch_left(merging->batch) == 0)
        status = flush(merging, err);
    merging->batch_trace = trace;
    return status == QUIPU_OK ? quipu__join_copy(&merging->join.traces[trace], merging->batch, cursor->batch,
                                                 cursor->event, &cursor->attribute, err)
                              : status;
}

/* ---- Reading ---- */

/* Makes sure that the event at hand of a trace is there, when there is one. */
static enum quipu_status fill(struct merging *merging, size_t trace, struct quipu_error *err) {
    struct quipu__joined *joined = &merging->join.traces[trace];
    struct cursor *cursor = &merging->cursors[trace];
    if (!cursor->batch || cursor->event == cursor->batch->count) {
        const struct quipu_progress progress = {merging->options->progress.report ? report : NULL, merging};
        const struct quipu_progress before = quipu__reader_watch(joined->reader, &progress);
        const enum quipu_status status = quipu_reader_next_batch(joined->reader, &cursor->batch, err);
        quipu__reader_unwatch(joined->reader, before);
        cursor->event = cursor->attribute = 0;
        if (status == QUIPU_END)
            cursor->batch = NULL;
        if (status != QUIPU_OK)
            return status == QUIPU_END ? QUIPU_OK : status;
        if (!quipu__join_extend(&merging->join, trace))
            return quipu__no_memory(err, sizeof *joined);
    }
    quipu__join_time(joined, cursor->batch->time[cursor->event], &cursor->time);
    return QUIPU_OK;
}

/* The trace whose event comes next: the first one that is not at its end, or the earliest. */
static size_t choose(const struct merging *merging, bool by_time) {
    size_t chosen = merging->join.count;
    for (size_t i = 0; i < merging->join.count; i++) {
        const struct cursor *cursor = &merging->cursors[i];
        if (cursor->batch &&
            (chosen == merging->join.count || (by_time && cursor->time < merging->cursors[chosen].time)))
            chosen = i;
    }
    return chosen;
}

/* Shared locations have events in several traces. */
static bool is_by_time(const struct merging *merging) {
    return quipu_writer_order(merging->writer) == QUIPU_ORDER_TIME || merging->options->shared_count > 0;
}

static enum quipu_status start(struct merging *merging, struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < merging->join.count && status == QUIPU_OK; i++) {
        selection.order = is_by_time(merging)
                              ? QUIPU_ORDER_TIME
                              : quipu__writer_order_from(merging->writer, merging->join.traces[i].reader);
        status = quipu_reader_select(merging->join.traces[i].reader, &selection, err);
        if (status == QUIPU_OK)
            status = fill(merging, i, err);
    }
    return status;
}

static enum quipu_status move_events(struct merging *merging, struct quipu_error *err) {
    const bool by_time = is_by_time(merging);
    enum quipu_status status = start(merging, err);
    while (status == QUIPU_OK) {
        const size_t trace = choose(merging, by_time);
        if (trace == merging->join.count)
            return flush(merging, err);
        status = put_event(merging, trace, err);
        merging->cursors[trace].event++;
        if (status == QUIPU_OK)
            status = fill(merging, trace, err);
    }
    return status;
}

/* ---- Reports ---- */

static enum quipu_status count_losses(const struct merging *merging, struct quipu_conversion_report **losses,
                                      struct quipu_error *err) {
    uint64_t lost = 0;
    for (size_t i = 0; i < merging->join.count; i++) {
        struct quipu_reader *reader = merging->join.traces[i].reader;
        const enum quipu_status status =
            quipu__loss_new(quipu__reader_trace(reader), merging->target, &losses[i], err);
        if (status != QUIPU_OK)
            return status;
        if (!quipu__loss_count(losses[i], reader))
            return quipu__no_memory(err, sizeof *losses[i]);
        for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
            if (!quipu__loss_drop(losses[i], (enum quipu_kind)kind, merging->cursors[i].refused[kind]))
                return quipu__no_memory(err, sizeof *losses[i]);
        lost += quipu_conversion_report_lost(losses[i]);
    }
    if (!merging->options->fail_on_loss || lost == 0)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "%llu records would be approximated or dropped",
                (unsigned long long)lost);
    quipu__advise(err, "--report FILE lists them");
    return QUIPU_NOT_REPRESENTABLE;
}

/* ---- The whole ---- */

/* The traces share what one of them may have open at a time. */
static void share_files(const struct merging *merging) {
    for (size_t i = 0; i < merging->join.count; i++) {
        struct quipu__files *files = quipu__reader_trace(merging->join.traces[i].reader)->files;
        const size_t share = files->limit / merging->join.count;
        files->limit = share > 0 ? (uint32_t)share : 1;
    }
}

static enum quipu_status merge_to(struct merging *merging, struct quipu_reader *const *readers,
                                  const char *path, struct quipu_conversion_report **losses,
                                  struct quipu_error *err) {
    share_files(merging);
    enum quipu_status status = quipu__writer_create(path, merging->target, &merging->options->writer, readers,
                                                    merging->join.count, &merging->writer, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_writer_define(merging->writer, &merging->join.define.definitions, err);
    if (status == QUIPU_OK)
        status = move_events(merging, err);
    if (status == QUIPU_OK)
        status = count_losses(merging, losses, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&merging->memory, err);
    if (status == QUIPU_OK)
        return quipu_writer_close(merging->writer, err);
    quipu_writer_discard(merging->writer);
    return status;
}

static enum quipu_status merge_several(struct merging *merging, struct quipu_reader *const *readers,
                                       size_t count, const char *path, struct quipu_conversion_report **losses,
                                       struct quipu_error *err) {
    struct quipu__memory *memory = &merging->memory;
    enum quipu_status status = quipu__join_init(&merging->join, memory, readers, count, merging->options, err);
    if (status == QUIPU_OK)
        status = quipu__batch_new(memory, BATCH, &merging->batch, err);
    merging->cursors = quipu__alloc_zero(memory, count * sizeof *merging->cursors);
    if (status == QUIPU_OK)
        status = merging->cursors ? merge_to(merging, readers, path, losses, err)
                                  : quipu__no_memory(err, count * sizeof *merging->cursors);
    quipu__release(memory, merging->cursors, count * sizeof *merging->cursors);
    quipu__batch_free(merging->batch);
    quipu__join_release(&merging->join);
    return status;
}

enum quipu_status quipu_merge(struct quipu_reader *const *readers, size_t count, const char *path,
                              const char *target, const struct quipu_convert_options *options,
                              struct quipu_conversion_report **losses, struct quipu_error *err) {
    static const struct quipu_convert_options defaults = QUIPU_CONVERT_OPTIONS_INIT;
    struct merging merging = {.options = options ? options : &defaults};
    memset(losses, 0, count * sizeof *losses);
    if (count == 1)
        return quipu_convert(readers[0], path, target, options, losses, err);
    const enum quipu_status status = quipu__find_target(target, &merging.target, err);
    if (status != QUIPU_OK)
        return status;
    if (count == 0)
        return quipu__fail(err, QUIPU_MISUSE, "no traces to merge");
    quipu__memory_init(&merging.memory, &merging.options->writer.allocator,
                       merging.options->writer.memory_limit);
    return merge_several(&merging, readers, count, path, losses, err);
}
