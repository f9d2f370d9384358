/* summary.c: the summary of a trace, as a screen of text and as one line of JSON. */
#include "render/render.h"

#include "core/bounded.h"
#include "core/memory/map.h"

#include <quipu/analysis.h>
#include <quipu/printer.h>

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

/* A number for a text: of two texts it is the same once in 2^64. */
static uint64_t number_of_text(const char *text) {
    uint64_t number = UINT64_C(14695981039346656037);
    for (; *text; text++)
        number = (number ^ (uint8_t)*text) * UINT64_C(1099511628211);
    return number;
}

static uint32_t count_hosts(const struct quipu_locations *locations) {
    struct quipu__memory memory;
    struct quipu__map hosts;
    uint32_t count = 0;
    quipu__memory_init(&memory, NULL, 0);
    quipu__map_init(&hosts, &memory);
    for (uint32_t i = 0; i < locations->count; i++) {
        const char *host = locations->items[i].host;
        const uint64_t number = host && host[0] ? number_of_text(host) : 0;
        if (number != 0 && quipu__map_get(&hosts, number) == QUIPU_NONE && quipu__map_put(&hosts, number, i))
            count++;
    }
    quipu__map_release(&hosts);
    return count;
}

struct quipu_population quipu_population_of(const struct quipu_reader *reader) {
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    struct quipu_population population = {.hosts = count_hosts(&definitions->locations)};
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        const enum quipu_location_kind kind = definitions->locations.items[i].kind;
        population.processes += kind == QUIPU_LOCATION_PROCESS;
        population.threads += kind == QUIPU_LOCATION_THREAD;
    }
    for (uint32_t i = 0; i < definitions->groups.count; i++)
        population.communicators += definitions->groups.items[i].is_communicator;
    for (uint32_t i = 0; i < quipu_reader_stream_count(reader); i++)
        population.streams += quipu_reader_stream_at(reader, i)->kind == QUIPU_STREAM_EVENTS;
    return population;
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

static void put_seconds(struct quipu__buffer *out, const struct quipu_clock *clock, int64_t ticks) {
    char text[QUIPU_TIME_TEXT_BYTES];
    if (clock->ticks_per_second > 0)
        quipu__put_text(out, quipu_duration_text(quipu_clock_ns(clock, ticks), QUIPU_UNIT_S, text));
    else
        quipu__put_format(out, "%" PRId64 " ticks", ticks);
}

static int64_t span_of(const struct quipu_summary *summary) {
    return quipu__bounded_difference(summary->last, summary->first);
}

static void put_time(struct quipu__buffer *out, const struct quipu_summary *summary,
                     const struct quipu_clock *clock) {
    char text[QUIPU_TIME_TEXT_BYTES];
    if (clock->has_unix_origin && summary->has_times) {
        const int64_t first = quipu__bounded_sum(clock->unix_origin_ns, quipu_clock_ns(clock, summary->first));
        put_label(out, "recorded");
        quipu_date_text(first, text);
        quipu__put_format(out, "%.10s %.8s UTC\n", text, text + 11);
    }
    if (summary->has_times) {
        put_label(out, "duration");
        put_seconds(out, clock, span_of(summary));
        quipu__put_u8(out, '\n');
    }
    put_label(out, "time");
    if (summary->has_times) {
        put_seconds(out, clock, summary->first);
        quipu__put_text(out, " to ");
        put_seconds(out, clock, summary->last);
    } else {
        quipu__put_text(out, "no events");
    }
    if (clock->ticks_per_second > 0)
        quipu__put_format(out, ", %" PRIu64 " ticks per second", clock->ticks_per_second);
    quipu__put_u8(out, '\n');
}

/* ---- Who took part, and how much was moved ---- */

/* "18 sent, 2.3 KiB": bytes in a unit in which they have up to four digits before the point. */
static void put_bytes(struct quipu__buffer *out, uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    double size = (double)bytes;
    for (; size >= 1024; size /= 1024)
        unit++;
    if (unit == 0)
        quipu__put_format(out, "%" PRIu64 " %s", bytes, units[0]);
    else
        quipu__put_format(out, "%.1f %s", size, units[unit]);
}

static void put_population(struct quipu__buffer *out, const struct quipu_population *population) {
    const struct {
        const char *label;
        uint32_t count;
    } rows[] = {{"hosts", population->hosts},
                {"processes", population->processes},
                {"threads", population->threads},
                {"communicators", population->communicators}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count > 0)
            put_count(out, rows[i].label, rows[i].count);
}

static void put_messages(struct quipu__buffer *out, const struct quipu_summary *summary) {
    const uint64_t sent = summary->events_of[QUIPU_KIND_send], received = summary->events_of[QUIPU_KIND_recv];
    if (sent + received == 0)
        return;
    put_label(out, "messages");
    quipu__put_format(out, "%" PRIu64 " sent, ", sent);
    put_bytes(out, summary->message_bytes);
    quipu__put_format(out, "; %" PRIu64 " received\n", received);
}

static void put_transfers(struct quipu__buffer *out, const struct quipu_summary *summary) {
    if (summary->events_of[QUIPU_KIND_io_end] == 0)
        return;
    put_label(out, "I/O");
    put_bytes(out, summary->bytes_read);
    quipu__put_text(out, " read, ");
    put_bytes(out, summary->bytes_written);
    quipu__put_text(out, " written\n");
}

static void put_mpi_share(struct quipu__buffer *out, const struct quipu_summary *summary) {
    if (summary->mpi_ticks == 0)
        return;
    put_label(out, "MPI");
    quipu__put_format(out, "%.1f %% of the time\n",
                      100 * (double)summary->mpi_ticks / (double)summary->call_ticks);
}

static void put_gaps(struct quipu__buffer *out, const struct quipu_summary *summary,
                     const struct quipu_clock *clock) {
    if (summary->events_of[QUIPU_KIND_gap] == 0)
        return;
    put_label(out, "gaps");
    quipu__put_format(out, "%" PRIu64 ", ", summary->events_of[QUIPU_KIND_gap]);
    put_seconds(out, clock, (int64_t)summary->gap_ticks);
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
    const struct quipu_population population = quipu_population_of(reader);
    const struct quipu_format *format = quipu_reader_format(reader);
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    put_name(out, "format", format->name, format->title);
    if (quipu_reader_variant(reader)[0])
        put_name(out, "variant", quipu_reader_variant(reader), "");
    put_files(out, &inventory);
    put_count(out, "streams", population.streams);
    put_time(out, summary, &definitions->clock);
    put_population(out, &population);
    put_messages(out, summary);
    put_transfers(out, summary);
    put_mpi_share(out, summary);
    put_gaps(out, summary, &definitions->clock);
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

/* An object of numbers. */
struct member {
    const char *key;
    uint64_t number;
};

static void put_json_numbers(struct quipu__json *json, const char *key, const struct member *members,
                             size_t count) {
    quipu__json_open(json, key, QUIPU__JSON_OBJECT);
    for (size_t i = 0; i < count; i++)
        quipu__json_u64(json, members[i].key, members[i].number);
    quipu__json_close(json);
}

static void put_json_amounts(struct quipu__json *json, const struct quipu_summary *summary) {
    const struct member messages[] = {{"sent", summary->events_of[QUIPU_KIND_send]},
                                      {"received", summary->events_of[QUIPU_KIND_recv]},
                                      {"bytes", summary->message_bytes}};
    const struct member io[] = {{"bytes_read", summary->bytes_read}, {"bytes_written", summary->bytes_written}};
    const struct member mpi[] = {{"ticks", summary->mpi_ticks}, {"of_ticks", summary->call_ticks}};
    const struct member gaps[] = {{"count", summary->events_of[QUIPU_KIND_gap]}, {"ticks", summary->gap_ticks}};
    put_json_numbers(json, "messages", messages, sizeof messages / sizeof *messages);
    put_json_numbers(json, "io", io, sizeof io / sizeof *io);
    put_json_numbers(json, "mpi", mpi, sizeof mpi / sizeof *mpi);
    put_json_numbers(json, "gaps", gaps, sizeof gaps / sizeof *gaps);
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
    const struct quipu_population population = quipu_population_of(reader);
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    quipu__json_text(&json, "format", quipu_reader_format(reader)->name);
    quipu__json_text(&json, "variant", quipu_reader_variant(reader));
    quipu__json_u64(&json, "files", inventory.files);
    quipu__json_u64(&json, "missing", inventory.missing);
    quipu__json_u64(&json, "bytes", inventory.bytes);
    quipu__json_u64(&json, "streams", population.streams);
    quipu__json_u64(&json, "locations", definitions->locations.count);
    quipu__json_u64(&json, "hosts", population.hosts);
    quipu__json_u64(&json, "processes", population.processes);
    quipu__json_u64(&json, "threads", population.threads);
    quipu__json_u64(&json, "communicators", population.communicators);
    put_json_time(&json, summary, &definitions->clock);
    quipu__json_u64(&json, "records", summary->records);
    quipu__json_u64(&json, "events", summary->events);
    put_json_kinds(&json, summary);
    put_json_amounts(&json, summary);
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
