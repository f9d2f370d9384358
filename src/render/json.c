/* json.c: tables as JSON, a row per line: {"quipu", "table", "columns", "rows"}, or several under "tables".
 * Integers are JSON integers of any size; exact decimals are strings, so that reading does not round them. */
#include "render/cells.h"
#include "render/render.h"

static void put_columns(struct quipu__json *json, const struct quipu_table *table) {
    static const char *const names[] = {
        [QUIPU_TYPE_TEXT] = "text", [QUIPU_TYPE_I64] = "i64",         [QUIPU_TYPE_U64] = "u64",
        [QUIPU_TYPE_F64] = "f64",   [QUIPU_TYPE_DECIMAL] = "decimal", [QUIPU_TYPE_JSON] = "json",
        [QUIPU_TYPE_TIME] = "i64",
    };
    quipu__json_open(json, "columns", QUIPU__JSON_ROWS);
    for (size_t i = 0; i < quipu_table_column_count(table); i++) {
        const struct quipu_table_column *column = quipu_table_column_at(table, i);
        quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
        quipu__json_text(json, "name", column->name);
        quipu__json_text(json, "type", names[column->type]);
        quipu__json_text(json, "unit", column->unit);
        quipu__json_text(json, "doc", column->doc);
        quipu__json_close(json);
    }
    quipu__json_close(json);
}

static void put_cell(struct quipu__json *json, const struct quipu_cell *cell, enum quipu_column_type type) {
    if (cell->is_null) {
        quipu__json_null(json, NULL);
    } else if (type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL) {
        quipu__json_text(json, NULL, cell->text);
    } else if (type == QUIPU_TYPE_JSON) {
        quipu__json_key(json, NULL);
        quipu__put_text(json->out, cell->text);
    } else {
        quipu__json_key(json, NULL);
        quipu__put_cell_number(json->out, cell, type);
    }
}

static void put_row(struct quipu__json *json, const struct quipu_table *table, size_t row) {
    quipu__json_open(json, NULL, QUIPU__JSON_LIST);
    for (size_t i = 0; i < quipu_table_column_count(table); i++)
        put_cell(json, quipu_table_at(table, row, i), quipu_table_column_at(table, i)->type);
    quipu__json_close(json);
}

/* The members of one table's object. */
static enum quipu_status put_table(struct quipu__render *render, struct quipu__json *json,
                                   const struct quipu_table *table, struct quipu_error *err) {
    const size_t rows = quipu__rows_shown(render, table);
    enum quipu_status status = QUIPU_OK;
    quipu__json_text(json, "table", quipu_table_name(table));
    put_columns(json, table);
    quipu__json_open(json, "rows", QUIPU__JSON_ROWS);
    for (size_t row = 0; row < rows && status == QUIPU_OK; row++) {
        put_row(json, table, row);
        status = quipu__render_row_end(render, err);
    }
    quipu__json_close(json);
    return status;
}

static enum quipu_status put_tables(struct quipu__render *render, struct quipu__json *json,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    quipu__json_open(json, "tables", QUIPU__JSON_LINES);
    for (size_t i = 0; i < render->count && status == QUIPU_OK; i++) {
        quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
        status = put_table(render, json, render->tables[i], err);
        quipu__json_close(json);
    }
    quipu__json_close(json);
    return status;
}

enum quipu_status quipu__render_json(struct quipu__render *render, struct quipu_error *err) {
    struct quipu__json json = quipu__json_init(&render->out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    const enum quipu_status status =
        render->count == 1 ? put_table(render, &json, render->tables[0], err) : put_tables(render, &json, err);
    quipu__json_close(&json);
    return status;
}
