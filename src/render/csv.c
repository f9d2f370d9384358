/* csv.c: tables as comma-separated values by RFC 4180: a header, lines that end in LF, as tools of the shell expect, quotes where a value needs
 * them. Null is an empty value; an empty text has quotes. Several tables are separated by an empty line. Ends of lines
 * and tabs stay in values, other invisible characters are escaped. */
#include "render/cells.h"
#include "render/render.h"

#include <string.h>

static void put_unquoted(struct quipu__buffer *out, const char *text, size_t len) {
    quipu__put_escaped_but(out, text, len, "\r\n\t");
}

static void put_quoted(struct quipu__buffer *out, const char *text) {
    if (text[0] && !strpbrk(text, ",\"\r\n")) {
        put_unquoted(out, text, strlen(text));
        return;
    }
    quipu__put_u8(out, '"');
    for (const char *rest = text; *rest;) {
        const size_t len = strcspn(rest, "\"");
        put_unquoted(out, rest, len);
        rest += len;
        if (*rest == '"') {
            quipu__put_text(out, "\"\"");
            rest++;
        }
    }
    quipu__put_u8(out, '"');
}

static void put_cell(struct quipu__buffer *out, const struct quipu_cell *cell, enum quipu_column_type type) {
    if (cell->is_null)
        return;
    if (!quipu__is_number(type))
        put_quoted(out, cell->text);
    else
        quipu__put_cell_number(out, cell, type);
}

static void put_separator(struct quipu__buffer *out, size_t column) {
    if (column > 0)
        quipu__put_u8(out, ',');
}

static enum quipu_status put_table(struct quipu__render *render, const struct quipu_table *table,
                                   struct quipu_error *err) {
    struct quipu__buffer *out = &render->out;
    const size_t columns = quipu_table_column_count(table), rows = quipu__rows_shown(render, table);
    for (size_t i = 0; i < columns; i++) {
        put_separator(out, i);
        put_quoted(out, quipu_table_column_at(table, i)->name);
    }
    quipu__put_text(out, "\n");
    enum quipu_status status = QUIPU_OK;
    for (size_t row = 0; row < rows && status == QUIPU_OK; row++) {
        for (size_t i = 0; i < columns; i++) {
            put_separator(out, i);
            put_cell(out, quipu_table_at(table, row, i), quipu_table_column_at(table, i)->type);
        }
        quipu__put_text(out, "\n");
        status = quipu__render_row_end(render, err);
    }
    return status;
}

enum quipu_status quipu__render_csv(struct quipu__render *render, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < render->count && status == QUIPU_OK; i++) {
        if (i > 0)
            quipu__put_text(&render->out, "\n");
        status = put_table(render, render->tables[i], err);
    }
    return status;
}
