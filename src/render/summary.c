/* summary.c: the summary of a trace, as a screen of text and as one line of JSON. */
#include "render/render.h"

#include <quipu/analysis.h>

#include <inttypes.h>
#include <string.h>

/* What the summary says beyond struct quipu_summary. */
struct inventory {
    uint64_t files, bytes; /* that streams lie in; bytes QUIPU_UNKNOWN when one is not known */
    uint64_t missing;      /* streams that cannot be read */
};

static bool is_first_of_its_file(const struct quipu_reader *reader, uint32_t index) {
    const struct quipu_stream *stream = quipu_reader_stream_at(reader, index);
    return index == 0 || strcmp(quipu_reader_stream_at(reader, index - 1)->path, stream->path) != 0;
}

/* Streams of one file lie side by side. */
static struct inventory take_inventory(const struct quipu_reader *reader) {
    struct inventory inventory = {0, quipu_reader_bytes_total(reader), 0};
    for (uint32_t i = 0; i < quipu_reader_stream_count(reader); i++) {
        const bool missing = quipu_reader_stream_at(reader, i)->missing;
        inventory.missing += missing;
        inventory.files += !missing && is_first_of_its_file(reader, i);
    }
    return inventory;
}

/* ---- Text ---- */

static void put_label(struct quipu__buffer *out, const char *label) {
    quipu__put_format(out, "%-14s ", label);
}

static void put_name(struct quipu__buffer *out, const char *label, const char *name, const char *title) {
    put_label(out, label);
    quipu__put_escaped(out, name, strlen(name));
    if (title[0])
        quipu__put_format(out, " (%s)", title);
    quipu__put_u8(out, '\n');
}

static void put_count(struct quipu__buffer *out, const char *label, uint64_t count) {
    put_label(out, label);
    quipu__put_format(out, "%" PRIu64 "\n", count);
}

static void put_files(struct quipu__buffer *out, const struct inventory *inventory) {
    put_label(out, "files");
    quipu__put_u64(out, inventory->files);
    if (inventory->bytes != QUIPU_UNKNOWN)
        quipu__put_format(out, ", %" PRIu64 " bytes", inventory->bytes);
    if (inventory->missing > 0)
        quipu__put_format(out, ", %" PRIu64 " missing", inventory->missing);
    quipu__put_u8(out, '\n');
}

/* Nanoseconds as seconds, exactly. */
static void put_seconds(struct quipu__buffer *out, int64_t ns) {
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    quipu__put_format(out, "%s%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? "-" : "", size / 1000000000,
                      size % 1000000000);
}

static void put_time(struct quipu__buffer *out, const struct quipu_summary *summary,
                     const struct quipu_clock *clock) {
    put_label(out, "time");
    if (summary->has_times) {
        put_seconds(out, quipu_clock_ns(clock, summary->first));
        quipu__put_text(out, " to ");
        put_seconds(out, quipu_clock_ns(clock, summary->last));
    } else {
        quipu__put_text(out, "no events");
    }
    if (clock->ticks_per_second > 0)
        quipu__put_format(out, ", %" PRIu64 " ticks per second", clock->ticks_per_second);
    quipu__put_u8(out, '\n');
}

static void put_kinds(struct quipu__buffer *out, const struct quipu_summary *summary) {
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (summary->events_of[kind] > 0)
            quipu__put_format(out, "  %-18s %" PRIu64 "\n", quipu_kind_at((enum quipu_kind)kind)->name,
                              summary->events_of[kind]);
}

static void put_definitions(struct quipu__buffer *out, const struct quipu_definitions *definitions) {
    quipu__put_text(out, "definitions\n");
#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    if (definitions->plural.count > 0)                                                                         \
        quipu__put_format(out, "  %-18s %" PRIu32 "\n", #plural, definitions->plural.count);
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
}

static void put_findings(struct quipu__buffer *out, const struct quipu_findings *findings) {
    const char *before = "";
    for (int i = QUIPU_ERROR_FINDING; i >= QUIPU_INFO; i--) {
        const enum quipu_severity severity = (enum quipu_severity)i;
        const uint64_t total = quipu_findings_total(findings, severity);
        if (total == 0)
            continue;
        if (!before[0])
            put_label(out, "findings");
        quipu__put_format(out, "%s%" PRIu64 " %s", before, total, quipu_severity_name(severity));
        before = ", ";
    }
    if (before[0])
        quipu__put_u8(out, '\n');
}

static void put_text_summary(struct quipu__buffer *out, const struct quipu_summary *summary,
                             const struct quipu_reader *reader) {
    const struct inventory inventory = take_inventory(reader);
    const struct quipu_format *format = quipu_reader_format(reader);
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    put_name(out, "format", format->name, format->title);
    if (quipu_reader_variant(reader)[0])
        put_name(out, "variant", quipu_reader_variant(reader), "");
    put_files(out, &inventory);
    put_count(out, "streams", quipu_reader_stream_count(reader));
    put_time(out, summary, &definitions->clock);
    put_count(out, "records", summary->records);
    put_count(out, "events", summary->events);
    put_kinds(out, summary);
    put_definitions(out, definitions);
    put_findings(out, quipu_reader_findings(reader));
}

/* ---- JSON ---- */

static void put_json_time(struct quipu__json *json, const struct quipu_summary *summary,
                          const struct quipu_clock *clock) {
    const struct {
        const char *key;
        int64_t time;
    } times[] = {{"first", summary->first},
                 {"last", summary->last},
                 {"first_ns", quipu_clock_ns(clock, summary->first)},
                 {"last_ns", quipu_clock_ns(clock, summary->last)}};
    quipu__json_open(json, "time", QUIPU__JSON_OBJECT);
    quipu__json_u64(json, "ticks_per_second",
                    clock->ticks_per_second ? clock->ticks_per_second : QUIPU_UNKNOWN);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (summary->has_times)
            quipu__json_i64(json, times[i].key, times[i].time);
        else
            quipu__json_null(json, times[i].key);
    if (clock->has_unix_origin)
        quipu__json_i64(json, "unix_origin_ns", clock->unix_origin_ns);
    quipu__json_close(json);
}

static void put_json_kinds(struct quipu__json *json, const struct quipu_summary *summary) {
    quipu__json_open(json, "kinds", QUIPU__JSON_OBJECT);
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (summary->events_of[kind] > 0)
            quipu__json_u64(json, quipu_kind_at((enum quipu_kind)kind)->name, summary->events_of[kind]);
    quipu__json_close(json);
}

static void put_json_definitions(struct quipu__json *json, const struct quipu_definitions *definitions) {
    quipu__json_open(json, "definitions", QUIPU__JSON_OBJECT);
#define QUIPU_DEFINITION(plural, singular, doc) quipu__json_u64(json, #plural, definitions->plural.count);
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
    quipu__json_close(json);
}

static void put_json_findings(struct quipu__json *json, const struct quipu_findings *findings) {
    quipu__json_open(json, "findings", QUIPU__JSON_OBJECT);
    for (int i = QUIPU_INFO; i <= QUIPU_ERROR_FINDING; i++)
        quipu__json_u64(json, quipu_severity_name((enum quipu_severity)i),
                        quipu_findings_total(findings, (enum quipu_severity)i));
    quipu__json_close(json);
}

static void put_json_summary(struct quipu__buffer *out, const struct quipu_summary *summary,
                             const struct quipu_reader *reader) {
    const struct inventory inventory = take_inventory(reader);
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    quipu__json_text(&json, "format", quipu_reader_format(reader)->name);
    quipu__json_text(&json, "variant", quipu_reader_variant(reader));
    quipu__json_u64(&json, "files", inventory.files);
    quipu__json_u64(&json, "missing", inventory.missing);
    quipu__json_u64(&json, "bytes", inventory.bytes);
    quipu__json_u64(&json, "streams", quipu_reader_stream_count(reader));
    quipu__json_u64(&json, "locations", definitions->locations.count);
    put_json_time(&json, summary, &definitions->clock);
    quipu__json_u64(&json, "records", summary->records);
    quipu__json_u64(&json, "events", summary->events);
    put_json_kinds(&json, summary);
    put_json_definitions(&json, definitions);
    put_json_findings(&json, quipu_reader_findings(reader));
    quipu__json_close(&json);
}

enum quipu_status quipu_summary_write(const struct quipu_summary *summary, const struct quipu_reader *reader,
                                      bool json, struct quipu_sink sink, struct quipu_error *err) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    if (json)
        put_json_summary(&printing.out, summary, reader);
    else
        put_text_summary(&printing.out, summary, reader);
    return quipu__printing_end(&printing);
}
