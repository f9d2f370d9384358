/* sql_result.c: the rows of a query as a table. SQLite's values have types, its columns have none: so all values are kept first, and then each column
 * gets the type that holds them. */
#include "core/error.h"
#include "core/memory/buffer.h"
#include "core/real.h"
#include "relation/sql.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdio.h>

/* Values of rows, one after the other: numbers as their bits, texts as their places among the texts. */
struct cells {
    struct quipu__memory memory;
    size_t column_count;
    QUIPU__VEC(uint8_t) types;
    QUIPU__VEC(uint64_t) values;
    struct quipu__buffer texts;
};

static void cells_init(struct cells *cells, const struct quipu_sql *sql) {
    *cells = (struct cells){.column_count = quipu_sql_column_count(sql)};
    quipu__memory_like(&cells->memory, sql->trace_count > 0 ? &sql->traces[0]->memory : &sql->memory);
    quipu__buffer_init(&cells->texts, &cells->memory, 0);
}

static void cells_release(struct cells *cells) {
    QUIPU__VEC_RELEASE(&cells->memory, &cells->types);
    QUIPU__VEC_RELEASE(&cells->memory, &cells->values);
    quipu__buffer_release(&cells->texts);
}

static uint64_t bits_of(struct cells *cells, const struct quipu_sql_value *value) {
    uint64_t bits = (uint64_t)value->i;
    if (value->type == QUIPU_SQL_REAL)
        memcpy(&bits, &value->f, sizeof bits);
    if (value->type == QUIPU_SQL_TEXT || value->type == QUIPU_SQL_BYTES) {
        bits = cells->texts.len;
        quipu__put(&cells->texts, value->text ? value->text : "", value->text ? value->size : 0);
        quipu__put_u8(&cells->texts, 0);
    }
    return bits;
}

static enum quipu_status keep_row(struct cells *cells, struct quipu_sql *sql, struct quipu_error *err) {
    bool is_retained = true;
    for (size_t i = 0; i < cells->column_count && is_retained; i++) {
        const struct quipu_sql_value value = quipu_sql_at(sql, i);
        is_retained = QUIPU__VEC_PUT(&cells->memory, &cells->types, (uint8_t)value.type) &&
                      QUIPU__VEC_PUT(&cells->memory, &cells->values, bits_of(cells, &value)) &&
                      !cells->texts.failed;
    }
    return is_retained ? QUIPU_OK : quipu__no_memory(err, cells->texts.len);
}

/* ---- Columns ---- */

static enum quipu_column_type type_of(const struct cells *cells, size_t column) {
    bool has[QUIPU_SQL_BYTES + 1] = {false};
    for (size_t i = column; i < cells->types.count; i += cells->column_count)
        has[cells->types.items[i]] = true;
    if (has[QUIPU_SQL_REAL] && !has[QUIPU_SQL_TEXT] && !has[QUIPU_SQL_BYTES])
        return QUIPU_TYPE_F64;
    return has[QUIPU_SQL_INTEGER] && !has[QUIPU_SQL_TEXT] && !has[QUIPU_SQL_BYTES] ? QUIPU_TYPE_I64
                                                                                   : QUIPU_TYPE_TEXT;
}

/* The handle owns the columns, which its tables refer to. */
static enum quipu_status name_columns(struct quipu_sql *sql, const struct cells *cells,
                                      struct quipu_error *err) {
    sql->columns.count = 0;
    quipu__arena_clear(&sql->names);
    for (size_t i = 0; i < cells->column_count; i++) {
        const char *name = quipu_sql_column_name(sql, i);
        const char *copy = quipu__arena_text(&sql->names, name, strlen(name));
        if (!copy || !QUIPU__VEC_PUT(&sql->memory, &sql->columns,
                                     (struct quipu_table_column){copy, type_of(cells, i), "", ""}))
            return quipu__no_memory(err, 0);
    }
    return QUIPU_OK;
}

/* ---- Rows ---- */

static double real_of(uint8_t type, uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return type == QUIPU_SQL_REAL ? value : (double)(int64_t)bits;
}

/* A number among texts, as SQLite writes it. */
enum { NUMBER_BYTES = 32 };
static const char *text_of(const struct cells *cells, size_t cell, char number[NUMBER_BYTES]) {
    const uint64_t bits = cells->values.items[cell];
    switch ((enum quipu_sql_type)cells->types.items[cell]) {
    case QUIPU_SQL_INTEGER:
        snprintf(number, NUMBER_BYTES, "%" PRId64, (int64_t)bits);
        return number;
    case QUIPU_SQL_REAL:
        quipu__print(number, NUMBER_BYTES, "%.15g", real_of(QUIPU_SQL_REAL, bits));
        return number;
    case QUIPU_SQL_NULL:
    case QUIPU_SQL_TEXT:
    case QUIPU_SQL_BYTES:
        break;
    }
    return (const char *)cells->texts.data + bits;
}

static void put_cell(const struct cells *cells, size_t cell, struct quipu_table *table, size_t column) {
    const enum quipu_column_type type = quipu_table_column_at(table, column)->type;
    const uint64_t bits = cells->values.items[cell];
    char number[NUMBER_BYTES];
    struct quipu_cell value = {.is_null = cells->types.items[cell] == QUIPU_SQL_NULL, {.u = bits}};
    if (type == QUIPU_TYPE_TEXT && !value.is_null)
        value.text = text_of(cells, cell, number);
    if (type == QUIPU_TYPE_F64)
        value.f = real_of(cells->types.items[cell], bits);
    quipu__table_put_cell(table, column, type, value);
}

static enum quipu_status make_table(struct quipu_sql *sql, const struct cells *cells, struct quipu_table **out,
                                    struct quipu_error *err) {
    enum quipu_status status = name_columns(sql, cells, err);
    if (status == QUIPU_OK)
        status = quipu__table_new(&cells->memory.allocator, "result", sql->columns.items, cells->column_count,
                                  out, err);
    for (size_t row = 0; row < cells->types.count && status == QUIPU_OK; row += cells->column_count) {
        for (size_t i = 0; i < cells->column_count; i++)
            put_cell(cells, row + i, *out, i);
        status = quipu__table_end_row(*out, err);
    }
    return status;
}

enum quipu_status quipu_sql_table(struct quipu_sql *sql, struct quipu_table **out, struct quipu_error *err) {
    struct cells cells;
    enum quipu_status status;
    *out = NULL;
    cells_init(&cells, sql);
    do {
        status = quipu_sql_next(sql, err);
        if (status == QUIPU_OK)
            status = keep_row(&cells, sql, err);
    } while (status == QUIPU_OK);
    if (status == QUIPU_END)
        status = make_table(sql, &cells, out, err);
    cells_release(&cells);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_table_free(*out);
    *out = NULL;
    return status;
}
