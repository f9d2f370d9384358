/* windows.c: see event_pass.h. */
#include "trace/event_pass.h"

#include "core/error.h"
#include "core/os.h"

#include <inttypes.h>

/* Target number of events of a window: per source, and at least. */
enum { EVENTS_OF_SOURCE = 64, EVENTS_LEAST = 1 << 14 };

/* Target number of events of a range, and limits for its events and for its room, which matters when few events are
 * selected. */
enum { RANGE_EVENTS = 1024, RANGE_EVENTS_MOST = 2048, RANGE_ROOM_MOST = 4096 };

/* Windows end at this time at the latest, and sources that have not ended count as no later. */
#define LATEST (INT64_MAX - 1)

/* ---- Beginning ---- */

/* Locations are known before threads share the windows. */
static bool make_room_for_owners(struct quipu__windows *windows, size_t count) {
    const size_t known = windows->owners.count;
    if (count <= known)
        return true;
    if (!QUIPU__VEC_RESERVE(windows->trace->memory, &windows->owners, count - known))
        return false;
    windows->owners.count = count;
    return true;
}

static bool make_room(struct quipu__windows *windows) {
    struct quipu__memory *memory = windows->trace->memory;
    const size_t count = windows->source_count;
    windows->reached = quipu__alloc(memory, count * sizeof *windows->reached);
    windows->counted = quipu__alloc_zero(memory, count * sizeof *windows->counted);
    return windows->reached && windows->counted &&
           make_room_for_owners(windows, windows->trace->define->definitions.locations.count);
}

enum quipu_status quipu__windows_start(struct quipu__windows *windows, bool is_shared,
                                       struct quipu_error *err) {
    const uint32_t count = windows->source_count;
    windows->started = true;
    windows->is_shared = is_shared;
    windows->left = windows->source = count;
    windows->share = quipu__share_of_windows(windows->trace->memory, count);
    windows->begin = windows->last = INT64_MIN;
    windows->length = 1;
    windows->most_events = (uint64_t)count * EVENTS_OF_SOURCE;
    if (windows->most_events < EVENTS_LEAST)
        windows->most_events = EVENTS_LEAST;
    windows->sources_of_range = (uint32_t)((uint64_t)RANGE_EVENTS * count / windows->most_events);
    if (windows->sources_of_range == 0)
        windows->sources_of_range = 1;
    if (count > 0 && !make_room(windows))
        return quipu__no_memory(err, count * sizeof *windows->counted);
    for (uint32_t i = 0; i < count; i++)
        windows->reached[i] = INT64_MIN;
    return QUIPU_OK;
}

/* ---- Windows ---- */

/* Makes the next window longer or shorter if this one had too few or too many events. */
static void adapt(struct quipu__windows *windows) {
    const bool is_too_long = windows->is_cut || windows->events > windows->most_events;
    if (is_too_long && windows->length > 1)
        windows->length /= 2;
    else if (!is_too_long && windows->events < windows->most_events / 2 && windows->length <= INT64_MAX / 2)
        windows->length *= 2;
}

/* Begins a window at the time of the source that is farthest behind. */
static void begin_window(struct quipu__windows *windows) {
    int64_t earliest = INT64_MAX;
    for (uint32_t i = 0; i < windows->source_count; i++)
        earliest = windows->reached[i] < earliest ? windows->reached[i] : earliest;
    adapt(windows);
    const int64_t length = (int64_t)windows->length;
    windows->begin = earliest;
    windows->last = earliest < LATEST - length ? earliest + length - 1 : LATEST;
    windows->events = 0;
    windows->is_cut = false;
    windows->source = 0;
}

/* ---- Ranges ---- */

bool quipu__windows_lie_apart(const struct quipu__windows *windows) {
    for (uint32_t i = 0; i < windows->source_count; i++)
        if (windows->sources[i].shared)
            return false;
    return true;
}

size_t quipu__windows_range_bytes(const struct quipu__windows *windows) {
    return ((size_t)RANGE_ROOM_MOST + windows->share.capacity) * QUIPU__EVENT_BYTES;
}

/* Skips sources that are ahead of the window. False when there are no others in it. */
static bool find_source(struct quipu__windows *windows) {
    while (windows->source < windows->source_count && windows->reached[windows->source] > windows->last)
        windows->source++;
    return windows->source < windows->source_count;
}

bool quipu__windows_take(struct quipu__windows *windows, struct quipu__window_range *range) {
    while (!find_source(windows)) {
        if (windows->taken > 0 || windows->left == 0)
            return false;
        begin_window(windows);
    }
    const uint32_t first = windows->source, most = windows->source_count - first;
    const uint32_t count = windows->sources_of_range < most ? windows->sources_of_range : most;
    *range = (struct quipu__window_range){
        .first = first, .end = first + count, .source = first, .begin = windows->begin, .last = windows->last};
    windows->source = range->end;
    windows->taken++;
    return true;
}

/* Sums up what a source has counted. */
static void add_counts(struct quipu__windows *windows, uint32_t number) {
    struct quipu__counts *counts = &windows->counted[number];
    windows->counts->records += counts->records;
    windows->counts->bytes += counts->bytes;
    windows->counts->skipped += counts->skipped;
    counts->records = counts->bytes = counts->skipped = 0;
}

static size_t records_of_bytes(const struct quipu__windows *windows) {
    return (windows->trace->format->info.schema->type_count + 1) * sizeof(uint64_t);
}

/* The same for a source that will count no more. */
static void end_counts(struct quipu__windows *windows, uint32_t number) {
    uint64_t **records_of = &windows->counted[number].records_of;
    add_counts(windows, number);
    if (!*records_of)
        return;
    for (uint32_t i = 0; i < windows->trace->format->info.schema->type_count; i++)
        windows->counts->records_of[i] += (*records_of)[i];
    quipu__release(windows->trace->memory, *records_of, records_of_bytes(windows));
    *records_of = NULL;
}

void quipu__windows_give_back(struct quipu__windows *windows, const struct quipu__window_range *range) {
    for (uint32_t i = range->first; i < range->end; i++) {
        if (windows->reached[i] == INT64_MAX)
            end_counts(windows, i);
        else
            add_counts(windows, i);
    }
    windows->events += range->events;
    windows->left -= range->ended;
    windows->is_cut |= range->is_cut;
    windows->taken--;
}

/* ---- Events ---- */

static enum quipu_status own(struct quipu__windows *windows, uint32_t number, uint32_t location,
                             struct quipu_error *err) {
    uint32_t owner = 0;
    if (location >= windows->owners.count) {
        if (windows->is_shared)
            return QUIPU_OK; /* it is undefined: one thread will read everything again */
        if (!make_room_for_owners(windows, (size_t)location + 1))
            return quipu__no_memory(err, location * sizeof *windows->owners.items);
    }
    if (atomic_compare_exchange_strong(&windows->owners.items[location], &owner, number + 1) ||
        owner == number + 1)
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_UNSUPPORTED, "location %" PRIu32 " has events in several streams", location);
}

/* Makes sure that the locations of the batch have no events elsewhere. */
static enum quipu_status own_locations(struct quipu__windows *windows, uint32_t number,
                                       const struct quipu_batch *batch, struct quipu_error *err) {
    const uint32_t *locations = batch->location, first = locations[0];
    uint32_t others = 0;
    for (uint32_t i = 1; i < batch->count; i++)
        others |= locations[i] ^ first;
    enum quipu_status status = own(windows, number, first, err);
    for (uint32_t i = 1; i < batch->count && others != 0 && status == QUIPU_OK; i++)
        status = own(windows, number, locations[i], err);
    return status;
}

/* If the times of a source go back, its latest time stays. */
static void reach(int64_t *reached, int64_t time) {
    time = time < LATEST ? time : LATEST;
    *reached = time > *reached ? time : *reached;
}

/* The counts for the records of a source: its own if threads read other sources meanwhile; NULL when memory is
 * out. */
static struct quipu__counts *counts_of(struct quipu__windows *windows, uint32_t number) {
    struct quipu__counts *counts = &windows->counted[number];
    if (windows->sources[number].shared || !windows->is_shared)
        return windows->counts;
    if (!counts->records_of)
        counts->records_of = quipu__alloc_zero(windows->trace->memory, records_of_bytes(windows));
    return counts->records_of ? counts : NULL;
}

/* The first and the last event of each location remain. Where another process reads, it leaves events out. */
static void leave_out(const struct quipu__windows *windows, const struct quipu__source *source,
                      struct quipu__batch *batch) {
    const uint32_t count = batch->batch.count;
    if (!windows->unneeded || source->remote)
        return;
    quipu__unneeded_calls_leave_out(windows->unneeded, &batch->batch);
    batch->left_out = count - batch->batch.count;
}

/* The next batch of a source; QUIPU_END when it has no more. */
static enum quipu_status read_on(struct quipu__windows *windows, struct quipu__window_range *range,
                                 struct quipu__batch *batch, struct quipu_error *err) {
    struct quipu__source *source = &windows->sources[range->source];
    struct quipu__counts *counts = counts_of(windows, range->source);
    if (!counts)
        return quipu__no_memory(err, records_of_bytes(windows));
    enum quipu_status status =
        quipu__source_open(source, windows->trace, windows->filter, &windows->share, counts, err);
    if (status == QUIPU_OK)
        status = quipu__source_fill(source, windows->trace, windows->filter, batch, err);
    if (status != QUIPU_OK)
        return status;
    leave_out(windows, source, batch);
    range->events += batch->batch.count + batch->left_out;
    range->room += batch->batch.capacity;
    reach(&windows->reached[range->source], batch->batch.time[batch->batch.count - 1]);
    batch->batch.stream = QUIPU_NONE;
    batch->batch.complete_to = range->begin;
    return own_locations(windows, range->source, &batch->batch, err);
}

static void end_source(struct quipu__windows *windows, struct quipu__window_range *range) {
    quipu__source_close(&windows->sources[range->source], windows->trace);
    windows->reached[range->source] = INT64_MAX;
    range->ended++;
}

enum quipu_status quipu__windows_read(struct quipu__windows *windows, struct quipu__window_range *range,
                                      struct quipu__batch *batch, struct quipu_error *err) {
    for (; range->source < range->end; range->source++) {
        if (windows->reached[range->source] > range->last)
            continue;
        range->is_cut = range->events >= RANGE_EVENTS_MOST || range->room >= RANGE_ROOM_MOST;
        if (range->is_cut)
            return QUIPU_END;
        const enum quipu_status status = read_on(windows, range, batch, err);
        if (status != QUIPU_END)
            return status;
        end_source(windows, range);
    }
    return QUIPU_END;
}

/* ---- Alone ---- */

static enum quipu_status start_alone(struct quipu__windows *windows, struct quipu_error *err) {
    const enum quipu_status status = quipu__windows_start(windows, false, err);
    return status == QUIPU_OK
               ? quipu__batch_new(windows->trace->memory, windows->share.capacity, &windows->batch, err)
               : status;
}

enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err) {
    enum quipu_status status = windows->started ? QUIPU_OK : start_alone(windows, err);
    while (status == QUIPU_OK && (windows->has_range || quipu__windows_take(windows, &windows->range))) {
        windows->has_range = true;
        status = quipu__windows_read(windows, &windows->range, windows->batch, err);
        *out = windows->batch;
        if (status == QUIPU_OK)
            return QUIPU_OK;
        quipu__windows_give_back(windows, &windows->range);
        windows->has_range = false;
        status = status == QUIPU_END ? QUIPU_OK : status;
    }
    return status == QUIPU_OK ? QUIPU_END : status;
}

/* Sources that are still open count until they are closed. */
void quipu__windows_release(struct quipu__windows *windows) {
    struct quipu__memory *memory = windows->started ? windows->trace->memory : NULL;
    if (!windows->started)
        return;
    for (uint32_t i = 0; i < windows->source_count && windows->counted; i++)
        end_counts(windows, i);
    quipu__release(memory, windows->counted, windows->source_count * sizeof *windows->counted);
    quipu__release(memory, windows->reached, windows->source_count * sizeof *windows->reached);
    QUIPU__VEC_RELEASE(memory, &windows->owners);
    quipu__batch_free(windows->batch);
    windows->started = false;
}
