/* phases.h: what a program repeats, for the files that look for it (find.c), read its iterations (iterations.c), and show it (phases.c). */
#ifndef QUIPU_ANALYSIS_PHASES_PHASES_H
#define QUIPU_ANALYSIS_PHASES_PHASES_H

#include "analysis/shared/call_sequences.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/path_uses.h"
#include "analysis/waits/wait_states.h"

/* What happens from the end of what was before to the end of this one. Times are ns. */
struct quipu__iteration {
    int64_t begin, end;
    int64_t useful, useful_most; /* of all locations, and the largest of one */
    int64_t waits;               /* of all locations for others */
    uint64_t bytes;              /* sent */
};

/* The useful time of a location in the iteration where it is. */
struct quipu__iteration_share {
    size_t iteration;
    int64_t useful;
};

/* Where the iterations of a process begin, among its calls, and how many of these each takes. */
struct quipu__phase_starts {
    QUIPU__VEC(size_t) calls; /* none: it is not aligned */
    size_t period;
};

/* What all processes repeat so many times. Times are ns. */
struct quipu__phase {
    size_t iterations, period, aligned, not_aligned;
    size_t within;        /* number of the phase of which each iteration holds several of these; 0: of none */
    size_t skipped;       /* iterations before the first one that is reported */
    int64_t began, ended; /* all of them */
    int64_t first, last, total, shortest, median, longest;
    int64_t deviation;                  /* median distance of an iteration from the median */
    struct quipu__phase_starts *starts; /* by process, while phases are looked for */
    QUIPU__VEC(struct quipu__iteration) list;
    QUIPU__VEC(struct quipu__iteration_share) shares; /* by location */
};

struct quipu__phase_list {
    QUIPU__VEC(struct quipu__phase) list;
};

struct quipu__phases {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__reported reported;
    struct quipu__call_sequences calls;
    struct quipu__phase_list found;

    bool has_iterations, is_second; /* they are wanted; the second reading */
    struct quipu__wait_states states;
    struct quipu__path_uses paths;
};

/* ---- find.c ---- */

/* Finds the phases, in the order of time, and behind them those inside of them. False when memory is out. */
QUIPU_CHECKED bool quipu__phases_find(struct quipu__phases *phases);

/* ---- iterations.c ---- */

QUIPU_CHECKED bool quipu__iterations_begin(struct quipu__phases *phases);

/* Takes in an event. False when memory is out. */
QUIPU_CHECKED bool quipu__iterations_add(struct quipu__phases *phases, const struct quipu_batch *batch,
                                         uint32_t event);

/* These do nothing when it has not begun. */
void quipu__iterations_finish(struct quipu__phases *phases);
void quipu__iterations_release(struct quipu__phases *phases);

#endif
