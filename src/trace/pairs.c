/* pairs.c: classes of messages in a list, found by a hash of what tells them apart. */
#include "trace/pairs.h"

#include "model/event.h"

void quipu__pairs_init(struct quipu__pairs *pairs, struct quipu__memory *memory) {
    *pairs = (struct quipu__pairs){.memory = memory};
    quipu__map_init(&pairs->numbers, memory);
}

void quipu__pairs_release(struct quipu__pairs *pairs) {
    quipu__map_release(&pairs->numbers);
    QUIPU__VEC_RELEASE(pairs->memory, &pairs->list);
}

static bool is_same(const struct quipu__pair *a, const struct quipu__pair *b) {
    return a->sender == b->sender && a->receiver == b->receiver && a->communicator == b->communicator &&
           a->tag == b->tag;
}

static struct quipu__pair *add(struct quipu__pairs *pairs, uint64_t hash, const struct quipu__pair *wanted) {
    struct quipu__pair *pair = NULL;
    if (pairs->list.count < QUIPU__PAIRS_MOST)
        pair = QUIPU__VEC_ADD(pairs->memory, &pairs->list);
    if (pair && !quipu__map_put(&pairs->numbers, hash, (uint32_t)pairs->list.count - 1)) {
        pairs->list.count--;
        pair = NULL;
    }
    if (!pair) {
        pairs->is_full = true;
        return NULL;
    }
    *pair = *wanted;
    pair->sent = pair->received = 0;
    return pair;
}

static uint64_t hash_of(const struct quipu__pairs *pairs, const struct quipu__pair *pair) {
    const uint64_t words[] = {(uint64_t)pair->sender << 32 | pair->receiver, pair->communicator,
                              (uint64_t)pair->tag};
    return quipu__hash(words, sizeof words, pairs->numbers.seed);
}

struct quipu__pair *quipu__pairs_at(struct quipu__pairs *pairs, const struct quipu__pair *wanted) {
    for (uint64_t hash = hash_of(pairs, wanted);; hash++) {
        const uint32_t number = quipu__map_get(&pairs->numbers, hash);
        if (number == QUIPU_NONE)
            return add(pairs, hash, wanted);
        if (is_same(&pairs->list.at[number], wanted))
            return &pairs->list.at[number];
    }
}

bool quipu__pairs_keep(struct quipu__pairs *pairs, size_t count) {
    quipu__map_release(&pairs->numbers);
    pairs->list.count = count;
    pairs->is_full = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hash_of(pairs, &pairs->list.at[i]);
        while (quipu__map_get(&pairs->numbers, hash) != QUIPU_NONE)
            hash++;
        if (!quipu__map_put(&pairs->numbers, hash, (uint32_t)i))
            return false;
    }
    return true;
}

void quipu__pairs_class(const struct quipu_definitions *definitions, const struct quipu_batch *batch,
                        uint32_t event, struct quipu__pair *out) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    const uint32_t here = quipu__process_of(definitions, batch->location[event]);
    const uint32_t there = quipu__process_of(definitions, batch->peer[event]);
    *out = (struct quipu__pair){
        .sender = is_send ? here : there,
        .receiver = is_send ? there : here,
        .communicator = batch->group[event],
        .tag = batch->tag[event],
    };
}

struct quipu__pair *quipu__pairs_find(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                                      const struct quipu_batch *batch, uint32_t event) {
    struct quipu__pair wanted;
    if (batch->peer[event] == QUIPU_NONE)
        return NULL;
    quipu__pairs_class(definitions, batch, event, &wanted);
    return quipu__pairs_at(pairs, &wanted);
}

/* Messages of one class that have numbers of their own. */
enum { NUMBER_BITS = 40 };

uint64_t quipu__pairs_number(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                             const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    if (!is_send && batch->kind[event] != QUIPU_KIND_recv)
        return 0;
    struct quipu__pair *pair = quipu__pairs_find(pairs, definitions, batch, event);
    if (!pair)
        return 0;
    const uint64_t class_number = (uint64_t)(pair - pairs->list.at) + 1;
    const uint64_t message = is_send ? pair->sent++ : pair->received++;
    return class_number << NUMBER_BITS | (message & ((UINT64_C(1) << NUMBER_BITS) - 1));
}
