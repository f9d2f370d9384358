/* rows.c: rows of relations as lines of CSV or JSON, by one process or by several, each into a file of its own. */
#include "core/error.h"
#include "core/files/output.h"
#include "core/memory/pack.h"
#include "relation/relation.h"
#include "render/render.h"
#include "trace/shared_reading.h"
#include "trace/writer.h"

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

/* met, if it is not NULL: of locations, those with events are marked there. */
static enum quipu_status write_rows(struct lines *lines, struct quipu_reader *reader,
                                    const struct quipu__relation *relation,
                                    const struct quipu_relation_options *options, bool *met, uint32_t met_count,
                                    struct quipu_error *err) {
    struct quipu__scan *scan = NULL;
    enum quipu_status status = quipu__scan_new(reader, relation, options, &scan, err);
    if (status != QUIPU_OK)
        return status;
    scan->met = met;
    scan->met_count = met_count;
    quipu__memory_like(&lines->render.memory, quipu__reader_trace(reader)->memory);
    quipu__buffer_init(&lines->render.out, &lines->render.memory, 0);
    quipu__buffer_init(&lines->text, &lines->render.memory, 0);
    status = put_all(lines, scan, err);
    quipu__buffer_release(&lines->render.out);
    quipu__buffer_release(&lines->text);
    quipu__scan_free(scan);
    return status;
}

enum quipu_status quipu_relation_write(struct quipu_reader *reader, const char *name,
                                       const struct quipu_relation_options *options,
                                       enum quipu_rows_style style, uint64_t row_limit, struct quipu_sink sink,
                                       uint64_t *rows, struct quipu_error *err) {
    struct lines lines = {.style = style, .row_limit = row_limit, .render.sink = sink};
    struct quipu__relation relation;
    enum quipu_status status = quipu__relation_find(name, &relation, err);
    if (status == QUIPU_OK)
        status = write_rows(&lines, reader, &relation, options, NULL, 0, err);
    if (rows)
        *rows = lines.count;
    return status;
}

/* ---- Parts ---- */

/* What a process writes of its streams; its counts become those of all. */
struct part {
    struct quipu_reader *reader;
    const struct quipu__relation *relation;
    const struct quipu_relation_options *options;
    enum quipu_rows_style style;
    struct quipu__outputs *outputs;
    struct quipu__file *file;
    uint64_t rows;
    bool *met; /* by location: it has events */
    uint32_t met_count;
};

static enum quipu_status refuse_parts(const struct part *part, const char *why, struct quipu_error *err) {
    const char *name = part->relation->shape->name;
    quipu__fail(err, QUIPU_UNSUPPORTED, "one process must write %s: %s", name, why);
    quipu__advise(err, "run \"quipu table %s\"", name);
    return QUIPU_UNSUPPORTED;
}

static enum quipu_status write_to_part(void *context, const void *data, size_t size, struct quipu_error *err) {
    const struct part *part = context;
    return quipu__file_write(part->file, data, size, err);
}

/* How many there are of each class: numbers of what is defined only while it is read depend on the order of reading. Keys of attributes are seen by their
 * names alone. */
static uint64_t count_definitions(const struct part *part) {
    const struct quipu_definitions *definitions = quipu_reader_definitions(part->reader);
    uint64_t count = 0;
#define QUIPU_DEFINITION(plural, singular, doc) count += definitions->plural.count;
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
    return count - definitions->attribute_keys.count;
}

static enum quipu_status read_part(void *context, const struct quipu__stream_range *range, bool *must_repeat,
                                   struct quipu_error *err) {
    struct part *part = context;
    const uint64_t defined = count_definitions(part);
    struct lines lines = {.style = part->style, .row_limit = UINT64_MAX, .render.sink = {write_to_part, part}};
    (void)must_repeat;
    quipu__reader_limit_streams(part->reader, range);
    const enum quipu_status status =
        write_rows(&lines, part->reader, part->relation, part->options, part->met, part->met_count, err);
    quipu__reader_limit_streams(part->reader, NULL);
    part->rows = lines.count;
    if (status != QUIPU_OK)
        return status;
    if (count_definitions(part) != defined)
        return refuse_parts(part, "the trace uses numbers that it does not define", err);
    return quipu__outputs_complete(part->outputs, err);
}

/* The first location from there on that is marked, or is not. */
static uint32_t next_change(const struct part *part, uint32_t from, bool is_met) {
    while (from < part->met_count && part->met[from] == is_met)
        from++;
    return from;
}

/* Rows, and the locations as ranges. */
static enum quipu_status save_part(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    const struct part *part = context;
    (void)err;
    quipu__pack_u64(out, part->rows);
    for (uint32_t first = next_change(part, 0, false), end; first < part->met_count;
         first = next_change(part, end, false)) {
        end = next_change(part, first, true);
        quipu__pack_u64(out, end - first);
        quipu__pack_u64(out, first);
    }
    quipu__pack_u64(out, 0);
    return QUIPU_OK;
}

static enum quipu_status add_part(void *context, struct quipu__slice *from, bool *must_repeat,
                                  struct quipu_error *err) {
    struct part *part = context;
    bool meet = false;
    (void)must_repeat;
    part->rows += quipu__unpack_u64(from);
    for (uint64_t length; (length = quipu__unpack_up_to(from, part->met_count)) > 0 && !from->failed;) {
        const uint64_t first = quipu__unpack_up_to(from, part->met_count - length);
        for (uint64_t i = first; i < first + length && !from->failed; i++) {
            meet |= part->met[i];
            part->met[i] = true;
        }
    }
    return meet && part->relation->parts == QUIPU__PARTS_OF_LOCATIONS
               ? refuse_parts(part, "a location has events in the streams of several processes", err)
               : QUIPU_OK;
}

static enum quipu_status name_part(void *context, struct quipu_error *err) {
    struct part *part = context;
    struct quipu__outputs *outputs = part->outputs;
    part->outputs = NULL;
    return quipu__outputs_commit(outputs, err);
}

static enum quipu_status write_part(struct part *part, struct quipu_error *err) {
    const struct quipu__shared_reader shared = {
        .context = part, .read = read_part, .save = save_part, .add = add_part, .writes = true};
    struct quipu__memory *memory = quipu__reader_trace(part->reader)->memory;
    bool must_repeat;
    part->met_count = quipu_reader_definitions(part->reader)->locations.count;
    part->met = quipu__alloc_zero(memory, part->met_count * sizeof *part->met);
    enum quipu_status status = part->met || part->met_count == 0
                                   ? quipu__read_shared(part->reader, &shared, &must_repeat, err)
                                   : quipu__no_memory(err, part->met_count);
    quipu__release(memory, part->met, part->met ? part->met_count * sizeof *part->met : 0);
    return status == QUIPU_OK ? quipu__name_shared(part->reader, name_part, part, err) : status;
}

static enum quipu_status check_part(const struct part *part, struct quipu_error *err) {
    const struct quipu_transport *transport = quipu__reader_sharing(part->reader)->transport;
    if (!transport || transport->only_gathers)
        return quipu__fail(err, QUIPU_MISUSE, "parts are written by processes that talk to each other");
    return part->relation->parts == QUIPU__NO_PARTS
               ? refuse_parts(part, "its rows are not those of single streams", err)
               : QUIPU_OK;
}

enum quipu_status quipu_relation_write_part(struct quipu_reader *reader, const char *name,
                                            const struct quipu_relation_options *options,
                                            enum quipu_rows_style style, const char *path, bool replace,
                                            struct quipu_guard *guard, uint64_t *rows,
                                            struct quipu_error *err) {
    struct quipu__relation relation;
    struct quipu__memory memory;
    struct part part = {.reader = reader, .relation = &relation, .options = options, .style = style};
    quipu__memory_init(&memory, NULL, 0);
    enum quipu_status status = quipu__relation_find(name, &relation, err);
    if (status == QUIPU_OK)
        status = check_part(&part, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_new(&memory, replace, 0, guard, &part.outputs, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_protect_reader(part.outputs, reader, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(part.outputs, path, 0, &part.file, err);
    if (status == QUIPU_OK)
        status = write_part(&part, err);
    quipu__outputs_discard(part.outputs);
    if (rows && status == QUIPU_OK)
        *rows = part.rows;
    return status;
}
