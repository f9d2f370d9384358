/* phases.h: what is known of a program's phases: the communication calls of each process, and what repeats in them; and, when they are
 * wanted, what happens in each iteration, from a second reading. */
#ifndef QUIPU_ANALYSIS_PHASES_H
#define QUIPU_ANALYSIS_PHASES_H

#include "analysis/call_sequences.h"
#include "analysis/fold.h"
#include "analysis/useful_paths.h"
#include "analysis/wait_states.h"

/* What happens from the end of the iteration before to the end of this one. Times are ns. */
struct quipu__iteration {
    int64_t end;
    int64_t useful, useful_most; /* of all locations, and the largest of one */
    int64_t waits;               /* of all locations for others */
    uint64_t bytes;              /* sent */
};

/* The useful time of a location in the iteration where it is. */
struct quipu__iteration_share {
    size_t iteration;
    int64_t useful;
};

/* What all processes repeat so many times. Times are ns. */
struct quipu__phase {
    size_t iterations, period, aligned, not_aligned;
    int64_t first, last, shortest, median, longest;
    int64_t deviation; /* median distance of an iteration from the median */
    QUIPU__VEC(struct quipu__iteration) list;
    QUIPU__VEC(struct quipu__iteration_share) shares; /* by location */
};

struct quipu__phase_list {
    QUIPU__VEC(struct quipu__phase) list;
};

struct quipu__phases {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__call_sequences calls;
    struct quipu__phase_list found;

    bool has_iterations, is_second; /* they are wanted; the second reading */
    struct quipu__wait_states states;
    struct quipu__useful_paths useful;
};

/* Finds the phases, in the order of time. False when memory is out. */
QUIPU_CHECKED bool quipu__phases_find(struct quipu__phases *phases);

/* ---- phases_iterations.c: the second reading ---- */

QUIPU_CHECKED bool quipu__iterations_begin(struct quipu__phases *phases);

/* Takes in an event. False when memory is out. */
QUIPU_CHECKED bool quipu__iterations_add(struct quipu__phases *phases, const struct quipu_batch *batch,
                                         uint32_t event);

/* These do nothing when it has not begun. */
void quipu__iterations_finish(struct quipu__phases *phases);
void quipu__iterations_release(struct quipu__phases *phases);

/* The iteration whose length is closest to the median, the first of equals. */
size_t quipu__phase_representative(const struct quipu__phase *phase);

#endif
