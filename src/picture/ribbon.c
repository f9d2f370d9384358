/* ribbon.c: intervals that follow each other, each at a location: the critical path. */
#include "picture/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A path with more segments is sampled: a point of its width shows the segment at the middle of its time. */
enum { ROWS_MOST = 32, ROWS_HEIGHT = 320, NAMES = 160, PATH = 780, SEGMENTS_MOST = 1500 };

struct ribbon {
    const struct quipu__drawing *drawing;
    struct quipu__groups locations;
    size_t from_column, to_column, region_column, time_column;
    size_t together;
    double from, to, row_height;
};

static double ribbon_x(const struct ribbon *ribbon, size_t row, size_t column) {
    const double time = quipu__amount_at(ribbon->drawing->table, row, column).real;
    return NAMES + (time - ribbon->from) / (ribbon->to - ribbon->from) * PATH;
}

/* The line of a segment's location, among those that are put together. */
static size_t line_of(const struct ribbon *ribbon, size_t row) {
    return quipu__groups_of_row(&ribbon->locations, ribbon->drawing->table, row) / ribbon->together;
}

static double middle_of(const struct ribbon *ribbon, size_t row, double top) {
    return top + ((double)line_of(ribbon, row) + 0.5) * ribbon->row_height;
}

/* What is drawn as one: a segment, or neighbouring points of a sample. */
struct part {
    size_t row;
    double x, end;
    bool is_whole;
};

static void put_segment(const struct ribbon *ribbon, const struct part *part, double top) {
    const size_t row = part->row;
    const struct quipu__drawing *drawing = ribbon->drawing;
    const struct quipu_table *table = drawing->table;
    const double height = fmin(ribbon->row_height * 0.62, 18);
    const double y = middle_of(ribbon, row, top) - height / 2;
    char text[QUIPU__AMOUNT_BYTES], number[QUIPU__KEY_BYTES], class[QUIPU__COLOUR_BYTES];
    const char *location =
        ribbon->locations.keys.items[quipu__groups_of_row(&ribbon->locations, table, row)].text;
    struct quipu__figure_form by_region = *drawing->form;
    struct quipu__drawing coloured = *drawing;
    const char *region = quipu__key_text(table, row, ribbon->region_column, number);
    by_region.key = "region";
    coloured.form = &by_region;
    quipu__put_format(drawing->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                      quipu__value_class(&coloured, &ribbon->locations.values, 0, region, class), part->x, y,
                      fmax(part->end - part->x, 0.5), height);
    const struct quipu__amount time = quipu__amount_at(table, row, ribbon->time_column);
    if (part->is_whole) {
        quipu__svg_attribute(drawing, "data-key", location);
        quipu__put_text(drawing->out, " data-column=\"duration_ns\" data-value=\"");
        quipu__put_amount(drawing->out, quipu_table_column_at(table, ribbon->time_column), &time);
        quipu__put_text(drawing->out, "\"");
    }
    quipu__put_text(drawing->out, "><title>");
    quipu__put_markup(drawing->out, drawing->hidden, location, 100);
    quipu__put_text(drawing->out, ", ");
    quipu__put_markup(drawing->out, drawing->hidden, region[0] ? region : "outside of any region", 100);
    quipu__put_format(drawing->out, ": %s</title></rect>\n", quipu__amount_text(time.real, "ns", text));
}

static void put_part(const struct ribbon *ribbon, const struct part *before, const struct part *part,
                     double top) {
    const double from = middle_of(ribbon, before->row, top), to = middle_of(ribbon, part->row, top);
    if (from != to)
        quipu__svg_line(ribbon->drawing, "crossing", part->x, from, part->x, to);
    put_segment(ribbon, part, top);
}

static void put_all(const struct ribbon *ribbon, double top) {
    struct part before = {0};
    for (size_t row = 0; row < quipu_table_row_count(ribbon->drawing->table); row++) {
        const struct part part = {row, ribbon_x(ribbon, row, ribbon->from_column),
                                  ribbon_x(ribbon, row, ribbon->to_column), true};
        put_part(ribbon, row > 0 ? &before : &part, &part, top);
        before = part;
    }
}

static void put_sample(const struct ribbon *ribbon, double top) {
    const size_t rows = quipu_table_row_count(ribbon->drawing->table);
    struct part before = {0}, part = {0, NAMES, NAMES, false};
    for (int point = 0; point < PATH; point++) {
        size_t row = part.row;
        while (row + 1 < rows && ribbon_x(ribbon, row, ribbon->to_column) <= NAMES + point + 0.5)
            row++;
        if (row != part.row) {
            put_part(ribbon, part.x > NAMES ? &before : &part, &part, top);
            before = part;
            part = (struct part){row, NAMES + point, 0, false};
        }
        part.end = NAMES + point + 1;
    }
    put_part(ribbon, part.x > NAMES ? &before : &part, &part, top);
}

static void put_ribbon(const struct ribbon *ribbon, double top) {
    char label[QUIPU__LABEL_BYTES];
    for (size_t i = 0; i < ribbon->locations.list.count; i++) {
        const double y = top + ((double)i + 0.5) * ribbon->row_height;
        quipu__svg_line(ribbon->drawing, "grid", NAMES, y, NAMES + PATH, y);
        quipu__svg_text(ribbon->drawing, NAMES - 10, y + 4, "end",
                        quipu__group_label(ribbon->drawing, &ribbon->locations.list.items[i], label), 18);
    }
    if (quipu_table_row_count(ribbon->drawing->table) > SEGMENTS_MOST)
        put_sample(ribbon, top);
    else
        put_all(ribbon, top);
}

static bool ribbon_init(struct ribbon *ribbon, const struct quipu__drawing *drawing) {
    const struct quipu_table *table = drawing->table;
    const size_t rows = quipu_table_row_count(table);
    *ribbon = (struct ribbon){.drawing = drawing,
                              .from_column = quipu_table_column_find(table, "from_ns"),
                              .to_column = quipu_table_column_find(table, "to_ns"),
                              .region_column = quipu_table_column_find(table, "region"),
                              .time_column = quipu_table_column_find(table, drawing->form->values)};
    if (!quipu__groups_make(&ribbon->locations, drawing, drawing->form->key))
        return false;
    quipu__groups_order_by_location(&ribbon->locations, drawing->definitions);
    ribbon->from = quipu__amount_at(table, 0, ribbon->from_column).real;
    ribbon->to = quipu__amount_at(table, rows - 1, ribbon->to_column).real;
    return ribbon->to > ribbon->from;
}

bool quipu__draw_ribbon(const struct quipu__drawing *drawing) {
    struct ribbon ribbon;
    const bool is_there = ribbon_init(&ribbon, drawing);
    char description[128];
    if (is_there) {
        const size_t locations = ribbon.locations.list.count;
        ribbon.together = quipu__groups_join(&ribbon.locations, ROWS_MOST);
        const double lines = (double)ribbon.locations.list.count;
        ribbon.row_height = fmin(30, ROWS_HEIGHT / lines);
        const double height = lines * ribbon.row_height;
        snprintf(description, sizeof description, "The path has %zu segments at %zu locations.",
                 quipu_table_row_count(drawing->table), locations);
        quipu__svg_begin(drawing, height + 30, description);
        const struct quipu__axis axis = quipu__axis_of(ribbon.to - ribbon.from, "ns", 8);
        quipu__svg_axis_below(drawing, &axis, ribbon.from, ribbon.to, (double[]){NAMES, 4, PATH, height});
        put_ribbon(&ribbon, 4);
        quipu__svg_end(drawing);
    }
    quipu__groups_release(&ribbon.locations);
    return is_there;
}
