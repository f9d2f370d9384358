/* open.c: following what begins and ends.
 *
 * Things lie in one array and are linked by their numbers: by age in the list of their strand and class, which for calls
 * is the stack; and, but for those of stacks, in the buckets of a hash of (strand, list, key). What has ended is used
 * again for what begins next.
 */
#include "trace/open.h"

#include "core/os.h"

/* Things of one list but a stack's, and ends without a beginning; the oldest goes beyond it. */
enum { OPEN_MOST = 1 << 16, ENDS_MOST = 256 };

/* ---- The tables ---- */

const struct quipu__begun_row quipu__begun_rows[QUIPU__BEGUN_CLASSES] = {
#define OPEN_CLASS(class_name, its_discipline, its_key, its_stand_in, sentence)                                \
    [QUIPU__BEGUN_##class_name] = {.name = #class_name,                                                        \
                                   .discipline = QUIPU__BEGUN_##its_discipline,                                \
                                   .key = (its_key),                                                           \
                                   .stand_in = (its_stand_in),                                                 \
                                   .doc = (sentence)},
#define OPEN_BEGIN(class_of, kind)
#define OPEN_SHARE(class_of, kind)
#define OPEN_END(class_of, kind)
#include "trace/open.def"
};

/* What events of a kind do: numbers of classes plus 1. */
static const struct {
    uint8_t begins, ends;
    bool shares;
} turns[QUIPU_KIND_COUNT] = {
#define OPEN_CLASS(name, discipline, key, stand_in, doc)
#define OPEN_BEGIN(class_of, kind) [QUIPU_KIND_##kind].begins = QUIPU__BEGUN_##class_of + 1,
#define OPEN_SHARE(class_of, kind)                                                                             \
    [QUIPU_KIND_##kind].begins = QUIPU__BEGUN_##class_of + 1, [QUIPU_KIND_##kind].shares = true,
#define OPEN_END(class_of, kind) [QUIPU_KIND_##kind].ends = QUIPU__BEGUN_##class_of + 1,
#include "trace/open.def"
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

const struct quipu__begun quipu__begun_unknown = {.object = QUIPU_NONE,
                                                  .peer = QUIPU_NONE,
                                                  .group = QUIPU_NONE,
                                                  .operation = QUIPU_NONE,
                                                  .bytes = QUIPU_UNKNOWN,
                                                  .value = QUIPU_UNKNOWN,
                                                  .id = QUIPU_UNKNOWN};

bool quipu__kind_begins(enum quipu_kind kind, enum quipu__begun_class class_of) {
    return turns[kind].begins == class_of + 1u;
}

bool quipu__kind_ends(enum quipu_kind kind, enum quipu__begun_class class_of) {
    return turns[kind].ends == class_of + 1u;
}

/* ---- A follower ---- */

void quipu__follower_init(struct quipu__follower *follower, struct quipu__memory *memory,
                          const struct quipu_definitions *definitions, uint32_t classes, bool has_messages) {
    *follower = (struct quipu__follower){.memory = memory,
                                         .definitions = definitions,
                                         .classes = classes,
                                         .has_messages = has_messages,
                                         .last = INT64_MIN,
                                         .unused = QUIPU_NONE};
    quipu__map_init(&follower->strand_of, memory);
    quipu__pending_init(&follower->pending, memory);
    follower->seed = follower->strand_of.seed;
}

void quipu__follower_release(struct quipu__follower *follower) {
    quipu__pending_release(&follower->pending);
    quipu__map_release(&follower->strand_of);
    QUIPU__VEC_RELEASE(follower->memory, &follower->strands);
    QUIPU__VEC_RELEASE(follower->memory, &follower->latest);
    QUIPU__VEC_RELEASE(follower->memory, &follower->things);
    quipu__release(follower->memory, follower->buckets, follower->bucket_count * sizeof *follower->buckets);
}

/* ---- Keys ---- */

static uint64_t column_of(const struct quipu__begun *thing, enum quipu_column column) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        return (uint64_t)thing->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
    return 0;
}

#define ID_BIT (1u << QUIPU_COLUMN_id)

/* The columns that are the key of a thing in a list; ends of a stack are told apart by what they end, too. */
static uint32_t key_of(const struct quipu__begun *thing, uint32_t list) {
    const struct quipu__begun_row *row = &quipu__begun_rows[quipu__list_class(list)];
    if (row->discipline == QUIPU__BEGUN_STACK)
        return row->key | (quipu__list_has_ends(list) ? row->stand_in : 0);
    return (row->key & ID_BIT) != 0 && thing->id == QUIPU_UNKNOWN ? row->stand_in : row->key;
}

/* A thing without id in a class that has no key but the id cannot be followed. */
static bool has_key(const struct quipu__begun *thing, uint32_t list) {
    return key_of(thing, list) != 0 || quipu__begun_rows[quipu__list_class(list)].key == 0;
}

static bool is_hashed(uint32_t list) {
    return quipu__list_has_ends(list) ||
           quipu__begun_rows[quipu__list_class(list)].discipline != QUIPU__BEGUN_STACK;
}

static bool has_same(const struct quipu__begun *a, const struct quipu__begun *b, uint32_t columns) {
    for (unsigned column = 0; columns >> column != 0; column++)
        if ((columns >> column & 1) != 0 &&
            column_of(a, (enum quipu_column)column) != column_of(b, (enum quipu_column)column))
            return false;
    return true;
}

static uint32_t hash_of(const struct quipu__follower *follower, const struct quipu__begun *thing,
                        uint32_t strand, uint32_t list) {
    uint64_t words[QUIPU_COLUMN_COUNT + 1] = {(uint64_t)strand << 32 | list};
    const uint32_t columns = key_of(thing, list);
    size_t count = 1;
    for (unsigned column = 0; columns >> column != 0; column++)
        if ((columns >> column & 1) != 0)
            words[count++] = column_of(thing, (enum quipu_column)column);
    return (uint32_t)quipu__hash(words, count * sizeof *words, follower->seed);
}

/* ---- The hash ---- */

static uint32_t *bucket_of(const struct quipu__follower *follower, uint32_t hash) {
    return &follower->buckets[hash & (follower->bucket_count - 1)];
}

/* The newest of a key comes first in its bucket. */
static void put_in_bucket(struct quipu__follower *follower, uint32_t number) {
    struct quipu__begun *thing = &follower->things.items[number];
    uint32_t *bucket = bucket_of(follower, thing->hash);
    thing->next = *bucket;
    thing->prior = QUIPU_NONE;
    if (*bucket != QUIPU_NONE)
        follower->things.items[*bucket].prior = number;
    *bucket = number;
}

static void take_from_bucket(struct quipu__follower *follower, uint32_t number) {
    const struct quipu__begun *thing = &follower->things.items[number];
    if (thing->prior == QUIPU_NONE)
        *bucket_of(follower, thing->hash) = thing->next;
    else
        follower->things.items[thing->prior].next = thing->next;
    if (thing->next != QUIPU_NONE)
        follower->things.items[thing->next].prior = thing->prior;
    follower->hashed--;
}

static void refill_buckets(struct quipu__follower *follower) {
    for (size_t i = 0; i < follower->bucket_count; i++)
        follower->buckets[i] = QUIPU_NONE;
    for (size_t i = 0; i < follower->strands.count; i++)
        for (uint32_t list = 0; list < QUIPU__BEGUN_LISTS; list++)
            for (uint32_t at = is_hashed(list) ? follower->strands.items[i].lists[list].oldest : QUIPU_NONE;
                 at != QUIPU_NONE; at = follower->things.items[at].newer)
                put_in_bucket(follower, at);
}

static bool add_buckets(struct quipu__follower *follower) {
    const size_t count = follower->bucket_count ? follower->bucket_count * 2 : 64;
    uint32_t *buckets = quipu__resize(follower->memory, follower->buckets,
                                      follower->bucket_count * sizeof *buckets, count * sizeof *buckets);
    if (!buckets)
        return false;
    follower->buckets = buckets;
    follower->bucket_count = count;
    refill_buckets(follower);
    return true;
}

/* ---- Lists ---- */

static uint32_t new_thing(struct quipu__follower *follower) {
    const uint32_t number = follower->unused;
    if (QUIPU__LIKELY(number != QUIPU_NONE)) {
        follower->unused = follower->things.items[number].next;
        return number;
    }
    if (follower->things.count >= QUIPU_NONE || !QUIPU__VEC_RESERVE(follower->memory, &follower->things, 1))
        return QUIPU_NONE;
    return (uint32_t)follower->things.count++;
}

static struct quipu__begun_list *list_of(const struct quipu__follower *follower,
                                         const struct quipu__begun *thing) {
    return &follower->strands.items[thing->strand].lists[thing->list];
}

/* Makes it the newest of its list. */
static void link_thing(struct quipu__follower *follower, uint32_t number) {
    struct quipu__begun *thing = &follower->things.items[number];
    struct quipu__begun_list *list = list_of(follower, thing);
    thing->older = list->newest;
    thing->newer = QUIPU_NONE;
    if (list->newest == QUIPU_NONE)
        list->oldest = number;
    else
        follower->things.items[list->newest].newer = number;
    list->newest = number;
    list->count++;
}

void quipu__begun_remove(struct quipu__follower *follower, uint32_t number) {
    struct quipu__begun *thing = &follower->things.items[number];
    struct quipu__begun_list *list = list_of(follower, thing);
    if (is_hashed(thing->list))
        take_from_bucket(follower, number);
    if (thing->older == QUIPU_NONE)
        list->oldest = thing->newer;
    else
        follower->things.items[thing->older].newer = thing->newer;
    if (thing->newer == QUIPU_NONE)
        list->newest = thing->older;
    else
        follower->things.items[thing->newer].older = thing->older;
    list->count--;
    thing->next = follower->unused;
    follower->unused = number;
}

static void make_room(struct quipu__follower *follower, const struct quipu__begun *thing) {
    const struct quipu__begun_list *list = list_of(follower, thing);
    const uint32_t most = quipu__list_has_ends(thing->list) ? ENDS_MOST : OPEN_MOST;
    if (list->count >= most)
        quipu__begun_remove(follower, list->oldest);
}

bool quipu__begun_add(struct quipu__follower *follower, const struct quipu__begun *thing) {
    const bool hashes = is_hashed(thing->list);
    if (hashes)
        make_room(follower, thing);
    if (hashes && follower->hashed == follower->bucket_count && !add_buckets(follower))
        return false;
    const uint32_t number = new_thing(follower);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__begun *added = &follower->things.items[number];
    *added = *thing;
    link_thing(follower, number);
    if (hashes) {
        added->hash = hash_of(follower, thing, thing->strand, thing->list);
        put_in_bucket(follower, number);
        follower->hashed++;
    }
    return true;
}

/* ---- Finding ---- */

static uint32_t find_on_stack(const struct quipu__follower *follower, const struct quipu__begun *like,
                              const struct quipu__begun_list *list, uint32_t columns) {
    uint32_t number = list->newest;
    for (uint32_t looked = 0; number != QUIPU_NONE && looked < QUIPU__LOOK_MOST; looked++) {
        if (has_same(&follower->things.items[number], like, columns))
            return number;
        number = follower->things.items[number].older;
    }
    return QUIPU_NONE;
}

uint32_t quipu__begun_find(const struct quipu__follower *follower, const struct quipu__begun *like,
                           uint32_t strand, uint32_t list) {
    const struct quipu__begun_row *row = &quipu__begun_rows[quipu__list_class(list)];
    if (!is_hashed(list))
        return find_on_stack(follower, like, &follower->strands.items[strand].lists[list],
                             row->key | row->stand_in);
    if (follower->hashed == 0)
        return QUIPU_NONE;
    const uint32_t hash = hash_of(follower, like, strand, list), columns = key_of(like, list);
    uint32_t number = *bucket_of(follower, hash);
    for (; number != QUIPU_NONE; number = follower->things.items[number].next) {
        const struct quipu__begun *thing = &follower->things.items[number];
        if (thing->hash == hash && thing->strand == strand && thing->list == list &&
            key_of(thing, list) == columns && has_same(thing, like, columns))
            break;
    }
    return number;
}

/* ---- Strands ---- */

static bool set_latest(struct quipu__follower *follower, uint32_t location, uint32_t strand) {
    const size_t known = follower->latest.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(follower->memory, &follower->latest, (size_t)location + 1 - known))
            return false;
        follower->latest.count = (size_t)location + 1;
    }
    follower->latest.items[location] = strand + 1;
    return true;
}

static uint32_t add_strand(struct quipu__follower *follower, uint32_t location, uint32_t stream) {
    struct quipu__strand *strand = QUIPU__VEC_ADD(follower->memory, &follower->strands);
    if (!strand)
        return QUIPU_NONE;
    *strand = (struct quipu__strand){.location = location, .stream = stream};
    for (uint32_t list = 0; list < QUIPU__BEGUN_LISTS; list++)
        strand->lists[list] = (struct quipu__begun_list){QUIPU_NONE, QUIPU_NONE, 0};
    const uint32_t number = (uint32_t)(follower->strands.count - 1);
    return quipu__map_put(&follower->strand_of, (uint64_t)location << 32 | stream, number) ? number
                                                                                           : QUIPU_NONE;
}

static uint32_t turn_to_strand(struct quipu__follower *follower, uint32_t location, uint32_t stream) {
    uint32_t number = quipu__map_get(&follower->strand_of, (uint64_t)location << 32 | stream);
    if (number == QUIPU_NONE)
        number = add_strand(follower, location, stream);
    return number != QUIPU_NONE && set_latest(follower, location, number) ? number : QUIPU_NONE;
}

uint32_t quipu__strand_at(struct quipu__follower *follower, uint32_t location, uint32_t stream) {
    if (QUIPU__LIKELY(location < follower->latest.count && follower->latest.items[location] > 0)) {
        const uint32_t number = follower->latest.items[location] - 1;
        if (QUIPU__LIKELY(follower->strands.items[number].stream == stream))
            return number;
    }
    return turn_to_strand(follower, location, stream);
}

/* ---- Events ---- */

/* An event as a thing, with the columns that it has. */
static struct quipu__begun thing_of(const struct quipu_batch *batch, uint32_t event, uint32_t strand) {
    const uint32_t columns = quipu__kind_columns[batch->kind[event]];
    struct quipu__begun thing = quipu__begun_unknown;
    thing.time = batch->time[event];
    thing.kind = batch->kind[event];
    thing.strand = strand;
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    if ((columns >> QUIPU_COLUMN_##name & 1) != 0)                                                             \
        thing.name = batch->name[event];
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    return thing;
}

/* What has the same key makes room: always, or when it is of another kind. */
static void replace(struct quipu__follower *follower, const struct quipu__begun *thing, bool shares) {
    uint32_t number;
    while ((number = quipu__begun_find(follower, thing, thing->strand, thing->list)) != QUIPU_NONE &&
           (!shares || follower->things.items[number].kind != thing->kind))
        quipu__begun_remove(follower, number);
}

/* The end of such a put is recorded by its target. */
static bool ends_elsewhere(const struct quipu__begun *thing) {
    return thing->kind == QUIPU_KIND_rma_begin && thing->operation == QUIPU_RMA_PUT_REMOTE_END;
}

static bool begin(struct quipu__follower *follower, struct quipu__begun *thing,
                  enum quipu__begun_class class_of) {
    thing->list = (uint8_t)class_of;
    if (!has_key(thing, thing->list) || ends_elsewhere(thing))
        return true;
    if (quipu__begun_rows[class_of].discipline != QUIPU__BEGUN_STACK)
        replace(follower, thing, turns[thing->kind].shares);
    return quipu__begun_add(follower, thing);
}

/* Calls of regions that need not nest may overlap with others. */
static bool ends_alone(const struct quipu__follower *follower, const struct quipu__begun *thing) {
    const struct quipu_regions *regions = &follower->definitions->regions;
    return thing->list == QUIPU__BEGUN_call && thing->object < regions->count &&
           regions->items[thing->object].nesting == QUIPU_NESTING_FREE;
}

void quipu__begun_close(struct quipu__follower *follower, uint32_t number) {
    const struct quipu__begun outermost = follower->things.items[number];
    const struct quipu__begun_row *row = &quipu__begun_rows[outermost.list];
    const bool is_alone = row->discipline != QUIPU__BEGUN_STACK || ends_alone(follower, &outermost);
    uint32_t at = is_alone ? number : list_of(follower, &outermost)->newest;
    while (at != number) {
        const uint32_t older = follower->things.items[at].older;
        if (has_same(&follower->things.items[at], &outermost, row->key) &&
            !ends_alone(follower, &follower->things.items[at]))
            quipu__begun_remove(follower, at);
        at = older;
    }
    quipu__begun_remove(follower, number);
}

/* An end that does not say what it ends: the last one on the stack. */
static bool is_vague(const struct quipu__begun *end, enum quipu__begun_class class_of) {
    const struct quipu__begun_row *row = &quipu__begun_rows[class_of];
    if (row->discipline != QUIPU__BEGUN_STACK)
        return false;
    return (row->stand_in & 1u << QUIPU_COLUMN_object) != 0 ? end->object == QUIPU_NONE
                                                            : end->value == QUIPU_UNKNOWN;
}

static bool finish(struct quipu__follower *follower, struct quipu__begun *end,
                   enum quipu__begun_class class_of) {
    const bool vague = is_vague(end, class_of);
    end->list = (uint8_t)(class_of + QUIPU__BEGUN_CLASSES);
    if (!has_key(end, end->list))
        return true;
    const uint32_t number =
        vague ? find_on_stack(follower, end, &follower->strands.items[end->strand].lists[class_of],
                              quipu__begun_rows[class_of].key)
              : quipu__begun_find(follower, end, end->strand, class_of);
    if (number != QUIPU_NONE)
        quipu__begun_close(follower, number);
    if (number != QUIPU_NONE || vague)
        return true;
    replace(follower, end, false);
    return quipu__begun_add(follower, end);
}

/* Operations on files that begin and end may be those that open or close one. */
static bool finish_operation(struct quipu__follower *follower, struct quipu__begun thing) {
    thing.id = thing.group == QUIPU_NONE ? QUIPU_UNKNOWN : thing.group;
    thing.group = QUIPU_NONE;
    thing.kind = thing.operation == QUIPU_IO_OPEN ? QUIPU_KIND_io_open : QUIPU_KIND_io_close;
    thing.operation = QUIPU_NONE;
    thing.bytes = thing.value = QUIPU_UNKNOWN;
    return thing.kind == QUIPU_KIND_io_open ? begin(follower, &thing, QUIPU__BEGUN_file)
                                            : finish(follower, &thing, QUIPU__BEGUN_file);
}

static bool turn(struct quipu__follower *follower, const struct quipu_batch *batch, uint32_t event,
                 uint32_t strand) {
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[event];
    struct quipu__begun thing = thing_of(batch, event, strand);
    const uint32_t classes = follower->classes << 1; /* as turns has them */
    bool done = true;
    if ((classes >> turns[kind].ends & 1) != 0)
        done = finish(follower, &thing, (enum quipu__begun_class)(turns[kind].ends - 1));
    if (done && (classes >> turns[kind].begins & 1) != 0)
        done = begin(follower, &thing, (enum quipu__begun_class)(turns[kind].begins - 1));
    if (done && kind == QUIPU_KIND_io_end && (follower->classes & QUIPU__BEGUN_BIT(QUIPU__BEGUN_file)) != 0 &&
        (thing.operation == QUIPU_IO_OPEN || thing.operation == QUIPU_IO_CLOSE))
        done = finish_operation(follower, thing);
    return done;
}

/* Calls are most of what happens; they take a shorter way. */
static bool enter(struct quipu__follower *follower, const struct quipu_batch *batch, uint32_t event,
                  uint32_t strand) {
    if ((follower->classes & QUIPU__BEGUN_BIT(QUIPU__BEGUN_call)) == 0)
        return true;
    const uint32_t number = new_thing(follower);
    if (QUIPU__UNLIKELY(number == QUIPU_NONE))
        return false;
    struct quipu__begun *thing = &follower->things.items[number];
    *thing = quipu__begun_unknown;
    thing->time = batch->time[event];
    thing->kind = QUIPU_KIND_enter;
    thing->object = batch->object[event];
    thing->list = QUIPU__BEGUN_call;
    thing->strand = strand;
    link_thing(follower, number);
    return true;
}

/* A leave of the region that was entered last, which most are. */
static bool leave(struct quipu__follower *follower, const struct quipu_batch *batch, uint32_t event,
                  uint32_t strand) {
    const uint32_t number = follower->strands.items[strand].lists[QUIPU__BEGUN_call].newest;
    const uint32_t region = batch->object[event];
    if (QUIPU__LIKELY(number != QUIPU_NONE) &&
        QUIPU__LIKELY(region == QUIPU_NONE || region == follower->things.items[number].object)) {
        quipu__begun_remove(follower, number);
        return true;
    }
    return turn(follower, batch, event, strand);
}

bool quipu__follow(struct quipu__follower *follower, const struct quipu_batch *batch, uint32_t event,
                   uint32_t stream) {
    const uint8_t kind = batch->kind[event];
    const uint32_t strand = quipu__strand_at(follower, batch->location[event], stream);
    if (QUIPU__UNLIKELY(strand == QUIPU_NONE))
        return false;
    if (batch->time[event] > follower->last)
        follower->last = batch->time[event];
    if (kind == QUIPU_KIND_enter)
        return enter(follower, batch, event, strand);
    if (kind == QUIPU_KIND_leave)
        return leave(follower, batch, event, strand);
    if (follower->has_messages && (kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv) &&
        !quipu__pending_follow(&follower->pending, follower->definitions, batch, event))
        return false;
    return (turns[kind].begins | turns[kind].ends) == 0 || turn(follower, batch, event, strand);
}
