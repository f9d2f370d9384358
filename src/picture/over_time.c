/* over_time.c: stacked areas, lines, and bands of different scales, over time or over runs. */
#include "picture/svg.h"

#include "core/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 80, PLOT = 860, HEIGHT = 220 };

/* Points of lines and bins of areas; beyond that neighbours are put together. */
enum { POINTS_MOST = 800 };

/* A table whose rows are parts of time. */
struct parts {
    const struct quipu__drawing *drawing;
    struct quipu__values values;
    size_t from_column, to_column, rows;
    bool are_named;  /* they are no times, but have names: one stands beside the other */
    size_t together; /* rows that become one point */
    double from, to;
    bool are_there[QUIPU__VALUES_MOST];
};

static double number_at(const struct parts *parts, size_t row, size_t column) {
    return quipu__amount_at(parts->drawing->table, row, column).real;
}

static double begin_of(const struct parts *parts, size_t row) {
    return parts->are_named ? (double)row : number_at(parts, row, parts->from_column);
}

/* The end of a part: where the table has none, its beginning. */
static double end_of(const struct parts *parts, size_t row) {
    if (parts->are_named)
        return (double)row + 1;
    const size_t column = parts->to_column == SIZE_MAX ? parts->from_column : parts->to_column;
    const double end = number_at(parts, row, column);
    const bool is_length = strcmp(parts->drawing->form->other, "length_ns") == 0;
    return is_length ? begin_of(parts, row) + end : end;
}

/* False when there is nothing to draw. */
static bool parts_init(struct parts *parts, const struct quipu__drawing *drawing) {
    const struct quipu_table *table = drawing->table;
    bool is_there = false;
    *parts = (struct parts){.drawing = drawing,
                            .values = quipu__values_of(drawing),
                            .from_column = quipu_table_column_find(table, drawing->form->key),
                            .to_column = quipu_table_column_find(table, drawing->form->other),
                            .rows = quipu_table_row_count(table)};
    parts->together = 1 + (parts->rows - (parts->rows > 0)) / POINTS_MOST;
    if (parts->from_column == SIZE_MAX || parts->rows == 0)
        return false;
    parts->are_named = quipu_table_column_at(table, parts->from_column)->type == QUIPU_TYPE_TEXT;
    parts->from = begin_of(parts, 0);
    for (size_t row = 0; row < parts->rows; row++) {
        const double from = begin_of(parts, row), to = end_of(parts, row);
        parts->from = from < parts->from ? from : parts->from;
        parts->to = row == 0 || to > parts->to ? to : parts->to;
        for (size_t i = 0; i < parts->values.count; i++)
            parts->are_there[i] |= number_at(parts, row, parts->values.columns[i]) > 0;
    }
    for (size_t i = 0; i < parts->values.count; i++)
        is_there |= parts->are_there[i];
    return is_there && parts->to > parts->from;
}

static double x_of(const struct parts *parts, double time) {
    return LEFT + (time - parts->from) / (parts->to - parts->from) * PLOT;
}

/* The names below their places, as many as there is room for. */
static void put_names(const struct parts *parts, double y) {
    enum { NAME = 150, COLUMNS = 22 };
    const size_t every = 1 + parts->rows * NAME / PLOT;
    char number[QUIPU__KEY_BYTES], end[QUIPU__LABEL_BYTES];
    for (size_t row = 0; row < parts->rows; row += every) {
        const char *name = quipu__key_text(parts->drawing->table, row, parts->from_column, number);
        quipu__svg_text(parts->drawing, x_of(parts, (double)row + 0.5), y, "soft middle",
                        quipu__label_end(parts->drawing, name, COLUMNS, end), COLUMNS);
    }
}

static void put_time_axis(const struct parts *parts, double top, double height) {
    if (parts->are_named) {
        put_names(parts, top + height + 17);
        return;
    }
    const struct quipu__axis axis = quipu__axis_of(parts->to - parts->from, "ns", 8);
    quipu__svg_axis_below(parts->drawing, &axis, parts->from, parts->to, (double[]){LEFT, top, PLOT, height});
}

/* Where a series lies in time, and its numbers one by one. */
static void put_numbers(const struct parts *parts, size_t value) {
    const struct quipu_table_column *column = quipu__value_column(parts->drawing, &parts->values, value);
    struct quipu__buffer *out = parts->drawing->out;
    quipu__put_format(out, " data-column=\"%s\"", column->name);
    if (parts->together > 1)
        return;
    quipu__put_text(out, " data-values=\"");
    for (size_t row = 0; row < parts->rows; row++) {
        const struct quipu__amount amount =
            quipu__amount_at(parts->drawing->table, row, parts->values.columns[value]);
        if (row > 0)
            quipu__put_text(out, " ");
        quipu__put_amount(out, column, &amount);
    }
    quipu__put_text(out, "\"");
}

static void put_name(const struct parts *parts, size_t value) {
    char name[QUIPU__COLUMN_BYTES];
    quipu__put_format(parts->drawing->out, "><title>%s</title></path>\n",
                      quipu__column_text(quipu__value_column(parts->drawing, &parts->values, value), name));
}

/* ---- Areas ---- */

/* How many locations do so on average: the time of all in a part by its length, of the values before one. */
static double height_below(const struct parts *parts, size_t row, size_t value) {
    const double length = end_of(parts, row) - begin_of(parts, row);
    double total = 0;
    for (size_t i = 0; i < value; i++)
        total += number_at(parts, row, parts->values.columns[i]);
    return length > 0 ? total / length : 0;
}

/* The upper edge in the order of time, then the lower one back. */
static void put_area(const struct parts *parts, size_t value, double bottom, double per_location) {
    struct quipu__buffer *out = parts->drawing->out;
    char class[QUIPU__COLOUR_BYTES];
    quipu__put_format(out, "<path class=\"%s\" d=\"M%.1f %.1f",
                      quipu__value_class(parts->drawing, &parts->values, value, NULL, class),
                      x_of(parts, begin_of(parts, 0)), bottom - height_below(parts, 0, value) * per_location);
    for (size_t row = 0; row < parts->rows; row++)
        quipu__put_format(out, "V%.1fH%.1f", bottom - height_below(parts, row, value + 1) * per_location,
                          x_of(parts, end_of(parts, row)));
    for (size_t row = parts->rows; row-- > 0;)
        quipu__put_format(out, "V%.1fH%.1f", bottom - height_below(parts, row, value) * per_location,
                          x_of(parts, begin_of(parts, row)));
    quipu__put_text(out, "Z\"");
    put_numbers(parts, value);
    put_name(parts, value);
}

bool quipu__draw_areas(const struct quipu__drawing *drawing) {
    struct parts parts;
    double most = 0;
    if (!parts_init(&parts, drawing) || parts.together > 1)
        return false;
    for (size_t row = 0; row < parts.rows; row++)
        most = fmax(most, height_below(&parts, row, parts.values.count));
    struct quipu__axis axis = quipu__axis_of(most, "", most < 4 ? 2 : 4);
    const double top = QUIPU__LEGEND_HEIGHT + 6;
    axis.end = most > 0 ? most : 1;
    quipu__svg_begin(drawing, top + HEIGHT + 26, "Stacked areas over time: how many locations do what.");
    quipu__svg_legend(drawing, &parts.values, parts.are_there);
    for (size_t i = 0; i < parts.values.count; i++)
        if (parts.are_there[i])
            put_area(&parts, i, top + HEIGHT, HEIGHT / axis.end);
    quipu__svg_axis_left(drawing, &axis, (double[]){LEFT, top, PLOT, HEIGHT});
    put_time_axis(&parts, top, HEIGHT);
    quipu__svg_end(drawing);
    return true;
}

/* ---- Lines ---- */

static double largest_number(const struct parts *parts) {
    double most = 0;
    for (size_t row = 0; row < parts->rows; row++)
        for (size_t i = 0; i < parts->values.count; i++)
            most = fmax(most, number_at(parts, row, parts->values.columns[i]));
    return most;
}

/* The largest one of those that become a point. */
static double point_of(const struct parts *parts, size_t row, size_t value) {
    double most = 0;
    for (size_t i = row; i < parts->rows && i < row + parts->together; i++)
        most = fmax(most, number_at(parts, i, parts->values.columns[value]));
    return most;
}

static void put_line(const struct parts *parts, size_t value, double bottom, double per_unit) {
    struct quipu__buffer *out = parts->drawing->out;
    char class[QUIPU__COLOUR_BYTES];
    quipu__put_format(out, "<path class=\"curve line-%s\" d=\"",
                      quipu__value_class(parts->drawing, &parts->values, value, NULL, class));
    for (size_t row = 0; row < parts->rows; row += parts->together)
        quipu__put_format(out, "%c%.1f %.1f", row == 0 ? 'M' : 'L',
                          x_of(parts, (begin_of(parts, row) + end_of(parts, row)) / 2),
                          bottom - point_of(parts, row, value) * per_unit);
    quipu__put_text(out, "\"");
    put_numbers(parts, value);
    put_name(parts, value);
}

bool quipu__draw_lines(const struct quipu__drawing *drawing) {
    struct parts parts;
    if (!parts_init(&parts, drawing))
        return false;
    const struct quipu_table_column *column = quipu__value_column(drawing, &parts.values, 0);
    const struct quipu__axis axis = quipu__axis_of(largest_number(&parts), column->unit, 4);
    const double top = QUIPU__LEGEND_HEIGHT + 6;
    quipu__svg_begin(drawing, top + HEIGHT + 26, parts.are_named ? "Lines over the runs." : "Lines over time.");
    quipu__svg_legend(drawing, &parts.values, parts.are_there);
    quipu__svg_axis_left(drawing, &axis, (double[]){LEFT, top, PLOT, HEIGHT});
    put_time_axis(&parts, top, HEIGHT);
    for (size_t i = 0; i < parts.values.count; i++)
        if (parts.are_there[i])
            put_line(&parts, i, top + HEIGHT, HEIGHT / axis.end);
    quipu__svg_end(drawing);
    return true;
}

/* ---- Bands ---- */

enum { BANDS_MOST = 24, BAND = 56, BAND_GAP = 10, BAND_LEFT = 200, BAND_PLOT = 740 };

/* A table with a row for each key and part of time; parts without a row are 0. */
struct bands {
    const struct quipu__drawing *drawing;
    struct quipu__groups groups;
    size_t from_column, to_column, value_column;
    double from, to;
};

static double band_x(const struct bands *bands, size_t row, size_t column) {
    const double time = quipu__amount_at(bands->drawing->table, row, column).real;
    return BAND_LEFT + (time - bands->from) / (bands->to - bands->from) * BAND_PLOT;
}

static bool is_in_band(const struct bands *bands, size_t row, size_t band) {
    return quipu__groups_of_row(&bands->groups, bands->drawing->table, row) == band;
}

static double largest_in_band(const struct bands *bands, size_t band) {
    double most = 0;
    for (size_t row = 0; row < quipu_table_row_count(bands->drawing->table); row++)
        if (is_in_band(bands, row, band))
            most = fmax(most, quipu__amount_at(bands->drawing->table, row, bands->value_column).real);
    return most;
}

/* Three digits: counters of a processor count to billions. */
static void put_rate(double rate, char *text, size_t size) {
    static const struct {
        double size;
        const char *letter;
    } scales[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {0, ""}};
    size_t scale = 0;
    while (rate < scales[scale].size)
        scale++;
    quipu__print(text, size, "up to %.3g%s per second", rate / fmax(scales[scale].size, 1),
                 scales[scale].letter);
}

static void put_band(const struct bands *bands, size_t band, double bottom) {
    const struct quipu__drawing *drawing = bands->drawing;
    const struct quipu_table *table = drawing->table;
    const struct quipu__group *group = &bands->groups.list.items[band];
    const struct quipu_table_column *column = quipu_table_column_at(table, bands->value_column);
    const double most = largest_in_band(bands, band);
    char text[48];
    quipu__svg_text(drawing, BAND_LEFT - 10, bottom - BAND / 2.0, "end", group->key.text, 26);
    put_rate(most, text, sizeof text);
    quipu__svg_text(drawing, BAND_LEFT - 10, bottom - BAND / 2.0 + 16, "soft end", text, 0);
    quipu__svg_line(drawing, "grid", BAND_LEFT, bottom, BAND_LEFT + BAND_PLOT, bottom);
    quipu__put_format(drawing->out, "<path class=\"series-%zu\" d=\"", band % 5);
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const double value = quipu__amount_at(table, row, bands->value_column).real;
        if (value > 0 && is_in_band(bands, row, band))
            quipu__put_format(drawing->out, "M%.1f %.1fV%.1fH%.1fV%.1fz",
                              band_x(bands, row, bands->from_column), bottom, bottom - value / most * BAND,
                              band_x(bands, row, bands->to_column), bottom);
    }
    quipu__put_text(drawing->out, "\"");
    quipu__svg_attribute(drawing, "data-key", group->key.text);
    quipu__put_format(drawing->out, " data-column=\"%s\" data-value=\"", column->name);
    quipu__put_amount(drawing->out, column, &group->amounts[0]);
    quipu__put_text(drawing->out, "\"><title>");
    quipu__put_markup(drawing->out, drawing->hidden, group->key.text, 100);
    quipu__put_format(drawing->out, " %s</title></path>\n", text);
}

static bool bands_init(struct bands *bands, const struct quipu__drawing *drawing) {
    const struct quipu_table *table = drawing->table;
    *bands = (struct bands){.drawing = drawing,
                            .from_column = quipu_table_column_find(table, "from_ns"),
                            .to_column = quipu_table_column_find(table, "to_ns"),
                            .value_column = quipu_table_column_find(table, drawing->form->values)};
    if (!quipu__groups_make(&bands->groups, drawing, drawing->form->key))
        return false;
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const double from = quipu__amount_at(table, row, bands->from_column).real,
                     to = quipu__amount_at(table, row, bands->to_column).real;
        bands->from = row == 0 ? from : fmin(bands->from, from);
        bands->to = row == 0 ? to : fmax(bands->to, to);
    }
    return bands->to > bands->from;
}

bool quipu__draw_bands(const struct quipu__drawing *drawing) {
    struct bands bands;
    const bool is_there = bands_init(&bands, drawing);
    char description[96];
    if (is_there) {
        const size_t count = bands.groups.list.count < BANDS_MOST ? bands.groups.list.count : BANDS_MOST;
        const double height = (double)(count * (BAND + BAND_GAP));
        const struct quipu__axis axis = quipu__axis_of(bands.to - bands.from, "ns", 8);
        snprintf(description, sizeof description, "%zu bands over time, each with a scale of its own.", count);
        quipu__svg_begin(drawing, height + 30, description);
        quipu__svg_axis_below(drawing, &axis, bands.from, bands.to,
                              (double[]){BAND_LEFT, 4, BAND_PLOT, height});
        for (size_t band = 0; band < count; band++)
            put_band(&bands, band, 4 + (double)((band + 1) * (BAND + BAND_GAP)));
        quipu__svg_end(drawing);
    }
    quipu__groups_release(&bands.groups);
    return is_there;
}
