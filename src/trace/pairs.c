/* pairs.c: keys of messages in a list, found by a hash. */
#include "trace/pairs.h"

#include "model/event.h"

#include <stdlib.h>

void quipu__pairs_init(struct quipu__pairs *pairs, struct quipu__memory *memory) {
    *pairs = (struct quipu__pairs){.memory = memory};
    quipu__communicators_init(&pairs->communicators, memory);
    quipu__map_init(&pairs->numbers, memory);
}

void quipu__pairs_release(struct quipu__pairs *pairs) {
    quipu__communicators_release(&pairs->communicators);
    quipu__map_release(&pairs->numbers);
    QUIPU__VEC_RELEASE(pairs->memory, &pairs->list);
}

static bool is_same(const struct quipu__message_key *a, const struct quipu__message_key *b) {
    return a->sender == b->sender && a->receiver == b->receiver && a->communicator == b->communicator &&
           a->tag == b->tag;
}

static struct quipu__pair *add(struct quipu__pairs *pairs, uint64_t hash,
                               const struct quipu__message_key *key) {
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
    *pair = (struct quipu__pair){.key = *key};
    return pair;
}

static uint64_t hash_of(const struct quipu__pairs *pairs, const struct quipu__message_key *key) {
    const uint64_t words[] = {(uint64_t)key->sender << 32 | key->receiver, key->communicator,
                              (uint64_t)key->tag};
    return quipu__hash(words, sizeof words, pairs->numbers.seed);
}

struct quipu__pair *quipu__pairs_at(struct quipu__pairs *pairs, const struct quipu__message_key *key) {
    for (uint64_t hash = hash_of(pairs, key);; hash++) {
        const uint32_t number = quipu__map_get(&pairs->numbers, hash);
        if (number == QUIPU_NONE)
            return add(pairs, hash, key);
        if (is_same(&pairs->list.items[number].key, key))
            return &pairs->list.items[number];
    }
}

bool quipu__pairs_keep(struct quipu__pairs *pairs, size_t count) {
    quipu__map_release(&pairs->numbers);
    pairs->list.count = count;
    pairs->is_full = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hash_of(pairs, &pairs->list.items[i].key);
        while (quipu__map_get(&pairs->numbers, hash) != QUIPU_NONE)
            hash++;
        if (!quipu__map_put(&pairs->numbers, hash, (uint32_t)i))
            return false;
    }
    return true;
}

struct quipu__pair *quipu__pairs_find(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                                      const struct quipu_batch *batch, uint32_t event) {
    struct quipu__message_key key;
    if (batch->peer[event] == QUIPU_NONE)
        return NULL;
    if (quipu__message_key_of(&pairs->communicators, definitions, batch, event, &key))
        return quipu__pairs_at(pairs, &key);
    pairs->is_full = true;
    return NULL;
}

/* Messages of one key that have numbers of their own. */
enum { NUMBER_BITS = 40 };

uint64_t quipu__pairs_number(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                             const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    if (!is_send && batch->kind[event] != QUIPU_KIND_recv)
        return 0;
    struct quipu__pair *pair = quipu__pairs_find(pairs, definitions, batch, event);
    if (!pair)
        return 0;
    const uint64_t key_number = (uint64_t)(pair - pairs->list.items) + 1;
    const uint64_t message = is_send ? pair->sent++ : pair->received++;
    return key_number << NUMBER_BITS | (message & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

/* ---- What is left over ---- */

/* A pair of which something is left over, and what it is sorted by. */
struct rest {
    struct quipu__message_key by;
    uint32_t number;
};

/* Which ends of a key count by their process. */
struct widening {
    bool sender, receiver;
};

static int compare_keys(const struct quipu__message_key *a, const struct quipu__message_key *b) {
    if (a->sender != b->sender)
        return a->sender < b->sender ? -1 : 1;
    if (a->receiver != b->receiver)
        return a->receiver < b->receiver ? -1 : 1;
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

/* Rests are listed in the order of their keys. */
static int compare_rests(const void *a, const void *b) {
    const struct rest *x = a, *y = b;
    const int order = compare_keys(&x->by, &y->by);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_own_keys(const void *a, const void *b) {
    return compare_keys(&((const struct rest *)a)->by, &((const struct rest *)b)->by);
}

/* Whether a pair takes part: the side that names the other one names its process. Where ranks are processes it cannot
 * name more, and threads on the other side may stand for theirs. */
static bool takes_part(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                       const struct quipu__pair *pair, struct widening wide) {
    const struct quipu__message_key *key = &pair->key;
    const bool is_sent = pair->sent > pair->received;
    const uint32_t named = is_sent ? key->receiver : key->sender;
    if (pair->sent == pair->received)
        return false;
    return !(is_sent ? wide.receiver : wide.sender) || quipu__process_of(definitions, named) == named ||
           quipu__communicator_has_processes(&pairs->communicators, definitions, key->communicator);
}

/* Lists those that take part, by widened keys. */
static size_t list_rests(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                         struct widening wide, const struct rest *left, size_t count, struct rest *out) {
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct quipu__pair *pair = &pairs->list.items[left[i].number];
        if (!takes_part(pairs, definitions, pair, wide))
            continue;
        struct rest *rest = &out[listed++];
        *rest = (struct rest){pair->key, (uint32_t)i};
        if (wide.sender)
            rest->by.sender = quipu__process_of(definitions, pair->key.sender);
        if (wide.receiver)
            rest->by.receiver = quipu__process_of(definitions, pair->key.receiver);
    }
    if (listed > 0)
        qsort(out, listed, sizeof *out, compare_rests);
    return listed;
}

/* Counts receives of one pair with the sends of another one, as many as both have. */
static void move_receives(struct quipu__pair *from, struct quipu__pair *to) {
    const uint64_t receives = from->received - from->sent, sends = to->sent - to->received;
    const uint64_t count = receives < sends ? receives : sends;
    from->received -= count;
    to->received += count;
}

/* Brings the rests together whose widened keys are the same: left over sends, and receives, in their order. */
static void match_rests(struct quipu__pairs *pairs, const struct rest *left, const struct rest *rests,
                        size_t count) {
    struct quipu__pair *list = pairs->list.items;
    size_t send = 0, receive = 0;
    while (send < count && receive < count) {
        struct quipu__pair *to = &list[left[rests[send].number].number];
        struct quipu__pair *from = &list[left[rests[receive].number].number];
        const int order = compare_keys(&rests[send].by, &rests[receive].by);
        if (to->sent <= to->received || order < 0)
            send++;
        else if (from->received <= from->sent || order > 0)
            receive++;
        else
            move_receives(from, to);
    }
}

/* The pairs of which something is left over, in the order of their keys. */
static size_t list_left(const struct quipu__pairs *pairs, struct rest *out) {
    size_t count = 0;
    for (uint32_t i = 0; i < pairs->list.count; i++)
        if (pairs->list.items[i].sent != pairs->list.items[i].received)
            out[count++] = (struct rest){pairs->list.items[i].key, i};
    if (count > 0)
        qsort(out, count, sizeof *out, compare_own_keys);
    return count;
}

static bool has_left(const struct quipu__pairs *pairs) {
    bool has_sends = false, has_receives = false;
    for (size_t i = 0; i < pairs->list.count; i++) {
        has_sends |= pairs->list.items[i].sent > pairs->list.items[i].received;
        has_receives |= pairs->list.items[i].sent < pairs->list.items[i].received;
    }
    return has_sends && has_receives;
}

bool quipu__pairs_settle(struct quipu__pairs *pairs, const struct quipu_definitions *definitions) {
    static const struct widening steps[] = {{true, false}, {false, true}, {true, true}};
    const size_t bytes = 2 * pairs->list.count * sizeof(struct rest);
    if (!has_left(pairs))
        return true;
    if (!quipu__communicators_know(&pairs->communicators, &definitions->groups))
        return false;
    struct rest *left = quipu__alloc(pairs->memory, bytes);
    if (!left)
        return false;
    struct rest *rests = left + pairs->list.count;
    const size_t count = list_left(pairs, left);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        match_rests(pairs, left, rests, list_rests(pairs, definitions, steps[i], left, count, rests));
    quipu__release(pairs->memory, left, bytes);
    return true;
}
