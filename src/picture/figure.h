/* figure.h: figures: what each one shows (figures.def), and drawing a table as SVG.
 *
 * A figure shows a table that a command prints. Marks carry what they show: data-key, data-column and data-value, or data-values for many in a row;
 * so a reader of the SVG, a test or a script finds the numbers of the table.
 */
#ifndef QUIPU_PICTURE_FIGURE_H
#define QUIPU_PICTURE_FIGURE_H

#include "picture/markup.h"

#include <quipu/model.h>
#include <quipu/table.h>

enum quipu__shape {
    QUIPU__SHAPE_BARS,         /* of each key, the largest first; several values are stacked */
    QUIPU__SHAPE_LIST_OF_BARS, /* in the order of the table; neighbours are put together where there are too many */
    QUIPU__SHAPE_AREAS,        /* over time, stacked */
    QUIPU__SHAPE_LINES,        /* over time */
    QUIPU__SHAPE_BANDS,        /* over time, one below the other, each key by its own scale */
    QUIPU__SHAPE_HEAT,         /* key by bins of time: what most of the time is spent on */
    QUIPU__SHAPE_MATRIX,       /* key by other */
    QUIPU__SHAPE_HISTOGRAM,
    QUIPU__SHAPE_RIBBON, /* intervals, one after the other, each at a key */
    QUIPU__SHAPE_METERS, /* shares of 1 in the columns of one row */
    QUIPU__SHAPE_FINDINGS,
    QUIPU__SHAPE_TABLE /* the table itself */
};

struct quipu__figure_form {
    const char *page, *name, *title, *doc;
    const char *analysis, *settings, *table;
    enum quipu__shape shape;
    const char *key, *other, *values, *condition;
};

struct quipu__page_form {
    const char *name, *title, *doc;
};

/* All, in the order of the report; the count is that of the list. */
const struct quipu__figure_form *quipu__figure_forms(size_t *count);
const struct quipu__page_form *quipu__page_forms(size_t *count);

struct quipu__drawing {
    struct quipu__buffer *out;
    const struct quipu__figure_form *form;
    const struct quipu_table *table;
    const struct quipu_definitions *definitions; /* of the trace */
    const struct quipu__hidden_names *hidden;    /* NULL: all names are shown */
    bool is_file;                                /* the SVG stands alone, with its colours */
};

/* Draws the figure as SVG. False, and nothing is written, when the table has nothing to show in it; that memory is out is known to the buffer. */
bool quipu__figure_draw(const struct quipu__drawing *drawing);

/* The colour of a region: the class "useful-0", "p2p-2" … of figure.css, the same in all figures of all traces. */
enum { QUIPU__COLOUR_BYTES = 24 };
const char *quipu__region_colour(enum quipu_region_role role, const char *name, char text[QUIPU__COLOUR_BYTES]);

#endif
