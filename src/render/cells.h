/* cells.h: cells of tables as people read them: times in units of their size, shares with two digits. */
#ifndef QUIPU_RENDER_CELLS_H
#define QUIPU_RENDER_CELLS_H

#include "core/buffer.h"

#include <quipu/table.h>

/* A number as decimal text; doubles with as few digits as give the same double again. The cell is not null. */
void quipu__put_cell_number(struct quipu__buffer *out, const struct quipu_cell *cell,
                            enum quipu_column_type type);

static inline bool quipu__is_number(enum quipu_column_type type) {
    return type != QUIPU_TYPE_TEXT && type != QUIPU_TYPE_JSON;
}

struct quipu__cell_format {
    const struct quipu_table_column *column;
    const char *time_unit; /* as quipu_render_options has it; NULL: every number as it is */
    int digits;            /* of a real behind its point, with a time_unit */
};

/* Whether numbers of the column are shown in units of time. */
bool quipu__is_time(const struct quipu__cell_format *format);

/* Put a cell, of which the null one is "-", and the column's header, with its unit where neither cells nor name say it. */
void quipu__put_cell(struct quipu__buffer *out, const struct quipu_cell *cell,
                     const struct quipu__cell_format *format);
void quipu__put_header(struct quipu__buffer *out, const struct quipu__cell_format *format);

#endif
