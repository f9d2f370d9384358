/* table.c: a hash table whose entries also stand in chains. Nothing is allocated before the first entry: most tables of
 * most processes stay empty. */
#include "table.h"
#include "lookup3.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 8u

struct aux_chain {
    struct aux_entry *first, *last;
};

void aux_table_init(struct aux_table *table, const struct aux_table_kind *kind) {
    *table = (struct aux_table){.kind = kind};
    aux_pool_init(&table->pool, kind->entry_size);
}

void aux_table_release(struct aux_table *table) {
    aux_pool_release(&table->pool);
    free(table->slots);
    free(table->chains);
    aux_table_init(table, table->kind);
}

/* ---- Slots ---- */

static size_t slot_of(struct aux_key key, size_t slot_count) {
    uint64_t mixed = (key.first ^ key.second * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(mixed ^ mixed >> 32) & (slot_count - 1);
}

static void put_into_slot(struct aux_entry **slots, size_t slot_count, struct aux_entry *entry) {
    struct aux_entry **slot = &slots[slot_of(entry->key, slot_count)];
    entry->next_in_slot = *slot;
    *slot = entry;
}

static bool grow(struct aux_table *table) {
    const size_t slot_count = table->slot_count ? table->slot_count * 2 : FIRST_SLOTS;
    struct aux_entry **slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    for (struct aux_entry *entry = aux_table_first(table); entry; entry = aux_table_next(table, entry))
        put_into_slot(slots, slot_count, entry);
    free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

void *aux_table_find(const struct aux_table *table, struct aux_key key) {
    if (table->count == 0)
        return NULL;
    struct aux_entry *entry = table->slots[slot_of(key, table->slot_count)];
    while (entry && (entry->key.first != key.first || entry->key.second != key.second))
        entry = entry->next_in_slot;
    return entry;
}

/* ---- Chains ---- */

static uint32_t chain_of(const struct aux_table *table, struct aux_key key) {
    if (table->kind->chain_count == 1)
        return 0;
    const uint32_t words[2] = {(uint32_t)key.first, (uint32_t)(key.first >> 32)};
    return hashword(words, table->kind->hashed_words, 0) & (table->kind->chain_count - 1);
}

static void link_entry(struct aux_table *table, struct aux_entry *entry) {
    struct aux_chain *chain = &table->chains[chain_of(table, entry->key)];
    const bool newest_first = table->kind->newest_first;
    entry->before = newest_first ? NULL : chain->last;
    entry->after = newest_first ? chain->first : NULL;
    *(entry->before ? &entry->before->after : &chain->first) = entry;
    *(entry->after ? &entry->after->before : &chain->last) = entry;
}

static void unlink_entry(struct aux_table *table, struct aux_entry *entry) {
    struct aux_chain *chain = &table->chains[chain_of(table, entry->key)];
    *(entry->before ? &entry->before->after : &chain->first) = entry->after;
    *(entry->after ? &entry->after->before : &chain->last) = entry->before;
}

static void *first_from(const struct aux_table *table, uint32_t chain) {
    for (; chain < table->kind->chain_count; chain++)
        if (table->chains[chain].first)
            return table->chains[chain].first;
    return NULL;
}

void *aux_table_first(const struct aux_table *table) {
    return table->count > 0 ? first_from(table, 0) : NULL;
}

void *aux_table_next(const struct aux_table *table, const void *entry) {
    const struct aux_entry *present = entry;
    return present->after ? present->after : first_from(table, chain_of(table, present->key) + 1);
}

/* ---- Entries ---- */

void *aux_table_add(struct aux_table *table, struct aux_key key) {
    if (!table->chains)
        table->chains = calloc(table->kind->chain_count, sizeof *table->chains);
    if (!table->chains || (table->count == table->slot_count && !grow(table)))
        return NULL;
    struct aux_entry *entry = aux_pool_take(&table->pool);
    if (!entry)
        return NULL;
    memset(entry, 0, table->kind->entry_size);
    entry->key = key;
    put_into_slot(table->slots, table->slot_count, entry);
    link_entry(table, entry);
    table->count++;
    return entry;
}

void aux_table_remove(struct aux_table *table, void *entry) {
    struct aux_entry *gone = entry;
    struct aux_entry **slot = &table->slots[slot_of(gone->key, table->slot_count)];
    while (*slot != gone)
        slot = &(*slot)->next_in_slot;
    *slot = gone->next_in_slot;
    unlink_entry(table, gone);
    aux_pool_give(&table->pool, gone);
    table->count--;
}
