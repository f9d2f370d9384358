/* render.h: what the styles of rendering share. A style appends tables to a buffer and hands it on now and then. Cells are shown as people
 * read them: times in units of their size, shares with two digits. */
#ifndef QUIPU_RENDER_RENDER_H
#define QUIPU_RENDER_RENDER_H

#include "core/text/json.h"

#include <quipu/printer.h>
#include <quipu/table.h>

/* Tables on their way to a sink. */
struct quipu__render {
    const struct quipu_table *const *tables;
    size_t count;
    const struct quipu_render_options *options;
    struct quipu__memory memory;
    struct quipu__buffer out;
    struct quipu_sink sink;
};

typedef enum quipu_status quipu__style_fn(struct quipu__render *render, struct quipu_error *err);
quipu__style_fn quipu__render_text;

/* Text: draws a table as a map, by map_letters and map_column of the options. */
enum quipu_status quipu__render_map(struct quipu__render *render, const struct quipu_table *table,
                                    struct quipu_error *err);

/* Rows of a table that are to be shown. */
size_t quipu__rows_shown(const struct quipu__render *render, const struct quipu_table *table);

/* Hands the buffer on when it has grown large. Call it after each row. */
enum quipu_status quipu__render_row_end(struct quipu__render *render, struct quipu_error *err);

/* ---- Cells ---- */

/* A number as decimal text; doubles with as few digits as give the same double again. The cell is not null. */
void quipu__put_cell_number(struct quipu__buffer *out, const struct quipu_cell *cell,
                            enum quipu_column_type type);

/* A value of CSV, in quotes where it needs them. */
void quipu__put_csv_text(struct quipu__buffer *out, const char *text);

static inline bool quipu__is_number(enum quipu_column_type type) {
    return type != QUIPU_TYPE_TEXT && type != QUIPU_TYPE_JSON;
}

struct quipu__time_unit {
    const char *name;
    uint64_t ns;
    int digits; /* behind the point when a cell is exact */
};

struct quipu__cell_format {
    const struct quipu_table_column *column;
    const struct quipu__time_unit *unit; /* of all cells, which are times; NULL: each has one of its size */
    bool has_units;                      /* cells are times; false: every number as it is */
    int digits;                          /* of a real behind its point; below 0: as many as it needs */
};

#endif
