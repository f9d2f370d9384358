/* summary.c: what a trace is: how many records and events of which kind, and the time that they span. A fold that ends
 * in a struct, not in tables. */
#include "analysis/fold.h"

#include "core/error.h"
#include "core/memory.h"
#include "trace/reader.h"

struct state {
    struct quipu__memory memory;
    struct quipu_summary summary;
};

static enum quipu_status begin(const struct quipu__fold_start *start, void **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct state *state = *out = quipu__alloc_zero(&memory, sizeof *state);
    if (!state)
        return quipu__no_memory(err, sizeof *state);
    state->memory = memory;
    return QUIPU_OK;
}

static void release(void *state) {
    struct quipu__memory memory = ((struct state *)state)->memory;
    quipu__release(&memory, state, sizeof(struct state));
}

static void add_times(struct quipu_summary *summary, int64_t first, int64_t last) {
    if (!summary->has_times || first < summary->first)
        summary->first = first;
    if (!summary->has_times || last > summary->last)
        summary->last = last;
    summary->has_times = true;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu_summary *summary = &((struct state *)state)->summary;
    (void)err;
    int64_t first = batch->time[0], last = batch->time[0];
    for (uint32_t i = 0; i < batch->count; i++) {
        const int64_t time = batch->time[i];
        first = time < first ? time : first;
        last = time > last ? time : last;
        summary->events_of[batch->kind[i]]++;
    }
    add_times(summary, first, last);
    summary->events += batch->count;
    return QUIPU_OK;
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu_summary *summary = &((struct state *)state)->summary;
    const struct quipu_summary *partial = &((const struct state *)other)->summary;
    (void)err;
    if (partial->has_times)
        add_times(summary, partial->first, partial->last);
    summary->events += partial->events;
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        summary->events_of[kind] += partial->events_of[kind];
    return QUIPU_OK;
}

static const struct quipu__fold fold = {
    .kinds = QUIPU_ALL_KINDS, .begin = begin, .consume = consume, .combine = combine, .release = release};

enum quipu_status quipu_summarise(struct quipu_reader *reader, const struct quipu_progress *progress,
                                  struct quipu_summary *out, struct quipu_error *err) {
    const struct quipu__fold_start start = {.definitions = quipu_reader_definitions(reader),
                                            .memory = quipu__reader_trace(reader)->memory};
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.without_attributes = true;
    const struct quipu_progress before = quipu__reader_watch(reader, progress);
    void *state = NULL;
    enum quipu_status status = quipu_reader_select(reader, &selection, err);
    if (status == QUIPU_OK)
        status = quipu__fold_run(&fold, &start, reader, &state, err);
    quipu__reader_unwatch(reader, before);
    *out = state ? ((const struct state *)state)->summary : (struct quipu_summary){0};
    out->records = quipu_reader_records(reader);
    if (state)
        release(state);
    return status;
}
