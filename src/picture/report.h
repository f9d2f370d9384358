/* report.h: what a report consists of before it is a page: the answers of the analyses, the figures made from them, facts and findings. */
#ifndef QUIPU_PICTURE_REPORT_H
#define QUIPU_PICTURE_REPORT_H

#include "picture/figure.h"

#include "core/memory/vec.h"

#include <quipu/analysis.h>
#include <quipu/check.h>
#include <quipu/picture.h>

/* An analysis with settings, which has been run at most once. */
struct quipu__run {
    const char *analysis, *settings;
    struct quipu_tables *tables; /* NULL: it does not apply to the trace */
};

struct quipu__report {
    struct quipu_reader *const *readers;
    const char *const *names;
    size_t count;
    struct quipu_report_options options;
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions; /* of the first trace */
    struct quipu__hidden_names hidden;           /* none unless names are to be hidden */
    QUIPU__VEC(struct quipu__run) runs;
    struct quipu__arena texts;

    /* Of the first trace. */
    struct quipu_summary summary;
    struct quipu_check_result check;
    struct quipu_reader *checked; /* whose findings are those of the check; NULL: it could not be done */
};

enum { QUIPU__COMMAND_BYTES = 1024 };

/* The command that prints the table of a figure: "quipu profile --by region run.trace". Returns text. */
const char *quipu__report_command(const struct quipu__report *report, const struct quipu__figure_form *form,
                                  char text[QUIPU__COMMAND_BYTES]);

/* A command of an analysis, in which TRACE stands for the trace. */
const char *quipu__report_fill_command(const struct quipu__report *report, const char *command,
                                       char text[QUIPU__COMMAND_BYTES]);

/* The table of a form, borrowed; NULL when it does not apply. Runs the analysis when that has not been done yet. */
enum quipu_status quipu__report_table(struct quipu__report *report, const struct quipu__figure_form *form,
                                      const struct quipu_table **out, struct quipu_error *err);

/* Writes the page. */
enum quipu_status quipu__report_write_page(struct quipu__report *report, struct quipu_sink sink,
                                           struct quipu_error *err);

#endif
