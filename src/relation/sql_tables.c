/* sql_tables.c: the module of virtual tables: which conditions a table heeds, and its rows. */
#include "analysis/shared/cells.h"

#include "analysis/shared/fold.h"
#include "core/bisect.h"
#include "core/error.h"
#include "core/real.h"
#include "core/text.h"
#include "relation/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== Conditions ====
 *
 * They make a selection of a trace. Each condition is checked by SQLite, too: a selection may pass more.
 */

/* How a condition's value is used. */
enum use {
    USE_AT = 'e',            /* time = */
    USE_FROM = 'f',          /* time >= */
    USE_AFTER = 'a',         /* time > */
    USE_UP_TO = 'u',         /* time <= */
    USE_BEFORE = 'b',        /* time < */
    USE_LOCATION = 'l',      /* numbers of locations */
    USE_LOCATION_NAME = 'p', /* names of locations */
    USE_KIND = 'k',          /* names of kinds */
    USE_REGION = 'r',        /* numbers of regions */
    USE_REGION_NAME = 'c',   /* names of regions */
    USE_NUMBER = 'n',        /* the number of a definition */
    USE_OPTION = 'o'         /* of an analysis, or the expression */
};

/* A selection made of conditions. */
struct selection {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu_selection selection;
    uint32_t location_count, region_count; /* of definitions at first */
    bool is_empty;                         /* no row can fit */
};

/* ---- Which conditions ---- */

static char time_use(unsigned char operation) {
    switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return USE_AT;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return USE_FROM;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return USE_AFTER;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return USE_UP_TO;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return USE_BEFORE;
    default:
        return 0;
    }
}

/* Whether it has the times that a selection is about. A wait has a time_ns that is none. */
static bool is_time(const struct quipu_table_column *column) {
    static const char *const names[] = {"time_ns", "begin_ns", "received_ns", "from_ns"};
    bool is_listed = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_listed |= strcmp(column->name, names[i]) == 0;
    return is_listed && column->type == QUIPU_TYPE_TIME;
}

/* Chooses the conditions that a scan heeds; 0 for others. */
static char condition_use(const struct quipu__relation *relation, size_t column, unsigned char operation) {
    static const struct {
        const char *column;
        unsigned criterion;
        char use;
    } uses[] = {
        {"location_number", QUIPU__BY_LOCATIONS, USE_LOCATION},
        {"location", QUIPU__BY_LOCATIONS, USE_LOCATION_NAME},
        {"kind", QUIPU__BY_KINDS, USE_KIND},
    };
    const bool has_calls = (relation->criteria & (QUIPU__BY_REGIONS | QUIPU__BY_KINDS)) == QUIPU__BY_REGIONS;
    if (column >= relation->column_count)
        return operation == SQLITE_INDEX_CONSTRAINT_EQ ? USE_OPTION : 0;
    const char *name = relation->columns[column].name;
    if (!relation->is_streamed && !relation->fold && operation == SQLITE_INDEX_CONSTRAINT_EQ &&
        strcmp(name, "number") == 0)
        return USE_NUMBER;
    if (!relation->is_streamed)
        return 0;
    if (is_time(&relation->columns[column]))
        return time_use(operation);
    if (operation != SQLITE_INDEX_CONSTRAINT_EQ)
        return 0;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (strcmp(name, uses[i].column) == 0 && (relation->criteria & uses[i].criterion) != 0)
            return uses[i].use;
    if (has_calls && strcmp(name, "region_number") == 0)
        return USE_REGION;
    return has_calls && strcmp(name, "region") == 0 ? USE_REGION_NAME : 0;
}

/* ---- Times ---- */

static void narrow_from(struct selection *selection, int64_t ns) {
    const int64_t from = quipu_clock_ticks(&selection->definitions->clock, ns);
    if (from > selection->selection.from)
        selection->selection.from = from;
}

static void narrow_to(struct selection *selection, int64_t ns) {
    const int64_t to = quipu_clock_ticks(&selection->definitions->clock, ns);
    if (to < selection->selection.to)
        selection->selection.to = to;
}

static void narrow_times(struct selection *selection, char use, sqlite3_value *value) {
    const int64_t ns = sqlite3_value_int64(value);
    if (sqlite3_value_type(value) != SQLITE_INTEGER)
        return;
    if (use == USE_FROM || use == USE_AT)
        narrow_from(selection, ns);
    if (use == USE_AFTER && ns < INT64_MAX)
        narrow_from(selection, ns + 1);
    if ((use == USE_UP_TO || use == USE_AT) && ns < INT64_MAX)
        narrow_to(selection, ns + 1);
    if (use == USE_BEFORE)
        narrow_to(selection, ns);
    selection->is_empty |= selection->selection.from > selection->selection.to;
}

/* ---- Kinds, locations, regions ---- */

/* Marks what a value of a condition stands for. Values of other types are like those of the column by SQLite's rules, so all is passed then: false. */
typedef bool mark_fn(struct selection *selection, void *marks, sqlite3_value *value);

static bool mark_kind(struct selection *selection, void *marks, sqlite3_value *value) {
    quipu_kinds *kinds = marks;
    (void)selection;
    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return false;
    const enum quipu_kind kind = quipu_kind_find((const char *)sqlite3_value_text(value));
    *kinds |= kind < QUIPU_KIND_COUNT ? QUIPU_KIND_BIT(kind) : 0;
    return true;
}

static bool mark_number(bool *marks, uint32_t count, sqlite3_value *value) {
    if (sqlite3_value_type(value) != SQLITE_INTEGER)
        return false;
    const int64_t number = sqlite3_value_int64(value);
    if (number >= count)
        return false; /* of a damaged trace, it may be added while that is read */
    if (number >= 0)
        marks[number] = true;
    return true;
}

/* What is not there may be added to a damaged trace while that is read. */
static bool mark_name(const struct selection *selection, bool *marks, uint32_t count, enum quipu_refers refers,
                      sqlite3_value *value) {
    bool found = false;
    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return false;
    const char *text = (const char *)sqlite3_value_text(value);
    for (uint32_t i = 0; i < count; i++) {
        char own[32];
        const char *name = quipu__printed_name(selection->definitions, refers, i, own);
        if (name && strcmp(name, text) == 0)
            found = marks[i] = true;
    }
    return found;
}

static bool mark_location(struct selection *selection, void *marks, sqlite3_value *value) {
    return mark_number(marks, selection->definitions->locations.count, value);
}

static bool mark_location_name(struct selection *selection, void *marks, sqlite3_value *value) {
    return mark_name(selection, marks, selection->definitions->locations.count, QUIPU_REFERS_LOCATION, value);
}

static bool mark_region(struct selection *selection, void *marks, sqlite3_value *value) {
    return mark_number(marks, selection->definitions->regions.count, value);
}

static bool mark_region_name(struct selection *selection, void *marks, sqlite3_value *value) {
    return mark_name(selection, marks, selection->definitions->regions.count, QUIPU_REFERS_REGION, value);
}

/* One value, or all of a list. */
static bool mark_all(struct selection *selection, void *marks, mark_fn *mark, sqlite3_value *value) {
    sqlite3_value *item = NULL;
    int code = sqlite3_vtab_in_first(value, &item);
    if (code != SQLITE_OK && code != SQLITE_DONE)
        return mark(selection, marks, value);
    bool is_marked = true;
    for (; code == SQLITE_OK && item; code = sqlite3_vtab_in_next(value, &item))
        is_marked &= mark(selection, marks, item);
    return is_marked && code == SQLITE_DONE;
}

static void narrow_kinds(struct selection *selection, sqlite3_value *value) {
    quipu_kinds kinds = 0;
    if (mark_all(selection, &kinds, mark_kind, value))
        selection->selection.kinds &= kinds;
    selection->is_empty |= selection->selection.kinds == 0;
}

/* The numbers that are marked, ascending; one more than there are definitions fits. */
static enum quipu_status list_marks(struct quipu__memory *memory, const bool *marks, uint32_t count,
                                    const uint32_t **out, uint32_t *out_count, struct quipu_error *err) {
    uint32_t *numbers = quipu__alloc(memory, ((size_t)count + 1) * sizeof *numbers);
    if (!numbers)
        return quipu__no_memory(err, count);
    *out = numbers;
    *out_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (marks[i])
            numbers[(*out_count)++] = i;
    return QUIPU_OK;
}

/* The first condition counts; SQLite checks the others. */
static enum quipu_status narrow_list(struct selection *selection, uint32_t count, mark_fn *mark,
                                     sqlite3_value *value, const uint32_t **out, uint32_t *out_count,
                                     struct quipu_error *err) {
    if (*out)
        return QUIPU_OK;
    bool *marks = quipu__alloc_zero(selection->memory, (size_t)count + 1);
    if (!marks)
        return quipu__no_memory(err, count);
    enum quipu_status status = QUIPU_OK;
    if (mark_all(selection, marks, mark, value))
        status = list_marks(selection->memory, marks, count, out, out_count, err);
    quipu__release(selection->memory, marks, (size_t)count + 1);
    selection->is_empty |= *out && *out_count == 0;
    return status;
}

static void selection_init(struct selection *selection, struct quipu__memory *memory,
                           const struct quipu_definitions *definitions) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    *selection = (struct selection){
        memory, definitions, everything, definitions->locations.count, definitions->regions.count, false};
}

static void selection_release(struct selection *selection) {
    quipu__release(selection->memory, (void *)selection->selection.locations,
                   ((size_t)selection->location_count + 1) * sizeof(uint32_t));
    quipu__release(selection->memory, (void *)selection->selection.regions,
                   ((size_t)selection->region_count + 1) * sizeof(uint32_t));
}

/* Narrows the selection by a condition, whose value may be a list of IN. */
static enum quipu_status selection_add(struct selection *selection, char use, sqlite3_value *value,
                                       struct quipu_error *err) {
    struct quipu_selection *out = &selection->selection;
    const bool by_name = use == USE_LOCATION_NAME || use == USE_REGION_NAME;
    switch (use) {
    case USE_KIND:
        narrow_kinds(selection, value);
        return QUIPU_OK;
    case USE_LOCATION:
    case USE_LOCATION_NAME:
        return narrow_list(selection, selection->location_count, by_name ? mark_location_name : mark_location,
                           value, &out->locations, &out->location_count, err);
    case USE_REGION:
    case USE_REGION_NAME:
        return narrow_list(selection, selection->region_count, by_name ? mark_region_name : mark_region, value,
                           &out->regions, &out->region_count, err);
    default:
        narrow_times(selection, use, value);
        return QUIPU_OK;
    }
}

/* ==== Tables ==== */

/* A table: a relation of a trace. */
struct virtual_table {
    sqlite3_vtab base;
    struct quipu__sql_trace *trace;
    bool owns_trace;
    struct quipu__relation relation;
};

/* Where a query is in a table: in the rows of a scan, or in those of a whole table. */
enum { SETTINGS_MOST = 40, COLUMNS_MOST = 128 };

struct cursor {
    sqlite3_vtab_cursor base;
    struct quipu__sql_trace *trace;
    size_t reader; /* its number, when it has a scan */
    struct quipu__scan *scan;
    struct quipu__sql_answer *answer;
    size_t chunk;
    struct quipu__rows *rows; /* NULL: at the end */
    size_t row;
    sqlite3_int64 number;                  /* of the row, among those of the scan or table */
    bool is_single;                        /* one row is wanted */
    bool is_narrowed;                      /* the scan leaves rows out */
    sqlite3_value *options[SETTINGS_MOST]; /* that are given; NULL: not */
};

static int fail(struct virtual_table *table, const struct quipu_error *err) {
    char text[1024];
    sqlite3_free(table->base.zErrMsg);
    table->base.zErrMsg = sqlite3_mprintf("%s", quipu_error_text(err, text, sizeof text));
    table->trace->sql->err = *err;
    return err->status == QUIPU_NO_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* ---- Tables ---- */

static bool has_expression(const struct quipu__relation *relation) {
    return relation->is_streamed && (relation->criteria & QUIPU__BY_EXPRESSIONS) != 0;
}

const char *quipu__sql_type(enum quipu_column_type type) {
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_U64:
    case QUIPU_TYPE_TIME:
        return "INTEGER";
    case QUIPU_TYPE_F64:
        return "REAL";
    case QUIPU_TYPE_DECIMAL:
        return "NUMERIC";
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_JSON:
        break;
    }
    return "TEXT";
}

static bool has_column(const struct quipu__relation *relation, const char *name) {
    bool has = false;
    for (size_t i = 0; i < relation->column_count; i++)
        has |= sqlite3_stricmp(relation->columns[i].name, name) == 0;
    return has;
}

/* Words of options are joined by _. */
static void declare_option(sqlite3_str *text, const struct quipu__relation *relation, const char *option) {
    char name[64];
    snprintf(name, sizeof name, "%s", option);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : *at;
    sqlite3_str_appendf(text, ", \"%w%s\" HIDDEN", name, has_column(relation, name) ? "_option" : "");
}

static int declare(sqlite3 *db, const struct quipu__relation *relation) {
    sqlite3_str *text = sqlite3_str_new(db);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (size_t i = 0; i < relation->column_count; i++) {
        const struct quipu_table_column *column = &relation->columns[i];
        sqlite3_str_appendf(text, "%s\"%w\" %s", i > 0 ? ", " : "", column->name,
                            quipu__sql_type(column->type));
    }
    for (size_t i = 0; relation->fold && i < relation->fold->info.option_count; i++)
        declare_option(text, relation, relation->fold->info.options[i].name);
    if (has_expression(relation))
        declare_option(text, relation, "expression");
    sqlite3_str_appendall(text, ")");
    char *declaration = sqlite3_str_finish(text);
    const int code = declaration ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;
    sqlite3_free(declaration);
    return code;
}

static struct quipu__sql_trace *find_trace(const struct quipu_sql *sql, const char *schema) {
    for (size_t i = 0; i < sql->trace_count; i++)
        if (strcmp(sql->traces[i]->schema, schema) == 0)
            return sql->traces[i];
    return NULL;
}

/* What an argument of CREATE VIRTUAL TABLE says, without its quotes, in memory of SQLite. */
static char *unquoted(const char *word) {
    const size_t len = strlen(word);
    const char quote = word[0];
    const bool is_quoted = len >= 2 && strchr("'\"`", quote) && word[len - 1] == quote;
    char *text = sqlite3_malloc64(len + 1), *out = text;
    for (size_t i = is_quoted; text && i < len - is_quoted; i++) {
        *out++ = word[i];
        i += is_quoted && word[i] == quote && word[i + 1] == quote;
    }
    if (text)
        *out = '\0';
    return text;
}

/* Opens the trace of a table of its own. */
static enum quipu_status open_trace(struct virtual_table *table, struct quipu_sql *sql, const char *path,
                                    struct quipu_error *err) {
    struct quipu_reader *reader;
    const enum quipu_status status = quipu_reader_open(path, NULL, &reader, err);
    if (status != QUIPU_OK)
        return status;
    table->trace = quipu__sql_trace_new(sql, "", reader);
    if (!table->trace) {
        quipu_reader_close(reader);
        return quipu__no_memory(err, sizeof *table->trace);
    }
    table->owns_trace = true;
    table->trace->readers.items[0].is_own = true;
    return QUIPU_OK;
}

/* Finds trace and relation by schema and name; or by two arguments, the file of the trace and the name. */
static enum quipu_status bind(struct virtual_table *table, struct quipu_sql *sql, int count,
                              const char *const *words, struct quipu_error *err) {
    enum { SCHEMA = 1, NAME, ARGUMENTS, ALL = ARGUMENTS + 2 };
    table->trace = count == ARGUMENTS ? find_trace(sql, words[SCHEMA]) : NULL;
    if (table->trace)
        return quipu__relation_find(words[NAME], &table->relation, err);
    if (count != ALL)
        return quipu__fail(err, QUIPU_MISUSE,
                           "quipu takes a trace and a table, as in quipu('run.trace', 'messages')");
    char *path = unquoted(words[ARGUMENTS]), *relation = unquoted(words[ARGUMENTS + 1]);
    enum quipu_status status = path && relation ? QUIPU_OK : (enum quipu_status)quipu__no_memory(err, 0);
    if (status == QUIPU_OK)
        status = quipu__relation_find(relation, &table->relation, err);
    if (status == QUIPU_OK)
        status = open_trace(table, sql, path, err);
    sqlite3_free(path);
    sqlite3_free(relation);
    return status;
}

static int disconnect(sqlite3_vtab *base) {
    struct virtual_table *table = (struct virtual_table *)base;
    if (table->owns_trace)
        quipu__sql_trace_free(table->trace);
    sqlite3_free(table);
    return SQLITE_OK;
}

static int connect(sqlite3 *db, void *data, int count, const char *const *words, sqlite3_vtab **out,
                   char **message) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[1024];
    struct virtual_table *table = sqlite3_malloc64(sizeof *table);
    *out = NULL;
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct virtual_table){.trace = NULL};
    const bool is_bound = bind(table, data, count, words, &err) == QUIPU_OK;
    if (!is_bound)
        *message = sqlite3_mprintf("%s", quipu_error_text(&err, text, sizeof text));
    const int code = is_bound ? declare(db, &table->relation) : SQLITE_ERROR;
    if (code == SQLITE_OK)
        *out = &table->base;
    else
        (void)disconnect(&table->base);
    return code;
}

/* Unlike connect, so that there are no tables without a schema. */
static int create(sqlite3 *db, void *data, int count, const char *const *words, sqlite3_vtab **out,
                  char **message) {
    return connect(db, data, count, words, out, message);
}

/* ---- Which conditions are heeded ----
 *
 * The plan is a text: which columns are used in hexadecimal digits, then for each argument of the filter two words: its use, and the
 * number of its column. */

/* What a scan and a table that is there are taken to have, and what a row of a scan costs. */
enum { SCAN_ROWS = 1000000, SCAN_COST = 10, TABLE_ROWS = 1000 };

static bool is_exact(sqlite3_index_info *info, int number) {
    return strcmp(sqlite3_vtab_collation(info, number), "BINARY") == 0;
}

static char use_of(const struct virtual_table *table, sqlite3_index_info *info, int number) {
    const struct sqlite3_index_constraint *constraint = &info->aConstraint[number];
    if (constraint->iColumn < 0)
        return 0;
    const char use = condition_use(&table->relation, (size_t)constraint->iColumn, constraint->op);
    return use != USE_OPTION && !is_exact(info, number) ? 0 : use;
}

/* What a table costs when it heeds a condition. A scan has always more than half of the cost and rows of one that heeds none, so SQLite never
 * makes several scans for the terms of an OR: it would tell their rows apart by numbers, which rows of scans do not have (row_number). */
static void reckon(sqlite3_index_info *info, char use) {
    enum { LEAST = SCAN_ROWS / 10 * 6 };
    const sqlite3_int64 rows = use == USE_AT ? LEAST : info->estimatedRows / 20 * 17;
    if (use == USE_NUMBER) {
        info->estimatedCost = 1;
        info->estimatedRows = 1;
    } else if (use != USE_OPTION) {
        info->estimatedRows = rows > LEAST ? rows : LEAST;
        info->estimatedCost = SCAN_COST * (double)info->estimatedRows;
    }
}

static void heed(sqlite3_index_info *info, int number, char use, int *arguments, sqlite3_str *plan) {
    const struct sqlite3_index_constraint *constraint = &info->aConstraint[number];
    const bool is_list = use == USE_LOCATION || use == USE_LOCATION_NAME || use == USE_KIND ||
                         use == USE_REGION || use == USE_REGION_NAME;
    info->aConstraintUsage[number].argvIndex = ++*arguments;
    info->aConstraintUsage[number].omit = use == USE_OPTION;
    if (is_list)
        (void)sqlite3_vtab_in(info, number, 1);
    sqlite3_str_appendf(plan, " %c %d", use, constraint->iColumn);
    reckon(info, use);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    const struct virtual_table *table = (const struct virtual_table *)base;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    int arguments = 0, code = SQLITE_OK;
    info->estimatedRows = table->relation.is_streamed ? SCAN_ROWS : TABLE_ROWS;
    info->estimatedCost = table->relation.is_streamed ? (double)SCAN_ROWS * SCAN_COST : TABLE_ROWS;
    sqlite3_str_appendf(plan, "%llx", info->colUsed);
    for (int i = 0; i < info->nConstraint; i++) {
        const char use = use_of(table, info, i);
        if (use && info->aConstraint[i].usable)
            heed(info, i, use, &arguments, plan);
        else if (use == USE_OPTION)
            code = SQLITE_CONSTRAINT; /* an option must be known before the table is read */
    }
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? code : SQLITE_NOMEM;
}

/* ---- Cursors ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
    struct cursor *cursor = sqlite3_malloc64(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.trace = ((struct virtual_table *)base)->trace};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void end_scan(struct cursor *cursor) {
    if (cursor->scan) {
        quipu__rows_free(cursor->rows);
        quipu__scan_free(cursor->scan);
        cursor->trace->readers.items[cursor->reader].is_used = false;
    }
    if (cursor->answer)
        cursor->answer->users--;
    for (size_t i = 0; i < SETTINGS_MOST; i++) {
        sqlite3_value_free(cursor->options[i]);
        cursor->options[i] = NULL;
    }
    cursor->scan = NULL;
    cursor->answer = NULL;
    cursor->rows = NULL;
    cursor->row = cursor->chunk = 0;
    cursor->is_single = cursor->is_narrowed = false;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    end_scan((struct cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ---- Filters ---- */

/* What a plan and its arguments ask for. */
struct request {
    struct selection selection;
    struct quipu_setting settings[SETTINGS_MOST];
    const char *columns[COLUMNS_MOST];
    sqlite3_value *given[SETTINGS_MOST]; /* options */
    struct quipu_relation_options options;
    bool is_narrowed; /* some rows of a scan are not asked for */
    bool has_number;
    sqlite3_int64 number;
};

/* Those beyond the last of 64 bits are used when that is set. */
static void choose_columns(struct request *request, const struct quipu__relation *relation, uint64_t used) {
    enum { LAST = 63 };
    size_t count = 0;
    for (size_t i = 0; i < relation->column_count && i < COLUMNS_MOST; i++)
        if ((used >> (i < LAST ? i : LAST) & 1) != 0)
            request->columns[count++] = relation->columns[i].name;
    request->options.columns = request->columns;
    request->options.column_count = count;
}

static void set_option(struct request *request, const struct quipu__relation *relation, size_t column,
                       sqlite3_value *value) {
    const size_t number = column - relation->column_count;
    const char *text = (const char *)sqlite3_value_text(value);
    if (!text)
        return; /* null: not given */
    if (number < SETTINGS_MOST)
        request->given[number] = value;
    if (!relation->fold)
        request->selection.selection.where = text;
    else if (request->options.setting_count < SETTINGS_MOST)
        request->settings[request->options.setting_count++] =
            (struct quipu_setting){relation->fold->info.options[number].name, text};
}

static enum quipu_status take_argument(struct request *request, const struct quipu__relation *relation,
                                       char use, size_t column, sqlite3_value *value, struct quipu_error *err) {
    request->is_narrowed |= relation->is_streamed;
    if (use == USE_OPTION) {
        set_option(request, relation, column, value);
        return QUIPU_OK;
    }
    if (use != USE_NUMBER)
        return selection_add(&request->selection, use, value, err);
    request->has_number |= sqlite3_value_type(value) == SQLITE_INTEGER;
    request->number = sqlite3_value_int64(value);
    return QUIPU_OK;
}

static enum quipu_status read_plan(struct request *request, const struct quipu__relation *relation,
                                   const char *plan, int count, sqlite3_value **values,
                                   struct quipu_error *err) {
    char *at;
    enum quipu_status status = QUIPU_OK;
    choose_columns(request, relation, strtoull(plan, &at, 16));
    for (int i = 0; i < count && status == QUIPU_OK; i++) {
        const char use = at[1];
        const size_t column = (size_t)strtoul(at + 2, &at, 10);
        status = take_argument(request, relation, use, column, values[i], err);
    }
    request->options.settings = request->settings;
    request->options.selection = &request->selection.selection;
    return status;
}

/* ---- Rows ---- */

static int next_rows(struct virtual_table *table, struct cursor *cursor) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__rows_free(cursor->rows);
    cursor->rows = NULL;
    cursor->row = 0;
    const enum quipu_status status = quipu__scan_next(cursor->scan, &cursor->rows, &err);
    return status == QUIPU_OK || status == QUIPU_END ? SQLITE_OK : fail(table, &err);
}

static int begin_scan(struct virtual_table *table, struct cursor *cursor, const struct request *request) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    size_t reader;
    enum quipu_status status = quipu__sql_reader_take(cursor->trace, &reader, &err);
    if (status != QUIPU_OK)
        return fail(table, &err);
    status = quipu__scan_new(cursor->trace->readers.items[reader].reader, &table->relation, &request->options,
                             &cursor->scan, &err);
    cursor->reader = reader;
    if (status == QUIPU_OK)
        return next_rows(table, cursor);
    cursor->trace->readers.items[reader].is_used = false;
    return fail(table, &err);
}

static void next_chunk(struct cursor *cursor) {
    const struct quipu__sql_answer *answer = cursor->answer;
    cursor->rows = cursor->chunk < answer->chunks.count ? answer->chunks.items[cursor->chunk++] : NULL;
    cursor->row = 0;
}

/* Numbers of definitions ascend. */
static void seek_number(struct cursor *cursor, sqlite3_int64 number) {
    enum { NUMBER = 0 };
    next_chunk(cursor);
    while (cursor->rows &&
           quipu__row_value(&cursor->rows->columns[NUMBER], cursor->rows->count - 1) < (uint64_t)number) {
        cursor->number += (sqlite3_int64)cursor->rows->count;
        next_chunk(cursor);
    }
    size_t low = 0;
    QUIPU__BISECT(low, cursor->rows ? cursor->rows->count : 0, i,
                  quipu__row_value(&cursor->rows->columns[NUMBER], i) < (uint64_t)number);
    cursor->row = low;
    cursor->number += (sqlite3_int64)low;
    cursor->is_single = true;
}

static int begin_answer(struct virtual_table *table, struct cursor *cursor, struct request *request) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    request->options.columns = NULL;
    request->options.selection = NULL;
    const enum quipu_status status =
        quipu__sql_answer_find(cursor->trace, &table->relation, &request->options, &cursor->answer, &err);
    if (status != QUIPU_OK)
        return fail(table, &err);
    if (request->has_number && request->number < 0)
        return SQLITE_OK;
    if (request->has_number)
        seek_number(cursor, request->number);
    else
        next_chunk(cursor);
    return SQLITE_OK;
}

/* Options are columns, which have the values that are given. */
static bool keep_options(struct cursor *cursor, const struct request *request) {
    bool has_memory = true;
    for (size_t i = 0; i < SETTINGS_MOST; i++) {
        cursor->options[i] = request->given[i] ? sqlite3_value_dup(request->given[i]) : NULL;
        has_memory &= cursor->options[i] || !request->given[i];
    }
    return has_memory;
}

static int filter(sqlite3_vtab_cursor *base, int plan_number, const char *plan, int count,
                  sqlite3_value **values) {
    struct cursor *cursor = (struct cursor *)base;
    struct virtual_table *table = (struct virtual_table *)base->pVtab;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct request request = {.options = QUIPU_RELATION_OPTIONS_INIT};
    (void)plan_number;
    end_scan(cursor);
    cursor->number = 0;
    selection_init(&request.selection, &cursor->trace->memory,
                   quipu_reader_definitions(cursor->trace->readers.items[0].reader));
    int code = SQLITE_OK;
    if (read_plan(&request, &table->relation, plan, count, values, &err) != QUIPU_OK)
        code = fail(table, &err);
    else if (!keep_options(cursor, &request))
        code = SQLITE_NOMEM;
    else if (!table->relation.is_streamed)
        code = begin_answer(table, cursor, &request);
    else if (!request.selection.is_empty)
        code = begin_scan(table, cursor, &request);
    cursor->is_narrowed = request.is_narrowed;
    selection_release(&request.selection);
    return code;
}

static int next(sqlite3_vtab_cursor *base) {
    struct cursor *cursor = (struct cursor *)base;
    cursor->number++;
    if (cursor->is_single)
        cursor->rows = NULL;
    else if (++cursor->row == cursor->rows->count && cursor->scan)
        return next_rows((struct virtual_table *)base->pVtab, cursor);
    else if (cursor->row == cursor->rows->count)
        next_chunk(cursor);
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base) {
    return ((struct cursor *)base)->rows == NULL;
}

static void give_value(sqlite3_context *context, const struct quipu__row_column *column, size_t row) {
    const uint64_t value = quipu__row_value(column, row);
    double real;
    char text[24];
    if (column->type == QUIPU_TYPE_F64) {
        memcpy(&real, &value, sizeof real);
        sqlite3_result_double(context, real);
    } else if (column->type == QUIPU_TYPE_U64 && value > INT64_MAX) {
        snprintf(text, sizeof text, "%" PRIu64, value);
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_result_int64(context, (sqlite3_int64)value);
    }
}

/* A decimal number is an integer or a real one, as it is written; integers above 2^63 - 1 are texts. False for what is no number. */
static bool give_decimal(sqlite3_context *context, const char *text, size_t len) {
    char copy[64], *end;
    int64_t whole;
    if (quipu__parse_i64(text, len, &whole)) {
        sqlite3_result_int64(context, whole);
        return true;
    }
    if (len == 0 || len >= sizeof copy || strspn(text, "+-0123456789") >= len)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    const double real = quipu__read_real(copy, &end);
    if (*end)
        return false;
    sqlite3_result_double(context, real);
    return true;
}

static int column_of(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
    const struct cursor *cursor = (const struct cursor *)base;
    const size_t columns = ((const struct virtual_table *)base->pVtab)->relation.column_count;
    if (number >= 0 && (size_t)number >= columns && (size_t)number - columns < SETTINGS_MOST &&
        cursor->options[(size_t)number - columns])
        sqlite3_result_value(context, cursor->options[(size_t)number - columns]);
    if (number < 0 || (size_t)number >= cursor->rows->column_count)
        return SQLITE_OK;
    const struct quipu__row_column *column = &cursor->rows->columns[number];
    size_t len;
    if (!column->values || !quipu__row_is_known(column, cursor->row))
        return SQLITE_OK;
    if (!column->has_texts) {
        give_value(context, column, cursor->row);
        return SQLITE_OK;
    }
    const char *text = quipu__row_text(column, cursor->row, &len);
    if (column->type != QUIPU_TYPE_DECIMAL || !give_decimal(context, text, len))
        sqlite3_result_text64(context, text, len, SQLITE_TRANSIENT, SQLITE_UTF8);
    return SQLITE_OK;
}

/* SQLite takes rows with equal numbers for the same row where it makes several scans of a table for one answer. */
static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    struct cursor *cursor = (struct cursor *)base;
    struct virtual_table *table = (struct virtual_table *)base->pVtab;
    struct quipu_error err = QUIPU_ERROR_INIT;
    *out = (sqlite3_int64)cursor->number + 1; /* as in a table of a database */
    if (!cursor->is_narrowed)
        return SQLITE_OK;
    quipu__fail(
        &err, QUIPU_MISUSE,
        "rows of %s that are chosen by a condition have no rowid, which RIGHT and FULL JOIN need: put + before "
        "the columns of %s in conditions",
        table->relation.shape->name, table->relation.shape->name);
    return fail(table, &err);
}

const sqlite3_module quipu__sql_module = {
    .iVersion = 1,
    .xCreate = create,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_at_end,
    .xColumn = column_of,
    .xRowid = row_number,
};
