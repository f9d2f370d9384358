/* windows.c: see windows.h. */
#include "trace/windows.h"

#include "core/error.h"
#include "core/os.h"

#include <inttypes.h>

/* Events that a window is to have: of each source, and at least. */
enum { EVENTS_OF_SOURCE = 64, EVENTS_LEAST = 1 << 14 };

/* No window ends later, and no source that has not ended gets further. */
#define LATEST (INT64_MAX - 1)

static enum quipu_status start(struct quipu__windows *windows, struct quipu_error *err) {
    struct quipu__memory *memory = windows->trace->memory;
    const size_t bytes = windows->source_count * sizeof *windows->reached;
    windows->started = true;
    windows->left = windows->source_count;
    windows->share = quipu__share_of_windows(memory, windows->source_count);
    windows->begin = windows->last = INT64_MIN;
    windows->length = 1;
    windows->most_events = (uint64_t)windows->source_count * EVENTS_OF_SOURCE;
    if (windows->most_events < EVENTS_LEAST)
        windows->most_events = EVENTS_LEAST;
    if (bytes == 0)
        return QUIPU_OK;
    windows->reached = quipu__alloc(memory, bytes);
    if (!windows->reached)
        return quipu__no_memory(err, bytes);
    for (uint32_t i = 0; i < windows->source_count; i++)
        windows->reached[i] = INT64_MIN;
    return quipu__batch_new(memory, windows->share.capacity, &windows->batch, err);
}

/* ---- Windows ---- */

/* The next one is longer or shorter, when this one had too few or too many events. */
static void adapt(struct quipu__windows *windows) {
    if (windows->events < windows->most_events / 2 && windows->length <= INT64_MAX / 2)
        windows->length *= 2;
    else if (windows->events > windows->most_events && windows->length > 1)
        windows->length /= 2;
}

/* Begins a window where the source is that is furthest behind. */
static void begin_window(struct quipu__windows *windows) {
    int64_t earliest = INT64_MAX;
    for (uint32_t i = 0; i < windows->source_count; i++)
        earliest = windows->reached[i] < earliest ? windows->reached[i] : earliest;
    adapt(windows);
    const int64_t length = (int64_t)windows->length;
    windows->begin = earliest;
    windows->last = earliest < LATEST - length ? earliest + length - 1 : LATEST;
    windows->events = windows->of_source = 0;
    windows->source = 0;
}

/* A window that has too many events ends where a source is that has given its share. */
static void cut_window(struct quipu__windows *windows, int64_t reached) {
    if (windows->events > 2 * windows->most_events && windows->of_source > 4 * EVENTS_OF_SOURCE &&
        reached > windows->begin && reached <= windows->last)
        windows->last = reached - 1;
}

static void next_source(struct quipu__windows *windows) {
    windows->source++;
    windows->of_source = 0;
}

/* ---- Events ---- */

static enum quipu_status own(struct quipu__windows *windows, uint32_t number, uint32_t location,
                             struct quipu_error *err) {
    const size_t known = windows->owners.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(windows->trace->memory, &windows->owners, (size_t)location + 1 - known))
            return quipu__no_memory(err, location * sizeof *windows->owners.items);
        windows->owners.count = (size_t)location + 1;
    }
    uint32_t *owner = &windows->owners.items[location];
    if (*owner == 0)
        *owner = number + 1;
    return *owner == number + 1 ? QUIPU_OK
                                : quipu__fail(err, QUIPU_UNSUPPORTED,
                                              "location %" PRIu32 " has events in several streams", location);
}

/* Makes sure that the locations of the batch have no events elsewhere. */
static enum quipu_status own_locations(struct quipu__windows *windows, uint32_t number,
                                       struct quipu_error *err) {
    const struct quipu_batch *batch = &windows->batch->batch;
    enum quipu_status status = own(windows, number, batch->location[0], err);
    for (uint32_t i = 1; i < batch->count && status == QUIPU_OK; i++)
        if (QUIPU__UNLIKELY(batch->location[i] != batch->location[i - 1]))
            status = own(windows, number, batch->location[i], err);
    return status;
}

/* A source whose times go back stays where it is. */
static void reach(int64_t *reached, int64_t time) {
    time = time < LATEST ? time : LATEST;
    *reached = time > *reached ? time : *reached;
}

/* The next batch of a source; QUIPU_END when it has no more. */
static enum quipu_status read_on(struct quipu__windows *windows, uint32_t number, struct quipu_error *err) {
    struct quipu__source *source = &windows->sources[number];
    enum quipu_status status =
        quipu__source_open(source, windows->trace, windows->filter, &windows->share, windows->counts, err);
    if (status == QUIPU_OK)
        status = quipu__source_fill(source, windows->trace, windows->filter, windows->batch, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu_batch *batch = &windows->batch->batch;
    windows->events += batch->count;
    windows->of_source += batch->count;
    reach(&windows->reached[number], batch->time[batch->count - 1]);
    batch->stream = QUIPU_NONE;
    batch->complete_to = windows->begin;
    cut_window(windows, windows->reached[number]);
    return own_locations(windows, number, err);
}

static void end_source(struct quipu__windows *windows, uint32_t number) {
    quipu__source_close(&windows->sources[number], windows->trace);
    windows->reached[number] = INT64_MAX;
    windows->left--;
    next_source(windows);
}

enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err) {
    enum quipu_status status = windows->started ? QUIPU_OK : start(windows, err);
    while (status == QUIPU_OK && windows->left > 0) {
        const uint32_t number = windows->source;
        if (number == windows->source_count) {
            begin_window(windows);
        } else if (windows->reached[number] > windows->last) {
            next_source(windows);
        } else {
            status = read_on(windows, number, err);
            *out = windows->batch;
            if (status != QUIPU_END)
                return status;
            end_source(windows, number);
            status = QUIPU_OK;
        }
    }
    return status == QUIPU_OK ? QUIPU_END : status;
}

void quipu__windows_release(struct quipu__windows *windows) {
    if (!windows->started)
        return;
    quipu__release(windows->trace->memory, windows->reached, windows->source_count * sizeof *windows->reached);
    QUIPU__VEC_RELEASE(windows->trace->memory, &windows->owners);
    quipu__batch_free(windows->batch);
    windows->started = false;
}
