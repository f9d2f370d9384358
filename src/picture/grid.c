/* grid.c: locations by time, and locations by locations.
 *
 * A row is a group of SVG with the numbers of its cells in data-values; its cells are a path per colour, in which neighbours of one colour are one
 * rectangle. So a large grid stays small.
 */
#include "picture/svg.h"

#include "core/bounded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 160, GRID = 780, ROWS_MOST = 128, CELLS_MOST = 20000, LEVELS = 6 };

/* ---- Rows of cells ---- */

struct grid {
    const struct quipu__drawing *drawing;
    size_t rows, columns;
    double top, height; /* of a row */
};

static double row_y(const struct grid *grid, size_t row) {
    return grid->top + (double)row * grid->height;
}

/* A path with the cells of a row whose class is that number; classes of a row are in of. */
static void put_cells(const struct grid *grid, size_t row, const uint8_t *of, uint8_t number,
                      const char *class) {
    struct quipu__buffer *out = grid->drawing->out;
    const double width = (double)GRID / (double)grid->columns;
    bool is_open = false;
    for (size_t i = 0; i < grid->columns; i++) {
        size_t end = i;
        while (end < grid->columns && of[end] == number)
            end++;
        if (end == i)
            continue;
        if (!is_open)
            quipu__put_format(out, "<path class=\"%s\" d=\"", class);
        quipu__put_format(out, "M%.2f %.2fH%.2fv%.2fH%.2fz", NAMES + (double)i * width, row_y(grid, row),
                          NAMES + (double)end * width, grid->height, NAMES + (double)i * width);
        is_open = true;
        i = end;
    }
    if (is_open)
        quipu__put_text(out, "\"/>");
}

static void begin_row(const struct grid *grid, const struct quipu__group *group) {
    quipu__put_text(grid->drawing->out, "<g class=\"row\"");
    quipu__svg_attribute(grid->drawing, "data-key", group->key.text);
    if (group->last)
        quipu__svg_attribute(grid->drawing, "data-last", group->last);
}

/* Names of rows, as far as there is room. */
static void put_row_names(const struct grid *grid, const struct quipu__groups *groups) {
    const size_t every = 1 + (size_t)(12 / grid->height);
    char label[QUIPU__LABEL_BYTES];
    for (size_t i = 0; i < groups->list.count; i += every)
        quipu__svg_text(grid->drawing, NAMES - 8, row_y(grid, i) + grid->height / 2 + 4, "end",
                        quipu__group_label(grid->drawing, &groups->list.items[i], label), 18);
}

/* ---- Locations by time ---- */

/* The cells of all rows: times of each value, joined rows added. */
struct heat {
    struct grid grid;
    struct quipu__groups locations;
    size_t bin_column, from_column, to_column, together;
    int64_t *times; /* by row, column, value */
    size_t time_count;
    double from, to;
};

static int64_t *times_of(const struct heat *heat, size_t row, size_t column) {
    return heat->times + (row * heat->grid.columns + column) * heat->locations.values.count;
}

static size_t count_bins(const struct quipu_table *table, size_t bin_column) {
    size_t most = 0;
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const size_t bin = (size_t)quipu_table_at(table, row, bin_column)->u + 1;
        most = bin > most ? bin : most;
    }
    return most;
}

static void add_times(struct heat *heat, const struct quipu_table *table, size_t row) {
    const size_t line = quipu__groups_of_row(&heat->locations, table, row) / heat->together;
    int64_t *times = times_of(heat, line, (size_t)quipu_table_at(table, row, heat->bin_column)->u);
    const double from = quipu__amount_at(table, row, heat->from_column).real,
                 to = quipu__amount_at(table, row, heat->to_column).real;
    for (size_t i = 0; i < heat->locations.values.count; i++)
        times[i] =
            quipu__bounded_sum(times[i], quipu__amount_at(table, row, heat->locations.values.columns[i]).whole);
    heat->from = row == 0 || from < heat->from ? from : heat->from;
    heat->to = row == 0 || to > heat->to ? to : heat->to;
}

static bool heat_init(struct heat *heat, const struct quipu__drawing *drawing) {
    const struct quipu_table *table = drawing->table;
    *heat = (struct heat){.bin_column = quipu_table_column_find(table, drawing->form->other),
                          .from_column = quipu_table_column_find(table, "from_ns"),
                          .to_column = quipu_table_column_find(table, "to_ns")};
    if (!quipu__groups_make(&heat->locations, drawing, drawing->form->key) || heat->locations.list.count < 2)
        return false;
    heat->together = quipu__groups_join(&heat->locations, ROWS_MOST);
    const size_t rows = heat->locations.list.count;
    heat->grid =
        (struct grid){.drawing = drawing, .rows = rows, .columns = count_bins(table, heat->bin_column)};
    heat->grid.top = QUIPU__LEGEND_HEIGHT + 4;
    heat->grid.height = fmax(3, fmin(22, 400 / (double)rows));
    heat->time_count = rows * heat->grid.columns * heat->locations.values.count;
    heat->times = quipu__alloc_zero(drawing->out->memory, heat->time_count * sizeof *heat->times);
    for (size_t row = 0; heat->times && row < quipu_table_row_count(table); row++)
        add_times(heat, table, row);
    return heat->times && heat->to > heat->from;
}

/* What most of a cell is spent on, and in which of three strengths; 0: nothing. */
static uint8_t class_of(const struct heat *heat, const int64_t *times) {
    const size_t count = heat->locations.values.count;
    size_t most = 0;
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        total += (double)times[i];
        if (times[i] > times[most])
            most = i;
    }
    if (total <= 0)
        return 0;
    const double share = (double)times[most] / total;
    const size_t strength = (size_t)(share >= 0.5) + (share >= 0.75);
    return (uint8_t)(1 + most * 3 + strength);
}

static void put_heat_row(const struct heat *heat, size_t row, uint8_t *of) {
    const struct quipu__drawing *drawing = heat->grid.drawing;
    char colour[QUIPU__COLOUR_BYTES], class[2 * QUIPU__COLOUR_BYTES];
    begin_row(&heat->grid, &heat->locations.list.items[row]);
    quipu__put_text(drawing->out, " data-values=\"");
    for (size_t i = 0; i < heat->grid.columns; i++) {
        of[i] = class_of(heat, times_of(heat, row, i));
        quipu__put_text(drawing->out, i > 0 ? " " : "");
        quipu__put_i64(drawing->out, times_of(heat, row, i)[0]);
    }
    quipu__put_text(drawing->out, "\">");
    for (uint8_t number = 1; number <= 3 * heat->locations.values.count; number++) {
        snprintf(class, sizeof class, "%s strength-%d",
                 quipu__value_class(drawing, &heat->locations.values, (number - 1u) / 3, NULL, colour),
                 (number - 1) % 3);
        put_cells(&heat->grid, row, of, number, class);
    }
    quipu__put_text(drawing->out, "</g>\n");
}

static void put_heat(const struct heat *heat, uint8_t *of) {
    const struct quipu__drawing *drawing = heat->grid.drawing;
    const double height = heat->grid.height * (double)heat->grid.rows;
    const struct quipu__axis axis = quipu__axis_of(heat->to - heat->from, "ns", 8);
    bool are_there[QUIPU__VALUES_MOST] = {false};
    char description[128];
    for (size_t i = 0; i < heat->locations.list.count; i++)
        for (size_t k = 0; k < heat->locations.values.count; k++)
            are_there[k] |= heat->locations.list.items[i].amounts[k].real > 0;
    snprintf(description, sizeof description, "%zu rows of locations, %zu columns of time.", heat->grid.rows,
             heat->grid.columns);
    quipu__svg_begin(drawing, heat->grid.top + height + 26, description);
    quipu__svg_legend(drawing, &heat->locations.values, are_there);
    put_row_names(&heat->grid, &heat->locations);
    quipu__put_format(drawing->out,
                      "<g class=\"cells\" data-column=\"%s\" data-x=\"%d\" data-width=\"%d\" "
                      "data-from=\"%.0f\" data-to=\"%.0f\">\n",
                      quipu__value_column(drawing, &heat->locations.values, 0)->name, NAMES, GRID, heat->from,
                      heat->to);
    for (size_t row = 0; row < heat->grid.rows; row++)
        put_heat_row(heat, row, of);
    quipu__put_text(drawing->out, "</g>\n");
    quipu__svg_axis_below(drawing, &axis, heat->from, heat->to,
                          (double[]){NAMES, heat->grid.top, GRID, height});
    quipu__svg_end(drawing);
}

bool quipu__draw_heat(const struct quipu__drawing *drawing) {
    struct heat heat;
    bool is_there = heat_init(&heat, drawing);
    uint8_t *of = is_there ? quipu__alloc_zero(drawing->out->memory, heat.grid.columns) : NULL;
    if (of)
        put_heat(&heat, of);
    quipu__release(drawing->out->memory, of, heat.grid.columns);
    quipu__release(drawing->out->memory, heat.times, heat.time_count * sizeof *heat.times);
    quipu__groups_release(&heat.locations);
    return of != NULL;
}

/* ---- Locations by locations ---- */

enum { SQUARES = 480 };

struct matrix {
    struct grid grid;
    struct quipu__groups rows, columns;
    size_t value_column, rows_together, columns_together;
    int64_t *amounts;
    size_t amount_count;
    int64_t least, most; /* above 0 */
};

static void add_amount(struct matrix *matrix, const struct quipu_table *table, size_t row) {
    const size_t line = quipu__groups_of_row(&matrix->rows, table, row) / matrix->rows_together;
    const size_t column = quipu__groups_of_row(&matrix->columns, table, row) / matrix->columns_together;
    int64_t *amount = &matrix->amounts[line * matrix->grid.columns + column];
    *amount = quipu__bounded_sum(*amount, quipu__amount_at(table, row, matrix->value_column).whole);
}

static void find_range(struct matrix *matrix) {
    for (size_t i = 0; i < matrix->amount_count; i++) {
        const int64_t amount = matrix->amounts[i];
        matrix->most = amount > matrix->most ? amount : matrix->most;
        if (amount > 0 && (matrix->least == 0 || amount < matrix->least))
            matrix->least = amount;
    }
}

/* Locations in their own order; so many in a row or column that there are no more cells than can be shown. */
static bool group_both(struct matrix *matrix, const struct quipu__drawing *drawing) {
    const size_t most = quipu_table_row_count(drawing->table) <= CELLS_MOST ? 2 * ROWS_MOST : ROWS_MOST;
    const bool are_there = quipu__groups_make(&matrix->rows, drawing, drawing->form->key) &&
                           quipu__groups_make(&matrix->columns, drawing, drawing->form->other);
    if (!are_there || (matrix->columns.list.count == 1 && !matrix->columns.list.items[0].key.text[0]))
        return false;
    quipu__groups_order_by_location(&matrix->rows, drawing->definitions);
    quipu__groups_order_by_location(&matrix->columns, drawing->definitions);
    matrix->rows_together = quipu__groups_join(&matrix->rows, most);
    matrix->columns_together = quipu__groups_join(&matrix->columns, most);
    return true;
}

/* For names of columns side by side; else they stand upright. */
static bool has_room(const struct matrix *matrix) {
    return GRID / matrix->grid.columns >= 90;
}

static bool matrix_init(struct matrix *matrix, const struct quipu__drawing *drawing) {
    const struct quipu_table *table = drawing->table;
    *matrix = (struct matrix){.rows.memory = drawing->out->memory, .columns.memory = drawing->out->memory};
    quipu__map_init(&matrix->columns.map, drawing->out->memory);
    quipu__arena_init(&matrix->columns.texts, drawing->out->memory);
    if (!group_both(matrix, drawing))
        return false;
    matrix->value_column = matrix->rows.values.columns[0];
    matrix->grid = (struct grid){drawing, matrix->rows.list.count, matrix->columns.list.count, 0, 0};
    matrix->grid.top = has_room(matrix) ? 24 : 90;
    matrix->grid.height = fmax(2, fmin(28, SQUARES / (double)matrix->grid.rows));
    matrix->amount_count = matrix->grid.rows * matrix->grid.columns;
    matrix->amounts = quipu__alloc_zero(drawing->out->memory, matrix->amount_count * sizeof *matrix->amounts);
    for (size_t row = 0; matrix->amounts && row < quipu_table_row_count(table); row++)
        add_amount(matrix, table, row);
    if (matrix->amounts)
        find_range(matrix);
    return matrix->most > 0;
}

/* Levels of equal ratio, as many as there are colours; 0: nothing. */
static uint8_t level_of(const struct matrix *matrix, int64_t amount) {
    if (amount <= 0)
        return 0;
    const double range = log2((double)matrix->most / (double)matrix->least);
    const double share = range > 0 ? log2((double)amount / (double)matrix->least) / range : 1;
    return (uint8_t)fmin(1 + floor(share * LEVELS), LEVELS);
}

/* Numbers in the cells, where there is room. */
static void put_numbers(const struct matrix *matrix, size_t row) {
    const struct grid *grid = &matrix->grid;
    const double width = (double)GRID / (double)grid->columns;
    const struct quipu_table_column *column = quipu__value_column(grid->drawing, &matrix->rows.values, 0);
    char text[QUIPU__AMOUNT_BYTES];
    for (size_t i = 0; width >= 64 && grid->height >= 18 && i < grid->columns; i++) {
        const int64_t amount = matrix->amounts[row * grid->columns + i];
        if (amount > 0)
            quipu__svg_text(grid->drawing, NAMES + ((double)i + 0.5) * width,
                            row_y(grid, row) + grid->height / 2 + 4,
                            level_of(matrix, amount) > 3 ? "middle on-dark" : "middle on-light",
                            quipu__amount_text((double)amount, column->unit, text), 0);
    }
}

static void put_matrix_row(const struct matrix *matrix, size_t row, uint8_t *of) {
    const struct quipu__drawing *drawing = matrix->grid.drawing;
    char class[QUIPU__COLOUR_BYTES];
    begin_row(&matrix->grid, &matrix->rows.list.items[row]);
    quipu__put_text(drawing->out, " data-values=\"");
    for (size_t i = 0; i < matrix->grid.columns; i++) {
        const int64_t amount = matrix->amounts[row * matrix->grid.columns + i];
        of[i] = level_of(matrix, amount);
        quipu__put_text(drawing->out, i > 0 ? " " : "");
        quipu__put_i64(drawing->out, amount);
    }
    quipu__put_text(drawing->out, "\">");
    for (uint8_t level = 1; level <= LEVELS; level++) {
        snprintf(class, sizeof class, "level-%d", level);
        put_cells(&matrix->grid, row, of, level, class);
    }
    put_numbers(matrix, row);
    quipu__put_text(drawing->out, "</g>\n");
}

/* The names of columns, upright, and as data for whoever points at a cell. */
static void put_column_names(const struct matrix *matrix) {
    const struct quipu__drawing *drawing = matrix->grid.drawing;
    const double width = (double)GRID / (double)matrix->grid.columns;
    const size_t every = 1 + (size_t)(14 / width);
    const bool is_wide = has_room(matrix);
    enum { COLUMNS = 12 };
    char label[QUIPU__LABEL_BYTES], end[QUIPU__LABEL_BYTES];
    for (size_t i = 0; i < matrix->grid.columns; i++) {
        const double x = NAMES + ((double)i + 0.5) * width;
        quipu__put_text(drawing->out, "<g class=\"column\"");
        quipu__svg_attribute(drawing, "data-key", matrix->columns.list.items[i].key.text);
        quipu__put_format(drawing->out, " transform=\"translate(%.1f %.1f) rotate(%d)\">",
                          x + (is_wide ? 0 : 4), matrix->grid.top - 7, is_wide ? 0 : -60);
        if (i % every == 0)
            quipu__svg_text(drawing, 0, 0, is_wide ? "middle" : "",
                            quipu__label_end(drawing,
                                             quipu__group_label(drawing, &matrix->columns.list.items[i], label),
                                             COLUMNS, end),
                            COLUMNS);
        quipu__put_text(drawing->out, "</g>\n");
    }
}

/* Where cells differ. */
static void put_scale(const struct matrix *matrix, double y) {
    const struct quipu__drawing *drawing = matrix->grid.drawing;
    const struct quipu_table_column *column = quipu__value_column(drawing, &matrix->rows.values, 0);
    char text[QUIPU__AMOUNT_BYTES];
    if (matrix->least == matrix->most)
        return;
    quipu__svg_text(drawing, NAMES + 46, y + 11, "soft end",
                    quipu__amount_text((double)matrix->least, column->unit, text), 0);
    for (int level = 1; level <= LEVELS; level++)
        quipu__put_format(drawing->out,
                          "<rect class=\"level-%d\" x=\"%d\" y=\"%.0f\" width=\"30\" height=\"12\"/>\n", level,
                          NAMES + 24 + 30 * level, y);
    quipu__svg_text(drawing, NAMES + 24 + 30 * (LEVELS + 1) + 8, y + 11, "soft",
                    quipu__amount_text((double)matrix->most, column->unit, text), 0);
}

static void put_matrix(const struct matrix *matrix, uint8_t *of) {
    const struct quipu__drawing *drawing = matrix->grid.drawing;
    const double height = matrix->grid.height * (double)matrix->grid.rows;
    char description[160];
    snprintf(description, sizeof description,
             "%zu rows, %zu columns; darker cells are larger, on a logarithmic scale.", matrix->grid.rows,
             matrix->grid.columns);
    quipu__svg_begin(drawing, matrix->grid.top + height + (matrix->least == matrix->most ? 4 : 30),
                     description);
    put_row_names(&matrix->grid, &matrix->rows);
    put_column_names(matrix);
    quipu__put_format(drawing->out,
                      "<rect class=\"track\" x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%.1f\"/>\n", NAMES,
                      matrix->grid.top, GRID, height);
    quipu__put_format(drawing->out, "<g class=\"cells\" data-column=\"%s\" data-x=\"%d\" data-width=\"%d\">\n",
                      quipu__value_column(drawing, &matrix->rows.values, 0)->name, NAMES, GRID);
    for (size_t row = 0; row < matrix->grid.rows; row++)
        put_matrix_row(matrix, row, of);
    quipu__put_text(drawing->out, "</g>\n");
    put_scale(matrix, matrix->grid.top + height + 12);
    quipu__svg_end(drawing);
}

bool quipu__draw_matrix(const struct quipu__drawing *drawing) {
    struct matrix matrix;
    const bool is_there = matrix_init(&matrix, drawing);
    uint8_t *of = is_there ? quipu__alloc_zero(drawing->out->memory, matrix.grid.columns) : NULL;
    if (of)
        put_matrix(&matrix, of);
    quipu__release(drawing->out->memory, of, matrix.grid.columns);
    quipu__release(drawing->out->memory, matrix.amounts, matrix.amount_count * sizeof *matrix.amounts);
    quipu__groups_release(&matrix.rows);
    quipu__groups_release(&matrix.columns);
    return of != NULL;
}
