/* repair.c: writes the intact records of a damaged trace as a complete trace of the same format.
 *
 * The reader skips damage and delivers what is intact; the format's writer knows what a complete trace needs, adds
 * it, and reports that as findings. Nothing here knows what that is. */
#include "check/findings.h"
#include "core/error.h"
#include "core/os.h"
#include "core/text.h"
#include "trace/reader.h"
#include "trace/writer.h"

#include <quipu/check.h>

#include <ctype.h>
#include <string.h>

struct quipu_repair_report {
    struct quipu__memory memory;
    struct quipu_findings *changes;
    struct quipu_repair_counts counts;
    enum quipu_verdict verdict; /* of the output */
    uint64_t broken;            /* how often it breaks rules, and the first finding */
    char first[512];
    char variant[64]; /* as which alone a check accepts the output; "": any way */
};

/* ---- The input stays as it is ---- */

/* Puts the folder of a path into text: "." when it has none. */
static const char *folder_of(const char *path, struct quipu__buffer *text) {
    const size_t len = (size_t)(quipu__base_name(path) - path);
    text->len = 0;
    quipu__put(text, len ? path : ".", len ? len : 1);
    quipu__put_u8(text, 0);
    return text->failed ? "" : (const char *)text->data;
}

/* Whether a file's name is the output's, or begins with it, as the names of parts do. */
static bool is_name_of_part(const char *name, const char *output) {
    const char *dot = strrchr(output, '.');
    const size_t stem = dot && dot > output ? (size_t)(dot - output) : strlen(output);
    return strncmp(name, output, stem) == 0 && !isalnum((unsigned char)name[stem]);
}

/* An output among the files of the input would replace them. */
static enum quipu_status refuse_input(struct quipu_reader *reader, const char *path, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(reader);
    struct quipu__buffer output, input;
    bool is_among = quipu__path_same(path, trace->path);
    quipu__buffer_init(&output, trace->memory, 0);
    quipu__buffer_init(&input, trace->memory, 0);
    const char *folder = folder_of(path, &output);
    for (size_t i = 0; i <= trace->streams.count && !is_among; i++) {
        const char *file = i < trace->streams.count ? trace->streams.items[i].path : trace->path;
        is_among = is_name_of_part(quipu__base_name(file), quipu__base_name(path)) &&
                   quipu__path_same(folder, folder_of(file, &input));
    }
    quipu__buffer_release(&output);
    quipu__buffer_release(&input);
    if (!is_among)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_MISUSE, "the output would be among the files of the input, which stay as they are");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "choose another name or folder");
    return QUIPU_MISUSE;
}

/* ---- Repairing ---- */

struct copying {
    struct quipu_reader *reader;
    struct quipu_writer *writer;
    uint32_t next_stream; /* the first that has not begun */
};

/* Begins all streams up to the given one, including those without records and missing ones: the writer decides what a
 * complete trace needs for them. */
static enum quipu_status begin_streams(struct copying *copying, uint32_t end, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (; copying->next_stream < end && status == QUIPU_OK; copying->next_stream++)
        status = quipu_writer_begin_stream(copying->writer,
                                           quipu_reader_stream_at(copying->reader, copying->next_stream), err);
    return status;
}

static enum quipu_status copy_records(struct copying *copying, struct quipu_error *err) {
    struct quipu_record record;
    enum quipu_status status = QUIPU_OK;
    quipu_reader_rewind(copying->reader);
    while (status == QUIPU_OK) {
        status = quipu_reader_next_record(copying->reader, &record, err);
        if (status == QUIPU_END)
            return begin_streams(copying, quipu_reader_stream_count(copying->reader), err);
        if (status == QUIPU_OK)
            status = begin_streams(copying, record.stream + 1, err);
        if (status == QUIPU_OK)
            status = quipu_writer_put_record(copying->writer, &record, err);
    }
    return status;
}

static enum quipu_status copy(struct quipu_reader *reader, struct quipu_writer *writer,
                              struct quipu_error *err) {
    struct copying copying = {reader, writer, 0};
    enum quipu_status status = quipu_writer_define(writer, quipu_reader_definitions(reader), err);
    if (status == QUIPU_OK)
        status = copy_records(&copying, err);
    if (status == QUIPU_OK)
        return quipu_writer_close(writer, err);
    quipu_writer_discard(writer);
    return status;
}

static enum quipu_status repair(struct quipu_reader *reader, const char *path,
                                const struct quipu_repair_options *options, struct quipu_repair_report *report,
                                struct quipu_error *err) {
    struct quipu__repairing repairing = {.trace = quipu__reader_trace(reader), .changes = report->changes};
    struct quipu_writer *writer;
    repairing.trace->is_repaired = true;
    enum quipu_status status =
        quipu__writer_create(path, repairing.trace->format, &options->writer, &reader, 1, &writer, err);
    if (status != QUIPU_OK)
        return status;
    quipu__writer_repair(writer, &repairing);
    const struct quipu_progress before = quipu__reader_watch(reader, &options->progress);
    status = copy(reader, writer, err);
    quipu__reader_unwatch(reader, before);
    report->counts = (struct quipu_repair_counts){.retained = quipu_reader_records(reader) - repairing.dropped,
                                                  .dropped = repairing.dropped,
                                                  .added = repairing.added,
                                                  .skipped = quipu__reader_skipped(reader)};
    return status;
}

static enum quipu_status new_report(struct quipu_reader *reader, struct quipu_repair_report **out,
                                    struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, quipu__reader_trace(reader)->memory);
    struct quipu_repair_report *report = quipu__alloc_zero(&memory, sizeof *report);
    *out = report;
    if (!report)
        return quipu__no_memory(err, sizeof *report);
    report->memory = memory;
    return quipu__findings_new(&report->memory, &report->changes, err);
}

enum quipu_status quipu_repair(struct quipu_reader *reader, const char *path,
                               const struct quipu_repair_options *options, struct quipu_repair_report **out,
                               struct quipu_error *err) {
    static const struct quipu_repair_options defaults = QUIPU_REPAIR_OPTIONS_INIT;
    const struct quipu_format *format = quipu_reader_format(reader);
    struct quipu_repair_report *report = NULL;
    *out = NULL;
    if (!(format->abilities & QUIPU_CAN_REPAIR))
        return quipu__fail(err, QUIPU_UNSUPPORTED, "traces of %s cannot be repaired", format->name);
    enum quipu_status status = refuse_input(reader, path, err);
    if (status == QUIPU_OK)
        status = new_report(reader, &report, err);
    if (status == QUIPU_OK)
        status = repair(reader, path, options ? options : &defaults, report, err);
    if (status == QUIPU_OK)
        *out = report;
    else
        quipu_repair_report_free(report);
    return status;
}

/* ---- The output is checked ---- */

static void keep_verdict(struct quipu_repair_report *report, enum quipu_verdict verdict,
                         const struct quipu_findings *findings) {
    report->verdict = verdict;
    report->broken =
        quipu_findings_total(findings, QUIPU_ERROR_FINDING) + quipu_findings_total(findings, QUIPU_DATA_LOSS);
    for (size_t i = 0; i < quipu_findings_count(findings) && !report->first[0]; i++)
        if (quipu_findings_at(findings, i)->rule->severity >= QUIPU_DATA_LOSS)
            quipu_finding_text(quipu_findings_at(findings, i), report->first, sizeof report->first);
}

/* Checks it as a variant, or as what it looks like: NULL. */
static enum quipu_status check_as(const struct quipu__trace *trace, const char *path, const char *variant,
                                  struct quipu_repair_report *report, struct quipu_error *err) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_check_result result;
    struct quipu_reader *reader;
    options.format = trace->format->info.name;
    options.variant = variant;
    options.allocator = trace->memory->allocator;
    options.memory_limit = trace->options->memory_limit;
    options.file_limit = trace->options->file_limit;
    options.index = "";
    enum quipu_status status = quipu_reader_open(path, &options, &reader, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_check(reader, &trace->options->progress, &result, err);
    if (status == QUIPU_OK && quipu_reader_unreadable(reader) > 0) {
        status = quipu__fail(err, QUIPU_IO, "what was written cannot be read again, to be checked");
        quipu__at(err, path, QUIPU_UNKNOWN);
    }
    if (status == QUIPU_OK)
        keep_verdict(report, result.verdict, quipu_reader_findings(reader));
    quipu_reader_close(reader);
    return status;
}

enum quipu_status quipu_repair_check(struct quipu_reader *source, const char *path,
                                     struct quipu_repair_report *report, enum quipu_verdict *verdict,
                                     struct quipu_error *err) {
    const struct quipu__trace *trace = quipu__reader_trace(source);
    *verdict = QUIPU_VERDICT_OK;
    if (strcmp(path, "-") == 0)
        return QUIPU_OK;
    enum quipu_status status = check_as(trace, path, trace->options->variant, report, err);
    *verdict = report->verdict;
    const bool is_accepted = status == QUIPU_OK && report->verdict != QUIPU_VERDICT_REJECT;
    if (is_accepted || trace->options->variant || !(trace->format->info.abilities & QUIPU_READS_VARIANTS) ||
        (status != QUIPU_OK && status != QUIPU_UNKNOWN_FORMAT))
        return status;
    quipu_error_clear(err);
    report->first[0] = '\0';
    status = check_as(trace, path, trace->variant, report, err);
    *verdict = QUIPU_VERDICT_REJECT;
    if (status == QUIPU_OK && report->verdict != QUIPU_VERDICT_REJECT)
        snprintf(report->variant, sizeof report->variant, "%s", trace->variant);
    return status;
}

/* ---- The report ---- */

void quipu_repair_report_free(struct quipu_repair_report *report) {
    if (!report)
        return;
    quipu__findings_free(report->changes);
    struct quipu__memory last = report->memory;
    quipu__release(&last, report, sizeof *report);
}

const struct quipu_repair_counts *quipu_repair_report_counts(const struct quipu_repair_report *report) {
    return &report->counts;
}

const struct quipu_findings *quipu_repair_report_changes(const struct quipu_repair_report *report) {
    return report->changes;
}

static void put_json(struct quipu__buffer *out, const struct quipu_repair_report *report,
                     const struct quipu_findings *damage) {
    const struct quipu_repair_counts *counts = &report->counts;
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    quipu__json_open(&json, "records", QUIPU__JSON_OBJECT);
    quipu__json_u64(&json, "retained", counts->retained);
    quipu__json_u64(&json, "dropped", counts->dropped);
    quipu__json_u64(&json, "added", counts->added);
    quipu__json_close(&json);
    quipu__json_u64(&json, "bytes_skipped", counts->skipped);
    quipu__json_text(&json, "verdict", quipu__verdict_name(report->verdict));
    if (report->variant[0])
        quipu__json_text(&json, "variant", report->variant);
    quipu__put_findings_json(&json, "damage", damage);
    quipu__put_findings_json(&json, "changes", report->changes);
    quipu__json_close(&json);
}

static void put_text(struct quipu__buffer *out, const struct quipu_repair_report *report,
                     const struct quipu_findings *damage) {
    const struct quipu_repair_counts *counts = &report->counts;
    quipu__put_findings_text(out, damage);
    quipu__put_findings_text(out, report->changes);
    quipu__put_format(out, "%llu records retained, %llu dropped, %llu added; %llu bytes of damage skipped\n",
                      (unsigned long long)counts->retained, (unsigned long long)counts->dropped,
                      (unsigned long long)counts->added, (unsigned long long)counts->skipped);
    if (report->verdict == QUIPU_VERDICT_REJECT)
        quipu__put_format(out, "errors that are left in what was written: %llu; the first: %s\n",
                          (unsigned long long)report->broken, report->first);
    if (report->variant[0])
        quipu__put_format(out, "what was written does not show its machine: read it with --machine %s\n",
                          report->variant);
}

enum quipu_status quipu_repair_report_write(const struct quipu_repair_report *report,
                                            const struct quipu_findings *damage, bool json,
                                            struct quipu_sink sink, struct quipu_error *err) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    if (json)
        put_json(&printing.out, report, damage);
    else
        put_text(&printing.out, report, damage);
    return quipu__printing_end(&printing);
}
