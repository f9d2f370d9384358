/* phases.h: what a program repeats, for the files that look for it (find.c), read its iterations (iterations.c), and show it (phases.c). */
#ifndef QUIPU_ANALYSIS_PHASES_PHASES_H
#define QUIPU_ANALYSIS_PHASES_PHASES_H

#include "analysis/shared/between.h"
#include "analysis/shared/call_sequences.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/path_uses.h"
#include "analysis/waits/wait_states.h"
#include "core/bounded.h"

/* What happens from the end of what was before to the end of this one. Times are ns. */
struct quipu__iteration {
    int64_t begin, end;
    int64_t useful, useful_most; /* of all locations, and the largest of one */
    int64_t waits;               /* of all locations for others */
    uint64_t bytes;              /* sent */
};

static inline int64_t quipu__iteration_length(const struct quipu__iteration *iteration) {
    return quipu__bounded_difference(iteration->end, iteration->begin);
}

/* The useful time of a location in the iteration where it is. */
struct quipu__iteration_share {
    size_t iteration;
    int64_t useful;
};

/* What a location does in iterations: it is in a region, or outside of any between two calls. */
struct quipu__doing {
    uint32_t location, what; /* a region, or with QUIPU__DOING_BETWEEN the number of the calls around it */
    uint32_t iteration;      /* the one where the location is, */
    int64_t time;            /* and the time there, that is not among the times yet */
    int64_t total;           /* of all iterations, when they are known */
};
#define QUIPU__DOING_BETWEEN UINT32_C(0x80000000)

/* How long a location does something in an iteration. */
struct quipu__doing_time {
    uint32_t doing, iteration;
    int64_t time;
};

/* What is longer in an iteration than the median of all iterations, most of all. */
struct quipu__longer {
    uint32_t doing; /* QUIPU_NONE: nothing */
    int64_t time, median;
};

/* Locations that do the same for about as long. Numbers of the phase's locations that do anything. */
struct quipu__cluster {
    size_t first, count;  /* its first location; how many there are */
    uint32_t what;        /* what they do longer or shorter than others, most of all; QUIPU_NONE: nothing */
    int64_t mean, others; /* of that, the mean of its locations, and of all others */
};

/* A location that does anything in a phase. */
struct quipu__alike {
    uint32_t location, cluster; /* cluster: QUIPU_NONE: like none */
    size_t first, past;         /* what it does */
    int64_t total;              /* times, whatever their signs */
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
    QUIPU__VEC(struct quipu__doing) doings;
    QUIPU__VEC(struct quipu__doing_time) times;
    QUIPU__VEC(struct quipu__longer) longer; /* by iteration */
    QUIPU__VEC(struct quipu__alike) alike;
    QUIPU__VEC(struct quipu__cluster) clusters;
};

struct quipu__phase_list {
    QUIPU__VEC(struct quipu__phase) list;
};

/* A time of a location, and what it does there. */
struct quipu__spell {
    uint32_t location, what;
    int64_t from, to;
};

/* Where a location is: the path of its latest call, and the time outside of any since then. */
struct quipu__outside {
    uint32_t path;
    int64_t from, to;
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
    struct quipu__calls_numbers between; /* calls around time outside of any */
    struct quipu__map slots, doing_of;   /* (phase, location) to a number; (this, what) to the doing */
    uint32_t slot_count;
    QUIPU__VEC(struct quipu__outside) outsides; /* by location */
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
QUIPU_CHECKED bool quipu__iterations_finish(struct quipu__phases *phases);
void quipu__iterations_release(struct quipu__phases *phases);

/* ---- clusters.c ---- */

enum { QUIPU__CLUSTERS_MOST = 256 };

/* Then: finds the locations that do the same. */
QUIPU_CHECKED bool quipu__clusters_find(struct quipu__phases *phases, struct quipu__phase *phase);

#endif
