/* where_bind.c: prepares expressions for one trace: the result of a test for each definition becomes a bit, and tests of numbers
 * become ranges, times in ticks of the trace's clock.
 *
 * Names are matched with regular expressions only here, except texts of events and definitions that a damaged trace adds later.
 */
#include "core/error.h"
#include "model/event.h"
#include "model/where.h"
#include "model/where_regex.h"

#include <string.h>

/* ---- What is known of a definition ---- */

/* A text and a number that it may be compared with. */
struct known {
    const char *text; /* NULL: none */
    bool has_number;
    int64_t number;
};

static struct known known_text(const char *text) {
    return (struct known){.text = text && text[0] ? text : NULL};
}

static struct known known_number(int64_t number) {
    return (struct known){.has_number = number >= 0, .number = number};
}

/* The location, or its nearest ancestor, for which has is true; NULL when there is none. */
static const struct quipu_location *find_around(const struct quipu_locations *locations, uint32_t number,
                                                bool (*has)(const struct quipu_location *location)) {
    for (uint32_t steps = 0; number < locations->count && steps <= locations->count; steps++) {
        if (has(&locations->items[number]))
            return &locations->items[number];
        number = locations->items[number].parent;
    }
    return NULL;
}

static bool has_rank(const struct quipu_location *location) {
    return location->rank >= 0;
}

static bool has_pid(const struct quipu_location *location) {
    return location->pid >= 0;
}

static bool has_host(const struct quipu_location *location) {
    return location->host[0] || location->kind == QUIPU_LOCATION_NODE;
}

static bool is_process(const struct quipu_location *location) {
    return location->kind == QUIPU_LOCATION_PROCESS;
}

static struct known location_property(const struct quipu_locations *locations, uint32_t number,
                                      enum quipu__where_property property) {
    const struct quipu_location *found;
    switch (property) {
    case QUIPU__WHERE_RANK:
        found = find_around(locations, number, has_rank);
        return known_number(found ? found->rank : -1);
    case QUIPU__WHERE_PID:
        found = find_around(locations, number, has_pid);
        return known_number(found ? found->pid : -1);
    case QUIPU__WHERE_TID:
        return known_number(number < locations->count ? locations->items[number].tid : -1);
    case QUIPU__WHERE_HOST:
        found = find_around(locations, number, has_host);
        if (found && found->host[0])
            return known_text(found->host);
        return known_text(found ? found->name : NULL);
    default:
        found = find_around(locations, number, is_process);
        return known_text(found ? found->name : NULL);
    }
}

static struct known region_property(const struct quipu_regions *regions, uint32_t number,
                                    enum quipu__where_property property) {
    if (number >= regions->count)
        return known_text(NULL);
    const struct quipu_region *region = &regions->items[number];
    return known_text(property == QUIPU__WHERE_ROLE ? quipu__region_role_text(region->role) : region->group);
}

static const char *name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint32_t number) {
#define NAME_IN(list) (number < definitions->list.count ? definitions->list.items[number].name : NULL)
    switch (refers) {
    case QUIPU_REFERS_LOCATION:
        return NAME_IN(locations);
    case QUIPU_REFERS_REGION:
        return NAME_IN(regions);
    case QUIPU_REFERS_GROUP:
        return NAME_IN(groups);
    case QUIPU_REFERS_FILE:
        return NAME_IN(files);
    case QUIPU_REFERS_METRIC:
        return NAME_IN(metrics);
    case QUIPU_REFERS_MARKER:
        return NAME_IN(markers);
    case QUIPU_REFERS_CHANNEL:
        return NAME_IN(channels);
    case QUIPU_REFERS_TASK_TYPE:
        return NAME_IN(task_types);
    default:
        return quipu_operation_name(refers, number);
    }
#undef NAME_IN
}

static struct known describe(const struct quipu_definitions *definitions, const struct quipu__where_test *test,
                             enum quipu_refers refers, uint32_t number) {
    if (test->property == QUIPU__WHERE_NAME) {
        struct known known = known_text(name_of(definitions, refers, number));
        known.has_number = true;
        known.number = number;
        return known;
    }
    return refers == QUIPU_REFERS_LOCATION ? location_property(&definitions->locations, number, test->property)
                                           : region_property(&definitions->regions, number, test->property);
}

const char *quipu__where_text(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                              enum quipu_refers refers, uint32_t number) {
    return describe(where->definitions, test, refers, number).text;
}

static uint32_t count_of(const struct quipu_definitions *definitions, enum quipu_refers refers) {
    const uint64_t count = quipu__count_of(definitions, refers);
    return count == QUIPU_UNKNOWN ? 0 : (uint32_t)count;
}

/* ---- Comparing ---- */

bool quipu__where_item_is(const struct quipu__where_item *item, const char *text) {
    if (!item->text || !text)
        return false;
    return item->regex ? quipu__regex_finds(item->regex, text) : strcmp(item->text, text) == 0;
}

static bool is_in_range(const struct quipu__where_range *range, uint64_t key) {
    return range->first <= key && key < range->past;
}

bool quipu__where_accepts(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                          enum quipu_refers refers, uint32_t number) {
    const struct known known = describe(where->definitions, test, refers, number);
    bool is_any = test->comparison == QUIPU__WHERE_KNOWN;
    if (!known.text && !known.has_number)
        return false;
    for (uint32_t i = 0; i < test->count && !is_any; i++)
        is_any = quipu__where_item_is(&where->items.items[test->first + i], known.text) ||
                 (known.has_number && is_in_range(&test->ranges[1][i], quipu__where_signed_key(known.number)));
    return is_any != test->is_negated;
}

static bool compares(enum quipu__where_operator comparison, long double value,
                     const struct quipu__where_item *item) {
    switch (comparison) {
    case QUIPU__WHERE_LESS:
        return value < item->first.real;
    case QUIPU__WHERE_AT_MOST:
        return value <= item->first.real;
    case QUIPU__WHERE_MORE:
        return value > item->first.real;
    case QUIPU__WHERE_AT_LEAST:
        return value >= item->first.real;
    default:
        return value >= item->first.real && value <= item->last.real;
    }
}

bool quipu__where_accepts_value(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                                const char *text, const long double *number) {
    bool is_any = test->comparison == QUIPU__WHERE_KNOWN;
    for (uint32_t i = 0; i < test->count && !is_any; i++) {
        const struct quipu__where_item *item = &where->items.items[test->first + i];
        is_any =
            item->text ? quipu__where_item_is(item, text) : number && compares(test->comparison, *number, item);
    }
    return is_any != test->is_negated;
}

/* ---- Ranges ---- */

/* The keys of a number are first <= key < past; a number beyond all keys gives an empty range at that end. */
static struct quipu__where_range unsigned_keys(const struct quipu__where_number *number) {
    if (number->is_negative && number->size > 0)
        return (struct quipu__where_range){0, 0};
    return (struct quipu__where_range){number->size, number->size < UINT64_MAX ? number->size + 1 : UINT64_MAX};
}

static struct quipu__where_range signed_keys(const struct quipu__where_number *number) {
    const uint64_t zero = (uint64_t)1 << 63;
    if (number->is_negative && number->size > zero)
        return (struct quipu__where_range){0, 0};
    if (!number->is_negative && number->size >= zero)
        return (struct quipu__where_range){UINT64_MAX, UINT64_MAX};
    const uint64_t key =
        quipu__where_signed_key((int64_t)(number->is_negative ? 0 - number->size : number->size));
    return (struct quipu__where_range){key, key + 1};
}

/* The ticks that are that many nanoseconds when rounded down. */
static struct quipu__where_range tick_keys(const struct quipu_clock *clock,
                                           const struct quipu__where_number *number) {
    if (number->unit != QUIPU__WHERE_NANOSECONDS)
        return signed_keys(number);
    const int64_t ns = number->is_negative ? -(int64_t)number->size : (int64_t)number->size;
    const int64_t next = ns < INT64_MAX ? ns + 1 : ns;
    return (struct quipu__where_range){quipu__where_signed_key(quipu_clock_ticks(clock, ns)),
                                       quipu__where_signed_key(quipu_clock_ticks(clock, next))};
}

static struct quipu__where_range range_of(enum quipu__where_operator comparison,
                                          struct quipu__where_range first, struct quipu__where_range last) {
    switch (comparison) {
    case QUIPU__WHERE_LESS:
        return (struct quipu__where_range){0, first.first};
    case QUIPU__WHERE_AT_MOST:
        return (struct quipu__where_range){0, first.past};
    case QUIPU__WHERE_MORE:
        return (struct quipu__where_range){first.past, UINT64_MAX};
    case QUIPU__WHERE_AT_LEAST:
        return (struct quipu__where_range){first.first, UINT64_MAX};
    default:
        return (struct quipu__where_range){first.first, last.past};
    }
}

static bool bind_ranges(struct quipu__where_clause *where, struct quipu__where_test *test) {
    const struct quipu_clock *clock = &where->definitions->clock;
    for (unsigned domain = 0; domain < 2; domain++) {
        struct quipu__where_range *ranges =
            quipu__arena_alloc(&where->arena, (test->count + (size_t)1) * sizeof *ranges);
        test->ranges[domain] = ranges;
        for (uint32_t i = 0; ranges && i < test->count; i++) {
            const struct quipu__where_item *item = &where->items.items[test->first + i];
            if (item->text)
                ranges[i] = (struct quipu__where_range){0, 0};
            else if (domain == 0)
                ranges[i] = range_of(test->comparison, unsigned_keys(&item->first), unsigned_keys(&item->last));
            else
                ranges[i] =
                    range_of(test->comparison, tick_keys(clock, &item->first), tick_keys(clock, &item->last));
        }
        if (!ranges)
            return false;
    }
    return true;
}

/* ---- Sets ---- */

static bool bind_set(struct quipu__where_clause *where, struct quipu__where_test *test,
                     enum quipu_refers refers) {
    struct quipu__where_set *set = &test->sets[refers];
    const uint32_t count = count_of(where->definitions, refers);
    const size_t bytes = ((size_t)count + 63) / 64 * sizeof *set->bits;
    if (set->bits || count == 0)
        return true;
    set->bits = quipu__arena_alloc(&where->arena, bytes);
    if (!set->bits)
        return false;
    memset(set->bits, 0, bytes);
    for (uint32_t i = 0; i < count; i++)
        set->bits[i / 64] |= (uint64_t)quipu__where_accepts(where, test, refers, i) << i % 64;
    set->count = count;
    return true;
}

static void bind_kinds(struct quipu__where_clause *where, struct quipu__where_test *test) {
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        const char *text = test->property == QUIPU__WHERE_FAMILY ? kind->family : kind->name;
        if (quipu__where_accepts_value(where, test, text, NULL))
            test->kinds |= QUIPU_KIND_BIT(i);
    }
}

static bool bind_sets(struct quipu__where_clause *where, struct quipu__where_test *test) {
    if (test->subject == QUIPU__WHERE_LOCATION)
        return bind_set(where, test, QUIPU_REFERS_LOCATION);
    if (test->subject == QUIPU__WHERE_REGION)
        return bind_set(where, test, QUIPU_REFERS_REGION);
    if (test->subject == QUIPU__WHERE_KIND)
        bind_kinds(where, test);
    for (int i = 0; i < QUIPU_KIND_COUNT; i++)
        if (test->fields[i] && test->type != QUIPU__WHERE_VALUES &&
            !bind_set(where, test, test->fields[i]->refers))
            return false;
    return true;
}

/* ---- Binding ---- */

/* The duration from which longer ones make no difference to a test. */
static int64_t decisive_duration(const struct quipu__where_test *test) {
    int64_t most = 1;
    for (uint32_t i = 0; i < test->count; i++) {
        const uint64_t ends[] = {test->ranges[1][i].first, test->ranges[1][i].past};
        for (size_t k = 0; k < 2; k++) {
            const int64_t ticks = (int64_t)(ends[k] ^ (uint64_t)1 << 63);
            most = ends[k] < UINT64_MAX && ticks > most ? ticks : most;
        }
    }
    return most;
}

/* Whether there are files and a test is of a field that the events of a file operation may supply for each other. */
static bool needs_operations(const struct quipu__where_clause *where, const struct quipu__where_test *test) {
    static const enum quipu_kind kinds[] = {QUIPU_KIND_io_begin, QUIPU_KIND_io_end, QUIPU_KIND_io_close,
                                            QUIPU_KIND_io_control};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && where->definitions->files.count > 0; i++)
        if (test->subject == QUIPU__WHERE_COLUMN && test->fields[kinds[i]] &&
            test->fields[kinds[i]]->column != QUIPU_COLUMN_id)
            return true;
    return false;
}

static bool bind_test(struct quipu__where_clause *where, struct quipu__where_test *test) {
    if (!bind_ranges(where, test) || !bind_sets(where, test))
        return false;
    where->needs_attributes |= test->type == QUIPU__WHERE_TEXTS;
    where->needs_operations |= needs_operations(where, test);
    where->needs_calls |= test->subject == QUIPU__WHERE_REGION || test->subject == QUIPU__WHERE_DURATION;
    if (test->subject == QUIPU__WHERE_DURATION) {
        const int64_t decisive = decisive_duration(test);
        where->lookahead = decisive > where->lookahead ? decisive : where->lookahead;
    }
    return true;
}

enum quipu_status quipu__where_new(struct quipu__memory *memory, const char *text,
                                   const struct quipu_definitions *definitions,
                                   struct quipu__where_clause **out, struct quipu_error *err) {
    struct quipu__where_clause *where = *out = quipu__alloc_zero(memory, sizeof *where);
    if (!where)
        return quipu__no_memory(err, sizeof *where);
    where->memory = memory;
    where->definitions = definitions;
    quipu__arena_init(&where->arena, memory);
    enum quipu_status status = quipu__where_parse(where, text, err);
    for (size_t i = 0; i < where->tests.count && status == QUIPU_OK; i++)
        if (!bind_test(where, &where->tests.items[i]))
            status = quipu__no_memory(err, memory->used);
    if (status == QUIPU_OK)
        status = quipu__memory_status(memory, err);
    if (status != QUIPU_OK) {
        quipu__where_free(where);
        *out = NULL;
    }
    return status;
}

void quipu__where_free(struct quipu__where_clause *where) {
    if (!where)
        return;
    quipu__where_release(where);
    quipu__release(where->memory, where, sizeof *where);
}
