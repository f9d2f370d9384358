/* select.c: turns lists of numbers into bit maps over the definitions. */
#include "trace/select.h"

#include "core/error.h"
#include "model/where.h"

#include <inttypes.h>
#include <string.h>

static size_t map_bytes(uint32_t bits) {
    return ((size_t)bits + 63) / 64 * sizeof(uint64_t);
}

/* A bit per definition, set for those that are listed. A list that names none of them selects nothing, so a map
 * has at least one word. */
static uint64_t *map_of(struct quipu__memory *memory, const uint32_t *list, uint32_t count, uint32_t bits) {
    uint64_t *map = quipu__alloc_zero(memory, map_bytes(bits));
    for (uint32_t i = 0; map && i < count; i++)
        if (list[i] < bits)
            map[list[i] / 64] |= (uint64_t)1 << list[i] % 64;
    return map;
}

void quipu__filter_release(struct quipu__filter *filter, struct quipu__memory *memory) {
    quipu__release(memory, filter->locations, map_bytes(filter->location_bits));
    quipu__release(memory, filter->regions, map_bytes(filter->region_bits));
    quipu__where_free(filter->where);
    *filter = (struct quipu__filter){.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS};
}

/* INT64_MAX as the upper bound means no bound; otherwise the last tick could not be selected. */
static bool selects(const struct quipu_selection *selection) {
    return selection->from != INT64_MIN || selection->to != INT64_MAX || selection->kinds != QUIPU_ALL_KINDS ||
           selection->locations || selection->regions || selection->where;
}

/* Removes from the selected locations those at which the expression is never true. */
static bool narrow_locations(struct quipu__filter *filter, struct quipu__memory *memory,
                             const struct quipu_definitions *definitions) {
    const uint32_t bits = definitions->locations.count + 1;
    if (quipu__where_location(filter->where, QUIPU_NONE - 1))
        return true; /* even at an undefined one */
    if (!filter->locations) {
        filter->locations = quipu__alloc_zero(memory, map_bytes(bits));
        if (!filter->locations)
            return false;
        memset(filter->locations, 0xff, map_bytes(bits));
        filter->location_bits = bits;
    }
    for (uint32_t i = 0; i < bits; i++)
        if (!quipu__where_location(filter->where, i))
            filter->locations[i / 64] &= ~((uint64_t)1 << i % 64);
    return true;
}

/* Adds the expression, and narrows what is read to where it can be true. */
static enum quipu_status set_where(struct quipu__filter *filter, struct quipu__memory *memory, const char *text,
                                   const struct quipu_definitions *definitions, struct quipu_error *err) {
    int64_t from, to;
    const enum quipu_status status = quipu__where_new(memory, text, definitions, &filter->where, err);
    if (status != QUIPU_OK)
        return status;
    filter->kinds &= quipu__where_kinds(filter->where);
    quipu__where_window(filter->where, &from, &to);
    filter->from = from > filter->from ? from : filter->from;
    filter->to = to < filter->to ? to : filter->to;
    filter->to = filter->to > filter->from ? filter->to : filter->from;
    return narrow_locations(filter, memory, definitions) ? QUIPU_OK : quipu__no_memory(err, memory->used);
}

enum quipu_status quipu__selection_check(const struct quipu_selection *selection, struct quipu_error *err) {
    if (selection->from <= selection->to)
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "the selection ends at %" PRId64 ", before it begins at %" PRId64,
                       selection->to, selection->from);
}

static enum quipu_status set_lists(struct quipu__filter *filter, struct quipu__memory *memory,
                                   const struct quipu_selection *selection,
                                   const struct quipu_definitions *definitions, struct quipu_error *err) {
    const enum quipu_status status = quipu__selection_check(selection, err);
    quipu__filter_release(filter, memory);
    if (status != QUIPU_OK)
        return status;
    filter->from = selection->from;
    filter->to = selection->to;
    filter->kinds = selection->kinds;
    filter->without_attributes = selection->without_attributes;
    filter->selects = selects(selection);
    if (selection->locations) {
        const uint32_t bits = definitions->locations.count + 1;
        filter->locations = map_of(memory, selection->locations, selection->location_count, bits);
        filter->location_bits = filter->locations ? bits : 0;
    }
    if (selection->regions) {
        const uint32_t bits = definitions->regions.count + 1;
        filter->regions = map_of(memory, selection->regions, selection->region_count, bits);
        filter->region_bits = filter->regions ? bits : 0;
    }
    if ((selection->locations && !filter->locations) || (selection->regions && !filter->regions)) {
        quipu__filter_release(filter, memory);
        return quipu__no_memory(err, map_bytes(definitions->locations.count + definitions->regions.count));
    }
    return QUIPU_OK;
}

enum quipu_status quipu__filter_set(struct quipu__filter *filter, struct quipu__memory *memory,
                                    const struct quipu_selection *selection,
                                    const struct quipu_definitions *definitions, struct quipu_error *err) {
    enum quipu_status status = set_lists(filter, memory, selection, definitions, err);
    if (status == QUIPU_OK && selection->where)
        status = set_where(filter, memory, selection->where, definitions, err);
    if (status != QUIPU_OK)
        quipu__filter_release(filter, memory);
    return status;
}
