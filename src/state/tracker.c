/* tracker.c: what transitions do, by the discipline of their class. */
#include "state/slots.h"

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

void quipu__tracker_release(struct quipu__tracker *tracker) {
    quipu__payloads_release(tracker);
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
               : quipu__slot_find(tracker, key);
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
    while ((number = quipu__slot_find(tracker, key)) != QUIPU_NONE &&
           (!is_beside || quipu__interval_at(tracker, number)->kind != kind))
        quipu__slot_remove(tracker, number);
}

/* Uses up an end that came before its beginning at the same time. */
static bool has_ended(struct quipu__tracker *tracker, const struct quipu__interval_key *key, int64_t time) {
    struct quipu__interval_key end = *key;
    end.list += QUIPU__INTERVAL_CLASSES;
    const uint32_t number = quipu__slot_find(tracker, &end);
    if (number == QUIPU_NONE || quipu__interval_at(tracker, number)->time != time)
        return false;
    quipu__slot_remove(tracker, number);
    return true;
}

static bool count(struct quipu__tracker *tracker, const struct quipu__interval_key *key,
                  const struct quipu__beginning *beginning) {
    const uint32_t number = quipu__slot_find(tracker, key);
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
    quipu__slot_remove(tracker, number);
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
    quipu__slot_remove(tracker, number);
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
        quipu__slot_remove(tracker, list->oldest);
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
