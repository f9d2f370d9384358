/* merge.c: several traces as one.
 *
 * Their events go through the model, one trace after the other or, if the writer needs it, by time. A batch holds events
 * of one trace only, so that the reports know whose events the target has refused.
 */
#include "convert/convert.h"
#include "convert/loss.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "core/scale.h"
#include "core/text.h"
#include "model/batch.h"
#include "model/define.h"
#include "trace/reader.h"
#include "trace/writer.h"

#include <quipu/convert.h>
#include <quipu/reader.h>

#include <inttypes.h>
#include <stdio.h>

/* ==== Several traces become one ==== */

/* The definitions of several traces as one set, and their events in its terms.
 *
 * Every definition of every trace gets its own number; nothing is unified, so nothing can be mixed up. Locations with
 * the same name get the name of their trace in front, and ranks that occur twice are renumbered. Times are brought to
 * the least common resolution, or rounded to a fine one where that does not fit, which the reports say; traces that all know the time of day keep their distance in time, others begin together.
 * Locations that several recorders recorded in one run are the same if the caller says so; then times are those of the
 * files.
 */

/* Number of a definition in its trace -> number in the result. */
struct quipu__numbers {
    QUIPU__VEC(uint32_t) of;
};

struct quipu__joined {
    struct quipu_reader *reader;
    const char *name; /* of the trace, for locations */
    struct quipu__numbers numbers[QUIPU__DEFINITION_CLASS_COUNT];
    uint64_t scale, divisor; /* time in the result = time * scale / divisor + shift; divisor 1: exact ones */
    int64_t shift;
    uint64_t rounded[QUIPU_KIND_COUNT]; /* events whose time is not exact */
    int64_t rank_shift;
};

struct quipu__join {
    struct quipu__memory *memory;
    struct quipu__define define;
    bool has_define;
    struct quipu__map names; /* hashes of the locations' names -> location */
    struct quipu__joined *traces;
    size_t count;
    const struct quipu_convert_options *options;
};

/* kinds.def says what the fields of events refer to. */

/* Ticks per second at which times of years fit 64 bits. */
#define RATE_MOST UINT64_C(1000000000000)
#define NS_PER_SECOND UINT64_C(1000000000)

/* ---- Clocks ---- */

/* A clock rate as a fraction: ticks per seconds. */
struct rate {
    uint64_t ticks, seconds;
};

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct rate rate_of(const struct quipu_reader *reader) {
    const struct quipu_clock *clock = &quipu_reader_definitions(reader)->clock;
    const uint64_t ticks = clock->ticks_per_second, seconds = clock->per_seconds ? clock->per_seconds : 1;
    if (ticks == 0)
        return (struct rate){NS_PER_SECOND, 1};
    const uint64_t divisor = common_divisor(ticks, seconds);
    return (struct rate){ticks / divisor, seconds / divisor};
}

/* The slowest rate that is a multiple of both; 0 ticks when none fits. */
static struct rate common_rate(struct rate a, struct rate b) {
    const uint64_t factor = b.ticks / common_divisor(a.ticks, b.ticks);
    const bool fits = a.ticks <= RATE_MOST / factor;
    return (struct rate){fits ? a.ticks * factor : 0, common_divisor(a.seconds, b.seconds)};
}

/* Ticks of the common clock per tick of a trace, as a fraction; false when it is too large. */
static bool set_scale(struct quipu__joined *trace, struct rate common) {
    const struct rate own = rate_of(trace->reader);
    const uint64_t ticks = common_divisor(common.ticks, own.ticks),
                   seconds = common_divisor(own.seconds, common.seconds);
    const bool fits = own.seconds / seconds <= UINT64_MAX / (common.ticks / ticks) &&
                      common.seconds / seconds <= UINT64_MAX / (own.ticks / ticks);
    trace->scale = fits ? common.ticks / ticks * (own.seconds / seconds) : 1;
    trace->divisor = fits ? own.ticks / ticks * (common.seconds / seconds) : 1;
    return fits;
}

static enum quipu_status refuse_clock(struct quipu_error *err, struct rate own) {
    quipu__fail(err, QUIPU_NOT_REPRESENTABLE,
                "a clock of %" PRIu64 " ticks in %" PRIu64 " s cannot be brought to another one", own.ticks,
                own.seconds);
    quipu__advise(err, "merge traces of one kind of clock, or convert them to one first");
    return QUIPU_NOT_REPRESENTABLE;
}

/* Traces that all know when they began on the wall clock keep their distance. */
static bool knows_origins(const struct quipu__join *join, int64_t *earliest) {
    *earliest = INT64_MAX;
    for (size_t i = 0; i < join->count; i++) {
        const struct quipu_clock *clock = &quipu_reader_definitions(join->traces[i].reader)->clock;
        if (!clock->has_unix_origin)
            return false;
        if (clock->unix_origin_ns < *earliest)
            *earliest = clock->unix_origin_ns;
    }
    return true;
}

/* The least common rate; where none fits, one that is so fine that the order of events remains, if such times fit, or else nanoseconds. */
static struct rate find_rate(const struct quipu__join *join, bool in_ns, int64_t earliest) {
    struct rate rate = in_ns ? (struct rate){NS_PER_SECOND, 1} : rate_of(join->traces[0].reader);
    int64_t distance = 0;
    for (size_t i = 0; i < join->count && rate.ticks; i++)
        rate = common_rate(rate, rate_of(join->traces[i].reader));
    if (rate.ticks)
        return rate;
    for (size_t i = 0; i < join->count && in_ns; i++) {
        const int64_t origin = quipu_reader_definitions(join->traces[i].reader)->clock.unix_origin_ns,
                      own = quipu__bounded_difference(origin, earliest);
        distance = own > distance ? own : distance;
    }
    const bool fits = distance <= INT64_MAX / 4 / (int64_t)(RATE_MOST / NS_PER_SECOND);
    return (struct rate){fits ? RATE_MOST : NS_PER_SECOND, 1};
}

/* Keeps the times of the files, for traces recorded with one clock; the first trace says what time of day that is. */
static enum quipu_status keep_file_times(struct quipu__join *join, struct rate rate, struct quipu_error *err) {
    struct quipu_clock *clock = &join->define.definitions.clock;
    int64_t earliest = INT64_MAX;
    for (size_t i = 0; i < join->count; i++) {
        const int64_t origin = quipu_reader_definitions(join->traces[i].reader)->clock.origin;
        earliest = origin < earliest ? origin : earliest;
    }
    for (size_t i = 0; i < join->count; i++) {
        const struct quipu_clock *own = &quipu_reader_definitions(join->traces[i].reader)->clock;
        const bool is_far = earliest < 0 && own->origin > INT64_MAX + earliest;
        if (!set_scale(&join->traces[i], rate) || join->traces[i].scale != 1 || join->traces[i].divisor != 1 ||
            is_far)
            return quipu__fail(err, QUIPU_NOT_REPRESENTABLE,
                               "traces with shared locations have different clocks");
        join->traces[i].shift = own->origin - earliest;
    }
    const struct quipu_clock *first = &quipu_reader_definitions(join->traces[0].reader)->clock;
    *clock =
        (struct quipu_clock){.ticks_per_second = rate.ticks, .per_seconds = rate.seconds, .origin = earliest};
    clock->has_unix_origin = first->has_unix_origin;
    clock->unix_origin_ns =
        quipu__bounded_difference(first->unix_origin_ns, quipu_clock_ns(clock, join->traces[0].shift));
    return QUIPU_OK;
}

static enum quipu_status join_clocks(struct quipu__join *join, struct quipu_error *err) {
    struct quipu_clock *clock = &join->define.definitions.clock;
    int64_t earliest = 0;
    const bool is_shared = join->options->shared_count > 0;
    const bool by_wall_clock = !is_shared && knows_origins(join, &earliest);
    const struct rate rate = find_rate(join, by_wall_clock, earliest);
    if (is_shared)
        return keep_file_times(join, rate, err);
    *clock = (struct quipu_clock){.ticks_per_second = rate.ticks, .per_seconds = rate.seconds};
    clock->has_unix_origin = by_wall_clock;
    clock->unix_origin_ns = by_wall_clock ? earliest : 0;
    for (size_t i = 0; i < join->count; i++) {
        struct quipu__joined *trace = &join->traces[i];
        const struct quipu_clock *own = &quipu_reader_definitions(trace->reader)->clock;
        const int64_t ticks_per_ns = by_wall_clock ? (int64_t)(rate.ticks / NS_PER_SECOND) : 0;
        const int64_t distance = by_wall_clock ? quipu__bounded_difference(own->unix_origin_ns, earliest) : 0;
        if (!set_scale(trace, rate))
            return refuse_clock(err, rate_of(trace->reader));
        if (ticks_per_ns && distance > INT64_MAX / ticks_per_ns)
            return quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "the traces were made too far apart to be merged");
        trace->shift = distance * ticks_per_ns;
    }
    return QUIPU_OK;
}

/* A time of a trace in the result; false when it is out of range. */
static bool join_time(const struct quipu__joined *trace, int64_t time, int64_t *out) {
    const int64_t scale = trace->scale <= INT64_MAX ? (int64_t)trace->scale : INT64_MAX;
    const int64_t scaled = quipu__scale_signed(time, trace->scale, trace->divisor);
    *out = time;
    if (trace->divisor == 1 && (time > (INT64_MAX - 1 - trace->shift) / scale || time < INT64_MIN / scale))
        return false;
    if (trace->divisor != 1 &&
        (scaled >= INT64_MAX / 4 || scaled <= INT64_MIN / 4 || trace->shift > INT64_MAX / 2))
        return false;
    *out = (trace->divisor == 1 ? time * scale : scaled) + trace->shift;
    return true;
}

static bool is_rounded(const struct quipu__joined *trace, int64_t time) {
    uint64_t rest = 0;
    if (trace->divisor != 1)
        quipu__scale_down(quipu__magnitude(time), trace->scale, trace->divisor, &rest);
    return rest > 0;
}

/* ---- Definitions ---- */

static uint32_t number_of(const struct quipu__joined *trace, enum quipu__definition_class definition_class,
                          uint64_t number) {
    return number < trace->numbers[definition_class].of.count
               ? trace->numbers[definition_class].of.items[number]
               : QUIPU_NONE;
}

/* The location of the first trace that is the same as one of another trace, or QUIPU_NONE. */
static uint32_t shared_location(const struct quipu__join *join, size_t trace, size_t location) {
    for (size_t i = 0; i < join->options->shared_count; i++)
        if (join->options->shared[i].trace == trace && join->options->shared[i].location == location)
            return number_of(&join->traces[0], QUIPU__DEFINITION_CLASS_locations,
                             join->options->shared[i].first);
    return QUIPU_NONE;
}

/* Whether a location of a trace is the same as one of the first trace. */
static bool join_shares(const struct quipu__join *join, size_t trace, uint32_t location) {
    return shared_location(join, trace, location) != QUIPU_NONE;
}

/* Reserves numbers for the new definitions of a trace, which are then added in this order, except existing ones. */
static bool reserve(struct quipu__join *join, size_t trace, enum quipu__definition_class definition_class,
                    uint32_t first, uint32_t count) {
    struct quipu__numbers *numbers = &join->traces[trace].numbers[definition_class];
    const size_t known = numbers->of.count;
    if (count == known)
        return true;
    if (!QUIPU__VEC_RESERVE(join->memory, &numbers->of, count - known))
        return false;
    for (size_t i = known; i < count; i++) {
        const bool is_location = definition_class == QUIPU__DEFINITION_CLASS_locations;
        const uint32_t shared = is_location ? shared_location(join, trace, i) : QUIPU_NONE;
        numbers->of.items[i] = shared != QUIPU_NONE ? shared : first++;
    }
    numbers->of.count = count;
    return true;
}

static uint64_t hash_of(const struct quipu__join *join, const char *name) {
    return quipu__hash(name, strlen(name), join->names.seed);
}

/* Each add_ function adds one definition of a trace in terms of the result. */

static bool add_location(struct quipu__join *join, const struct quipu__joined *trace,
                         const struct quipu_location *from) {
    struct quipu_location location = *from;
    const size_t own = (size_t)(from - quipu_reader_definitions(trace->reader)->locations.items);
    char name[512];
    if (join_shares(join, (size_t)(trace - join->traces), (uint32_t)own))
        return true;
    location.parent = number_of(trace, QUIPU__DEFINITION_CLASS_locations, from->parent);
    if (*from->name && quipu__map_get(&join->names, hash_of(join, from->name)) != QUIPU_NONE) {
        snprintf(name, sizeof name, "%s %s", trace->name, from->name);
        location.name = name;
    }
    if (from->rank >= 0)
        location.rank = quipu__bounded_sum(from->rank, trace->rank_shift);
    const uint32_t number = quipu__add_location(&join->define, &location);
    return number != QUIPU_NONE &&
           quipu__map_put(&join->names, hash_of(join, join->define.definitions.locations.items[number].name),
                          number);
}

static bool add_region(struct quipu__join *join, const struct quipu__joined *trace,
                       const struct quipu_region *from) {
    struct quipu_region region = *from;
    region.source = number_of(trace, QUIPU__DEFINITION_CLASS_sources, from->source);
    return quipu__add_region(&join->define, &region) != QUIPU_NONE;
}

static bool add_source(struct quipu__join *join, const struct quipu__joined *trace,
                       const struct quipu_source *from) {
    struct quipu_source source = *from;
    source.caller = number_of(trace, QUIPU__DEFINITION_CLASS_sources, from->caller);
    return quipu__add_source(&join->define, &source) != QUIPU_NONE;
}

static const uint32_t *map_members(struct quipu__join *join, const struct quipu__joined *trace,
                                   const uint32_t *members, uint32_t count, bool *done) {
    uint32_t *mapped = members ? quipu__arena_alloc(&join->define.arena, (count + 1) * sizeof *mapped) : NULL;
    *done = *done && (!members || mapped);
    for (uint32_t i = 0; mapped && i < count; i++)
        mapped[i] = number_of(trace, QUIPU__DEFINITION_CLASS_locations, members[i]);
    return mapped;
}

static bool add_group(struct quipu__join *join, const struct quipu__joined *trace,
                      const struct quipu_group *from) {
    struct quipu_group group = *from;
    bool done = true;
    group.members = map_members(join, trace, from->members, from->member_count, &done);
    group.remote_members = map_members(join, trace, from->remote_members, from->remote_member_count, &done);
    return done && quipu__add_group(&join->define, &group) != QUIPU_NONE;
}

#define ADD_AS_IT_IS(singular)                                                                                 \
    static bool add_##singular(struct quipu__join *join, const struct quipu__joined *trace,                    \
                               const struct quipu_##singular *from) {                                          \
        (void)trace;                                                                                           \
        return quipu__add_##singular(&join->define, from) != QUIPU_NONE;                                       \
    }
ADD_AS_IT_IS(file)
ADD_AS_IT_IS(metric)
ADD_AS_IT_IS(marker)
ADD_AS_IT_IS(channel)
ADD_AS_IT_IS(task_type)
ADD_AS_IT_IS(attribute_key)

/* Adds what a trace has defined late. False when memory is out. */
static bool join_extend(struct quipu__join *join, size_t trace) {
    struct quipu__joined *it = &join->traces[trace];
    const struct quipu_definitions *from = quipu_reader_definitions(it->reader);
    size_t known[QUIPU__DEFINITION_CLASS_COUNT];
    bool done = true;
    join->define.definitions.has_call_sites |= from->has_call_sites;
#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    known[QUIPU__DEFINITION_CLASS_##plural] = it->numbers[QUIPU__DEFINITION_CLASS_##plural].of.count;          \
    done = done && reserve(join, trace, QUIPU__DEFINITION_CLASS_##plural,                                      \
                           join->define.definitions.plural.count, from->plural.count);
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    for (size_t i = known[QUIPU__DEFINITION_CLASS_##plural]; done && i < from->plural.count; i++)              \
        done = add_##singular(join, it, &from->plural.items[i]);
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
    return done;
}

/* Ranks that are already used are renumbered after the last one. */
static int64_t shift_ranks(const struct quipu__join *join, const struct quipu__joined *trace) {
    const struct quipu_locations *taken = &join->define.definitions.locations;
    const struct quipu_locations *own = &quipu_reader_definitions(trace->reader)->locations;
    int64_t last = -1, least = INT64_MAX;
    for (uint32_t i = 0; i < taken->count; i++)
        last = taken->items[i].rank > last ? taken->items[i].rank : last;
    for (uint32_t i = 0; i < own->count; i++)
        least = own->items[i].rank >= 0 && own->items[i].rank < least ? own->items[i].rank : least;
    return least <= last ? quipu__bounded_sum(last - least, 1) : 0;
}

/* ---- The whole ---- */

/* The path without folders and without everything from the first dot on. */
static const char *short_name(struct quipu__join *join, const struct quipu_reader *reader) {
    const char *base = quipu__base_name(quipu__reader_trace((struct quipu_reader *)reader)->path);
    const size_t len = strcspn(base, ".");
    return quipu__arena_text(&join->define.arena, base, len > 0 ? len : strlen(base));
}

/* Joins the definitions. Fails when the clocks have no common resolution. Release in any case. */
static enum quipu_status join_init(struct quipu__join *join, struct quipu__memory *memory,
                                   struct quipu_reader *const *readers, size_t count,
                                   const struct quipu_convert_options *options, struct quipu_error *err) {
    *join = (struct quipu__join){.memory = memory, .count = count, .options = options};
    quipu__map_init(&join->names, memory);
    enum quipu_status status = quipu__define_init(&join->define, memory, err);
    join->has_define = status == QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    join->traces = quipu__alloc_zero(memory, count * sizeof *join->traces);
    for (size_t i = 0; join->traces && i < count; i++)
        join->traces[i] = (struct quipu__joined){.reader = readers[i], .name = short_name(join, readers[i])};
    if (join->traces)
        status = join_clocks(join, err);
    for (size_t i = 0; join->traces && i < count && status == QUIPU_OK; i++) {
        join->traces[i].rank_shift = shift_ranks(join, &join->traces[i]);
        if (!join->traces[i].name || !join_extend(join, i))
            status = quipu__no_memory(err, sizeof *join->traces);
    }
    return join->traces ? status : quipu__no_memory(err, count * sizeof *join->traces);
}

static void join_release(struct quipu__join *join) {
    for (size_t i = 0; join->traces && i < join->count; i++)
        for (unsigned k = 0; k < QUIPU__DEFINITION_CLASS_COUNT; k++)
            QUIPU__VEC_RELEASE(join->memory, &join->traces[i].numbers[k].of);
    quipu__release(join->memory, join->traces, join->count * sizeof *join->traces);
    quipu__map_release(&join->names);
    if (join->has_define)
        quipu__define_release(&join->define);
}

/* ---- Events ---- */

/* The class that a field of an event refers to, QUIPU__DEFINITION_CLASS_COUNT for others. */
static enum quipu__definition_class definition_class(enum quipu_refers refers) {
    switch (refers) {
    case QUIPU_REFERS_LOCATION:
        return QUIPU__DEFINITION_CLASS_locations;
    case QUIPU_REFERS_REGION:
        return QUIPU__DEFINITION_CLASS_regions;
    case QUIPU_REFERS_GROUP:
        return QUIPU__DEFINITION_CLASS_groups;
    case QUIPU_REFERS_FILE:
        return QUIPU__DEFINITION_CLASS_files;
    case QUIPU_REFERS_METRIC:
        return QUIPU__DEFINITION_CLASS_metrics;
    case QUIPU_REFERS_MARKER:
        return QUIPU__DEFINITION_CLASS_markers;
    case QUIPU_REFERS_CHANNEL:
        return QUIPU__DEFINITION_CLASS_channels;
    case QUIPU_REFERS_TASK_TYPE:
        return QUIPU__DEFINITION_CLASS_task_types;
    default:
        return QUIPU__DEFINITION_CLASS_COUNT;
    }
}

static void renumber_column(const struct quipu__joined *trace, struct quipu_batch *batch, uint32_t event,
                            enum quipu_column column, enum quipu__definition_class referred) {
    uint32_t number;
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        number = number_of(trace, referred, (uint64_t)batch->name[event]);                                     \
        batch->name[event] = number == QUIPU_NONE ? batch->name[event] : (c_type)number;                       \
        break;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* Columns that hold times. */
static bool rescale_columns(const struct quipu__joined *trace, struct quipu_batch *batch, uint32_t event) {
    int64_t value = (int64_t)batch->value[event];
    if (batch->kind[event] == QUIPU_KIND_snapshot && value >= 0 && !join_time(trace, value, &value))
        return false;
    const bool is_figure =
        batch->kind[event] == QUIPU_KIND_summary && quipu_statistic_is_time(batch->operation[event]);
    const bool is_known = batch->value[event] != QUIPU_UNKNOWN;
    if (batch->kind[event] == QUIPU_KIND_clock_sync ||
        (is_known && (is_figure || batch->kind[event] == QUIPU_KIND_gap)))
        value = quipu__scale_signed(value, trace->scale, trace->divisor);
    batch->value[event] = (uint64_t)value;
    return true;
}

static void renumber_attributes(const struct quipu__joined *trace, struct quipu__batch *batch, size_t first) {
    for (size_t i = first; i < batch->attributes.count; i++) {
        struct quipu_value *value = &batch->attributes.items[i].value;
        const uint32_t key = number_of(trace, QUIPU__DEFINITION_CLASS_attribute_keys, value->key);
        if (value->key == QUIPU_KEY_SOURCE)
            value->u = number_of(trace, QUIPU__DEFINITION_CLASS_sources, value->u);
        else if (key != QUIPU_NONE)
            value->key = key;
    }
}

/* Copies an event of a trace to the end of a batch, in terms of the result. */
static enum quipu_status join_copy(struct quipu__joined *trace, struct quipu__batch *to,
                                   const struct quipu_batch *from, uint32_t index, uint32_t *attribute,
                                   struct quipu_error *err) {
    const size_t attributes = to->attributes.count;
    if (!quipu__batch_copy(to, from, index, attribute))
        return quipu__no_memory(err, sizeof(struct quipu_attribute));
    const uint32_t event = to->batch.count - 1;
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)to->batch.kind[event]);
    for (size_t i = 0; i < kind->field_count; i++) {
        const enum quipu__definition_class referred = definition_class(kind->fields[i].refers);
        if (referred != QUIPU__DEFINITION_CLASS_COUNT)
            renumber_column(trace, &to->batch, event, kind->fields[i].column, referred);
    }
    const uint32_t location = number_of(trace, QUIPU__DEFINITION_CLASS_locations, to->batch.location[event]);
    to->batch.location[event] = location == QUIPU_NONE ? to->batch.location[event] : location;
    renumber_attributes(trace, to, attributes);
    trace->rounded[to->batch.kind[event]] += is_rounded(trace, to->batch.time[event]);
    if (join_time(trace, to->batch.time[event], &to->batch.time[event]) &&
        rescale_columns(trace, &to->batch, event))
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "a time does not fit into the common resolution");
}

/* ==== The command ==== */

/* Events of a written batch. */
enum { BATCH = 4096 };

/* Where the pass over a trace is. */
struct cursor {
    const struct quipu_batch *batch; /* NULL at the end */
    uint32_t event, attribute;
    int64_t time; /* of the event, in the result */
    uint64_t refused[QUIPU_KIND_COUNT];
};

struct merging {
    struct quipu__memory memory;
    struct quipu__join join;
    struct cursor *cursors;
    const struct quipu__format *target;
    const struct quipu_convert_options *options;
    struct quipu_writer *writer;
    struct quipu__batch *batch;
    size_t batch_trace; /* whose events the batch holds */
    uint64_t put;
};

/* Reports what all readers have read, when one of them has made progress. */
static bool report(void *context, uint64_t done, uint64_t total, uint64_t events) {
    const struct merging *merging = context;
    const struct quipu_progress *progress = &merging->options->progress;
    (void)events;
    done = total = 0;
    for (size_t i = 0; i < merging->join.count; i++) {
        const struct quipu_reader *reader = merging->join.traces[i].reader;
        done += quipu_reader_bytes_read(reader);
        total += quipu_reader_bytes_total(reader);
    }
    return progress->report(progress->context, done, total, merging->put);
}

/* ---- Writing ---- */

static enum quipu_status flush(struct merging *merging, struct quipu_error *err) {
    uint64_t *refused = merging->cursors[merging->batch_trace].refused;
    enum quipu_status status = QUIPU_OK;
    if (merging->batch->batch.count == 0)
        return QUIPU_OK;
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        refused[kind] -= quipu_writer_dropped(merging->writer, (enum quipu_kind)kind);
    status = quipu__writer_put_batch(merging->writer, &merging->batch->batch, err);
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        refused[kind] += quipu_writer_dropped(merging->writer, (enum quipu_kind)kind);
    merging->put += merging->batch->batch.count;
    quipu__batch_clear(merging->batch);
    return status;
}

/* For shared locations the first trace says when they begin and end, and the others which files they use. */
static bool is_said_elsewhere(const struct merging *merging, size_t trace) {
    const struct cursor *cursor = &merging->cursors[trace];
    const uint8_t kind = cursor->batch->kind[cursor->event];
    if (merging->options->shared_count > 0 && trace == 0)
        return kind >= QUIPU_KIND_io_open && kind <= QUIPU_KIND_io_control;
    return (kind == QUIPU_KIND_location_begin || kind == QUIPU_KIND_location_end) &&
           join_shares(&merging->join, trace, cursor->batch->location[cursor->event]);
}

static enum quipu_status put_event(struct merging *merging, size_t trace, struct quipu_error *err) {
    struct cursor *cursor = &merging->cursors[trace];
    enum quipu_status status = QUIPU_OK;
    if (is_said_elsewhere(merging, trace))
        return QUIPU_OK;
    if (merging->batch_trace != trace || quipu__batch_left(merging->batch) == 0)
        status = flush(merging, err);
    merging->batch_trace = trace;
    return status == QUIPU_OK ? join_copy(&merging->join.traces[trace], merging->batch, cursor->batch,
                                          cursor->event, &cursor->attribute, err)
                              : status;
}

/* ---- Reading ---- */

/* Makes sure that the current event of a trace is read, if there is one. */
static enum quipu_status fill(struct merging *merging, size_t trace, struct quipu_error *err) {
    struct quipu__joined *joined = &merging->join.traces[trace];
    struct cursor *cursor = &merging->cursors[trace];
    if (!cursor->batch || cursor->event == cursor->batch->count) {
        const struct quipu_progress progress = {merging->options->progress.report ? report : NULL, merging};
        const struct quipu_progress before = quipu__reader_watch(joined->reader, &progress);
        const enum quipu_status status = quipu_reader_next_batch(joined->reader, &cursor->batch, err);
        quipu__reader_unwatch(joined->reader, before);
        cursor->event = cursor->attribute = 0;
        if (status == QUIPU_END)
            cursor->batch = NULL;
        if (status != QUIPU_OK)
            return status == QUIPU_END ? QUIPU_OK : status;
        if (!join_extend(&merging->join, trace))
            return quipu__no_memory(err, sizeof *joined);
    }
    join_time(joined, cursor->batch->time[cursor->event], &cursor->time);
    return QUIPU_OK;
}

/* The trace whose event comes next: the first one that is not at its end, or the earliest. */
static size_t choose(const struct merging *merging, bool by_time) {
    size_t chosen = merging->join.count;
    for (size_t i = 0; i < merging->join.count; i++) {
        const struct cursor *cursor = &merging->cursors[i];
        if (cursor->batch &&
            (chosen == merging->join.count || (by_time && cursor->time < merging->cursors[chosen].time)))
            chosen = i;
    }
    return chosen;
}

/* Shared locations have events in several traces. */
static bool is_by_time(const struct merging *merging) {
    return quipu_writer_order(merging->writer) == QUIPU_ORDER_TIME || merging->options->shared_count > 0;
}

static enum quipu_status start(struct merging *merging, struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < merging->join.count && status == QUIPU_OK; i++) {
        selection.order = is_by_time(merging)
                              ? QUIPU_ORDER_TIME
                              : quipu__writer_order_from(merging->writer, merging->join.traces[i].reader);
        status = quipu_reader_select(merging->join.traces[i].reader, &selection, err);
        if (status == QUIPU_OK)
            status = fill(merging, i, err);
    }
    return status;
}

static enum quipu_status move_events(struct merging *merging, struct quipu_error *err) {
    const bool by_time = is_by_time(merging);
    enum quipu_status status = start(merging, err);
    while (status == QUIPU_OK) {
        const size_t trace = choose(merging, by_time);
        if (trace == merging->join.count)
            return flush(merging, err);
        status = put_event(merging, trace, err);
        merging->cursors[trace].event++;
        if (status == QUIPU_OK)
            status = fill(merging, trace, err);
    }
    return status;
}

/* ---- Reports ---- */

static enum quipu_status count_losses(const struct merging *merging, struct quipu_conversion_report **losses,
                                      struct quipu_error *err) {
    uint64_t lost = 0;
    for (size_t i = 0; i < merging->join.count; i++) {
        struct quipu_reader *reader = merging->join.traces[i].reader;
        const enum quipu_status status =
            quipu__loss_new(quipu__reader_trace(reader), merging->target, &losses[i], err);
        if (status != QUIPU_OK)
            return status;
        if (!quipu__loss_count(losses[i], reader))
            return quipu__no_memory(err, sizeof *losses[i]);
        for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
            if (!quipu__loss_drop(losses[i], (enum quipu_kind)kind, merging->cursors[i].refused[kind]) ||
                !quipu__loss_change(losses[i], (enum quipu_kind)kind, merging->join.traces[i].rounded[kind]))
                return quipu__no_memory(err, sizeof *losses[i]);
        lost += quipu_conversion_report_lost(losses[i]);
    }
    if (!merging->options->fail_on_loss || lost == 0)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "%llu records would be approximated or dropped",
                (unsigned long long)lost);
    quipu__advise(err, "--report FILE lists them");
    return QUIPU_NOT_REPRESENTABLE;
}

/* ---- The whole ---- */

/* The traces share what one of them may have open at a time. */
static void share_files(const struct merging *merging) {
    for (size_t i = 0; i < merging->join.count; i++) {
        struct quipu__files *files = quipu__reader_trace(merging->join.traces[i].reader)->files;
        const size_t share = files->limit / merging->join.count;
        files->limit = share > 0 ? (uint32_t)share : 1;
    }
}

static enum quipu_status merge_to(struct merging *merging, struct quipu_reader *const *readers,
                                  const char *path, struct quipu_conversion_report **losses,
                                  struct quipu_error *err) {
    share_files(merging);
    enum quipu_status status = quipu__writer_create(path, merging->target, &merging->options->writer, readers,
                                                    merging->join.count, &merging->writer, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_writer_define(merging->writer, &merging->join.define.definitions, err);
    if (status == QUIPU_OK)
        status = move_events(merging, err);
    if (status == QUIPU_OK)
        status = count_losses(merging, losses, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&merging->memory, err);
    if (status == QUIPU_OK)
        return quipu_writer_close(merging->writer, err);
    quipu_writer_discard(merging->writer);
    return status;
}

static enum quipu_status merge_several(struct merging *merging, struct quipu_reader *const *readers,
                                       size_t count, const char *path, struct quipu_conversion_report **losses,
                                       struct quipu_error *err) {
    struct quipu__memory *memory = &merging->memory;
    enum quipu_status status = join_init(&merging->join, memory, readers, count, merging->options, err);
    if (status == QUIPU_OK)
        status = quipu__batch_new(memory, BATCH, &merging->batch, err);
    merging->cursors = quipu__alloc_zero(memory, count * sizeof *merging->cursors);
    if (status == QUIPU_OK)
        status = merging->cursors ? merge_to(merging, readers, path, losses, err)
                                  : quipu__no_memory(err, count * sizeof *merging->cursors);
    quipu__release(memory, merging->cursors, count * sizeof *merging->cursors);
    quipu__batch_free(merging->batch);
    join_release(&merging->join);
    return status;
}

enum quipu_status quipu_merge(struct quipu_reader *const *readers, size_t count, const char *path,
                              const char *target, const struct quipu_convert_options *options,
                              struct quipu_conversion_report **losses, struct quipu_error *err) {
    static const struct quipu_convert_options defaults = QUIPU_CONVERT_OPTIONS_INIT;
    struct merging merging = {.options = options ? options : &defaults};
    memset(losses, 0, count * sizeof *losses);
    if (count == 1)
        return quipu_convert(readers[0], path, target, options, losses, err);
    const enum quipu_status status = quipu__find_target(target, &merging.target, err);
    if (status != QUIPU_OK)
        return status;
    if (count == 0)
        return quipu__fail(err, QUIPU_MISUSE, "no traces to merge");
    quipu__memory_init(&merging.memory, &merging.options->writer.allocator,
                       merging.options->writer.memory_limit);
    return merge_several(&merging, readers, count, path, losses, err);
}
