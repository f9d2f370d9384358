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
    [QUIPU_LOCATION_METER] = "meter",
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
    const struct quipu_definitions *definitions;
    struct quipu_table *table;
    struct quipu__buffer texts[2];
};

/* Unknown numbers are null. */
static void put_known(struct quipu_table *table, size_t column, int64_t number) {
    quipu__table_put_i64_if(table, column, number >= 0, number);
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

/* clang-format off */
#define HEAD(COLUMN, table) \
    COLUMN(table, number, U64, "", "number in events and tables, from 0") \
    COLUMN(table, native_id, U64, "", "number that the files use") \
    COLUMN(table, name, TEXT, "", "name")
#define DEFINITION_TABLES(TABLE, COLUMN, END) \
    TABLE(LOCATIONS, "locations", "where events happen: machines, nodes, processes, threads, CPUs") \
    HEAD(COLUMN, LOCATIONS) \
    COLUMN(LOCATIONS, kind, TEXT, "", "machine, node, process, thread ...") \
    COLUMN(LOCATIONS, parent, U64, "", "location that it is part of") \
    COLUMN(LOCATIONS, parent_name, TEXT, "", "its name") \
    COLUMN(LOCATIONS, rank, I64, "", "rank in the world communicator") \
    COLUMN(LOCATIONS, pid, I64, "", "process number of the operating system") \
    COLUMN(LOCATIONS, tid, I64, "", "thread number") \
    COLUMN(LOCATIONS, host, TEXT, "", "name of the host") \
    COLUMN(LOCATIONS, clock_offset, I64, "ticks", "by which its clock was corrected") \
    COLUMN(LOCATIONS, clock_drift, I64, "", "of its clock, in parts per 10^12") \
    END(LOCATIONS) \
    TABLE(REGIONS, "regions", "what can be entered and left: functions, MPI calls, user blocks") \
    HEAD(COLUMN, REGIONS) \
    COLUMN(REGIONS, group, TEXT, "", "name of its group") \
    COLUMN(REGIONS, role, TEXT, "", "what it is for: function, mpi-p2p, io ...") \
    COLUMN(REGIONS, nesting, TEXT, "", "strict: its calls lie inside each other; free: they may overlap") \
    COLUMN(REGIONS, source, U64, "", "number of its place in source code") \
    COLUMN(REGIONS, file, TEXT, "", "file of the source code") \
    COLUMN(REGIONS, line, U64, "", "line in that file") \
    END(REGIONS) \
    TABLE(SOURCES, "sources", "places in source code") \
    COLUMN(SOURCES, number, U64, "", "number in events and tables, from 0") \
    COLUMN(SOURCES, native_id, U64, "", "number that the files use") \
    COLUMN(SOURCES, file, TEXT, "", "file of the source code") \
    COLUMN(SOURCES, line, U64, "", "line in that file") \
    COLUMN(SOURCES, function, TEXT, "", "function that it lies in") \
    COLUMN(SOURCES, caller, U64, "", "place of the call that led there, such as what the function is inlined into") \
    END(SOURCES) \
    TABLE(GROUPS, "groups", "groups of locations") \
    HEAD(COLUMN, GROUPS) \
    COLUMN(GROUPS, size, U64, "", "number of members") \
    COLUMN(GROUPS, members, TEXT, "", "numbers of locations") \
    END(GROUPS) \
    TABLE(COMMUNICATORS, "communicators", "communicators, with their members by rank") \
    HEAD(COLUMN, COMMUNICATORS) \
    COLUMN(COMMUNICATORS, size, U64, "", "number of members") \
    COLUMN(COMMUNICATORS, members, TEXT, "", "numbers of locations, by rank") \
    COLUMN(COMMUNICATORS, remote_size, U64, "", "number of members of the other group") \
    COLUMN(COMMUNICATORS, remote_members, TEXT, "", "numbers of their locations, by rank") \
    END(COMMUNICATORS) \
    TABLE(FILES, "files", "files that are read and written") \
    HEAD(COLUMN, FILES) \
    COLUMN(FILES, group, TEXT, "", "name of its group") \
    END(FILES) \
    TABLE(METRICS, "metrics", "counters and gauges") \
    HEAD(COLUMN, METRICS) \
    COLUMN(METRICS, group, TEXT, "", "name of its group") \
    COLUMN(METRICS, unit, TEXT, "", "unit of its values") \
    COLUMN(METRICS, type, TEXT, "", "of its values: u64, i64 or f64") \
    COLUMN(METRICS, mode, TEXT, "", "accumulated since the start, at this point, since the last value, until the next") \
    COLUMN(METRICS, properties, U64, "", "bits of the format") \
    END(METRICS) \
    TABLE(MARKERS, "markers", "types of markers") \
    HEAD(COLUMN, MARKERS) \
    COLUMN(MARKERS, severity, TEXT, "", "unknown, error, warning or hint") \
    END(MARKERS) \
    TABLE(CHANNELS, "channels", "variables of a location over time") \
    HEAD(COLUMN, CHANNELS) \
    COLUMN(CHANNELS, kind, TEXT, "", "value, or stack of values") \
    COLUMN(CHANNELS, labels, TEXT, "", "names of values: 1=running") \
    END(CHANNELS) \
    TABLE(TASK_TYPES, "task_types", "types of tasks") \
    HEAD(COLUMN, TASK_TYPES) \
    END(TASK_TYPES) \
    TABLE(ATTRIBUTE_KEYS, "attribute_keys", "meanings of attribute keys") \
    HEAD(COLUMN, ATTRIBUTE_KEYS) \
    COLUMN(ATTRIBUTE_KEYS, type, TEXT, "", "of its values") \
    COLUMN(ATTRIBUTE_KEYS, doc, TEXT, "", "what it means") \
    END(ATTRIBUTE_KEYS)
/* clang-format on */
QUIPU__TABLES(DEFINITION_TABLES)
static const struct quipu_analysis_table definition_tables[] = {QUIPU__SHAPES(DEFINITION_TABLES)};

/* What all definitions have first. */
enum { NUMBER = LOCATIONS_number, NATIVE_ID = LOCATIONS_native_id, NAME = LOCATIONS_name };

static void put_head(struct quipu_table *table, uint32_t number, uint64_t native_id, const char *name) {
    quipu__table_put_u64(table, NUMBER, number);
    quipu__table_put_u64_if(table, NATIVE_ID, native_id != QUIPU_UNKNOWN, native_id);
    quipu__table_put_text(table, NAME, name);
}

static void put_location(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_location *it = &definitions->locations.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, LOCATIONS_kind, WORD(location_kinds, it->kind));
    quipu__table_put_u64_if(row->table, LOCATIONS_parent, it->parent != QUIPU_NONE, it->parent);
    quipu__table_put_text(row->table, LOCATIONS_parent_name,
                          quipu__name_of(definitions, QUIPU_REFERS_LOCATION, it->parent));
    put_known(row->table, LOCATIONS_rank, it->rank);
    put_known(row->table, LOCATIONS_pid, it->pid);
    put_known(row->table, LOCATIONS_tid, it->tid);
    quipu__table_put_text(row->table, LOCATIONS_host, it->host);
    quipu__table_put_i64(row->table, LOCATIONS_clock_offset, it->clock.offset);
    quipu__table_put_i64(row->table, LOCATIONS_clock_drift, it->clock.drift);
}

static void put_region(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_region *it = &definitions->regions.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, REGIONS_group, it->group);
    quipu__table_put_text(row->table, REGIONS_role, WORD(region_roles, it->role));
    quipu__table_put_text(row->table, REGIONS_nesting, WORD(nestings, it->nesting));
    const bool has_source = it->source < definitions->sources.count;
    const struct quipu_source none = {.file = NULL},
                              *source = has_source ? &definitions->sources.items[it->source] : &none;
    quipu__table_put_u64_if(row->table, REGIONS_source, has_source, it->source);
    quipu__table_put_text(row->table, REGIONS_file, source->file);
    quipu__table_put_u64_if(row->table, REGIONS_line, has_source, source->line);
}

static void put_source(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_source *it = &definitions->sources.items[number];
    put_head(row->table, number, it->native_id, it->file);
    quipu__table_put_u64(row->table, SOURCES_line, it->line);
    quipu__table_put_text(row->table, SOURCES_function, it->function);
    quipu__table_put_u64_if(row->table, SOURCES_caller, it->caller != QUIPU_NONE, it->caller);
}

static void put_group(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_group *it = &definitions->groups.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_u64(row->table, GROUPS_size, it->member_count);
    quipu__table_put_text(row->table, GROUPS_members, put_list(&row->texts[0], it->members, it->member_count));
}

static void put_communicator(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_group *it = &definitions->groups.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_u64(row->table, COMMUNICATORS_size, it->member_count);
    quipu__table_put_text(row->table, COMMUNICATORS_members,
                          put_list(&row->texts[0], it->members, it->member_count));
    quipu__table_put_u64(row->table, COMMUNICATORS_remote_size, it->remote_member_count);
    quipu__table_put_text(row->table, COMMUNICATORS_remote_members,
                          put_list(&row->texts[1], it->remote_members, it->remote_member_count));
}

static void put_file(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_file *it = &definitions->files.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, FILES_group, it->group);
}

static void put_metric(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_metric *it = &definitions->metrics.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, METRICS_group, it->group);
    quipu__table_put_text(row->table, METRICS_unit, it->unit);
    quipu__table_put_text(row->table, METRICS_type, WORD(metric_values, it->value));
    quipu__table_put_text(row->table, METRICS_mode, WORD(metric_modes, it->mode));
    quipu__table_put_u64(row->table, METRICS_properties, it->properties);
}

static void put_marker(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_marker *it = &definitions->markers.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, MARKERS_severity, WORD(severities, it->severity));
}

static void put_channel(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_channel *it = &definitions->channels.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, CHANNELS_kind, it->is_stack ? "stack" : "value");
    quipu__table_put_text(row->table, CHANNELS_labels, put_labels(&row->texts[0], it));
}

static void put_task_type(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_task_type *it = &definitions->task_types.items[number];
    put_head(row->table, number, it->native_id, it->name);
}

static void put_attribute_key(struct row *row, const struct quipu_definitions *definitions, uint32_t number) {
    const struct quipu_attribute_key *it = &definitions->attribute_keys.items[number];
    put_head(row->table, number, it->native_id, it->name);
    quipu__table_put_text(row->table, ATTRIBUTE_KEYS_type, it->is_json ? "json" : WORD(value_types, it->type));
    quipu__table_put_text(row->table, ATTRIBUTE_KEYS_doc, it->doc);
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
    size_t count_offset; /* of the list's length */
    put_fn *put;
    bool (*is_member)(const struct quipu_definitions *definitions, uint32_t number); /* NULL: all are */
} definition_classes[] = {
#define LISTED(plural) offsetof(struct quipu_definitions, plural.count)
    [LOCATIONS] = {LISTED(locations), put_location, NULL},
    [REGIONS] = {LISTED(regions), put_region, NULL},
    [SOURCES] = {LISTED(sources), put_source, NULL},
    [GROUPS] = {LISTED(groups), put_group, is_group},
    [COMMUNICATORS] = {LISTED(groups), put_communicator, is_communicator},
    [FILES] = {LISTED(files), put_file, NULL},
    [METRICS] = {LISTED(metrics), put_metric, NULL},
    [MARKERS] = {LISTED(markers), put_marker, NULL},
    [CHANNELS] = {LISTED(channels), put_channel, NULL},
    [TASK_TYPES] = {LISTED(task_types), put_task_type, NULL},
    [ATTRIBUTE_KEYS] = {LISTED(attribute_keys), put_attribute_key, NULL},
#undef LISTED
};
enum { DEFINITION_CLASS_COUNT = sizeof definition_tables / sizeof *definition_tables };

const struct quipu_analysis_table *quipu_definition_class_at(size_t index) {
    return index < DEFINITION_CLASS_COUNT ? &definition_tables[index] : NULL;
}

static enum quipu_status add_table(struct quipu_tables *tables, size_t number, struct row *row,
                                   struct quipu_error *err) {
    const struct definition_class *definition_class = &definition_classes[number];
    const struct quipu_definitions *definitions = row->definitions;
    uint32_t count;
    memcpy(&count, (const char *)definitions + definition_class->count_offset, sizeof count);
    enum quipu_status status = quipu__tables_add(tables, &definition_tables[number], &row->table, err);
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++) {
        if (definition_class->is_member && !definition_class->is_member(definitions, i))
            continue;
        definition_class->put(row, definitions, i);
        status = quipu__table_end_row(row->table, err);
    }
    return status == QUIPU_OK ? quipu__memory_status(row->texts[0].memory, err) : status;
}

static enum quipu_status add_tables(struct quipu_tables *tables, const char *name, struct row *row,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    bool found = false;
    for (size_t i = 0; i < DEFINITION_CLASS_COUNT && status == QUIPU_OK; i++) {
        if (name && strcmp(definition_tables[i].name, name) != 0)
            continue;
        found = true;
        status = add_table(tables, i, row, err);
    }
    return found || status != QUIPU_OK
               ? status
               : quipu__fail(err, QUIPU_NOT_FOUND, "no class of definitions \"%s\"", name);
}

enum quipu_status quipu_definition_tables(struct quipu_reader *reader, const char *name,
                                          struct quipu_tables **out, struct quipu_error *err) {
    struct quipu__memory memory;
    struct row row = {.definitions = quipu_reader_definitions(reader)};
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
        status = quipu__memory_status(&memory, err);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}
