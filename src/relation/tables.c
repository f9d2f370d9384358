/* tables.c: tables that are whole before they are read as relations: the classes of definitions, those of analyses, and given ones. */
#include "analysis/shared/fold.h"
#include "core/error.h"
#include "relation/relation.h"

#include <string.h>

struct whole {
    struct quipu_tables *tables;     /* NULL: the table was given */
    const struct quipu_table *table; /* NULL: with these options the analysis does not make it */
    size_t next;
};

static void release(struct quipu__scan *scan) {
    struct whole *whole = scan->state;
    quipu_tables_free(whole->tables);
    quipu__release(&scan->memory, whole, sizeof *whole);
}

/* The table of the relation's name. */
static void find_table(struct quipu__scan *scan, struct whole *whole) {
    for (size_t i = 0; i < quipu_tables_count(whole->tables) && !whole->table; i++) {
        const struct quipu_table *table = quipu_tables_at(whole->tables, i);
        if (strcmp(quipu_table_name(table), scan->relation.shape->name) == 0)
            whole->table = table;
    }
}

static enum quipu_status read_tables(struct quipu__scan *scan, struct whole *whole,
                                     const struct quipu_relation_options *options, struct quipu_error *err) {
    if (!scan->relation.fold)
        return quipu_definition_tables(scan->reader, scan->relation.shape->name, &whole->tables, err);
    struct quipu_analysis_options analysis = QUIPU_ANALYSIS_OPTIONS_INIT;
    analysis.selection = options->selection;
    analysis.settings = options->settings;
    analysis.setting_count = options->setting_count;
    return quipu_analysis_run(scan->reader, scan->relation.fold->info.name, &analysis, &whole->tables, err);
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    struct whole *whole = scan->state = quipu__alloc_zero(&scan->memory, sizeof *whole);
    if (!whole)
        return quipu__no_memory(err, sizeof *whole);
    const enum quipu_status status = read_tables(scan, whole, options, err);
    if (status == QUIPU_OK)
        find_table(scan, whole);
    return status;
}

static void put_cell(struct quipu__row_column *column, size_t row, const struct quipu_cell *cell) {
    if (column->has_texts)
        quipu__row_set_text(column, row, cell->is_null ? NULL : cell->text,
                            cell->is_null ? 0 : strlen(cell->text));
    else
        quipu__row_set_if(column, row, !cell->is_null, cell->u);
}

/* Columns of relations go by their names: options may leave some out. */
static void put_rows(struct quipu__scan *scan, const struct whole *whole, size_t count) {
    for (size_t i = 0; i < scan->rows->column_count; i++) {
        struct quipu__row_column *column = &scan->rows->columns[i];
        const size_t from = whole->tables ? quipu_table_column_find(whole->table, column->name) : i;
        static const struct quipu_cell null = QUIPU_CELL_INIT;
        for (size_t row = 0; column->values && row < count; row++)
            put_cell(column, row,
                     from == SIZE_MAX ? &null : quipu_table_at(whole->table, whole->next + row, from));
    }
}

static enum quipu_status fill(struct quipu__scan *scan, struct quipu_error *err) {
    struct whole *whole = scan->state;
    const size_t rows = whole->table ? quipu_table_row_count(whole->table) : 0, left = rows - whole->next;
    const size_t count = left < QUIPU__ROWS ? left : QUIPU__ROWS;
    (void)err;
    if (count == 0)
        return QUIPU_END;
    put_rows(scan, whole, count);
    scan->rows->count = count;
    whole->next += count;
    return QUIPU_OK;
}

const struct quipu__relation quipu__table_relation = {.begin = begin, .fill = fill, .release = release};

/* ---- Given tables ---- */

static bool prepare(struct quipu__scan *scan, const struct quipu_table *table) {
    const size_t count = quipu_table_column_count(table);
    struct whole *whole = scan->state = quipu__alloc_zero(&scan->memory, sizeof *whole);
    scan->relation.column_count = count;
    scan->uses = quipu__alloc_zero(&scan->memory, count * sizeof *scan->uses);
    for (size_t i = 0; scan->uses && i < count; i++) {
        scan->relation.columns[i] = *quipu_table_column_at(table, i);
        scan->uses[i].is_wanted = true;
    }
    if (whole)
        whole->table = table;
    return whole && scan->uses;
}

enum quipu_status quipu__scan_of_table(const struct quipu_table *table, struct quipu__scan **out,
                                       struct quipu_error *err) {
    struct quipu__memory memory;
    *out = NULL;
    if (quipu_table_column_count(table) > QUIPU_RELATION_COLUMNS)
        return quipu__fail(err, QUIPU_LIMIT, "a stream has at most %d columns, not %zu", QUIPU_RELATION_COLUMNS,
                           quipu_table_column_count(table));
    quipu__memory_like(&memory, quipu__table_memory(table));
    struct quipu__scan *scan = quipu__alloc_zero(&memory, sizeof *scan);
    if (!scan)
        return quipu__no_memory(err, sizeof *scan);
    scan->memory = memory;
    scan->relation = quipu__table_relation;
    if (!prepare(scan, table)) {
        quipu__scan_free(scan);
        return quipu__no_memory(err, sizeof *scan);
    }
    *out = scan;
    return QUIPU_OK;
}
