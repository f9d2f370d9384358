/* cells.c: cells and headers of tables as text. */
#include "render/render.h"

#include "core/digits.h"
#include "schema/schema.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

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
        quipu__print_value_json(&value, out);
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

struct quipu__cell_format quipu__cell_format_of(const struct quipu_table_column *column,
                                                const char *time_unit) {
    enum { DIGITS = 2 };
    struct quipu__cell_format format = {.column = column, .digits = time_unit ? DIGITS : -1};
    format.has_units = time_unit && quipu__is_signed_type(column->type) && strcmp(column->unit, "ns") == 0;
    if (format.has_units)
        format.unit = fixed_unit(column->type, time_unit);
    return format;
}

bool quipu__is_uniform(const struct quipu__cell_format *format) {
    if (!quipu__is_whole_number(format->column->type))
        return format->column->type == QUIPU_TYPE_F64 && format->digits >= 0;
    return !format->has_units || format->unit;
}

/* A number of the unit with digits behind the point, half rounded up. */
static void put_number_of(struct quipu__buffer *out, int64_t ns, const struct quipu__time_unit *unit,
                          int digits) {
    uint64_t step = unit->ns, scale = 1, size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    for (int i = 0; i < digits; i++) {
        step /= 10;
        scale *= 10;
    }
    put_scaled(out, ns < 0, size / step + (size % step >= step - step / 2 && step > 1), scale);
}

/* Four digits that matter, and the unit: "60.00 us". */
static void put_sized_duration(struct quipu__buffer *out, int64_t ns) {
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
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

void quipu__put_cell(struct quipu__buffer *out, const struct quipu_cell *cell,
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

void quipu__put_header(struct quipu__buffer *out, const struct quipu__cell_format *format) {
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
