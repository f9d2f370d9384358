/* summary.c: what a trace is: how many records and events of which kind, and the time that they span. A fold that ends
 * in a struct, not in tables. */
#include "analysis/fold.h"

#include "analysis/mpi_time.h"
#include "core/error.h"
#include "core/memory.h"
#include "trace/reader.h"

struct state {
    struct quipu__memory memory;
    struct quipu_summary summary;
    struct quipu__mpi_time mpi_time;
};

static enum quipu_status begin(const struct quipu__fold_start *start, void **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct state *state = *out = quipu__alloc_zero(&memory, sizeof *state);
    if (!state)
        return quipu__no_memory(err, sizeof *state);
    state->memory = memory;
    state->mpi_time = (struct quipu__mpi_time){.memory = &state->memory, .definitions = start->definitions};
    return QUIPU_OK;
}

static void release(void *it) {
    struct state *state = it;
    quipu__mpi_time_release(&state->mpi_time);
    struct quipu__memory memory = state->memory;
    quipu__release(&memory, state, sizeof(struct state));
}

static void add_times(struct quipu_summary *summary, int64_t first, int64_t last) {
    if (!summary->has_times || first < summary->first)
        summary->first = first;
    if (!summary->has_times || last > summary->last)
        summary->last = last;
    summary->has_times = true;
}

static uint64_t known(uint64_t number) {
    return number == QUIPU_UNKNOWN ? 0 : number;
}

static void add_transfer(struct quipu_summary *summary, uint32_t operation, uint64_t bytes) {
    if (operation == QUIPU_IO_READ)
        summary->bytes_read += known(bytes);
    if (operation == QUIPU_IO_WRITE)
        summary->bytes_written += known(bytes);
}

/* What events of some kinds carry. */
static void add_amounts(struct quipu_summary *summary, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        switch (batch->kind[i]) {
        case QUIPU_KIND_send:
            summary->message_bytes += known(batch->bytes[i]);
            break;
        case QUIPU_KIND_io_end:
            add_transfer(summary, batch->operation[i], batch->bytes[i]);
            break;
        case QUIPU_KIND_gap:
            summary->gap_ticks += known(batch->value[i]);
            break;
        default:
            break;
        }
    }
}

static enum quipu_status consume(void *it, const struct quipu_batch *batch, struct quipu_error *err) {
    struct state *state = it;
    struct quipu_summary *summary = &state->summary;
    int64_t first = batch->time[0], last = batch->time[0];
    for (uint32_t i = 0; i < batch->count; i++) {
        const int64_t time = batch->time[i];
        first = time < first ? time : first;
        last = time > last ? time : last;
        summary->events_of[batch->kind[i]]++;
    }
    add_times(summary, first, last);
    add_amounts(summary, batch);
    summary->events += batch->count;
    return quipu__mpi_time_add(&state->mpi_time, batch) ? QUIPU_OK : quipu__no_memory(err, state->memory.used);
}

/* The counts of a state whose events are all there. */
static const struct quipu_summary *complete(struct state *state) {
    quipu__mpi_time_end(&state->mpi_time);
    state->summary.mpi_ticks += state->mpi_time.mpi_ticks;
    state->summary.call_ticks += state->mpi_time.location_ticks;
    state->mpi_time.mpi_ticks = state->mpi_time.location_ticks = 0;
    return &state->summary;
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu_summary *summary = &((struct state *)state)->summary;
    const struct quipu_summary *added = complete(other);
    (void)err;
    if (added->has_times)
        add_times(summary, added->first, added->last);
    summary->events += added->events;
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        summary->events_of[kind] += added->events_of[kind];
    summary->message_bytes += added->message_bytes;
    summary->bytes_read += added->bytes_read;
    summary->bytes_written += added->bytes_written;
    summary->gap_ticks += added->gap_ticks;
    summary->mpi_ticks += added->mpi_ticks;
    summary->call_ticks += added->call_ticks;
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
    *out = state ? *complete(state) : (struct quipu_summary){0};
    out->records = quipu_reader_records(reader);
    if (state)
        release(state);
    return status;
}
