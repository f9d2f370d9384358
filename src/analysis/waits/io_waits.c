/* io_waits.c: see io_waits.h. Spans are told in the order of their beginnings, so those that have ended are held back while an
 * operation that began before is active. */
#include "analysis/waits/io_waits.h"

#include <stdlib.h>
#include <string.h>

void quipu__io_waits_release(struct quipu__io_waits *waits) {
    struct quipu__memory *memory = waits->states->memory;
    for (size_t i = 0; i < waits->locations.count; i++) {
        QUIPU__VEC_RELEASE(memory, &waits->locations.items[i].operations);
        QUIPU__VEC_RELEASE(memory, &waits->locations.items[i].spans);
    }
    QUIPU__VEC_RELEASE(memory, &waits->locations);
}

static struct quipu__io_location *location_of(struct quipu__io_waits *waits, uint32_t location) {
    const size_t known = waits->locations.count;
    if (location < known)
        return &waits->locations.items[location];
    if (!QUIPU__VEC_RESERVE(waits->states->memory, &waits->locations, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        waits->locations.items[i].reached = INT64_MIN;
    waits->locations.count = (size_t)location + 1;
    return &waits->locations.items[location];
}

static int compare_spans(const void *a, const void *b) {
    const struct quipu__io_span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void tell(struct quipu__io_waits *waits, uint32_t location, const struct quipu__io_span *span) {
    struct quipu__io_location *known = &waits->locations.items[location];
    const int64_t from = span->from > known->reached ? span->from : known->reached;
    if (span->to <= from)
        return;
    known->reached = span->to;
    const struct quipu__wait wait = {.from = from,
                                     .to = span->to,
                                     .arrival = span->to,
                                     .entered = from,
                                     .location = location,
                                     .path = span->path,
                                     .group = QUIPU_NONE,
                                     .peer = QUIPU_NONE,
                                     .pattern = QUIPU__WAIT_IO};
    waits->states->wait(waits->states->context, &wait);
}

/* Tells of spans that no active operation can come before. */
static void tell_decided(struct quipu__io_waits *waits, uint32_t location) {
    struct quipu__io_location *known = &waits->locations.items[location];
    int64_t earliest = INT64_MAX;
    size_t told = 0;
    for (size_t i = 0; i < known->operations.count; i++)
        if (known->operations.items[i].begin < earliest)
            earliest = known->operations.items[i].begin;
    if (known->spans.count > 1)
        qsort(known->spans.items, known->spans.count, sizeof *known->spans.items, compare_spans);
    while (told < known->spans.count && known->spans.items[told].from <= earliest)
        tell(waits, location, &known->spans.items[told++]);
    if (told > 0)
        memmove(known->spans.items, known->spans.items + told,
                (known->spans.count - told) * sizeof *known->spans.items);
    known->spans.count -= told;
}

/* The latest active operation with that number is taken out; false when there is none. */
static bool end_operation(struct quipu__io_location *known, uint64_t matching,
                          struct quipu__io_operation *out) {
    for (size_t i = known->operations.count; i-- > 0;) {
        if (known->operations.items[i].matching != matching)
            continue;
        *out = known->operations.items[i];
        memmove(known->operations.items + i, known->operations.items + i + 1,
                (known->operations.count - i - 1) * sizeof *known->operations.items);
        known->operations.count--;
        return true;
    }
    return false;
}

/* The innermost call at an event; what is outside of any call has position UINT64_MAX. */
static struct quipu__active_call innermost_call(const struct quipu__communication *communication,
                                                uint32_t location) {
    static const struct quipu__active_call none = {.path = QUIPU__NO_CALLS, .position = UINT64_MAX};
    if (location >= communication->stacks.count || communication->stacks.items[location].depth == 0)
        return none;
    const struct quipu__call_stack *stack = &communication->stacks.items[location];
    return stack->calls[stack->depth];
}

void quipu__io_waits_add(struct quipu__io_waits *waits, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__communication *communication = &waits->states->communication;
    const uint32_t location = batch->location[event];
    const int64_t time = quipu__communication_ns(communication, batch->time[event]);
    const struct quipu__active_call call = innermost_call(communication, location);
    struct quipu__io_location *known = location_of(waits, location);
    struct quipu__memory *memory = waits->states->memory;
    struct quipu__io_operation operation = {time, batch->id[event], call.position};
    if (!known)
        return;
    if (batch->kind[event] == QUIPU_KIND_io_begin) {
        struct quipu__io_operation *added = QUIPU__VEC_ADD(memory, &known->operations);
        if (added)
            *added = operation;
        return;
    }
    if (!end_operation(known, batch->id[event], &operation))
        return;
    const bool is_same = operation.call_position == call.position || call.position == UINT64_MAX;
    struct quipu__io_span *span = QUIPU__VEC_ADD(memory, &known->spans);
    if (span)
        *span = (struct quipu__io_span){is_same ? operation.begin : call.enter, time, call.path};
    tell_decided(waits, location);
}

void quipu__io_waits_finish(struct quipu__io_waits *waits) {
    for (uint32_t i = 0; i < waits->locations.count; i++) {
        waits->locations.items[i].operations.count = 0;
        tell_decided(waits, i);
    }
}
