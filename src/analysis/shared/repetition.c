/* repetition.c: see repetition.h.
 *
 * A span of a period p goes on for as long as each item equals that p items later. One that repeats three times holds two
 * neighbouring blocks of p items, the first of which begins at a multiple of p; so for each period only those blocks are compared, and totals of
 * items tell most of them apart at once. A span of a smaller period that divides p is one of p as well, and is not looked at again.
 */
#include "analysis/shared/repetition.h"

#include "core/memory/vec.h"

#include <quipu/base.h>

#include <string.h>

struct span {
    size_t start, end, period;
};

struct sequence {
    struct quipu__memory *memory;
    const uint64_t *items;
    size_t count, wanted;
    uint64_t *totals;  /* of the items before */
    uint32_t *span_at; /* number of a span there, QUIPU_NONE when none is known */
    QUIPU__VEC(struct span) spans;
    struct quipu__repetition best;
};

static bool is_better(const struct quipu__repetition *one, const struct quipu__repetition *other) {
    const size_t covered = one->count * one->period, other_covered = other->count * other->period;
    if (covered != other_covered)
        return covered > other_covered;
    return one->period != other->period ? one->period < other->period : one->start < other->start;
}

/* What a span holds: repetitions of its period, and of multiples of it. */
static void consider(struct sequence *sequence, const struct span *span) {
    const size_t length = span->end - span->start;
    for (size_t period = span->period; length / period >= 3; period += span->period) {
        const struct quipu__repetition found = {span->start, period, length / period};
        if ((sequence->wanted == 0 || sequence->wanted == found.count) && is_better(&found, &sequence->best))
            sequence->best = found;
    }
}

static bool add_span(struct sequence *sequence, const struct span *span) {
    struct span *added = QUIPU__VEC_ADD(sequence->memory, &sequence->spans);
    if (!added)
        return false;
    *added = *span;
    for (size_t i = span->start; i < span->end; i++)
        sequence->span_at[i] = (uint32_t)(sequence->spans.count - 1);
    consider(sequence, span);
    return true;
}

/* The span that holds the two blocks, if one of a period that divides theirs is known. */
static const struct span *known_span(const struct sequence *sequence, size_t block, size_t period) {
    if (sequence->span_at[block] == QUIPU_NONE)
        return NULL;
    const struct span *span = &sequence->spans.items[sequence->span_at[block]];
    return period % span->period == 0 && span->end >= block + 2 * period ? span : NULL;
}

static bool are_equal_blocks(const struct sequence *sequence, size_t block, size_t period) {
    const uint64_t *totals = &sequence->totals[block], *items = &sequence->items[block];
    return items[0] == items[period] && totals[period] - totals[0] == totals[2 * period] - totals[period] &&
           memcmp(items, items + period, period * sizeof *items) == 0;
}

static struct span span_around(const struct sequence *sequence, size_t block, size_t period) {
    const uint64_t *items = sequence->items;
    struct span span = {block, block + 2 * period, period};
    while (span.start > 0 && items[span.start - 1] == items[span.start - 1 + period])
        span.start--;
    while (span.end < sequence->count && items[span.end] == items[span.end - period])
        span.end++;
    return span;
}

/* The first block that another span of the period may hold. */
static size_t block_behind(const struct span *span, size_t period) {
    return (span->end - period) / period * period + period;
}

static bool find_spans(struct sequence *sequence, size_t period) {
    for (size_t block = 0; block + 2 * period <= sequence->count;) {
        const struct span *known = known_span(sequence, block, period);
        if (known) {
            block = block_behind(known, period);
            continue;
        }
        if (!are_equal_blocks(sequence, block, period)) {
            block += period;
            continue;
        }
        const struct span span = span_around(sequence, block, period);
        if (span.end - span.start >= 3 * period && !add_span(sequence, &span))
            return false;
        block = block_behind(&span, period);
    }
    return true;
}

static bool find_all(struct sequence *sequence) {
    for (size_t i = 0; i < sequence->count; i++) {
        sequence->totals[i + 1] = sequence->totals[i] + sequence->items[i];
        sequence->span_at[i] = QUIPU_NONE;
    }
    for (size_t period = 1; period <= sequence->count / 3; period++)
        if (!find_spans(sequence, period))
            return false;
    return true;
}

bool quipu__repetition_find(struct quipu__memory *memory, const uint64_t *items, size_t count, size_t wanted,
                            struct quipu__repetition *out) {
    struct sequence sequence = {.memory = memory, .items = items, .count = count, .wanted = wanted};
    const size_t total_bytes = (count + 1) * sizeof *sequence.totals;
    const size_t span_bytes = (count + 1) * sizeof *sequence.span_at;
    sequence.totals = quipu__alloc_zero(memory, total_bytes);
    sequence.span_at = quipu__alloc_zero(memory, span_bytes);
    const bool has_memory = sequence.totals && sequence.span_at && find_all(&sequence);
    *out = sequence.best;
    QUIPU__VEC_RELEASE(memory, &sequence.spans);
    quipu__release(memory, sequence.totals, total_bytes);
    quipu__release(memory, sequence.span_at, span_bytes);
    return has_memory;
}
