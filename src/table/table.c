/* table.c: an answer: rows of typed cells under static columns.
 *
 * Cells lie row after row in one array; rows are shown through a list of row numbers, which is what sorting
 * moves. Texts are stored once however many rows repeat them: a profile of thousands of locations has only a few
 * dozen names.
 */
#include "table/table.h"

#include "core/error.h"
#include "core/map.h"
#include "core/memory.h"
#include "core/vec.h"

#include <stdlib.h>
#include <string.h>

/* A table holds answers, not traces: nobody reads one of more than 1 GiB. */
#define TABLE_LIMIT ((size_t)1 << 30)

struct shown_row {
    uint32_t row;
    uint32_t position; /* before the sort that is going on: keeps it stable */
};

struct quipu_table {
    struct quipu__memory memory;
    const char *name;
    const struct quipu_table_column *columns;
    size_t column_count;
    QUIPU__VEC(struct quipu_cell) cells;
    QUIPU__VEC(struct shown_row) shown;
    struct quipu__arena arena;
    struct quipu__map texts; /* hash of a text to its number in copies */
    QUIPU__VEC(const char *) copies;
};

static bool is_text(enum quipu_column_type type) {
    return type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL;
}

/* ---- Filling ---- */

enum quipu_status quipu__table_new(const struct quipu_allocator *allocator, const char *name,
                                   const struct quipu_table_column *columns, size_t column_count,
                                   struct quipu_table **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, allocator, TABLE_LIMIT);
    struct quipu_table *table = *out = quipu__alloc_zero(&memory, sizeof *table);
    if (!table)
        return quipu__no_memory(err, sizeof *table);
    table->memory = memory;
    table->name = name;
    table->columns = columns;
    table->column_count = column_count;
    quipu__arena_init(&table->arena, &table->memory);
    quipu__map_init(&table->texts, &table->memory);
    return QUIPU_OK;
}

enum quipu_status quipu_table_new(const char *name, const struct quipu_table_column *columns,
                                  size_t column_count, struct quipu_table **out, struct quipu_error *err) {
    return quipu__table_new(NULL, name, columns, column_count, out, err);
}

void quipu_table_free(struct quipu_table *table) {
    if (!table)
        return;
    QUIPU__VEC_RELEASE(&table->memory, &table->cells);
    QUIPU__VEC_RELEASE(&table->memory, &table->shown);
    QUIPU__VEC_RELEASE(&table->memory, &table->copies);
    quipu__map_release(&table->texts);
    quipu__arena_release(&table->arena);
    struct quipu__memory memory = table->memory;
    quipu__release(&memory, table, sizeof *table);
}

/* The table's copy of a text, the same one for equal texts (unless their hashes collide); NULL when memory is
 * out. */
static const char *copy_text(struct quipu_table *table, const char *text) {
    const size_t len = strlen(text);
    const uint64_t hash = quipu__hash(text, len, table->texts.seed);
    const uint32_t known = quipu__map_get(&table->texts, hash);
    if (known != QUIPU_NONE && strcmp(table->copies.items[known], text) == 0)
        return table->copies.items[known];
    const char *copy = quipu__arena_text(&table->arena, text, len);
    const char **slot = copy ? QUIPU__VEC_ADD(&table->memory, &table->copies) : NULL;
    if (!slot || !quipu__map_put(&table->texts, hash, (uint32_t)(table->copies.count - 1)))
        return NULL;
    return *slot = copy;
}

static bool copy_cell(struct quipu_table *table, const struct quipu_cell *from, enum quipu_column_type type) {
    struct quipu_cell *to = &table->cells.items[table->cells.count];
    *to = *from;
    if (is_text(type) && !from->is_null && !(to->text = copy_text(table, from->text)))
        return false;
    table->cells.count++;
    return true;
}

enum quipu_status quipu_table_add(struct quipu_table *table, const struct quipu_cell *cells,
                                  struct quipu_error *err) {
    const size_t row = table->shown.count;
    struct quipu__memory *memory = &table->memory;
    bool added = row < UINT32_MAX && QUIPU__VEC_RESERVE(memory, &table->cells, table->column_count) &&
                 QUIPU__VEC_RESERVE(memory, &table->shown, 1);
    for (size_t i = 0; added && i < table->column_count; i++)
        added = copy_cell(table, &cells[i], table->columns[i].type);
    if (!added) {
        table->cells.count = row * table->column_count;
        return quipu__fail(err, QUIPU_LIMIT, "the table %s has no room for more than %zu rows", table->name,
                           row);
    }
    table->shown.items[table->shown.count++] = (struct shown_row){(uint32_t)row, 0};
    return QUIPU_OK;
}

/* ---- Reading ---- */

const char *quipu_table_name(const struct quipu_table *table) {
    return table->name;
}

size_t quipu_table_row_count(const struct quipu_table *table) {
    return table->shown.count;
}

size_t quipu_table_column_count(const struct quipu_table *table) {
    return table->column_count;
}

const struct quipu_table_column *quipu_table_column_at(const struct quipu_table *table, size_t column) {
    return &table->columns[column];
}

size_t quipu_table_column_find(const struct quipu_table *table, const char *name) {
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

const struct quipu_cell *quipu_table_at(const struct quipu_table *table, size_t row, size_t column) {
    return &table->cells.items[table->shown.items[row].row * table->column_count + column];
}

/* ---- Sorting ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_values(const struct quipu_cell *a, const struct quipu_cell *b, enum quipu_column_type type) {
    switch (type) {
    case QUIPU_TYPE_I64:
        return COMPARE(a->i, b->i);
    case QUIPU_TYPE_U64:
        return COMPARE(a->u, b->u);
    case QUIPU_TYPE_F64:
        return COMPARE(a->f, b->f);
    case QUIPU_TYPE_DECIMAL:
        return COMPARE(strtod(a->text, NULL), strtod(b->text, NULL));
    case QUIPU_TYPE_TEXT:
        break;
    }
    return strcmp(a->text, b->text);
}

struct sorting {
    const struct quipu_table *table;
    size_t column;
    bool descending;
};

static bool is_before(const struct sorting *sorting, const struct shown_row *a, const struct shown_row *b) {
    const struct quipu_table *table = sorting->table;
    const struct quipu_cell *x = &table->cells.items[a->row * table->column_count + sorting->column];
    const struct quipu_cell *y = &table->cells.items[b->row * table->column_count + sorting->column];
    int order = x->is_null - y->is_null;
    if (order == 0 && !x->is_null) {
        order = compare_values(x, y, table->columns[sorting->column].type);
        order = sorting->descending ? -order : order;
    }
    return order != 0 ? order < 0 : a->position < b->position;
}

/* Lets the row at root sink in a heap whose top is the last row. */
static void sink(const struct sorting *sorting, struct shown_row *rows, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(sorting, &rows[child], &rows[child + 1]))
            child++;
        if (!is_before(sorting, &rows[root], &rows[child]))
            return;
        const struct shown_row row = rows[root];
        rows[root] = rows[child];
        rows[child] = row;
    }
}

/* A heap sort: it needs no memory, so sorting cannot fail. */
void quipu_table_sort(struct quipu_table *table, size_t column, bool descending) {
    const struct sorting sorting = {table, column, descending};
    struct shown_row *rows = table->shown.items;
    const size_t count = table->shown.count;
    for (size_t i = 0; i < count; i++)
        rows[i].position = (uint32_t)i;
    for (size_t i = count / 2; i-- > 0;)
        sink(&sorting, rows, i, count);
    for (size_t last = count; last-- > 1;) {
        const struct shown_row row = rows[0];
        rows[0] = rows[last];
        rows[last] = row;
        sink(&sorting, rows, 0, last);
    }
}
