/* snapshot.c: adding snapshots and statistics to a trace.
 *
 * A first pass over the events finds the range of times. The second one copies all records, those of events merged by
 * time, and tracks what is active and adds up. Before the first event at or after a sample point, snapshots and
 * statistics of all locations are written: they describe everything before it, and a snapshot of a sound trace says that
 * it is complete. The last statistics come right after the last event and cover everything. Snapshots and statistics
 * that the trace already has are left out, and so are their announcements among the definitions.
 */
#include "convert/convert.h"
#include "convert/record_tracker.h"
#include "core/error.h"
#include "trace/reader.h"

#include <stdlib.h>

struct location_statistics {
    QUIPU__VEC(struct quipu__statistic) list;
    struct quipu__map numbers; /* class and object -> index of list */
    bool is_sorted;
};

struct statistics_totals {
    const struct quipu__trace *trace;
    const struct quipu__statistics *format;
    struct quipu__record_tracker *records; /* active calls count the time in ended calls that they made */
    QUIPU__VEC(struct location_statistics) locations; /* by their states */
};

/* ==== Statistics ====
 *
 * Adds up what records say, and the time of calls.
 *
 * The time of a call that ends is counted before the tracker forgets it: its interval counts the time in the calls that
 * it has made. What is still active is added for writing, and then subtracted again. */

static void statistics_init(struct statistics_totals *totals, const struct quipu__trace *trace,
                            struct quipu__record_tracker *records) {
    *totals =
        (struct statistics_totals){.trace = trace, .format = trace->format->statistics, .records = records};
}

static void statistics_release(struct statistics_totals *totals) {
    for (size_t i = 0; i < totals->locations.count; i++) {
        QUIPU__VEC_RELEASE(totals->trace->memory, &totals->locations.items[i].list);
        quipu__map_release(&totals->locations.items[i].numbers);
    }
    QUIPU__VEC_RELEASE(totals->trace->memory, &totals->locations);
}

/* ---- Adding up ---- */

static struct location_statistics *find_location(struct statistics_totals *totals, uint32_t state) {
    while (totals->locations.count <= state) {
        struct location_statistics *added = QUIPU__VEC_ADD(totals->trace->memory, &totals->locations);
        if (!added)
            return NULL;
        quipu__map_init(&added->numbers, totals->trace->memory);
    }
    return &totals->locations.items[state];
}

static uint64_t map_key(const struct quipu__statistic *statistic) {
    return (uint64_t)statistic->statistic_class << 60 ^ statistic->object;
}

static struct quipu__statistic *find(const struct statistics_totals *totals,
                                     struct location_statistics *location,
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

/* Adds; less subtracts again. */
static bool add(const struct statistics_totals *totals, struct location_statistics *location,
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

static bool begin_call(const struct statistics_totals *totals, struct location_statistics *location,
                       uint64_t region) {
    const struct quipu__statistic one = {QUIPU__STATISTIC_CALLS, region, {1}};
    return add(totals, location, &one, false);
}

/* The innermost call is about to end. */
static bool end_call(const struct statistics_totals *totals, struct location_statistics *location,
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

/* Adds the time that active calls have taken so far, or subtracts it again. */
static bool add_active_calls(const struct statistics_totals *totals, struct location_statistics *location,
                             uint32_t state, uint64_t time, bool less) {
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

/* Adds what a record says. A collective operation counts when it ends, with what its beginning said. */
static bool add_record(const struct statistics_totals *totals, struct location_statistics *location,
                       const struct quipu_record *record, const struct quipu__transition *transition) {
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

static bool add_call(const struct statistics_totals *totals, struct location_statistics *location,
                     uint32_t state, const struct quipu__transition *transition, uint64_t time) {
    return transition->change == QUIPU__ENDS ? end_call(totals, location, state, time)
                                             : begin_call(totals, location, transition->key[1]);
}

/* Adds a record with that time and location to the statistics and to the tracker. */
static enum quipu_status statistics_add(struct statistics_totals *totals, const struct quipu_record *record,
                                        uint64_t time, uint64_t where, struct quipu_error *err) {
    struct quipu__transition transitions[QUIPU__TRANSITIONS_MOST];
    const uint32_t state = quipu__record_tracker_locate(totals->records, where);
    struct location_statistics *location = state == QUIPU_NONE ? NULL : find_location(totals, state);
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

static bool sort(struct location_statistics *location) {
    bool done = true;
    if (location->is_sorted || location->list.count == 0)
        return true;
    qsort(location->list.items, location->list.count, sizeof *location->list.items, compare);
    for (size_t i = 0; i < location->list.count && done; i++)
        done = quipu__map_put(&location->numbers, map_key(&location->list.items[i]), (uint32_t)i);
    location->is_sorted = true;
    return done;
}

/* Statistics of groups are sums of those of their members. */
static bool add_groups(const struct statistics_totals *totals, struct location_statistics *location) {
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

static enum quipu_status put_list(const struct statistics_totals *totals,
                                  const struct location_statistics *location, uint64_t where, uint64_t time,
                                  struct quipu_writer *writer, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < location->list.count && status == QUIPU_OK; i++) {
        struct quipu__built_record built = {.data = {0}};
        const struct quipu_record_type *type = totals->format->summary_of(&location->list.items[i], built.data);
        const struct quipu_record record = quipu__build_record(totals->records, &built, type, time, where);
        status = quipu_writer_put_record(writer, &record, err);
    }
    return status;
}

/* Writes the statistics of a location at a time into those that belong to a stream of events. */
static enum quipu_status statistics_put(struct statistics_totals *totals,
                                        const struct quipu__record_location *where, uint64_t time,
                                        const struct quipu_stream *events, struct quipu_writer *writer,
                                        struct quipu_error *err) {
    struct location_statistics *location = find_location(totals, where->state);
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

struct sampling {
    struct quipu__conversion *conversion;
    const struct quipu_snapshot_options *options;
    uint64_t first, last; /* times of the events, as in the files */
    uint64_t count;       /* sample points */
    uint64_t done;        /* sample points already written */
    struct quipu__record_tracker records;
    struct statistics_totals statistics;
    uint32_t stream; /* that the writer is at */
    bool has_range;  /* among the definitions */
    bool is_sound;   /* nothing is damaged or out of order, so that snapshots can be trusted */
};

/* ---- Sample points ---- */

/* Times of sample points from 1 to count; they are after the first time and not after the last. */
static uint64_t point(const struct sampling *sampling, uint64_t number) {
    const uint64_t length = sampling->last - sampling->first;
    const uint64_t sections = sampling->count + 1;
    if (sampling->options->interval > 0)
        return sampling->first + number * (uint64_t)sampling->options->interval;
    return sampling->first + length / sections * number + length % sections * number / sections;
}

static void count_points(struct sampling *sampling) {
    const uint64_t length = sampling->last - sampling->first;
    if (sampling->options->interval > 0)
        sampling->count = length / (uint64_t)sampling->options->interval;
    else
        sampling->count = sampling->options->count < length ? sampling->options->count : length;
}

/* Judges by the findings of the first pass. A snapshot of a trace whose times go back would depend on where reading
 * begins. */
static bool is_sound(const struct quipu_reader *reader, bool goes_back, int64_t last) {
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    return !goes_back && last < INT64_MAX && quipu_findings_total(findings, QUIPU_DATA_LOSS) == 0 &&
           quipu_findings_total(findings, QUIPU_ERROR_FINDING) == 0;
}

/* The range of times, and whether all is in order. */
static enum quipu_status find_range(struct sampling *sampling, struct quipu_error *err) {
    struct quipu_reader *reader = sampling->conversion->reader;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const int64_t origin = quipu_reader_definitions(reader)->clock.origin;
    const struct quipu_batch *batch;
    int64_t first = INT64_MAX, last = INT64_MIN, before = INT64_MIN;
    uint32_t stream = QUIPU_NONE;
    bool goes_back = false;
    selection.without_attributes = true;
    selection.kinds = ~(QUIPU_KIND_BIT(QUIPU_KIND_marker) | QUIPU_KIND_BIT(QUIPU_KIND_snapshot) |
                        QUIPU_KIND_BIT(QUIPU_KIND_summary));
    enum quipu_status status = quipu_reader_select(reader, &selection, err);
    while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->count; i++) {
            goes_back |= batch->stream == stream && batch->time[i] < before;
            before = batch->time[i];
            stream = batch->stream;
            first = batch->time[i] < first ? batch->time[i] : first;
            last = batch->time[i] > last ? batch->time[i] : last;
        }
    if (status != QUIPU_END)
        return status;
    if (first > last)
        return quipu__fail(err, QUIPU_NOT_FOUND, "the trace has no events to take snapshots of");
    sampling->first = (uint64_t)(first + origin);
    sampling->last = (uint64_t)(last + origin);
    sampling->is_sound = is_sound(reader, goes_back, last);
    return QUIPU_OK;
}

/* ---- Writing ---- */

static const struct quipu_stream *stream_of(const struct sampling *sampling,
                                            const struct quipu__record_location *where) {
    return quipu_reader_stream_at(sampling->conversion->reader, where->stream);
}

/* Locations that have had records so far. */
static uint64_t count_locations(const struct sampling *sampling) {
    uint64_t count = 0;
    for (size_t i = 0; i < sampling->records.locations.count; i++)
        count += sampling->records.locations.items[i].stream != QUIPU_NONE;
    return count;
}

static enum quipu_status put_snapshots(struct sampling *sampling, uint64_t time, struct quipu_error *err) {
    const uint64_t locations = sampling->is_sound ? count_locations(sampling) : 0;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < sampling->records.locations.count && status == QUIPU_OK; i++) {
        const struct quipu__record_location *where = &sampling->records.locations.items[i];
        if (where->stream != QUIPU_NONE)
            status = quipu__put_snapshots(&sampling->records, where, time, locations,
                                          stream_of(sampling, where), sampling->conversion->writer, err);
    }
    return status;
}

static enum quipu_status put_statistics(struct sampling *sampling, uint64_t time, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < sampling->records.locations.count && status == QUIPU_OK; i++) {
        const struct quipu__record_location *where = &sampling->records.locations.items[i];
        if (where->stream != QUIPU_NONE)
            status = statistics_put(&sampling->statistics, where, time, stream_of(sampling, where),
                                    sampling->conversion->writer, err);
    }
    return status;
}

/* Writes snapshots and statistics at all sample points up to a time. */
static enum quipu_status sample(struct sampling *sampling, uint64_t until, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && sampling->done < sampling->count &&
           point(sampling, sampling->done + 1) <= until) {
        const uint64_t time = point(sampling, ++sampling->done);
        status = put_snapshots(sampling, time, err);
        if (status == QUIPU_OK)
            status = put_statistics(sampling, time, err);
        sampling->stream = QUIPU_NONE;
    }
    return status;
}

static enum quipu_status put_definition(struct sampling *sampling, const struct quipu_record_type *type,
                                        const void *data, struct quipu_error *err) {
    const struct quipu_record record = {
        .type = type, .data = data, .stream = QUIPU_NONE, .byte_offset = QUIPU_UNKNOWN, .line = QUIPU_UNKNOWN};
    return quipu_writer_put_record(sampling->conversion->writer, &record, err);
}

/* Comes after all other definitions of the global stream. */
static enum quipu_status put_definitions(struct sampling *sampling, struct quipu_error *err) {
    static const struct quipu_stream stream = {.name = "", .path = "", .kind = QUIPU_STREAM_DEFINITIONS};
    const struct quipu__snapshots *snapshots = sampling->conversion->source->snapshots;
    struct quipu__built_record built = {.data = {0}};
    enum quipu_status status = quipu_writer_begin_stream(sampling->conversion->writer, &stream, err);
    if (status == QUIPU_OK && !sampling->has_range)
        status = put_definition(sampling, snapshots->time_range(sampling->first, sampling->last, built.data),
                                built.data, err);
    for (uint64_t i = 1; i <= 2 * sampling->count + 1 && status == QUIPU_OK; i++) {
        const uint64_t time = i <= 2 * sampling->count ? point(sampling, (i + 1) / 2) : sampling->last + 1;
        memset(built.data, 0, sizeof built.data);
        status = put_definition(
            sampling, snapshots->sample_point(time, i % 2 == 0 || i > 2 * sampling->count, built.data),
            built.data, err);
    }
    return status;
}

/* ---- Records ---- */

static unsigned count_times(const struct quipu_record_type *type) {
    unsigned times = 0;
    for (uint16_t i = 0; i < type->field_count; i++)
        times += type->fields[i].domain->role == QUIPU_ROLE_TIME;
    return times;
}

/* Definitions with one time announce snapshots or statistics; those with two give the range. */
static bool is_copied(struct sampling *sampling, const struct quipu_record *record,
                      enum quipu_stream_kind kind) {
    const unsigned times = kind == QUIPU_STREAM_DEFINITIONS ? count_times(record->type) : 0;
    sampling->has_range |= times == 2;
    return times != 1 && kind != QUIPU_STREAM_SNAPSHOTS && kind != QUIPU_STREAM_STATISTICS;
}

static enum quipu_status copy(struct sampling *sampling, const struct quipu_record *record,
                              struct quipu_error *err) {
    const struct quipu_stream *stream = quipu_reader_stream_at(sampling->conversion->reader, record->stream);
    struct quipu_writer *writer = sampling->conversion->writer;
    uint64_t time = 0, location = 0;
    enum quipu_status status = QUIPU_OK;
    if (!is_copied(sampling, record, stream->kind))
        return QUIPU_OK;
    const bool is_event = stream->kind == QUIPU_STREAM_EVENTS &&
                          quipu__record_where(&sampling->records, record, &time, &location);
    if (is_event)
        status = sample(sampling, time, err);
    if (status == QUIPU_OK && sampling->stream != record->stream)
        status = quipu_writer_begin_stream(writer, stream, err);
    sampling->stream = record->stream;
    if (status == QUIPU_OK)
        status = quipu_writer_put_record(writer, record, err);
    return status == QUIPU_OK && is_event ? statistics_add(&sampling->statistics, record, time, location, err)
                                          : status;
}

static enum quipu_status complete(struct sampling *sampling, struct quipu_error *err) {
    enum quipu_status status = sample(sampling, sampling->last, err);
    if (status == QUIPU_OK)
        status = put_statistics(sampling, sampling->last + 1, err);
    if (status == QUIPU_OK)
        status = quipu__conversion_begin_events(sampling->conversion, err);
    return status == QUIPU_OK ? put_definitions(sampling, err) : status;
}

static enum quipu_status go_over(struct sampling *sampling, struct quipu_error *err) {
    struct quipu_reader *reader = sampling->conversion->reader;
    struct quipu_record record;
    enum quipu_status status = QUIPU_OK;
    quipu__reader_merge_records(reader);
    while (status == QUIPU_OK) {
        status = quipu_reader_next_record(reader, &record, err);
        if (status == QUIPU_END)
            return complete(sampling, err);
        if (status == QUIPU_OK)
            status = copy(sampling, &record, err);
    }
    return status;
}

static enum quipu_status transfer(struct quipu__conversion *conversion, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(conversion->reader);
    struct sampling sampling = {
        .conversion = conversion, .options = conversion->task_options, .stream = QUIPU_NONE};
    quipu__record_tracker_init(&sampling.records, trace->memory, trace->format, QUIPU__INTERVAL_ALL);
    statistics_init(&sampling.statistics, trace, &sampling.records);
    enum quipu_status status = find_range(&sampling, err);
    if (status == QUIPU_OK) {
        count_points(&sampling);
        status = go_over(&sampling, err);
    }
    statistics_release(&sampling.statistics);
    quipu__record_tracker_release(&sampling.records);
    return status;
}

enum quipu_status quipu_snapshot(struct quipu_reader *reader, const char *path,
                                 const struct quipu_snapshot_options *options, struct quipu_error *err) {
    struct quipu__conversion conversion = {.reader = reader,
                                           .source = quipu__reader_trace(reader)->format,
                                           .options = &options->convert,
                                           .copies = true,
                                           .task_options = options,
                                           .transfer = transfer};
    conversion.target = conversion.source;
    if (options->interval < 0 || (options->interval == 0 && options->count == 0))
        return quipu__fail(err, QUIPU_MISUSE, "neither an interval nor a number of snapshots is given");
    if (!conversion.source->snapshots || !conversion.source->statistics || !conversion.source->copying ||
        (options->convert.writer.streams > 0 && !conversion.source->copying->distributes_records))
        return quipu__fail(err, QUIPU_UNSUPPORTED, "%s has no snapshots", conversion.source->info.title);
    return quipu__conversion_run(&conversion, path, NULL, err);
}
