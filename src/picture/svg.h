/* svg.h: what all shapes are drawn with. A figure is 960 units wide; a page scales it. */
#ifndef QUIPU_PICTURE_SVG_H
#define QUIPU_PICTURE_SVG_H

#include "picture/groups.h"

#include <stdio.h>
#include <string.h>

enum { QUIPU__FIGURE_WIDTH = 960, QUIPU__LEGEND_HEIGHT = 26, QUIPU__LABEL_COLUMNS = 30 };

/* Begins the figure: its size, title and description, which screen readers read. */
void quipu__svg_begin(const struct quipu__drawing *drawing, double height, const char *description);
static inline void quipu__svg_end(const struct quipu__drawing *drawing) {
    quipu__put_text(drawing->out, "</svg>\n");
}

/* figure.css for a file that stands alone: the marks, with the light colours themselves. */
void quipu__svg_put_file_style(struct quipu__buffer *out);

/* Text at a point. classes: "end" and "middle" say what is at x, "soft" is less important. columns: as in quipu__put_markup. */
void quipu__svg_text(const struct quipu__drawing *drawing, double x, double y, const char *classes,
                     const char *text, size_t columns);
static inline void quipu__svg_line(const struct quipu__drawing *drawing, const char *classes, double x1,
                                   double y1, double x2, double y2) {
    quipu__put_format(drawing->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", classes, x1, y1, x2,
                      y2);
}

/* Writes ' name="text"'. */
void quipu__svg_attribute(const struct quipu__drawing *drawing, const char *name, const char *text);

/* A mark that stands for an amount of a group, with what it says when pointed at. */
void quipu__svg_bar(const struct quipu__drawing *drawing, const struct quipu__groups *groups,
                    const struct quipu__group *group, size_t value, const double box[4]);

/* The numbers of an axis along the lower edge of a box (x, y, width, height), or at its left; lines lead through the box. */
void quipu__svg_axis_below(const struct quipu__drawing *drawing, const struct quipu__axis *axis, double from,
                           double to, const double box[4]);
void quipu__svg_axis_left(const struct quipu__drawing *drawing, const struct quipu__axis *axis,
                          const double box[4]);

/* The colours of the values that are not 0 everywhere, at the top. */
void quipu__svg_legend(const struct quipu__drawing *drawing, const struct quipu__values *values,
                       const bool *are_there);

/* What a column is called in a legend: "MPI p2p" for mpi_p2p_ns. Returns text. */
enum { QUIPU__COLUMN_BYTES = 64 };
const char *quipu__column_text(const struct quipu_table_column *column, char text[QUIPU__COLUMN_BYTES]);

/* The class of a value's colour, or that of a group when the group is a region. */
const char *quipu__value_class(const struct quipu__drawing *drawing, const struct quipu__values *values,
                               size_t value, const char *key, char text[QUIPU__COLOUR_BYTES]);

/* What a group is called: its key, "A … B" or "7 others". Returns text. */
enum { QUIPU__LABEL_BYTES = 512 };
const char *quipu__group_label(const struct quipu__drawing *drawing, const struct quipu__group *group,
                               char text[QUIPU__LABEL_BYTES]);

/* A label; of a path that is longer than so many columns its end, which tells it from others. Names that are hidden are found whole, so they stay. */
static inline const char *quipu__label_end(const struct quipu__drawing *drawing, const char *label,
                                           size_t columns, char text[QUIPU__LABEL_BYTES]) {
    const size_t len = strlen(label);
    if (len <= columns || !strchr(label, '/') || (drawing->hidden && drawing->hidden->count > 0))
        return label;
    const char *end = label + len - (columns - 1);
    while ((*end & 0xc0) == 0x80)
        end++;
    snprintf(text, QUIPU__LABEL_BYTES, "…%s", end);
    return text;
}

/* A finding of why: "others wait for rank 0 in work". Returns text. */
const char *quipu__finding_sentence(const struct quipu_table *table, size_t row, char text[QUIPU__LABEL_BYTES]);

/* ---- Shapes: false when there is nothing to draw ---- */

bool quipu__draw_bars(const struct quipu__drawing *drawing);
bool quipu__draw_meters(const struct quipu__drawing *drawing);
bool quipu__draw_findings(const struct quipu__drawing *drawing);
bool quipu__draw_histogram(const struct quipu__drawing *drawing);
bool quipu__draw_areas(const struct quipu__drawing *drawing);
bool quipu__draw_lines(const struct quipu__drawing *drawing);
bool quipu__draw_bands(const struct quipu__drawing *drawing);
bool quipu__draw_heat(const struct quipu__drawing *drawing);
bool quipu__draw_matrix(const struct quipu__drawing *drawing);
bool quipu__draw_ribbon(const struct quipu__drawing *drawing);

#endif
