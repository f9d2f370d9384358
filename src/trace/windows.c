/* windows.c: see windows.h. */
#include "trace/windows.h"

#include "core/error.h"
#include "core/os.h"

#include <inttypes.h>

/* Events that a window is to have: of each source, and at least. */
enum { EVENTS_OF_SOURCE = 64, EVENTS_LEAST = 1 << 14 };

/* ---- Sources ---- */

static void close_source(struct quipu__windows *windows, uint32_t number) {
    struct quipu__source *source = &windows->sources[number];
    quipu__source_close(source, windows->trace);
    quipu__batch_free(source->batch);
    source->batch = NULL;
    windows->cursors[number] = (struct quipu__window_cursor){.time = INT64_MAX};
}

/* Reads on in a source; at its end it is closed. */
static enum quipu_status refill(struct quipu__windows *windows, uint32_t number, struct quipu_error *err) {
    struct quipu__source *source = &windows->sources[number];
    const enum quipu_status status =
        source->pass || source->shared
            ? quipu__source_fill(source, windows->trace, windows->filter, source->batch, err)
            : QUIPU_END;
    if (status == QUIPU_OK) {
        const struct quipu_batch *batch = &source->batch->batch;
        windows->cursors[number] = (struct quipu__window_cursor){.time = batch->time[0], .count = batch->count};
    }
    if (status != QUIPU_END)
        return status;
    close_source(windows, number);
    return QUIPU_OK;
}

static enum quipu_status start_source(struct quipu__windows *windows, uint32_t number,
                                      const struct quipu__share *share, struct quipu_error *err) {
    struct quipu__source *source = &windows->sources[number];
    enum quipu_status status =
        quipu__source_open(source, windows->trace, windows->filter, share, windows->counts, err);
    if (status == QUIPU_OK)
        status = quipu__batch_new(windows->trace->memory, share->capacity, &source->batch, err);
    return status < QUIPU_OK ? status : refill(windows, number, err);
}

static enum quipu_status start(struct quipu__windows *windows, struct quipu_error *err) {
    const struct quipu__share share = quipu__share_of_windows(windows->trace->memory, windows->source_count);
    const size_t bytes = windows->source_count * sizeof *windows->cursors;
    windows->started = true;
    windows->source = windows->source_count;
    windows->length = 1;
    windows->most_events = (uint64_t)windows->source_count * EVENTS_OF_SOURCE;
    if (windows->most_events < EVENTS_LEAST)
        windows->most_events = EVENTS_LEAST;
    windows->events = windows->most_events;
    windows->cursors = bytes > 0 ? quipu__alloc_zero(windows->trace->memory, bytes) : NULL;
    if (bytes > 0 && !windows->cursors)
        return quipu__no_memory(err, bytes);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < windows->source_count && status == QUIPU_OK; i++)
        status = start_source(windows, i, &share, err);
    return status;
}

/* ---- Windows ---- */

/* The next one is longer or shorter, when this one had too few or too many events. */
static void adapt(struct quipu__windows *windows) {
    if (windows->events < windows->most_events / 2 && windows->length <= INT64_MAX / 2)
        windows->length *= 2;
    else if (windows->events > windows->most_events && windows->length > 1)
        windows->length /= 2;
}

/* Begins a window with the earliest event that is left; false when there is none. */
static bool begin_window(struct quipu__windows *windows) {
    bool is_left = false;
    int64_t earliest = INT64_MAX;
    for (uint32_t i = 0; i < windows->source_count; i++) {
        const struct quipu__window_cursor *cursor = &windows->cursors[i];
        earliest = cursor->time < earliest ? cursor->time : earliest;
        is_left |= cursor->count > 0;
    }
    adapt(windows);
    windows->begin = earliest;
    windows->last =
        earliest < INT64_MAX - (int64_t)windows->length ? earliest + (int64_t)windows->length - 1 : INT64_MAX;
    windows->events = windows->of_source = 0;
    windows->source = 0;
    return is_left;
}

/* A window that has too many events ends before the next event of a source that has given its share. */
static void cut_window(struct quipu__windows *windows, int64_t next) {
    if (windows->events > 2 * windows->most_events && windows->of_source > 4 * EVENTS_OF_SOURCE &&
        next > windows->begin && next <= windows->last)
        windows->last = next - 1;
}

/* ---- Events ---- */

/* Where the events of the window end in a batch. */
static uint32_t find_end(const struct quipu_batch *batch, uint32_t first, int64_t last) {
    uint32_t end = first;
    while (end < batch->count && batch->time[end] <= last)
        end++;
    return end;
}

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

/* Makes sure that the locations of the events have no others elsewhere. */
static enum quipu_status own_locations(struct quipu__windows *windows, uint32_t number, uint32_t first,
                                       uint32_t end, struct quipu_error *err) {
    const uint32_t *locations = windows->sources[number].batch->batch.location;
    enum quipu_status status = own(windows, number, locations[first], err);
    for (uint32_t i = first + 1; i < end && status == QUIPU_OK; i++)
        if (QUIPU__UNLIKELY(locations[i] != locations[i - 1]))
            status = own(windows, number, locations[i], err);
    return status;
}

/* Events of a batch without its attributes. */
static struct quipu__batch *view(struct quipu__windows *windows, const struct quipu_batch *batch,
                                 uint32_t first, uint32_t end) {
    struct quipu_batch *view = &windows->view.batch;
    *view = *batch;
    view->count = end - first;
    view->attribute_count = 0;
    view->time += first;
    view->kind += first;
    view->location += first;
    view->byte_offset += first;
#define QUIPU_COLUMN(name, c_type, doc) view->name += first;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    return &windows->view;
}

/* Events of a batch of a source with their attributes. */
static enum quipu_status copy(struct quipu__windows *windows, struct quipu__source *source, uint32_t first,
                              uint32_t end, struct quipu__batch **out, struct quipu_error *err) {
    const struct quipu_batch *batch = &source->batch->batch;
    enum quipu_status status = QUIPU_OK;
    if (windows->copied && windows->copied->batch.capacity < batch->capacity) {
        quipu__batch_free(windows->copied);
        windows->copied = NULL;
    }
    if (!windows->copied)
        status = quipu__batch_new(windows->trace->memory, batch->capacity, &windows->copied, err);
    if (status != QUIPU_OK)
        return status;
    quipu__batch_clear(windows->copied);
    for (uint32_t i = first; i < end; i++)
        if (!quipu__batch_copy(windows->copied, batch, i, &source->attribute))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
    *out = windows->copied;
    return QUIPU_OK;
}

/* Gives the events of a source from its next one on that lie in the window; there is at least one. */
static enum quipu_status give(struct quipu__windows *windows, uint32_t number, struct quipu__batch **out,
                              struct quipu_error *err) {
    struct quipu__source *source = &windows->sources[number];
    struct quipu__window_cursor *cursor = &windows->cursors[number];
    const struct quipu_batch *batch = &source->batch->batch;
    const uint32_t first = cursor->next, end = find_end(batch, first, windows->last);
    enum quipu_status status = own_locations(windows, number, first, end, err);
    if (status != QUIPU_OK)
        return status;
    windows->events += end - first;
    windows->of_source += end - first;
    cursor->next = end;
    if (end < batch->count) {
        cursor->time = batch->time[end];
        cut_window(windows, cursor->time);
    }
    if (first == 0 && end == batch->count)
        *out = source->batch;
    else if (batch->attribute_count == 0)
        *out = view(windows, batch, first, end);
    else
        status = copy(windows, source, first, end, out, err);
    if (status == QUIPU_OK) {
        (*out)->batch.stream = QUIPU_NONE;
        (*out)->batch.complete_to = windows->begin;
    }
    return status;
}

static void next_source(struct quipu__windows *windows) {
    windows->source++;
    windows->of_source = 0;
}

enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err) {
    enum quipu_status status = windows->started ? QUIPU_OK : start(windows, err);
    while (status == QUIPU_OK) {
        if (windows->source == windows->source_count && !begin_window(windows))
            return QUIPU_END;
        const uint32_t number = windows->source;
        const struct quipu__window_cursor *cursor = &windows->cursors[number];
        if (cursor->count > 0 && cursor->next == cursor->count) {
            status = refill(windows, number, err);
            cut_window(windows, cursor->time);
        } else if (cursor->count == 0 || cursor->time > windows->last) {
            next_source(windows);
        } else {
            return give(windows, number, out, err);
        }
    }
    return status;
}

void quipu__windows_release(struct quipu__windows *windows) {
    if (!windows->started)
        return;
    for (uint32_t i = 0; i < windows->source_count; i++) {
        quipu__batch_free(windows->sources[i].batch);
        windows->sources[i].batch = NULL;
    }
    quipu__release(windows->trace->memory, windows->cursors, windows->source_count * sizeof *windows->cursors);
    QUIPU__VEC_RELEASE(windows->trace->memory, &windows->owners);
    quipu__batch_free(windows->copied);
    windows->started = false;
}
