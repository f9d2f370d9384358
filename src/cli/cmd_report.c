/* cmd_report.c: quipu report: a page of one file about a trace, or about several, and its figures as files. */
#include "conversion.h"
#include "job.h"
#include "report.h"
#include "selection.h"

#include <quipu/picture.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Figures as files ---- */

static enum quipu_status save_file(struct job *job, const char *name, const char *suffix, const char *data,
                                   size_t size) {
    char path[4096];
    struct quipu_output *output;
    snprintf(path, sizeof path, "%s/%s.%s", option_text(job->arguments, OPTION_figures), name, suffix);
    enum quipu_status status =
        quipu_output_open(path, option_given(job->arguments, OPTION_force), ending_guard(), &output, &job->err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu_sink sink = quipu_output_sink(output);
    status = sink.write(sink.context, data, size, &job->err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, &job->err);
    quipu_output_discard(output);
    return status;
}

/* The library passes the error on that it gets, which is the job's. */
static enum quipu_status save_figure(void *context, const struct quipu_figure *figure,
                                     struct quipu_error *err) {
    struct job *job = context;
    (void)err;
    const enum quipu_status status = save_file(job, figure->name, "csv", figure->csv, figure->csv_size);
    return status == QUIPU_OK && figure->svg_size > 0
               ? save_file(job, figure->name, "svg", figure->svg, figure->svg_size)
               : status;
}

static enum exit_code make_folder(const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return EXIT_FINE;
    fprintf(stderr, "quipu: %s: %s\n", folder, strerror(errno));
    return EXIT_OUTPUT;
}

/* ---- The page ---- */

static const char *page_name_at(const void *list, size_t index) {
    (void)list;
    return quipu_report_page_at(index)->name;
}

static size_t page_count(void) {
    size_t count = 0;
    while (quipu_report_page_at(count))
        count++;
    return count;
}

static enum exit_code check_page(void *context, const char *name) {
    const size_t count = page_count();
    (void)context;
    for (size_t i = 0; i < count; i++)
        if (strcmp(quipu_report_page_at(i)->name, name) == 0)
            return EXIT_FINE;
    return report_unknown("page", name, nearest_name(name, page_name_at, NULL, count),
                          "; \"quipu report --help\" lists them");
}

static enum exit_code write_report(struct inputs *inputs, const struct arguments *arguments) {
    struct quipu_report_options options = QUIPU_REPORT_OPTIONS_INIT;
    struct job *job = &inputs->jobs[0];
    struct printing printing;
    enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    options.title = option_text(arguments, OPTION_title);
    options.only = option_text(arguments, OPTION_only);
    options.without_names = option_given(arguments, OPTION_no_names);
    options.save = option_given(arguments, OPTION_figures) ? save_figure : NULL;
    options.context = job;
    job_set(job, quipu_report_write(inputs->readers, (const char *const *)arguments->operands, inputs->count,
                                    &options, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

enum exit_code command_report(const struct arguments *arguments) {
    const char *figures = option_text(arguments, OPTION_figures);
    struct inputs inputs;
    enum exit_code code = each_given_name(arguments, OPTION_only, check_page, NULL);
    if (code != EXIT_FINE)
        return code;
    if (!option_given(arguments, OPTION_output))
        return report_usage("report needs -o FILE, such as -o report.html; - is standard output");
    code = inputs_open(&inputs, arguments);
    if (code == EXIT_FINE && figures)
        code = make_folder(figures);
    if (code == EXIT_FINE)
        code = write_report(&inputs, arguments);
    return inputs_close(&inputs, code);
}
