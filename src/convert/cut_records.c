/* cut_records.c: cutting native records.
 *
 * The records of all streams come merged by time, so the range begins and ends once: records before it only change the
 * state, what is active is written when the first record of the range comes, and active calls are ended when the first
 * record after it comes. If there is a snapshot that can be trusted before the range, the latest one says what is active,
 * and nothing before it is read. The output is the same either way.
 */
#include "convert/cut.h"
#include "convert/loss.h"
#include "convert/record_tracker.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/vec.h"
#include "schema/schema.h"
#include "trace/reader.h"

#include <stdlib.h>

/* ==== Resuming at a snapshot ====
 *
 * Definitions announce at what times there are snapshots. Only their records show which can be trusted: each location in a
 * snapshot must say how many records it has there, and how many locations there are. So a snapshot with missing or repeated
 * parts, one written by other tools, which may have left things out, and one of a trace that has lost locations since are
 * skipped.
 *
 * The latest snapshot is tried first, then those 1, 2, 4 … before it, so a trace full of other tools' snapshots costs only
 * a few tries. */

struct resume {
    struct quipu__trace *trace;
    struct quipu__record_tracker *records;
    QUIPU__VEC(uint64_t) times;  /* announced, ascending */
    struct quipu__counts counts; /* of these passes, which are not reported */
};

/* What one location says about its snapshot, and how much of that was found. */
struct said {
    struct quipu__completeness complete;
    uint64_t taken;
    bool is_said;
};

struct snapshot {
    struct quipu__map numbers; /* location -> index of said */
    QUIPU__VEC(struct said) said;
    bool is_malformed; /* says something twice, or about streams that do not exist */
};

/* ---- Times ---- */

static const struct quipu__filter everything = {.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS};

static int compare_times(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool add_time(struct resume *resume, const struct quipu_record *record, uint64_t until) {
    uint64_t time;
    if (!resume->trace->format->snapshots->announces(record, &time) || time > until)
        return true;
    return QUIPU__VEC_PUT(resume->trace->memory, &resume->times, time);
}

static enum quipu_status list_times(struct resume *resume, uint64_t until, struct quipu_error *err) {
    struct quipu__records records;
    struct quipu_record record;
    struct quipu__record_or_spans next = {.record = &record};
    enum quipu_status status = quipu__records_start(&records, resume->trace, &everything,
                                                    QUIPU_STREAM_DEFINITIONS, false, &resume->counts, err);
    while (status == QUIPU_OK && (status = quipu__records_next(&records, &next, err)) == QUIPU_OK)
        if (!add_time(resume, &record, until))
            status = quipu__no_memory(err, sizeof until);
    quipu__records_release(&records);
    if (resume->times.count > 0)
        qsort(resume->times.items, resume->times.count, sizeof until, compare_times);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- One snapshot ---- */

static struct said *find_said(struct resume *resume, struct snapshot *snapshot, uint64_t location) {
    const uint32_t known = quipu__map_get(&snapshot->numbers, location);
    if (known != QUIPU_NONE)
        return &snapshot->said.items[known];
    struct said *said = QUIPU__VEC_ADD(resume->trace->memory, &snapshot->said);
    if (!said || !quipu__map_put(&snapshot->numbers, location, (uint32_t)snapshot->said.count - 1))
        return NULL;
    *said = (struct said){.taken = 0};
    return said;
}

/* The stream of the events that a stream of snapshots is about, QUIPU_NONE when there is none. Records come stream by
 * stream, so the answer is mostly the same as before. */
static uint32_t events_of(const struct quipu__trace *trace, uint32_t snapshots, uint32_t last) {
    const struct quipu_stream *streams = trace->streams.items;
    const uint64_t wanted = streams[snapshots].native_id;
    if (last != QUIPU_NONE && streams[last].native_id == wanted)
        return last;
    for (uint32_t i = 0; i < trace->streams.count; i++)
        if (streams[i].kind == QUIPU_STREAM_EVENTS && streams[i].native_id == wanted && !streams[i].missing)
            return i;
    return QUIPU_NONE;
}

static enum quipu_status take_record(struct resume *resume, struct snapshot *snapshot,
                                     const struct quipu_record *record, uint32_t events,
                                     struct quipu_error *err) {
    struct quipu__completeness complete;
    uint64_t time, location;
    bool taken = false;
    if (!quipu__record_where(resume->records, record, &time, &location))
        return QUIPU_OK;
    struct said *said = find_said(resume, snapshot, location);
    if (!said)
        return quipu__no_memory(err, sizeof *said);
    if (resume->trace->format->snapshots->completeness_of(record, &complete)) {
        snapshot->is_malformed |= said->is_said || said->taken > 0 || events == QUIPU_NONE;
        said->is_said = true;
        said->complete = complete;
        return QUIPU_OK;
    }
    const enum quipu_status status =
        quipu__record_tracker_add_snapshot(resume->records, record, events, &taken, err);
    said->taken += taken;
    return status;
}

static bool is_complete(const struct snapshot *snapshot) {
    bool complete = snapshot->said.count > 0 && !snapshot->is_malformed;
    for (size_t i = 0; i < snapshot->said.count && complete; i++) {
        const struct said *said = &snapshot->said.items[i];
        complete = said->is_said && said->taken == said->complete.records &&
                   said->complete.locations == snapshot->said.count;
    }
    return complete;
}

/* Reads the records of all snapshots at a time. */
static enum quipu_status take_records(struct resume *resume, struct snapshot *snapshot, uint64_t time,
                                      struct quipu_error *err) {
    struct quipu__filter filter = everything;
    struct quipu__records records;
    struct quipu_record record;
    struct quipu__record_or_spans next = {.record = &record};
    uint32_t events = QUIPU_NONE;
    uint64_t time_of, location;
    filter.from = quipu__bounded_difference((int64_t)time, resume->trace->define->definitions.clock.origin);
    filter.to = quipu__bounded_sum(filter.from, 1);
    enum quipu_status status = quipu__records_start(&records, resume->trace, &filter, QUIPU_STREAM_SNAPSHOTS,
                                                    false, &resume->counts, err);
    while (status == QUIPU_OK && (status = quipu__records_next(&records, &next, err)) == QUIPU_OK) {
        if (!quipu__record_where(resume->records, &record, &time_of, &location) || time_of != time)
            continue; /* a stream may give more than requested */
        events = events_of(resume->trace, record.stream, events);
        status = take_record(resume, snapshot, &record, events, err);
    }
    quipu__records_release(&records);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* QUIPU_END when the snapshot cannot be trusted. */
static enum quipu_status try_snapshot(struct resume *resume, uint64_t time, struct quipu_error *err) {
    struct snapshot snapshot = {.is_malformed = false};
    quipu__map_init(&snapshot.numbers, resume->trace->memory);
    enum quipu_status status = take_records(resume, &snapshot, time, err);
    if (status == QUIPU_OK && !is_complete(&snapshot)) {
        quipu__record_tracker_clear(resume->records);
        status = QUIPU_END;
    }
    QUIPU__VEC_RELEASE(resume->trace->memory, &snapshot.said);
    quipu__map_release(&snapshot.numbers);
    return status;
}

static enum quipu_status try_snapshots(struct resume *resume, uint64_t *found, struct quipu_error *err) {
    enum quipu_status status = QUIPU_END;
    for (size_t back = 1; back <= resume->times.count && status == QUIPU_END; back *= 2) {
        *found = resume->times.items[resume->times.count - back];
        if (*found <= INT64_MAX)
            status = try_snapshot(resume, *found, err);
    }
    return status;
}

/* Problems of the trace are reported when the whole trace is read, not here. */
static enum quipu_status resume(struct quipu__record_tracker *records, struct quipu_reader *reader,
                                uint64_t until, uint64_t *found, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(reader);
    struct resume resume = {.trace = trace, .records = records};
    struct quipu_findings *const findings = trace->findings, *ignored;
    enum quipu_status status = quipu__findings_new(trace->memory, &ignored, err);
    if (status != QUIPU_OK)
        return status;
    trace->findings = ignored;
    status = list_times(&resume, until, err);
    if (status == QUIPU_OK)
        status = try_snapshots(&resume, found, err);
    trace->findings = findings;
    quipu__findings_free(ignored);
    QUIPU__VEC_RELEASE(trace->memory, &resume.times);
    return status;
}

#define NO_TIME UINT64_MAX /* time of records of a damaged trace that have none: they lie in no range */

struct cut {
    struct quipu__conversion *conversion;
    const struct quipu_cut_options *options;
    uint64_t from, to; /* in the times of the files */
    bool has_end;
    struct quipu__map locations; /* the selected ones, by their number in the format */
    bool selects_locations;
    struct quipu__record_tracker records;
    uint64_t known_from; /* the state covers everything earlier: earlier records are ignored */
    bool is_in_range, has_ended;
    uint32_t stream; /* current stream of the writer */
};

static bool is_selected(const struct cut *cut, uint64_t location) {
    return !cut->selects_locations || quipu__map_get(&cut->locations, location) != QUIPU_NONE;
}

/* ---- Writing ---- */

static enum quipu_status put(struct cut *cut, const struct quipu_record *record, struct quipu_error *err) {
    struct quipu_writer *writer = cut->conversion->writer;
    enum quipu_status status = QUIPU_OK;
    if (cut->stream != record->stream)
        status = quipu_writer_begin_stream(
            writer, quipu_reader_stream_at(cut->conversion->reader, record->stream), err);
    cut->stream = record->stream;
    return status == QUIPU_OK ? quipu_writer_put_record(writer, record, err) : status;
}

/* Writes an interval as if it began with the range. */
static enum quipu_status put_begin(void *context, const void *location, const struct quipu__interval *interval,
                                   struct quipu_error *err) {
    struct cut *cut = context;
    const struct quipu__record_location *where = location;
    const struct quipu__active_record active = quipu__active_record(&cut->records, interval);
    struct quipu__built_record built;
    struct quipu_record record =
        quipu__build_record(&cut->records, &built, active.type, cut->from, where->location);
    record.data = active.data;
    record.stream = where->stream;
    return put(cut, &record, err);
}

static enum quipu_status put_leave(void *context, const void *location, const struct quipu__interval *interval,
                                   struct quipu_error *err) {
    struct cut *cut = context;
    const struct quipu__record_location *where = location;
    const struct quipu__active_record call = quipu__active_record(&cut->records, interval);
    struct quipu__built_record built = {.data = {0}};
    const struct quipu_record_type *type = cut->conversion->source->intervals->end_of(&call, built.data);
    struct quipu_record record = quipu__build_record(&cut->records, &built, type, cut->to, where->location);
    record.stream = where->stream;
    return put(cut, &record, err);
}

static enum quipu_status begin_again(struct cut *cut, const struct quipu__record_location *where,
                                     struct quipu_error *err) {
    return quipu__cut_begin(&cut->records.tracker, where->state, put_begin, cut, where, err);
}

static enum quipu_status end_calls(struct cut *cut, const struct quipu__record_location *where,
                                   struct quipu_error *err) {
    return quipu__cut_end(&cut->records.tracker, where->state, QUIPU__INTERVAL_call, put_leave, cut, where,
                          err);
}

static enum quipu_status put_snapshots(struct cut *cut, const struct quipu__record_location *where,
                                       struct quipu_error *err) {
    if (where->stream == QUIPU_NONE)
        return QUIPU_OK;
    cut->stream = QUIPU_NONE;
    return quipu__put_snapshots(&cut->records, where, cut->from, 0,
                                quipu_reader_stream_at(cut->conversion->reader, where->stream),
                                cut->conversion->writer, err);
}

/* Does something at all locations that are selected. */
static enum quipu_status for_locations(struct cut *cut,
                                       enum quipu_status (*act)(struct cut *cut,
                                                                const struct quipu__record_location *where,
                                                                struct quipu_error *err),
                                       struct quipu_error *err) {
    const quipu__record_locations *locations = quipu__record_tracker_sort(&cut->records);
    enum quipu_status status = QUIPU_OK;
    if (!locations)
        return quipu__no_memory(err, cut->records.locations.count * sizeof *locations->items);
    for (size_t i = 0; i < locations->count && status == QUIPU_OK; i++)
        if (is_selected(cut, locations->items[i].location))
            status = act(cut, &locations->items[i], err);
    return status;
}

/* The first record of the range is coming, or there is none. */
static enum quipu_status begin_range(struct cut *cut, struct quipu_error *err) {
    if (cut->is_in_range)
        return QUIPU_OK;
    cut->is_in_range = true;
    return for_locations(cut, cut->options->snapshots ? put_snapshots : begin_again, err);
}

/* The last record of the range has come. */
static enum quipu_status end_range(struct cut *cut, struct quipu_error *err) {
    const enum quipu_status status = begin_range(cut, err);
    if (status != QUIPU_OK || cut->has_ended || !cut->has_end || cut->options->snapshots)
        return status;
    cut->has_ended = true;
    return for_locations(cut, end_calls, err);
}

/* ---- Records ---- */

static bool is_of_call(const struct cut *cut, const struct quipu_record *record) {
    struct quipu__transition transitions[QUIPU__TRANSITIONS_MOST];
    const unsigned count = cut->conversion->source->intervals->intervals_of(record, transitions);
    for (unsigned i = 0; i < count; i++)
        if (transitions[i].interval_class == QUIPU__INTERVAL_call)
            return true;
    return false;
}

/* Where times go back, which some formats allow to 0, calls belong to the range that they stand in: each needs both its sides. */
static enum quipu_status cut_event(struct cut *cut, const struct quipu_record *record, uint64_t time,
                                   uint64_t location, struct quipu_error *err) {
    const bool has_range = cut->from > 0 || cut->has_end;
    const bool stays = cut->is_in_range && time < cut->from && is_of_call(cut, record);
    if ((time < cut->known_from && !stays) || (time == NO_TIME && has_range))
        return QUIPU_OK;
    if (cut->has_end && time >= cut->to)
        return end_range(cut, err);
    if (cut->has_ended && is_of_call(cut, record))
        return QUIPU_OK;
    enum quipu_status status = time >= cut->from ? begin_range(cut, err) : QUIPU_OK;
    if (status == QUIPU_OK && (time >= cut->from || stays) && is_selected(cut, location)) {
        cut->conversion->loss->selected_records++;
        status = put(cut, record, err);
    }
    return status == QUIPU_OK ? quipu__record_tracker_add(&cut->records, record, time, location, err) : status;
}

/* Records that are not preceded by time and location, such as definitions and markers, may have times in their own fields:
 * one time says when something was, two are a range, which is clipped. */
static enum quipu_status cut_definition(struct cut *cut, const struct quipu_record *record,
                                        struct quipu_error *err) {
    const struct quipu_record_type *type = record->type;
    struct quipu__built_record built;
    struct quipu_record changed = *record;
    unsigned times = 0, outside = 0;
    int64_t value;
    if (type->size > sizeof built.data)
        return put(cut, record, err);
    memcpy(built.data, record->data, type->size);
    changed.data = built.data;
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].domain->role != QUIPU_ROLE_TIME ||
            !quipu_field_get_i64(&type->fields[i], record->data, &value))
            continue;
        const uint64_t time = (uint64_t)value, least = time < cut->from ? cut->from : time;
        const uint64_t most = cut->has_end && least > cut->to ? cut->to : least;
        times++;
        outside += time < cut->from || (cut->has_end && time >= cut->to);
        quipu__store_i64(&type->fields[i], built.data, (int64_t)most);
    }
    if (times == 1 && outside == 1)
        return QUIPU_OK;
    return put(cut, times > 1 ? &changed : record, err);
}

/* Markers say in their own field where they are. */
static bool is_marked_elsewhere(const struct cut *cut, const struct quipu_record *record) {
    int64_t location;
    for (uint16_t i = 0; i < record->type->field_count; i++)
        if (record->type->fields[i].domain->role == QUIPU_ROLE_LOCATION &&
            quipu_field_get_i64(&record->type->fields[i], record->data, &location))
            return !is_selected(cut, (uint64_t)location);
    return false;
}

static bool has_where(const struct cut *cut, enum quipu_stream_kind kind, const struct quipu_record *record,
                      uint64_t *time, uint64_t *location) {
    return (kind == QUIPU_STREAM_EVENTS || kind == QUIPU_STREAM_SNAPSHOTS || kind == QUIPU_STREAM_STATISTICS) &&
           quipu__record_where(&cut->records, record, time, location);
}

/* Snapshots stay, but their statements of what they consist of count records or locations that are gone. */
static bool is_outdated(const struct cut *cut, enum quipu_stream_kind kind, const struct quipu_record *record) {
    struct quipu__completeness complete;
    return kind == QUIPU_STREAM_SNAPSHOTS && (cut->from > 0 || cut->selects_locations) &&
           cut->conversion->source->snapshots->completeness_of(record, &complete);
}

static enum quipu_status cut_record(struct cut *cut, const struct quipu_record *record,
                                    struct quipu_error *err) {
    const enum quipu_stream_kind kind = quipu_reader_stream_at(cut->conversion->reader, record->stream)->kind;
    uint64_t time, location;
    if (!has_where(cut, kind, record, &time, &location))
        return kind == QUIPU_STREAM_MARKERS && is_marked_elsewhere(cut, record)
                   ? QUIPU_OK
                   : cut_definition(cut, record, err);
    if (kind == QUIPU_STREAM_EVENTS)
        return cut_event(cut, record, time, location, err);
    const enum quipu_status status = end_range(cut, err);
    const bool is_wanted = time >= cut->from && (!cut->has_end || time < cut->to) &&
                           is_selected(cut, location) && !is_outdated(cut, kind, record);
    return status == QUIPU_OK && is_wanted ? put(cut, record, err) : status;
}

/* ---- The whole ---- */

/* A time of the model as in the files; the limits of the range of times stay as they are. */
static uint64_t file_time(const struct quipu_clock *clock, int64_t time) {
    const int64_t origin = clock->origin;
    if (time < 0 && (origin < 0 || time < -origin))
        return 0;
    return origin > 0 && time > INT64_MAX - origin ? INT64_MAX : (uint64_t)(time + origin);
}

static enum quipu_status start(struct cut *cut, struct quipu_error *err) {
    const struct quipu__trace *trace = quipu__reader_trace(cut->conversion->reader);
    const struct quipu_definitions *definitions = quipu_reader_definitions(cut->conversion->reader);
    const struct quipu_selection *selection = &cut->options->convert.selection;
    cut->from = file_time(&definitions->clock, selection->from);
    cut->to = file_time(&definitions->clock, selection->to);
    cut->has_end = selection->to != INT64_MAX;
    cut->selects_locations = selection->locations != NULL;
    quipu__map_init(&cut->locations, trace->memory);
    quipu__record_tracker_init(&cut->records, trace->memory, trace->format,
                               cut->options->snapshots ? QUIPU__INTERVAL_ALL : QUIPU__BEGINS_AGAIN);
    for (uint32_t i = 0; i < selection->location_count; i++) {
        const uint32_t number = selection->locations[i];
        if (number < definitions->locations.count &&
            !quipu__map_put(&cut->locations, definitions->locations.items[number].native_id, number))
            return quipu__no_memory(err, sizeof cut->locations);
    }
    return QUIPU_OK;
}

/* Starts the pass where it must: events at the latest snapshot or at the beginning, the rest where the range begins. */
static enum quipu_status begin_pass(struct cut *cut, struct quipu_error *err) {
    struct quipu_reader *reader = cut->conversion->reader;
    const struct quipu_selection *selection = &cut->options->convert.selection;
    const int64_t origin = quipu_reader_definitions(reader)->clock.origin;
    enum quipu_status status = QUIPU_END;
    quipu__reader_merge_records(reader);
    if (cut->from > 0)
        status = resume(&cut->records, reader, cut->from, &cut->known_from, err);
    if (status < QUIPU_OK)
        return status;
    if (status == QUIPU_END)
        cut->known_from = 0;
    quipu__reader_limit_records(reader, QUIPU_STREAM_EVENTS,
                                status == QUIPU_OK ? (int64_t)cut->known_from - origin : INT64_MIN,
                                selection->to);
    quipu__reader_limit_records(reader, QUIPU_STREAM_SNAPSHOTS, selection->from, selection->to);
    quipu__reader_limit_records(reader, QUIPU_STREAM_STATISTICS, selection->from, selection->to);
    return QUIPU_OK;
}

static enum quipu_status go_over(struct cut *cut, struct quipu_error *err) {
    struct quipu_reader *reader = cut->conversion->reader;
    struct quipu_record record;
    enum quipu_status status = begin_pass(cut, err);
    while (status == QUIPU_OK) {
        status = quipu_reader_next_record(reader, &record, err);
        if (status == QUIPU_END)
            return end_range(cut, err);
        if (status == QUIPU_OK)
            status = cut_record(cut, &record, err);
    }
    return status;
}

enum quipu_status quipu__cut_records(struct quipu__conversion *conversion, struct quipu_error *err) {
    struct cut cut = {.conversion = conversion, .options = conversion->task_options, .stream = QUIPU_NONE};
    conversion->loss->is_part_of_records = true;
    enum quipu_status status = start(&cut, err);
    if (status == QUIPU_OK)
        status = go_over(&cut, err);
    if (status == QUIPU_OK)
        status = quipu__conversion_begin_events(cut.conversion, err);
    quipu__record_tracker_release(&cut.records);
    quipu__map_release(&cut.locations);
    return status;
}
