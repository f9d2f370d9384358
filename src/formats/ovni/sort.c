/* sort.c: what sorting changes in a stream that is in order except for its regions.
 *
 * By definition each region is sorted when it ends, together with the events before it back to the first that is earlier than all of
 * it. As long as everything outside regions is in order, that amounts to one stable sort in which events move only within a range: from
 * where everything before is earlier than the region, to the region's end. To find the beginnings of ranges, only boundaries between
 * events are stored, one per several events, with the latest clock before them; a range that begins earlier than necessary does no
 * harm. */
#include "formats/ovni/sort.h"

#include "core/bisect.h"
#include "core/error.h"
#include "core/memory/sort.h"

#include <string.h>

#define BOUNDARY_EVENTS 16 /* from one boundary to the next */

struct boundary {
    uint64_t offset;
    int64_t latest; /* of the clocks before it */
};

enum region_state { OUTSIDE, AT_BEGINNING, INSIDE };

struct scan {
    struct quipu__memory *memory;
    struct quipu__ovni_sorted *out;
    uint64_t look_back;
    QUIPU__VEC(struct boundary) boundaries;
    int64_t before, latest; /* the clock of the previous event; the latest so far */
    enum region_state region_state;
    int64_t earliest;      /* of the region */
    bool is_in_order;      /* the region, relative to what precedes it */
    bool needs_definition; /* ranges do not suffice for this stream */
};

/* ---- Regions ---- */

/* The last boundary that has only earlier clocks before it: its number. */
static size_t find_boundary(const struct scan *scan, int64_t clock) {
    size_t next = 1;
    QUIPU__BISECT(next, scan->boundaries.count, i, scan->boundaries.items[i].latest < clock);
    return next - 1;
}

static enum quipu_status add_range(struct scan *scan, uint64_t from, uint64_t to, struct quipu_error *err) {
    return QUIPU__VEC_PUT(scan->memory, &scan->out->ranges,
                          (struct quipu__ovni_range){from, to, scan->earliest})
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__ovni_range));
}

/* Determines which ranges continue, from the last to the first; before that, later holds the earliest clock of each range's own
 * region. */
static void chain_ranges(struct quipu__ovni_sorted *out) {
    uint64_t from = UINT64_MAX;
    int64_t later = INT64_MAX;
    for (size_t i = out->ranges.count; i-- > 0;) {
        struct quipu__ovni_range *range = &out->ranges.items[i];
        const bool goes_on = from < range->to;
        const int64_t own = range->later;
        range->later = goes_on ? later : INT64_MAX;
        range->from = goes_on && from < range->from ? from : range->from;
        later = goes_on && later < own ? later : own;
        from = range->from;
    }
}

/* Handles the event that ends a region. Its events are within reach if few enough events are not earlier; if there are few enough
 * events since the boundary, they need not be counted. */
static enum quipu_status end_region(struct scan *scan, uint64_t offset, struct quipu_error *err) {
    const size_t boundary = find_boundary(scan, scan->earliest);
    const uint64_t steps = scan->out->events - boundary * BOUNDARY_EVENTS;
    scan->out->regions++;
    scan->needs_definition |= steps >= scan->look_back - 1;
    scan->out->changes |= !scan->is_in_order;
    return scan->is_in_order ? QUIPU_OK : add_range(scan, scan->boundaries.items[boundary].offset, offset, err);
}

static void add_to_region(struct scan *scan, int64_t clock) {
    const bool is_first = scan->region_state == AT_BEGINNING;
    scan->is_in_order = (is_first || scan->is_in_order) && clock >= (is_first ? scan->latest : scan->before);
    scan->earliest = is_first || clock < scan->earliest ? clock : scan->earliest;
    scan->region_state = INSIDE;
}

/* ---- Events ---- */

/* Handles an event outside regions. */
static void scan_outside(struct scan *scan, const struct quipu__ovni_event *event) {
    scan->needs_definition |= (int64_t)event->clock < scan->latest;
    if (scan->region_state == AT_BEGINNING) {
        scan->out->empty_regions++;
        scan->region_state = OUTSIDE;
    } else if (quipu__ovni_is_sort_mark(event, '[')) {
        scan->region_state = AT_BEGINNING;
    }
}

static bool add_boundary(struct scan *scan, uint64_t offset, int64_t latest) {
    return QUIPU__VEC_PUT(scan->memory, &scan->boundaries, (struct boundary){offset, latest});
}

static enum quipu_status scan_event(struct scan *scan, const struct quipu__ovni_event *event,
                                    struct quipu_error *err) {
    const int64_t clock = (int64_t)event->clock;
    enum quipu_status status = QUIPU_OK;
    if (scan->out->events % BOUNDARY_EVENTS == 0 && !add_boundary(scan, event->offset, scan->latest))
        return quipu__no_memory(err, sizeof(struct boundary));
    if (scan->region_state != OUTSIDE && !quipu__ovni_is_sort_mark(event, ']')) {
        add_to_region(scan, clock);
    } else {
        if (scan->region_state == INSIDE) {
            status = end_region(scan, event->offset, err);
            scan->region_state = OUTSIDE;
        }
        scan_outside(scan, event);
    }
    scan->out->jumps_back += clock < scan->before;
    scan->out->events++;
    scan->before = clock;
    scan->latest = clock > scan->latest ? clock : scan->latest;
    return status;
}

/* Skips ordinary events that are in order: most events of most streams. */
static enum quipu_status skip_ordered(struct scan *scan, struct quipu__ovni_walk *walk,
                                      struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    const uint8_t *at = input->at + walk->taken;
    uint64_t count = scan->out->events;
    int64_t latest = scan->latest;
    while (input->end - at >= QUIPU__OVNI_EVENT_BYTES + QUIPU__OVNI_PAYLOAD_MOST) {
        const int64_t clock = quipu__ovni_load_i64(walk->is_big, at + QUIPU__OVNI_CLOCK_OFFSET);
        if (clock < latest || (at[0] & QUIPU__OVNI_JUMBO) != 0 || (at[1] == 'O' && at[2] == 'U'))
            break;
        if (count % BOUNDARY_EVENTS == 0 &&
            !add_boundary(scan, input->end_offset - (uint64_t)(input->end - at), latest))
            return quipu__no_memory(err, sizeof(struct boundary));
        latest = clock;
        at += QUIPU__OVNI_EVENT_BYTES + quipu__ovni_payload_bytes(at[0]);
        count++;
    }
    if (count == scan->out->events)
        return QUIPU_OK;
    input->at = at;
    walk->taken = 0;
    walk->events += count - scan->out->events;
    scan->out->events = count;
    scan->before = scan->latest = latest;
    return QUIPU_OK;
}

static enum quipu_status scan_events(struct scan *scan, struct quipu__ovni_walk *walk,
                                     struct quipu_error *err) {
    struct quipu__ovni_event event;
    enum quipu_status status;
    while ((status = quipu__ovni_walk_next(walk, &event, err)) == QUIPU_OK) {
        status = scan_event(scan, &event, err);
        if (QUIPU__UNLIKELY(status != QUIPU_OK || scan->needs_definition))
            return status;
        if (scan->region_state == OUTSIDE && (status = skip_ordered(scan, walk, err)) != QUIPU_OK)
            return status;
    }
    scan->out->end = walk->input->end_offset;
    scan->out->is_big = walk->is_big;
    if (status == QUIPU_END && walk->damage != QUIPU__OVNI_RULE_COUNT)
        return quipu__fail(err, QUIPU_CORRUPT, "%s: %s", quipu__ovni_rules[walk->damage].text, walk->found);
    chain_ranges(scan->out);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- A stream ---- */

/* A compressed stream, or one whose last events a killed program left in a buffer beside it, has other offsets than its file. */
static enum quipu_status check_file(const struct quipu__ovni_stream *stream,
                                    const struct quipu__ovni_sorted *sorted, struct quipu_error *err) {
    if (sorted->end == stream->bytes || !sorted->changes)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__fail(err, QUIPU_UNSUPPORTED,
                    "the stream is compressed or was not completed, so it is not sorted in its file");
    quipu__advise(err, "\"quipu repair\" writes one that can be");
    return status;
}

static enum quipu_status scan_stream(struct quipu__ovni_files *files, const struct quipu__ovni_stream *stream,
                                     uint64_t look_back, struct quipu__ovni_sorted *out,
                                     struct quipu_error *err) {
    struct scan scan = {
        .memory = files->memory, .out = out, .look_back = look_back, .before = INT64_MIN, .latest = INT64_MIN};
    struct quipu__ovni_walk walk;
    enum quipu_status status =
        quipu__ovni_walk_open(&walk, files->pool, stream->path, stream->has_header, (size_t)64 << 10, err);
    if (status != QUIPU_OK)
        return status;
    status = scan_events(&scan, &walk, err);
    quipu__ovni_walk_close(&walk);
    QUIPU__VEC_RELEASE(files->memory, &scan.boundaries);
    if (status != QUIPU_OK || !scan.needs_definition)
        return status;
    quipu__ovni_sorted_release(files, out);
    *out = (struct quipu__ovni_sorted){0};
    return quipu__ovni_sort_by_definition(files, stream, look_back, out, err);
}

enum quipu_status quipu__ovni_sort(struct quipu__ovni_files *files, const struct quipu__ovni_stream *stream,
                                   uint64_t look_back, struct quipu__ovni_sorted *out,
                                   struct quipu_error *err) {
    *out = (struct quipu__ovni_sorted){0};
    enum quipu_status status = scan_stream(files, stream, look_back < 2 ? 2 : look_back, out, err);
    if (status == QUIPU_OK)
        status = check_file(stream, out, err);
    if (status != QUIPU_OK) {
        quipu__ovni_sorted_release(files, out);
        quipu__at(err, stream->path, QUIPU_UNKNOWN);
    }
    return status;
}

void quipu__ovni_sorted_release(struct quipu__ovni_files *files, struct quipu__ovni_sorted *sorted) {
    quipu__release(files->memory, sorted->bytes, sorted->bytes ? sorted->size : 0);
    QUIPU__VEC_RELEASE(files->memory, &sorted->ranges);
    sorted->bytes = NULL;
}

/* ---- A range ---- */

#define INSERTION_MOST 512 /* events that are sorted one by one */

/* Bytes of the current event; 0 when it is incomplete. */
static size_t event_bytes(bool is_big, const uint8_t *at, size_t left) {
    if (left < QUIPU__OVNI_EVENT_BYTES)
        return 0;
    uint64_t bytes = QUIPU__OVNI_EVENT_BYTES + quipu__ovni_payload_bytes(at[0]);
    if ((at[0] & QUIPU__OVNI_JUMBO) != 0) {
        bytes = QUIPU__OVNI_EVENT_BYTES + QUIPU__OVNI_JUMBO_SIZE_BYTES;
        if (left < bytes)
            return 0;
        bytes += quipu__ovni_load_32(is_big, at + QUIPU__OVNI_EVENT_BYTES);
    }
    return bytes <= left ? (size_t)bytes : 0;
}

/* How many events there are; the last one may be incomplete. */
static size_t count_events(const struct quipu__ovni_sorter *sorter, const uint8_t *bytes, size_t size) {
    size_t count = 0;
    for (size_t offset = 0, len = 1; offset < size && len > 0; offset += len, count++)
        len = event_bytes(sorter->is_big, bytes + offset, size - offset);
    return count;
}

/* Makes room for the events in that many bytes. */
static bool reserve(struct quipu__ovni_sorter *sorter, const uint8_t *bytes, size_t size) {
    const bool has_items = sorter->items.capacity > size / QUIPU__OVNI_EVENT_BYTES;
    return (has_items ||
            QUIPU__VEC_RESERVE(sorter->memory, &sorter->items, count_events(sorter, bytes, size))) &&
           (sorter->copy.capacity >= size || QUIPU__VEC_RESERVE(sorter->memory, &sorter->copy, size));
}

/* Lists the events in the reserved room; false when one is incomplete. */
static bool list_items(struct quipu__ovni_sorter *sorter, const uint8_t *bytes, size_t size, size_t *count) {
    *count = 0;
    for (size_t offset = 0, len; offset < size; offset += len, ++*count) {
        len = event_bytes(sorter->is_big, bytes + offset, size - offset);
        if (len == 0)
            return false;
        const uint64_t clock = quipu__ovni_load_64(sorter->is_big, bytes + offset + QUIPU__OVNI_CLOCK_OFFSET);
        sorter->items.items[*count] = (struct quipu__ovni_sort_item){(int64_t)clock, offset, (uint32_t)len};
    }
    return true;
}

static void insert_items(struct quipu__ovni_sort_item *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const struct quipu__ovni_sort_item item = items[i];
        size_t to = i;
        for (; to > 0 && items[to - 1].clock > item.clock; to--)
            items[to] = items[to - 1];
        items[to] = item;
    }
}

enum quipu_status quipu__ovni_sort_bytes(struct quipu__ovni_sorter *sorter, uint8_t *bytes, size_t size,
                                         int64_t clock, size_t *before, struct quipu_error *err) {
    size_t count, done = 0;
    if (!reserve(sorter, bytes, size))
        return quipu__no_memory(err, size);
    if (!list_items(sorter, bytes, size, &count))
        return quipu__fail(err, QUIPU_CORRUPT, "the file has changed while it was sorted");
    struct quipu__ovni_sort_item *items = sorter->items.items;
    if (count <= INSERTION_MOST)
        insert_items(items, count);
    else if (!quipu__sort(sorter->memory, items, count, sizeof *items, quipu__ovni_compare_items))
        return quipu__no_memory(err, count);
    *before = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(sorter->copy.items + done, bytes + items[i].offset, items[i].bytes);
        done += items[i].bytes;
        *before = items[i].clock < clock ? done : *before;
    }
    memcpy(bytes, sorter->copy.items, done);
    return QUIPU_OK;
}

void quipu__ovni_sorter_release(struct quipu__ovni_sorter *sorter) {
    QUIPU__VEC_RELEASE(sorter->memory, &sorter->items);
    QUIPU__VEC_RELEASE(sorter->memory, &sorter->copy);
}
