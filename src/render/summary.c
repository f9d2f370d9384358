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

static void put_json_number(struct quipu__buffer *out, const char *name, uint64_t number) {
    if (number == QUIPU_UNKNOWN)
        quipu__put_format(out, ", \"%s\": null", name);
    else
        quipu__put_format(out, ", \"%s\": %" PRIu64, name, number);
}

static void put_json_time(struct quipu__buffer *out, const struct quipu_summary *summary,
                          const struct quipu_clock *clock) {
    const uint64_t rate = clock->ticks_per_second;
    quipu__put_text(out, ", \"time\": {\"ticks_per_second\": ");
    if (rate > 0)
        quipu__put_u64(out, rate);
    else
        quipu__put_text(out, "null");
    if (summary->has_times)
        quipu__put_format(out,
                          ", \"first\": %" PRId64 ", \"last\": %" PRId64 ", \"first_ns\": %" PRId64
                          ", \"last_ns\": %" PRId64,
                          summary->first, summary->last, quipu_clock_ns(clock, summary->first),
                          quipu_clock_ns(clock, summary->last));
    else
        quipu__put_text(out, ", \"first\": null, \"last\": null, \"first_ns\": null, \"last_ns\": null");
    if (clock->has_unix_origin)
        quipu__put_format(out, ", \"unix_origin_ns\": %" PRId64, clock->unix_origin_ns);
    quipu__put_text(out, "}");
}

static void put_json_kinds(struct quipu__buffer *out, const struct quipu_summary *summary) {
    const char *before = "";
    quipu__put_text(out, ", \"kinds\": {");
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        if (summary->events_of[kind] == 0)
            continue;
        quipu__put_format(out, "%s\"%s\": %" PRIu64, before, quipu_kind_at((enum quipu_kind)kind)->name,
                          summary->events_of[kind]);
        before = ", ";
    }
    quipu__put_text(out, "}");
}

static void put_json_definitions(struct quipu__buffer *out, const struct quipu_definitions *definitions) {
    const char *before = "";
    quipu__put_text(out, ", \"definitions\": {");
#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    quipu__put_format(out, "%s\"%s\": %" PRIu32, before, #plural, definitions->plural.count);                  \
    before = ", ";
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
    quipu__put_text(out, "}");
}

static void put_json_findings(struct quipu__buffer *out, const struct quipu_findings *findings) {
    quipu__put_text(out, ", \"findings\": {");
    for (int i = QUIPU_INFO; i <= QUIPU_ERROR_FINDING; i++)
        quipu__put_format(out, "%s\"%s\": %" PRIu64, i == QUIPU_INFO ? "" : ", ",
                          quipu_severity_name((enum quipu_severity)i),
                          quipu_findings_total(findings, (enum quipu_severity)i));
    quipu__put_text(out, "}");
}

static void put_json_summary(struct quipu__buffer *out, const struct quipu_summary *summary,
                             const struct quipu_reader *reader) {
    const struct inventory inventory = take_inventory(reader);
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    const char *variant = quipu_reader_variant(reader);
    quipu__put_text(out, "{\"quipu\": ");
    quipu__put_json_head(out);
    quipu__put_format(out, ", \"format\": \"%s\", \"variant\": ", quipu_reader_format(reader)->name);
    quipu__put_json(out, variant, strlen(variant));
    put_json_number(out, "files", inventory.files);
    put_json_number(out, "missing", inventory.missing);
    put_json_number(out, "bytes", inventory.bytes);
    put_json_number(out, "streams", quipu_reader_stream_count(reader));
    put_json_number(out, "locations", definitions->locations.count);
    put_json_time(out, summary, &definitions->clock);
    put_json_number(out, "records", summary->records);
    put_json_number(out, "events", summary->events);
    put_json_kinds(out, summary);
    put_json_definitions(out, definitions);
    put_json_findings(out, quipu_reader_findings(reader));
    quipu__put_text(out, "}\n");
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
