/* mpi_time.c: see mpi_time.h. A leave that names a region ends the calls inside it too, and counts for nothing when no such call
 * is among the innermost ones: this is for a summary, and bounded for traces that mean no good. */
#include "analysis/mpi_time.h"

#include "core/os.h"

#include <string.h>

/* Calls that a leave looks at. */
#define LEAVES_AT_MOST 64

static bool is_mpi(const struct quipu_definitions *definitions, uint32_t region) {
    if (region >= definitions->regions.count)
        return false;
    const enum quipu_region_role role = definitions->regions.items[region].role;
    return role >= QUIPU_REGION_MPI_P2P && role <= QUIPU_REGION_MPI_OTHER;
}

static struct quipu__mpi_stack *add_stacks(struct quipu__mpi_time *time, uint32_t location) {
    const uint32_t defined = time->definitions->locations.count;
    const size_t count = location < defined ? defined : (size_t)location + 1, size = sizeof *time->stacks;
    struct quipu__mpi_stack *stacks =
        quipu__resize(time->memory, time->stacks, time->stack_count * size, count * size);
    if (!stacks)
        return NULL;
    memset(stacks + time->stack_count, 0, (count - time->stack_count) * size);
    time->stacks = stacks;
    time->stack_count = (uint32_t)count;
    return &stacks[location];
}

/* Leaves the innermost call. */
static void pop(struct quipu__mpi_time *time, struct quipu__mpi_stack *stack, int64_t now) {
    if (is_mpi(time->definitions, stack->regions[--stack->depth]) && --stack->mpi_depth == 0)
        time->mpi_ticks += (uint64_t)now - (uint64_t)stack->mpi_begin;
}

static void leave(struct quipu__mpi_time *time, struct quipu__mpi_stack *stack, uint32_t region, int64_t now) {
    uint32_t depth = stack->depth;
    const uint32_t least = depth > LEAVES_AT_MOST ? depth - LEAVES_AT_MOST : 0;
    while (region != QUIPU_NONE && depth > least && stack->regions[depth - 1] != region)
        depth--;
    if (depth > least)
        while (stack->depth >= depth)
            pop(time, stack, now);
}

static bool enter(struct quipu__mpi_time *time, struct quipu__mpi_stack *stack, uint32_t region, int64_t now) {
    if (stack->depth == stack->capacity) {
        const uint32_t capacity = stack->capacity ? stack->capacity * 2 : 16;
        uint32_t *regions = quipu__resize(time->memory, stack->regions, stack->capacity * sizeof *regions,
                                          (size_t)capacity * sizeof *regions);
        if (!regions)
            return false;
        stack->regions = regions;
        stack->capacity = capacity;
    }
    stack->regions[stack->depth++] = region;
    stack->has_calls = true;
    if (is_mpi(time->definitions, region) && stack->mpi_depth++ == 0)
        stack->mpi_begin = now;
    return true;
}

static void end_stream(struct quipu__mpi_time *time, struct quipu__mpi_stack *stack) {
    while (stack->depth > 0)
        pop(time, stack, stack->last);
    if (stack->has_calls)
        time->location_ticks += (uint64_t)stack->last - (uint64_t)stack->first;
    stack->has_calls = false;
}

/* The location's events of another stream stand for themselves. */
static void begin_stream(struct quipu__mpi_time *time, struct quipu__mpi_stack *stack, uint32_t stream,
                         int64_t now) {
    end_stream(time, stack);
    stack->stream = stream + 1;
    stack->first = stack->last = now;
}

bool quipu__mpi_time_add(struct quipu__mpi_time *time, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t location = batch->location[i];
        const int64_t now = batch->time[i];
        struct quipu__mpi_stack *stack =
            location < time->stack_count ? &time->stacks[location] : add_stacks(time, location);
        if (QUIPU__UNLIKELY(!stack))
            return false;
        if (QUIPU__UNLIKELY(stack->stream != batch->stream + 1))
            begin_stream(time, stack, batch->stream, now);
        stack->last = now > stack->last ? now : stack->last;
        if (batch->kind[i] == QUIPU_KIND_leave)
            leave(time, stack, batch->object[i], now);
        else if (batch->kind[i] == QUIPU_KIND_enter && !enter(time, stack, batch->object[i], now))
            return false;
    }
    return true;
}

void quipu__mpi_time_end(struct quipu__mpi_time *time) {
    for (uint32_t i = 0; i < time->stack_count; i++)
        end_stream(time, &time->stacks[i]);
}

void quipu__mpi_time_release(struct quipu__mpi_time *time) {
    for (uint32_t i = 0; i < time->stack_count; i++)
        quipu__release(time->memory, time->stacks[i].regions,
                       time->stacks[i].capacity * sizeof *time->stacks[i].regions);
    quipu__release(time->memory, time->stacks, time->stack_count * sizeof *time->stacks);
}
