/* balance.c: see balance.h. */
#include "analysis/replay/balance.h"

#include "analysis/shared/unknown_names.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"

#include <string.h>

static bool is_named(const struct quipu__balance *balance, uint32_t region) {
    return region < balance->definitions->regions.count &&
           strcmp(balance->definitions->regions.items[region].name, balance->name) == 0;
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__balance *balance = context;
    const int64_t begin = quipu__reported_from(&balance->reported, from),
                  end = quipu__reported_to(&balance->reported, to);
    const size_t known = balance->totals.count;
    if (end <= begin || !is_named(balance, quipu__call_path_region(&balance->calls.paths, path)) ||
        quipu__path_use_of(&balance->paths, &balance->calls.paths, path).communicates)
        return;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(balance->memory, &balance->totals, location + 1 - known))
            return;
        balance->totals.count = (size_t)location + 1;
    }
    int64_t *total = &balance->totals.items[location];
    *total = quipu__bounded_sum(*total, quipu__bounded_difference(end, begin));
}

enum quipu_status quipu__balance_init(struct quipu__balance *balance, struct quipu__memory *memory,
                                      const struct quipu__fold_start *start, struct quipu_error *err) {
    *balance = (struct quipu__balance){.memory = memory,
                                       .definitions = start->definitions,
                                       .name = quipu__settings_value(&start->settings, "balance"),
                                       .paths = {memory, start->definitions, {0}},
                                       .reported = quipu__reported_of(start)};
    const struct quipu__communication_listener listener = {.context = balance, .step = add_step};
    uint32_t region = 0;
    if (!balance->name)
        return QUIPU_OK;
    while (region < start->definitions->regions.count && !is_named(balance, region))
        region++;
    if (region == start->definitions->regions.count)
        return quipu__no_region(start->definitions, balance->name, err);
    balance->is_measuring = true;
    const bool has_memory = quipu__communication_init(&balance->calls, memory, start->definitions, &listener);
    balance->calls.only_calls = true;
    return has_memory ? QUIPU_OK : quipu__no_memory(err, memory->used);
}

void quipu__balance_release(struct quipu__balance *balance) {
    if (!balance->name)
        return;
    quipu__communication_release(&balance->calls);
    quipu__path_uses_release(&balance->paths);
    QUIPU__VEC_RELEASE(balance->memory, &balance->totals);
    QUIPU__VEC_RELEASE(balance->memory, &balance->factors);
}

bool quipu__balance_consume(struct quipu__balance *balance, const struct quipu_batch *batch) {
    return quipu__communication_add_batch(&balance->calls, batch);
}

bool quipu__balance_find(struct quipu__balance *balance) {
    const size_t count = balance->totals.count;
    int64_t all = 0, locations = 0;
    balance->is_measuring = false;
    quipu__communication_finish(&balance->calls);
    for (size_t i = 0; i < count; i++) {
        all = quipu__bounded_sum(all, balance->totals.items[i]);
        locations += balance->totals.items[i] > 0;
    }
    if (!QUIPU__VEC_RESERVE(balance->memory, &balance->factors, count))
        return false;
    balance->factors.count = count;
    for (size_t i = 0; i < count && locations > 0; i++)
        if (balance->totals.items[i] > 0)
            balance->factors.items[i] = (struct quipu__decimal){(uint64_t)quipu__divide_rounded(all, locations),
                                                                (uint64_t)balance->totals.items[i]};
    return true;
}

void quipu__balance_set(const struct quipu__balance *balance, struct quipu__bursts *bursts) {
    bursts->are_measured = false;
    bursts->balanced = balance->name;
    bursts->definitions = balance->definitions;
    bursts->of_locations = balance->factors.items;
    bursts->location_count = balance->factors.count;
}
