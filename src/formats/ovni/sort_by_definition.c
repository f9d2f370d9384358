/* sort_by_definition.c: sorts regions of streams that have events out of order outside regions too.
 *
 * By definition each region is sorted when it ends, together with the events before it back to the first that is earlier than all of
 * it. Events with equal clocks keep their order, which is that of their offsets. */
#include "formats/ovni/sort.h"

#include "core/error.h"

#include <inttypes.h>
#include <string.h>

enum region_state { OUTSIDE, AT_BEGINNING, INSIDE };

struct sorting {
    struct quipu__memory *memory;
    struct quipu__ovni_sorted *out;
    uint64_t look_back;
    QUIPU__VEC(struct quipu__ovni_sort_item)
    items; /* the events so far, with the regions that have ended sorted */
    int64_t latest;
    enum region_state region_state;
    size_t first; /* of the region, among the items */
};

static void sort_items(struct quipu__ovni_sort_item *items, size_t count) {
    if (count > 1)
        qsort(items, count, sizeof *items, quipu__ovni_compare_items);
}

/* ---- Regions ---- */

static bool is_in_order(const struct sorting *sorting, int64_t earliest) {
    int64_t last = INT64_MIN;
    for (size_t i = sorting->first; i < sorting->items.count; i++) {
        if (sorting->items.items[i].clock < last)
            return false;
        last = sorting->items.items[i].clock;
    }
    return earliest >= sorting->latest;
}

static int64_t earliest_of(const struct sorting *sorting) {
    int64_t earliest = INT64_MAX;
    for (size_t i = sorting->first; i < sorting->items.count; i++)
        if (sorting->items.items[i].clock < earliest)
            earliest = sorting->items.items[i].clock;
    return earliest;
}

static enum quipu_status too_far(const struct sorting *sorting, int64_t earliest, struct quipu_error *err) {
    sorting->out->is_too_far = true;
    sorting->out->earliest = earliest;
    const enum quipu_status status = quipu__fail(
        err, QUIPU_LIMIT, "an event belongs further back than %" PRIu64 " events", sorting->look_back);
    quipu__advise(err, "look back further with -n");
    return status;
}

static enum quipu_status sort_region(struct sorting *sorting, int64_t earliest, struct quipu_error *err) {
    const size_t end = sorting->items.count;
    size_t from = end;
    uint64_t steps = 0;
    while (from > 0 && steps < sorting->look_back - 1 && sorting->items.items[from - 1].clock >= earliest) {
        from--;
        steps++;
    }
    const bool is_found = from > 0 && steps < sorting->look_back - 1;
    if (!is_found && end >= sorting->look_back - 1)
        return too_far(sorting, earliest, err);
    sort_items(sorting->items.items + from, end - from);
    return QUIPU_OK;
}

static enum quipu_status end_region(struct sorting *sorting, struct quipu_error *err) {
    const int64_t earliest = earliest_of(sorting);
    sorting->out->regions++;
    sorting->region_state = OUTSIDE;
    sorting->out->changes |= !is_in_order(sorting, earliest);
    const enum quipu_status status = sort_region(sorting, earliest, err);
    const int64_t last = sorting->items.items[sorting->items.count - 1].clock;
    sorting->latest = last > sorting->latest ? last : sorting->latest;
    return status;
}

static enum quipu_status retain(struct sorting *sorting, const struct quipu__ovni_sort_item *item,
                                struct quipu_error *err) {
    if (sorting->region_state != INSIDE && item->clock > sorting->latest)
        sorting->latest = item->clock;
    return QUIPU__VEC_PUT(sorting->memory, &sorting->items, *item)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__ovni_sort_item));
}

static enum quipu_status add(struct sorting *sorting, const struct quipu__ovni_event *event, uint32_t bytes,
                             struct quipu_error *err) {
    const struct quipu__ovni_sort_item item = {(int64_t)event->clock, event->offset, bytes};
    if (sorting->region_state == INSIDE && quipu__ovni_is_sort_mark(event, ']')) {
        const enum quipu_status status = end_region(sorting, err);
        return status == QUIPU_OK ? retain(sorting, &item, err) : status;
    }
    if (sorting->region_state == AT_BEGINNING) {
        const bool is_empty = quipu__ovni_is_sort_mark(event, ']');
        sorting->out->empty_regions += is_empty;
        sorting->region_state = is_empty ? OUTSIDE : INSIDE;
        sorting->first = sorting->items.count;
    } else if (sorting->region_state == OUTSIDE && quipu__ovni_is_sort_mark(event, '[')) {
        sorting->region_state = AT_BEGINNING;
    }
    return retain(sorting, &item, err);
}

/* ---- A stream ---- */

static enum quipu_status read_events(struct sorting *sorting, struct quipu__ovni_walk *walk,
                                     struct quipu_error *err) {
    struct quipu__ovni_event event;
    int64_t before = INT64_MIN;
    enum quipu_status status;
    while ((status = quipu__ovni_walk_next(walk, &event, err)) == QUIPU_OK) {
        sorting->out->jumps_back += (int64_t)event.clock < before;
        before = (int64_t)event.clock;
        sorting->out->events++;
        status = add(sorting, &event, walk->taken, err);
        if (status != QUIPU_OK)
            return status;
    }
    sorting->out->end = walk->input->end_offset;
    sorting->out->is_big = walk->is_big;
    if (status == QUIPU_END && walk->damage != QUIPU__OVNI_RULE_COUNT)
        return quipu__fail(err, QUIPU_CORRUPT, "%s: %s", quipu__ovni_rules[walk->damage].text, walk->found);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* Loads the bytes of the whole file. */
static enum quipu_status load(struct quipu__ovni_files *files, const struct quipu__ovni_stream *stream,
                              uint8_t *bytes, size_t size, struct quipu_error *err) {
    struct quipu__input *input;
    size_t done = 0;
    enum quipu_status status =
        quipu__input_open(files->pool, stream->path, QUIPU__CODEC_SEEK, (size_t)1 << 20, &input, err);
    while (status == QUIPU_OK && (status = quipu__input_more(input, 1, err)) == QUIPU_OK &&
           input->at < input->end) {
        const size_t left = (size_t)(input->end - input->at),
                     size_here = left < size - done ? left : size - done;
        memcpy(bytes + done, input->at, size_here);
        done += size_here;
        input->at = input->end;
    }
    quipu__input_close(input);
    if (status == QUIPU_OK && done < size)
        status = quipu__fail(err, QUIPU_IO, "the file has become shorter");
    return status;
}

static enum quipu_status make_bytes(struct sorting *sorting, struct quipu__ovni_files *files,
                                    const struct quipu__ovni_stream *stream, struct quipu_error *err) {
    struct quipu__ovni_sorted *out = sorting->out;
    const size_t size = (size_t)stream->bytes;
    uint8_t *old = quipu__alloc(sorting->memory, size);
    out->bytes = quipu__alloc(sorting->memory, size);
    out->size = size;
    enum quipu_status status =
        old && out->bytes ? load(files, stream, old, size, err) : quipu__no_memory(err, size);
    if (status == QUIPU_OK) {
        memcpy(out->bytes, old, size);
        size_t offset = stream->has_header ? QUIPU__OVNI_HEADER_BYTES : 0;
        for (size_t i = 0; i < sorting->items.count; i++) {
            memcpy(out->bytes + offset, old + sorting->items.items[i].offset, sorting->items.items[i].bytes);
            offset += sorting->items.items[i].bytes;
        }
    }
    quipu__release(sorting->memory, old, size);
    return status;
}

enum quipu_status quipu__ovni_sort_by_definition(struct quipu__ovni_files *files,
                                                 const struct quipu__ovni_stream *stream, uint64_t look_back,
                                                 struct quipu__ovni_sorted *out, struct quipu_error *err) {
    struct sorting sorting = {.memory = files->memory, .out = out, .look_back = look_back, .latest = INT64_MIN};
    struct quipu__ovni_walk walk;
    enum quipu_status status =
        quipu__ovni_walk_open(&walk, files->pool, stream->path, stream->has_header, (size_t)1 << 20, err);
    if (status != QUIPU_OK)
        return status;
    status = read_events(&sorting, &walk, err);
    quipu__ovni_walk_close(&walk);
    if (status == QUIPU_OK && out->changes && out->end == stream->bytes)
        status = make_bytes(&sorting, files, stream, err);
    QUIPU__VEC_RELEASE(files->memory, &sorting.items);
    return status;
}
