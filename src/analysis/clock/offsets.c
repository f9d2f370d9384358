/* offsets.c: see offsets.h. */
#include "analysis/clock/offsets.h"

#include "core/bisect.h"
#include "core/bounded.h"

#include <stdlib.h>

static struct quipu__clock_pair *pair_of(struct quipu__clock_pairs *pairs, uint32_t sender, uint32_t receiver) {
    const uint64_t key = (uint64_t)sender << 32 | receiver;
    const uint32_t known = quipu__map_get(&pairs->number_of, key);
    if (known != QUIPU_NONE)
        return &pairs->list.items[known];
    struct quipu__clock_pair *pair = QUIPU__VEC_ADD(pairs->memory, &pairs->list);
    if (!pair || !quipu__map_put(&pairs->number_of, key, (uint32_t)(pairs->list.count - 1)))
        return NULL;
    *pair = (struct quipu__clock_pair){.sender = sender, .receiver = receiver, .least = INT64_MAX};
    return pair;
}

struct quipu__clock_pair *quipu__clock_pairs_add(struct quipu__clock_pairs *pairs, uint32_t sender,
                                                 uint32_t receiver, int64_t slack) {
    const int64_t early = quipu__bounded_difference(0, slack);
    struct quipu__clock_pair *pair = pair_of(pairs, sender, receiver);
    if (!pair)
        return NULL;
    pair->messages++;
    pair->violations += slack < 0;
    pair->worst = early > pair->worst ? early : pair->worst;
    pair->least = slack < pair->least ? slack : pair->least;
    return pair;
}

/* ---- The tree ---- */

/* The best way so far to a location that is not reached yet. */
struct candidate {
    int64_t width, doubled;
    uint32_t from;
    bool exists, is_reached;
};

static int64_t size_of(int64_t width) {
    return width < 0 ? quipu__bounded_difference(0, width) : width;
}

static bool is_better(int64_t width, uint32_t from, const struct candidate *than) {
    const int64_t size = size_of(width), other = size_of(than->width);
    if (!than->exists)
        return true;
    if ((width < 0) != (than->width < 0))
        return width >= 0;
    return size != other ? size < other : from < than->from;
}

static int compare_pairs(const void *a, const void *b) {
    const struct quipu__clock_pair *x = a, *y = b;
    if (x->sender != y->sender)
        return x->sender < y->sender ? -1 : 1;
    return (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

struct quipu__clock_pair *quipu__clock_pair_find(const struct quipu__clock_pairs *pairs, uint32_t sender,
                                                 uint32_t receiver) {
    const struct quipu__clock_pair key = {.sender = sender, .receiver = receiver};
    return pairs->list.count > 0
               ? bsearch(&key, pairs->list.items, pairs->list.count, sizeof key, compare_pairs)
               : NULL;
}

/* The first pair of a sender in the sorted list. */
static size_t first_of(const struct quipu__clock_pairs *pairs, uint32_t sender) {
    size_t low = 0;
    QUIPU__BISECT(low, pairs->list.count, i, pairs->list.items[i].sender < sender);
    return low;
}

/* A location is reached: what can be reached from there. */
static void look_on(const struct quipu__clock_pairs *pairs, uint32_t from, struct candidate *candidates,
                    size_t count) {
    candidates[from].is_reached = true;
    for (size_t i = first_of(pairs, from); i < pairs->list.count && pairs->list.items[i].sender == from; i++) {
        const struct quipu__clock_pair *there = &pairs->list.items[i];
        const struct quipu__clock_pair *back = quipu__clock_pair_find(pairs, there->receiver, from);
        if (!back || there->receiver >= count || candidates[there->receiver].is_reached)
            continue;
        const int64_t width = quipu__bounded_sum(there->least, back->least);
        if (is_better(width, from, &candidates[there->receiver]))
            candidates[there->receiver] =
                (struct candidate){.width = width,
                                   .doubled = quipu__bounded_difference(back->least, there->least),
                                   .from = from,
                                   .exists = true};
    }
}

/* The location that comes next; QUIPU_NONE when no other can be reached. */
static uint32_t next_location(const struct candidate *candidates, size_t count) {
    uint32_t best = QUIPU_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!candidates[i].exists || candidates[i].is_reached)
            continue;
        if (best == QUIPU_NONE || is_better(candidates[i].width, candidates[i].from, &candidates[best]))
            best = i;
    }
    return best;
}

bool quipu__clock_offsets_find(struct quipu__clock_pairs *pairs, uint32_t first,
                               struct quipu__clock_offset *offsets, size_t count) {
    const size_t bytes = count * sizeof(struct candidate);
    struct candidate *candidates = quipu__alloc_zero(pairs->memory, bytes);
    if (!candidates)
        return false;
    if (pairs->list.count > 1)
        qsort(pairs->list.items, pairs->list.count, sizeof *pairs->list.items, compare_pairs);
    quipu__map_release(&pairs->number_of);
    offsets[first] = (struct quipu__clock_offset){.parent = QUIPU_NONE, .is_known = true};
    look_on(pairs, first, candidates, count);
    for (uint32_t next; (next = next_location(candidates, count)) != QUIPU_NONE;) {
        const struct candidate *candidate = &candidates[next];
        const struct quipu__clock_offset *from = &offsets[candidate->from];
        offsets[next] = (struct quipu__clock_offset){quipu__bounded_sum(from->doubled, candidate->doubled),
                                                     quipu__bounded_sum(from->corridor, candidate->width),
                                                     candidate->doubled,
                                                     candidate->width,
                                                     candidate->from,
                                                     true,
                                                     from->is_contradicted || candidate->width < 0};
        look_on(pairs, next, candidates, count);
    }
    quipu__release(pairs->memory, candidates, bytes);
    return true;
}

/* ---- Between two locations ---- */

static uint32_t depth_of(const struct quipu__clock_offset *offsets, uint32_t location) {
    uint32_t depth = 0;
    while ((location = offsets[location].parent) != QUIPU_NONE)
        depth++;
    return depth;
}

int64_t quipu__clock_corridor(const struct quipu__clock_offset *offsets, size_t count, uint32_t a, uint32_t b) {
    int64_t total = 0;
    if (a >= count || b >= count || !offsets[a].is_known || !offsets[b].is_known)
        return 0;
    for (uint32_t a_depth = depth_of(offsets, a), b_depth = depth_of(offsets, b); a != b;) {
        const bool is_a = a_depth >= b_depth;
        const struct quipu__clock_offset *offset = &offsets[is_a ? a : b];
        if (offset->own_corridor < 0)
            return -1;
        total = quipu__bounded_sum(total, offset->own_corridor);
        *(is_a ? &a : &b) = offset->parent;
        --*(is_a ? &a_depth : &b_depth);
    }
    return total;
}
