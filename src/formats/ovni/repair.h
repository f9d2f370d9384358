/* repair.h: completes the trace of a killed program while its records are copied: what threads left active ends, and metadata get what a
 * program writes when it finishes. */
#ifndef QUIPU_OVNI_REPAIR_H
#define QUIPU_OVNI_REPAIR_H

#include "formats/ovni/walk.h"
#include "core/memory/vec.h"
#include "formats/ovni/closing.h"
#include "formats/ovni/format.h"

/* ---- Edits ---- */

/* Changes to a stream's events: wrong clocks, and events that the emulation refuses. */

struct quipu__ovni_clock_edit {
    uint64_t offset, clock;
};

/* Offsets of events, ascending. */
struct quipu__ovni_edits {
    QUIPU__VEC(struct quipu__ovni_clock_edit) clocks;
    QUIPU__VEC(uint64_t) left_out;
    size_t next_clock, next_left_out; /* position of a pass over the stream */
};

void quipu__ovni_edits_release(struct quipu__memory *memory, struct quipu__ovni_edits *edits);

/* Examines the clocks of a stream, event by event. A clock is wrong when it precedes the previous one, or when the next one precedes it
 * and would be right without it. A region of late events has its own clocks, of which only negative ones are wrong. The first two events are
 * noted, since only all streams together show that a first clock is far too early. */
struct quipu__ovni_clock_scan {
    struct quipu__memory *memory;
    struct quipu__ovni_edits *edits;
    int64_t before;  /* the last right clock; -1: none yet */
    int64_t inside;  /* the latest of the region of late events so far */
    uint64_t offset; /* of the event that waits for the next one, */
    int64_t clock;   /* and its clock */
    bool has_event, is_in_region;
    uint32_t count; /* of handled events, up to 2 */
    uint64_t first_offset;
    int64_t clocks[2];
};
void quipu__ovni_clock_scan_add(struct quipu__ovni_clock_scan *scan, const struct quipu__ovni_event *event);
void quipu__ovni_clock_scan_end(struct quipu__ovni_clock_scan *scan);

/* Corrects the clock of the first event, whatever was corrected before. */
void quipu__ovni_correct_first(struct quipu__ovni_clock_scan *scan);

/* Begins a pass; and for each event of it in turn: corrects its clock. False when it is left out. */
void quipu__ovni_edits_rewind(struct quipu__ovni_edits *edits);
bool quipu__ovni_edit(struct quipu__ovni_edits *edits, uint64_t offset, uint64_t *clock);

/* Leaves an event out from the next pass on. */
static inline void quipu__ovni_leave_out(struct quipu__memory *memory, struct quipu__ovni_edits *edits,
                                         uint64_t offset) {
    quipu__gate_knows(QUIPU__VEC_PUT(memory, &edits->left_out, offset));
}

/* A stream whose records were copied. */
struct quipu__ovni_repaired {
    uint32_t stream;
    bool uses[QUIPU__OVNI_MODEL_COUNT + 1];
    bool is_copied;
    int64_t cpu_most; /* the highest index of a used CPU */
    int64_t offset;   /* of the loom's clock */
    json_t *metadata; /* completed */
    struct quipu__ovni_edits edits;
};

struct quipu__ovni_repair {
    const struct quipu__ovni_trace *source;
    struct quipu__repairing *repairing;
    struct quipu__memory *memory;
    struct quipu__ovni_closing closing;              /* of the current stream */
    QUIPU__VEC(struct quipu__ovni_repaired) streams; /* all of the source */
    struct quipu__ovni_repaired *current;            /* the stream being copied; NULL: none yet */
    struct quipu__charge charge;                     /* for the metadata, which are copied */
    struct quipu__buffer offsets;                    /* has_bad_offsets: the rebuilt table of clock offsets */
    bool has_bad_offsets;
    bool is_starved; /* memory was out for some metadata */
};

/* Examines the source before it is copied: completes metadata, and finds out which events the emulation refuses with them. */
enum quipu_status quipu__ovni_repair_new(struct quipu__ovni_repair **out,
                                         const struct quipu__ovni_trace *source,
                                         struct quipu__repairing *repairing, struct quipu__memory *memory,
                                         struct quipu_error *err);
void quipu__ovni_repair_free(struct quipu__ovni_repair *repair);

enum quipu_status quipu__ovni_repair_begin(struct quipu__ovni_repair *repair, uint32_t stream,
                                           struct quipu_error *err);

/* Corrects the clock of the next event of the current stream. False when the event is left out. */
bool quipu__ovni_repair_edit(struct quipu__ovni_repair *repair, uint64_t offset, uint64_t *clock);

/* Ends the current stream: put gets the events that it lacks. */
enum quipu_status quipu__ovni_repair_end(struct quipu__ovni_repair *repair, quipu__ovni_put_function *put,
                                         void *context, struct quipu_error *err);

/* The source with the metadata completed so far; its owner must not move. */
struct quipu__ovni_whole {
    struct quipu__memory *memory;
    struct quipu__ovni_files files;
    struct quipu__ovni_system system;
    struct quipu__ovni_stream *streams; /* in bytes */
    size_t bytes;
    struct quipu_findings *findings; /* not used */
};

#endif
