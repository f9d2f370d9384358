/* tracker.c: following what begins and ends.
 *
 * Things lie in one array and are linked by their numbers: by age in the list of their state and class, which for calls
 * is the stack; and, but for those of stacks, in the buckets of a hash of (state, list, key). What has ended is used
 * again for what begins next.
 */
#include "state/tracker.h"

#include "core/os.h"

/* Things of one list but a stack's, and ends without a beginning; the oldest goes beyond it. */
enum { OPEN_MOST = 1 << 16, ENDS_MOST = 256 };

/* ---- The tables ---- */

const struct quipu__interval_row quipu__interval_rows[QUIPU__INTERVAL_CLASSES] = {
#define INTERVAL(class_name, its_discipline, its_key, its_stand_in, sentence)                                  \
    [QUIPU__INTERVAL_##class_name] = {.name = #class_name,                                                     \
                                      .discipline = QUIPU__DISCIPLINE_##its_discipline,                        \
                                      .key = (its_key),                                                        \
                                      .stand_in = (its_stand_in),                                              \
                                      .doc = (sentence)},
#define BEGINS(interval_class, kind)
#define SHARES(interval_class, kind)
#define ENDS(interval_class, kind)
#include "state/intervals.def"
};

/* What events of a kind do: numbers of classes plus 1. */
static const struct {
    uint8_t begins, ends;
    bool shares;
} turns[QUIPU_KIND_COUNT] = {
#define INTERVAL(name, discipline, key, stand_in, doc)
#define BEGINS(interval_class, kind) [QUIPU_KIND_##kind].begins = QUIPU__INTERVAL_##interval_class + 1,
#define SHARES(interval_class, kind)                                                                           \
    [QUIPU_KIND_##kind].begins = QUIPU__INTERVAL_##interval_class + 1, [QUIPU_KIND_##kind].shares = true,
#define ENDS(interval_class, kind) [QUIPU_KIND_##kind].ends = QUIPU__INTERVAL_##interval_class + 1,
#include "state/intervals.def"
};

const uint32_t quipu__kind_columns[QUIPU_KIND_COUNT] = {
#define QUIPU_KIND(name, family, doc) [QUIPU_KIND_##name] = 0
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc) | 1u << QUIPU_COLUMN_##column
#define QUIPU_KIND_END(name) ,
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

const struct quipu__interval quipu__unknown_interval = {.object = QUIPU_NONE,
                                                        .peer = QUIPU_NONE,
                                                        .group = QUIPU_NONE,
                                                        .operation = QUIPU_NONE,
                                                        .bytes = QUIPU_UNKNOWN,
                                                        .value = QUIPU_UNKNOWN,
                                                        .id = QUIPU_UNKNOWN};

bool quipu__kind_begins(enum quipu_kind kind, enum quipu__interval_class interval_class) {
    return turns[kind].begins == interval_class + 1u;
}

bool quipu__kind_ends(enum quipu_kind kind, enum quipu__interval_class interval_class) {
    return turns[kind].ends == interval_class + 1u;
}

/* ---- A tracker ---- */

void quipu__tracker_init(struct quipu__tracker *tracker, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions, uint32_t classes, bool has_messages) {
    *tracker = (struct quipu__tracker){.memory = memory,
                                       .definitions = definitions,
                                       .classes = classes,
                                       .has_messages = has_messages,
                                       .last = INT64_MIN,
                                       .unused = QUIPU_NONE};
    quipu__map_init(&tracker->state_of, memory);
    quipu__matcher_init(&tracker->matcher, memory);
    tracker->seed = tracker->state_of.seed;
}

void quipu__tracker_release(struct quipu__tracker *tracker) {
    quipu__matcher_release(&tracker->matcher);
    quipu__map_release(&tracker->state_of);
    QUIPU__VEC_RELEASE(tracker->memory, &tracker->states);
    QUIPU__VEC_RELEASE(tracker->memory, &tracker->latest);
    QUIPU__VEC_RELEASE(tracker->memory, &tracker->intervals);
    quipu__release(tracker->memory, tracker->buckets, tracker->bucket_count * sizeof *tracker->buckets);
}

/* ---- Keys ---- */

static uint64_t column_of(const struct quipu__interval *interval, enum quipu_column column) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        return (uint64_t)interval->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
    return 0;
}

#define ID_BIT (1u << QUIPU_COLUMN_id)

/* The columns that are the key of a interval in a list; ends of a stack are told apart by what they end, too. */
static uint32_t key_of(const struct quipu__interval *interval, uint32_t list) {
    const struct quipu__interval_row *row = &quipu__interval_rows[quipu__list_class(list)];
    if (row->discipline == QUIPU__DISCIPLINE_STACK)
        return row->key | (quipu__list_has_ends(list) ? row->stand_in : 0);
    return (row->key & ID_BIT) != 0 && interval->id == QUIPU_UNKNOWN ? row->stand_in : row->key;
}

/* A interval without id in a class that has no key but the id cannot be followed. */
static bool has_key(const struct quipu__interval *interval, uint32_t list) {
    return key_of(interval, list) != 0 || quipu__interval_rows[quipu__list_class(list)].key == 0;
}

static bool is_hashed(uint32_t list) {
    return quipu__list_has_ends(list) ||
           quipu__interval_rows[quipu__list_class(list)].discipline != QUIPU__DISCIPLINE_STACK;
}

static bool has_same(const struct quipu__interval *a, const struct quipu__interval *b, uint32_t columns) {
    for (unsigned column = 0; columns >> column != 0; column++)
        if ((columns >> column & 1) != 0 &&
            column_of(a, (enum quipu_column)column) != column_of(b, (enum quipu_column)column))
            return false;
    return true;
}

static uint32_t hash_of(const struct quipu__tracker *tracker, const struct quipu__interval *interval,
                        uint32_t state, uint32_t list) {
    uint64_t words[QUIPU_COLUMN_COUNT + 1] = {(uint64_t)state << 32 | list};
    const uint32_t columns = key_of(interval, list);
    size_t count = 1;
    for (unsigned column = 0; columns >> column != 0; column++)
        if ((columns >> column & 1) != 0)
            words[count++] = column_of(interval, (enum quipu_column)column);
    return (uint32_t)quipu__hash(words, count * sizeof *words, tracker->seed);
}

/* ---- The hash ---- */

static uint32_t *bucket_of(const struct quipu__tracker *tracker, uint32_t hash) {
    return &tracker->buckets[hash & (tracker->bucket_count - 1)];
}

/* The newest of a key comes first in its bucket. */
static void put_in_bucket(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = &tracker->intervals.items[number];
    uint32_t *bucket = bucket_of(tracker, interval->hash);
    interval->next = *bucket;
    interval->prior = QUIPU_NONE;
    if (*bucket != QUIPU_NONE)
        tracker->intervals.items[*bucket].prior = number;
    *bucket = number;
}

static void take_from_bucket(struct quipu__tracker *tracker, uint32_t number) {
    const struct quipu__interval *interval = &tracker->intervals.items[number];
    if (interval->prior == QUIPU_NONE)
        *bucket_of(tracker, interval->hash) = interval->next;
    else
        tracker->intervals.items[interval->prior].next = interval->next;
    if (interval->next != QUIPU_NONE)
        tracker->intervals.items[interval->next].prior = interval->prior;
    tracker->hashed--;
}

static void refill_buckets(struct quipu__tracker *tracker) {
    for (size_t i = 0; i < tracker->bucket_count; i++)
        tracker->buckets[i] = QUIPU_NONE;
    for (size_t i = 0; i < tracker->states.count; i++)
        for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
            for (uint32_t at = is_hashed(list) ? tracker->states.items[i].lists[list].oldest : QUIPU_NONE;
                 at != QUIPU_NONE; at = tracker->intervals.items[at].newer)
                put_in_bucket(tracker, at);
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

/* ---- Lists ---- */

static uint32_t new_thing(struct quipu__tracker *tracker) {
    const uint32_t number = tracker->unused;
    if (QUIPU__LIKELY(number != QUIPU_NONE)) {
        tracker->unused = tracker->intervals.items[number].next;
        return number;
    }
    if (tracker->intervals.count >= QUIPU_NONE || !QUIPU__VEC_RESERVE(tracker->memory, &tracker->intervals, 1))
        return QUIPU_NONE;
    return (uint32_t)tracker->intervals.count++;
}

static struct quipu__interval_list *list_of(const struct quipu__tracker *tracker,
                                            const struct quipu__interval *interval) {
    return &tracker->states.items[interval->state].lists[interval->list];
}

/* Makes it the newest of its list. */
static void link_thing(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = &tracker->intervals.items[number];
    struct quipu__interval_list *list = list_of(tracker, interval);
    interval->older = list->newest;
    interval->newer = QUIPU_NONE;
    if (list->newest == QUIPU_NONE)
        list->oldest = number;
    else
        tracker->intervals.items[list->newest].newer = number;
    list->newest = number;
    list->count++;
}

void quipu__tracker_remove(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = &tracker->intervals.items[number];
    struct quipu__interval_list *list = list_of(tracker, interval);
    if (is_hashed(interval->list))
        take_from_bucket(tracker, number);
    if (interval->older == QUIPU_NONE)
        list->oldest = interval->newer;
    else
        tracker->intervals.items[interval->older].newer = interval->newer;
    if (interval->newer == QUIPU_NONE)
        list->newest = interval->older;
    else
        tracker->intervals.items[interval->newer].older = interval->older;
    list->count--;
    interval->next = tracker->unused;
    tracker->unused = number;
}

static void make_room(struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    const struct quipu__interval_list *list = list_of(tracker, interval);
    const uint32_t most = quipu__list_has_ends(interval->list) ? ENDS_MOST : OPEN_MOST;
    if (list->count >= most)
        quipu__tracker_remove(tracker, list->oldest);
}

bool quipu__tracker_add(struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    const bool hashes = is_hashed(interval->list);
    if (hashes)
        make_room(tracker, interval);
    if (hashes && tracker->hashed == tracker->bucket_count && !add_buckets(tracker))
        return false;
    const uint32_t number = new_thing(tracker);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__interval *added = &tracker->intervals.items[number];
    *added = *interval;
    link_thing(tracker, number);
    if (hashes) {
        added->hash = hash_of(tracker, interval, interval->state, interval->list);
        put_in_bucket(tracker, number);
        tracker->hashed++;
    }
    return true;
}

/* ---- Finding ---- */

static uint32_t find_on_stack(const struct quipu__tracker *tracker, const struct quipu__interval *like,
                              const struct quipu__interval_list *list, uint32_t columns) {
    uint32_t number = list->newest;
    for (uint32_t looked = 0; number != QUIPU_NONE && looked < QUIPU__LOOK_OUT_MOST; looked++) {
        if (has_same(&tracker->intervals.items[number], like, columns))
            return number;
        number = tracker->intervals.items[number].older;
    }
    return QUIPU_NONE;
}

uint32_t quipu__tracker_find(const struct quipu__tracker *tracker, const struct quipu__interval *like,
                             uint32_t state, uint32_t list) {
    const struct quipu__interval_row *row = &quipu__interval_rows[quipu__list_class(list)];
    if (!is_hashed(list))
        return find_on_stack(tracker, like, &tracker->states.items[state].lists[list],
                             row->key | row->stand_in);
    if (tracker->hashed == 0)
        return QUIPU_NONE;
    const uint32_t hash = hash_of(tracker, like, state, list), columns = key_of(like, list);
    uint32_t number = *bucket_of(tracker, hash);
    for (; number != QUIPU_NONE; number = tracker->intervals.items[number].next) {
        const struct quipu__interval *interval = &tracker->intervals.items[number];
        if (interval->hash == hash && interval->state == state && interval->list == list &&
            key_of(interval, list) == columns && has_same(interval, like, columns))
            break;
    }
    return number;
}

/* ---- Strands ---- */

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

static uint32_t turn_to_state(struct quipu__tracker *tracker, uint32_t location, uint32_t stream) {
    uint32_t number = quipu__map_get(&tracker->state_of, (uint64_t)location << 32 | stream);
    if (number == QUIPU_NONE)
        number = add_state(tracker, location, stream);
    return number != QUIPU_NONE && set_latest(tracker, location, number) ? number : QUIPU_NONE;
}

uint32_t quipu__tracker_locate(struct quipu__tracker *tracker, uint32_t location, uint32_t stream) {
    if (QUIPU__LIKELY(location < tracker->latest.count && tracker->latest.items[location] > 0)) {
        const uint32_t number = tracker->latest.items[location] - 1;
        if (QUIPU__LIKELY(tracker->states.items[number].stream == stream))
            return number;
    }
    return turn_to_state(tracker, location, stream);
}

/* ---- Events ---- */

/* An event as a interval, with the columns that it has. */
static struct quipu__interval interval_of(const struct quipu_batch *batch, uint32_t event, uint32_t state) {
    const uint32_t columns = quipu__kind_columns[batch->kind[event]];
    struct quipu__interval interval = quipu__unknown_interval;
    interval.time = batch->time[event];
    interval.kind = batch->kind[event];
    interval.state = state;
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    if ((columns >> QUIPU_COLUMN_##name & 1) != 0)                                                             \
        interval.name = batch->name[event];
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    return interval;
}

/* What has the same key makes room: always, or when it is of another kind. */
static void replace(struct quipu__tracker *tracker, const struct quipu__interval *interval, bool shares) {
    uint32_t number;
    while ((number = quipu__tracker_find(tracker, interval, interval->state, interval->list)) != QUIPU_NONE &&
           (!shares || tracker->intervals.items[number].kind != interval->kind))
        quipu__tracker_remove(tracker, number);
}

/* The end of such a put is recorded by its target. */
static bool ends_elsewhere(const struct quipu__interval *interval) {
    return interval->kind == QUIPU_KIND_rma_begin && interval->operation == QUIPU_RMA_PUT_REMOTE_END;
}

static bool begin(struct quipu__tracker *tracker, struct quipu__interval *interval,
                  enum quipu__interval_class interval_class) {
    interval->list = (uint8_t)interval_class;
    if (!has_key(interval, interval->list) || ends_elsewhere(interval))
        return true;
    if (quipu__interval_rows[interval_class].discipline != QUIPU__DISCIPLINE_STACK)
        replace(tracker, interval, turns[interval->kind].shares);
    return quipu__tracker_add(tracker, interval);
}

/* Calls of regions that need not nest may overlap with others. */
static bool ends_alone(const struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    const struct quipu_regions *regions = &tracker->definitions->regions;
    return interval->list == QUIPU__INTERVAL_call && interval->object < regions->count &&
           regions->items[interval->object].nesting == QUIPU_NESTING_FREE;
}

void quipu__tracker_end(struct quipu__tracker *tracker, uint32_t number) {
    const struct quipu__interval outermost = tracker->intervals.items[number];
    const struct quipu__interval_row *row = &quipu__interval_rows[outermost.list];
    const bool is_alone = row->discipline != QUIPU__DISCIPLINE_STACK || ends_alone(tracker, &outermost);
    uint32_t at = is_alone ? number : list_of(tracker, &outermost)->newest;
    while (at != number) {
        const uint32_t older = tracker->intervals.items[at].older;
        if (has_same(&tracker->intervals.items[at], &outermost, row->key) &&
            !ends_alone(tracker, &tracker->intervals.items[at]))
            quipu__tracker_remove(tracker, at);
        at = older;
    }
    quipu__tracker_remove(tracker, number);
}

/* An end that does not say what it ends: the last one on the stack. */
static bool is_vague(const struct quipu__interval *end, enum quipu__interval_class interval_class) {
    const struct quipu__interval_row *row = &quipu__interval_rows[interval_class];
    if (row->discipline != QUIPU__DISCIPLINE_STACK)
        return false;
    return (row->stand_in & 1u << QUIPU_COLUMN_object) != 0 ? end->object == QUIPU_NONE
                                                            : end->value == QUIPU_UNKNOWN;
}

static bool finish(struct quipu__tracker *tracker, struct quipu__interval *end,
                   enum quipu__interval_class interval_class) {
    const bool vague = is_vague(end, interval_class);
    end->list = (uint8_t)(interval_class + QUIPU__INTERVAL_CLASSES);
    if (!has_key(end, end->list))
        return true;
    const uint32_t number =
        vague ? find_on_stack(tracker, end, &tracker->states.items[end->state].lists[interval_class],
                              quipu__interval_rows[interval_class].key)
              : quipu__tracker_find(tracker, end, end->state, interval_class);
    if (number != QUIPU_NONE)
        quipu__tracker_end(tracker, number);
    if (number != QUIPU_NONE || vague)
        return true;
    replace(tracker, end, false);
    return quipu__tracker_add(tracker, end);
}

/* Operations on files that begin and end may be those that open or close one. */
static bool finish_operation(struct quipu__tracker *tracker, struct quipu__interval interval) {
    interval.id = interval.group == QUIPU_NONE ? QUIPU_UNKNOWN : interval.group;
    interval.group = QUIPU_NONE;
    interval.kind = interval.operation == QUIPU_IO_OPEN ? QUIPU_KIND_io_open : QUIPU_KIND_io_close;
    interval.operation = QUIPU_NONE;
    interval.bytes = interval.value = QUIPU_UNKNOWN;
    return interval.kind == QUIPU_KIND_io_open ? begin(tracker, &interval, QUIPU__INTERVAL_file)
                                               : finish(tracker, &interval, QUIPU__INTERVAL_file);
}

static bool turn(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t event,
                 uint32_t state) {
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[event];
    struct quipu__interval interval = interval_of(batch, event, state);
    const uint32_t classes = tracker->classes << 1; /* as turns has them */
    bool done = true;
    if ((classes >> turns[kind].ends & 1) != 0)
        done = finish(tracker, &interval, (enum quipu__interval_class)(turns[kind].ends - 1));
    if (done && (classes >> turns[kind].begins & 1) != 0)
        done = begin(tracker, &interval, (enum quipu__interval_class)(turns[kind].begins - 1));
    if (done && kind == QUIPU_KIND_io_end &&
        (tracker->classes & QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_file)) != 0 &&
        (interval.operation == QUIPU_IO_OPEN || interval.operation == QUIPU_IO_CLOSE))
        done = finish_operation(tracker, interval);
    return done;
}

/* Calls are most of what happens; they take a shorter way. */
static bool enter(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t event,
                  uint32_t state) {
    if ((tracker->classes & QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)) == 0)
        return true;
    const uint32_t number = new_thing(tracker);
    if (QUIPU__UNLIKELY(number == QUIPU_NONE))
        return false;
    struct quipu__interval *interval = &tracker->intervals.items[number];
    *interval = quipu__unknown_interval;
    interval->time = batch->time[event];
    interval->kind = QUIPU_KIND_enter;
    interval->object = batch->object[event];
    interval->list = QUIPU__INTERVAL_call;
    interval->state = state;
    link_thing(tracker, number);
    return true;
}

/* A leave of the region that was entered last, which most are. */
static bool leave(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t event,
                  uint32_t state) {
    const uint32_t number = tracker->states.items[state].lists[QUIPU__INTERVAL_call].newest;
    const uint32_t region = batch->object[event];
    if (QUIPU__LIKELY(number != QUIPU_NONE) &&
        QUIPU__LIKELY(region == QUIPU_NONE || region == tracker->intervals.items[number].object)) {
        quipu__tracker_remove(tracker, number);
        return true;
    }
    return turn(tracker, batch, event, state);
}

bool quipu__tracker_add_event(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t event,
                              uint32_t stream) {
    const uint8_t kind = batch->kind[event];
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], stream);
    if (QUIPU__UNLIKELY(state == QUIPU_NONE))
        return false;
    if (batch->time[event] > tracker->last)
        tracker->last = batch->time[event];
    if (kind == QUIPU_KIND_enter)
        return enter(tracker, batch, event, state);
    if (kind == QUIPU_KIND_leave)
        return leave(tracker, batch, event, state);
    if (tracker->has_messages && (kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv) &&
        !quipu__matcher_add_event(&tracker->matcher, tracker->definitions, batch, event))
        return false;
    return (turns[kind].begins | turns[kind].ends) == 0 || turn(tracker, batch, event, state);
}
