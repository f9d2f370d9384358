/* tracker.c: what transitions do, by the discipline of their class. */
#include "state/slots.h"

#include <string.h>

/* ==== Where intervals are ====
 *
 * Intervals lie in one array of slots and are linked by their numbers: by age in the list of their state and class, which for calls is the stack; and, except
 * for stacks, in the buckets of a hash of (state, list, key). Of a QUEUE only the oldest interval of a key is in a bucket, and the others follow it. The
 * slot of an interval that has ended is reused for the next one.
 *
 * A payload follows its interval or, if there is not enough room, lies in a separate block; blocks are reused too.
 */

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
static uint32_t find_slot(const struct quipu__tracker *tracker, const struct quipu__interval_key *key) {
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

/* Removes an interval from all lists. */
static void remove_slot(struct quipu__tracker *tracker, uint32_t number) {
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
        remove_slot(tracker, list->oldest);
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

/* ==== Transitions ==== */

const struct quipu__interval_row quipu__interval_rows[QUIPU__INTERVAL_CLASSES] = {
#define INTERVAL(class_name, its_discipline, its_key, its_stand_in, sentence)                                  \
    [QUIPU__INTERVAL_##class_name] = {                                                                         \
        .name = #class_name, .discipline = QUIPU__DISCIPLINE_##its_discipline, .doc = (sentence)},
#define BEGINS(interval_class, kind)
#define SHARES(interval_class, kind)
#define ENDS(interval_class, kind)
#include "state/intervals.def"
};

void quipu__tracker_init(struct quipu__tracker *tracker, struct quipu__memory *memory,
                         const struct quipu__tracker_options *options) {
    *tracker =
        (struct quipu__tracker){.memory = memory, .options = *options, .last = INT64_MIN, .unused = QUIPU_NONE};
    /* For a payload that is larger than the room, a pointer is stored there. */
    const size_t words = (options->payload_room + sizeof(void *) - 1) / sizeof(void *);
    tracker->slot_bytes = sizeof(struct quipu__interval) + (words > 0 ? words : 1) * sizeof(void *);
    quipu__map_init(&tracker->state_of, memory);
    quipu__matcher_init(&tracker->matcher, memory, options->definitions);
    tracker->seed = tracker->state_of.seed;
}

/* First all blocks of active intervals are put into the lists for reuse, so that all blocks are in one place. */
static void release_payloads(struct quipu__tracker *tracker) {
    tracker->options.removed = NULL;
    for (size_t i = 0; i < tracker->states.count; i++)
        for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
            while (tracker->states.items[i].lists[list].count > 0)
                remove_slot(tracker, tracker->states.items[i].lists[list].newest);
    for (unsigned size = 0; size < QUIPU__BLOCK_SIZES; size++)
        while (tracker->blocks[size]) {
            struct quipu__payload_block *block = tracker->blocks[size];
            tracker->blocks[size] = block->next;
            quipu__release(tracker->memory, block, (size_t)1 << size);
        }
}

void quipu__tracker_release(struct quipu__tracker *tracker) {
    release_payloads(tracker);
    quipu__matcher_release(&tracker->matcher);
    quipu__map_release(&tracker->state_of);
    QUIPU__VEC_RELEASE(tracker->memory, &tracker->states);
    QUIPU__VEC_RELEASE(tracker->memory, &tracker->latest);
    quipu__release(tracker->memory, tracker->slots, tracker->slot_capacity * tracker->slot_bytes);
    quipu__release(tracker->memory, tracker->buckets, tracker->bucket_count * sizeof *tracker->buckets);
}

/* ---- Location states ---- */

static bool set_latest(struct quipu__tracker *tracker, uint32_t location, uint32_t state) {
    const size_t known = tracker->latest.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(tracker->memory, &tracker->latest, (size_t)location + 1 - known))
            return false;
        tracker->latest.count = (size_t)location + 1;
    }
    tracker->latest.items[location] = state + 1;
    return true;
}

static uint32_t add_state(struct quipu__tracker *tracker, uint32_t location, uint32_t stream) {
    struct quipu__location_state *state = QUIPU__VEC_ADD(tracker->memory, &tracker->states);
    if (!state)
        return QUIPU_NONE;
    *state = (struct quipu__location_state){.location = location, .stream = stream};
    for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
        state->lists[list] = (struct quipu__interval_list){QUIPU_NONE, QUIPU_NONE, 0};
    const uint32_t number = (uint32_t)(tracker->states.count - 1);
    return quipu__map_put(&tracker->state_of, (uint64_t)location << 32 | stream, number) ? number : QUIPU_NONE;
}

uint32_t quipu__tracker_locate_slow(struct quipu__tracker *tracker, uint32_t location, uint32_t stream) {
    uint32_t number = quipu__map_get(&tracker->state_of, (uint64_t)location << 32 | stream);
    if (number == QUIPU_NONE)
        number = add_state(tracker, location, stream);
    return number != QUIPU_NONE && set_latest(tracker, location, number) ? number : QUIPU_NONE;
}

/* ---- Finding ---- */

/* The newest on a stack; with a second word of the key, the newest that has it. */
static uint32_t find_on_stack(const struct quipu__tracker *tracker, const struct quipu__interval_key *key) {
    const bool is_vague = key->words[1] == QUIPU_UNKNOWN;
    uint32_t number = tracker->states.items[key->state].lists[key->list].newest;
    for (uint32_t looked = 0; number != QUIPU_NONE && looked < QUIPU__LOOK_OUT_MOST; looked++) {
        const struct quipu__interval *interval = quipu__interval_at(tracker, number);
        if (interval->key[0] == key->words[0] && (is_vague || interval->key[1] == key->words[1]))
            return number;
        number = interval->older;
    }
    return QUIPU_NONE;
}

static uint32_t find(const struct quipu__tracker *tracker, const struct quipu__interval_key *key) {
    return quipu__list_discipline(tracker, key->list) == QUIPU__DISCIPLINE_STACK &&
                   !quipu__list_has_ends(key->list)
               ? find_on_stack(tracker, key)
               : find_slot(tracker, key);
}

static struct quipu__interval_key key_in(const struct quipu__transition *transition, uint32_t state,
                                         uint32_t list) {
    return (struct quipu__interval_key){state, list, transition->key, transition->key_form};
}

uint32_t quipu__tracker_find(const struct quipu__tracker *tracker, uint32_t state,
                             const struct quipu__transition *transition) {
    const struct quipu__interval_key key = key_in(transition, state, transition->interval_class);
    return find(tracker, &key);
}

/* ---- Beginnings ---- */

static bool put(struct quipu__tracker *tracker, const struct quipu__interval_key *key,
                const struct quipu__beginning *beginning) {
    struct quipu__interval interval = {.time = beginning->time,
                                       .state = key->state,
                                       .list = (uint8_t)key->list,
                                       .kind = beginning->kind,
                                       .key_form = key->form,
                                       .key = {key->words[0], key->words[1], key->words[2]}};
    interval.count = quipu__list_discipline(tracker, key->list) == QUIPU__DISCIPLINE_COUNT;
    return quipu__slot_put(tracker, &interval, beginning->payload, beginning->payload_bytes);
}

/* Removes intervals with the same key: all, or only those of other kinds if the beginning allows others of its
 * kind. */
static void replace(struct quipu__tracker *tracker, const struct quipu__interval_key *key, bool is_beside,
                    uint16_t kind) {
    uint32_t number;
    while ((number = find_slot(tracker, key)) != QUIPU_NONE &&
           (!is_beside || quipu__interval_at(tracker, number)->kind != kind))
        remove_slot(tracker, number);
}

/* Uses up an end that came before its beginning at the same time. */
static bool has_ended(struct quipu__tracker *tracker, const struct quipu__interval_key *key, int64_t time) {
    struct quipu__interval_key end = *key;
    end.list += QUIPU__INTERVAL_CLASSES;
    const uint32_t number = find_slot(tracker, &end);
    if (number == QUIPU_NONE || quipu__interval_at(tracker, number)->time != time)
        return false;
    remove_slot(tracker, number);
    return true;
}

static bool count(struct quipu__tracker *tracker, const struct quipu__interval_key *key,
                  const struct quipu__beginning *beginning) {
    const uint32_t number = find_slot(tracker, key);
    if (number == QUIPU_NONE)
        return put(tracker, key, beginning);
    quipu__interval_at(tracker, number)->count++;
    return true;
}

static bool begin(struct quipu__tracker *tracker, const struct quipu__interval_key *key,
                  const struct quipu__beginning *beginning, bool is_beside) {
    switch (quipu__list_discipline(tracker, key->list)) {
    case QUIPU__DISCIPLINE_KEYED:
    case QUIPU__DISCIPLINE_VALUE:
        replace(tracker, key, is_beside, beginning->kind);
        return put(tracker, key, beginning);
    case QUIPU__DISCIPLINE_QUEUE:
        return has_ended(tracker, key, beginning->time) || put(tracker, key, beginning);
    case QUIPU__DISCIPLINE_COUNT:
        return count(tracker, key, beginning);
    case QUIPU__DISCIPLINE_STACK:
        break;
    }
    return put(tracker, key, beginning);
}

/* ---- Ends ---- */

/* Calls of regions that need not nest may overlap with others. */
static bool ends_alone(const struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    const struct quipu_definitions *definitions = tracker->options.definitions;
    return interval->list == QUIPU__INTERVAL_call && definitions &&
           interval->key[1] < definitions->regions.count &&
           definitions->regions.items[interval->key[1]].nesting == QUIPU_NESTING_FREE;
}

/* Removes an interval that a transition ends. */
static void end_one(struct quipu__tracker *tracker, uint32_t number) {
    const struct quipu__interval *interval = quipu__interval_at(tracker, number);
    if (tracker->options.ended && quipu__list_discipline(tracker, interval->list) == QUIPU__DISCIPLINE_STACK)
        tracker->options.ended(tracker->options.context, interval);
    remove_slot(tracker, number);
}

void quipu__tracker_end(struct quipu__tracker *tracker, uint32_t number) {
    const struct quipu__interval *outermost = quipu__interval_at(tracker, number);
    const bool is_alone = quipu__list_discipline(tracker, outermost->list) != QUIPU__DISCIPLINE_STACK ||
                          ends_alone(tracker, outermost);
    uint32_t inner_number = is_alone ? number : quipu__list_of(tracker, outermost)->newest;
    while (inner_number != number) {
        const struct quipu__interval *inner = quipu__interval_at(tracker, inner_number);
        const uint32_t older = inner->older;
        if (inner->key[0] == outermost->key[0] && !ends_alone(tracker, inner))
            end_one(tracker, inner_number);
        inner_number = older;
    }
    end_one(tracker, number);
}

void quipu__tracker_remove(struct quipu__tracker *tracker, uint32_t number) {
    remove_slot(tracker, number);
}

static void report(const struct quipu__tracker *tracker, const struct quipu__transition *end,
                   const struct quipu__interval_key *key, uint32_t found) {
    const uint64_t vague_words[QUIPU__KEY_WORDS] = {key->words[0], QUIPU_UNKNOWN, 0};
    struct quipu__interval_key vague = *key;
    vague.words = vague_words;
    const bool is_stack = quipu__list_discipline(tracker, key->list) == QUIPU__DISCIPLINE_STACK;
    const uint32_t innermost = is_stack ? find_on_stack(tracker, &vague) : QUIPU_NONE;
    if (tracker->options.report && (found == QUIPU_NONE || (is_stack && innermost != found)))
        tracker->options.report(tracker->options.context, end,
                                innermost == QUIPU_NONE ? NULL : quipu__interval_at(tracker, innermost));
}

/* In a QUEUE an end can only belong to a beginning at its own time. */
static void forget_ends(struct quipu__tracker *tracker, const struct quipu__interval_key *ends, int64_t time) {
    const struct quipu__interval_list *list = &tracker->states.items[ends->state].lists[ends->list];
    while (list->count > 0 && quipu__interval_at(tracker, list->oldest)->time != time)
        remove_slot(tracker, list->oldest);
}

static bool remember_end(struct quipu__tracker *tracker, struct quipu__interval_key key,
                         const struct quipu__beginning *end) {
    const bool is_stack = quipu__list_discipline(tracker, key.list) == QUIPU__DISCIPLINE_STACK;
    if ((tracker->options.ends >> key.list & 1) == 0 || (is_stack && key.words[1] == QUIPU_UNKNOWN))
        return true;
    key.list += QUIPU__INTERVAL_CLASSES;
    if (quipu__list_discipline(tracker, key.list) == QUIPU__DISCIPLINE_QUEUE)
        forget_ends(tracker, &key, end->time);
    else
        replace(tracker, &key, false, 0);
    return put(tracker, &key, end);
}

/* Most ends on a stack are those of the newest interval there. */
static bool end_newest(struct quipu__tracker *tracker, const struct quipu__interval_key *key) {
    const uint32_t number = tracker->states.items[key->state].lists[key->list].newest;
    if (number == QUIPU_NONE || quipu__list_discipline(tracker, key->list) != QUIPU__DISCIPLINE_STACK)
        return false;
    const struct quipu__interval *newest = quipu__interval_at(tracker, number);
    if (newest->key[0] != key->words[0] || (key->words[1] != QUIPU_UNKNOWN && key->words[1] != newest->key[1]))
        return false;
    end_one(tracker, number);
    return true;
}

bool quipu__tracker_add(struct quipu__tracker *tracker, uint32_t state,
                        const struct quipu__transition *transition, const struct quipu__beginning *beginning) {
    const struct quipu__interval_key key = key_in(transition, state, transition->interval_class);
    if (transition->change != QUIPU__ENDS)
        return begin(tracker, &key, beginning, transition->change == QUIPU__BEGINS_BESIDE);
    if (end_newest(tracker, &key))
        return true;
    const uint32_t number = find(tracker, &key);
    report(tracker, transition, &key, number);
    if (number == QUIPU_NONE)
        return remember_end(tracker, key, beginning);
    quipu__tracker_end(tracker, number);
    return true;
}
