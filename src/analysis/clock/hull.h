/* hull.h: the messages from one location to another one that tell how their clocks differ: those that no line that is below all others
 * can pass over. */
#ifndef QUIPU_ANALYSIS_CLOCK_HULL_H
#define QUIPU_ANALYSIS_CLOCK_HULL_H

#include "core/memory/vec.h"

#include <stdint.h>

struct quipu__clock_point {
    int64_t x, y;
};

struct quipu__clock_hull {
    QUIPU__VEC(struct quipu__clock_point) points;
    size_t corners; /* how many there were when the others were dropped last */
};

/* Adds a point. Now and then those are dropped that lie above others. What finds no memory is left out, and the gate knows. */
void quipu__clock_hull_add(struct quipu__clock_hull *hull, struct quipu__memory *memory, int64_t x, int64_t y);

/* Leaves the corners of the lower hull of points, by x; returns how many there are. */
size_t quipu__clock_hull_corners(struct quipu__clock_point *points, size_t count);

#endif
