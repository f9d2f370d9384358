/* cells.c: see cells.h. */
#include "render/cells.h"

#include "schema/schema.h"
#include "table/table.h"

#include <inttypes.h>
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

/* ---- Times ---- */

static const struct time_unit {
    const char *name;
    uint64_t ns;
    int digits; /* behind the point when a cell is exact */
} time_units[] = {{"ns", 1, 0}, {"us", 1000, 3}, {"ms", 1000000, 6}, {"s", 1000000000, 9}};
enum { TIME_UNITS = sizeof time_units / sizeof *time_units };

bool quipu__is_time(const struct quipu__cell_format *format) {
    return format->time_unit && quipu__is_signed_type(format->column->type) &&
           strcmp(format->column->unit, "ns") == 0;
}

/* The unit of all cells of a column: the one asked for, else seconds of a point in time. NULL: each duration has one of its size. */
static const struct time_unit *fixed_unit(const struct quipu__cell_format *format) {
    for (size_t i = 0; i < TIME_UNITS; i++)
        if (strcmp(time_units[i].name, format->time_unit) == 0)
            return &time_units[i];
    return format->column->type == QUIPU_TYPE_TIME ? &time_units[TIME_UNITS - 1] : NULL;
}

/* A number of the unit with digits behind the point, half rounded up. */
static void put_number_of(struct quipu__buffer *out, int64_t ns, const struct time_unit *unit, int digits) {
    uint64_t step = unit->ns, scale = 1, size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    for (int i = 0; i < digits; i++) {
        step /= 10;
        scale *= 10;
    }
    size = size / step + (size % step >= step - step / 2 && step > 1);
    quipu__put_format(out, "%s%" PRIu64, ns < 0 ? "-" : "", size / scale);
    if (digits > 0)
        quipu__put_format(out, ".%0*" PRIu64, digits, size % scale);
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
    quipu__put_format(out, " %s", time_units[unit].name);
}

static void put_time(struct quipu__buffer *out, int64_t ns, const struct quipu__cell_format *format) {
    const struct time_unit *unit = fixed_unit(format);
    if (unit)
        put_number_of(out, ns, unit, unit->digits);
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
    else if (quipu__is_time(format))
        put_time(out, cell->i, format);
    else if (type == QUIPU_TYPE_F64 && format->time_unit)
        quipu__put_format(out, "%.*f", format->digits, cell->f);
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
    const struct time_unit *unit = fixed_unit(format);
    const char *name = format->column->name;
    const size_t len = len_before(name, "_ns");
    quipu__put(out, name, len > 0 ? len : strlen(name));
    if (unit)
        quipu__put_format(out, " [%s]", unit->name);
}

void quipu__put_header(struct quipu__buffer *out, const struct quipu__cell_format *format) {
    const char *name = format->column->name, *unit = format->column->unit;
    const size_t percent_len = len_before(name, "_percent");
    const bool is_percent = percent_len > 0 || strcmp(name, "percent") == 0;
    if (quipu__is_time(format)) {
        put_time_header(out, format);
    } else if (format->time_unit && is_percent) {
        quipu__put(out, name, percent_len);
        quipu__put_text(out, percent_len > 0 ? " %" : "%");
    } else {
        quipu__put_text(out, name);
        if (unit[0] && !strstr(name, unit))
            quipu__put_format(out, " [%s]", unit);
    }
}
