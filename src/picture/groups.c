/* groups.c: see groups.h. */
#include "picture/groups.h"

#include "core/bounded.h"
#include "core/memory/sort.h"
#include "core/real.h"
#include "model/event.h"
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
        quipu__print(number, QUIPU__KEY_BYTES, "%g", cell->f);
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

enum { NO_ID = -1 };

/* Keys with the same hash get the next free one. */
static uint64_t slot_of(const struct quipu__groups *groups, const char *name, int64_t id) {
    uint64_t slot = quipu__hash(name, strlen(name), quipu__hash(&id, sizeof id, groups->map.seed));
    uint32_t found;
    while ((found = quipu__map_get(&groups->map, slot)) != QUIPU_NONE &&
           (groups->keys.items[found].id != id || strcmp(groups->keys.items[found].name, name) != 0))
        slot++;
    return slot;
}

static int64_t id_at(const struct quipu__groups *groups, const struct quipu_table *table, size_t row) {
    if (groups->id_column == SIZE_MAX || quipu_table_at(table, row, groups->key_column)->is_null)
        return NO_ID;
    const struct quipu_cell *cell = quipu_table_at(table, row, groups->id_column);
    return cell->is_null ? NO_ID : cell->i;
}

uint32_t quipu__groups_of_row(const struct quipu__groups *groups, const struct quipu_table *table, size_t row) {
    char number[QUIPU__KEY_BYTES];
    const char *name = quipu__key_text(table, row, groups->key_column, number);
    return quipu__map_get(&groups->map, slot_of(groups, name, id_at(groups, table, row)));
}

/* Tells a group from others that have its name. */
static void put_id(struct quipu__groups *groups, uint32_t number) {
    struct quipu__group_key *key = &groups->list.items[number].key;
    const size_t size = strlen(key->name) + QUIPU__KEY_BYTES;
    char *text = key->text == key->name && key->id != NO_ID ? quipu__arena_alloc(&groups->texts, size) : NULL;
    if (!text)
        return;
    snprintf(text, size, "%s (%" PRId64 ")", key->name, key->id);
    key->text = groups->keys.items[number].text = text;
}

/* The hash of a name alone: that two have the same one would only show their numbers. */
static bool tell_apart(struct quipu__groups *groups, uint32_t number) {
    const char *name = groups->list.items[number].key.name;
    const uint64_t hash = quipu__hash(name, strlen(name), groups->names.seed);
    const uint32_t first = quipu__map_get(&groups->names, hash);
    if (first == QUIPU_NONE)
        return quipu__map_put(&groups->names, hash, number);
    put_id(groups, first);
    put_id(groups, number);
    return true;
}

static struct quipu__group *group_of(struct quipu__groups *groups, const char *name, int64_t id) {
    const uint64_t slot = slot_of(groups, name, id);
    const uint32_t found = quipu__map_get(&groups->map, slot), number = (uint32_t)groups->list.count;
    if (found != QUIPU_NONE)
        return &groups->list.items[found];
    const char *own = quipu__arena_text(&groups->texts, name, strlen(name));
    const struct quipu__group_key key = {own, own, id, slot};
    if (!own || !quipu__map_put(&groups->map, slot, number) ||
        !QUIPU__VEC_PUT(groups->memory, &groups->keys, key) ||
        !QUIPU__VEC_PUT(groups->memory, &groups->list, (struct quipu__group){.key = key, .key_count = 1}) ||
        !tell_apart(groups, number))
        return NULL;
    return &groups->list.items[number];
}

static bool add_row(struct quipu__groups *groups, const struct quipu_table *table, size_t row) {
    char number[QUIPU__KEY_BYTES];
    struct quipu__group *group =
        group_of(groups, quipu__key_text(table, row, groups->key_column, number), id_at(groups, table, row));
    for (size_t i = 0; group && i < groups->values.count; i++) {
        const struct quipu__amount amount = quipu__amount_at(table, row, groups->values.columns[i]);
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
    char id[64];
    snprintf(id, sizeof id, "%s_id", key_column);
    *groups = (struct quipu__groups){.memory = drawing->out->memory,
                                     .values = quipu__values_of(drawing),
                                     .key_column = quipu_table_column_find(drawing->table, key_column),
                                     .id_column = quipu_table_column_find(drawing->table, id)};
    quipu__map_init(&groups->map, groups->memory);
    quipu__map_init(&groups->names, groups->memory);
    quipu__arena_init(&groups->texts, groups->memory);
    if (groups->key_column == SIZE_MAX || groups->values.count == 0)
        return false;
    for (size_t row = 0; row < quipu_table_row_count(drawing->table); row++)
        if (row_counts(drawing, row) && !add_row(groups, drawing->table, row))
            return false;
    return has_amounts(groups);
}

void quipu__groups_release(struct quipu__groups *groups) {
    quipu__map_release(&groups->map);
    quipu__map_release(&groups->names);
    quipu__arena_release(&groups->texts);
    QUIPU__VEC_RELEASE(groups->memory, &groups->keys);
    QUIPU__VEC_RELEASE(groups->memory, &groups->list);
}

/* ---- Fewer ---- */

/* The order of groups has changed. */
static void number_again(struct quipu__groups *groups) {
    for (size_t i = 0; i < groups->list.count; i++) {
        groups->keys.items[i] = groups->list.items[i].key;
        quipu__gate_knows(quipu__map_put(&groups->map, groups->keys.items[i].slot, (uint32_t)i));
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
    group->last = more->last ? more->last : more->key.text;
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
    rest->key.text = "";
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
        const uint64_t id = groups->id_column == SIZE_MAX
                                ? QUIPU_UNKNOWN
                                : quipu__native_id_of(definitions, QUIPU_REFERS_LOCATION, i);
        const uint32_t group = quipu__map_get(
            &groups->map, slot_of(groups, locations->items[i].name, id == QUIPU_UNKNOWN ? NO_ID : (int64_t)id));
        if (group != QUIPU_NONE)
            items[group].key_count = i;
    }
    quipu__gate_knows(quipu__sort(groups->memory, items, groups->list.count, sizeof *items, compare_positions));
    for (size_t i = 0; i < groups->list.count; i++)
        items[i].key_count = 1;
    number_again(groups);
}
