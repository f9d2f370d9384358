/* definitions.c: the definitions of a trace as tables, one per class: number, the format's own number, name and everything else
 * that is known of each. */
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "core/memory/buffer.h"
#include "core/error.h"
#include "table/table.h"
#include "trace/reader.h"

#include <quipu/analysis.h>

/* ---- Words for numbers ---- */

#define WORD(words, number) ((size_t)(number) < sizeof(words) / sizeof *(words) ? (words)[number] : NULL)

static const char *const location_kinds[] = {
    [QUIPU_LOCATION_UNKNOWN] = "unknown",
    [QUIPU_LOCATION_MACHINE] = "machine",
    [QUIPU_LOCATION_NODE] = "node",
    [QUIPU_LOCATION_PROCESS] = "process",
    [QUIPU_LOCATION_THREAD] = "thread",
    [QUIPU_LOCATION_CPU] = "cpu",
    [QUIPU_LOCATION_DEVICE] = "device",
    [QUIPU_LOCATION_FILE_SYSTEM] = "file-system",
    [QUIPU_LOCATION_APPLICATION] = "application",
};
static const char *const region_roles[] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
};
static const char *const nestings[] = {[QUIPU_NESTING_STRICT] = "strict", [QUIPU_NESTING_FREE] = "free"};
static const char *const metric_values[] = {
    [QUIPU_METRIC_U64] = "u64", [QUIPU_METRIC_I64] = "i64", [QUIPU_METRIC_F64] = "f64"};
static const char *const metric_modes[] = {[QUIPU_METRIC_ACCUMULATED] = "accumulated",
                                           [QUIPU_METRIC_POINT] = "point",
                                           [QUIPU_METRIC_LAST] = "last",
                                           [QUIPU_METRIC_NEXT] = "next"};
static const char *const severities[] = {"unknown", "error", "warning", "hint"};
static const char *const value_types[] = {
    [QUIPU_VALUE_CHAR] = "char",     [QUIPU_VALUE_I8] = "i8",   [QUIPU_VALUE_U8] = "u8",
    [QUIPU_VALUE_I16] = "i16",       [QUIPU_VALUE_U16] = "u16", [QUIPU_VALUE_I32] = "i32",
    [QUIPU_VALUE_U32] = "u32",       [QUIPU_VALUE_I64] = "i64", [QUIPU_VALUE_U64] = "u64",
    [QUIPU_VALUE_F32] = "f32",       [QUIPU_VALUE_F64] = "f64", [QUIPU_VALUE_BYTES] = "bytes",
    [QUIPU_VALUE_STRING] = "string",
};

/* ---- Rows ---- */

/* A row that is being made, and room for the texts of its lists. */
struct row {
    struct quipu__cells cells;
    struct quipu__buffer texts[2];
};

/* Unknown numbers are null. */
static void put_known(struct quipu__cells *cells, int64_t number) {
    if (number < 0)
        quipu__cells_put_null(cells);
    else
        quipu__cells_put_i64(cells, number);
}

static void put_native(struct quipu__cells *cells, uint64_t native_id) {
    if (native_id == QUIPU_UNKNOWN)
        quipu__cells_put_null(cells);
    else
        quipu__cells_put_u64(cells, native_id);
}

/* What all definitions have. */
static void put_head(struct quipu__cells *cells, uint32_t number, uint64_t native_id, const char *name) {
    quipu__cells_put_u64(cells, number);
    put_native(cells, native_id);
    quipu__cells_put_text(cells, name);
}

/* Numbers in order, runs of them as ranges: "0-3,7". */
static const char *put_list(struct quipu__buffer *text, const uint32_t *numbers, uint32_t count) {
    text->len = 0;
    for (uint32_t i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && numbers[last + 1] == numbers[last] + 1;)
            last++;
        quipu__put_text(text, i > 0 ? "," : "");
        quipu__put_u64(text, numbers[i]);
        if (last > i) {
            quipu__put_u8(text, '-');
            quipu__put_u64(text, numbers[last]);
        }
    }
    quipu__put_u8(text, '\0');
    return text->failed ? NULL : (const char *)text->data;
}

static const char *put_labels(struct quipu__buffer *text, const struct quipu_channel *channel) {
    text->len = 0;
    for (uint32_t i = 0; i < channel->label_count; i++) {
        quipu__put_text(text, i > 0 ? "," : "");
        quipu__put_i64(text, channel->labels[i].value);
        quipu__put_u8(text, '=');
        quipu__put_text(text, channel->labels[i].text);
    }
    quipu__put_u8(text, '\0');
    return text->failed ? NULL : (const char *)text->data;
}

/* ---- Classes ---- */

#define HEAD                                                                                                   \
    {"number", QUIPU_TYPE_U64, "", "number in events and tables, from 0"},                                     \
        {"native_id", QUIPU_TYPE_U64, "", "number that the files use"}, {                                      \
        "name", QUIPU_TYPE_TEXT, "", "name"                                                                    \
    }

static const struct quipu_table_column location_columns[] = {
    HEAD,
    {"kind", QUIPU_TYPE_TEXT, "", "machine, node, process, thread ..."},
    {"parent", QUIPU_TYPE_U64, "", "location that it is part of"},
    {"parent_name", QUIPU_TYPE_TEXT, "", "its name"},
    {"rank", QUIPU_TYPE_I64, "", "rank in the world communicator"},
    {"pid", QUIPU_TYPE_I64, "", "process number of the operating system"},
    {"tid", QUIPU_TYPE_I64, "", "thread number"},
    {"host", QUIPU_TYPE_TEXT, "", "name of the host"},
    {"clock_offset", QUIPU_TYPE_I64, "ticks", "by which its clock was corrected"},
    {"clock_drift", QUIPU_TYPE_I64, "", "of its clock, in parts per 10^12"},
};

static void put_location(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_location *it = &definitions->locations.items[number];
    struct quipu__cells *cells = &row->cells;
    put_head(cells, number, it->native_id, it->name);
    quipu__cells_put_text(cells, WORD(location_kinds, it->kind));
    put_known(cells, it->parent == QUIPU_NONE ? -1 : (int64_t)it->parent);
    quipu__cells_put_text(cells, quipu__name_of(definitions, QUIPU_REFERS_LOCATION, it->parent));
    put_known(cells, it->rank);
    put_known(cells, it->pid);
    put_known(cells, it->tid);
    quipu__cells_put_text(cells, it->host);
    quipu__cells_put_i64(cells, it->clock.offset);
    quipu__cells_put_i64(cells, it->clock.drift);
}

static const struct quipu_table_column region_columns[] = {
    HEAD,
    {"group", QUIPU_TYPE_TEXT, "", "name of its group"},
    {"role", QUIPU_TYPE_TEXT, "", "what it is for: function, mpi-p2p, io ..."},
    {"nesting", QUIPU_TYPE_TEXT, "", "strict: its calls lie inside each other; free: they may overlap"},
    {"source", QUIPU_TYPE_U64, "", "number of its place in source code"},
    {"file", QUIPU_TYPE_TEXT, "", "file of the source code"},
    {"line", QUIPU_TYPE_U64, "", "line in that file"},
};

static void put_region(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_region *it = &definitions->regions.items[number];
    struct quipu__cells *cells = &row->cells;
    put_head(cells, number, it->native_id, it->name);
    quipu__cells_put_text(cells, it->group);
    quipu__cells_put_text(cells, WORD(region_roles, it->role));
    quipu__cells_put_text(cells, WORD(nestings, it->nesting));
    if (it->source >= definitions->sources.count) {
        quipu__cells_put_null(cells);
        quipu__cells_put_null(cells);
        quipu__cells_put_null(cells);
        return;
    }
    quipu__cells_put_u64(cells, it->source);
    quipu__cells_put_text(cells, definitions->sources.items[it->source].file);
    quipu__cells_put_u64(cells, definitions->sources.items[it->source].line);
}

static const struct quipu_table_column source_columns[] = {
    {"number", QUIPU_TYPE_U64, "", "number in events and tables, from 0"},
    {"native_id", QUIPU_TYPE_U64, "", "number that the files use"},
    {"file", QUIPU_TYPE_TEXT, "", "file of the source code"},
    {"line", QUIPU_TYPE_U64, "", "line in that file"},
};

static void put_source(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_source *it = &definitions->sources.items[number];
    put_head(&row->cells, number, it->native_id, it->file);
    quipu__cells_put_u64(&row->cells, it->line);
}

static const struct quipu_table_column group_columns[] = {
    HEAD,
    {"size", QUIPU_TYPE_U64, "", "number of members"},
    {"members", QUIPU_TYPE_TEXT, "", "numbers of locations"},
};

static void put_group(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_group *it = &definitions->groups.items[number];
    put_head(&row->cells, number, it->native_id, it->name);
    quipu__cells_put_u64(&row->cells, it->member_count);
    quipu__cells_put_text(&row->cells, put_list(&row->texts[0], it->members, it->member_count));
}

static const struct quipu_table_column communicator_columns[] = {
    HEAD,
    {"size", QUIPU_TYPE_U64, "", "number of members"},
    {"members", QUIPU_TYPE_TEXT, "", "numbers of locations, by rank"},
    {"remote_size", QUIPU_TYPE_U64, "", "number of members of the other group"},
    {"remote_members", QUIPU_TYPE_TEXT, "", "numbers of their locations, by rank"},
};

static void put_communicator(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_group *it = &definitions->groups.items[number];
    put_group(row, definitions, number);
    quipu__cells_put_u64(&row->cells, it->remote_member_count);
    quipu__cells_put_text(&row->cells, put_list(&row->texts[1], it->remote_members, it->remote_member_count));
}

static const struct quipu_table_column file_columns[] = {HEAD,
                                                         {"group", QUIPU_TYPE_TEXT, "", "name of its group"}};

static void put_file(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_file *it = &definitions->files.items[number];
    put_head(&row->cells, number, it->native_id, it->name);
    quipu__cells_put_text(&row->cells, it->group);
}

static const struct quipu_table_column metric_columns[] = {
    HEAD,
    {"group", QUIPU_TYPE_TEXT, "", "name of its group"},
    {"unit", QUIPU_TYPE_TEXT, "", "unit of its values"},
    {"type", QUIPU_TYPE_TEXT, "", "of its values: u64, i64 or f64"},
    {"mode", QUIPU_TYPE_TEXT, "",
     "accumulated since the start, at this point, since the last value, until the next"},
    {"properties", QUIPU_TYPE_U64, "", "bits of the format"},
};

static void put_metric(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_metric *it = &definitions->metrics.items[number];
    struct quipu__cells *cells = &row->cells;
    put_head(cells, number, it->native_id, it->name);
    quipu__cells_put_text(cells, it->group);
    quipu__cells_put_text(cells, it->unit);
    quipu__cells_put_text(cells, WORD(metric_values, it->value));
    quipu__cells_put_text(cells, WORD(metric_modes, it->mode));
    quipu__cells_put_u64(cells, it->properties);
}

static const struct quipu_table_column marker_columns[] = {
    HEAD, {"severity", QUIPU_TYPE_TEXT, "", "unknown, error, warning or hint"}};

static void put_marker(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_marker *it = &definitions->markers.items[number];
    put_head(&row->cells, number, it->native_id, it->name);
    quipu__cells_put_text(&row->cells, WORD(severities, it->severity));
}

static const struct quipu_table_column channel_columns[] = {
    HEAD,
    {"kind", QUIPU_TYPE_TEXT, "", "value, or stack of values"},
    {"labels", QUIPU_TYPE_TEXT, "", "names of values: 1=running"},
};

static void put_channel(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_channel *it = &definitions->channels.items[number];
    put_head(&row->cells, number, it->native_id, it->name);
    quipu__cells_put_text(&row->cells, it->is_stack ? "stack" : "value");
    quipu__cells_put_text(&row->cells, put_labels(&row->texts[0], it));
}

static const struct quipu_table_column task_type_columns[] = {HEAD};

static void put_task_type(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_task_type *it = &definitions->task_types.items[number];
    put_head(&row->cells, number, it->native_id, it->name);
}

static const struct quipu_table_column attribute_key_columns[] = {
    HEAD, {"type", QUIPU_TYPE_TEXT, "", "of its values"}, {"doc", QUIPU_TYPE_TEXT, "", "what it means"}};

static void put_attribute_key(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_attribute_key *it = &definitions->attribute_keys.items[number];
    put_head(&row->cells, number, it->native_id, it->name);
    quipu__cells_put_text(&row->cells, it->is_json ? "json" : WORD(value_types, it->type));
    quipu__cells_put_text(&row->cells, it->doc);
}

/* ---- Tables ---- */

/* Which of a list belong to a class: communicators are groups of a kind. */
static bool is_group(const struct quipu_definitions *definitions, uint32_t number) {
    return !definitions->groups.items[number].is_communicator;
}

static bool is_communicator(const struct quipu_definitions *definitions, uint32_t number) {
    return definitions->groups.items[number].is_communicator;
}

typedef void put_fn(struct row *row, const struct quipu_definitions *definitions, uint32_t number);

static const struct definition_class {
    struct quipu_analysis_table table;
    size_t count_offset; /* of the list's length */
    put_fn *put;
    bool (*is_member)(const struct quipu_definitions *definitions, uint32_t number); /* NULL: all are */
} definition_classes[] = {
#define LISTED(name, doc, plural, singular, is_member)                                                         \
    {{name, doc, singular##_columns, sizeof singular##_columns / sizeof *singular##_columns},                  \
     offsetof(struct quipu_definitions, plural.count),                                                         \
     put_##singular,                                                                                           \
     is_member},
    LISTED("locations", "where events happen: machines, nodes, processes, threads, CPUs", locations, location,
           NULL) LISTED("regions", "what can be entered and left: functions, MPI calls, user blocks", regions,
                        region, NULL) LISTED("sources", "places in source code", sources, source, NULL)
        LISTED("groups", "groups of locations", groups, group, is_group)
            LISTED("communicators", "communicators, with their members by rank", groups, communicator,
                   is_communicator) LISTED("files", "files that are read and written", files, file, NULL)
                LISTED("metrics", "counters and gauges", metrics, metric, NULL)
                    LISTED("markers", "types of markers", markers, marker, NULL)
                        LISTED("channels", "variables of a location over time", channels, channel, NULL)
                            LISTED("task_types", "types of tasks", task_types, task_type, NULL)
                                LISTED("attribute_keys", "meanings of attribute keys", attribute_keys,
                                       attribute_key, NULL)
#undef LISTED
};
enum { DEFINITION_CLASS_COUNT = sizeof definition_classes / sizeof *definition_classes };

const struct quipu_analysis_table *quipu_definition_class_at(size_t index) {
    return index < DEFINITION_CLASS_COUNT ? &definition_classes[index].table : NULL;
}

static enum quipu_status add_rows(struct quipu_table *table, const struct definition_class *definition_class,
                                  struct row *row, struct quipu_error *err) {
    const struct quipu_definitions *definitions = row->cells.definitions;
    uint32_t count;
    memcpy(&count, (const char *)definitions + definition_class->count_offset, sizeof count);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++) {
        if (definition_class->is_member && !definition_class->is_member(definitions, i))
            continue;
        row->cells.count = 0;
        definition_class->put(row, definitions, i);
        status = quipu_table_add(table, row->cells.items, err);
    }
    return status == QUIPU_OK ? quipu__memory_status(row->texts[0].memory, err) : status;
}

static enum quipu_status add_table(struct quipu_tables *tables, const struct definition_class *definition_class,
                                   struct row *row, struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__analysis_table_new(&definition_class->table, tables, &table, err);
    return status == QUIPU_OK ? add_rows(table, definition_class, row, err) : status;
}

static bool is_wanted(const struct definition_class *definition_class, const char *name) {
    return !name || strcmp(definition_class->table.name, name) == 0;
}

static enum quipu_status add_tables(struct quipu_tables *tables, const char *name, struct row *row,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    bool found = false;
    for (size_t i = 0; i < DEFINITION_CLASS_COUNT && status == QUIPU_OK; i++) {
        if (!is_wanted(&definition_classes[i], name))
            continue;
        found = true;
        status = add_table(tables, &definition_classes[i], row, err);
    }
    return found || status != QUIPU_OK
               ? status
               : quipu__fail(err, QUIPU_NOT_FOUND, "no class of definitions \"%s\"", name);
}

enum quipu_status quipu_definition_tables(struct quipu_reader *reader, const char *name,
                                          struct quipu_tables **out, struct quipu_error *err) {
    struct quipu__memory memory;
    struct row row = {.cells = quipu__cells_of(quipu_reader_definitions(reader))};
    quipu__memory_like(&memory, quipu__reader_trace(reader)->memory);
    enum quipu_status status = quipu__tables_new(&memory.allocator, out, err);
    if (status != QUIPU_OK)
        return status;
    for (size_t i = 0; i < sizeof row.texts / sizeof *row.texts; i++)
        quipu__buffer_init(&row.texts[i], &memory, 0);
    status = add_tables(*out, name, &row, err);
    for (size_t i = 0; i < sizeof row.texts / sizeof *row.texts; i++)
        quipu__buffer_release(&row.texts[i]);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}
