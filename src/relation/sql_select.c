/* sql_select.c: conditions of a query as a selection of a trace. Each condition is checked by SQLite, too: a selection may pass more. */
#include "analysis/shared/cells.h"
#include "core/error.h"
#include "relation/sql.h"

#include <string.h>

/* ---- Which conditions ---- */

static char time_use(unsigned char operation) {
    switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return QUIPU__SQL_AT;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return QUIPU__SQL_FROM;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return QUIPU__SQL_AFTER;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return QUIPU__SQL_UP_TO;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return QUIPU__SQL_BEFORE;
    default:
        return 0;
    }
}

/* The column of times that a selection is about. */
static bool is_time(const char *name) {
    return strcmp(name, "time_ns") == 0 || strcmp(name, "begin_ns") == 0 || strcmp(name, "received_ns") == 0;
}

char quipu__sql_use_of(const struct quipu__relation *relation, size_t column, unsigned char operation) {
    static const struct {
        const char *column;
        unsigned criterion;
        char use;
    } uses[] = {
        {"location_number", QUIPU__BY_LOCATIONS, QUIPU__SQL_LOCATION},
        {"location", QUIPU__BY_LOCATIONS, QUIPU__SQL_LOCATION_NAME},
        {"kind", QUIPU__BY_KINDS, QUIPU__SQL_KIND},
    };
    const bool has_calls = (relation->criteria & (QUIPU__BY_REGIONS | QUIPU__BY_KINDS)) == QUIPU__BY_REGIONS;
    if (column >= relation->column_count)
        return operation == SQLITE_INDEX_CONSTRAINT_EQ ? QUIPU__SQL_OPTION : 0;
    const char *name = relation->columns[column].name;
    if (!relation->is_streamed && !relation->fold && operation == SQLITE_INDEX_CONSTRAINT_EQ &&
        strcmp(name, "number") == 0)
        return QUIPU__SQL_NUMBER;
    if (!relation->is_streamed)
        return 0;
    if (is_time(name))
        return time_use(operation);
    if (operation != SQLITE_INDEX_CONSTRAINT_EQ)
        return 0;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (strcmp(name, uses[i].column) == 0 && (relation->criteria & uses[i].criterion) != 0)
            return uses[i].use;
    if (has_calls && strcmp(name, "region_number") == 0)
        return QUIPU__SQL_REGION;
    return has_calls && strcmp(name, "region") == 0 ? QUIPU__SQL_REGION_NAME : 0;
}

/* ---- Times ---- */

static void narrow_from(struct quipu__sql_selection *selection, int64_t ns) {
    const int64_t from = quipu_clock_ticks(&selection->definitions->clock, ns);
    if (from > selection->selection.from)
        selection->selection.from = from;
}

static void narrow_to(struct quipu__sql_selection *selection, int64_t ns) {
    const int64_t to = quipu_clock_ticks(&selection->definitions->clock, ns);
    if (to < selection->selection.to)
        selection->selection.to = to;
}

static void narrow_times(struct quipu__sql_selection *selection, char use, sqlite3_value *value) {
    const int64_t ns = sqlite3_value_int64(value);
    if (sqlite3_value_type(value) != SQLITE_INTEGER)
        return;
    if (use == QUIPU__SQL_FROM || use == QUIPU__SQL_AT)
        narrow_from(selection, ns);
    if (use == QUIPU__SQL_AFTER && ns < INT64_MAX)
        narrow_from(selection, ns + 1);
    if ((use == QUIPU__SQL_UP_TO || use == QUIPU__SQL_AT) && ns < INT64_MAX)
        narrow_to(selection, ns + 1);
    if (use == QUIPU__SQL_BEFORE)
        narrow_to(selection, ns);
    selection->is_empty |= selection->selection.from > selection->selection.to;
}

/* ---- Kinds, locations, regions ---- */

/* Marks what a value of a condition stands for. Values of other types are like those of the column by SQLite's rules, so all is passed then: false. */
typedef bool mark_fn(struct quipu__sql_selection *selection, void *marks, sqlite3_value *value);

static bool mark_kind(struct quipu__sql_selection *selection, void *marks, sqlite3_value *value) {
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
static bool mark_name(const struct quipu__sql_selection *selection, bool *marks, uint32_t count,
                      enum quipu_refers refers, sqlite3_value *value) {
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

static bool mark_location(struct quipu__sql_selection *selection, void *marks, sqlite3_value *value) {
    return mark_number(marks, selection->definitions->locations.count, value);
}

static bool mark_location_name(struct quipu__sql_selection *selection, void *marks, sqlite3_value *value) {
    return mark_name(selection, marks, selection->definitions->locations.count, QUIPU_REFERS_LOCATION, value);
}

static bool mark_region(struct quipu__sql_selection *selection, void *marks, sqlite3_value *value) {
    return mark_number(marks, selection->definitions->regions.count, value);
}

static bool mark_region_name(struct quipu__sql_selection *selection, void *marks, sqlite3_value *value) {
    return mark_name(selection, marks, selection->definitions->regions.count, QUIPU_REFERS_REGION, value);
}

/* One value, or all of a list. */
static bool mark_all(struct quipu__sql_selection *selection, void *marks, mark_fn *mark, sqlite3_value *value) {
    sqlite3_value *item = NULL;
    int code = sqlite3_vtab_in_first(value, &item);
    if (code != SQLITE_OK && code != SQLITE_DONE)
        return mark(selection, marks, value);
    bool is_marked = true;
    for (; code == SQLITE_OK && item; code = sqlite3_vtab_in_next(value, &item))
        is_marked &= mark(selection, marks, item);
    return is_marked && code == SQLITE_DONE;
}

static void narrow_kinds(struct quipu__sql_selection *selection, sqlite3_value *value) {
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
static enum quipu_status narrow_list(struct quipu__sql_selection *selection, uint32_t count, mark_fn *mark,
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

void quipu__sql_selection_init(struct quipu__sql_selection *selection, struct quipu__memory *memory,
                               const struct quipu_definitions *definitions) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    *selection = (struct quipu__sql_selection){
        memory, definitions, everything, definitions->locations.count, definitions->regions.count, false};
}

void quipu__sql_selection_release(struct quipu__sql_selection *selection) {
    quipu__release(selection->memory, (void *)selection->selection.locations,
                   ((size_t)selection->location_count + 1) * sizeof(uint32_t));
    quipu__release(selection->memory, (void *)selection->selection.regions,
                   ((size_t)selection->region_count + 1) * sizeof(uint32_t));
}

enum quipu_status quipu__sql_selection_add(struct quipu__sql_selection *selection, char use,
                                           sqlite3_value *value, struct quipu_error *err) {
    struct quipu_selection *out = &selection->selection;
    const bool by_name = use == QUIPU__SQL_LOCATION_NAME || use == QUIPU__SQL_REGION_NAME;
    switch (use) {
    case QUIPU__SQL_KIND:
        narrow_kinds(selection, value);
        return QUIPU_OK;
    case QUIPU__SQL_LOCATION:
    case QUIPU__SQL_LOCATION_NAME:
        return narrow_list(selection, selection->location_count, by_name ? mark_location_name : mark_location,
                           value, &out->locations, &out->location_count, err);
    case QUIPU__SQL_REGION:
    case QUIPU__SQL_REGION_NAME:
        return narrow_list(selection, selection->region_count, by_name ? mark_region_name : mark_region, value,
                           &out->regions, &out->region_count, err);
    default:
        narrow_times(selection, use, value);
        return QUIPU_OK;
    }
}
