/* table.c: an answer: rows of typed cells under static columns.
 *
 * Each column is an array of integers, as wide as the largest needs: counts below 256 take a byte per cell. Signed numbers are
 * stored as zigzag, reals by their bits, texts by their number in a list that has each text once: a profile of thousands of
 * locations has only a few dozen names. Rows are shown through a list of row numbers, which is what sorting moves.
 */
#include "table/table.h"

#include "core/error.h"
#include "core/memory/map.h"
#include "core/memory/memory.h"
#include "core/os.h"
#include "core/memory/vec.h"
#include "core/real.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A table holds answers, not traces: none needs more than 1 GiB. */
#define TABLE_LIMIT ((size_t)1 << 30)

enum { ROWS_LEAST = 16 };

/* Bit of a position while rows are sorted: the cell is null. */
#define IS_NULL UINT32_C(0x80000000)

struct shown_row {
    uint64_t key; /* while rows are sorted */
    uint32_t row;
    uint32_t position; /* before sorting: keeps it stable */
};

struct column {
    uint8_t *codes; /* capacity times width bytes */
    uint8_t *nulls; /* a bit per row; NULL: there are none */
    size_t capacity, null_bytes;
    size_t count; /* of cells: one more than there are rows once the next row's cell has been put */
    unsigned width;
};

struct quipu_table {
    struct quipu__memory memory;
    const char *name;
    const struct quipu_table_column *info;
    size_t column_count;
    struct column *columns;
    struct quipu_cell *cells; /* a cell per column, for quipu_table_at */
    QUIPU__VEC(struct shown_row) shown;
    struct quipu__arena arena;
    bool is_ordered;         /* sorting by name leaves the rows as they are */
    bool is_full;            /* memory was out for a cell of the current row */
    const char *mistake;     /* what is wrong with a cell of that row; NULL: nothing */
    const char *mistaken;    /* the column of that cell */
    struct quipu__map texts; /* hash of a text to its number in copies */
    QUIPU__VEC(const char *) copies;
};

static bool is_text(enum quipu_column_type type) {
    return type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL || type == QUIPU_TYPE_JSON;
}

/* ---- Making ---- */

enum quipu_status quipu__table_new(const struct quipu_allocator *allocator, const char *name,
                                   const struct quipu_table_column *columns, size_t column_count,
                                   struct quipu_table **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_of(&memory, allocator, TABLE_LIMIT);
    struct quipu_table *table = *out = quipu__alloc_zero(&memory, sizeof *table);
    if (!table)
        return quipu__no_memory(err, sizeof *table);
    table->memory = memory;
    table->name = name;
    table->info = columns;
    table->column_count = column_count;
    quipu__arena_init(&table->arena, &table->memory);
    quipu__map_init(&table->texts, &table->memory);
    table->columns = quipu__alloc_zero(&table->memory, column_count * sizeof *table->columns);
    table->cells = quipu__alloc_zero(&table->memory, column_count * sizeof *table->cells);
    if (column_count == 0 || (table->columns && table->cells))
        return QUIPU_OK;
    quipu_table_free(table);
    *out = NULL;
    return quipu__no_memory(err, column_count * sizeof *table->columns);
}

enum quipu_status quipu_table_new(const char *name, const struct quipu_table_column *columns,
                                  size_t column_count, struct quipu_table **out, struct quipu_error *err) {
    return quipu__table_new(NULL, name, columns, column_count, out, err);
}

const struct quipu__memory *quipu__table_memory(const struct quipu_table *table) {
    return &table->memory;
}

void quipu_table_free(struct quipu_table *table) {
    if (!table)
        return;
    for (size_t i = 0; table->columns && i < table->column_count; i++) {
        struct column *column = &table->columns[i];
        quipu__release(&table->memory, column->codes, column->capacity * column->width);
        quipu__release(&table->memory, column->nulls, column->null_bytes);
    }
    quipu__release(&table->memory, table->columns, table->column_count * sizeof *table->columns);
    quipu__release(&table->memory, table->cells, table->column_count * sizeof *table->cells);
    QUIPU__VEC_RELEASE(&table->memory, &table->shown);
    QUIPU__VEC_RELEASE(&table->memory, &table->copies);
    quipu__map_release(&table->texts);
    quipu__arena_release(&table->arena);
    struct quipu__memory memory = table->memory;
    quipu__release(&memory, table, sizeof *table);
}

/* ---- Codes of cells ---- */

static unsigned width_of(uint64_t code) {
    unsigned width = 1;
    while (width < 8 && code >> width * 8)
        width *= 2;
    return width;
}

QUIPU__INLINE uint64_t load(const uint8_t *codes, size_t row, unsigned width) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (width) {
    case 1:
        return codes[row];
    case 2:
        memcpy(&two, codes + 2 * row, sizeof two);
        return two;
    case 4:
        memcpy(&four, codes + 4 * row, sizeof four);
        return four;
    default:
        memcpy(&eight, codes + 8 * row, sizeof eight);
        return eight;
    }
}

QUIPU__INLINE void store(uint8_t *codes, size_t row, unsigned width, uint64_t code) {
    const uint16_t two = (uint16_t)code;
    const uint32_t four = (uint32_t)code;
    switch (width) {
    case 1:
        codes[row] = (uint8_t)code;
        break;
    case 2:
        memcpy(codes + 2 * row, &two, sizeof two);
        break;
    case 4:
        memcpy(codes + 4 * row, &four, sizeof four);
        break;
    default:
        memcpy(codes + 8 * row, &code, sizeof code);
    }
}

static uint64_t zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t code) {
    return (int64_t)(code >> 1 ^ ((code & 1) != 0 ? UINT64_MAX : 0));
}

/* ---- Adding ---- */

/* Makes room for rows of that width; codes of earlier rows are spread out, beginning with the last. */
static bool reserve(struct quipu_table *table, struct column *column, size_t row, unsigned width) {
    const unsigned old_width = column->width;
    const unsigned new_width = width > old_width ? width : old_width;
    size_t capacity = column->capacity;
    if (row >= capacity)
        capacity = capacity ? 2 * capacity : ROWS_LEAST;
    uint8_t *codes =
        quipu__resize(&table->memory, column->codes, column->capacity * old_width, capacity * new_width);
    if (!codes)
        return false;
    for (size_t i = row; new_width > old_width && i-- > 0;)
        store(codes, i, new_width, load(codes, i, old_width));
    column->codes = codes;
    column->capacity = capacity;
    column->width = new_width;
    return true;
}

/* Makes room for the nulls of all rows. */
static bool grow_nulls(struct quipu_table *table, struct column *column) {
    const size_t bytes = column->capacity / 8 + 1;
    if (bytes <= column->null_bytes)
        return true;
    uint8_t *nulls = quipu__resize(&table->memory, column->nulls, column->null_bytes, bytes);
    if (!nulls)
        return false;
    memset(nulls + column->null_bytes, 0, bytes - column->null_bytes);
    column->nulls = nulls;
    column->null_bytes = bytes;
    return true;
}

static bool set_null(struct quipu_table *table, struct column *column, size_t row) {
    if (row / 8 >= column->null_bytes && !grow_nulls(table, column))
        return false;
    column->nulls[row / 8] |= (uint8_t)(1U << row % 8);
    return true;
}

/* An incomplete row may have left a null. */
static bool clear_null(struct column *column, size_t row) {
    if (row / 8 < column->null_bytes)
        column->nulls[row / 8] &= (uint8_t) ~(1U << row % 8);
    return true;
}

static bool is_null(const struct column *column, size_t row) {
    return row / 8 < column->null_bytes && (column->nulls[row / 8] >> row % 8 & 1) != 0;
}

/* The number of the table's copy of a text, the same one for equal texts (unless their hashes collide); QUIPU_NONE when
 * memory is out. */
static uint32_t copy_text(struct quipu_table *table, const char *text) {
    const size_t len = strlen(text);
    const uint64_t hash = quipu__hash(text, len, table->texts.seed);
    const uint32_t known = quipu__map_get(&table->texts, hash);
    if (known != QUIPU_NONE && strcmp(table->copies.items[known], text) == 0)
        return known;
    const char *copy = quipu__arena_text(&table->arena, text, len);
    const char **slot = copy ? QUIPU__VEC_ADD(&table->memory, &table->copies) : NULL;
    const uint32_t number = (uint32_t)(table->copies.count - 1);
    if (!slot || !quipu__map_put(&table->texts, hash, number))
        return QUIPU_NONE;
    *slot = copy;
    return number;
}

/* False when memory is out. */
static bool code_of(struct quipu_table *table, const struct quipu_cell *cell, enum quipu_column_type type,
                    uint64_t *out) {
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
        *out = zigzag(cell->i);
        return true;
    case QUIPU_TYPE_U64:
        *out = cell->u;
        return true;
    case QUIPU_TYPE_F64:
        memcpy(out, &cell->f, sizeof *out);
        return true;
    case QUIPU_TYPE_DECIMAL:
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_JSON:
        break;
    }
    *out = copy_text(table, cell->text);
    return *out != QUIPU_NONE;
}

static bool add_cell(struct quipu_table *table, size_t index, size_t row, const struct quipu_cell *cell) {
    struct column *column = &table->columns[index];
    uint64_t code = 0;
    if (!cell->is_null && !code_of(table, cell, table->info[index].type, &code))
        return false;
    const unsigned width = width_of(code);
    if ((row >= column->capacity || width > column->width) && !reserve(table, column, row, width))
        return false;
    store(column->codes, row, column->width, code);
    return cell->is_null ? set_null(table, column, row) : clear_null(column, row);
}

/* The first mistake of a row, always a bug of ours, is reported when the row ends. */
static void find_mistake(struct quipu_table *table, size_t index, const char *mistake) {
    assert(!mistake);
    if (!table->mistake)
        table->mistaken = index < table->column_count ? table->info[index].name : "";
    table->mistake = table->mistake ? table->mistake : mistake;
}

static void put(struct quipu_table *table, size_t index, const struct quipu_cell *cell) {
    const size_t row = table->shown.count;
    if (index >= table->column_count || table->columns[index].count > row) {
        find_mistake(table, index,
                     index >= table->column_count ? "a cell of no column" : "two cells of the column ");
        return;
    }
    table->columns[index].count = row + 1;
    table->is_full |= row >= IS_NULL || !QUIPU__VEC_RESERVE(&table->memory, &table->shown, 1) ||
                      !add_cell(table, index, row, cell);
}

void quipu__table_put_null(struct quipu_table *table, size_t column) {
    put(table, column, &(struct quipu_cell)QUIPU_CELL_INIT);
}

void quipu__table_put_cell(struct quipu_table *table, size_t column, enum quipu_column_type type,
                           struct quipu_cell cell) {
    if (column < table->column_count && table->info[column].type != type)
        find_mistake(table, column, "a cell of another type than the column ");
    else
        put(table, column, &cell);
}

void quipu__table_put_rest_null(struct quipu_table *table) {
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].count == table->shown.count)
            quipu__table_put_null(table, i);
}

/* Drops an incomplete row, or counts a complete one. */
static void end_row(struct quipu_table *table, bool is_whole) {
    if (is_whole)
        table->shown.items[table->shown.count] = (struct shown_row){.row = (uint32_t)table->shown.count};
    table->shown.count += is_whole;
    for (size_t i = 0; i < table->column_count; i++)
        table->columns[i].count = table->shown.count;
    table->is_full = false;
    table->mistake = NULL;
}

enum quipu_status quipu__table_end_row(struct quipu_table *table, struct quipu_error *err) {
    const size_t row = table->shown.count;
    for (size_t i = 0; i < table->column_count && !table->mistake; i++)
        if (table->columns[i].count == row)
            find_mistake(table, i, "no cell of the column ");
    enum quipu_status status = QUIPU_OK;
    if (table->mistake)
        status = quipu__fail(err, QUIPU_MISUSE, "row %zu of the table %s has %s%s", row, table->name,
                             table->mistake, table->mistaken);
    else if (table->is_full)
        status =
            quipu__fail(err, QUIPU_LIMIT, "the table %s has no room for more than %zu rows", table->name, row);
    end_row(table, status == QUIPU_OK);
    return status;
}

enum quipu_status quipu_table_add(struct quipu_table *table, const struct quipu_cell *cells,
                                  struct quipu_error *err) {
    for (size_t i = 0; i < table->column_count; i++)
        put(table, i, &cells[i]);
    return quipu__table_end_row(table, err);
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
    return &table->info[column];
}

size_t quipu_table_column_find(const struct quipu_table *table, const char *name) {
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->info[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

const struct quipu_cell *quipu_table_at(const struct quipu_table *table, size_t row, size_t index) {
    const struct column *column = &table->columns[index];
    const uint32_t number = table->shown.items[row].row;
    const uint64_t code = load(column->codes, number, column->width);
    struct quipu_cell *cell = &table->cells[index];
    cell->is_null = is_null(column, number);
    if (cell->is_null)
        cell->u = 0;
    else if (is_text(table->info[index].type))
        cell->text = table->copies.items[code];
    else if (quipu__is_signed_type(table->info[index].type))
        cell->i = unzigzag(code);
    else
        cell->u = code; /* also of a real: its bits */
    return cell;
}

/* ---- Sorting ---- */

/* Numbers in the order of reals: negative reals have all bits inverted, others the first. */
static uint64_t key_of_real(double real) {
    uint64_t bits;
    real += 0.0; /* makes both zeros equal */
    memcpy(&bits, &real, sizeof bits);
    return (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* A number in the order of the cells; for a text, which has none, its number in copies. */
static uint64_t key_of(const struct quipu_cell *cell, enum quipu_column_type type, uint64_t code) {
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
        return (uint64_t)cell->i ^ UINT64_C(1) << 63;
    case QUIPU_TYPE_U64:
        return cell->u;
    case QUIPU_TYPE_F64:
        return key_of_real(cell->f);
    case QUIPU_TYPE_DECIMAL:
        return key_of_real(quipu__read_real(cell->text, NULL));
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_JSON:
        break;
    }
    return code;
}

struct sorting {
    const char *const *texts; /* of keys; NULL: compare the keys themselves */
    bool descending;
};

static void fill_keys(struct quipu_table *table, size_t index) {
    const struct column *column = &table->columns[index];
    for (size_t i = 0; i < table->shown.count; i++) {
        struct shown_row *shown = &table->shown.items[i];
        const struct quipu_cell *cell = quipu_table_at(table, i, index);
        const uint64_t code = load(column->codes, shown->row, column->width);
        shown->key = cell->is_null ? 0 : key_of(cell, table->info[index].type, code);
        shown->position = (uint32_t)i | (cell->is_null ? IS_NULL : 0);
    }
}

static int compare_keys(const struct sorting *sorting, uint64_t a, uint64_t b) {
    if (sorting->texts)
        return a == b ? 0 : strcmp(sorting->texts[a], sorting->texts[b]);
    return (a > b) - (a < b);
}

static bool is_before(const struct sorting *sorting, const struct shown_row *a, const struct shown_row *b) {
    if (((a->position | b->position) & IS_NULL) != 0)
        return a->position < b->position;
    const int order = compare_keys(sorting, a->key, b->key);
    if (order != 0)
        return (order < 0) != sorting->descending;
    return a->position < b->position;
}

/* Lets the row at root sink in a heap whose top is the last row. */
static void sink(const struct sorting *sorting, struct shown_row *rows, size_t root, size_t count) {
    const struct shown_row row = rows[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(sorting, &rows[child], &rows[child + 1]))
            child++;
        if (!is_before(sorting, &row, &rows[child]))
            break;
        rows[root] = rows[child];
    }
    rows[root] = row;
}

static void reorder_nulls(const struct quipu_table *table, struct column *column, uint8_t *sorted) {
    memset(sorted, 0, column->null_bytes);
    for (size_t i = 0; i < table->shown.count; i++)
        if (is_null(column, table->shown.items[i].row))
            sorted[i / 8] |= (uint8_t)(1U << i % 8);
    memcpy(column->nulls, sorted, column->null_bytes);
}

static void reorder_codes(const struct quipu_table *table, struct column *column, uint8_t *sorted) {
    for (size_t i = 0; i < table->shown.count; i++)
        store(sorted, i, column->width, load(column->codes, table->shown.items[i].row, column->width));
    memcpy(column->codes, sorted, table->shown.count * column->width);
}

/* Stores the rows in the order in which they are shown, if there is memory for it: reading them all is then sequential. */
static void reorder(struct quipu_table *table) {
    const size_t bytes = table->shown.count * sizeof(uint64_t) + ROWS_LEAST;
    bool has_memory = table->shown.count > 0;
    for (size_t i = 0; i < table->column_count && has_memory; i++)
        has_memory = !table->columns[i].nulls || grow_nulls(table, &table->columns[i]);
    uint8_t *sorted = has_memory ? quipu__alloc(&table->memory, bytes) : NULL;
    if (!sorted)
        return;
    for (size_t i = 0; i < table->column_count; i++) {
        reorder_codes(table, &table->columns[i], sorted);
        if (table->columns[i].nulls)
            reorder_nulls(table, &table->columns[i], sorted);
    }
    for (size_t i = 0; i < table->shown.count; i++)
        table->shown.items[i].row = (uint32_t)i;
    quipu__release(&table->memory, sorted, bytes);
}

/* A heap sort: it needs no memory, so sorting cannot fail. */
void quipu_table_sort(struct quipu_table *table, size_t column, bool descending) {
    const enum quipu_column_type type = table->info[column].type;
    const bool has_texts = type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_JSON;
    const struct sorting sorting = {has_texts ? table->copies.items : NULL, descending};
    struct shown_row *rows = table->shown.items;
    const size_t count = table->shown.count;
    fill_keys(table, column);
    for (size_t i = count / 2; i-- > 0;)
        sink(&sorting, rows, i, count);
    for (size_t last = count; last-- > 1;) {
        const struct shown_row row = rows[0];
        rows[0] = rows[last];
        rows[last] = row;
        sink(&sorting, rows, 0, last);
    }
    reorder(table);
}

bool quipu__table_sort_by(struct quipu_table *table, const char *name) {
    const size_t column = quipu_table_column_find(table, name);
    if (column == SIZE_MAX)
        return false;
    if (!table->is_ordered)
        quipu_table_sort(table, column, table->info[column].type != QUIPU_TYPE_TEXT);
    return true;
}

void quipu__table_fix_order(struct quipu_table *table) {
    table->is_ordered = true;
}
