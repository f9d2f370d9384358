/* svg.c: see svg.h. */
#include "picture/svg.h"

#include "picture/assets.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The frame ---- */

/* The colour that figure.css gives a name in light. */
static void put_light(struct quipu__buffer *out, const char *css, const char *name, size_t len) {
    char declaration[64];
    const int size = snprintf(declaration, sizeof declaration, "--%.*s: var(--light, ", (int)len, name);
    const char *found = strstr(css, declaration);
    if (found)
        quipu__put(out, found + size, strcspn(found + size, ")"));
}

void quipu__svg_put_file_style(struct quipu__buffer *out) {
    static const char use[] = "var(--";
    const char *css = (const char *)quipu__asset(QUIPU__ASSET_figure).at, *next;
    const char *at = strstr(css, "svg.figure {");
    for (; (next = strstr(at, use)) != NULL; at = next + strcspn(next, ")") + 1) {
        const char *name = next + strlen(use);
        quipu__put(out, at, (size_t)(next - at));
        put_light(out, css, name, strcspn(name, ")"));
    }
    quipu__put_text(out, at);
}

void quipu__svg_begin(const struct quipu__drawing *drawing, double height, const char *description) {
    struct quipu__buffer *out = drawing->out;
    const char *name = drawing->form->name;
    quipu__put_format(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 %d %.0f\" role=\"img\" ",
        QUIPU__FIGURE_WIDTH, height);
    quipu__put_format(out, "data-by=\"%s\" data-other=\"%s\" data-where=\"%s\" ", drawing->form->key,
                      drawing->form->other, drawing->form->condition);
    if (drawing->is_file)
        quipu__put_format(out, "width=\"%d\" height=\"%.0f\" ", QUIPU__FIGURE_WIDTH, height);
    quipu__put_format(out, "aria-label=\"%s\" aria-describedby=\"%s-desc\"><desc id=\"%s-desc\">",
                      drawing->form->title, name, name);
    quipu__put_markup(out, drawing->hidden, description, 0);
    quipu__put_text(out, "</desc>\n");
    if (!drawing->is_file)
        return;
    quipu__put_format(out, "<title>%s</title><style>", drawing->form->title);
    quipu__svg_put_file_style(out);
    quipu__put_format(out, "</style><rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n",
                      QUIPU__FIGURE_WIDTH, height);
}

/* ---- Text and lines ---- */

void quipu__svg_text(const struct quipu__drawing *drawing, double x, double y, const char *classes,
                     const char *text, size_t columns) {
    quipu__put_format(drawing->out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    if (classes[0])
        quipu__put_format(drawing->out, " class=\"%s\"", classes);
    quipu__put_text(drawing->out, ">");
    quipu__put_markup(drawing->out, drawing->hidden, text, columns);
    quipu__put_text(drawing->out, "</text>\n");
}

void quipu__svg_attribute(const struct quipu__drawing *drawing, const char *name, const char *text) {
    quipu__put_format(drawing->out, " %s=\"", name);
    quipu__put_markup(drawing->out, drawing->hidden, text, 0);
    quipu__put_text(drawing->out, "\"");
}

/* ---- Names ---- */

const char *quipu__column_text(const struct quipu_table_column *column, char text[QUIPU__COLUMN_BYTES]) {
    static const char *const units[] = {"_ns", "_percent"};
    snprintf(text, QUIPU__COLUMN_BYTES, "%s", column->name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t len = strlen(text), unit = strlen(units[i]);
        if (len > unit && strcmp(text + len - unit, units[i]) == 0)
            text[len - unit] = '\0';
    }
    for (char *at = text; *at; at++)
        if (*at == '_')
            *at = ' ';
    if (strncmp(text, "mpi ", 4) == 0)
        memcpy(text, "MPI", 3);
    if (strcmp(text, "io") == 0)
        memcpy(text, "I/O", 4);
    return text;
}

/* What the last name of a range has that the first one has not: "rank 0 … 11". */
static const char *end_of_range(const char *first, const char *last) {
    size_t same = 0;
    while (first[same] && first[same] == last[same])
        same++;
    while (same > 0 && isdigit((unsigned char)last[same - 1]))
        same--;
    return isdigit((unsigned char)first[same]) && isdigit((unsigned char)last[same]) ? last + same : last;
}

const char *quipu__group_label(const struct quipu__drawing *drawing, const struct quipu__group *group,
                               char text[QUIPU__LABEL_BYTES]) {
    const char *nothing = strcmp(drawing->form->key, "region") == 0 ? "outside of any region" : "(none)";
    if (group->key_count > 1 && !group->key.text[0])
        snprintf(text, QUIPU__LABEL_BYTES, "%zu others", group->key_count);
    else if (group->last)
        snprintf(text, QUIPU__LABEL_BYTES, "%.240s … %s", group->key.text,
                 end_of_range(group->key.text, group->last));
    else
        snprintf(text, QUIPU__LABEL_BYTES, "%s", group->key.text[0] ? group->key.text : nothing);
    return text;
}

/* ---- Colours ---- */

/* Columns that have a colour of their own; others are numbered. */
static const struct {
    const char *column, *class;
} classes[] = {{"useful_ns", "useful-0"}, {"mpi_p2p_ns", "p2p-0"},       {"mpi_collective_ns", "collective-0"},
               {"mpi_rma_ns", "rma-0"},   {"mpi_other_ns", "runtime-1"}, {"mpi_io_ns", "io-2"},
               {"io_ns", "io-0"},         {"sync_ns", "sync-0"},         {"runtime_ns", "runtime-2"},
               {"idle_ns", "idle-0"},     {"absent_ns", "idle-1"},       {"task_ns", "useful-0"}};

static const char *region_class(const struct quipu__drawing *drawing, const char *key,
                                char text[QUIPU__COLOUR_BYTES]) {
    const struct quipu_regions *regions = &drawing->definitions->regions;
    for (uint32_t i = 0; i < regions->count; i++)
        if (strcmp(regions->items[i].name, key) == 0)
            return quipu__region_colour(regions->items[i].role, key, text);
    return key[0] ? quipu__region_colour(QUIPU_REGION_FUNCTION, key, text) : "idle-2";
}

const char *quipu__value_class(const struct quipu__drawing *drawing, const struct quipu__values *values,
                               size_t value, const char *key, char text[QUIPU__COLOUR_BYTES]) {
    const char *column = quipu__value_column(drawing, values, value)->name;
    if (key && strcmp(drawing->form->key, "region") == 0)
        return region_class(drawing, key, text);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (values->count > 1 && strcmp(classes[i].column, column) == 0)
            return classes[i].class;
    snprintf(text, QUIPU__COLOUR_BYTES, "series-%zu", value % 5);
    return text;
}

/* ---- Marks ---- */

/* What the share of a group is, where the table says so. */
static void put_title(const struct quipu__drawing *drawing, const struct quipu__groups *groups,
                      const struct quipu__group *group, size_t value) {
    const struct quipu_table_column *column = quipu__value_column(drawing, &groups->values, value);
    char label[QUIPU__LABEL_BYTES], amount[QUIPU__AMOUNT_BYTES], name[QUIPU__COLUMN_BYTES];
    quipu__put_text(drawing->out, "<title>");
    quipu__put_markup(drawing->out, drawing->hidden, quipu__group_label(drawing, group, label), 200);
    quipu__put_text(drawing->out, ": ");
    if (groups->values.count > 1)
        quipu__put_format(drawing->out, "%s ", quipu__column_text(column, name));
    quipu__put_text(drawing->out, quipu__amount_text(group->amounts[value].real, column->unit, amount));
    quipu__put_text(drawing->out, "</title>");
}

void quipu__svg_bar(const struct quipu__drawing *drawing, const struct quipu__groups *groups,
                    const struct quipu__group *group, size_t value, const double box[4]) {
    const struct quipu_table_column *column = quipu__value_column(drawing, &groups->values, value);
    char class[QUIPU__COLOUR_BYTES];
    quipu__put_format(drawing->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                      quipu__value_class(drawing, &groups->values, value, group->key.name, class), box[0],
                      box[1], box[2], box[3]);
    quipu__svg_attribute(drawing, "data-key", group->key.text);
    if (group->last)
        quipu__svg_attribute(drawing, "data-last", group->last);
    quipu__put_format(drawing->out, " data-column=\"%s\" data-value=\"", column->name);
    quipu__put_amount(drawing->out, column, &group->amounts[value]);
    quipu__put_text(drawing->out, "\">");
    put_title(drawing, groups, group, value);
    quipu__put_text(drawing->out, "</rect>\n");
}

/* ---- Axes ---- */

void quipu__svg_axis_below(const struct quipu__drawing *drawing, const struct quipu__axis *axis, double from,
                           double to, const double box[4]) {
    enum { DIGIT = 7 };
    char text[QUIPU__AMOUNT_BYTES];
    const double length = to > from ? to - from : 1;
    const double first = ceil(from / axis->step) * axis->step;
    for (double i = 0; i <= length / axis->step && first + i * axis->step <= to; i++) {
        const double tick =
            first + i * axis->step; /* a sum of steps need not go on: doubles far out lie apart */
        const double x = box[0] + (tick - from) / length * box[2];
        quipu__axis_text(axis, tick, text);
        const bool has_room = x + (double)(strlen(text) * DIGIT) / 2 < QUIPU__FIGURE_WIDTH;
        quipu__svg_line(drawing, "grid", x, box[1], x, box[1] + box[3]);
        quipu__svg_text(drawing, has_room ? x : QUIPU__FIGURE_WIDTH, box[1] + box[3] + 16,
                        has_room ? "soft middle" : "soft end", text, 0);
    }
}

void quipu__svg_axis_left(const struct quipu__drawing *drawing, const struct quipu__axis *axis,
                          const double box[4]) {
    char text[QUIPU__AMOUNT_BYTES];
    for (double tick = 0; tick <= axis->end * 1.0001; tick += axis->step) {
        const double y = box[1] + box[3] - tick / axis->end * box[3];
        quipu__svg_line(drawing, "grid", box[0], y, box[0] + box[2], y);
        quipu__svg_text(drawing, box[0] - 8, y + 4, "soft end", quipu__axis_text(axis, tick, text), 0);
    }
}

/* ---- Legend ---- */

void quipu__svg_legend(const struct quipu__drawing *drawing, const struct quipu__values *values,
                       const bool *are_there) {
    char name[QUIPU__COLUMN_BYTES], class[QUIPU__COLOUR_BYTES];
    double x = 0;
    for (size_t i = 0; i < values->count; i++) {
        if (!are_there[i])
            continue;
        quipu__column_text(quipu__value_column(drawing, values, i), name);
        quipu__put_format(drawing->out,
                          "<rect class=\"%s\" x=\"%.0f\" y=\"3\" width=\"12\" height=\"12\" rx=\"2\"/>",
                          quipu__value_class(drawing, values, i, NULL, class), x);
        quipu__svg_text(drawing, x + 17, 13, "", name, 0);
        x += 34 + 6.8 * (double)strlen(name);
    }
}
