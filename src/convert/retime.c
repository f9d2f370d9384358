/* retime.c: a trace with other times. The analysis says by how much each event moves; then the events are read again and written with their
 * new times: each location's in the order in which the analysis has seen them, which is that of time, since it counts them.
 *
 * A writer that needs events in time order gets them through a reorder buffer: an event is due when no location can still have an earlier
 * one. */
#include "convert/convert.h"
#include "convert/loss.h"
#include "core/bounded.h"
#include "core/error.h"
#include "model/reorder.h"
#include "model/time_shifts.h"
#include "analysis/shared/fold.h"
#include "trace/reader.h"
#include "trace/writer.h"

/* Events of a written batch. */
enum { BATCH = 4096 };

struct retiming {
    struct quipu__conversion *conversion;
    struct quipu__memory *memory;
    const struct quipu_clock *clock;
    const struct quipu__time_shifts *shifts;
    QUIPU__VEC(struct quipu__time_shift_cursor) cursors; /* by location */
    struct quipu__batch *batch;
    struct quipu__reorder reorder;
    struct quipu_moved_events moved;
    bool in_time_order;
};

/* ---- Times ---- */

static struct quipu__time_shift_cursor *cursor_of(struct retiming *retiming, uint32_t location) {
    const size_t known = retiming->cursors.count;
    if (location < known)
        return &retiming->cursors.items[location];
    if (!QUIPU__VEC_RESERVE(retiming->memory, &retiming->cursors, (size_t)location + 1 - known))
        return NULL;
    retiming->cursors.count = (size_t)location + 1;
    return &retiming->cursors.items[location];
}

static void count(struct quipu_moved_events *moved, int64_t by) {
    moved->moved += by != 0;
    moved->later = by > moved->later ? by : moved->later;
    const int64_t earlier = quipu__bounded_difference(0, by);
    moved->earlier = earlier > moved->earlier ? earlier : moved->earlier;
}

/* Summaries and snapshots are not events of their location: they move with the events around them. */
static int64_t new_ns(struct retiming *retiming, struct quipu__time_shift_cursor *cursor, uint32_t location,
                      uint8_t kind, int64_t ns) {
    if (kind != QUIPU_KIND_summary && kind != QUIPU_KIND_snapshot)
        return quipu__time_shift_next(retiming->shifts, location, cursor, ns);
    const int64_t least = quipu__time_shift_least(retiming->shifts, location, cursor, ns);
    return least == INT64_MAX ? quipu__bounded_sum(ns, cursor->now.shift) : least;
}

static bool retime_event(struct retiming *retiming, uint32_t event) {
    struct quipu_batch *batch = &retiming->batch->batch;
    const uint32_t location = batch->location[event];
    const int64_t ns = quipu_clock_ns(retiming->clock, batch->time[event]);
    struct quipu__time_shift_cursor *cursor = cursor_of(retiming, location);
    if (!cursor)
        return false;
    const int64_t moved_to = new_ns(retiming, cursor, location, batch->kind[event], ns);
    if (moved_to != ns)
        batch->time[event] = quipu_clock_ticks(retiming->clock, moved_to);
    count(&retiming->moved, quipu__bounded_difference(moved_to, ns));
    return true;
}

/* ---- Writing ---- */

static enum quipu_status put(struct retiming *retiming, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (retiming->batch->batch.count > 0)
        status = quipu__writer_put_batch(retiming->conversion->writer, &retiming->batch->batch, err);
    quipu__batch_clear(retiming->batch);
    return status;
}

/* Writes what is due up to a time. */
static enum quipu_status give(struct retiming *retiming, int64_t until, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && quipu__reorder_due(&retiming->reorder) <= until &&
           quipu__reorder_count(&retiming->reorder) > 0) {
        status = quipu__reorder_give(&retiming->reorder, until, retiming->batch, err);
        if (status == QUIPU_OK)
            status = put(retiming, err);
    }
    return status;
}

/* The tick before which no location can have further events, now that all up to a time have been read. */
static int64_t certain_until(struct retiming *retiming, int64_t time) {
    const int64_t ns = quipu_clock_ns(retiming->clock, time);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < retiming->shifts->locations.count; i++) {
        struct quipu__time_shift_cursor *cursor = cursor_of(retiming, i);
        const int64_t own = cursor ? quipu__time_shift_least(retiming->shifts, i, cursor, ns) : INT64_MIN;
        least = own < least ? own : least;
    }
    return least == INT64_MAX || least == INT64_MIN
               ? INT64_MIN
               : quipu__bounded_difference(quipu_clock_ticks(retiming->clock, least), 1);
}

static enum quipu_status flush(struct retiming *retiming, int64_t last, struct quipu_error *err) {
    if (!retiming->in_time_order)
        return put(retiming, err);
    const enum quipu_status status = quipu__reorder_hold(&retiming->reorder, retiming->batch, 0, err);
    quipu__batch_clear(retiming->batch);
    return status == QUIPU_OK ? give(retiming, certain_until(retiming, last), err) : status;
}

static enum quipu_status take_batch(struct retiming *retiming, const struct quipu_batch *batch,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    uint32_t attribute = 0;
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK; i++) {
        if (quipu__batch_left(retiming->batch) == 0)
            status = flush(retiming, batch->time[i - 1], err);
        if (status == QUIPU_OK && (!quipu__batch_copy(retiming->batch, batch, i, &attribute) ||
                                   !retime_event(retiming, retiming->batch->batch.count - 1)))
            status = quipu__no_memory(err, sizeof(struct quipu_event));
    }
    return status == QUIPU_OK && batch->count > 0 ? flush(retiming, batch->time[batch->count - 1], err)
                                                  : status;
}

static enum quipu_status go_over(struct retiming *retiming, struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    selection.order = quipu__writer_order_from(retiming->conversion->writer, retiming->conversion->reader);
    retiming->in_time_order = quipu_writer_order(retiming->conversion->writer) == QUIPU_ORDER_TIME;
    struct quipu_conversion_report *loss = retiming->conversion->loss;
    quipu__loss_begin_events(loss);
    enum quipu_status status = quipu_reader_select(retiming->conversion->reader, &selection, err);
    while (status == QUIPU_OK) {
        status = quipu_reader_next_batch(retiming->conversion->reader, &batch, err);
        if (status == QUIPU_OK && !quipu__loss_see(loss, batch))
            status = quipu__no_memory(err, sizeof *loss);
        if (status == QUIPU_OK)
            status = take_batch(retiming, batch, err);
    }
    if (status != QUIPU_END)
        return status;
    return quipu__loss_end_events(loss) ? give(retiming, INT64_MAX, err) : quipu__no_memory(err, sizeof *loss);
}

static enum quipu_status retime_events(struct quipu__conversion *conversion, struct quipu_error *err) {
    struct retiming retiming = {.conversion = conversion,
                                .memory = quipu__reader_trace(conversion->reader)->memory,
                                .clock = &quipu_reader_definitions(conversion->reader)->clock,
                                .shifts = conversion->task_options};
    quipu__reorder_init(&retiming.reorder, retiming.memory, UINT32_MAX);
    retiming.reorder.by_location = true;
    enum quipu_status status = quipu__batch_new(retiming.memory, BATCH, &retiming.batch, err);
    if (status == QUIPU_OK)
        status = go_over(&retiming, err);
    conversion->loss->is_retimed = true;
    conversion->loss->moved_events = retiming.moved;
    quipu__batch_free(retiming.batch);
    quipu__reorder_release(&retiming.reorder);
    QUIPU__VEC_RELEASE(retiming.memory, &retiming.cursors);
    return status;
}

/* ---- The whole ---- */

static enum quipu_status write_retimed(struct quipu__conversion *conversion, const char *path,
                                       const struct quipu__analysis_answer *answer,
                                       struct quipu_conversion_report **report, struct quipu_error *err) {
    conversion->task_options = answer->fold->shifts(answer->state);
    conversion->transfer = retime_events;
    if (!conversion->task_options) {
        quipu__fail(err, QUIPU_CORRUPT, "events wait for each other in a circle, so they have no times");
        quipu__advise(err, "\"quipu clock\" and \"quipu waits -v\" say what is wrong with the trace");
        return QUIPU_CORRUPT;
    }
    return quipu__conversion_run(conversion, path, report, err);
}

enum quipu_status quipu_retime(struct quipu_reader *reader, const char *path, const char *target,
                               const struct quipu_retime_options *options, struct quipu_tables **tables,
                               struct quipu_conversion_report **report, struct quipu_error *err) {
    struct quipu__conversion conversion = {
        .reader = reader, .source = quipu__reader_trace(reader)->format, .options = &options->convert};
    struct quipu__analysis_answer answer = {.state = NULL};
    *report = NULL;
    enum quipu_status status = quipu__find_target(target, &conversion.target, err);
    if (status == QUIPU_OK)
        status = quipu__analysis_run(reader, options->analysis, &options->answer, QUIPU__FOR_TIMES, NULL,
                                     &answer, err);
    if (status == QUIPU_OK)
        status = write_retimed(&conversion, path, &answer, report, err);
    quipu__analysis_answer_release(&answer);
    if (tables)
        *tables = answer.tables;
    else
        quipu_tables_free(answer.tables);
    return status;
}
