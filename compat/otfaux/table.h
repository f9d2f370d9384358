/* table.h: things that are found by a number and walked in an order that clients see.
 *
 * The order is that of one or more chains. With one chain it is simply the order of adding. With several, a hash of the key
 * chooses the chain (the documented order of OTF's hash tables); the chains are walked one after the other. Finding does
 * not use the chains but slots of its own, so it stays fast however long a chain becomes. */
#ifndef COMPAT_OTFAUX_TABLE_H
#define COMPAT_OTFAUX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"

struct aux_key {
    uint64_t first, second;
};

/* The beginning of every entry. */
struct aux_entry {
    struct aux_entry *next_in_slot;
    struct aux_entry *before, *after; /* in the chain */
    struct aux_key key;
};

struct aux_table_kind {
    size_t entry_size;
    uint32_t chain_count;  /* a power of two */
    uint32_t hashed_words; /* words of 32 bits of the key, lowest first, that choose the chain */
    bool newest_first;     /* within a chain */
};

struct aux_table {
    const struct aux_table_kind *kind;
    struct aux_pool pool;
    struct aux_entry **slots;
    struct aux_chain *chains;
    size_t slot_count, count;
};

void aux_table_init(struct aux_table *table, const struct aux_table_kind *kind);
void aux_table_release(struct aux_table *table);

/* The entry of a key, or NULL. */
void *aux_table_find(const struct aux_table *table, struct aux_key key);

/* A new entry for a key that has none, with zeros after its beginning; NULL when memory is out. */
void *aux_table_add(struct aux_table *table, struct aux_key key);

/* After a removal the next addition does not fail. */
void aux_table_remove(struct aux_table *table, void *entry);

/* The walk; NULL at its end. */
void *aux_table_first(const struct aux_table *table);
void *aux_table_next(const struct aux_table *table, const void *entry);

#endif
