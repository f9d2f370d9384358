/* render.c: showing tables: chooses the style, and holds what the styles share, JSON, CSV, DOT and text for Extra-P; text.c has text. */
#include "render/render.h"

#include "core/error.h"
#include "core/memory/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_BYTES ((size_t)1 << 16)

size_t quipu__rows_shown(const struct quipu__render *render, const struct quipu_table *table) {
    const size_t rows = quipu_table_row_count(table), limit = render->options->row_limit;
    return limit < rows ? limit : rows;
}

enum quipu_status quipu__render_row_end(struct quipu__render *render, struct quipu_error *err) {
    if (render->out.len < FLUSH_BYTES && !render->out.failed)
        return QUIPU_OK;
    return quipu__buffer_flush(&render->out, render->sink, err);
}

/* ---- JSON: a row per line: {"quipu", "table", "columns", "rows"}, or several under "tables" ----
 *
 * Integers are JSON integers of any size; exact decimals are strings, so that reading does not round them. */

static void put_json_columns(struct quipu__json *json, const struct quipu_table *table) {
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

static void put_json_cell(struct quipu__json *json, const struct quipu_cell *cell,
                          enum quipu_column_type type) {
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

static void put_json_row(struct quipu__json *json, const struct quipu_table *table, size_t row) {
    quipu__json_open(json, NULL, QUIPU__JSON_LIST);
    for (size_t i = 0; i < quipu_table_column_count(table); i++)
        put_json_cell(json, quipu_table_at(table, row, i), quipu_table_column_at(table, i)->type);
    quipu__json_close(json);
}

/* The members of one table's object. */
static enum quipu_status put_json_table(struct quipu__render *render, struct quipu__json *json,
                                        const struct quipu_table *table, struct quipu_error *err) {
    const size_t rows = quipu__rows_shown(render, table);
    enum quipu_status status = QUIPU_OK;
    quipu__json_text(json, "table", quipu_table_name(table));
    put_json_columns(json, table);
    quipu__json_open(json, "rows", QUIPU__JSON_ROWS);
    for (size_t row = 0; row < rows && status == QUIPU_OK; row++) {
        put_json_row(json, table, row);
        status = quipu__render_row_end(render, err);
    }
    quipu__json_close(json);
    return status;
}

static enum quipu_status put_json_tables(struct quipu__render *render, struct quipu__json *json,
                                         struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    quipu__json_open(json, "tables", QUIPU__JSON_LINES);
    for (size_t i = 0; i < render->count && status == QUIPU_OK; i++) {
        quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
        status = put_json_table(render, json, render->tables[i], err);
        quipu__json_close(json);
    }
    quipu__json_close(json);
    return status;
}

static enum quipu_status render_json(struct quipu__render *render, struct quipu_error *err) {
    struct quipu__json json = quipu__json_init(&render->out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    const enum quipu_status status = render->count == 1 ? put_json_table(render, &json, render->tables[0], err)
                                                        : put_json_tables(render, &json, err);
    quipu__json_close(&json);
    return status;
}

/* ---- CSV: comma-separated values by RFC 4180 ----
 *
 * A header, lines that end in LF, as tools of the shell expect, quotes where a value needs them. Null is an empty value; an empty text
 * has quotes. Several tables are separated by an empty line. Ends of lines and tabs stay in values, other invisible characters are
 * escaped. */

static void put_unquoted(struct quipu__buffer *out, const char *text, size_t len) {
    quipu__put_escaped_but(out, text, len, "\r\n\t");
}

void quipu__put_csv_text(struct quipu__buffer *out, const char *text) {
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

static void put_csv_cell(struct quipu__buffer *out, const struct quipu_cell *cell,
                         enum quipu_column_type type) {
    if (cell->is_null)
        return;
    if (!quipu__is_number(type))
        quipu__put_csv_text(out, cell->text);
    else
        quipu__put_cell_number(out, cell, type);
}

static void put_csv_separator(struct quipu__buffer *out, size_t column) {
    if (column > 0)
        quipu__put_u8(out, ',');
}

static enum quipu_status put_csv_table(struct quipu__render *render, const struct quipu_table *table,
                                       struct quipu_error *err) {
    struct quipu__buffer *out = &render->out;
    const size_t columns = quipu_table_column_count(table), rows = quipu__rows_shown(render, table);
    for (size_t i = 0; i < columns; i++) {
        put_csv_separator(out, i);
        quipu__put_csv_text(out, quipu_table_column_at(table, i)->name);
    }
    quipu__put_text(out, "\n");
    enum quipu_status status = QUIPU_OK;
    for (size_t row = 0; row < rows && status == QUIPU_OK; row++) {
        for (size_t i = 0; i < columns; i++) {
            put_csv_separator(out, i);
            put_csv_cell(out, quipu_table_at(table, row, i), quipu_table_column_at(table, i)->type);
        }
        quipu__put_text(out, "\n");
        status = quipu__render_row_end(render, err);
    }
    return status;
}

static enum quipu_status render_csv(struct quipu__render *render, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < render->count && status == QUIPU_OK; i++) {
        if (i > 0)
            quipu__put_text(&render->out, "\n");
        status = put_csv_table(render, render->tables[i], err);
    }
    return status;
}

/* ---- DOT: a graph of the rows of a table ---- */

/* Columns of a graph; those behind the receiver may be missing. */
enum { SENDER, RECEIVER, SENDER_ID, RECEIVER_ID, MESSAGES, BYTES, GRAPH_COLUMNS };

struct graph {
    struct quipu__render *render;
    const struct quipu_table *table;
    size_t columns[GRAPH_COLUMNS]; /* SIZE_MAX: missing */
    struct quipu__map nodes;       /* those that have been put */
    struct quipu__buffer node;     /* at hand */
    uint64_t most_bytes;
};

static bool find_graph(struct graph *graph) {
    static const char *const names[GRAPH_COLUMNS] = {"sender",      "receiver", "sender_id",
                                                     "receiver_id", "messages", "bytes"};
    const struct quipu__render *render = graph->render;
    for (size_t i = 0; i < render->count; i++) {
        graph->table = render->tables[i];
        for (unsigned column = 0; column < GRAPH_COLUMNS; column++)
            graph->columns[column] = quipu_table_column_find(graph->table, names[column]);
        if (graph->columns[SENDER] != SIZE_MAX && graph->columns[RECEIVER] != SIZE_MAX)
            return true;
    }
    return false;
}

/* NULL: there is none, or it is null. */
static const struct quipu_cell *graph_cell(const struct graph *graph, size_t row, unsigned column) {
    const size_t number = graph->columns[column];
    const struct quipu_cell *cell = number == SIZE_MAX ? NULL : quipu_table_at(graph->table, row, number);
    return cell && !cell->is_null ? cell : NULL;
}

static void put_dot_text(struct quipu__buffer *out, const char *text) {
    for (const char *rest = text; *rest;) {
        const size_t len = strcspn(rest, "\"\\");
        quipu__put_escaped(out, rest, len);
        rest += len;
        if (*rest) {
            quipu__put_u8(out, '\\');
            quipu__put_u8(out, (uint8_t)*rest++);
        }
    }
}

/* What a node is called: its number, else its name, else what stands for all others. */
static void name_node(struct graph *graph, size_t row, unsigned column) {
    const struct quipu_cell *id = graph_cell(graph, row, column + SENDER_ID);
    graph->node.len = 0;
    quipu__put_u8(&graph->node, '"');
    if (id) {
        quipu__put_cell_number(&graph->node, id,
                               quipu_table_column_at(graph->table, graph->columns[column + SENDER_ID])->type);
    } else {
        const struct quipu_cell *name = graph_cell(graph, row, column);
        quipu__put_text(&graph->node, name ? "=" : "others");
        put_dot_text(&graph->node, name ? name->text : "");
    }
    quipu__put_u8(&graph->node, '"');
}

static bool put_node(struct graph *graph, size_t row, unsigned column) {
    struct quipu__buffer *out = &graph->render->out;
    name_node(graph, row, column);
    const uint64_t key = quipu__hash(graph->node.data, graph->node.len, graph->nodes.seed);
    if (graph->node.failed || quipu__map_get(&graph->nodes, key) != QUIPU_NONE)
        return !graph->node.failed;
    const struct quipu_cell *name = graph_cell(graph, row, column);
    quipu__put_text(out, "  ");
    quipu__put(out, graph->node.data, graph->node.len);
    quipu__put_text(out, " [label=\"");
    put_dot_text(out, name ? name->text : "all others");
    quipu__put_text(out, "\"];\n");
    return quipu__map_put(&graph->nodes, key, 0);
}

/* Lines are 1 to 8 points wide. */
static void put_edge(struct graph *graph, size_t row) {
    enum { WIDER = 70 };
    struct quipu__buffer *out = &graph->render->out;
    const struct quipu_cell *cell = graph_cell(graph, row, MESSAGES);
    const uint64_t messages = cell ? cell->u : 0;
    cell = graph_cell(graph, row, BYTES);
    const uint64_t bytes = cell ? cell->u : 0;
    const unsigned tenths =
        10 + (graph->most_bytes > 0 ? (unsigned)((double)bytes / (double)graph->most_bytes * WIDER + 0.5) : 0);
    quipu__put_text(out, "  ");
    name_node(graph, row, SENDER);
    quipu__put(out, graph->node.data, graph->node.len);
    quipu__put_text(out, " -> ");
    name_node(graph, row, RECEIVER);
    quipu__put(out, graph->node.data, graph->node.len);
    quipu__put_format(out, " [messages=%" PRIu64 ", bytes=%" PRIu64, messages, bytes);
    quipu__put_format(out, ", label=\"%" PRIu64 " in %" PRIu64 "\", penwidth=%u.%u];\n", bytes, messages,
                      tenths / 10, tenths % 10);
}

static enum quipu_status put_graph(struct graph *graph, struct quipu_error *err) {
    struct quipu__buffer *out = &graph->render->out;
    const size_t rows = quipu__rows_shown(graph->render, graph->table);
    enum quipu_status status = QUIPU_OK;
    quipu__put_format(out, "digraph \"%s\" {\n  node [shape=box];\n", quipu_table_name(graph->table));
    for (size_t row = 0; row < rows; row++) {
        const struct quipu_cell *bytes = graph_cell(graph, row, BYTES);
        graph->most_bytes = bytes && bytes->u > graph->most_bytes ? bytes->u : graph->most_bytes;
        if (!put_node(graph, row, SENDER) || !put_node(graph, row, RECEIVER))
            return quipu__no_memory(err, graph->node.len);
    }
    for (size_t row = 0; row < rows && status == QUIPU_OK; row++) {
        put_edge(graph, row);
        status = quipu__render_row_end(graph->render, err);
    }
    quipu__put_text(out, "}\n");
    return status;
}

static enum quipu_status render_dot(struct quipu__render *render, struct quipu_error *err) {
    struct graph graph = {.render = render};
    if (!find_graph(&graph))
        return quipu__fail(err, QUIPU_MISUSE, "no table of this answer says who sends to whom");
    quipu__map_init(&graph.nodes, &render->memory);
    quipu__buffer_init(&graph.node, &render->memory, 0);
    const enum quipu_status status = put_graph(&graph, err);
    quipu__map_release(&graph.nodes);
    quipu__buffer_release(&graph.node);
    return status;
}

/* ---- Extra-P: a profile of several traces ---- */

enum { PATH, REGION, NUMBER, PARAMETER, POINT, LOCATIONS, FIRST_METRIC, METRICS = 4 };
enum { PROFILE_COLUMNS = FIRST_METRIC + METRICS, POINT_MOST = 64 };

/* Rows are in groups: one of each trace, in the same order. */
struct profiles {
    struct quipu__render *render;
    const struct quipu_table *table;
    size_t columns[PROFILE_COLUMNS], traces;
};

static const char *profile_text(const struct profiles *profiles, size_t row, unsigned column) {
    const struct quipu_cell *cell = quipu_table_at(profiles->table, row, profiles->columns[column]);
    return cell->is_null ? "" : cell->text;
}

static bool find_profiles(struct profiles *profiles) {
    static const char *const names[PROFILE_COLUMNS] = {
        "path",      "region",       "number", "parameter",     "point",
        "locations", "exclusive_ns", "calls",  "messages_sent", "bytes_sent"};
    bool is_found = profiles->render->count > 0;
    profiles->table = is_found ? profiles->render->tables[0] : NULL;
    for (unsigned i = 0; i < PROFILE_COLUMNS && is_found; i++) {
        profiles->columns[i] = quipu_table_column_find(profiles->table, names[i]);
        is_found = profiles->columns[i] != SIZE_MAX;
    }
    return is_found;
}

/* Whether the row of the same trace in the first group is the first one of its point. */
static bool begins_point(const struct profiles *profiles, size_t trace) {
    char point[POINT_MOST];
    snprintf(point, sizeof point, "%s", profile_text(profiles, trace, POINT));
    for (size_t i = 0; i < trace; i++)
        if (strcmp(profile_text(profiles, i, POINT), point) == 0)
            return false;
    return true;
}

/* Text up to the end of the line: what separates regions of a path is an arrow there, and an arrow in a name is none. */
static void put_callpath(struct quipu__buffer *out, const char *text, bool is_path) {
    static const char *const from[] = {"->", " > "}, *const to[] = {"- >", "->"};
    while (*text) {
        const unsigned which = is_path && strncmp(text, " > ", 3) == 0;
        const size_t len = strlen(from[which]);
        if (strncmp(text, from[which], len) == 0) {
            quipu__put_text(out, to[which]);
            text += len;
        } else {
            quipu__put_escaped(out, text++, 1);
        }
    }
    quipu__put_u8(out, '\n');
}

static void put_region(struct profiles *profiles, size_t row) {
    struct quipu__buffer *out = &profiles->render->out;
    const bool is_path = profile_text(profiles, row, PATH)[0] != '\0';
    const char *name = profile_text(profiles, row, is_path ? PATH : REGION);
    quipu__put_text(out, "REGION ");
    put_callpath(out, name[0] ? name : "(outside)", is_path);
}

/* The mean of the locations of a trace. */
static void put_measured(struct profiles *profiles, size_t row, unsigned metric) {
    const bool is_time = metric == 0;
    const struct quipu_cell *cell =
        quipu_table_at(profiles->table, row, profiles->columns[FIRST_METRIC + metric]);
    const double value = is_time ? (double)cell->i / 1e9 : (double)cell->u;
    const uint64_t locations = quipu_table_at(profiles->table, row, profiles->columns[LOCATIONS])->u;
    quipu__put_format(&profiles->render->out, is_time ? " %.12f" : " %.6f",
                      value / (double)(locations > 0 ? locations : 1));
}

/* A line for each point, with a value for each trace of it. */
static void put_group(struct profiles *profiles, size_t row, unsigned metric) {
    struct quipu__buffer *out = &profiles->render->out;
    char point[POINT_MOST];
    for (size_t i = 0; i < profiles->traces; i++) {
        if (!begins_point(profiles, i))
            continue;
        snprintf(point, sizeof point, "%s", profile_text(profiles, i, POINT));
        quipu__put_text(out, "DATA");
        for (size_t trace = i; trace < profiles->traces; trace++)
            if (strcmp(profile_text(profiles, trace, POINT), point) == 0)
                put_measured(profiles, row + trace, metric);
        quipu__put_text(out, "\n");
    }
}

static void put_points(struct profiles *profiles) {
    struct quipu__buffer *out = &profiles->render->out;
    quipu__put_text(out, "PARAMETER ");
    quipu__put_text(out, profile_text(profiles, 0, PARAMETER));
    quipu__put_text(out, "\nPOINTS");
    for (size_t i = 0; i < profiles->traces; i++)
        if (begins_point(profiles, i))
            quipu__put_format(out, " (%s)", profile_text(profiles, i, POINT));
    quipu__put_text(out, "\n");
}

static enum quipu_status render_extra_p(struct quipu__render *render, struct quipu_error *err) {
    static const char *const metrics[METRICS] = {"time", "visits", "messages_sent", "bytes_sent"};
    struct profiles profiles = {.render = render};
    enum quipu_status status = QUIPU_OK;
    if (!find_profiles(&profiles))
        return quipu__fail(err, QUIPU_MISUSE, "this answer is no profile of several traces");
    const size_t rows = quipu_table_row_count(profiles.table);
    while (profiles.traces < rows &&
           quipu_table_at(profiles.table, profiles.traces, profiles.columns[NUMBER])->u == profiles.traces + 1)
        profiles.traces++;
    if (profiles.traces > 0)
        put_points(&profiles);
    for (unsigned metric = 0; metric < METRICS && profiles.traces > 0; metric++) {
        quipu__put_format(&render->out, "METRIC %s\n", metrics[metric]);
        for (size_t row = 0; row < rows && status == QUIPU_OK; row += profiles.traces) {
            put_region(&profiles, row);
            put_group(&profiles, row, metric);
            status = quipu__render_row_end(render, err);
        }
    }
    return status;
}

/* ---- All styles ---- */

enum quipu_status quipu_table_write(const struct quipu_table *const *tables, size_t count,
                                    const struct quipu_render_options *options, struct quipu_sink sink,
                                    struct quipu_error *err) {
    static quipu__style_fn *const styles[] = {
        [QUIPU_STYLE_TEXT] = quipu__render_text, [QUIPU_STYLE_JSON] = render_json,
        [QUIPU_STYLE_CSV] = render_csv,          [QUIPU_STYLE_DOT] = render_dot,
        [QUIPU_STYLE_EXTRA_P] = render_extra_p,
    };
    static const struct quipu_render_options defaults = QUIPU_RENDER_OPTIONS_INIT;
    struct quipu__render render = {
        .tables = tables, .count = count, .options = options ? options : &defaults, .sink = sink};
    quipu__memory_init(&render.memory, &render.options->allocator, 0);
    quipu__buffer_init(&render.out, &render.memory, 0);
    enum quipu_status status = styles[render.options->style](&render, err);
    if (status == QUIPU_OK)
        status = quipu__buffer_flush(&render.out, sink, err);
    quipu__buffer_release(&render.out);
    return status;
}
