/* cmd_snapshot.c: quipu snapshot: a trace with snapshots and statistics, what is open at a time, or an index. */
#include "bounds.h"
#include "conversion.h"
#include "report.h"
#include "selection.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_DEFAULT = 100 };

/* --every or --count: ticks between two of them, or their number. */
static enum exit_code read_distance(const struct job *job, int64_t *interval, uint64_t *count) {
    const char *every = option_text(job->arguments, OPTION_every);
    *interval = 0;
    *count = option_number(job->arguments, OPTION_count, every ? 0 : COUNT_DEFAULT);
    if (every && option_given(job->arguments, OPTION_count))
        return report_usage("--every and --count exclude each other");
    if (every &&
        (!parse_time(every, &quipu_reader_definitions(job->reader)->clock, interval) || *interval <= 0))
        return report_usage("--every needs a time such as 1200 (ticks) or 1.5ms, not \"%s\"", every);
    return every || *count > 0 ? EXIT_FINE : report_usage("--count begins at 1");
}

/* ---- Snapshots ---- */

static void add_snapshots(struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_snapshot_options how = QUIPU_SNAPSHOT_OPTIONS_INIT;
    how.convert = conversion_options(job);
    job->code = read_distance(job, &how.interval, &how.count);
    if (job->code != EXIT_FINE)
        return;
    const enum quipu_status status = quipu_snapshot(job->reader, output, &how, &job->err);
    job_set(job, status);
    if (status == QUIPU_UNSUPPORTED)
        job->code = EXIT_USAGE;
    if (status == QUIPU_OK)
        report_remark(job->arguments, "%s: snapshots and statistics of %" PRIu64 " records", output,
                      quipu_reader_records(job->reader));
}

/* ---- What is open ---- */

/* Numbers of locations as the analysis has them: "locations=0,3"; NULL when memory is out. */
static char *name_locations(const struct selected *selected) {
    enum { DIGITS = 11 };
    const size_t count = selected->selection.location_count;
    char *text = malloc(sizeof "locations=" + count * DIGITS);
    size_t len = text ? (size_t)sprintf(text, "locations=") : 0;
    for (size_t i = 0; text && i < count; i++)
        len += (size_t)sprintf(text + len, i > 0 ? ",%" PRIu32 : "%" PRIu32, selected->locations[i]);
    return text;
}

static enum exit_code print_tables(struct job *job, struct quipu_table *const tables[2]) {
    const struct quipu_table *const shown[] = {tables[0], tables[1]};
    const struct quipu_render_options render = render_options_of(job->arguments);
    struct printing printing;
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, quipu_table_write(shown, 2, &render, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

/* All locations are read, since those that are not chosen receive what the others send. */
static enum exit_code show_open(struct job *job, const struct selected *selected, int64_t time) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_table *tables[2] = {NULL, NULL};
    size_t count;
    char *locations = name_locations(selected);
    const char *const settings[] = {locations};
    if (!locations)
        return report_no_memory();
    selection.to = time;
    const enum quipu_status status =
        quipu_analysis_run(quipu_analysis_find("open"), job->reader, &selection, settings,
                           selected->locations ? 1 : 0, &job->progress, tables, 2, &count, &job->err);
    job_set(job, status);
    const enum exit_code code = status == QUIPU_OK ? print_tables(job, tables) : job->code;
    if (code == EXIT_FINE && quipu_table_row_count(tables[0]) == 0 && quipu_table_row_count(tables[1]) == 0)
        report_nothing(job, "nothing is active at this time");
    quipu_table_free(tables[0]);
    quipu_table_free(tables[1]);
    free(locations);
    return code;
}

static enum exit_code open_at(struct job *job) {
    const char *at = option_text(job->arguments, OPTION_at);
    const struct quipu_definitions *definitions = quipu_reader_definitions(job->reader);
    struct selected selected;
    int64_t time = INT64_MAX;
    if (strcmp(at, "end") != 0 && !parse_time(at, &definitions->clock, &time))
        return report_usage("--at needs a time such as 1200 (ticks) or 1.5ms, or \"end\", not \"%s\"", at);
    enum exit_code code = selected_init(&selected, job->arguments, definitions);
    if (code == EXIT_FINE && time < INT64_MAX)
        code = check_time_exists(job, OPTION_at, time);
    if (code == EXIT_FINE)
        code = show_open(job, &selected, time);
    selected_release(&selected);
    return code;
}

static void ask_at(struct job *job) {
    job->code = open_at(job);
}

/* ---- Index ---- */

static void report_index(const struct job *job, const char *path, const struct quipu_index_result *made) {
    const uint64_t total = quipu_reader_bytes_total(job->reader);
    report_remark(job->arguments, "%s: %" PRIu64 " point%s, %" PRIu64 " KiB, %.1f %% of the trace", path,
                  made->points, made->points == 1 ? "" : "s", (made->bytes + 1023) / 1024,
                  total > 0 ? 100.0 * (double)made->bytes / (double)total : 0.0);
}

static void make_index(struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_index_options how = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result made;
    how.replace = option_given(job->arguments, OPTION_force);
    how.guard = ending_guard();
    how.progress = job->progress;
    job->code = read_distance(job, &how.interval, &how.count);
    if (job->code != EXIT_FINE)
        return;
    const enum quipu_status status = quipu_index_build(job->reader, output, &how, &made, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        report_index(job, output ? output : quipu_reader_index_path(job->reader), &made);
}

/* ---- The command ---- */

enum way { WAY_ADDS, WAY_ASKS, WAY_INDEXES };
static const char *const names_of_ways[] = {"", "--at", "--index"};

/* Options that mean something to some of the ways only: a bit for each of these. */
static const struct {
    enum option_id option;
    unsigned ways;
} options_of_ways[] = {
    {OPTION_every, 1u << WAY_ADDS | 1u << WAY_INDEXES},
    {OPTION_count, 1u << WAY_ADDS | 1u << WAY_INDEXES},
    {OPTION_compress, 1u << WAY_ADDS},
    {OPTION_long_form, 1u << WAY_ADDS},
    {OPTION_streams, 1u << WAY_ADDS},
    {OPTION_location, 1u << WAY_ASKS},
    {OPTION_limit, 1u << WAY_ASKS},
    {OPTION_json, 1u << WAY_ASKS},
    {OPTION_csv, 1u << WAY_ASKS},
    {OPTION_no_index, 1u << WAY_ASKS},
    {OPTION_with_index, 1u << WAY_ASKS},
    {OPTION_at, 1u << WAY_ASKS},
};

static enum way way_of(const struct arguments *arguments) {
    if (option_given(arguments, OPTION_index))
        return WAY_INDEXES;
    return option_given(arguments, OPTION_at) ? WAY_ASKS : WAY_ADDS;
}

static enum exit_code check_way(const struct arguments *arguments, enum way way) {
    for (size_t i = 0; i < sizeof options_of_ways / sizeof *options_of_ways; i++) {
        const char *name = options[options_of_ways[i].option].long_name;
        if (!option_given(arguments, options_of_ways[i].option) || (options_of_ways[i].ways >> way & 1) != 0)
            continue;
        return way == WAY_ADDS ? report_usage("--%s needs --at", name)
                               : report_usage("%s and --%s exclude each other", names_of_ways[way], name);
    }
    return EXIT_FINE;
}

static void add_if_possible(struct job *job) {
    job->code = conversion_check(job->arguments, quipu_reader_format(job->reader)->name, true);
    if (job->code == EXIT_FINE)
        add_snapshots(job);
}

enum exit_code command_snapshot(const struct arguments *arguments) {
    static void (*const go[])(struct job * job) = {add_if_possible, ask_at, make_index};
    const enum way way = way_of(arguments);
    struct job job;
    const enum exit_code code = check_way(arguments, way);
    if (code != EXIT_FINE)
        return code;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        go[way](&job);
    return job_end(&job);
}
