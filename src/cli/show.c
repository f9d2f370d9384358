/* show.c: see show.h. */
#include "show.h"

#include "report.h"
#include "terminal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct quipu_render_options render_options_of(const struct arguments *arguments) {
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    render.allocator = quipu_budget_allocator(arguments->budget);
    if (option_given(arguments, OPTION_json))
        render.style = QUIPU_STYLE_JSON;
    else if (option_given(arguments, OPTION_csv))
        render.style = QUIPU_STYLE_CSV;
    render.row_limit = (size_t)option_number(arguments, OPTION_limit, SIZE_MAX);
    render.width =
        prints_on_terminal(arguments) && !option_given(arguments, OPTION_wide) ? terminal_width() : 0;
    render.colour = use_color(arguments);
    return render;
}

struct quipu_render_options answer_options_of(const struct arguments *arguments) {
    struct quipu_render_options render = render_options_of(arguments);
    const char *unit = option_text(arguments, OPTION_unit);
    render.time_unit = unit ? unit : "auto";
    render.width = option_given(arguments, OPTION_wide) ? 0 : terminal_width();
    return render;
}

/* ---- A file for each table ---- */

/* What -o names when it is a folder: it exists as one, or ends in a slash. NULL: something else, or nothing. */
static const char *output_folder(const struct arguments *arguments) {
    const char *path = option_text(arguments, OPTION_output);
    struct stat about;
    if (!path || !path[0])
        return NULL;
    return path[strlen(path) - 1] == '/' || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) ? path : NULL;
}

static enum exit_code make_folder(const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return EXIT_FINE;
    fprintf(stderr, "quipu: %s: %s\n", folder, strerror(errno));
    return EXIT_OUTPUT;
}

static enum quipu_status write_file(struct job *job, const struct quipu_table *table,
                                    const struct quipu_render_options *render, const char *folder) {
    char path[4096];
    struct quipu_output *output;
    snprintf(path, sizeof path, "%s%s%s.csv", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
             quipu_table_name(table));
    enum quipu_status status =
        quipu_output_open(path, option_given(job->arguments, OPTION_force), ending_guard(), &output, &job->err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_table_write(&table, 1, render, quipu_output_sink(output), &job->err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, &job->err);
    quipu_output_discard(output);
    return status;
}

static enum exit_code write_files(struct job *job, const struct quipu_table *const *list, size_t count,
                                  const struct quipu_render_options *render, const char *folder) {
    const enum exit_code code = make_folder(folder);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && code == EXIT_FINE && status == QUIPU_OK; i++)
        status = write_file(job, list[i], render, folder);
    job_set(job, status);
    return code == EXIT_FINE ? job->code : code;
}

/* The table that --table names; false when the answer has it not. */
static bool find_chosen(const struct quipu_tables *tables, const char *name, const struct quipu_table **out) {
    for (size_t i = 0; i < quipu_tables_count(tables); i++)
        if (strcmp(quipu_table_name(*out = quipu_tables_at(tables, i)), name) == 0)
            return true;
    return false;
}

static enum exit_code report_no_table(const struct quipu_tables *tables, const char *name) {
    report_usage("--table: with these options there is no table \"%s\"", name);
    fprintf(stderr, "  there are:");
    for (size_t i = 0; i < quipu_tables_count(tables); i++)
        fprintf(stderr, " %s", quipu_table_name(quipu_tables_at(tables, i)));
    fputc('\n', stderr);
    return EXIT_USAGE;
}

enum exit_code show_tables(struct job *job, const struct quipu_tables *tables,
                           const struct quipu_render_options *render) {
    const char *folder = render->style == QUIPU_STYLE_CSV ? output_folder(job->arguments) : NULL;
    const char *name = option_text(job->arguments, OPTION_table);
    const struct quipu_table *const *list = quipu_tables_list(tables);
    size_t count = quipu_tables_count(tables);
    const struct quipu_table *chosen;
    struct printing printing;
    if (name && !find_chosen(tables, name, &chosen))
        return report_no_table(tables, name);
    struct quipu_render_options style = *render;
    if (name && chosen != list[0])
        style.bar_column = SIZE_MAX, style.map_letters = NULL;
    if (name)
        list = &chosen, count = 1;
    if (folder)
        return write_files(job, list, count, &style, folder);
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, quipu_table_write(list, count, &style, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

void show_note(const struct job *job, const struct quipu_tables *tables) {
    if (quipu_tables_note(tables)[0])
        report_remark(job->arguments, "%s: %s", job->path, quipu_tables_note(tables));
}
