/* cmd_analysis.c: quipu profile, quipu state and all other analyses of the library: what they take, give and mean stands in
 * their struct quipu_analysis. */
#include "conversion.h"
#include "job.h"
#include "report.h"
#include "selection.h"
#include "show.h"
#include "terminal.h"
#include "times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The analysis's own options ---- */

/* Settings for the library, with their values, which are ours. */
struct settings {
    struct quipu_setting *items;
    char **values;
    size_t count;
};

static enum exit_code time_text(struct job *job, const struct option *option, const char *value, char **out) {
    enum { DIGITS = 24 };
    int64_t time;
    if (strcmp(value, "end") == 0)
        return (*out = strdup(value)) ? EXIT_FINE : report_no_memory();
    enum exit_code code = take_time(job, option, value, &time);
    /* The end of a window may be anywhere. */
    if (code == EXIT_FINE && (option->own->is_required || strcmp(option->own->name, "since") == 0))
        code = check_time_exists(job, option, value, time);
    if (code != EXIT_FINE)
        return code;
    *out = malloc(DIGITS);
    if (!*out)
        return report_no_memory();
    snprintf(*out, DIGITS, "%" PRId64, time);
    return EXIT_FINE;
}

/* The numbers of all locations that the option names, however often it is given. */
static enum exit_code locations_text(struct job *job, const struct option *option, char **out) {
    enum { DIGITS = 11 };
    uint32_t *locations = NULL, count = 0;
    enum exit_code code =
        locations_of(job->arguments, option, quipu_reader_definitions(job->reader), &locations, &count);
    const size_t size = 1 + (size_t)count * DIGITS;
    if (code == EXIT_FINE && !(*out = calloc(1, size)))
        code = report_no_memory();
    size_t len = 0;
    for (size_t i = 0; code == EXIT_FINE && i < count; i++)
        len += (size_t)snprintf(*out + len, size - len, i > 0 ? ",%" PRIu32 : "%" PRIu32, locations[i]);
    free(locations);
    return code;
}

/* Without its unit. */
static enum exit_code size_text(const char *value, char **out) {
    enum { DIGITS = 24 };
    *out = malloc(DIGITS);
    if (!*out)
        return report_no_memory();
    snprintf(*out, DIGITS, "%" PRIu64, size_of(value));
    return EXIT_FINE;
}

static enum exit_code value_text(struct job *job, const struct given_option *given, char **out) {
    switch (given->option->own->kind) {
    case QUIPU_OPTION_TIME:
        return time_text(job, given->option, given->value, out);
    case QUIPU_OPTION_LOCATIONS:
        return locations_text(job, given->option, out);
    case QUIPU_OPTION_SIZE:
        return size_text(given->value, out);
    case QUIPU_OPTION_FLAG:
        return (*out = strdup("yes")) ? EXIT_FINE : report_no_memory();
    default:
        if (!(*out = strdup(given->value)))
            return report_no_memory();
        return strcmp(given->option->own->name, "where") == 0 ? report_where(job, given->value) : EXIT_FINE;
    }
}

static enum exit_code check_required(const struct arguments *arguments) {
    const struct command *command = arguments->command;
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        if (option->own && option->own->is_required && !option_text(arguments, option->id))
            return report_usage("%s needs --%s %s", command->name, option->long_name, option->argument);
    }
    return EXIT_FINE;
}

static enum exit_code settings_init(struct settings *settings, struct job *job) {
    const struct arguments *arguments = job->arguments;
    *settings = (struct settings){calloc(arguments->given_count + 1, sizeof *settings->items),
                                  calloc(arguments->given_count + 1, sizeof *settings->values), 0};
    if (!settings->items || !settings->values)
        return report_no_memory();
    enum exit_code code = check_required(arguments);
    for (size_t i = 0; i < arguments->given_count && code == EXIT_FINE; i++) {
        const struct given_option *given = &arguments->given[i];
        if (!given->option->own)
            continue;
        const size_t number = settings->count++;
        code = value_text(job, given, &settings->values[number]);
        settings->items[number] = (struct quipu_setting){given->option->own->name, settings->values[number]};
    }
    return code;
}

static void settings_release(struct settings *settings) {
    for (size_t i = 0; i < settings->count; i++)
        free(settings->values[i]);
    free(settings->values);
    free(settings->items);
}

/* ---- Showing ---- */

static bool are_empty(const struct quipu_tables *tables) {
    for (size_t i = 0; i < quipu_tables_count(tables); i++)
        if (quipu_table_row_count(quipu_tables_at(tables, i)) > 0)
            return false;
    return true;
}

/* Options of an analysis that say how its answer is written. */
static enum quipu_style own_style(const struct arguments *arguments, enum quipu_style style) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct quipu_option *own = arguments->given[i].option->own;
        if (own && strcmp(own->name, "dot") == 0)
            return QUIPU_STYLE_DOT;
        if (own && strcmp(own->name, "extra-p") == 0)
            return QUIPU_STYLE_EXTRA_P;
    }
    return style;
}

static enum exit_code show(struct job *job, const struct quipu_tables *tables) {
    const struct quipu_analysis *analysis = job->arguments->command->analysis;
    struct quipu_render_options render = answer_options_of(job->arguments);
    render.style = own_style(job->arguments, render.style);
    if (analysis->sort && prints_on_terminal(job->arguments))
        render.bar_column = quipu_table_column_find(quipu_tables_at(tables, 0), analysis->sort);
    if (!option_text(job->arguments, OPTION_sort)) {
        render.map_letters = analysis->map_letters;
        render.map_column = analysis->map_column;
    }
    const bool is_page = render.style == QUIPU_STYLE_TEXT && strcmp(analysis->name, "why") == 0;
    return is_page ? show_why(job, tables, &render) : show_tables(job, tables, &render);
}

/* ---- Running ---- */

static enum exit_code answer(struct job *job, const struct quipu_analysis_options *analysis_options) {
    const struct quipu_analysis *analysis = job->arguments->command->analysis;
    struct quipu_tables *tables = NULL;
    quipu_reader_share(job->reader, job->arguments->transport);
    const enum quipu_status status =
        quipu_analysis_run(job->reader, analysis->name, analysis_options, &tables, &job->err);
    quipu_reader_share(job->reader, NULL);
    job_set(job, status);
    if (status != QUIPU_OK)
        return job->code;
    if (are_empty(tables)) /* first: that may fail, and notice damage that an analysis does not meet */
        report_nothing(job, analysis->empty_answer);
    const enum exit_code code = job->code == EXIT_FINE ? show(job, tables) : job->code;
    if (code == EXIT_FINE)
        show_note(job, tables);
    quipu_tables_free(tables);
    return code;
}

/* The answer, and a trace with the times that come out. */
static enum exit_code retime(struct job *job, const struct quipu_analysis_options *analysis_options) {
    const char *target = conversion_target_or_same(job);
    struct quipu_retime_options retime_options = QUIPU_RETIME_OPTIONS_INIT;
    struct quipu_conversion_report *report = NULL;
    struct quipu_tables *tables = NULL;
    retime_options.convert = conversion_options(job);
    retime_options.analysis = job->arguments->command->analysis->name;
    retime_options.answer = *analysis_options;
    const enum quipu_status status = quipu_retime(job->reader, option_text(job->arguments, OPTION_output),
                                                  target, &retime_options, &tables, &report, &job->err);
    conversion_end(job, 1, status, &report, target);
    const enum exit_code code = job->code == EXIT_FINE ? show(job, tables) : job->code;
    if (code == EXIT_FINE)
        show_note(job, tables);
    quipu_tables_free(tables);
    return code;
}

/* Several traces, related to each other. The first one stands for all in what is reported. */
static void relate(struct inputs *inputs, const struct quipu_analysis_options *analysis_options) {
    struct job *job = &inputs->jobs[0];
    struct quipu_tables *tables = NULL;
    const enum quipu_status status =
        quipu_analysis_relate(inputs->readers, (const char *const *)job->arguments->operands, inputs->count,
                              job->arguments->command->analysis->name, analysis_options, &tables, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        job->code = show(job, tables);
    if (status == QUIPU_OK && quipu_tables_note(tables)[0])
        report_remark(job->arguments, "%s", quipu_tables_note(tables));
    quipu_tables_free(tables);
}

/* Numbers of locations are those of one trace. */
static enum exit_code check_alike(const struct arguments *arguments) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        if (option->own && option->own->kind == QUIPU_OPTION_LOCATIONS)
            return report_usage("--%s is of one trace; --where 'rank in 0-3' means the same in all",
                                option->long_name);
    }
    return EXIT_FINE;
}

static enum exit_code run_on_all(struct inputs *inputs) {
    struct quipu_analysis_options analysis_options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct settings settings = {0};
    enum exit_code code = check_alike(inputs->jobs[0].arguments);
    if (code == EXIT_FINE)
        code = settings_init(&settings, &inputs->jobs[0]);
    analysis_options.settings = settings.items;
    analysis_options.setting_count = settings.count;
    if (code == EXIT_FINE)
        relate(inputs, &analysis_options);
    settings_release(&settings);
    return code;
}

static enum exit_code relate_all(const struct arguments *arguments) {
    struct inputs inputs;
    enum exit_code code = inputs_open(&inputs, arguments);
    if (code == EXIT_FINE)
        code = run_on_all(&inputs);
    return inputs_close(&inputs, code);
}

/* What relates traces means nothing with one. */
static enum exit_code check_related(const struct arguments *arguments) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        if (option->own && option->own->relates)
            return report_usage("--%s needs several traces", option->long_name);
    }
    return EXIT_FINE;
}

static enum exit_code run_analysis(struct job *job) {
    struct quipu_analysis_options analysis_options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct settings settings;
    struct selected selected;
    enum exit_code code = selected_init(&selected, job);
    if (code == EXIT_FINE) {
        code = settings_init(&settings, job);
        analysis_options.selection = &selected.selection;
        analysis_options.settings = settings.items;
        analysis_options.setting_count = settings.count;
        analysis_options.sort = option_text(job->arguments, OPTION_sort);
        if (code == EXIT_FINE)
            code =
                writes_trace(job->arguments) ? retime(job, &analysis_options) : answer(job, &analysis_options);
        settings_release(&settings);
    }
    selected_release(&selected);
    return code;
}

enum exit_code command_analysis(const struct arguments *arguments) {
    struct job job;
    if (arguments->operand_count > 1)
        return relate_all(arguments);
    const enum exit_code code = check_related(arguments);
    if (code != EXIT_FINE)
        return code;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        job.code = run_analysis(&job);
    return job_end(&job);
}
