/* statistics.c: adding up what records say, and what calls take.
 *
 * A call that ends has its time counted before the tracker forgets it: its interval counts the time in the calls that it has made.
 * What is still active is added for the time of writing, and taken away again.
 */
#include "convert/statistics.h"

#include "core/error.h"

#include <stdlib.h>

void quipu__statistics_init(struct quipu__statistics_totals *totals, const struct quipu__trace *trace,
                            struct quipu__record_tracker *records) {
    *totals = (struct quipu__statistics_totals){
        .trace = trace, .format = trace->format->statistics, .records = records};
}

void quipu__statistics_release(struct quipu__statistics_totals *totals) {
    for (size_t i = 0; i < totals->locations.count; i++) {
        QUIPU__VEC_RELEASE(totals->trace->memory, &totals->locations.items[i].list);
        quipu__map_release(&totals->locations.items[i].numbers);
    }
    QUIPU__VEC_RELEASE(totals->trace->memory, &totals->locations);
}

/* ---- Adding up ---- */

static struct quipu__location_statistics *find_location(struct quipu__statistics_totals *totals,
                                                        uint32_t state) {
    while (totals->locations.count <= state) {
        struct quipu__location_statistics *added = QUIPU__VEC_ADD(totals->trace->memory, &totals->locations);
        if (!added)
            return NULL;
        quipu__map_init(&added->numbers, totals->trace->memory);
    }
    return &totals->locations.items[state];
}

static uint64_t map_key(const struct quipu__statistic *statistic) {
    return (uint64_t)statistic->statistic_class << 60 ^ statistic->object;
}

static struct quipu__statistic *find(const struct quipu__statistics_totals *totals,
                                     struct quipu__location_statistics *location,
                                     const struct quipu__statistic *like) {
    const uint32_t known = quipu__map_get(&location->numbers, map_key(like));
    if (known != QUIPU_NONE)
        return &location->list.items[known];
    struct quipu__statistic *added = QUIPU__VEC_ADD(totals->trace->memory, &location->list);
    if (!added || !quipu__map_put(&location->numbers, map_key(like), (uint32_t)location->list.count - 1))
        return NULL;
    added->statistic_class = like->statistic_class;
    added->object = like->object;
    location->is_sorted = false;
    return added;
}

/* Adds; less takes away again. */
static bool add(const struct quipu__statistics_totals *totals, struct quipu__location_statistics *location,
                const struct quipu__statistic *more, bool less) {
    struct quipu__statistic *statistic = find(totals, location, more);
    for (unsigned i = 0; statistic && i < QUIPU__STATISTIC_VALUES; i++)
        statistic->values[i] += less ? 0 - more->values[i] : more->values[i];
    return statistic != NULL;
}

/* ---- Calls ---- */

static struct quipu__statistic time_of_call(const struct quipu__interval *call, uint64_t end, uint64_t inner) {
    const uint64_t begin = (uint64_t)call->time, time = end > begin ? end - begin : 0;
    return (struct quipu__statistic){
        QUIPU__STATISTIC_CALLS, call->key[1], {0, time > inner ? time - inner : 0, time}};
}

static bool begin_call(const struct quipu__statistics_totals *totals,
                       struct quipu__location_statistics *location, uint64_t region) {
    const struct quipu__statistic one = {QUIPU__STATISTIC_CALLS, region, {1}};
    return add(totals, location, &one, false);
}

/* The innermost call is about to end. */
static bool end_call(const struct quipu__statistics_totals *totals, struct quipu__location_statistics *location,
                     uint32_t state, uint64_t time) {
    const struct quipu__tracker *tracker = &totals->records->tracker;
    const uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_call).newest;
    if (number == QUIPU_NONE)
        return true;
    const struct quipu__interval *call = quipu__interval_at(tracker, number);
    const struct quipu__statistic taken = time_of_call(call, time, call->count);
    if (call->older != QUIPU_NONE)
        quipu__interval_at(tracker, call->older)->count += taken.values[2];
    return add(totals, location, &taken, false);
}

/* Adds the time that active calls have taken so far, or takes it away again. */
static bool add_active_calls(const struct quipu__statistics_totals *totals,
                             struct quipu__location_statistics *location, uint32_t state, uint64_t time,
                             bool less) {
    const struct quipu__tracker *tracker = &totals->records->tracker;
    uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_call).newest;
    uint64_t inner = 0;
    bool done = true;
    while (number != QUIPU_NONE && done) {
        const struct quipu__interval *call = quipu__interval_at(tracker, number);
        const struct quipu__statistic taken = time_of_call(call, time, call->count + inner);
        inner = taken.values[2];
        done = add(totals, location, &taken, less);
        number = call->older;
    }
    return done;
}

/* ---- Records ---- */

/* Adds what a record says. A collective operation counts when it ends, as what its beginning has said. */
static bool add_record(const struct quipu__statistics_totals *totals,
                       struct quipu__location_statistics *location, const struct quipu_record *record,
                       const struct quipu__transition *transition) {
    const bool is_collective = transition && transition->interval_class == QUIPU__INTERVAL_collective;
    struct quipu_record said = *record;
    struct quipu__active_record begin;
    struct quipu__statistic statistic;
    if (is_collective && transition->change != QUIPU__ENDS)
        return true;
    if (is_collective && quipu__record_tracker_find(totals->records, transition, &begin)) {
        said.type = begin.type;
        said.data = begin.data;
    }
    return !totals->format->statistic_of(totals->trace, &said, &statistic) ||
           add(totals, location, &statistic, false);
}

static bool add_call(const struct quipu__statistics_totals *totals, struct quipu__location_statistics *location,
                     uint32_t state, const struct quipu__transition *transition, uint64_t time) {
    return transition->change == QUIPU__ENDS ? end_call(totals, location, state, time)
                                             : begin_call(totals, location, transition->key[1]);
}

enum quipu_status quipu__statistics_add(struct quipu__statistics_totals *totals,
                                        const struct quipu_record *record, uint64_t time, uint64_t where,
                                        struct quipu_error *err) {
    struct quipu__transition transitions[QUIPU__TRANSITIONS_MOST];
    const uint32_t state = quipu__record_tracker_locate(totals->records, where);
    struct quipu__location_statistics *location = state == QUIPU_NONE ? NULL : find_location(totals, state);
    if (!location)
        return quipu__no_memory(err, sizeof *location);
    const unsigned count = totals->records->format->intervals->intervals_of(record, transitions);
    bool done = add_record(totals, location, record, count > 0 ? transitions : NULL);
    if (count > 0 && transitions[0].interval_class == QUIPU__INTERVAL_call && done)
        done = add_call(totals, location, state, transitions, time);
    return done ? quipu__record_tracker_add(totals->records, record, time, where, err)
                : quipu__no_memory(err, sizeof(struct quipu__statistic));
}

/* ---- Writing ---- */

static int compare(const void *left, const void *right) {
    const struct quipu__statistic *a = left, *b = right;
    if (a->statistic_class != b->statistic_class)
        return a->statistic_class < b->statistic_class ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

static bool sort(struct quipu__location_statistics *location) {
    bool done = true;
    if (location->is_sorted || location->list.count == 0)
        return true;
    qsort(location->list.items, location->list.count, sizeof *location->list.items, compare);
    for (size_t i = 0; i < location->list.count && done; i++)
        done = quipu__map_put(&location->numbers, map_key(&location->list.items[i]), (uint32_t)i);
    location->is_sorted = true;
    return done;
}

/* Statistics of groups are made of those of their members. */
static bool add_groups(const struct quipu__statistics_totals *totals,
                       struct quipu__location_statistics *location) {
    const size_t count = location->list.count;
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        struct quipu__statistic *statistic = &location->list.items[i];
        if (statistic->statistic_class == QUIPU__STATISTIC_CALL_GROUPS ||
            statistic->statistic_class == QUIPU__STATISTIC_FILE_GROUPS)
            memset(statistic->values, 0, sizeof statistic->values);
    }
    for (size_t i = 0; i < count && done; i++) {
        struct quipu__statistic group = location->list.items[i];
        if (totals->format->group_of(totals->trace, &location->list.items[i], &group))
            done = add(totals, location, &group, false);
    }
    return done;
}

static enum quipu_status put_list(const struct quipu__statistics_totals *totals,
                                  const struct quipu__location_statistics *location, uint64_t where,
                                  uint64_t time, struct quipu_writer *writer, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < location->list.count && status == QUIPU_OK; i++) {
        struct quipu__built_record built = {.data = {0}};
        const struct quipu_record_type *type = totals->format->summary_of(&location->list.items[i], built.data);
        const struct quipu_record record = quipu__build_record(totals->records, &built, type, time, where);
        status = quipu_writer_put_record(writer, &record, err);
    }
    return status;
}

enum quipu_status quipu__statistics_put(struct quipu__statistics_totals *totals,
                                        const struct quipu__record_location *where, uint64_t time,
                                        const struct quipu_stream *events, struct quipu_writer *writer,
                                        struct quipu_error *err) {
    struct quipu__location_statistics *location = find_location(totals, where->state);
    struct quipu_stream stream = *events;
    stream.kind = QUIPU_STREAM_STATISTICS;
    if (!location || !add_active_calls(totals, location, where->state, time, false) ||
        !add_groups(totals, location) || !sort(location))
        return quipu__no_memory(err, sizeof *location);
    enum quipu_status status = quipu_writer_begin_stream(writer, &stream, err);
    if (status == QUIPU_OK)
        status = put_list(totals, location, where->location, time, writer, err);
    if (!add_active_calls(totals, location, where->state, time, true) && status == QUIPU_OK)
        status = quipu__no_memory(err, sizeof *location);
    return status;
}
