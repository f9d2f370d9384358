/* sort.h: moves the late events of regions OU[ … OU] to where their clocks belong.
 *
 *     the stream ─▶ ranges in which events change their order ─▶ one range after the other, sorted in memory
 *
 * So memory grows with how far events move, and what does not change is neither held nor written. */
#ifndef QUIPU_OVNI_SORT_H
#define QUIPU_OVNI_SORT_H

#include "core/memory/vec.h"
#include "formats/ovni/files.h"

#define QUIPU__OVNI_LOOK_BACK UINT64_C(1000000) /* events, by default */

/* Bytes of the file, whole events: from where one region reaches back to, up to its end. A range that begins before the end of the
 * previous one continues it: together they are sorted as one. later is the earliest clock of the ranges that continue this one:
 * events before it are in place once this range is sorted. */
struct quipu__ovni_range {
    uint64_t from, to;
    int64_t later; /* INT64_MAX when none continues it */
};

static inline bool quipu__ovni_goes_on(const struct quipu__ovni_range *range) {
    return range->later != INT64_MAX;
}

struct quipu__ovni_sorted {
    QUIPU__VEC(struct quipu__ovni_range) ranges; /* by their ends */
    uint8_t *bytes; /* instead of ranges: the whole sorted file, if events outside regions are out of order */
    size_t size;
    uint64_t end; /* offset after the last event */
    bool is_big, changes;
    uint64_t events, regions, empty_regions;
    uint64_t jumps_back; /* clocks before that of the previous event in the unsorted file */
    bool is_too_far;     /* sorting fails since nothing within reach is before this clock */
    int64_t earliest;
};

/* Finds what changes when a stream's file is sorted. QUIPU_CORRUPT when it is truncated, QUIPU_LIMIT when an event belongs farther
 * back than look_back events. The caller releases the memory: quipu__ovni_sorted_release. */
enum quipu_status quipu__ovni_sort(struct quipu__ovni_files *files, const struct quipu__ovni_stream *stream,
                                   uint64_t look_back, struct quipu__ovni_sorted *out, struct quipu_error *err);
void quipu__ovni_sorted_release(struct quipu__ovni_files *files, struct quipu__ovni_sorted *sorted);

/* Memory for sorting range after range. */
struct quipu__ovni_sort_item {
    int64_t clock;
    uint64_t offset;
    uint32_t bytes;
};
struct quipu__ovni_sorter {
    struct quipu__memory *memory;
    bool is_big;
    QUIPU__VEC(struct quipu__ovni_sort_item) items;
    QUIPU__VEC(uint8_t) copy; /* only its capacity is used */
};

/* Sorts the events in bytes by their clocks, stably. *before gets the number of bytes of the events whose clocks are before a
 * given one. */
enum quipu_status quipu__ovni_sort_bytes(struct quipu__ovni_sorter *sorter, uint8_t *bytes, size_t size,
                                         int64_t clock, size_t *before, struct quipu_error *err);
void quipu__ovni_sorter_release(struct quipu__ovni_sorter *sorter);

/* ---- Inside ---- */

static inline bool quipu__ovni_is_sort_mark(const struct quipu__ovni_event *event, uint8_t value) {
    return event->model == 'O' && event->category == 'U' && event->value == value;
}

static inline int quipu__ovni_compare_items(const void *left, const void *right) {
    const struct quipu__ovni_sort_item *a = left, *b = right;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* quipu__ovni_sort for streams in any disorder: holds all events, and makes bytes (sort_by_definition.c). */
enum quipu_status quipu__ovni_sort_by_definition(struct quipu__ovni_files *files,
                                                 const struct quipu__ovni_stream *stream, uint64_t look_back,
                                                 struct quipu__ovni_sorted *out, struct quipu_error *err);

#endif
