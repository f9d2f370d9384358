/* picture.h: pictures of traces: figures as SVG, and a report in one file.
 *
 *     struct quipu_report_options options = QUIPU_REPORT_OPTIONS_INIT;
 *     status = quipu_report_write(&reader, (const char *const[]){"run.otf"}, 1, &options, sink, &err);
 *
 * A figure shows a table that an analysis gives, and says which command prints it. In the SVG each mark has what it stands for in the attributes
 * data-key, data-column and data-value: the sum of that column over the rows of the table that have that key in the column that data-by of the SVG
 * names, and for which data-where ("COLUMN=TEXT", "COLUMN!=TEXT" or nothing) is true. data-values has several numbers: of the rows one by one, or
 * of a row of a grid.
 *
 * A function that takes a reader sets a selection of its own, and the reader keeps it. Call quipu_reader_select again
 * before reading on with the reader itself.
 */
#ifndef QUIPU_PICTURE_H
#define QUIPU_PICTURE_H

#include <quipu/base.h>
#include <quipu/reader.h>
#include <quipu/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A page of the report. Static. */
struct quipu_report_page {
    const char *name; /* for the member only of the options */
    const char *title, *doc;
};

/* The pages by index, in their order; NULL after the last. */
QUIPU_API const struct quipu_report_page *quipu_report_page_at(size_t index);

/* A figure, borrowed while it is being saved. */
struct quipu_figure {
    const char *name; /* unique in a report, good as the name of a file: "regions" */
    const char *title;
    const char *command; /* prints the table */
    const char *csv;     /* the table, as that command prints it with --csv */
    size_t csv_size;     /* in bytes */
    const char *svg;     /* a file of its own, in UTF-8 */
    size_t svg_size;     /* in bytes; 0 where the table itself is the figure */
};

/* What a report is to be. Begin with the macro: members may be added at the end. */
struct quipu_report_options {
    size_t size;        /* of this struct */
    const char *title;  /* NULL: the names of the traces */
    const char *only;   /* names of pages, separated by commas; NULL: all */
    bool without_names; /* hosts, users, files and paths get numbers in place of names */
    enum quipu_status (*save)(void *context, const struct quipu_figure *figure,
                              struct quipu_error *err); /* is given each figure; NULL: none */
    void *context;
};
/* clang-format off */
#define QUIPU_REPORT_OPTIONS_INIT {sizeof(struct quipu_report_options), NULL, NULL, false, NULL, NULL}
/* clang-format on */

/* Reads one trace, or compares several, and writes a page of HTML that needs nothing else: no network, no file, and JavaScript only for comfort and the timeline. It is
 * smaller than 3 MB: long tables are cut there, and say so. names are what the traces are called, as in a command. Pages and figures that
 * would show nothing are left out. Damage is shown on the page, and stands in the findings of the reader. Equal traces give equal pages.
 * QUIPU_MISUSE when there is no page of a name in only. options may be NULL. */
QUIPU_API enum quipu_status quipu_report_write(struct quipu_reader *const *readers, const char *const *names,
                                               size_t count, const struct quipu_report_options *options,
                                               struct quipu_sink sink, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
