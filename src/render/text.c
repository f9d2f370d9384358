/* text.c: tables as aligned text for people.
 *
 *     region        calls  exclusive_ns
 *     ------------  -----  ------------
 *     MPI_Allreduce    12         81234  ████████
 *
 * The width of a column of numbers follows from the largest and the smallest of them; other cells are formatted twice, to measure
 * and to print them, so that memory does not grow with the table. Columns that are zero or empty in all rows are hidden.
 * When the table is still wider than allowed, long texts are cut; then columns are hidden: numbers of what names stand for, then those
 * on the right. A single row is turned instead, and so are few rows of which most would be hidden. A last line counts what is hidden.
 */
#include "core/bounded.h"
#include "core/error.h"

#include "core/digits.h"
#include "render/render.h"
#include "schema/schema.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

/* ==== Cells ==== */

/* Cells and headers of tables as text. */

/* ---- Numbers ---- */

void quipu__put_cell_number(struct quipu__buffer *out, const struct quipu_cell *cell,
                            enum quipu_column_type type) {
    const struct quipu_value value = {.type = QUIPU_VALUE_F64, .f = cell->f};
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
        quipu__put_i64(out, cell->i);
        break;
    case QUIPU_TYPE_U64:
        quipu__put_u64(out, cell->u);
        break;
    case QUIPU_TYPE_F64:
        quipu__print_value(&value, out, true);
        break;
    case QUIPU_TYPE_DECIMAL:
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_JSON:
        quipu__put_text(out, cell->text);
        break;
    }
}

/* number / scale, which is a power of ten, with all its digits. */
static void put_scaled(struct quipu__buffer *out, bool is_negative, uint64_t number, uint64_t scale) {
    char text[1 + 20 + 20 + QUIPU__DIGITS_SLACK], *end = text;
    if (is_negative)
        *end++ = '-';
    end = quipu__put_digits(end, number / scale);
    if (scale > 1) {
        char *point = end;
        end = quipu__put_digits(point, scale + number % scale); /* the 1 in front keeps the zeros */
        *point = '.';
    }
    quipu__put(out, text, (size_t)(end - text));
}

/* What "%.*f" says. Where it is plain which way a number is rounded, a tenth of the time of stdio. */
static void put_real(struct quipu__buffer *out, double real, int digits) {
    double scale = 1;
    for (int i = 0; i < digits; i++)
        scale *= 10;
    const double scaled = fabs(real) * scale, nearest = floor(scaled + 0.5);
    if (scaled < 1e9 && fabs(scaled - nearest) < 0.49)
        put_scaled(out, signbit(real) != 0, (uint64_t)nearest, (uint64_t)scale);
    else
        quipu__put_format(out, "%.*f", digits, real);
}

/* ---- Times ---- */

static const struct quipu__time_unit time_units[] = {
    {"ns", 1, 0}, {"us", 1000, 3}, {"ms", 1000000, 6}, {"s", 1000000000, 9}};
enum { TIME_UNITS = sizeof time_units / sizeof *time_units };

/* The unit of all cells of a column: the one asked for, else seconds of a point in time. NULL: each duration has one of its size. */
static const struct quipu__time_unit *fixed_unit(enum quipu_column_type type, const char *name) {
    for (size_t i = 0; i < TIME_UNITS; i++)
        if (strcmp(time_units[i].name, name) == 0)
            return &time_units[i];
    return type == QUIPU_TYPE_TIME ? &time_units[TIME_UNITS - 1] : NULL;
}

/* time_unit is that of quipu_render_options. Reals get two digits when there is one. */
static struct quipu__cell_format cell_format_of(const struct quipu_table_column *column,
                                                const char *time_unit) {
    enum { DIGITS = 2 };
    struct quipu__cell_format format = {.column = column, .digits = time_unit ? DIGITS : -1};
    format.has_units = time_unit && quipu__is_signed_type(column->type) && strcmp(column->unit, "ns") == 0;
    if (format.has_units)
        format.unit = fixed_unit(column->type, time_unit);
    return format;
}

/* Whether the cells of a column are numbers with one unit and number of digits: the largest or the smallest is the widest. */
static bool is_uniform(const struct quipu__cell_format *format) {
    if (!quipu__is_whole_number(format->column->type))
        return format->column->type == QUIPU_TYPE_F64 && format->digits >= 0;
    return !format->has_units || format->unit;
}

/* A number of the unit with digits behind the point, half rounded up. */
static void put_number_of(struct quipu__buffer *out, int64_t ns, const struct quipu__time_unit *unit,
                          int digits) {
    uint64_t step = unit->ns, scale = 1, size = quipu__magnitude(ns);
    for (int i = 0; i < digits; i++) {
        step /= 10;
        scale *= 10;
    }
    put_scaled(out, ns < 0, size / step + (size % step >= step - step / 2 && step > 1), scale);
}

/* Four digits that matter, and the unit: "60.00 us". */
static void put_sized_duration(struct quipu__buffer *out, int64_t ns) {
    const uint64_t size = quipu__magnitude(ns);
    size_t unit = 0;
    while (unit + 1 < TIME_UNITS && size >= time_units[unit + 1].ns)
        unit++;
    const uint64_t whole = size / time_units[unit].ns;
    const int digits = (whole < 1000) + (whole < 100) + (whole < 10);
    put_number_of(out, ns, &time_units[unit], unit > 0 ? digits : 0);
    quipu__put_u8(out, ' ');
    quipu__put_text(out, time_units[unit].name);
}

static void put_time(struct quipu__buffer *out, int64_t ns, const struct quipu__cell_format *format) {
    if (format->unit)
        put_number_of(out, ns, format->unit, format->unit->digits);
    else
        put_sized_duration(out, ns);
}

/* ---- Cells ---- */

static void put_cell(struct quipu__buffer *out, const struct quipu_cell *cell,
                     const struct quipu__cell_format *format) {
    const enum quipu_column_type type = format->column->type;
    if (cell->is_null)
        quipu__put_text(out, "-");
    else if (!quipu__is_number(type))
        quipu__put_escaped(out, cell->text, strlen(cell->text));
    else if (format->has_units)
        put_time(out, cell->i, format);
    else if (type == QUIPU_TYPE_F64 && format->digits >= 0)
        put_real(out, cell->f, format->digits);
    else
        quipu__put_cell_number(out, cell, type);
}

/* ---- Headers ---- */

/* Bytes of the name without an ending; 0 when it has another one. */
static size_t len_before(const char *name, const char *ending) {
    const size_t len = strlen(name), ending_len = strlen(ending);
    return len > ending_len && strcmp(name + len - ending_len, ending) == 0 ? len - ending_len : 0;
}

/* "exclusive", or "exclusive [us]" when all numbers have that unit. */
static void put_time_header(struct quipu__buffer *out, const struct quipu__cell_format *format) {
    const char *name = format->column->name;
    const size_t len = len_before(name, "_ns");
    quipu__put(out, name, len > 0 ? len : strlen(name));
    if (format->unit)
        quipu__put_format(out, " [%s]", format->unit->name);
}

/* Put a cell, of which the null one is "-", and the column's header, with its unit where neither cells nor name say it. */
static void put_header_(struct quipu__buffer *out, const struct quipu__cell_format *format) {
    const char *name = format->column->name, *unit = format->column->unit;
    const size_t percent_len = len_before(name, "_percent");
    const bool is_percent = percent_len > 0 || strcmp(name, "percent") == 0;
    if (format->has_units) {
        put_time_header(out, format);
    } else if (format->digits >= 0 && is_percent) {
        quipu__put(out, name, percent_len);
        quipu__put_text(out, percent_len > 0 ? " %" : "%");
    } else {
        quipu__put_text(out, name);
        if (unit[0] && !strstr(name, unit))
            quipu__put_format(out, " [%s]", unit);
    }
}

/* ==== Tables ==== */

#define GAP 2         /* blanks between columns */
#define TEXT_LEAST 18 /* long texts are cut to no less than this */
#define SHARE_DIGITS 4
#define BAR_LEAST 10
#define BAR_MOST 30

#define BOLD "\033[1m"
#define CYAN "\033[36m"
#define RESET "\033[0m"

struct column {
    struct quipu__cell_format format;
    size_t width;
    bool shown;
    bool is_empty; /* null or zero in every row */
};

struct page {
    struct quipu__render *render;
    const struct quipu_table *table;
    struct column *columns;
    size_t column_count, rows;
    size_t last_shown;         /* column; column_count when bars follow */
    struct quipu__buffer cell; /* the cell that is being formatted */
    size_t bar_width;          /* 0: no bars */
    double bar_most;           /* the largest value of the bar column */
};

/* ---- Cells ---- */

/* Characters of UTF-8 text: bytes that do not continue one. */
static size_t text_width(const uint8_t *text, size_t len) {
    size_t width = 0;
    for (size_t i = 0; i < len; i++)
        width += (text[i] & 0xc0) != 0x80;
    return width;
}

static bool is_zero(const struct quipu_cell *cell, enum quipu_column_type type) {
    if (cell->is_null)
        return true;
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
    case QUIPU_TYPE_U64:
        return cell->u == 0;
    case QUIPU_TYPE_F64:
        return !(cell->f > 0 || cell->f < 0);
    case QUIPU_TYPE_DECIMAL:
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_JSON:
        break;
    }
    return cell->text[0] == '\0';
}

/* Puts a cell's text into page->cell. */
static void format_cell(struct page *page, const struct quipu_cell *cell, size_t column) {
    page->cell.len = 0;
    put_cell(&page->cell, cell, &page->columns[column].format);
}

static double cell_size(const struct quipu_cell *cell, enum quipu_column_type type) {
    if (cell->is_null)
        return 0;
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
        return (double)cell->i;
    case QUIPU_TYPE_U64:
        return (double)cell->u;
    case QUIPU_TYPE_F64:
        return cell->f;
    case QUIPU_TYPE_DECIMAL:
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_JSON:
        break;
    }
    return 0;
}

/* ---- Measuring ---- */

static void format_header(struct page *page, size_t column) {
    page->cell.len = 0;
    put_header_(&page->cell, &page->columns[column].format);
}

static void widen(struct page *page, size_t column) {
    const size_t width = text_width(page->cell.data, page->cell.len);
    if (width > page->columns[column].width)
        page->columns[column].width = width;
}

/* What is no number is above nothing. */
static bool is_above(const struct quipu_cell *a, const struct quipu_cell *b, enum quipu_column_type type) {
    if (type == QUIPU_TYPE_F64)
        return isfinite(a->f) && isfinite(b->f) && a->f > b->f;
    return quipu__is_signed_type(type) ? a->i > b->i : a->u > b->u;
}

/* As wide as the largest or the smallest; null, which is 0 here, is no wider than a digit. */
static void measure_numbers(struct page *page, size_t column) {
    const enum quipu_column_type type = page->columns[column].format.column->type;
    struct quipu_cell least = {.u = 0}, most = {.u = 0};
    for (size_t row = 0; row < page->rows; row++) {
        const struct quipu_cell *cell = quipu_table_at(page->table, row, column);
        if (is_above(cell, &most, type))
            most = *cell;
        else if (is_above(&least, cell, type))
            least = *cell;
    }
    page->columns[column].is_empty = least.u == 0 && most.u == 0;
    format_cell(page, &most, column);
    widen(page, column);
    format_cell(page, &least, column);
    widen(page, column);
}

static void measure_texts(struct page *page, size_t column) {
    const enum quipu_column_type type = page->columns[column].format.column->type;
    const bool is_text = type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL;
    const char *latest = NULL; /* equal texts are one text in a table */
    for (size_t row = 0; row < page->rows; row++) {
        const struct quipu_cell *cell = quipu_table_at(page->table, row, column);
        page->columns[column].is_empty &= is_zero(cell, type);
        if (is_text && !cell->is_null && cell->text == latest)
            continue;
        latest = is_text && !cell->is_null ? cell->text : NULL;
        format_cell(page, cell, column);
        widen(page, column);
    }
}

/* Whether a column has shares of one, which are shown with more digits. */
static bool is_share(const struct page *page, size_t column, const struct quipu_table_column *info) {
    if (info->type != QUIPU_TYPE_F64 || info->unit[0])
        return false;
    for (size_t row = 0; row < page->rows; row++) {
        const struct quipu_cell *cell = quipu_table_at(page->table, row, column);
        if (!cell->is_null && !(cell->f <= 1 && cell->f >= -1))
            return false;
    }
    return true;
}

static void measure_column(struct page *page, size_t column) {
    const struct quipu_table_column *info = quipu_table_column_at(page->table, column);
    struct quipu__cell_format format = cell_format_of(info, page->render->options->time_unit);
    if (format.digits >= 0 && is_share(page, column, info))
        format.digits = SHARE_DIGITS;
    page->columns[column] = (struct column){.format = format, .shown = true, .is_empty = true};
    format_header(page, column);
    widen(page, column);
    if (is_uniform(&format))
        measure_numbers(page, column);
    else
        measure_texts(page, column);
}

static void measure_bars(struct page *page) {
    const size_t column = page->render->options->bar_column;
    if (column >= page->column_count || page->rows < 2)
        return;
    for (size_t row = 0; row < page->rows; row++) {
        const double size =
            cell_size(quipu_table_at(page->table, row, column), page->columns[column].format.column->type);
        page->bar_most = size > page->bar_most ? size : page->bar_most;
    }
    page->bar_width = page->bar_most > 0 ? BAR_LEAST : 0;
}

static void measure(struct page *page) {
    for (size_t i = 0; i < page->column_count; i++)
        measure_column(page, i);
    measure_bars(page);
}

/* ---- Fitting ---- */

static size_t total_width(const struct page *page) {
    size_t total = page->bar_width ? page->bar_width + GAP : 0;
    for (size_t i = 0; i < page->column_count; i++)
        if (page->columns[i].shown)
            total += page->columns[i].width + (i > 0 ? GAP : 0);
    return total;
}

static void hide_empty(struct page *page) {
    for (size_t i = 1; i < page->column_count && page->rows > 0; i++)
        page->columns[i].shown = !page->columns[i].is_empty;
}

/* What the texts of a column are cut to at most; those of the first one say what a row is of. */
static size_t least_width(size_t column, size_t width) {
    const size_t of_page = column == 0 && width != SIZE_MAX ? width * 2 / 5 : 0;
    return of_page > TEXT_LEAST ? of_page : TEXT_LEAST;
}

static void cut_texts(struct page *page, size_t width) {
    for (size_t i = page->column_count; i-- > 0;) {
        struct column *column = &page->columns[i];
        const size_t total = total_width(page);
        if (total <= width || !column->shown || quipu__is_number(column->format.column->type))
            continue;
        const size_t excess = total - width, least = least_width(i, width);
        if (column->width > least)
            column->width = column->width > least + excess ? column->width - excess : least;
    }
}

/* Whether a column has the number of what another one that is shown names: "region_id" of "region". */
static bool is_number_of_another(const struct page *page, size_t column) {
    const char *name = page->columns[column].format.column->name;
    const size_t len = strlen(name), suffix = strlen("_id");
    if (len <= suffix || strcmp(name + len - suffix, "_id") != 0)
        return false;
    for (size_t i = 0; i < page->column_count; i++) {
        const char *other = page->columns[i].format.column->name;
        if (page->columns[i].shown && strlen(other) == len - suffix && strncmp(name, other, len - suffix) == 0)
            return true;
    }
    return false;
}

/* Hides columns until the page is wide enough: those of numbers that names stand beside, then any, from the right. */
static void hide_last(struct page *page, size_t width) {
    for (size_t i = page->column_count; i-- > 1 && total_width(page) > width;)
        if (i != page->render->options->bar_column && is_number_of_another(page, i))
            page->columns[i].shown = false;
    for (size_t i = page->column_count; i-- > 1 && total_width(page) > width;)
        if (i != page->render->options->bar_column)
            page->columns[i].shown = false;
}

static size_t page_width(const struct page *page) {
    return page->render->options->width > 0 ? (size_t)page->render->options->width : SIZE_MAX;
}

static void fit(struct page *page) {
    const size_t width = page_width(page);
    hide_last(page, width);
    const size_t total = total_width(page);
    if (page->bar_width > 0 && total > width)
        page->bar_width = 0;
    for (; page->bar_width > 0 && page->bar_width < BAR_MOST && total + (page->bar_width - BAR_LEAST) < width;)
        page->bar_width++;
}

/* ---- Printing ---- */

static void put_repeated(struct quipu__buffer *out, const char *sixteen, size_t count) {
    for (; count > 16; count -= 16)
        quipu__put(out, sixteen, 16);
    if (count > 0)
        quipu__put(out, sixteen, count);
}

static void put_blanks(struct quipu__buffer *out, size_t count) {
    put_repeated(out, "                ", count);
}

static void put_dashes(struct quipu__buffer *out, size_t count) {
    put_repeated(out, "----------------", count);
}

/* Bytes of the first width characters. */
static size_t cut_len(const struct quipu__buffer *text, size_t width) {
    size_t len = 0;
    while (len < text->len && (width > 0 || (text->data[len] & 0xc0) == 0x80))
        width -= (text->data[len++] & 0xc0) != 0x80;
    return len;
}

/* Prints page->cell in a column. */
static void put_aligned(struct page *page, size_t column) {
    struct quipu__buffer *out = &page->render->out;
    const struct column *at = &page->columns[column];
    const size_t width = text_width(page->cell.data, page->cell.len), gap = column > 0 ? GAP : 0;
    if (width > at->width) {
        put_blanks(out, gap);
        quipu__put(out, page->cell.data, cut_len(&page->cell, at->width - 1));
        quipu__put_text(out, "…");
        return;
    }
    const bool right = quipu__is_number(at->format.column->type);
    put_blanks(out, gap + (right ? at->width - width : 0));
    quipu__put(out, page->cell.data, page->cell.len);
    put_blanks(out, right || column == page->last_shown ? 0 : at->width - width);
}

static size_t find_last_shown(const struct page *page) {
    size_t last = page->bar_width > 0 ? 0 : page->column_count;
    while (last > 0 && !page->columns[last - 1].shown)
        last--;
    return last > 0 ? last - 1 : page->column_count;
}

static void put_colour(struct page *page, const char *code) {
    if (page->render->options->colour)
        quipu__put_text(&page->render->out, code);
}

static void put_header(struct page *page) {
    struct quipu__buffer *out = &page->render->out;
    put_colour(page, BOLD);
    for (size_t i = 0; i < page->column_count; i++) {
        if (!page->columns[i].shown)
            continue;
        format_header(page, i);
        put_aligned(page, i);
    }
    put_colour(page, RESET);
    quipu__put_u8(out, '\n');
    for (size_t i = 0; i < page->column_count; i++) {
        if (!page->columns[i].shown)
            continue;
        put_blanks(out, i > 0 ? GAP : 0);
        put_dashes(out, page->columns[i].width);
    }
    quipu__put_u8(out, '\n');
}

/* A bar of block characters, an eighth of a column fine. */
static void put_bar(struct page *page, size_t row) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (page->bar_width == 0)
        return;
    struct quipu__buffer *out = &page->render->out;
    const size_t column = page->render->options->bar_column;
    const double size =
        cell_size(quipu_table_at(page->table, row, column), page->columns[column].format.column->type);
    if (!(size > 0))
        return;
    const size_t length = (size_t)(size / page->bar_most * 8 * (double)page->bar_width + 0.5);
    put_blanks(out, GAP);
    put_colour(page, CYAN);
    for (size_t i = 0; i < length / 8; i++)
        quipu__put_text(out, "█");
    quipu__put_text(out, eighths[length % 8]);
    put_colour(page, RESET);
}

static void put_row(struct page *page, size_t row) {
    for (size_t i = 0; i < page->column_count; i++) {
        if (!page->columns[i].shown)
            continue;
        format_cell(page, quipu_table_at(page->table, row, i), i);
        put_aligned(page, i);
    }
    put_bar(page, row);
    quipu__put_u8(&page->render->out, '\n');
}

/* Counts the columns that are hidden, either those that are empty or the others. */
static size_t count_hidden(const struct page *page, bool empty) {
    size_t hidden = 0;
    for (size_t i = 0; i < page->column_count; i++)
        hidden += !page->columns[i].shown && page->columns[i].is_empty == empty;
    return hidden;
}

/* Says in a line how many rows and columns are hidden. */
static void put_rest(struct page *page) {
    struct quipu__buffer *out = &page->render->out;
    const size_t rows = quipu_table_row_count(page->table) - page->rows, narrow = count_hidden(page, false);
    const size_t empty = page->rows > 0 || rows == 0 ? count_hidden(page, true) : 0;
    const char *separator = "";
    if (rows + narrow + empty == 0)
        return;
    quipu__put_u8(out, '(');
    if (rows > 0)
        quipu__put_format(out, "%zu more %s", rows, rows == 1 ? "row" : "rows"), separator = "; ";
    if (narrow > 0)
        quipu__put_format(out, "%s%zu more %s: --wide", separator, narrow, narrow == 1 ? "column" : "columns"),
            separator = "; ";
    if (empty > 0)
        quipu__put_format(out, "%s%zu %s zero or empty%s", separator, empty, empty == 1 ? "column" : "columns",
                          rows > 0 ? " in these rows" : "");
    quipu__put_text(out, ")\n");
}

/* ---- Turned pages: a line for each column, with its header before the cells of the rows ---- */

static size_t widest_header(struct page *page) {
    size_t most = 0;
    for (size_t i = 0; i < page->column_count; i++) {
        format_header(page, i);
        const size_t width = page->columns[i].shown ? text_width(page->cell.data, page->cell.len) : 0;
        most = width > most ? width : most;
    }
    return most;
}

static size_t widest_cell(struct page *page, size_t row, bool of_texts) {
    size_t most = 0;
    for (size_t i = 0; i < page->column_count; i++) {
        if (!page->columns[i].shown || (!of_texts && !quipu__is_number(page->columns[i].format.column->type)))
            continue;
        format_cell(page, quipu_table_at(page->table, row, i), i);
        const size_t width = text_width(page->cell.data, page->cell.len);
        most = width > most ? width : most;
    }
    return most;
}

/* Finds the widths that rows have on a turned page, where long texts are cut; false when they do not fit. */
static bool find_turned_widths(struct page *page, size_t *widths) {
    const size_t header = widest_header(page), page_columns = page_width(page);
    const size_t room = page_columns > header ? (page_columns - header) / page->rows : 0;
    for (size_t row = 0; row < page->rows; row++) {
        const size_t numbers = widest_cell(page, row, false), all = widest_cell(page, row, true);
        if (room < GAP + numbers)
            return false;
        widths[row] = all < room - GAP ? all : room - GAP;
    }
    return true;
}

/* Whether far more columns would be hidden than shown. */
static bool hides_most(struct page *page) {
    size_t shown = 0, hidden = 0;
    hide_last(page, page_width(page));
    for (size_t i = 0; i < page->column_count; i++) {
        shown += page->columns[i].shown;
        hidden += !page->columns[i].shown && !page->columns[i].is_empty;
    }
    for (size_t i = 1; i < page->column_count; i++)
        page->columns[i].shown = !page->columns[i].is_empty;
    return hidden >= 2 * shown;
}

/* Rows that may stand beside each other. */
enum { TURNED_MOST = 4 };

/* A single row that is wider than the page is turned, and few rows of which most would be hidden. */
static bool is_turned(struct page *page, size_t *widths) {
    if (page->rows == 0 || page->rows > TURNED_MOST || page->rows < quipu_table_row_count(page->table) ||
        total_width(page) <= page_width(page))
        return false;
    widths[0] = 0;
    return page->rows == 1 || (hides_most(page) && find_turned_widths(page, widths));
}

/* Prints page->cell; a single row is not aligned. Of a long text the end is shown: paths of traces differ there. */
static void put_turned_cell(struct page *page, size_t width) {
    struct quipu__buffer *out = &page->render->out;
    const size_t own = text_width(page->cell.data, page->cell.len);
    const bool is_cut = page->rows > 1 && own > width;
    const size_t hidden = is_cut ? cut_len(&page->cell, own - width + 1) : 0;
    put_blanks(out, GAP + (own < width ? width - own : 0));
    if (is_cut)
        quipu__put_text(out, "…");
    quipu__put(out, page->cell.data + hidden, page->cell.len - hidden);
}

static void put_turned(struct page *page, const size_t *widths) {
    struct quipu__buffer *out = &page->render->out;
    const size_t width = widest_header(page);
    for (size_t i = 0; i < page->column_count; i++) {
        if (!page->columns[i].shown)
            continue;
        format_header(page, i);
        put_colour(page, BOLD);
        quipu__put(out, page->cell.data, page->cell.len);
        put_colour(page, RESET);
        put_blanks(out, width - text_width(page->cell.data, page->cell.len));
        for (size_t row = 0; row < page->rows; row++) {
            format_cell(page, quipu_table_at(page->table, row, i), i);
            put_turned_cell(page, widths[row]);
        }
        quipu__put_u8(out, '\n');
    }
    put_rest(page);
}

/* ---- Tables ---- */

static enum quipu_status put_rows(struct page *page, struct quipu_error *err) {
    fit(page);
    page->last_shown = find_last_shown(page);
    put_header(page);
    enum quipu_status status = QUIPU_OK;
    for (size_t row = 0; row < page->rows && status == QUIPU_OK; row++) {
        put_row(page, row);
        status = quipu__render_row_end(page->render, err);
    }
    put_rest(page);
    return status;
}

/* The name of one of several tables. */
static void put_title(struct page *page, size_t number) {
    if (page->render->count == 1)
        return;
    put_colour(page, BOLD);
    quipu__put_format(&page->render->out, "%s%s:", number > 0 ? "\n" : "", quipu_table_name(page->table));
    put_colour(page, RESET);
    quipu__put_u8(&page->render->out, '\n');
}

static enum quipu_status put_table(struct page *page, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    size_t widths[TURNED_MOST];
    measure(page);
    hide_empty(page);
    cut_texts(page, page_width(page));
    if (page->rows == 0 && page->render->count > 1)
        quipu__put_text(&page->render->out, "no rows\n");
    else if (is_turned(page, widths))
        put_turned(page, widths);
    else
        status = put_rows(page, err);
    return status == QUIPU_OK && page->cell.failed ? quipu__no_memory(err, page->cell.len) : status;
}

/* Rows up to which a table that is drawn as a map is listed, too. */
enum { LISTED_MOST = 40 };

enum quipu_status quipu__render_text(struct quipu__render *render, struct quipu_error *err) {
    const bool has_map = render->options->map_letters && render->count > 0;
    enum quipu_status status = has_map ? quipu__render_map(render, render->tables[0], err) : QUIPU_OK;
    const bool is_listed = !has_map || quipu_table_row_count(render->tables[0]) <= LISTED_MOST;
    for (size_t i = !is_listed; i < render->count && status == QUIPU_OK; i++) {
        struct page page = {.render = render, .table = render->tables[i]};
        page.rows = quipu__rows_shown(render, page.table);
        page.column_count = quipu_table_column_count(page.table);
        const size_t size = page.column_count * sizeof *page.columns;
        page.columns = quipu__alloc(&render->memory, size);
        if (!page.columns)
            return quipu__no_memory(err, size);
        quipu__buffer_init(&page.cell, &render->memory, 0);
        put_title(&page, i);
        status = put_table(&page, err);
        quipu__buffer_release(&page.cell);
        quipu__release(&render->memory, page.columns, size);
    }
    return status;
}
