/* text.c: tables as aligned text for people.
 *
 *     region        calls  exclusive_ns
 *     ------------  -----  ------------
 *     MPI_Allreduce    12         81234  ████████
 *
 * The width of a column of whole numbers follows from the largest and the smallest of them; other cells are formatted twice, to
 * measure and to print them, so that memory does not grow with the table. Columns that are zero or empty in all rows are hidden. When the table is still
 * wider than allowed, long texts are cut, then columns are hidden from the right. Last lines name what is hidden.
 */
#include "render/render.h"

#include "core/error.h"

#include <inttypes.h>
#include <string.h>

#define GAP 2         /* blanks between columns */
#define TEXT_LEAST 18 /* long texts are cut to no less than this */
#define BAR_LEAST 10
#define BAR_MOST 30

#define BOLD "\033[1m"
#define CYAN "\033[36m"
#define RESET "\033[0m"

struct column {
    const struct quipu_table_column *info;
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

/* ---- Durations ---- */

static const struct duration_unit {
    const char *name;
    uint64_t ns;
    int digits; /* behind the point when a cell is exact */
} duration_units[] = {{"ns", 1, 0}, {"us", 1000, 3}, {"ms", 1000000, 6}, {"s", 1000000000, 9}};
enum { DURATION_UNITS = sizeof duration_units / sizeof *duration_units };

/* Whether a column is shown in a unit of time. */
static bool is_duration(const struct page *page, const struct quipu_table_column *column) {
    return page->render->options->time_unit && column->type == QUIPU_TYPE_I64 &&
           strcmp(column->unit, "ns") == 0;
}

/* NULL: each number has one of its size. */
static const struct duration_unit *fixed_unit(const struct page *page) {
    for (size_t i = 0; i < DURATION_UNITS; i++)
        if (strcmp(duration_units[i].name, page->render->options->time_unit) == 0)
            return &duration_units[i];
    return NULL;
}

/* A number of the unit with digits behind the point, half rounded up. */
static void put_duration(struct page *page, int64_t ns, const struct duration_unit *unit, int digits) {
    uint64_t step = unit->ns, scale = 1, size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    for (int i = 0; i < digits; i++) {
        step /= 10;
        scale *= 10;
    }
    size = size / step + (size % step >= step - step / 2 && step > 1);
    quipu__put_format(&page->cell, "%s%" PRIu64, ns < 0 ? "-" : "", size / scale);
    if (digits > 0)
        quipu__put_format(&page->cell, ".%0*" PRIu64, digits, size % scale);
}

/* Four digits that matter, and the unit: "60.00 us". */
static void put_sized_duration(struct page *page, int64_t ns) {
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    size_t unit = 0;
    while (unit + 1 < DURATION_UNITS && size >= duration_units[unit + 1].ns)
        unit++;
    const uint64_t whole = size / duration_units[unit].ns;
    const int digits = (whole < 1000) + (whole < 100) + (whole < 10);
    put_duration(page, ns, &duration_units[unit], unit > 0 ? digits : 0);
    quipu__put_format(&page->cell, " %s", duration_units[unit].name);
}

/* ---- Texts of cells ---- */

static void format_duration(struct page *page, const struct quipu_cell *cell) {
    const struct duration_unit *unit = fixed_unit(page);
    if (unit)
        put_duration(page, cell->i, unit, unit->digits);
    else
        put_sized_duration(page, cell->i);
}

/* Puts a cell's text into page->cell. */
static void format_cell(struct page *page, const struct quipu_cell *cell,
                        const struct quipu_table_column *column) {
    const enum quipu_column_type type = column->type;
    page->cell.len = 0;
    if (cell->is_null)
        quipu__put_text(&page->cell, "-");
    else if (!quipu__is_number(type))
        quipu__put_escaped(&page->cell, cell->text, strlen(cell->text));
    else if (is_duration(page, column))
        format_duration(page, cell);
    else if (type == QUIPU_TYPE_F64 && page->render->options->time_unit)
        quipu__put_format(&page->cell, "%.2f", cell->f);
    else
        quipu__put_cell_number(&page->cell, cell, type);
}

static double cell_size(const struct quipu_cell *cell, enum quipu_column_type type) {
    if (cell->is_null)
        return 0;
    switch (type) {
    case QUIPU_TYPE_I64:
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

/* "exclusive", or "exclusive [us]" when all numbers have that unit. */
static void format_duration_header(struct page *page, const struct quipu_table_column *info) {
    const struct duration_unit *unit = fixed_unit(page);
    const size_t len = strlen(info->name);
    const bool says_ns = len > 3 && strcmp(info->name + len - 3, "_ns") == 0;
    quipu__put(&page->cell, info->name, says_ns ? len - 3 : len);
    if (unit)
        quipu__put_format(&page->cell, " [%s]", unit->name);
}

static bool is_percentage(const struct quipu_table_column *info) {
    const size_t len = strlen(info->name), suffix = strlen("_percent");
    return len > suffix && strcmp(info->name + len - suffix, "_percent") == 0;
}

/* The header of a column: its name, and its unit unless the name ends in it. */
static void format_header(struct page *page, size_t column) {
    const struct quipu_table_column *info = page->columns[column].info;
    const size_t name_len = strlen(info->name), unit_len = strlen(info->unit);
    const bool says_unit = name_len > unit_len && strcmp(info->name + name_len - unit_len, info->unit) == 0;
    page->cell.len = 0;
    if (is_duration(page, info)) {
        format_duration_header(page, info);
        return;
    }
    if (page->render->options->time_unit && is_percentage(info)) {
        quipu__put_format(&page->cell, "%.*s %%", (int)(name_len - strlen("_percent")), info->name);
        return;
    }
    quipu__put_text(&page->cell, info->name);
    if (unit_len > 0 && !says_unit && !strstr(info->name, info->unit))
        quipu__put_format(&page->cell, " [%s]", info->unit);
}

static void widen(struct page *page, size_t column) {
    const size_t width = text_width(page->cell.data, page->cell.len);
    if (width > page->columns[column].width)
        page->columns[column].width = width;
}

/* Whole numbers: as wide as the largest or the smallest; null, which is 0 here, is no wider than a digit. */
static void measure_numbers(struct page *page, size_t column) {
    const bool is_signed = page->columns[column].info->type == QUIPU_TYPE_I64;
    struct quipu_cell least = {.u = 0}, most = {.u = 0};
    for (size_t row = 0; row < page->rows; row++) {
        const struct quipu_cell *cell = quipu_table_at(page->table, row, column);
        if (is_signed ? cell->i > most.i : cell->u > most.u)
            most = *cell;
        if (is_signed && cell->i < least.i)
            least = *cell;
    }
    page->columns[column].is_empty = least.u == 0 && most.u == 0;
    format_cell(page, &most, page->columns[column].info);
    widen(page, column);
    format_cell(page, &least, page->columns[column].info);
    widen(page, column);
}

static void measure_texts(struct page *page, size_t column) {
    const enum quipu_column_type type = page->columns[column].info->type;
    const bool is_text = type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL;
    const char *latest = NULL; /* equal texts are one text in a table */
    for (size_t row = 0; row < page->rows; row++) {
        const struct quipu_cell *cell = quipu_table_at(page->table, row, column);
        page->columns[column].is_empty &= is_zero(cell, type);
        if (is_text && !cell->is_null && cell->text == latest)
            continue;
        latest = is_text && !cell->is_null ? cell->text : NULL;
        format_cell(page, cell, page->columns[column].info);
        widen(page, column);
    }
}

static void measure(struct page *page) {
    for (size_t i = 0; i < page->column_count; i++) {
        const struct quipu_table_column *info = quipu_table_column_at(page->table, i);
        page->columns[i] = (struct column){.info = info, .shown = true, .is_empty = true};
        format_header(page, i);
        widen(page, i);
        if ((info->type == QUIPU_TYPE_I64 || info->type == QUIPU_TYPE_U64) && !is_duration(page, info))
            measure_numbers(page, i);
        else
            measure_texts(page, i);
    }
}

static void measure_bars(struct page *page) {
    const size_t column = page->render->options->bar_column;
    if (column >= page->column_count)
        return;
    for (size_t row = 0; row < page->rows; row++) {
        const double size =
            cell_size(quipu_table_at(page->table, row, column), page->columns[column].info->type);
        page->bar_most = size > page->bar_most ? size : page->bar_most;
    }
    page->bar_width = page->bar_most > 0 ? BAR_LEAST : 0;
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
        if (total <= width || !column->shown || quipu__is_number(column->info->type))
            continue;
        const size_t excess = total - width, least = least_width(i, width);
        if (column->width > least)
            column->width = column->width > least + excess ? column->width - excess : least;
    }
}

static void hide_last(struct page *page, size_t width) {
    for (size_t i = page->column_count; i-- > 1 && total_width(page) > width;)
        if (i != page->render->options->bar_column)
            page->columns[i].shown = false;
}

static void fit(struct page *page) {
    const size_t width = page->render->options->width > 0 ? (size_t)page->render->options->width : SIZE_MAX;
    hide_empty(page);
    cut_texts(page, width);
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
    const bool right = quipu__is_number(at->info->type);
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
    const double size = cell_size(quipu_table_at(page->table, row, column), page->columns[column].info->type);
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
        format_cell(page, quipu_table_at(page->table, row, i), page->columns[i].info);
        put_aligned(page, i);
    }
    put_bar(page, row);
    quipu__put_u8(&page->render->out, '\n');
}

/* Puts a separator, which ends in a blank, and a word; the word begins a line of its own where the page would be too narrow. */
static void put_wrapped(struct page *page, size_t *position, const char *separator, const char *word) {
    struct quipu__buffer *out = &page->render->out;
    const size_t width = page->render->options->width > 0 ? (size_t)page->render->options->width : SIZE_MAX;
    const size_t len = strlen(separator), word_len = strlen(word);
    if (*position > 0 && *position + len + word_len + 1 > width) {
        quipu__put(out, separator, len - 1);
        quipu__put_text(out, "\n ");
        *position = 1;
    } else {
        quipu__put_text(out, separator);
        *position += len;
    }
    quipu__put_text(out, word);
    *position += word_len;
}

/* Names the columns that are hidden, either those that are empty or the others. */
static void put_hidden(struct page *page, const char *why, bool empty, const char *advice) {
    size_t position = 0;
    for (size_t i = 0; i < page->column_count; i++) {
        const struct column *column = &page->columns[i];
        if (column->shown || column->is_empty != empty)
            continue;
        put_wrapped(page, &position, position > 0 ? ", " : why, column->info->name);
    }
    if (position == 0)
        return;
    if (advice)
        put_wrapped(page, &position, "; ", advice);
    quipu__put_text(&page->render->out, ")\n");
}

/* Says which rows and columns are hidden. */
static void put_rest(struct page *page) {
    const size_t rows = quipu_table_row_count(page->table), more = rows - page->rows;
    if (more > 0)
        quipu__put_format(&page->render->out, "(%zu more %s)\n", more, more == 1 ? "row" : "rows");
    put_hidden(page, "(all zero or empty: ", true, NULL);
    put_hidden(page, "(hidden, terminal too narrow: ", false, "see --wide");
}

static enum quipu_status put_table(struct page *page, struct quipu_error *err) {
    measure(page);
    measure_bars(page);
    fit(page);
    page->last_shown = find_last_shown(page);
    put_header(page);
    enum quipu_status status = QUIPU_OK;
    for (size_t row = 0; row < page->rows && status == QUIPU_OK; row++) {
        put_row(page, row);
        status = quipu__render_row_end(page->render, err);
    }
    put_rest(page);
    return status == QUIPU_OK && page->cell.failed ? quipu__no_memory(err, page->cell.len) : status;
}

enum quipu_status quipu__render_text(struct quipu__render *render, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < render->count && status == QUIPU_OK; i++) {
        struct page page = {.render = render, .table = render->tables[i]};
        page.rows = quipu__rows_shown(render, page.table);
        page.column_count = quipu_table_column_count(page.table);
        const size_t size = page.column_count * sizeof *page.columns;
        page.columns = quipu__alloc(&render->memory, size);
        if (!page.columns)
            return quipu__no_memory(err, size);
        quipu__buffer_init(&page.cell, &render->memory, 0);
        if (i > 0)
            quipu__put_u8(&render->out, '\n');
        status = put_table(&page, err);
        quipu__buffer_release(&page.cell);
        quipu__release(&render->memory, page.columns, size);
    }
    return status;
}
