/* message_table.c: keys of messages in a list, found by a hash. */
#include "state/message_table.h"

#include "model/event.h"

#include <stdlib.h>

void quipu__message_table_init(struct quipu__message_table *table, struct quipu__memory *memory) {
    *table = (struct quipu__message_table){.memory = memory};
    quipu__communicators_init(&table->communicators, memory);
    quipu__map_init(&table->numbers, memory);
}

void quipu__message_table_release(struct quipu__message_table *table) {
    quipu__communicators_release(&table->communicators);
    quipu__map_release(&table->numbers);
    QUIPU__VEC_RELEASE(table->memory, &table->list);
}

static bool is_same(const struct quipu__message_key *a, const struct quipu__message_key *b) {
    return a->sender == b->sender && a->receiver == b->receiver && a->communicator == b->communicator &&
           a->tag == b->tag;
}

static struct quipu__message_count *add(struct quipu__message_table *table, uint64_t hash,
                                        const struct quipu__message_key *key) {
    struct quipu__message_count *counts = NULL;
    if (table->list.count < QUIPU__MESSAGE_KEYS_MOST)
        counts = QUIPU__VEC_ADD(table->memory, &table->list);
    if (counts && !quipu__map_put(&table->numbers, hash, (uint32_t)table->list.count - 1)) {
        table->list.count--;
        counts = NULL;
    }
    if (!counts) {
        table->is_full = true;
        return NULL;
    }
    *counts = (struct quipu__message_count){.key = *key};
    return counts;
}

static uint64_t hash_of(const struct quipu__message_table *table, const struct quipu__message_key *key) {
    const uint64_t words[] = {(uint64_t)key->sender << 32 | key->receiver, key->communicator,
                              (uint64_t)key->tag};
    return quipu__hash(words, sizeof words, table->numbers.seed);
}

struct quipu__message_count *quipu__message_table_add(struct quipu__message_table *table,
                                                      const struct quipu__message_key *key) {
    for (uint64_t hash = hash_of(table, key);; hash++) {
        const uint32_t number = quipu__map_get(&table->numbers, hash);
        if (number == QUIPU_NONE)
            return add(table, hash, key);
        if (is_same(&table->list.items[number].key, key))
            return &table->list.items[number];
    }
}

bool quipu__message_table_keep(struct quipu__message_table *table, size_t count) {
    quipu__map_release(&table->numbers);
    table->list.count = count;
    table->is_full = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hash_of(table, &table->list.items[i].key);
        while (quipu__map_get(&table->numbers, hash) != QUIPU_NONE)
            hash++;
        if (!quipu__map_put(&table->numbers, hash, (uint32_t)i))
            return false;
    }
    return true;
}

struct quipu__message_count *quipu__message_table_find(struct quipu__message_table *table,
                                                       const struct quipu_definitions *definitions,
                                                       const struct quipu_batch *batch, uint32_t event) {
    struct quipu__message_key key;
    if (batch->peer[event] == QUIPU_NONE)
        return NULL;
    if (quipu__message_key_of(&table->communicators, definitions, batch, event, &key))
        return quipu__message_table_add(table, &key);
    table->is_full = true;
    return NULL;
}

/* Messages of one key that have numbers of their own. */
enum { NUMBER_BITS = 40 };

uint64_t quipu__message_table_number(struct quipu__message_table *table,
                                     const struct quipu_definitions *definitions,
                                     const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    if (!is_send && batch->kind[event] != QUIPU_KIND_recv)
        return 0;
    struct quipu__message_count *counts = quipu__message_table_find(table, definitions, batch, event);
    if (!counts)
        return 0;
    const uint64_t key_number = (uint64_t)(counts - table->list.items) + 1;
    const uint64_t message = is_send ? counts->sent++ : counts->received++;
    return key_number << NUMBER_BITS | (message & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

/* ---- What is left over ---- */

/* A counts of which something is left over, and what it is sorted by. */
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

/* Whether a counts takes part: the side that names the other one names its process. Where ranks are processes it cannot
 * name more, and threads on the other side may stand for theirs. */
static bool takes_part(struct quipu__message_table *table, const struct quipu_definitions *definitions,
                       const struct quipu__message_count *counts, struct widening wide) {
    const struct quipu__message_key *key = &counts->key;
    const bool is_sent = counts->sent > counts->received;
    const uint32_t named = is_sent ? key->receiver : key->sender;
    if (counts->sent == counts->received)
        return false;
    return !(is_sent ? wide.receiver : wide.sender) || quipu__process_of(definitions, named) == named ||
           quipu__communicator_has_processes(&table->communicators, definitions, key->communicator);
}

/* Lists those that take part, by widened keys. */
static size_t list_rests(struct quipu__message_table *table, const struct quipu_definitions *definitions,
                         struct widening wide, const struct rest *left, size_t count, struct rest *out) {
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct quipu__message_count *counts = &table->list.items[left[i].number];
        if (!takes_part(table, definitions, counts, wide))
            continue;
        struct rest *rest = &out[listed++];
        *rest = (struct rest){counts->key, (uint32_t)i};
        if (wide.sender)
            rest->by.sender = quipu__process_of(definitions, counts->key.sender);
        if (wide.receiver)
            rest->by.receiver = quipu__process_of(definitions, counts->key.receiver);
    }
    if (listed > 0)
        qsort(out, listed, sizeof *out, compare_rests);
    return listed;
}

/* Counts receives of one counts with the sends of another one, as many as both have. */
static void move_receives(struct quipu__message_count *from, struct quipu__message_count *to) {
    const uint64_t receives = from->received - from->sent, sends = to->sent - to->received;
    const uint64_t count = receives < sends ? receives : sends;
    from->received -= count;
    to->received += count;
}

/* Brings the rests together whose widened keys are the same: left over sends, and receives, in their order. */
static void match_rests(struct quipu__message_table *table, const struct rest *left, const struct rest *rests,
                        size_t count) {
    struct quipu__message_count *list = table->list.items;
    size_t send = 0, receive = 0;
    while (send < count && receive < count) {
        struct quipu__message_count *to = &list[left[rests[send].number].number];
        struct quipu__message_count *from = &list[left[rests[receive].number].number];
        const int order = compare_keys(&rests[send].by, &rests[receive].by);
        if (to->sent <= to->received || order < 0)
            send++;
        else if (from->received <= from->sent || order > 0)
            receive++;
        else
            move_receives(from, to);
    }
}

/* The table of which something is left over, in the order of their keys. */
static size_t list_left(const struct quipu__message_table *table, struct rest *out) {
    size_t count = 0;
    for (uint32_t i = 0; i < table->list.count; i++)
        if (table->list.items[i].sent != table->list.items[i].received)
            out[count++] = (struct rest){table->list.items[i].key, i};
    if (count > 0)
        qsort(out, count, sizeof *out, compare_own_keys);
    return count;
}

static bool has_left(const struct quipu__message_table *table) {
    bool has_sends = false, has_receives = false;
    for (size_t i = 0; i < table->list.count; i++) {
        has_sends |= table->list.items[i].sent > table->list.items[i].received;
        has_receives |= table->list.items[i].sent < table->list.items[i].received;
    }
    return has_sends && has_receives;
}

bool quipu__message_table_reconcile(struct quipu__message_table *table,
                                    const struct quipu_definitions *definitions) {
    static const struct widening steps[] = {{true, false}, {false, true}, {true, true}};
    const size_t bytes = 2 * table->list.count * sizeof(struct rest);
    if (!has_left(table))
        return true;
    if (!quipu__communicators_know(&table->communicators, &definitions->groups))
        return false;
    struct rest *left = quipu__alloc(table->memory, bytes);
    if (!left)
        return false;
    struct rest *rests = left + table->list.count;
    const size_t count = list_left(table, left);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        match_rests(table, left, rests, list_rests(table, definitions, steps[i], left, count, rests));
    quipu__release(table->memory, left, bytes);
    return true;
}
