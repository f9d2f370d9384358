/* bars.c: bars of keys, of shares, of findings, and histograms. */
#include "picture/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABELS_MOST = 272, AMOUNTS = 104, ROW = 24, BAR = 15, SHOWN = 24, LISTED = 40 };

/* ---- What bars share ---- */

static void find_values(const struct quipu__groups *groups, bool are_there[QUIPU__VALUES_MOST]) {
    for (size_t k = 0; k < groups->values.count; k++) {
        are_there[k] = false;
        for (size_t i = 0; i < groups->list.count; i++)
            are_there[k] |= groups->list.items[i].amounts[k].real > 0;
    }
}

/* The remainder of a list, which has no bar: it would be no measure for the others. */
static bool is_rest(const struct quipu__group *group) {
    return group->key_count > 1 && !group->key.text[0];
}

static double largest_total(const struct quipu__groups *groups) {
    double most = 0;
    for (size_t i = 0; i < groups->list.count; i++)
        if (groups->list.items[i].total.real > most && !is_rest(&groups->list.items[i]))
            most = groups->list.items[i].total.real;
    return most;
}

static const char *unit_of(const struct quipu__drawing *drawing, const struct quipu__groups *groups) {
    return quipu__value_column(drawing, &groups->values, 0)->unit;
}

/* The first three, for those who do not see them. */
static void describe(const struct quipu__drawing *drawing, const struct quipu__groups *groups, char *text,
                     size_t size) {
    char label[QUIPU__LABEL_BYTES], amount[QUIPU__AMOUNT_BYTES];
    size_t len = (size_t)snprintf(text, size, "%zu bars. ", groups->list.count);
    for (size_t i = 0; i < groups->list.count && i < 3 && len < size; i++)
        len += (size_t)snprintf(
            text + len, size - len, "%.60s: %s. ", quipu__group_label(drawing, &groups->list.items[i], label),
            quipu__amount_text(groups->list.items[i].total.real, unit_of(drawing, groups), amount));
}

/* ---- Bars of keys ---- */

/* As much room as the longest label needs; letters that are not ASCII may be wide, or be written as numbers. */
static int letter_width(char letter) {
    enum { NARROW = 7, CAPITAL = 9, WIDE = 12 };
    if (letter < ' ' || letter > '~')
        return LABELS_MOST;
    if (strchr("mwMW@%", letter))
        return WIDE;
    return letter >= 'A' && letter <= 'Z' ? CAPITAL : NARROW;
}

static double label_width(const struct quipu__drawing *drawing, const struct quipu__groups *groups) {
    enum { GAP = 18 };
    int most = 0;
    char label[QUIPU__LABEL_BYTES];
    for (size_t i = 0; i < groups->list.count; i++) {
        const char *text = quipu__group_label(drawing, &groups->list.items[i], label);
        int width = GAP;
        for (size_t k = 0; text[k] && k < QUIPU__LABEL_COLUMNS && width < LABELS_MOST; k++)
            width += letter_width(text[k]);
        most = width > most ? width : most;
    }
    return most < LABELS_MOST ? most : LABELS_MOST;
}

/* Bars that begin at x, in a box as wide as the axis. */
struct bars {
    const struct quipu__drawing *drawing;
    const struct quipu__groups *groups;
    struct quipu__axis axis;
    double x, width;
};

/* The amounts of a group, one behind the other; what is below 0 has no length. */
static double put_stack(const struct bars *bars, const struct quipu__group *group, double y) {
    double x = bars->x;
    for (size_t i = 0; i < bars->groups->values.count; i++) {
        const double amount = group->amounts[i].real,
                     width = amount > 0 ? amount * bars->width / bars->axis.end : 0;
        if (width > 0 || bars->groups->values.count == 1)
            quipu__svg_bar(bars->drawing, bars->groups, group, i, (double[]){x, y, width, BAR});
        x += width;
    }
    return x;
}

static void put_rows(const struct bars *bars, double top) {
    enum { COLUMNS = QUIPU__LABEL_COLUMNS };
    char label[QUIPU__LABEL_BYTES], end[QUIPU__LABEL_BYTES], amount[QUIPU__AMOUNT_BYTES];
    for (size_t i = 0; i < bars->groups->list.count; i++) {
        const struct quipu__group *group = &bars->groups->list.items[i];
        const double y = top + (double)(i * ROW);
        quipu__svg_text(
            bars->drawing, bars->x - 10, y + 12, "end",
            quipu__label_end(bars->drawing, quipu__group_label(bars->drawing, group, label), COLUMNS, end),
            COLUMNS);
        const double x = is_rest(group) ? bars->x : put_stack(bars, group, y);
        quipu__svg_text(bars->drawing, x + 7, y + 12, "soft",
                        quipu__amount_text(group->total.real, bars->axis.unit, amount), 0);
    }
}

static void put_bars(const struct quipu__drawing *drawing, const struct quipu__groups *groups) {
    const bool has_legend = groups->values.count > 1;
    const double top = has_legend ? QUIPU__LEGEND_HEIGHT : 4, height = (double)(groups->list.count * ROW);
    struct bars bars = {drawing, groups, quipu__axis_of(largest_total(groups), unit_of(drawing, groups), 5),
                        label_width(drawing, groups), 0};
    bars.width = QUIPU__FIGURE_WIDTH - AMOUNTS - bars.x;
    bool are_there[QUIPU__VALUES_MOST];
    char description[512];
    describe(drawing, groups, description, sizeof description);
    quipu__svg_begin(drawing, top + height + 24, description);
    find_values(groups, are_there);
    if (has_legend)
        quipu__svg_legend(drawing, &groups->values, are_there);
    quipu__svg_axis_below(drawing, &bars.axis, 0, bars.axis.end, (double[]){bars.x, top, bars.width, height});
    put_rows(&bars, top);
    quipu__svg_end(drawing);
}

/* Groups that took no time at all, at the end of those that are sorted. */
static void leave_out_nothing(struct quipu__groups *groups) {
    while (groups->list.count > 1 && groups->list.items[groups->list.count - 1].total.real == 0)
        groups->list.count--;
}

bool quipu__draw_bars(const struct quipu__drawing *drawing) {
    struct quipu__groups groups;
    const bool is_there = quipu__groups_make(&groups, drawing, drawing->form->key);
    if (is_there && drawing->form->shape == QUIPU__SHAPE_LIST_OF_BARS)
        quipu__groups_join(&groups, LISTED);
    else if (is_there) {
        quipu__groups_sort(&groups);
        leave_out_nothing(&groups);
        quipu__groups_cut(&groups, SHOWN);
    }
    if (is_there)
        put_bars(drawing, &groups);
    quipu__groups_release(&groups);
    return is_there;
}

/* ---- Shares of 1 ---- */

enum { METER = 30, METER_LABELS = 180, METERS = 660 };

static void put_meter(const struct quipu__drawing *drawing, const struct quipu_table_column *column,
                      const struct quipu__amount *amount, double y) {
    char name[QUIPU__COLUMN_BYTES], text[QUIPU__AMOUNT_BYTES];
    const double share = amount->real < 1 ? amount->real : 1;
    quipu__svg_text(drawing, METER_LABELS - 10, y + 14, "end", quipu__column_text(column, name), 0);
    quipu__put_format(drawing->out,
                      "<rect class=\"track\" x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"18\" rx=\"3\"/>\n",
                      METER_LABELS, y, METERS);
    quipu__put_format(drawing->out,
                      "<rect class=\"useful-0\" x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"18\" rx=\"3\" "
                      "data-key=\"\" data-column=\"%s\" data-value=\"",
                      METER_LABELS, y, share > 0 ? share * METERS : 0, column->name);
    quipu__put_amount(drawing->out, column, amount);
    quipu__put_format(drawing->out, "\"><title>%s: %s</title></rect>\n", name,
                      quipu__amount_text(100 * amount->real, "%", text));
    quipu__svg_text(drawing, METER_LABELS + METERS + 10, y + 14, "", text, 0);
}

bool quipu__draw_meters(const struct quipu__drawing *drawing) {
    const struct quipu__values values = quipu__values_of(drawing);
    size_t known[QUIPU__VALUES_MOST], count = 0;
    for (size_t i = 0; i < values.count && quipu_table_row_count(drawing->table) > 0; i++)
        if (!quipu_table_at(drawing->table, 0, values.columns[i])->is_null)
            known[count++] = i;
    if (count == 0)
        return false;
    quipu__svg_begin(drawing, (double)(count * METER), "Shares of the time, in per cent.");
    for (size_t i = 0; i < count; i++) {
        const struct quipu__amount amount = quipu__amount_at(drawing->table, 0, values.columns[known[i]]);
        put_meter(drawing, quipu__value_column(drawing, &values, known[i]), &amount, (double)(i * METER));
    }
    quipu__svg_end(drawing);
    return true;
}

/* ---- Findings ---- */

enum { FINDING = 40, FINDINGS_SHOWN = 12, FINDING_BARS = 720 };

static const char *text_at(const struct quipu_table *table, size_t row, const char *column) {
    const size_t found = quipu_table_column_find(table, column);
    const struct quipu_cell *cell = quipu_table_at(table, row, found);
    return cell->is_null ? NULL : cell->text;
}

const char *quipu__finding_sentence(const struct quipu_table *table, size_t row,
                                    char text[QUIPU__LABEL_BYTES]) {
    const char *location = text_at(table, row, "location"), *region = text_at(table, row, "region"),
               *between = text_at(table, row, "between");
    int len = snprintf(text, QUIPU__LABEL_BYTES, "%s%s%.100s", text_at(table, row, "saying"),
                       location ? " " : "", location ? location : "");
    if (region)
        snprintf(text + len, (size_t)(QUIPU__LABEL_BYTES - len), " in %.200s", region);
    else if (between)
        snprintf(text + len, (size_t)(QUIPU__LABEL_BYTES - len), " %.200s", between);
    else if (location)
        snprintf(text + len, (size_t)(QUIPU__LABEL_BYTES - len), " outside of any region");
    return text;
}

static void put_finding(const struct quipu__drawing *drawing, size_t row, double per_ns) {
    const struct quipu_table *table = drawing->table;
    const size_t time = quipu_table_column_find(table, "time_ns");
    const struct quipu__amount amount = quipu__amount_at(table, row, time);
    const struct quipu__amount share = quipu__amount_at(table, row, quipu_table_column_find(table, "percent"));
    const double y = (double)(row * FINDING), width = amount.real > 0 ? amount.real * per_ns : 0;
    char sentence[QUIPU__LABEL_BYTES], number[QUIPU__AMOUNT_BYTES], text[QUIPU__AMOUNT_BYTES];
    quipu__finding_sentence(table, row, sentence);
    snprintf(number, sizeof number, "%zu", row + 1);
    quipu__svg_text(drawing, 18, y + 15, "soft end", number, 0);
    quipu__svg_text(drawing, 30, y + 15, "", sentence, 110);
    quipu__put_format(drawing->out,
                      "<rect class=\"track\" x=\"30\" y=\"%.0f\" width=\"%d\" height=\"7\" rx=\"3\"/>\n",
                      y + 22, FINDING_BARS);
    quipu__put_format(drawing->out,
                      "<rect class=\"lost\" x=\"30\" y=\"%.0f\" width=\"%.1f\" height=\"7\" rx=\"3\" "
                      "data-key=\"%zu\" data-column=\"time_ns\" data-value=\"",
                      y + 22, width, row + 1);
    quipu__put_amount(drawing->out, quipu_table_column_at(table, time), &amount);
    quipu__put_text(drawing->out, "\"><title>");
    quipu__put_markup(drawing->out, drawing->hidden, sentence, 200);
    quipu__put_format(drawing->out, ": %s</title></rect>\n", quipu__amount_text(amount.real, "ns", text));
    quipu__svg_text(drawing, FINDING_BARS + 40, y + 29, "", text, 0);
    quipu__svg_text(drawing, FINDING_BARS + 140, y + 29, "soft", quipu__amount_text(share.real, "%", text), 0);
}

bool quipu__draw_findings(const struct quipu__drawing *drawing) {
    const size_t rows = quipu_table_row_count(drawing->table),
                 shown = rows < FINDINGS_SHOWN ? rows : FINDINGS_SHOWN;
    const size_t time = quipu_table_column_find(drawing->table, "time_ns");
    if (rows == 0 || time == SIZE_MAX)
        return false;
    const double most = quipu__amount_at(drawing->table, 0, time).real;
    quipu__svg_begin(drawing, (double)(shown * FINDING),
                     "Findings, the largest first, each with a bar of the time that it costs.");
    for (size_t row = 0; row < shown; row++)
        put_finding(drawing, row, most > 0 ? FINDING_BARS / most : 0);
    quipu__svg_end(drawing);
    return true;
}

/* ---- Histograms ---- */

enum { LEFT = 80, PLOT = 860, HEIGHT = 200, COLUMN_MOST = 96 };

/* The bounds of a bar: where it begins, or its text. */
static const char *bound_text(const struct quipu__drawing *drawing, size_t row, size_t column,
                              char text[QUIPU__AMOUNT_BYTES]) {
    const struct quipu_table_column *about = quipu_table_column_at(drawing->table, column);
    if (about->type == QUIPU_TYPE_TEXT)
        return quipu__key_text(drawing->table, row, column, text);
    return quipu__amount_text(quipu__amount_at(drawing->table, row, column).real, about->unit, text);
}

static void put_columns(const struct quipu__drawing *drawing, const struct quipu__groups *groups,
                        const struct quipu__axis *axis, double top) {
    const size_t count = groups->list.count,
                 column = quipu_table_column_find(drawing->table, drawing->form->key);
    const double step = fmin((double)PLOT / (double)count, COLUMN_MOST), gap = step > 8 ? 3 : 0;
    const size_t every = 1 + count / 13;
    char text[QUIPU__AMOUNT_BYTES];
    for (size_t i = 0; i < count; i++) {
        const struct quipu__group *group = &groups->list.items[i];
        double y = top + HEIGHT;
        for (size_t k = 0; k < groups->values.count; k++) {
            const double height = group->amounts[k].real / axis->end * HEIGHT;
            y -= height;
            if (height > 0)
                quipu__svg_bar(drawing, groups, group, k,
                               (double[]){LEFT + (double)i * step + gap / 2, y, step - gap, height});
        }
        if (i % every == 0)
            quipu__svg_text(drawing, LEFT + ((double)i + 0.5) * step, top + HEIGHT + 17, "soft middle",
                            bound_text(drawing, i, column, text), 12);
    }
}

bool quipu__draw_histogram(const struct quipu__drawing *drawing) {
    struct quipu__groups groups;
    const bool is_there = quipu__groups_make(&groups, drawing, drawing->form->key);
    if (is_there) {
        const double top = groups.values.count > 1 ? QUIPU__LEGEND_HEIGHT + 6 : 10;
        const struct quipu__axis axis = quipu__axis_of(largest_total(&groups), unit_of(drawing, &groups), 4);
        bool are_there[QUIPU__VALUES_MOST];
        char description[512];
        describe(drawing, &groups, description, sizeof description);
        quipu__svg_begin(drawing, top + HEIGHT + 26, description);
        find_values(&groups, are_there);
        if (groups.values.count > 1)
            quipu__svg_legend(drawing, &groups.values, are_there);
        quipu__svg_axis_left(drawing, &axis, (double[]){LEFT, top, PLOT, HEIGHT});
        put_columns(drawing, &groups, &axis, top);
        quipu__svg_end(drawing);
    }
    quipu__groups_release(&groups);
    return is_there;
}
