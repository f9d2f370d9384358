/* edits.h: what of a stream's events cannot stay as it is: clocks that are wrong, and events that the emulation refuses. */
#ifndef QUIPU_OVNI_EDITS_H
#define QUIPU_OVNI_EDITS_H

#include "core/memory/vec.h"
#include "formats/ovni/walk.h"

struct quipu__ovni_clock_edit {
    uint64_t offset, clock;
};

/* Offsets of events, ascending. */
struct quipu__ovni_edits {
    QUIPU__VEC(struct quipu__ovni_clock_edit) clocks;
    QUIPU__VEC(uint64_t) left_out;
    size_t next_clock, next_left_out; /* where a pass over the stream is */
};

void quipu__ovni_edits_release(struct quipu__memory *memory, struct quipu__ovni_edits *edits);

/* Notes clocks as the events of a stream pass by. A clock is wrong when it precedes the one before; or when the next one precedes it
 * and would be right without it. A region of late events has clocks of its own. The first two events are noted, since what makes
 * the first one come far too early is known when all streams are. */
struct quipu__ovni_clock_scan {
    struct quipu__memory *memory;
    struct quipu__ovni_edits *edits;
    int64_t before;  /* the last clock that is right; -1: none yet */
    uint64_t offset; /* of the event that waits for the next one, */
    int64_t clock;   /* and its clock */
    bool has_event, is_in_region;
    uint32_t count; /* of events that are passed, up to 2 */
    uint64_t first_offset;
    int64_t clocks[2];
};
QUIPU_CHECKED bool quipu__ovni_clock_scan_add(struct quipu__ovni_clock_scan *scan,
                                              const struct quipu__ovni_event *event);
QUIPU_CHECKED bool quipu__ovni_clock_scan_end(struct quipu__ovni_clock_scan *scan);

/* Corrects the clock of the first event, whatever has been corrected before. */
QUIPU_CHECKED bool quipu__ovni_correct_first(struct quipu__ovni_clock_scan *scan);

/* Begins a pass; and for each event of it in turn: corrects its clock. False when it is left out. */
void quipu__ovni_edits_rewind(struct quipu__ovni_edits *edits);
bool quipu__ovni_edit(struct quipu__ovni_edits *edits, uint64_t offset, uint64_t *clock);

/* Leaves an event out from the next pass on. */
QUIPU_CHECKED bool quipu__ovni_leave_out(struct quipu__memory *memory, struct quipu__ovni_edits *edits,
                                         uint64_t offset);

#endif
