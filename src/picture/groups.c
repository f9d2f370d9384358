/* groups.c: see groups.h. */
#include "picture/groups.h"

#include "core/bounded.h"
#include "core/memory/sort.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Values ---- */

struct quipu__values quipu__values_of(const struct quipu__drawing *drawing) {
    struct quipu__values values = {{0}, 0};
    char name[64];
    for (const char *at = drawing->form->values; *at; at += strspn(at, " ")) {
        const size_t len = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, at);
        const size_t column = quipu_table_column_find(drawing->table, name);
        if (column != SIZE_MAX && values.count < QUIPU__VALUES_MOST)
            values.columns[values.count++] = column;
        at += len;
    }
    return values;
}

struct quipu__amount quipu__amount_at(const struct quipu_table *table, size_t row, size_t column) {
    const struct quipu_cell *cell = quipu_table_at(table, row, column);
    const enum quipu_column_type type = quipu_table_column_at(table, column)->type;
    if (cell->is_null)
        return (struct quipu__amount){0, 0};
    if (type == QUIPU_TYPE_U64)
        return (struct quipu__amount){cell->u > INT64_MAX ? INT64_MAX : (int64_t)cell->u, (double)cell->u};
    if (quipu__is_signed_type(type))
        return (struct quipu__amount){cell->i, (double)cell->i};
    return (struct quipu__amount){0, type == QUIPU_TYPE_F64 ? cell->f : 0};
}

static void amount_add(struct quipu__amount *total, const struct quipu__amount *more) {
    total->whole = quipu__bounded_sum(total->whole, more->whole);
    total->real += more->real;
}

void quipu__put_amount(struct quipu__buffer *out, const struct quipu_table_column *column,
                       const struct quipu__amount *amount) {
    if (quipu__is_whole_number(column->type))
        quipu__put_i64(out, amount->whole);
    else
        quipu__put_format(out, "%.9g", amount->real);
}

/* ---- Rows ---- */

const char *quipu__key_text(const struct quipu_table *table, size_t row, size_t column,
                            char number[QUIPU__KEY_BYTES]) {
    const struct quipu_cell *cell = quipu_table_at(table, row, column);
    const enum quipu_column_type type = quipu_table_column_at(table, column)->type;
    number[0] = '\0';
    if (cell->is_null)
        return "";
    if (type == QUIPU_TYPE_U64)
        snprintf(number, QUIPU__KEY_BYTES, "%" PRIu64, cell->u);
    else if (quipu__is_signed_type(type))
        snprintf(number, QUIPU__KEY_BYTES, "%" PRId64, cell->i);
    else if (type == QUIPU_TYPE_F64)
        snprintf(number, QUIPU__KEY_BYTES, "%g", cell->f);
    else
        return cell->text;
    return number;
}

/* Whether the form's condition is true for a row. */
static bool row_counts(const struct quipu__drawing *drawing, size_t row) {
    char name[64], number[QUIPU__KEY_BYTES];
    const char *condition = drawing->form->condition, *equals = strchr(condition, '=');
    if (!equals)
        return true;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(condition, "!="), condition);
    const size_t column = quipu_table_column_find(drawing->table, name);
    if (column == SIZE_MAX)
        return true;
    const bool is_equal = strcmp(quipu__key_text(drawing->table, row, column, number), equals + 1) == 0;
    return is_equal == (equals[-1] != '!');
}

/* ---- Groups ---- */

/* Keys with the same hash get the next free one. */
static uint64_t slot_of(const struct quipu__groups *groups, const char *key) {
    uint64_t hash = quipu__hash(key, strlen(key), groups->map.seed);
    uint32_t found;
    while ((found = quipu__map_get(&groups->map, hash)) != QUIPU_NONE &&
           strcmp(groups->keys.items[found], key) != 0)
        hash++;
    return hash;
}

uint32_t quipu__groups_find(const struct quipu__groups *groups, const char *key) {
    return quipu__map_get(&groups->map, slot_of(groups, key));
}

static struct quipu__group *group_of(struct quipu__groups *groups, const char *key) {
    const uint64_t slot = slot_of(groups, key);
    const uint32_t found = quipu__map_get(&groups->map, slot);
    if (found != QUIPU_NONE)
        return &groups->list.items[found];
    const char *own = quipu__arena_text(&groups->texts, key, strlen(key));
    if (!own || !quipu__map_put(&groups->map, slot, (uint32_t)groups->list.count) ||
        !QUIPU__VEC_PUT(groups->memory, &groups->keys, own))
        return NULL;
    struct quipu__group *group = QUIPU__VEC_ADD(groups->memory, &groups->list);
    if (group)
        *group = (struct quipu__group){.key = own, .slot = slot, .key_count = 1};
    return group;
}

static bool add_row(struct quipu__groups *groups, const struct quipu__drawing *drawing, size_t row,
                    size_t key_column) {
    char number[QUIPU__KEY_BYTES];
    struct quipu__group *group = group_of(groups, quipu__key_text(drawing->table, row, key_column, number));
    for (size_t i = 0; group && i < groups->values.count; i++) {
        const struct quipu__amount amount = quipu__amount_at(drawing->table, row, groups->values.columns[i]);
        amount_add(&group->amounts[i], &amount);
        amount_add(&group->total, &amount);
    }
    return group != NULL;
}

static bool has_amounts(const struct quipu__groups *groups) {
    for (size_t i = 0; i < groups->list.count; i++)
        for (size_t k = 0; k < groups->values.count; k++)
            if (groups->list.items[i].amounts[k].real != 0)
                return true;
    return false;
}

bool quipu__groups_make(struct quipu__groups *groups, const struct quipu__drawing *drawing,
                        const char *key_column) {
    const size_t key = quipu_table_column_find(drawing->table, key_column);
    *groups = (struct quipu__groups){.memory = drawing->out->memory, .values = quipu__values_of(drawing)};
    quipu__map_init(&groups->map, groups->memory);
    quipu__arena_init(&groups->texts, groups->memory);
    if (key == SIZE_MAX || groups->values.count == 0)
        return false;
    for (size_t row = 0; row < quipu_table_row_count(drawing->table); row++)
        if (row_counts(drawing, row) && !add_row(groups, drawing, row, key))
            return false;
    return has_amounts(groups);
}

void quipu__groups_release(struct quipu__groups *groups) {
    quipu__map_release(&groups->map);
    quipu__arena_release(&groups->texts);
    QUIPU__VEC_RELEASE(groups->memory, &groups->keys);
    QUIPU__VEC_RELEASE(groups->memory, &groups->list);
}

/* ---- Fewer ---- */

/* The order of groups has changed. */
static void number_again(struct quipu__groups *groups) {
    for (size_t i = 0; i < groups->list.count; i++) {
        groups->keys.items[i] = groups->list.items[i].key;
        quipu__gate_knows(quipu__map_put(&groups->map, groups->list.items[i].slot, (uint32_t)i));
    }
}

static int compare_totals(const void *a, const void *b) {
    const struct quipu__group *first = a, *second = b;
    return (first->total.real < second->total.real) - (first->total.real > second->total.real);
}

void quipu__groups_sort(struct quipu__groups *groups) {
    quipu__gate_knows(quipu__sort(groups->memory, groups->list.items, groups->list.count,
                                  sizeof *groups->list.items, compare_totals));
    number_again(groups);
}

static void join(struct quipu__group *group, const struct quipu__group *more) {
    for (size_t i = 0; i < QUIPU__VALUES_MOST; i++)
        amount_add(&group->amounts[i], &more->amounts[i]);
    amount_add(&group->total, &more->total);
    group->key_count += more->key_count;
    group->last = more->last ? more->last : more->key;
}

size_t quipu__groups_join(struct quipu__groups *groups, size_t most) {
    const size_t count = groups->list.count, together = (count + most - 1) / most;
    struct quipu__group *items = groups->list.items;
    for (size_t i = 0; together > 1 && i < count; i++)
        if (i % together == 0)
            items[i / together] = items[i];
        else
            join(&items[i / together], &items[i]);
    if (together > 1)
        groups->list.count = (count + together - 1) / together;
    return together;
}

void quipu__groups_cut(struct quipu__groups *groups, size_t most) {
    if (groups->list.count <= most + 1)
        return;
    struct quipu__group *rest = &groups->list.items[most];
    for (size_t i = most + 1; i < groups->list.count; i++)
        join(rest, &groups->list.items[i]);
    rest->key = "";
    groups->list.count = most + 1;
}

/* ---- Order ---- */

static int compare_positions(const void *a, const void *b) {
    const struct quipu__group *first = a, *second = b;
    return (first->key_count > second->key_count) - (first->key_count < second->key_count);
}

/* The place of each stands where the count of its keys, which is 1, stands again afterwards. */
void quipu__groups_order_by_location(struct quipu__groups *groups,
                                     const struct quipu_definitions *definitions) {
    const struct quipu_locations *locations = &definitions->locations;
    struct quipu__group *items = groups->list.items;
    for (size_t i = 0; i < groups->list.count; i++)
        items[i].key_count = SIZE_MAX;
    for (uint32_t i = locations->count; i-- > 0;) {
        const uint32_t group = quipu__groups_find(groups, locations->items[i].name);
        if (group != QUIPU_NONE)
            items[group].key_count = i;
    }
    quipu__gate_knows(quipu__sort(groups->memory, items, groups->list.count, sizeof *items, compare_positions));
    for (size_t i = 0; i < groups->list.count; i++)
        items[i].key_count = 1;
    number_again(groups);
}
