/* record_tracker.c: records as transitions of a tracker, and back. */
#include "convert/record_tracker.h"

#include "core/error.h"
#include "trace/records.h"

#include <stdlib.h>

static void init_tracker(struct quipu__record_tracker *records) {
    /* Matching numbers and handles of records may be in use several times. */
    const uint32_t queues = QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_file) |
                            QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_collective) |
                            QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation);
    const struct quipu__tracker_options options = {.interval_classes = records->interval_classes,
                                                   .queues = queues,
                                                   .ends = QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_message),
                                                   .payload_room = QUIPU__BUILT_RECORD_BYTES};
    quipu__tracker_init(&records->tracker, records->memory, &options);
    quipu__map_init(&records->states, records->memory);
}

static void release_tracker(struct quipu__record_tracker *records) {
    quipu__tracker_release(&records->tracker);
    quipu__map_release(&records->states);
    QUIPU__VEC_RELEASE(records->memory, &records->locations);
    QUIPU__VEC_RELEASE(records->memory, &records->sorted);
}

void quipu__record_tracker_init(struct quipu__record_tracker *records, struct quipu__memory *memory,
                                const struct quipu__format *format, uint32_t interval_classes) {
    *records = (struct quipu__record_tracker){.memory = memory,
                                              .format = format,
                                              .time = quipu__common_field(format->info.schema, QUIPU_ROLE_TIME),
                                              .location =
                                                  quipu__common_field(format->info.schema, QUIPU_ROLE_LOCATION),
                                              .interval_classes = interval_classes};
    init_tracker(records);
    quipu__scratch_init(&records->scratch, memory);
}

void quipu__record_tracker_release(struct quipu__record_tracker *records) {
    release_tracker(records);
    quipu__scratch_release(&records->scratch);
}

void quipu__record_tracker_clear(struct quipu__record_tracker *records) {
    release_tracker(records);
    init_tracker(records);
}

bool quipu__record_where(const struct quipu__record_tracker *records, const struct quipu_record *record,
                         uint64_t *time, uint64_t *location) {
    int64_t value;
    if (!record->common)
        return false;
    quipu_field_get_i64(records->time, record->common, &value);
    *time = (uint64_t)value;
    quipu_field_get_i64(records->location, record->common, &value);
    *location = (uint64_t)value;
    return true;
}

/* ---- Locations ---- */

uint32_t quipu__record_tracker_locate(struct quipu__record_tracker *records, uint64_t location) {
    const uint32_t known = quipu__map_get(&records->states, location);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t state = (uint32_t)records->locations.count;
    if (!QUIPU__VEC_PUT(records->memory, &records->locations,
                        (struct quipu__record_location){location, QUIPU_NONE, state}))
        return QUIPU_NONE;
    return quipu__tracker_locate(&records->tracker, state, 0) == state &&
                   quipu__map_put(&records->states, location, state)
               ? state
               : QUIPU_NONE;
}

static int compare_locations(const void *left, const void *right) {
    const struct quipu__record_location *a = left, *b = right;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

const quipu__record_locations *quipu__record_tracker_sort(struct quipu__record_tracker *records) {
    const size_t count = records->locations.count;
    records->sorted.count = 0;
    if (count == 0)
        return &records->sorted;
    if (!QUIPU__VEC_RESERVE(records->memory, &records->sorted, count))
        return NULL;
    memcpy(records->sorted.items, records->locations.items, count * sizeof *records->sorted.items);
    records->sorted.count = count;
    qsort(records->sorted.items, count, sizeof *records->sorted.items, compare_locations);
    return &records->sorted;
}

/* ---- Records ---- */

struct quipu__active_record quipu__active_record(const struct quipu__record_tracker *records,
                                                 const struct quipu__interval *interval) {
    return (struct quipu__active_record){.type = &records->format->info.schema->types[interval->kind],
                                         .data = quipu__interval_payload(&records->tracker, interval),
                                         .time = (uint64_t)interval->time,
                                         .count = interval->count};
}

static bool find_active(const struct quipu__record_tracker *records, uint32_t state,
                        const struct quipu__transition *end, struct quipu__active_record *out) {
    const uint32_t number = quipu__tracker_find(&records->tracker, state, end);
    if (number != QUIPU_NONE)
        *out = quipu__active_record(records, quipu__interval_at(&records->tracker, number));
    return number != QUIPU_NONE;
}

bool quipu__record_tracker_find(const struct quipu__record_tracker *records,
                                const struct quipu__transition *end, struct quipu__active_record *out) {
    const uint32_t state = quipu__map_get(&records->states, end->location);
    return state != QUIPU_NONE && find_active(records, state, end, out);
}

static struct quipu__beginning beginning_of(const struct quipu__record_tracker *records,
                                            const struct quipu__active_record *begin) {
    const ptrdiff_t kind = begin->type - records->format->info.schema->types;
    return (struct quipu__beginning){(int64_t)begin->time, (uint16_t)kind, begin->data, begin->type->size};
}

/* Counts what a transition is about to end. The tracker may move its intervals, so the count gets a copy. */
static bool count_ended(struct quipu__record_tracker *records, uint32_t state,
                        const struct quipu__transition *end) {
    struct quipu__active_record active;
    struct quipu__transition counted;
    if (!quipu__tracks(&records->tracker, QUIPU__INTERVAL_count) ||
        end->interval_class == QUIPU__INTERVAL_call || !find_active(records, state, end, &active) ||
        !records->format->intervals->counted(&active, &counted))
        return true;
    quipu__scratch_reset(&records->scratch);
    void *copy = quipu__scratch_sized(&records->scratch, 1, active.type->size);
    if (!copy)
        return false;
    memcpy(copy, active.data, active.type->size);
    active.data = copy;
    const struct quipu__beginning beginning = beginning_of(records, &active);
    return quipu__tracker_add(&records->tracker, state, &counted, &beginning);
}

/* Most transitions are at the location of their record. */
static bool add_transition(struct quipu__record_tracker *records, uint32_t own,
                           const struct quipu__transition *transition,
                           const struct quipu__beginning *beginning) {
    if (!quipu__tracks(&records->tracker, transition->interval_class))
        return true;
    const uint32_t state = records->locations.items[own].location == transition->location
                               ? own
                               : quipu__record_tracker_locate(records, transition->location);
    if (state == QUIPU_NONE)
        return false;
    return (transition->change != QUIPU__ENDS || count_ended(records, state, transition)) &&
           quipu__tracker_add(&records->tracker, state, transition, beginning);
}

enum quipu_status quipu__record_tracker_add(struct quipu__record_tracker *records,
                                            const struct quipu_record *record, uint64_t time, uint64_t location,
                                            struct quipu_error *err) {
    struct quipu__transition transitions[QUIPU__TRANSITIONS_MOST];
    const struct quipu__active_record begin = {.type = record->type, .data = record->data, .time = time};
    const uint32_t own = quipu__record_tracker_locate(records, location);
    if (own == QUIPU_NONE)
        return quipu__no_memory(err, sizeof(struct quipu__location_state));
    records->locations.items[own].stream = record->stream;
    const struct quipu__beginning beginning = beginning_of(records, &begin);
    const unsigned count = records->format->intervals->intervals_of(record, transitions);
    for (unsigned i = 0; i < count; i++)
        if (!add_transition(records, own, &transitions[i], &beginning))
            return quipu__no_memory(err, sizeof(struct quipu__interval));
    return QUIPU_OK;
}

/* ---- Snapshots taken earlier ---- */

/* The transition by which an interval began follows from the record that began it. */
static bool find_beginning(const struct quipu__record_tracker *records,
                           const struct quipu__active_record *active, enum quipu__interval_class interval_class,
                           uint64_t location, struct quipu__transition *out) {
    struct quipu__transition transitions[QUIPU__TRANSITIONS_MOST];
    struct quipu__built_record built;
    struct quipu_record began = quipu__build_record(records, &built, active->type, active->time, location);
    began.data = active->data;
    const unsigned count = records->format->intervals->intervals_of(&began, transitions);
    for (unsigned i = 0; i < count; i++) {
        *out = transitions[i];
        if (out->interval_class == interval_class && out->change != QUIPU__ENDS)
            return true;
    }
    return false;
}

static bool add_active(struct quipu__record_tracker *records, uint32_t state,
                       const struct quipu__transition *transition, const struct quipu__active_record *active) {
    const struct quipu__beginning beginning = beginning_of(records, active);
    if (!quipu__tracks(&records->tracker, transition->interval_class))
        return true;
    if (!quipu__tracker_add(&records->tracker, state, transition, &beginning))
        return false;
    if (transition->interval_class == QUIPU__INTERVAL_count)
        quipu__interval_at(&records->tracker, quipu__tracker_find(&records->tracker, state, transition))
            ->count = active->count;
    return true;
}

enum quipu_status quipu__record_tracker_add_snapshot(struct quipu__record_tracker *records,
                                                     const struct quipu_record *record, uint32_t stream,
                                                     bool *taken, struct quipu_error *err) {
    struct quipu__built_record built = {.data = {0}};
    struct quipu__active_record active = {.type = NULL};
    struct quipu__transition transition;
    enum quipu__interval_class interval_class;
    uint64_t time, location;
    *taken = quipu__record_where(records, record, &time, &location) &&
             records->format->snapshots->active_of(record, &interval_class, &active, built.data) &&
             find_beginning(records, &active, interval_class, location, &transition);
    if (!*taken)
        return QUIPU_OK;
    const uint32_t state = quipu__record_tracker_locate(records, location);
    if (state == QUIPU_NONE || !add_active(records, state, &transition, &active))
        return quipu__no_memory(err, sizeof(struct quipu__interval));
    records->locations.items[state].stream = stream;
    return QUIPU_OK;
}

/* ---- Building records ---- */

struct quipu_record quipu__build_record(const struct quipu__record_tracker *records,
                                        struct quipu__built_record *built, const struct quipu_record_type *type,
                                        uint64_t time, uint64_t location) {
    memset(built->common, 0, sizeof built->common);
    quipu__store_i64(records->time, built->common, (int64_t)time);
    quipu__store_i64(records->location, built->common, (int64_t)location);
    return (struct quipu_record){.type = type,
                                 .data = built->data,
                                 .common = built->common,
                                 .line = QUIPU_UNKNOWN,
                                 .byte_offset = QUIPU_UNKNOWN};
}

static uint64_t count_active(const struct quipu__record_tracker *records, uint32_t state) {
    uint64_t count = 0;
    for (unsigned i = 0; i < QUIPU__INTERVAL_CLASSES; i++)
        count += quipu__active_at(&records->tracker, state, (enum quipu__interval_class)i).count;
    return count;
}

static enum quipu_status put_completeness(struct quipu__record_tracker *records,
                                          const struct quipu__record_location *where, uint64_t time,
                                          uint64_t locations, struct quipu_writer *writer,
                                          struct quipu_error *err) {
    const struct quipu__completeness complete = {count_active(records, where->state), locations};
    struct quipu__built_record built = {.data = {0}};
    quipu__scratch_reset(&records->scratch);
    const struct quipu_record_type *type =
        records->format->snapshots->completeness_record(&complete, &records->scratch, built.data);
    if (!type)
        return quipu__no_memory(err, sizeof built);
    const struct quipu_record record = quipu__build_record(records, &built, type, time, where->location);
    return quipu_writer_put_record(writer, &record, err);
}

static enum quipu_status put_class(const struct quipu__record_tracker *records,
                                   const struct quipu__record_location *where,
                                   enum quipu__interval_class interval_class, uint64_t time,
                                   struct quipu_writer *writer, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    uint32_t number = quipu__active_at(&records->tracker, where->state, interval_class).oldest;
    while (number != QUIPU_NONE && status == QUIPU_OK) {
        const struct quipu__interval *interval = quipu__interval_at(&records->tracker, number);
        const struct quipu__active_record active = quipu__active_record(records, interval);
        struct quipu__built_record built = {.data = {0}};
        const struct quipu_record_type *type =
            records->format->snapshots->snapshot_of(interval_class, &active, built.data);
        const struct quipu_record record = quipu__build_record(records, &built, type, time, where->location);
        status = quipu_writer_put_record(writer, &record, err);
        number = interval->newer;
    }
    return status;
}

enum quipu_status quipu__put_snapshots(struct quipu__record_tracker *records,
                                       const struct quipu__record_location *where, uint64_t time,
                                       uint64_t locations, const struct quipu_stream *events,
                                       struct quipu_writer *writer, struct quipu_error *err) {
    const struct quipu__snapshots *snapshots = records->format->snapshots;
    struct quipu_stream stream = *events;
    stream.kind = QUIPU_STREAM_SNAPSHOTS;
    if (locations == 0 && count_active(records, where->state) == 0)
        return QUIPU_OK;
    enum quipu_status status = quipu_writer_begin_stream(writer, &stream, err);
    if (status == QUIPU_OK && locations > 0)
        status = put_completeness(records, where, time, locations, writer, err);
    for (size_t i = 0; i < snapshots->interval_class_count && status == QUIPU_OK; i++)
        status = put_class(records, where, snapshots->interval_classes[i], time, writer, err);
    return status;
}
