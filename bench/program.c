/* program.c: what the made-up program does in a step. */
#include "program.h"

#include <stdio.h>

/* A step has 29.5 events on average: 4 per kernel, 9 others, and 4 in every eighth step. */
enum {
    EVENTS_PER_STEP = 29,
    KERNELS_PER_STEP = 5,
    SEND_AT = STEP_NS / 2,
    RECEIVE_AT = STEP_NS * 3 / 4,
    COLLECTIVE_AT = STEP_NS * 7 / 8
};

uint32_t program_random(struct program *program, uint32_t limit) {
    program->random = program->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((program->random >> 33) % limit);
}

void program_start(struct program *program, uint32_t rank, uint32_t ranks, uint64_t seed) {
    *program = (struct program){.rank = rank, .ranks = ranks, .random = seed * 7919 + rank};
    for (int i = 0; i < 8; i++)
        program_random(program, 2);
}

const char *program_region_name(uint32_t region) {
    static const char *const names[] = {"solve", "MPI_Send", "MPI_Recv", "MPI_Allreduce"};
    static char name[32];
    if (region < REGION_KERNELS)
        return names[region];
    snprintf(name, sizeof name, "kernel_%02u", region - REGION_KERNELS);
    return name;
}

uint64_t program_steps(uint64_t events, uint32_t ranks) {
    const uint64_t steps = events * 2 / (2 * EVENTS_PER_STEP + 1) / ranks;
    return steps > 0 ? steps : 1;
}

/* ---- The parts of a step ---- */

struct step {
    struct program *program;
    struct program_event *next;
};

static struct program_event *add(struct step *step, enum program_act act) {
    step->program->time += 1 + program_random(step->program, 1200);
    *step->next = (struct program_event){.act = act, .time = step->program->time};
    return step->next++;
}

/* Waits for a point of the step's slice of time. */
static void wait_until(struct step *step, uint64_t ns) {
    const uint64_t point = step->program->step * STEP_NS + ns;
    if (step->program->time < point)
        step->program->time = point;
}

static void compute(struct step *step) {
    const uint32_t outer = REGION_KERNELS + program_random(step->program, REGION_COUNT - REGION_KERNELS);
    const uint32_t calls = program_random(step->program, 3);
    add(step, ENTER)->region = outer;
    for (uint32_t i = 0; i < calls; i++) {
        const uint32_t inner = REGION_KERNELS + program_random(step->program, REGION_COUNT - REGION_KERNELS);
        add(step, ENTER)->region = inner;
        add(step, LEAVE)->region = inner;
    }
    add(step, LEAVE)->region = outer;
}

static void talk(struct step *step, uint32_t region, enum program_act act, uint32_t peer) {
    add(step, ENTER)->region = region;
    struct program_event *message = add(step, act);
    message->peer = peer;
    message->tag = (uint32_t)(step->program->step % 4);
    message->bytes = UINT64_C(1024) << step->program->step % 6;
    add(step, LEAVE)->region = region;
}

static void reduce(struct step *step) {
    const uint64_t number = step->program->step / STEPS_PER_COLLECTIVE + 1;
    add(step, ENTER)->region = REGION_ALLREDUCE;
    add(step, COLLECTIVE_BEGIN)->bytes = number;
    add(step, COLLECTIVE_END)->bytes = number;
    add(step, LEAVE)->region = REGION_ALLREDUCE;
}

uint32_t program_step(struct program *program, struct program_event events[STEP_EVENTS_MOST]) {
    struct step step = {program, events};
    wait_until(&step, 0);
    add(&step, ENTER)->region = REGION_SOLVE;
    for (int i = 0; i < KERNELS_PER_STEP; i++)
        compute(&step);
    add(&step, COUNTER)->bytes = program->step * 1000 + program_random(program, 1000);
    wait_until(&step, SEND_AT);
    talk(&step, REGION_SEND, SEND, (program->rank + 1) % program->ranks);
    wait_until(&step, RECEIVE_AT);
    talk(&step, REGION_RECEIVE, RECEIVE, (program->rank + program->ranks - 1) % program->ranks);
    wait_until(&step, COLLECTIVE_AT);
    if (program->step % STEPS_PER_COLLECTIVE == 0)
        reduce(&step);
    add(&step, LEAVE)->region = REGION_SOLVE;
    program->step++;
    return (uint32_t)(step.next - events);
}
