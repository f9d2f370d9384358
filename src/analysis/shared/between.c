/* between.c: see between.h. */
#include "analysis/shared/between.h"

#include "analysis/shared/cells.h"
#include "core/bounded.h"

#include <stdio.h>

/* ---- Numbers ---- */

uint32_t quipu__calls_number(struct quipu__calls_numbers *numbers, struct quipu__calls_around calls) {
    const uint64_t key = (uint64_t)calls.before << 32 | calls.after;
    const uint32_t known = quipu__map_get(&numbers->map, key), next = (uint32_t)numbers->list.count;
    if (known != QUIPU_NONE)
        return known;
    struct quipu__calls_around *added = QUIPU__VEC_ADD(numbers->memory, &numbers->list);
    if (!added || !quipu__map_put(&numbers->map, key, next))
        return QUIPU_NONE;
    *added = calls;
    return next;
}

/* ---- Locations ---- */

void quipu__between_release(struct quipu__between *between) {
    if (!between->memory)
        return;
    QUIPU__VEC_RELEASE(between->memory, &between->totals);
    QUIPU__VEC_RELEASE(between->memory, &between->locations);
    quipu__calls_numbers_release(&between->numbers);
    quipu__map_release(&between->total_of);
}

static uint32_t *location_of(struct quipu__between *between, uint32_t location) {
    const size_t known = between->locations.count;
    if (location < known)
        return &between->locations.items[location];
    if (!QUIPU__VEC_RESERVE(between->memory, &between->locations, location + 1 - known))
        return NULL;
    between->locations.count = (size_t)location + 1;
    return &between->locations.items[location];
}

/* ---- Totals ---- */

static struct quipu__between_total *add_total(struct quipu__between *between, uint32_t location,
                                              uint32_t calls) {
    const uint64_t key = (uint64_t)location << 32 | calls;
    uint32_t *latest = location_of(between, location);
    struct quipu__between_total *total = latest ? QUIPU__VEC_ADD(between->memory, &between->totals) : NULL;
    if (!total || !quipu__map_put(&between->total_of, key, (uint32_t)(between->totals.count - 1)))
        return NULL;
    *total = (struct quipu__between_total){calls, 0, *latest > 0 ? *latest - 1 : QUIPU_NONE};
    *latest = (uint32_t)between->totals.count;
    return total;
}

void quipu__between_add(struct quipu__between *between, uint32_t location, struct quipu__calls_around calls,
                        int64_t amount) {
    const uint32_t number = quipu__calls_number(&between->numbers, calls);
    const uint32_t known = quipu__map_get(&between->total_of, (uint64_t)location << 32 | number);
    struct quipu__between_total *total = NULL;
    if (known != QUIPU_NONE)
        total = &between->totals.items[known];
    else if (number != QUIPU_NONE)
        total = add_total(between, location, number);
    if (total)
        total->amount = quipu__bounded_sum(total->amount, amount);
}

/* A total leads to the ones that came before it. */
struct quipu__calls_around quipu__between_most(const struct quipu__between *between, uint32_t location) {
    const uint32_t latest = location < between->locations.count ? between->locations.items[location] : 0;
    struct quipu__calls_around calls = QUIPU__NO_CALLS_AROUND;
    int64_t most = INT64_MIN;
    for (uint32_t i = latest > 0 ? latest - 1 : QUIPU_NONE; i != QUIPU_NONE;
         i = between->totals.items[i].next) {
        if (between->totals.items[i].amount < most)
            continue;
        most = between->totals.items[i].amount;
        calls = between->numbers.list.items[between->totals.items[i].calls];
    }
    return calls;
}

/* ---- Text ---- */

const char *quipu__calls_around_text(const struct quipu_definitions *definitions,
                                     struct quipu__calls_around calls, char out[QUIPU__CALLS_AROUND_BYTES]) {
    enum { NAME = 255 };
    char numbers[2][32];
    const char *before = quipu__printed_name(definitions, QUIPU_REFERS_REGION, calls.before, numbers[0]);
    const char *after = quipu__printed_name(definitions, QUIPU_REFERS_REGION, calls.after, numbers[1]);
    if (!before && !after)
        return NULL;
    if (before && after)
        snprintf(out, QUIPU__CALLS_AROUND_BYTES, "between %.*s and %.*s", NAME, before, NAME, after);
    else
        snprintf(out, QUIPU__CALLS_AROUND_BYTES, "%s %.*s", before ? "after" : "before", NAME,
                 before ? before : after);
    return out;
}
