/* slots.c: where a tracker stores its intervals.
 *
 * Intervals lie in one array of slots and are linked by their numbers: by age in the list of their state and class, which for calls is
 * the stack; and, except for stacks, in the buckets of a hash of (state, list, key). Of a QUEUE only the oldest interval of a key is in
 * a bucket, and the others follow it. The slot of an interval that has ended is reused for the next one.
 *
 * A payload follows its interval or, if there is not enough room, lies in a separate block; blocks are reused too.
 */
#include "state/slots.h"

#include <string.h>

/* Most active intervals of one list, except stacks, and most ends without a beginning; beyond it the oldest is dropped. */
enum { ACTIVE_MOST = 1 << 16, ENDS_MOST = 256 };

/* ---- Payloads ---- */

struct quipu__payload_block {
    struct quipu__payload_block *next;
};

static bool has_block(const struct quipu__tracker *tracker, size_t payload_bytes) {
    return payload_bytes > tracker->slot_bytes - sizeof(struct quipu__interval);
}

static unsigned size_of_block(size_t payload_bytes) {
    unsigned size = 6;
    while ((size_t)1 << size < payload_bytes)
        size++;
    return size;
}

static void **block_at(struct quipu__interval *interval) {
    return (void **)(void *)(interval + 1);
}

static void *take_block(struct quipu__tracker *tracker, size_t payload_bytes) {
    const unsigned size = size_of_block(payload_bytes);
    struct quipu__payload_block *block = tracker->blocks[size];
    if (!block)
        return quipu__alloc(tracker->memory, (size_t)1 << size);
    tracker->blocks[size] = block->next;
    return block;
}

static void give_block_back(struct quipu__tracker *tracker, struct quipu__interval *interval) {
    const unsigned size = size_of_block(interval->payload_bytes);
    struct quipu__payload_block *block = *block_at(interval);
    block->next = tracker->blocks[size];
    tracker->blocks[size] = block;
}

static bool set_payload(struct quipu__tracker *tracker, struct quipu__interval *interval, const void *payload,
                        size_t payload_bytes) {
    void *to = interval + 1;
    interval->payload_bytes = 0;
    if (payload_bytes > (size_t)1 << (QUIPU__BLOCK_SIZES - 1))
        return false;
    if (has_block(tracker, payload_bytes)) {
        to = take_block(tracker, payload_bytes);
        if (!to)
            return false;
        *block_at(interval) = to;
    }
    interval->payload_bytes = (uint32_t)payload_bytes;
    if (payload_bytes > 0)
        memcpy(to, payload, payload_bytes);
    return true;
}

const void *quipu__interval_payload(const struct quipu__tracker *tracker,
                                    const struct quipu__interval *interval) {
    return has_block(tracker, interval->payload_bytes) ? *(void *const *)(const void *)(interval + 1)
                                                       : (const void *)(interval + 1);
}

/* First all blocks of active intervals are put into the lists for reuse, so that all blocks are in one place. */
void quipu__payloads_release(struct quipu__tracker *tracker) {
    tracker->options.removed = NULL;
    for (size_t i = 0; i < tracker->states.count; i++)
        for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
            while (tracker->states.items[i].lists[list].count > 0)
                quipu__slot_remove(tracker, tracker->states.items[i].lists[list].newest);
    for (unsigned size = 0; size < QUIPU__BLOCK_SIZES; size++)
        while (tracker->blocks[size]) {
            struct quipu__payload_block *block = tracker->blocks[size];
            tracker->blocks[size] = block->next;
            quipu__release(tracker->memory, block, (size_t)1 << size);
        }
}

/* ---- The hash ---- */

static bool is_hashed(const struct quipu__tracker *tracker, uint32_t list) {
    return quipu__list_has_ends(list) || quipu__list_discipline(tracker, list) != QUIPU__DISCIPLINE_STACK;
}

static bool is_queue(const struct quipu__tracker *tracker, uint32_t list) {
    return !quipu__list_has_ends(list) && quipu__list_discipline(tracker, list) == QUIPU__DISCIPLINE_QUEUE;
}

/* Words after the last one that is set are ignored. */
static uint32_t hash_of(const struct quipu__tracker *tracker, const struct quipu__interval_key *key) {
    uint64_t words[QUIPU__KEY_WORDS + 1] = {(uint64_t)key->state << 32 | (uint32_t)key->form << 16 | key->list};
    size_t count = QUIPU__KEY_WORDS;
    while (count > 0 && key->words[count - 1] == 0)
        count--;
    memcpy(words + 1, key->words, count * sizeof *words);
    return (uint32_t)quipu__hash(words, (count + 1) * sizeof *words, tracker->seed);
}

static uint32_t *bucket_of(const struct quipu__tracker *tracker, uint32_t hash) {
    return &tracker->buckets[hash & (tracker->bucket_count - 1)];
}

/* The newest of a key comes first in its bucket. */
static void put_in_bucket(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    uint32_t *bucket = bucket_of(tracker, interval->hash);
    interval->next = *bucket;
    interval->previous = QUIPU_NONE;
    if (*bucket != QUIPU_NONE)
        quipu__interval_at(tracker, *bucket)->previous = number;
    *bucket = number;
}

static void take_from_bucket(struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    if (interval->previous == QUIPU_NONE)
        *bucket_of(tracker, interval->hash) = interval->next;
    else
        quipu__interval_at(tracker, interval->previous)->next = interval->next;
    if (interval->next != QUIPU_NONE)
        quipu__interval_at(tracker, interval->next)->previous = interval->previous;
}

static void refill_list(struct quipu__tracker *tracker, const struct quipu__interval_list *list) {
    for (uint32_t number = list->oldest; number != QUIPU_NONE;
         number = quipu__interval_at(tracker, number)->newer)
        if (!quipu__interval_at(tracker, number)->is_queued)
            put_in_bucket(tracker, number);
}

static void refill_buckets(struct quipu__tracker *tracker) {
    for (size_t i = 0; i < tracker->bucket_count; i++)
        tracker->buckets[i] = QUIPU_NONE;
    for (size_t i = 0; i < tracker->states.count; i++)
        for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
            if (is_hashed(tracker, list))
                refill_list(tracker, &tracker->states.items[i].lists[list]);
}

static bool add_buckets(struct quipu__tracker *tracker) {
    const size_t count = tracker->bucket_count ? tracker->bucket_count * 2 : 64;
    uint32_t *buckets = quipu__resize(tracker->memory, tracker->buckets,
                                      tracker->bucket_count * sizeof *buckets, count * sizeof *buckets);
    if (!buckets)
        return false;
    tracker->buckets = buckets;
    tracker->bucket_count = count;
    refill_buckets(tracker);
    return true;
}

static bool has_words(const struct quipu__interval *interval, const struct quipu__interval_key *key) {
    return interval->key[0] == key->words[0] && interval->key[1] == key->words[1] &&
           interval->key[2] == key->words[2] && interval->key_form == key->form;
}

static uint32_t find_hashed(const struct quipu__tracker *tracker, const struct quipu__interval_key *key,
                            uint32_t hash) {
    uint32_t number = *bucket_of(tracker, hash);
    while (number != QUIPU_NONE) {
        const struct quipu__interval *interval = quipu__interval_at(tracker, number);
        if (interval->hash == hash && interval->state == key->state && interval->list == key->list &&
            has_words(interval, key))
            break;
        number = interval->next;
    }
    return number;
}

/* Usually the newest of its list is searched for, which needs no hash. */
uint32_t quipu__slot_find(const struct quipu__tracker *tracker, const struct quipu__interval_key *key) {
    const uint32_t newest = tracker->states.items[key->state].lists[key->list].newest;
    if (newest == QUIPU_NONE)
        return QUIPU_NONE;
    if (!is_queue(tracker, key->list) && has_words(quipu__interval_at(tracker, newest), key))
        return newest;
    return find_hashed(tracker, key, hash_of(tracker, key));
}

/* ---- Queues ---- */

/* Puts an interval after the others of its key; false when there are none. */
static bool follow_others(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    const struct quipu__interval_key key = quipu__key_of(interval);
    const uint32_t first = find_hashed(tracker, &key, interval->hash);
    interval->queue.successor = QUIPU_NONE;
    interval->queue.last = number;
    if (first == QUIPU_NONE)
        return false;
    struct quipu__interval *oldest = quipu__interval_at(tracker, first);
    quipu__interval_at(tracker, oldest->queue.last)->queue.successor = number;
    oldest->queue.last = number;
    interval->is_queued = true;
    return true;
}

/* The next one of its key replaces the oldest. */
static void advance_queue(struct quipu__tracker *tracker, const struct quipu__interval *oldest) {
    const uint32_t number = oldest->queue.successor;
    if (number == QUIPU_NONE)
        return;
    struct quipu__interval *next = quipu__interval_at(tracker, number);
    next->queue.last = oldest->queue.last;
    next->is_queued = false;
    put_in_bucket(tracker, number);
    tracker->hashed++;
}

/* ---- Slots ---- */

uint32_t quipu__slot_add(struct quipu__tracker *tracker) {
    if (tracker->slot_count == tracker->slot_capacity) {
        const size_t count = tracker->slot_capacity ? tracker->slot_capacity * 2 : 16;
        uint8_t *slots = count > QUIPU_NONE ? NULL
                                            : quipu__resize(tracker->memory, tracker->slots,
                                                            tracker->slot_capacity * tracker->slot_bytes,
                                                            count * tracker->slot_bytes);
        if (!slots)
            return QUIPU_NONE;
        tracker->slots = slots;
        tracker->slot_capacity = count;
    }
    return (uint32_t)tracker->slot_count++;
}

static bool is_told(const struct quipu__interval *interval) {
    return !quipu__list_has_ends(interval->list) && interval->list != QUIPU__INTERVAL_call;
}

void quipu__slot_remove(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    if (tracker->options.removed && is_told(interval))
        tracker->options.removed(tracker->options.context, interval);
    if (is_hashed(tracker, interval->list)) {
        take_from_bucket(tracker, interval);
        tracker->hashed--;
    }
    if (is_queue(tracker, interval->list))
        advance_queue(tracker, interval);
    if (has_block(tracker, interval->payload_bytes))
        give_block_back(tracker, interval);
    quipu__slot_unlink(tracker, number);
}

static void make_room(struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    const struct quipu__interval_list *list = quipu__list_of(tracker, interval);
    const bool is_short = quipu__list_has_ends(interval->list) &&
                          quipu__list_discipline(tracker, interval->list) != QUIPU__DISCIPLINE_QUEUE;
    if (list->count >= (is_short ? ENDS_MOST : ACTIVE_MOST))
        quipu__slot_remove(tracker, list->oldest);
}

static void hash(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    const struct quipu__interval_key key = quipu__key_of(interval);
    interval->hash = hash_of(tracker, &key);
    if (is_queue(tracker, interval->list) && follow_others(tracker, number))
        return;
    put_in_bucket(tracker, number);
    tracker->hashed++;
}

bool quipu__slot_put(struct quipu__tracker *tracker, const struct quipu__interval *interval,
                     const void *payload, size_t payload_bytes) {
    const bool hashes = is_hashed(tracker, interval->list);
    if (hashes)
        make_room(tracker, interval);
    if (hashes && tracker->hashed == tracker->bucket_count && !add_buckets(tracker))
        return false;
    const uint32_t number = quipu__slot_take(tracker);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__interval *added = quipu__interval_at(tracker, number);
    *added = *interval;
    added->is_queued = false;
    const bool done = set_payload(tracker, added, payload, payload_bytes);
    quipu__slot_link(tracker, number);
    if (hashes)
        hash(tracker, number);
    if (tracker->options.began && is_told(added))
        tracker->options.began(tracker->options.context, added);
    return done;
}
