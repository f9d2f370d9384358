/* bursts.c: how long the time between communication calls takes in a replay: see network_replay.h. */
#include "analysis/replay/network_replay.h"

#include "analysis/shared/unknown_names.h"
#include "core/bounded.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

/* A name in an error may be cut. */
enum { NAME_MOST = 256 };

static enum quipu_status refuse_factor(const char *option, const char *value, struct quipu_error *err) {
    return quipu__fail(err, QUIPU_MISUSE,
                       "%s a number above 0 with at most 6 decimals, such as 0.5, not \"%s\"", option, value);
}

static enum quipu_status set_factor(struct quipu__bursts *bursts, const char *text, struct quipu_error *err) {
    if (!text)
        return QUIPU_OK;
    if (!quipu__parse_decimal(text, strlen(text), &bursts->factor) || bursts->factor.numerator == 0)
        return refuse_factor("--cpu-factor takes", text, err);
    bursts->are_measured = false;
    return QUIPU_OK;
}

/* All regions of that name. */
static enum quipu_status set_region(struct quipu__bursts *bursts, const struct quipu_definitions *definitions,
                                    const char *value, struct quipu_error *err) {
    const char *equals = strrchr(value, '=');
    struct quipu__decimal factor;
    bool is_found = false;
    if (!equals || !quipu__parse_decimal(equals + 1, strlen(equals + 1), &factor) || factor.numerator == 0)
        return refuse_factor("--region takes NAME=FACTOR,", value, err);
    const size_t len = (size_t)(equals - value), count = definitions->regions.count;
    if (bursts->of_regions.count == 0 && !QUIPU__VEC_RESERVE(bursts->memory, &bursts->of_regions, count))
        return quipu__no_memory(err, count * sizeof factor);
    bursts->of_regions.count = count;
    for (size_t i = 0; i < count; i++) {
        const char *name = definitions->regions.items[i].name;
        if (strlen(name) != len || memcmp(name, value, len) != 0)
            continue;
        bursts->of_regions.items[i] = factor;
        is_found = true;
    }
    bursts->are_measured = false;
    if (is_found)
        return QUIPU_OK;
    char name[NAME_MOST];
    snprintf(name, sizeof name, "%.*s", (int)(len < NAME_MOST ? len : NAME_MOST), value);
    return quipu__no_region(definitions, name, err);
}

enum quipu_status quipu__bursts_init(struct quipu__bursts *bursts, struct quipu__memory *memory,
                                     const struct quipu_definitions *definitions,
                                     const struct quipu__settings *settings, struct quipu_error *err) {
    *bursts = (struct quipu__bursts){.memory = memory, .are_measured = true, .factor = {1, 1}};
    enum quipu_status status = set_factor(bursts, quipu__settings_value(settings, "cpu-factor"), err);
    for (size_t i = 0; i < settings->count && status == QUIPU_OK; i++)
        if (strcmp(settings->items[i].name, "region") == 0)
            status = set_region(bursts, definitions, settings->items[i].value, err);
    return status;
}

void quipu__bursts_add(struct quipu__bursts *bursts, uint32_t location, uint8_t kind, int64_t time) {
    const size_t known = bursts->from.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(bursts->memory, &bursts->from, location + 1 - known))
            return;
        for (size_t i = known; i <= location; i++)
            bursts->from.items[i] = INT64_MIN;
        bursts->from.count = (size_t)location + 1;
    }
    if (kind == QUIPU_KIND_enter || kind == QUIPU_KIND_leave || bursts->from.items[location] == INT64_MIN)
        bursts->from.items[location] = time;
}

static const struct quipu__decimal *factor_of(const struct quipu__bursts *bursts, uint32_t region) {
    return region < bursts->of_regions.count && bursts->of_regions.items[region].denominator > 0
               ? &bursts->of_regions.items[region]
               : &bursts->factor;
}

/* What a burst takes at a location when its region is balanced. */
static uint64_t balanced(const struct quipu__bursts *bursts, uint32_t location, uint32_t region, int64_t time) {
    const bool is_balanced = bursts->balanced && location < bursts->location_count &&
                             bursts->of_locations[location].denominator > 0 &&
                             region < bursts->definitions->regions.count &&
                             strcmp(bursts->definitions->regions.items[region].name, bursts->balanced) == 0;
    return is_balanced ? (uint64_t)quipu__multiplied((uint64_t)time, &bursts->of_locations[location])
                       : (uint64_t)time;
}

int64_t quipu__burst_time(const struct quipu__bursts *bursts, uint32_t location, uint32_t region, int64_t from,
                          int64_t to) {
    const struct quipu__decimal *factor = factor_of(bursts, region);
    const int64_t known = location < bursts->from.count ? bursts->from.items[location] : INT64_MIN;
    const int64_t began = known < from && known != INT64_MIN ? known : from;
    return quipu__multiplied(balanced(bursts, location, region, quipu__bounded_difference(to, began)), factor) -
           quipu__multiplied(balanced(bursts, location, region, quipu__bounded_difference(from, began)),
                             factor);
}
