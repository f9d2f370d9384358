/* conversion.c: see conversion.h. */
#include "conversion.h"

#include "times.h"
#include "report.h"
#include "selection.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- What goes to -o ---- */

/* The option that an analysis needs to write a trace; NULL: none, or it is no analysis. */
static const char *needed_option(const struct arguments *arguments) {
    return arguments->command->analysis ? arguments->command->analysis->gives_times_with : NULL;
}

static bool is_needed_given(const struct arguments *arguments) {
    const char *needed = needed_option(arguments);
    for (size_t i = 0; needed && i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->long_name, needed) == 0)
            return true;
    return false;
}

bool writes_trace(const struct arguments *arguments) {
    const struct quipu_analysis *analysis = arguments->command->analysis;
    const char *output = option_text(arguments, OPTION_output);
    if (!analysis)
        return command_option(arguments->command, OPTION_set) != NULL;
    return analysis->gives_times && output && strcmp(output, "-") != 0 &&
           (!needed_option(arguments) || is_needed_given(arguments));
}

/* Options that are about a trace. */
static enum exit_code refuse_trace_options(const struct arguments *arguments) {
    static const enum option_id of_traces[] = {OPTION_target,      OPTION_compress, OPTION_set,
                                               OPTION_report,      OPTION_streams,  OPTION_dry_run,
                                               OPTION_fail_on_loss};
    const char *name = arguments->command->name, *needed = needed_option(arguments);
    if (is_needed_given(arguments))
        return report_usage("%s --%s writes a trace: it needs -o FILE", name, needed);
    for (size_t i = 0; i < sizeof of_traces / sizeof *of_traces; i++)
        if (option_given(arguments, of_traces[i]))
            return report_usage("--%s is for the trace that %s writes with %s%s%s-o FILE",
                                command_option(arguments->command, of_traces[i])->long_name, name,
                                needed ? "--" : "", needed ? needed : "", needed ? " and " : "");
    return EXIT_FINE;
}

static bool is_json_name(const char *name) {
    static const char ending[] = ".json";
    const size_t len = strlen(name), ending_len = sizeof ending - 1;
    return len >= ending_len && strcmp(name + len - ending_len, ending) == 0;
}

/* A file that must not be replaced is the worse trouble. */
static enum exit_code refuse_name(const struct arguments *arguments, const char *output, const char *format) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_output *file;
    char advice[64] = "";
    if (quipu_output_open(output, option_given(arguments, OPTION_force), ending_guard(), &file, &err) !=
        QUIPU_OK)
        return report_error(&err);
    quipu_output_discard(file);
    if (needed_option(arguments))
        snprintf(advice, sizeof advice, ", or --%s", needed_option(arguments));
    else if (is_json_name(output) && command_option(arguments->command, OPTION_json))
        snprintf(advice, sizeof advice, ", or --json");
    return report_usage("\"%s\" is a name for a trace (%s), which %s does not write: use another name%s",
                        output, format, arguments->command->name, advice);
}

enum exit_code conversion_check_output(const struct arguments *arguments) {
    const char *output = option_text(arguments, OPTION_output);
    const struct quipu_format *format = output ? quipu_format_by_suffix(output) : NULL;
    if (writes_trace(arguments))
        return EXIT_FINE;
    if (format && !(option_given(arguments, OPTION_json) && is_json_name(output)))
        return refuse_name(arguments, output, format->name);
    return refuse_trace_options(arguments);
}

void conversion_say_table(const struct arguments *arguments, const char *output) {
    if (needed_option(arguments) && !is_needed_given(arguments))
        report_remark(arguments, "the table goes into \"%s\"; with --%s it would be the trace", output,
                      needed_option(arguments));
}

enum exit_code conversion_check_same(const struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    const struct quipu_format *named = output ? quipu_format_by_suffix(output) : NULL;
    const struct quipu_format *own = quipu_reader_format(job->reader);
    return named && named != own
               ? report_usage("\"%s\" is a name for a trace in %s, and %s writes %s, the format of its input",
                              output, named->name, job->arguments->command->name, own->name)
               : EXIT_FINE;
}

/* ---- The target ---- */

const char *conversion_target(const struct arguments *arguments) {
    const char *name = option_text(arguments, OPTION_target);
    const char *output = option_text(arguments, OPTION_output);
    if (name || !output)
        return name;
    const struct quipu_format *format = quipu_format_by_suffix(output);
    return format ? format->name : NULL;
}

const char *conversion_target_or_same(const struct job *job) {
    const char *target = conversion_target(job->arguments);
    return target ? target : quipu_reader_format(job->reader)->name;
}

/* Names with commas between them. */
struct list {
    char text[512];
    size_t len;
};

static void add_name(void *context, const char *name) {
    struct list *list = context;
    const size_t left = sizeof list->text - list->len;
    const int len = snprintf(list->text + list->len, left, "%s%s", list->len > 0 ? ", " : "", name);
    list->len += (size_t)len < left ? (size_t)len : left - 1;
}

enum exit_code conversion_refuse_suffix(const struct arguments *arguments, const char *output) {
    struct list targets = {"", 0};
    option_words(command_option(arguments->command, OPTION_target), add_name, &targets);
    return report_usage("cannot tell the output format from \"%s\"; use --to %s", output, targets.text);
}

enum exit_code conversion_check(const struct arguments *arguments, const char *target, bool output_needed) {
    const char *output = option_text(arguments, OPTION_output);
    if (!output && output_needed)
        return report_usage("%s needs -o OUTPUT", arguments->command->name);
    if (target && option_number(arguments, OPTION_compress, 0) > 9)
        return report_usage("--compress goes from 1 to 9");
    if (target)
        return EXIT_FINE;
    if (!output)
        return report_usage("--explain needs --to or -o");
    return conversion_refuse_suffix(arguments, output);
}

struct quipu_writer_options writer_options_of(const struct arguments *arguments) {
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    options.replace = option_given(arguments, OPTION_force);
    options.compression = (int)option_number(arguments, OPTION_compress, 0);
    options.streams = (uint32_t)option_number(arguments, OPTION_streams, 0);
    options.memory_limit = memory_of(arguments);
    options.allocator = quipu_budget_allocator(arguments->budget);
    options.file_limit = files_of(arguments);
    options.guard = ending_guard();
    options.settings = arguments->settings;
    options.setting_count = arguments->setting_count;
    return options;
}

struct quipu_convert_options conversion_options(const struct job *job) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.writer = writer_options_of(job->arguments);
    options.fail_on_loss = option_given(job->arguments, OPTION_fail_on_loss);
    options.dry_run = option_given(job->arguments, OPTION_dry_run);
    options.progress = job->progress;
    return options;
}

static enum quipu_status write_text(struct quipu_sink sink, const char *text, struct quipu_error *err) {
    return sink.write(sink.context, text, strlen(text), err);
}

/* One report as it is, several as a list. */
static enum quipu_status write_reports(struct quipu_conversion_report *const *reports, size_t count,
                                       struct quipu_sink sink, struct quipu_error *err) {
    enum quipu_status status = count > 1 ? write_text(sink, "[", err) : QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        if (i > 0)
            status = write_text(sink, ",", err);
        if (status == QUIPU_OK)
            status = quipu_conversion_report_write(reports[i], true, sink, err);
    }
    return status == QUIPU_OK && count > 1 ? write_text(sink, "]\n", err) : status;
}

/* Writes the reports to the file of --report, when all are there. */
static enum quipu_status save_reports(struct job *job, struct quipu_conversion_report *const *reports,
                                      size_t count) {
    const char *path = option_text(job->arguments, OPTION_report);
    struct quipu_output *output;
    bool complete = true;
    for (size_t i = 0; i < count; i++)
        complete = complete && reports[i];
    if (!path || !complete)
        return QUIPU_OK;
    enum quipu_status status =
        quipu_output_open(path, option_given(job->arguments, OPTION_force), ending_guard(), &output, &job->err);
    if (status != QUIPU_OK)
        return status;
    status = write_reports(reports, count, quipu_output_sink(output), &job->err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, &job->err);
    quipu_output_discard(output);
    return status;
}

/* What was written: all records, or the events of the part that was chosen. */
static void describe_amount(const struct job *job, const struct quipu_conversion_report *report,
                            bool is_one_of_several, char *text, size_t size) {
    const uint64_t records = quipu_conversion_report_records(report);
    if (selection_given(job->arguments))
        snprintf(text, size, "%" PRIu64 " events selected from %" PRIu64 " records",
                 quipu_conversion_report_selected(report), records);
    else
        snprintf(text, size, "%" PRIu64 " records%s%s", records, is_one_of_several ? " of " : "",
                 is_one_of_several ? job->path : "");
}

/* Formats that can be read are called by acronyms. */
static const char *display_name(const char *target, char name[32]) {
    const struct quipu_format *format = quipu_format_find(target);
    snprintf(name, 32, "%s", target);
    for (char *letter = name; format && (format->abilities & QUIPU_CAN_READ) != 0 && *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    return name;
}

/* The record types of which something is lost, each in a line; of many only the first. */
static void list_lossy_types(const struct job *job, const struct quipu_conversion_report *report) {
    enum { TYPES_SHOWN = 8 };
    struct quipu_lossy_type lossy;
    for (size_t i = 0; quipu_conversion_report_lossy_at(report, i, &lossy); i++) {
        if (i == TYPES_SHOWN) {
            report_remark(job->arguments, "  and more");
            return;
        }
        report_remark(job->arguments, "  %s: %" PRIu64 " approximated, %" PRIu64 " dropped", lossy.type,
                      lossy.approximated, lossy.dropped);
    }
}

static void remark_on_times(const struct job *job, const struct quipu_conversion_report *report) {
    struct quipu_moved_events moved;
    if (!quipu_conversion_report_moved(report, &moved))
        return;
    if (moved.moved == 0)
        report_remark(job->arguments, "no event moved");
    else if (moved.earlier > 0 && moved.later > 0)
        report_remark(job->arguments,
                      "%" PRIu64 " events moved, at most %" PRId64 " ns earlier and %" PRId64 " ns later",
                      moved.moved, moved.earlier, moved.later);
    else
        report_remark(job->arguments, "%" PRIu64 " events moved, at most %" PRId64 " ns %s", moved.moved,
                      moved.earlier > 0 ? moved.earlier : moved.later, moved.earlier > 0 ? "earlier" : "later");
}

/* Of an output that has all of its input. */
static const char *remark_on_completeness(const struct job *job) {
    if (job->unrecorded_count > 0)
        return "; not all that the program did was recorded, see above";
    return exit_of_trace(job->reader) == EXIT_FINE ? ", lossless"
                                                   : ", lossless but for the damage of the input";
}

static void remark_on_loss(const struct job *job, const struct quipu_conversion_report *report,
                           const char *target, bool is_one_of_several) {
    const uint64_t lost = quipu_conversion_report_lost(report);
    const char *output = option_text(job->arguments, OPTION_output);
    const char *verb = option_given(job->arguments, OPTION_dry_run) ? "would write" : "wrote";
    const uint64_t respelled = quipu_conversion_report_respelled(report);
    char amount[512], name[32], spelling[48] = "";
    describe_amount(job, report, is_one_of_several, amount, sizeof amount);
    display_name(target, name);
    if (respelled > 0)
        snprintf(spelling, sizeof spelling, ", %" PRIu64 " records respelled", respelled);
    if (lost == 0) {
        report_remark(job->arguments, "%s %s (%s): %s%s%s", verb, output, name, amount,
                      remark_on_completeness(job), spelling);
        return;
    }
    report_remark(job->arguments, "%s %s (%s): %s, %" PRIu64 " records approximated or dropped%s", verb, output,
                  name, amount, lost, spelling);
    list_lossy_types(job, report);
    if (!option_given(job->arguments, OPTION_report))
        report_remark(job->arguments, "--report FILE says what becomes of each field%s",
                      command_option(job->arguments->command, OPTION_explain) ? ", --explain says why" : "");
}

void conversion_end(struct job *jobs, size_t count, enum quipu_status status,
                    struct quipu_conversion_report **reports, const char *target) {
    struct job *job = &jobs[0];
    job_set(job, status);
    if (status == QUIPU_UNSUPPORTED)
        job->code = EXIT_USAGE; /* an option that the target does not have */
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        quipu_conversion_report_set_unrecorded(reports[i], jobs[i].unrecorded, jobs[i].unrecorded_count);
        remark_on_loss(&jobs[i], reports[i], target, count > 1);
        remark_on_times(&jobs[i], reports[i]);
    }
    const bool is_empty = status == QUIPU_OK && quipu_conversion_report_selected(reports[0]) == 0;
    const bool is_refused = status == QUIPU_NOT_REPRESENTABLE &&
                            option_given(job->arguments, OPTION_fail_on_loss); /* the report says why */
    if (status == QUIPU_OK || is_refused)
        job_set(job, save_reports(job, reports, count));
    for (size_t i = 0; i < count; i++)
        quipu_conversion_report_free(reports[i]);
    if (is_empty && selection_given(job->arguments))
        report_nothing(job, "nothing selected");
}
