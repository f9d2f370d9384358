/* summary.c: what a trace is: how many records and events of which kind, and the time that they span. A fold that ends
 * in a struct, not in tables. */
#include "analysis/shared/fold.h"
#include "core/error.h"
#include "core/memory/memory.h"
#include "core/memory/pack.h"
#include "core/os.h"
#include "trace/reader.h"

#include <quipu/model.h>

#include <string.h>

/* Calls that are active at a location, innermost last. */
struct mpi_stack {
    uint32_t *regions;
    uint32_t depth, capacity;
    uint32_t mpi_depth; /* how many of them are MPI calls */
    uint32_t stream;    /* that the latest event is in */
    bool has_calls;
    int64_t first, last, mpi_begin;
};

struct mpi_time {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct mpi_stack *stacks; /* by location */
    uint32_t stack_count;
    uint64_t mpi_ticks;      /* in MPI calls */
    uint64_t location_ticks; /* from the first to the last event of each location that has calls */
};

/* ==== Time in MPI ====
 *
 * From enter to leave of the outermost call. A leave that names a region ends the calls inside it too, and counts for nothing when no such
 * call is among the innermost ones: this is for a summary, and bounded for traces that mean no good.
 */

/* Calls that a leave looks at. */
#define LEAVES_AT_MOST 64

static bool is_mpi(const struct quipu_definitions *definitions, uint32_t region) {
    if (region >= definitions->regions.count)
        return false;
    const enum quipu_region_role role = definitions->regions.items[region].role;
    return role >= QUIPU_REGION_MPI_P2P && role <= QUIPU_REGION_MPI_OTHER;
}

static struct mpi_stack *add_stacks(struct mpi_time *time, uint32_t location) {
    const uint32_t defined = time->definitions->locations.count;
    const size_t count = location < defined ? defined : (size_t)location + 1, size = sizeof *time->stacks;
    struct mpi_stack *stacks =
        quipu__resize(time->memory, time->stacks, time->stack_count * size, count * size);
    if (!stacks)
        return NULL;
    memset(stacks + time->stack_count, 0, (count - time->stack_count) * size);
    time->stacks = stacks;
    time->stack_count = (uint32_t)count;
    return &stacks[location];
}

/* Leaves the innermost call. */
static void pop(struct mpi_time *time, struct mpi_stack *stack, int64_t now) {
    if (is_mpi(time->definitions, stack->regions[--stack->depth]) && --stack->mpi_depth == 0)
        time->mpi_ticks += (uint64_t)now - (uint64_t)stack->mpi_begin;
}

static void leave(struct mpi_time *time, struct mpi_stack *stack, uint32_t region, int64_t now) {
    uint32_t depth = stack->depth;
    const uint32_t least = depth > LEAVES_AT_MOST ? depth - LEAVES_AT_MOST : 0;
    while (region != QUIPU_NONE && depth > least && stack->regions[depth - 1] != region)
        depth--;
    if (depth > least)
        while (stack->depth >= depth)
            pop(time, stack, now);
}

static bool enter(struct mpi_time *time, struct mpi_stack *stack, uint32_t region, int64_t now) {
    if (stack->depth == stack->capacity) {
        const uint32_t capacity = stack->capacity ? stack->capacity * 2 : 16;
        uint32_t *regions = quipu__resize(time->memory, stack->regions, stack->capacity * sizeof *regions,
                                          (size_t)capacity * sizeof *regions);
        if (!regions)
            return false;
        stack->regions = regions;
        stack->capacity = capacity;
    }
    stack->regions[stack->depth++] = region;
    stack->has_calls = true;
    if (is_mpi(time->definitions, region) && stack->mpi_depth++ == 0)
        stack->mpi_begin = now;
    return true;
}

static void end_stream(struct mpi_time *time, struct mpi_stack *stack) {
    while (stack->depth > 0)
        pop(time, stack, stack->last);
    if (stack->has_calls)
        time->location_ticks += (uint64_t)stack->last - (uint64_t)stack->first;
    stack->has_calls = false;
}

/* The location's events of another stream stand for themselves. */
static void begin_stream(struct mpi_time *time, struct mpi_stack *stack, uint32_t stream, int64_t now) {
    end_stream(time, stack);
    stack->stream = stream + 1;
    stack->first = stack->last = now;
}

/* False when memory is out. */
static bool mpi_time_add(struct mpi_time *time, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t location = batch->location[i];
        const int64_t now = batch->time[i];
        struct mpi_stack *stack =
            location < time->stack_count ? &time->stacks[location] : add_stacks(time, location);
        if (QUIPU__UNLIKELY(!stack))
            return false;
        if (QUIPU__UNLIKELY(stack->stream != batch->stream + 1))
            begin_stream(time, stack, batch->stream, now);
        stack->last = now > stack->last ? now : stack->last;
        if (batch->kind[i] == QUIPU_KIND_leave)
            leave(time, stack, batch->object[i], now);
        else if (batch->kind[i] == QUIPU_KIND_enter && !enter(time, stack, batch->object[i], now))
            return false;
    }
    return true;
}

/* Ends what is active at the last event of its location, so that the two counts are complete. */
static void mpi_time_end(struct mpi_time *time) {
    for (uint32_t i = 0; i < time->stack_count; i++)
        end_stream(time, &time->stacks[i]);
}

static void mpi_time_release(struct mpi_time *time) {
    for (uint32_t i = 0; i < time->stack_count; i++)
        quipu__release(time->memory, time->stacks[i].regions,
                       time->stacks[i].capacity * sizeof *time->stacks[i].regions);
    quipu__release(time->memory, time->stacks, time->stack_count * sizeof *time->stacks);
}

struct state {
    struct quipu__memory memory;
    struct quipu_summary summary;
    struct mpi_time mpi_time;
};

static enum quipu_status begin(const struct quipu__fold_start *start, void **out, struct quipu_error *err) {
    struct state *state = quipu__fold_state(start, sizeof *state, out);
    if (!state)
        return quipu__no_memory(err, sizeof *state);
    state->mpi_time = (struct mpi_time){.memory = &state->memory, .definitions = start->definitions};
    return QUIPU_OK;
}

static void release(void *it) {
    struct state *state = it;
    mpi_time_release(&state->mpi_time);
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
    return mpi_time_add(&state->mpi_time, batch) ? QUIPU_OK : quipu__no_memory(err, state->memory.used);
}

/* The counts of a state whose events are all there. */
static struct quipu_summary *complete(struct state *state) {
    mpi_time_end(&state->mpi_time);
    state->summary.mpi_ticks += state->mpi_time.mpi_ticks;
    state->summary.call_ticks += state->mpi_time.location_ticks;
    state->mpi_time.mpi_ticks = state->mpi_time.location_ticks = 0;
    return &state->summary;
}

/* The counts that add up. */
enum { TOTALS = 7 + QUIPU_KIND_COUNT };

static uint64_t *total_at(struct quipu_summary *summary, unsigned number) {
    uint64_t *const totals[] = {&summary->events,        &summary->message_bytes, &summary->bytes_read,
                                &summary->bytes_written, &summary->gap_ticks,     &summary->mpi_ticks,
                                &summary->call_ticks};
    return number < QUIPU_KIND_COUNT ? &summary->events_of[number] : totals[number - QUIPU_KIND_COUNT];
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu_summary *summary = &((struct state *)state)->summary, *added = complete(other);
    (void)err;
    if (added->has_times)
        add_times(summary, added->first, added->last);
    for (unsigned i = 0; i < TOTALS; i++)
        *total_at(summary, i) += *total_at(added, i);
    return QUIPU_OK;
}

static enum quipu_status save(void *state, struct quipu__buffer *out, struct quipu_error *err) {
    struct quipu_summary *summary = complete(state);
    (void)err;
    quipu__put_u8(out, summary->has_times);
    quipu__pack_i64(out, summary->first);
    quipu__pack_i64(out, summary->last);
    for (unsigned i = 0; i < TOTALS; i++)
        quipu__pack_u64(out, *total_at(summary, i));
    return QUIPU_OK;
}

static enum quipu_status load(const struct quipu__fold_start *start, struct quipu__slice *from, void **state,
                              struct quipu_error *err) {
    const enum quipu_status status = begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu_summary *summary = &((struct state *)*state)->summary;
    summary->has_times = quipu__take_u8(from) != 0;
    summary->first = quipu__unpack_i64(from);
    summary->last = quipu__unpack_i64(from);
    for (unsigned i = 0; i < TOTALS; i++)
        *total_at(summary, i) = quipu__unpack_u64(from);
    return QUIPU_OK;
}

static const struct quipu__fold fold = {.kinds = QUIPU_ALL_KINDS,
                                        .begin = begin,
                                        .consume = consume,
                                        .combine = combine,
                                        .save = save,
                                        .load = load,
                                        .release = release};

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
