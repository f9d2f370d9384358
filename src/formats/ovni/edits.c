/* edits.c: see repair.h. */
#include "formats/ovni/repair.h"

#include <stdlib.h>
#include <string.h>

void quipu__ovni_edits_release(struct quipu__memory *memory, struct quipu__ovni_edits *edits) {
    QUIPU__VEC_RELEASE(memory, &edits->clocks);
    QUIPU__VEC_RELEASE(memory, &edits->left_out);
}

/* ---- Clocks ---- */

/* The event before a region of late events waits for the one behind it, so its edit may come after theirs. */
static void note(struct quipu__ovni_clock_scan *scan, uint64_t offset, int64_t clock) {
    const struct quipu__ovni_clock_edit edit = {offset, (uint64_t)clock};
    if (!QUIPU__VEC_PUT(scan->memory, &scan->edits->clocks, edit))
        return; /* the gate knows */
    struct quipu__ovni_clock_edit *const edits = scan->edits->clocks.items;
    size_t i = scan->edits->clocks.count - 1;
    for (; i > 0 && edits[i - 1].offset > offset; i--)
        edits[i] = edits[i - 1];
    edits[i] = edit;
}

static void correct(struct quipu__ovni_clock_scan *scan, int64_t clock) {
    note(scan, scan->offset, clock);
    scan->clock = clock;
}

static bool is_right_without(const struct quipu__ovni_clock_scan *scan, int64_t next) {
    return next >= 0 && next >= scan->before && (next < scan->clock || scan->clock < 0);
}

/* Handles the waiting event; next: the clock of the event after it, -1 when there is none. */
static void pass(struct quipu__ovni_clock_scan *scan, int64_t next) {
    if (!scan->has_event)
        return;
    if (scan->before >= 0 && scan->clock < scan->before)
        correct(scan, scan->before);
    else if (is_right_without(scan, next))
        correct(scan, next);
    else if (scan->clock < 0)
        correct(scan, 0);
    if (scan->count == 0)
        scan->first_offset = scan->offset;
    if (scan->count < 2)
        scan->clocks[scan->count++] = scan->clock;
    scan->before = scan->clock;
    scan->has_event = false;
}

/* The latest right clock, of the region of late events if that has one. */
static int64_t latest(const struct quipu__ovni_clock_scan *scan) {
    if (scan->inside >= 0)
        return scan->inside;
    if (scan->before >= 0)
        return scan->before;
    return scan->clock > 0 ? scan->clock : 0;
}

void quipu__ovni_clock_scan_add(struct quipu__ovni_clock_scan *scan, const struct quipu__ovni_event *event) {
    const bool is_mark = event->model == 'O' && event->category == 'U';
    const bool begins = is_mark && event->value == '[', ends = is_mark && event->value == ']';
    if (scan->is_in_region && !ends) {
        if ((int64_t)event->clock < 0)
            note(scan, event->offset, latest(scan));
        scan->inside = (int64_t)event->clock > scan->inside ? (int64_t)event->clock : scan->inside;
        return;
    }
    pass(scan, (int64_t)event->clock);
    if (ends && scan->inside > scan->before)
        scan->before = scan->inside;
    scan->is_in_region = begins;
    scan->inside = -1;
    scan->offset = event->offset;
    scan->clock = (int64_t)event->clock;
    scan->has_event = true;
}

void quipu__ovni_clock_scan_end(struct quipu__ovni_clock_scan *scan) {
    pass(scan, -1);
}

void quipu__ovni_correct_first(struct quipu__ovni_clock_scan *scan) {
    const size_t count = scan->edits->clocks.count;
    const bool is_corrected = count > 0 && scan->edits->clocks.items[0].offset == scan->first_offset;
    if (!is_corrected && !QUIPU__VEC_RESERVE(scan->memory, &scan->edits->clocks, 1))
        return;
    struct quipu__ovni_clock_edit *edits = scan->edits->clocks.items;
    if (!is_corrected) {
        memmove(edits + 1, edits, count * sizeof *edits);
        scan->edits->clocks.count++;
    }
    edits[0] = (struct quipu__ovni_clock_edit){scan->first_offset, (uint64_t)scan->clocks[1]};
}

/* ---- Passes ---- */

static int compare_offsets(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* What a pass leaves out is listed after what earlier passes did. */
void quipu__ovni_edits_rewind(struct quipu__ovni_edits *edits) {
    if (edits->left_out.count > 1)
        qsort(edits->left_out.items, edits->left_out.count, sizeof *edits->left_out.items, compare_offsets);
    edits->next_clock = edits->next_left_out = 0;
}

bool quipu__ovni_edit(struct quipu__ovni_edits *edits, uint64_t offset, uint64_t *clock) {
    while (edits->next_clock < edits->clocks.count && edits->clocks.items[edits->next_clock].offset < offset)
        edits->next_clock++;
    if (edits->next_clock < edits->clocks.count && edits->clocks.items[edits->next_clock].offset == offset)
        *clock = edits->clocks.items[edits->next_clock].clock;
    while (edits->next_left_out < edits->left_out.count && edits->left_out.items[edits->next_left_out] < offset)
        edits->next_left_out++;
    return edits->next_left_out == edits->left_out.count ||
           edits->left_out.items[edits->next_left_out] != offset;
}
