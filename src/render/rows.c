/* rows.c: rows of relations as lines of CSV or JSON. */
#include "core/error.h"
#include "relation/relation.h"
#include "render/render.h"
#include "trace/reader.h"

#include <string.h>

struct lines {
    struct quipu__render render; /* its buffer and sink */
    enum quipu_rows_style style;
    uint64_t row_limit, count;
    struct quipu__buffer text; /* a text with a NUL */
};

static const char *text_at(struct lines *lines, const struct quipu__row_column *column, size_t row) {
    size_t len;
    const char *text = quipu__row_text(column, row, &len);
    lines->text.len = 0;
    quipu__put(&lines->text, text, len);
    quipu__put_u8(&lines->text, '\0');
    lines->render.out.failed |= lines->text.failed;
    return lines->text.failed ? "" : (const char *)lines->text.data;
}

static void put_text_cell(struct lines *lines, const struct quipu__row_column *column, size_t row) {
    const char *text = text_at(lines, column, row);
    if (lines->style == QUIPU_ROWS_CSV)
        quipu__put_csv_text(&lines->render.out, text);
    else if (column->type == QUIPU_TYPE_JSON)
        quipu__put_text(&lines->render.out, text);
    else
        quipu__put_json(&lines->render.out, text, strlen(text));
}

static void put_cell(struct lines *lines, const struct quipu__row_column *column, size_t row) {
    if (!quipu__row_is_known(column, row)) {
        quipu__put_text(&lines->render.out, lines->style == QUIPU_ROWS_CSV ? "" : "null");
    } else if (column->has_texts) {
        put_text_cell(lines, column, row);
    } else {
        const struct quipu_cell cell = {.is_null = false, .u = quipu__row_value(column, row)};
        quipu__put_cell_number(&lines->render.out, &cell, column->type);
    }
}

static void put_row(struct lines *lines, const struct quipu__rows *rows, size_t row) {
    struct quipu__buffer *out = &lines->render.out;
    const bool is_csv = lines->style == QUIPU_ROWS_CSV;
    bool is_first = true;
    quipu__put_text(out, is_csv ? "" : "{");
    for (size_t i = 0; i < rows->column_count; i++) {
        const struct quipu__row_column *column = &rows->columns[i];
        if (!column->values)
            continue;
        if (!is_first)
            quipu__put_text(out, is_csv ? "," : ", ");
        if (!is_csv) {
            quipu__put_json(out, column->name, strlen(column->name));
            quipu__put_text(out, ": ");
        }
        put_cell(lines, column, row);
        is_first = false;
    }
    quipu__put_text(out, is_csv ? "\n" : "}\n");
}

static void put_header(struct lines *lines, const struct quipu__scan *scan) {
    const struct quipu__relation *relation = &scan->relation;
    bool is_first = true;
    for (size_t i = 0; i < relation->column_count; i++) {
        if (!scan->uses[i].is_wanted)
            continue;
        quipu__put_text(&lines->render.out, is_first ? "" : ",");
        quipu__put_csv_text(&lines->render.out, relation->columns[i].name);
        is_first = false;
    }
    quipu__put_text(&lines->render.out, "\n");
}

static enum quipu_status put_rows(struct lines *lines, const struct quipu__rows *rows,
                                  struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < rows->count && lines->count < lines->row_limit && status == QUIPU_OK; i++) {
        put_row(lines, rows, i);
        lines->count++;
        status = quipu__render_row_end(&lines->render, err);
    }
    return status;
}

static enum quipu_status put_all(struct lines *lines, struct quipu__scan *scan, struct quipu_error *err) {
    struct quipu__rows *rows;
    enum quipu_status status = QUIPU_OK;
    if (lines->style == QUIPU_ROWS_CSV)
        put_header(lines, scan);
    while (status == QUIPU_OK && lines->count < lines->row_limit &&
           (status = quipu__scan_next(scan, &rows, err)) == QUIPU_OK) {
        status = put_rows(lines, rows, err);
        quipu__rows_free(rows);
    }
    const bool has_failed = status != QUIPU_OK && status != QUIPU_END;
    const enum quipu_status flushed =
        quipu__buffer_flush(&lines->render.out, lines->render.sink, has_failed ? NULL : err);
    return has_failed ? status : flushed;
}

enum quipu_status quipu_relation_write(struct quipu_reader *reader, const char *name,
                                       const struct quipu_relation_options *options,
                                       enum quipu_rows_style style, uint64_t row_limit, struct quipu_sink sink,
                                       uint64_t *rows, struct quipu_error *err) {
    struct lines lines = {.style = style, .row_limit = row_limit, .render.sink = sink};
    struct quipu__relation relation;
    struct quipu__scan *scan = NULL;
    enum quipu_status status = quipu__relation_find(name, &relation, err);
    if (status == QUIPU_OK)
        status = quipu__scan_new(reader, &relation, options, &scan, err);
    if (status != QUIPU_OK)
        return status;
    quipu__memory_like(&lines.render.memory, quipu__reader_trace(reader)->memory);
    quipu__buffer_init(&lines.render.out, &lines.render.memory, 0);
    quipu__buffer_init(&lines.text, &lines.render.memory, 0);
    status = put_all(&lines, scan, err);
    quipu__buffer_release(&lines.render.out);
    quipu__buffer_release(&lines.text);
    quipu__scan_free(scan);
    if (rows)
        *rows = lines.count;
    return status;
}
