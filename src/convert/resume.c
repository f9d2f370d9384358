/* resume.c: see resume.h.
 *
 * Definitions announce at what times there are snapshots. Which of them can be relied upon is seen from their records
 * alone: each location that a snapshot says something of must say itself how many records that are, and all of them
 * how many locations. So a snapshot of which a part is missing, that has parts twice, or that was written by others, who
 * may have left things out, is passed over, and so is one of a trace that has lost locations since.
 *
 * The latest snapshot is tried first, then those 1, 2, 4 … before it, so that a trace full of others' snapshots costs no
 * more than a few looks.
 */
#include "convert/resume.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/vec.h"

#include <stdlib.h>

struct resume {
    struct quipu__trace *trace;
    struct quipu__record_tracker *records;
    QUIPU__VEC(uint64_t) times;  /* announced, ascending */
    struct quipu__counts counts; /* of these passes, which are not reported */
};

/* What one location says of its snapshot, and how much of that was there. */
struct said {
    struct quipu__completeness complete;
    uint64_t taken;
    bool is_said;
};

struct snapshot {
    struct quipu__map numbers; /* location -> index of said */
    QUIPU__VEC(struct said) said;
    bool is_malformed; /* says something twice, or of streams that are not there */
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
    uint64_t *added = QUIPU__VEC_ADD(resume->trace->memory, &resume->times);
    if (added)
        *added = time;
    return added != NULL;
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
 * stream, so the last answer is mostly the next one. */
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

/* Reads what all snapshots say at a time. */
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
            continue; /* a stream may give more than it is asked for */
        events = events_of(resume->trace, record.stream, events);
        status = take_record(resume, snapshot, &record, events, err);
    }
    quipu__records_release(&records);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* QUIPU_END when the snapshot cannot be relied upon. */
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

/* What is wrong with the trace is found when it is read as a whole, not here. */
enum quipu_status quipu__resume(struct quipu__record_tracker *records, struct quipu_reader *reader,
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
