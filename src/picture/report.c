/* report.c: running the analyses of a report. Figures that show tables of one answer share it; an analysis that does not apply to the trace makes no
 * figure. */
#include "picture/report.h"

#include "analysis/shared/fold.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "core/text.h"
#include "core/text/findings.h"
#include "trace/reader.h"

#include <quipu/compare.h>

#include <stdio.h>
#include <string.h>

/* ---- Pages ---- */

const struct quipu_report_page *quipu_report_page_at(size_t index) {
    static const struct quipu_report_page pages[] = {
        {"overview", "What and whole?", "What the trace is, and whether it is sound."},
#define QUIPU_PAGE(name, title, doc) {#name, title, doc},
#define QUIPU_FIGURE(...)
#include "picture/figures.def"
#undef QUIPU_PAGE
#undef QUIPU_FIGURE
    };
    return index < sizeof pages / sizeof *pages ? &pages[index] : NULL;
}

static bool is_page(const char *name, size_t len) {
    const struct quipu_report_page *page;
    for (size_t i = 0; (page = quipu_report_page_at(i)) != NULL; i++)
        if (strlen(page->name) == len && memcmp(page->name, name, len) == 0)
            return true;
    return false;
}

static enum quipu_status check_only(const char *only, struct quipu_error *err) {
    for (const char *at = only; at && *at; at += strspn(at, ",")) {
        const size_t len = strcspn(at, ",");
        if (!is_page(at, len))
            return quipu__fail(err, QUIPU_MISUSE, "no page \"%.*s\"", (int)(len < 60 ? len : 60), at);
        at += len;
    }
    return QUIPU_OK;
}

/* ---- Commands ---- */

/* A path as a shell takes it. */
static size_t put_path(const char *path, char *out, size_t size) {
    const bool is_plain = path[strcspn(path, " \t\n'\"\\$&|;<>()*?[]#~`!{}")] == '\0' && path[0];
    size_t len = (size_t)snprintf(out, size, "%s", is_plain ? "" : "'");
    for (; *path && len + 6 < size; path++)
        len += (size_t)snprintf(out + len, size - len, *path == '\'' ? "'\\''" : "%c", *path);
    len += (size_t)snprintf(out + len, size - len, "%s", is_plain ? "" : "'");
    return len;
}

static size_t put_paths(const struct quipu__report *report, char *out, size_t size) {
    size_t len = 0;
    for (size_t i = 0; i < report->count && len + 8 < size; i++) {
        len += (size_t)snprintf(out + len, size - len, " ");
        if (report->options.without_names)
            len += (size_t)snprintf(out + len, size - len, "TRACE");
        else
            len += put_path(report->names[i], out + len, size - len);
    }
    return len;
}

/* Fewer bins the more locations there are: a report is of limited size. An index has levels for each of these numbers. */
static unsigned bins_of(const struct quipu__report *report) {
    enum { CELLS = 400000 };
    static const unsigned bins[] = {80, 40, 20, 10};
    size_t i = 0;
    while (i + 1 < sizeof bins / sizeof *bins &&
           bins[i] * (uint64_t)report->definitions->locations.count > CELLS)
        i++;
    return bins[i];
}

/* One "NAME=VALUE" of settings, and what follows it; NULL at the end. */
struct one_setting {
    char name[32], value[32];
};

static const char *next_setting(const struct quipu__report *report, const char *settings,
                                struct one_setting *out) {
    if (!*settings)
        return NULL;
    const size_t len = strcspn(settings, " "), name = strcspn(settings, "=");
    snprintf(out->name, sizeof out->name, "%.*s", (int)name, settings);
    snprintf(out->value, sizeof out->value, "%.*s", (int)(len - name - 1), settings + name + 1);
    if (strcmp(out->value, "BINS") == 0)
        snprintf(out->value, sizeof out->value, "%u", bins_of(report));
    return settings + len + strspn(settings + len, " ");
}

/* The run of an analysis with settings, NULL when there is none yet. */
static struct quipu__run *find_run(const struct quipu__report *report, const char *analysis,
                                   const char *settings) {
    for (size_t i = 0; i < report->runs.count; i++)
        if (strcmp(report->runs.items[i].analysis, analysis) == 0 &&
            strcmp(report->runs.items[i].settings, settings) == 0)
            return &report->runs.items[i];
    return NULL;
}

const char *quipu__report_command(const struct quipu__report *report, const struct quipu__figure_form *form,
                                  char text[QUIPU__COMMAND_BYTES]) {
    const struct quipu__run *run = find_run(report, form->analysis, form->settings);
    struct one_setting setting;
    size_t len = (size_t)snprintf(text, QUIPU__COMMAND_BYTES, "quipu %s", form->analysis);
    for (const char *at = form->settings; (at = next_setting(report, at, &setting)) != NULL;) {
        const bool is_flag = strcmp(setting.value, "yes") == 0;
        len += (size_t)snprintf(text + len, QUIPU__COMMAND_BYTES - len, " --%s%s%s", setting.name,
                                is_flag ? "" : " ", is_flag ? "" : setting.value);
    }
    if (run && run->tables && quipu_tables_count(run->tables) > 1)
        len += (size_t)snprintf(text + len, QUIPU__COMMAND_BYTES - len, " --table %s", form->table);
    put_paths(report, text + len, QUIPU__COMMAND_BYTES - len);
    return text;
}

const char *quipu__report_fill_command(const struct quipu__report *report, const char *command,
                                       char text[QUIPU__COMMAND_BYTES]) {
    const char *mark = strstr(command, "TRACE");
    size_t len = 0;
    if (!mark || report->options.without_names) {
        snprintf(text, QUIPU__COMMAND_BYTES, "%s", command);
        return text;
    }
    len = (size_t)snprintf(text, QUIPU__COMMAND_BYTES / 2, "%.*s", (int)(mark - command), command);
    len += put_path(report->names[0], text + len, QUIPU__COMMAND_BYTES / 2);
    snprintf(text + len, QUIPU__COMMAND_BYTES - len, "%s", mark + strlen("TRACE"));
    return text;
}

/* ---- Answers ---- */

enum { SETTINGS_MOST = 4 };

/* Whether an analysis has failed because the trace is not of its kind: then there is nothing to show. */
static bool does_not_apply(enum quipu_status status) {
    return status == QUIPU_MISUSE || status == QUIPU_UNSUPPORTED || status == QUIPU_NOT_FOUND;
}

/* What an analysis is about: without such an event it has no answer, and need not read the trace. */
#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
static const struct {
    const char *analysis, *settings; /* settings NULL: with any */
    quipu_kinds kinds;
} subjects[] = {{"io", NULL,
                 KIND(io_open) | KIND(io_close) | KIND(io_begin) | KIND(io_end) | KIND(io_resize) |
                     KIND(io_link) | KIND(io_unlink) | KIND(io_control)},
                {"comm", NULL, KIND(send) | KIND(recv)},
                {"tasks", NULL, KIND(task_create) | KIND(task_begin) | KIND(affinity)},
                {"calls", NULL, KIND(enter) | KIND(leave)},
                {"profile", "by=region counters=yes", KIND(metric)},
                {"timeline", "by=all bins=200 counters=yes", KIND(metric)},
                {"profile", NULL, KIND(enter) | KIND(leave)}};
#undef KIND

static bool has_subject(const struct quipu__report *report, const struct quipu__figure_form *form) {
    quipu_kinds there = 0;
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (report->summary.events_of[kind] > 0)
            there |= QUIPU_KIND_BIT(kind);
    if (report->count > 1)
        return true; /* the summary is of the first trace alone */
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(subjects[i].analysis, form->analysis) == 0 &&
            (!subjects[i].settings || strcmp(subjects[i].settings, form->settings) == 0))
            return (subjects[i].kinds & there) != 0;
    return there != 0;
}

/* What an analysis asks for first, when the report has it. */
static const struct quipu_tables *known_of(const struct quipu__report *report, const char *analysis,
                                           const struct quipu_analysis_options *options) {
    const struct quipu__fold *fold = quipu__fold_find(analysis);
    const struct quipu__settings given = {fold->info.options, fold->info.option_count, options->settings,
                                          options->setting_count};
    struct quipu_setting setting;
    char settings[64];
    const char *asked = fold->asks ? fold->asks(&given, &setting) : NULL;
    if (!asked)
        return NULL;
    snprintf(settings, sizeof settings, "%s=%s", setting.name, setting.value);
    const struct quipu__run *run = find_run(report, asked, settings);
    return run ? run->tables : NULL;
}

static enum quipu_status answer(struct quipu__report *report, const struct quipu__run *run,
                                struct quipu_tables **out, struct quipu_error *err) {
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_setting settings[SETTINGS_MOST];
    struct one_setting own[SETTINGS_MOST];
    bool differ;
    if (strcmp(run->analysis, "diff") == 0)
        return quipu_compare(report->readers[0], report->readers[report->count - 1], NULL, out, &differ, err);
    for (const char *at = run->settings;
         (at = next_setting(report, at, &own[options.setting_count])) != NULL;) {
        settings[options.setting_count] =
            (struct quipu_setting){own[options.setting_count].name, own[options.setting_count].value};
        options.setting_count++;
    }
    options.settings = settings;
    if (report->count > 1)
        return quipu_analysis_relate(report->readers, report->names, report->count, run->analysis, &options,
                                     out, err);
    struct quipu__analysis_answer answer;
    const enum quipu_status status =
        quipu__analysis_run(report->readers[0], run->analysis, &options, QUIPU__FOR_TABLES,
                            known_of(report, run->analysis, &options), &answer, err);
    quipu__analysis_answer_release(&answer);
    *out = answer.tables;
    return status;
}

static enum quipu_status run_of(struct quipu__report *report, const struct quipu__figure_form *form,
                                const struct quipu__run **out, struct quipu_error *err) {
    struct quipu__run *run = find_run(report, form->analysis, form->settings);
    *out = run;
    if (run)
        return QUIPU_OK;
    if (!(run = QUIPU__VEC_ADD(report->memory, &report->runs)))
        return quipu__memory_status(report->memory, err);
    *run = (struct quipu__run){form->analysis, form->settings, NULL};
    *out = run;
    if (!has_subject(report, form))
        return QUIPU_OK;
    const enum quipu_status status = answer(report, run, &run->tables, err);
    if (status == QUIPU_OK || !does_not_apply(status))
        return status;
    quipu_error_clear(err);
    return QUIPU_OK;
}

enum quipu_status quipu__report_table(struct quipu__report *report, const struct quipu__figure_form *form,
                                      const struct quipu_table **out, struct quipu_error *err) {
    const struct quipu__run *run;
    *out = NULL;
    const enum quipu_status status = run_of(report, form, &run, err);
    for (size_t i = 0; status == QUIPU_OK && run->tables && i < quipu_tables_count(run->tables); i++) {
        const struct quipu_table *table = quipu_tables_at(run->tables, i);
        if (strcmp(quipu_table_name(table), form->table) == 0 && quipu_table_row_count(table) > 0)
            *out = table;
    }
    return status;
}

/* ---- Names that are not shown ---- */

struct hidden_list {
    struct quipu__report *report;
    QUIPU__VEC(struct quipu__hidden_name) names;
    struct quipu__map numbers;
};

/* A name gets the next number of its sort, unless it has one. */
static void hide(struct hidden_list *list, const char *sort, const char *name, uint32_t *count) {
    struct quipu__report *report = list->report;
    const size_t len = name ? strlen(name) : 0;
    const uint64_t key = len > 0 ? quipu__hash(name, len, list->numbers.seed) : 0;
    char text[48];
    if (len == 0 || quipu__map_get(&list->numbers, key) != QUIPU_NONE)
        return;
    const int written = snprintf(text, sizeof text, "%s %u", sort, ++*count);
    const char *own = quipu__arena_text(&report->texts, name, len);
    const char *instead = quipu__arena_text(&report->texts, text, (size_t)written);
    if (own && instead && quipu__map_put(&list->numbers, key, *count))
        quipu__gate_knows(
            QUIPU__VEC_PUT(report->memory, &list->names, (struct quipu__hidden_name){own, instead}));
}

static void hide_all(struct hidden_list *list) {
    uint32_t hosts = 0, files = 0, sources = 0, traces = 0;
    for (size_t i = 0; i < list->report->count; i++) {
        const struct quipu_definitions *definitions = quipu_reader_definitions(list->report->readers[i]);
        hide(list, "trace", list->report->names[i], &traces);
        for (uint32_t k = 0; k < definitions->locations.count; k++) {
            const struct quipu_location *location = &definitions->locations.items[k];
            const bool is_host =
                location->kind == QUIPU_LOCATION_NODE || location->kind == QUIPU_LOCATION_MACHINE;
            hide(list, "host", location->host, &hosts);
            hide(list, "host", is_host ? location->name : NULL, &hosts);
        }
        for (uint32_t k = 0; k < definitions->files.count; k++)
            hide(list, "file", definitions->files.items[k].name, &files);
        for (uint32_t k = 0; k < definitions->sources.count; k++)
            hide(list, "source", definitions->sources.items[k].file, &sources);
    }
}

static int compare_lengths(const void *a, const void *b) {
    const struct quipu__hidden_name *first = a, *second = b;
    const size_t one = strlen(first->name), other = strlen(second->name);
    return (one < other) - (one > other);
}

static void hide_names(struct quipu__report *report) {
    struct hidden_list list = {.report = report};
    quipu__map_init(&list.numbers, report->memory);
    hide_all(&list);
    quipu__map_release(&list.numbers);
    quipu__gate_knows(quipu__sort(report->memory, list.names.items, list.names.count, sizeof *list.names.items,
                                  compare_lengths));
    struct quipu__hidden_name *items =
        quipu__arena_alloc(&report->texts, (list.names.count + 1) * sizeof *items);
    if (items && list.names.count > 0)
        memcpy(items, list.names.items, list.names.count * sizeof *items);
    report->hidden = (struct quipu__hidden_names){items, items ? list.names.count : 0};
    QUIPU__VEC_RELEASE(report->memory, &list.names);
}

/* ---- The report ---- */

/* The check reads the trace by itself, so that its findings are no findings of the reader, but for files that it could not read. What cannot be opened
 * again, such as a pipe, has no check. */
static enum quipu_status check_apart(struct quipu__report *report, struct quipu_error *err) {
    struct quipu_findings *findings = quipu__reader_trace(report->readers[0])->findings;
    enum quipu_status status = quipu__reader_open_again(report->readers[0], &report->checked, err);
    if (status == QUIPU_IO || status == QUIPU_NO_MEMORY || status == QUIPU_LIMIT)
        return status;
    if (status != QUIPU_OK) {
        quipu_error_clear(err);
        return QUIPU_OK;
    }
    status = quipu_check(report->checked, NULL, &report->check, err);
    quipu__findings_copy_unreadable(quipu_reader_findings(report->checked), findings);
    return status;
}

static enum quipu_status look_over(struct quipu__report *report, struct quipu_error *err) {
    const enum quipu_status status = quipu_summarise(report->readers[0], NULL, &report->summary, err);
    return status == QUIPU_OK ? check_apart(report, err) : status;
}

static void report_release(struct quipu__report *report) {
    for (size_t i = 0; i < report->runs.count; i++)
        quipu_tables_free(report->runs.items[i].tables);
    QUIPU__VEC_RELEASE(report->memory, &report->runs);
    quipu_reader_close(report->checked);
    quipu__arena_release(&report->texts);
}

enum quipu_status quipu_report_write(struct quipu_reader *const *readers, const char *const *names,
                                     size_t count, const struct quipu_report_options *options,
                                     struct quipu_sink sink, struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu__report report = {.readers = readers, .names = names, .count = count, .memory = &memory};
    report.options = (struct quipu_report_options)QUIPU_REPORT_OPTIONS_INIT;
    if (options)
        memcpy(&report.options, options,
               options->size < sizeof report.options ? options->size : sizeof report.options);
    enum quipu_status status = check_only(report.options.only, err);
    if (status != QUIPU_OK)
        return status;
    if (count == 0)
        return quipu__fail(err, QUIPU_MISUSE, "a report is of one trace or more");
    quipu__memory_like(&memory, quipu__reader_trace(readers[0])->memory);
    quipu__arena_init(&report.texts, &memory);
    report.definitions = quipu_reader_definitions(readers[0]);
    status = look_over(&report, err);
    if (report.options.without_names)
        hide_names(&report);
    if (status == QUIPU_OK)
        status = quipu__report_write_page(&report, sink, err);
    report_release(&report);
    return status;
}
