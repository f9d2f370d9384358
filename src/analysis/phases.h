/* phases.h: what is known of a program's phases: the communication calls of each process, and what repeats in them. */
#ifndef QUIPU_ANALYSIS_PHASES_H
#define QUIPU_ANALYSIS_PHASES_H

#include "analysis/fold.h"
#include "state/communication.h"

/* Outermost communication calls in their order. */
struct quipu__phase_process {
    QUIPU__VEC(uint64_t) signatures; /* equal for calls that do the same */
    QUIPU__VEC(int64_t) leaves;      /* ns */
    int64_t first;                   /* the first event */
    bool has_events;
};

struct quipu__phases {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    QUIPU__VEC(struct quipu__phase_process) processes;
    QUIPU__VEC(size_t) current; /* by location: which call of its process it is in */
};

/* What all processes repeat so many times. Times are ns. */
struct quipu__phase {
    size_t iterations, period, aligned, not_aligned;
    int64_t first, last, shortest, median, longest;
    int64_t deviation; /* median distance of an iteration from the median */
};

struct quipu__phase_list {
    QUIPU__VEC(struct quipu__phase) list;
};

/* The phases in the order of time. False when memory is out; release them in any case. */
QUIPU_CHECKED bool quipu__phases_find(struct quipu__phases *phases, struct quipu__phase_list *out);

#endif
