/* tables.c: the tables of an answer. */
#include "core/error.h"
#include "core/memory/memory.h"
#include "core/memory/vec.h"
#include "table/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct quipu_tables {
    struct quipu__memory memory;
    QUIPU__VEC(struct quipu_table *) list;
    char note[QUIPU__TABLES_NOTE];
};

enum quipu_status quipu__tables_new(const struct quipu_allocator *allocator, struct quipu_tables **out,
                                    struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_of(&memory, allocator, 0);
    struct quipu_tables *tables = *out = quipu__alloc_zero(&memory, sizeof *tables);
    if (!tables)
        return quipu__no_memory(err, sizeof *tables);
    tables->memory = memory;
    return QUIPU_OK;
}

void quipu_tables_free(struct quipu_tables *tables) {
    if (!tables)
        return;
    for (size_t i = 0; i < tables->list.count; i++)
        quipu_table_free(tables->list.items[i]);
    QUIPU__VEC_RELEASE(&tables->memory, &tables->list);
    struct quipu__memory memory = tables->memory;
    quipu__release(&memory, tables, sizeof *tables);
}

enum quipu_status quipu__tables_add(struct quipu_tables *tables, const struct quipu_analysis_table *shape,
                                    struct quipu_table **out, struct quipu_error *err) {
    *out = NULL;
    if (!QUIPU__VEC_RESERVE(&tables->memory, &tables->list, 1))
        return quipu__no_memory(err, sizeof(struct quipu_table *));
    const enum quipu_status status =
        quipu__table_new(&tables->memory.allocator, shape->name, shape->columns, shape->column_count, out, err);
    if (status == QUIPU_OK)
        tables->list.items[tables->list.count++] = *out;
    return status;
}

char *quipu__tables_note(struct quipu_tables *tables) {
    return tables->note;
}

void quipu__tables_note_add(struct quipu_tables *tables, const char *format, ...) {
    const size_t before = strlen(tables->note);
    const size_t len =
        before + (size_t)snprintf(tables->note + before, sizeof tables->note - before, before > 0 ? "; " : "");
    va_list values;
    va_start(values, format);
    if (len < sizeof tables->note)
        vsnprintf(tables->note + len, sizeof tables->note - len, format, values);
    va_end(values);
}

const char *quipu_tables_note(const struct quipu_tables *tables) {
    return tables->note;
}

size_t quipu_tables_count(const struct quipu_tables *tables) {
    return tables->list.count;
}

struct quipu_table *quipu_tables_at(const struct quipu_tables *tables, size_t index) {
    return tables->list.items[index];
}

const struct quipu_table *const *quipu_tables_list(const struct quipu_tables *tables) {
    return (const struct quipu_table *const *)tables->list.items;
}
