/* filter.h: a selection prepared for fast use: sets of locations and regions as bit maps. */
#ifndef QUIPU_MODEL_FILTER_H
#define QUIPU_MODEL_FILTER_H

#include "core/memory/memory.h"

#include <quipu/model.h>

struct quipu__where_clause;

struct quipu__filter {
    int64_t from, to;
    quipu_kinds kinds;
    uint64_t *locations; /* bit per location, NULL: all */
    uint32_t location_bits;
    uint64_t *regions; /* bit per region, NULL: all */
    uint32_t region_bits;
    bool without_attributes;
    bool selects;                      /* false: all events pass */
    struct quipu__where_clause *where; /* the expression, which implies the rest; NULL: none */
};

/* Whether it selects only by kinds. */
static inline bool quipu__filter_is_of_kinds(const struct quipu__filter *filter) {
    return filter->from == INT64_MIN && filter->to == INT64_MAX && !filter->locations && !filter->regions;
}

static inline bool quipu__filter_kind(const struct quipu__filter *filter, enum quipu_kind kind) {
    return (filter->kinds >> kind & 1) != 0;
}

static inline bool quipu__filter_location(const struct quipu__filter *filter, uint32_t location) {
    return !filter->locations ||
           (location < filter->location_bits && (filter->locations[location / 64] >> location % 64 & 1) != 0);
}

static inline bool quipu__filter_region(const struct quipu__filter *filter, uint32_t region) {
    return !filter->regions ||
           (region < filter->region_bits && (filter->regions[region / 64] >> region % 64 & 1) != 0);
}

#endif
