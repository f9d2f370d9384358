/* writer.c: the JSON trace event format of Chrome, which many viewers read.
 *
 * One event a line: B and E for calls, and for requests, collective operations, I/O, tasks and states on threads of their own
 * (formats/single_file.h); C for metrics, i for everything else with its fields as arguments, s and f for the two ends of a message,
 * which belong to the calls around them (speedscope wants names at both ends of a slice), M for the names of processes and threads. Times are microseconds with exactly three
 * decimals, so nanoseconds arrive unharmed.
 */
#include "core/bounded.h"
#include "formats/details.h"
#include "formats/single_file.h"
#include "model/event.h"
#include "schema/schema.h"

#include <inttypes.h>

struct chrome {
    struct quipu__single_file single;
    uint32_t locations, tracks; /* that have been named */
    bool is_started;
};

/* ---- Pieces ---- */

static void put_string(struct chrome *own, const char *text) {
    quipu__put_json(&own->single.out, text, strlen(text));
}

/* Begins an event on a line of its own; end_event completes it. */
static void begin_event(struct chrome *own, const char *phase, uint32_t process, uint32_t thread) {
    quipu__put_text(&own->single.out,
                    own->is_started ? ",\n" : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    own->is_started = true;
    quipu__put_text(&own->single.out, "{\"ph\": \"");
    quipu__put_text(&own->single.out, phase);
    quipu__put_text(&own->single.out, "\", \"pid\": ");
    quipu__put_u64(&own->single.out, process);
    quipu__put_text(&own->single.out, ", \"tid\": ");
    quipu__put_u64(&own->single.out, thread);
}

static void end_event(struct chrome *own) {
    quipu__put_text(&own->single.out, "}");
}

static void put_time(struct chrome *own, int64_t ns) {
    const uint64_t size = quipu__magnitude(ns);
    const unsigned rest = (unsigned)(size % 1000);
    const char decimals[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                             (char)('0' + rest % 10), '\0'};
    quipu__put_text(&own->single.out, ns < 0 ? ", \"ts\": -" : ", \"ts\": ");
    quipu__put_u64(&own->single.out, size / 1000);
    quipu__put_text(&own->single.out, decimals);
}

static void put_name(struct chrome *own, const char *name, const char *category) {
    quipu__put_text(&own->single.out, ", \"name\": ");
    put_string(own, name);
    quipu__put_text(&own->single.out, ", \"cat\": \"");
    quipu__put_text(&own->single.out, category);
    quipu__put_text(&own->single.out, "\"");
}

/* The arguments: all details from first on. */
static void put_arguments(struct chrome *own, const struct quipu_definitions *definitions,
                          const struct quipu_event *event, size_t first) {
    const size_t count = quipu__detail_count(event);
    struct quipu__detail detail;
    bool has_some = false;
    for (size_t i = first; i < count; i++) {
        if (!quipu__detail_at(definitions, event, i, &detail))
            continue;
        quipu__put_text(&own->single.out, has_some ? ", " : ", \"args\": {");
        put_string(own, detail.name);
        quipu__put_text(&own->single.out, ": ");
        quipu__print_value(&detail.value, &own->single.out, true);
        has_some = true;
    }
    if (has_some)
        quipu__put_text(&own->single.out, "}");
}

/* ---- Names ---- */

/* Threads count from 1, tracks of slices are above all of them. */
enum { FIRST_TRACK = 1 << 30, FIRST_MARK_TRACK = FIRST_TRACK + (1 << 29) };

static uint32_t thread_number(uint32_t location) {
    return location + 1;
}

static void put_metadata(struct chrome *own, const char *what, uint32_t process, uint32_t thread,
                         const char *name) {
    begin_event(own, "M", process, thread);
    quipu__put_text(&own->single.out, ", \"name\": \"");
    quipu__put_text(&own->single.out, what);
    quipu__put_text(&own->single.out, "\", \"args\": {\"name\": ");
    put_string(own, name);
    quipu__put_text(&own->single.out, "}");
    end_event(own);
}

static void put_definitions(struct quipu__single_file *single, const struct quipu_definitions *definitions) {
    struct chrome *own = (struct chrome *)single;
    for (; own->locations < definitions->locations.count; own->locations++) {
        const uint32_t process = quipu__single_file_pid(single, definitions, own->locations);
        const uint32_t thread = thread_number(own->locations);
        const char *name = definitions->locations.items[own->locations].name;
        if (quipu__process_of(definitions, own->locations) == own->locations)
            put_metadata(own, "process_name", process, thread, name);
        put_metadata(own, "thread_name", process, thread, name);
    }
}

/* ---- Events ---- */

static const char *name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint32_t number) {
    const char *name = quipu__name_of(definitions, refers, number);
    return name ? name : "unknown";
}

static void begin_at(struct chrome *own, const struct quipu_definitions *definitions,
                     const struct quipu_event *event, const char *phase) {
    begin_event(own, phase, quipu__single_file_pid(&own->single, definitions, event->location),
                thread_number(event->location));
    put_time(own, quipu_clock_ns(&definitions->clock, event->time));
}

static const char *category_of(const struct quipu_definitions *definitions, uint32_t region) {
    static const char *const roles[QUIPU_REGION_ROLE_COUNT] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
    };
    return region < definitions->regions.count ? roles[definitions->regions.items[region].role] : "region";
}

static void put_region(struct chrome *own, const struct quipu_definitions *definitions,
                       const struct quipu_event *event) {
    const bool begins = event->kind == QUIPU_KIND_enter;
    begin_at(own, definitions, event, begins ? "B" : "E");
    const uint32_t region = begins ? event->object : own->single.left;
    put_name(own, name_of(definitions, QUIPU_REFERS_REGION, region), category_of(definitions, region));
    put_arguments(own, definitions, event, 1); /* the region is the name */
    end_event(own);
}

static void put_metric(struct chrome *own, const struct quipu_definitions *definitions,
                       const struct quipu_event *event) {
    const struct quipu_value value = quipu__metric_value(definitions, event);
    begin_at(own, definitions, event, "C");
    put_name(own, name_of(definitions, QUIPU_REFERS_METRIC, event->object), "metric");
    quipu__put_text(&own->single.out, ", \"args\": {\"value\": ");
    quipu__print_value(&value, &own->single.out, true);
    quipu__put_text(&own->single.out, "}");
    end_event(own);
}

/* An end of the arrow between a send and its receive; it belongs to the region around it. */
static void put_arrow(struct chrome *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t message) {
    const bool begins = event->kind == QUIPU_KIND_send;
    begin_at(own, definitions, event, begins ? "s" : "f");
    quipu__put_text(&own->single.out, begins ? ", \"id\": " : ", \"bp\": \"e\", \"id\": ");
    quipu__put_u64(&own->single.out, message);
    put_name(own, "message", "message");
    end_event(own);
}

static void put_instant(struct chrome *own, const struct quipu_definitions *definitions,
                        const struct quipu_event *event) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    begin_at(own, definitions, event, "i");
    quipu__put_text(&own->single.out, ", \"s\": \"t\"");
    put_name(own, kind->name, kind->family);
    put_arguments(own, definitions, event, 0);
    end_event(own);
}

static void put_event(struct quipu__single_file *single, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t message) {
    struct chrome *own = (struct chrome *)single;
    switch (event->kind) {
    case QUIPU_KIND_enter:
    case QUIPU_KIND_leave:
        put_region(own, definitions, event);
        break;
    case QUIPU_KIND_metric:
        put_metric(own, definitions, event);
        break;
    default:
        put_instant(own, definitions, event);
        break;
    }
    if (message)
        put_arrow(own, definitions, event, message);
}

/* ---- Slices besides calls ---- */

static void name_track(struct chrome *own, uint32_t number) {
    struct quipu__single_file *single = &own->single;
    const uint32_t location = single->slices.tracks.items[number].location;
    put_metadata(own, "thread_name", quipu__single_file_pid(single, single->definitions, location),
                 FIRST_TRACK + number, quipu__slice_track_name(&single->slices, number));
}

/* The location of a track is another one than the event's where a CPU shows its threads. */
static void begin_on_track(struct chrome *own, const struct quipu__drawn_slice *slice, const char *phase) {
    struct quipu__single_file *single = &own->single;
    const uint32_t location = single->slices.tracks.items[slice->track].location;
    begin_event(own, phase, quipu__single_file_pid(single, single->definitions, location),
                FIRST_TRACK + slice->track);
    put_time(own, quipu_clock_ns(&single->definitions->clock, single->event->time));
}

static void begin_slice(struct quipu__single_file *single, const struct quipu__drawn_slice *slice) {
    struct chrome *own = (struct chrome *)single;
    for (; own->tracks <= slice->track; own->tracks++)
        name_track(own, own->tracks);
    begin_on_track(own, slice, "B");
    put_name(own, slice->name, quipu_kind_at((enum quipu_kind)single->event->kind)->family);
    put_arguments(own, single->definitions, single->event, 0);
    end_event(own);
}

static void end_slice(struct quipu__single_file *single, const struct quipu__drawn_slice *slice) {
    struct chrome *own = (struct chrome *)single;
    begin_on_track(own, slice, "E");
    put_name(own, slice->name, quipu_kind_at((enum quipu_kind)single->event->kind)->family);
    if (slice->has_own_end)
        put_arguments(own, single->definitions, single->event, 0);
    end_event(own);
}

/* ---- What analyses have found ---- */

static void put_mark_track(struct quipu__single_file *single, const struct quipu__mark_track *track,
                           uint32_t number) {
    struct chrome *own = (struct chrome *)single;
    put_metadata(own, "thread_name", quipu__single_file_pid(single, single->definitions, track->location),
                 FIRST_MARK_TRACK + number, track->name);
}

static void begin_mark(struct chrome *own, const struct quipu__mark *mark,
                       const struct quipu__mark_track *track, const char *phase, int64_t time) {
    struct quipu__single_file *single = &own->single;
    begin_event(own, phase, quipu__single_file_pid(single, single->definitions, track->location),
                FIRST_MARK_TRACK + mark->track);
    put_time(own, time);
}

static void put_mark_flow(struct chrome *own, const struct quipu__mark *mark,
                          const struct quipu__mark_track *track, const char *phase, int64_t time,
                          uint64_t flow) {
    begin_mark(own, mark, track, phase, time);
    quipu__put_text(&own->single.out, ", \"bp\": \"e\", \"id\": \"mark ");
    quipu__put_u64(&own->single.out, flow);
    quipu__put_text(&own->single.out, "\"");
    put_name(own, track->name, "mark");
    end_event(own);
}

static void put_mark(struct quipu__single_file *single, const struct quipu__mark *mark,
                     const struct quipu__mark_track *track) {
    struct chrome *own = (struct chrome *)single;
    begin_mark(own, mark, track, "B", mark->from);
    put_name(own, mark->name, "mark");
    if (mark->peer) {
        quipu__put_text(&own->single.out, ", \"args\": {\"peer\": ");
        put_string(own, mark->peer);
        quipu__put_text(&own->single.out, "}");
    }
    end_event(own);
    if (mark->flow_in)
        put_mark_flow(own, mark, track, "f", mark->is_reached_at_end ? mark->to : mark->from, mark->flow_in);
    if (mark->flow_out)
        put_mark_flow(own, mark, track, "s", mark->to, mark->flow_out);
    begin_mark(own, mark, track, "E", mark->to);
    put_name(own, mark->name, "mark");
    end_event(own);
}

/* ---- The target ---- */

static void put_end(struct quipu__single_file *single) {
    const struct chrome *own = (struct chrome *)single;
    quipu__put_text(&single->out, own->is_started ? "\n]}\n" : "{\"traceEvents\": []}\n");
}

static const struct quipu__single_file_functions functions = {
    .size = sizeof(struct chrome),
    .put_definitions = put_definitions,
    .put_event = put_event,
    .begin_slice = begin_slice,
    .end_slice = end_slice,
    .put_mark_track = put_mark_track,
    .put_mark = put_mark,
    .put_end = put_end,
};

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    return quipu__single_file_create(output, &functions, err);
}

static const struct quipu__writing writing = QUIPU__SINGLE_FILE_WRITING(create);

const struct quipu__format quipu__chrome_format = {
    .info = {.name = "chrome",
             .title = "Chrome trace events (chrome://tracing, ui.perfetto.dev)",
             .suffixes = ".chrome.json .json",
             QUIPU__SINGLE_FILE_INFO},
    .writing = &writing,
};
