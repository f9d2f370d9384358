/* program.h: a made-up parallel program, for big traces: every rank solves something step by step, computes in nested
 * functions, talks to its neighbours in a ring, and now and then to all.
 *
 * A step fills the same slice of time on all ranks, so messages arrive after they were sent although every rank is
 * made by itself, in any order, in a few hundred bytes. The same seed gives the same program.
 */
#ifndef QUIPU_BENCH_PROGRAM_H
#define QUIPU_BENCH_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum program_act { ENTER, LEAVE, SEND, RECEIVE, COLLECTIVE_BEGIN, COLLECTIVE_END, COUNTER };

struct program_event {
    enum program_act act;
    uint64_t time;   /* ns */
    uint32_t region; /* ENTER, LEAVE */
    uint32_t peer;   /* SEND, RECEIVE: rank */
    uint32_t tag;
    uint64_t bytes; /* COUNTER: its value; COLLECTIVE_*: number of the operation */
};

enum { REGION_SOLVE, REGION_SEND, REGION_RECEIVE, REGION_ALLREDUCE, REGION_KERNELS, REGION_COUNT = 40 };
enum { STEP_EVENTS_MOST = 48, STEP_NS = 100000, STEPS_PER_COLLECTIVE = 8 };

struct program {
    uint32_t rank, ranks;
    uint64_t step, time;
    uint64_t random;
};

void program_start(struct program *program, uint32_t rank, uint32_t ranks, uint64_t seed);

/* Makes the events of the next step in the order of time; returns their number. */
uint32_t program_step(struct program *program, struct program_event events[STEP_EVENTS_MOST]);

/* Steps that make about so many events on each of so many ranks. All ranks must take the same number, or messages at
 * the end would be lost. */
uint64_t program_steps(uint64_t events, uint32_t ranks);

/* Name of a region, in a static buffer for kernels. */
const char *program_region_name(uint32_t region);

/* A random number below limit. */
uint32_t program_random(struct program *program, uint32_t limit);

#endif
