/* lines.h: clocks that drift: for each location the line that its offset follows over the time of another one, as far as messages in both
 * directions tell.
 *
 * Messages from there say that the offset is at least so much at that time, messages to there that it is at most so much. Of all lines between
 * the two, the one that is farthest from both is taken.
 *
 * A location with clock_sync events has no line: they say its time, and that of all whose lines lead to it. */
#ifndef QUIPU_ANALYSIS_CLOCK_LINES_H
#define QUIPU_ANALYSIS_CLOCK_LINES_H

#include "analysis/clock/offsets.h"
#include "analysis/clock/syncs.h"

/* The parent's time of a time t of the location is x + (h + (2(t - x) - h + y) * scale / divisor) / 2, rounded down, h being 1 where half a nanosecond
 * belongs to x, else 0; its slope is what that grows by beyond t for each ns of the parent's time. */
struct quipu__clock_line {
    int64_t x, y;
    bool has_half;           /* which was rounded away from x */
    uint64_t scale, divisor; /* divisor / scale: 1 less the slope */
    uint32_t parent;         /* QUIPU_NONE: there is none, and times stay */
    bool is_line;            /* it was found; else it is the constant */
};

struct quipu__clock_lines {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__clock_line) list; /* by location */
    uint64_t constants;                        /* locations that no line fits */
    struct quipu__clock_syncs syncs;           /* to be filled before lines are found */
};

static inline void quipu__clock_lines_init(struct quipu__clock_lines *lines, struct quipu__memory *memory) {
    *lines = (struct quipu__clock_lines){.memory = memory, .syncs = {.memory = memory}};
}

/* Finds the lines of locations with offsets, of pairs that have their hulls. least: that a message takes. What finds no memory is left out, and
 * the gate knows. */
void quipu__clock_lines_find(struct quipu__clock_lines *lines, const struct quipu__clock_pairs *pairs,
                             const struct quipu__clock_offset *offsets, size_t count, int64_t least);
static inline void quipu__clock_lines_release(struct quipu__clock_lines *lines) {
    QUIPU__VEC_RELEASE(lines->memory, &lines->list);
    quipu__clock_syncs_release(&lines->syncs);
}

/* The parent's time. */
int64_t quipu__clock_line_time(const struct quipu__clock_line *line, int64_t time);

/* The time on the clock that all others are compared with: that of the location to which lines lead, as its clock_sync events correct it. */
int64_t quipu__clock_lines_time(const struct quipu__clock_lines *lines, uint32_t location, int64_t time);

#endif
