/* json.c: tables as JSON, a row per line: {"quipu", "table", "columns", "rows"}, or several under "tables".
 * Integers are JSON integers of any size; exact decimals are strings, so that nobody rounds them by reading. */
#include "render/render.h"

#include <string.h>

static void put_string(struct quipu__buffer *out, const char *text) {
    quipu__put_json(out, text, strlen(text));
}

static void put_columns(struct quipu__buffer *out, const struct quipu_table *table) {
    static const char *const names[] = {
        [QUIPU_TYPE_TEXT] = "text", [QUIPU_TYPE_I64] = "i64",         [QUIPU_TYPE_U64] = "u64",
        [QUIPU_TYPE_F64] = "f64",   [QUIPU_TYPE_DECIMAL] = "decimal",
    };
    quipu__put_text(out, "\"columns\": [");
    for (size_t i = 0; i < quipu_table_column_count(table); i++) {
        const struct quipu_table_column *column = quipu_table_column_at(table, i);
        quipu__put_text(out, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        put_string(out, column->name);
        quipu__put_format(out, ", \"type\": \"%s\", \"unit\": ", names[column->type]);
        put_string(out, column->unit);
        quipu__put_text(out, ", \"doc\": ");
        put_string(out, column->doc);
        quipu__put_text(out, "}");
    }
    quipu__put_text(out, "]");
}

static void put_cell(struct quipu__buffer *out, const struct quipu_cell *cell, enum quipu_column_type type) {
    if (cell->is_null)
        quipu__put_text(out, "null");
    else if (type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL)
        put_string(out, cell->text);
    else
        quipu__put_cell_number(out, cell, type);
}

static void put_row(struct quipu__buffer *out, const struct quipu_table *table, size_t row) {
    quipu__put_text(out, row ? ",\n  [" : "\n  [");
    for (size_t i = 0; i < quipu_table_column_count(table); i++) {
        if (i > 0)
            quipu__put_text(out, ", ");
        put_cell(out, quipu_table_at(table, row, i), quipu_table_column_at(table, i)->type);
    }
    quipu__put_text(out, "]");
}

/* The members of one table's object. */
static enum quipu_status put_table(struct quipu__render *render, const struct quipu_table *table,
                                   struct quipu_error *err) {
    quipu__put_text(&render->out, "\"table\": ");
    put_string(&render->out, quipu_table_name(table));
    quipu__put_text(&render->out, ", ");
    put_columns(&render->out, table);
    quipu__put_text(&render->out, ", \"rows\": [");
    enum quipu_status status = QUIPU_OK;
    const size_t rows = quipu__rows_shown(render, table);
    for (size_t row = 0; row < rows && status == QUIPU_OK; row++) {
        put_row(&render->out, table, row);
        status = quipu__render_row_end(render, err);
    }
    quipu__put_text(&render->out, "]");
    return status;
}

enum quipu_status quipu__render_json(struct quipu__render *render, struct quipu_error *err) {
    const bool several = render->count != 1;
    enum quipu_status status = QUIPU_OK;
    quipu__put_text(&render->out, "{\"quipu\": ");
    quipu__put_json_head(&render->out);
    quipu__put_text(&render->out, several ? ", \"tables\": [" : ", ");
    for (size_t i = 0; i < render->count && status == QUIPU_OK; i++) {
        if (several)
            quipu__put_text(&render->out, i ? ",\n{" : "\n{");
        status = put_table(render, render->tables[i], err);
        if (several)
            quipu__put_text(&render->out, "}");
    }
    quipu__put_text(&render->out, several ? "]}\n" : "}\n");
    return status;
}
