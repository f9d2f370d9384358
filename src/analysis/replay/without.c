/* without.c: which waits a replay leaves out: see network_replay.h. */
#include "analysis/replay/network_replay.h"

#include "analysis/shared/unknown_names.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

/* Who waits for messages waits in the same way in whatever order they come. */
static bool can_leave_out(enum quipu__wait_pattern pattern) {
    return quipu__wait_patterns[pattern].synchronises && pattern != QUIPU__WAIT_WRONG_ORDER_SAME &&
           pattern != QUIPU__WAIT_WRONG_ORDER_DIFFERENT;
}

static enum quipu_status no_pattern(const char *name, size_t len, struct quipu_error *err) {
    char names[512] = "";
    for (unsigned i = 0; i < QUIPU__WAIT_PATTERNS; i++)
        if (can_leave_out((enum quipu__wait_pattern)i)) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                     quipu__wait_patterns[i].text);
        }
    return quipu__fail(err, QUIPU_MISUSE,
                       "--without takes PATTERN or PATTERN=REGION, not \"%.*s\"; PATTERN is %s",
                       (int)(len < 256 ? len : 256), name, names);
}

static bool has_region(const struct quipu_definitions *definitions, const char *name) {
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        if (strcmp(definitions->regions.items[i].name, name) == 0)
            return true;
    return false;
}

static enum quipu_status add(struct quipu__network_replay *replay, const char *value, struct quipu_error *err) {
    const size_t len = strcspn(value, "=");
    const char *region = value[len] == '=' ? value + len + 1 : NULL;
    unsigned pattern = 0;
    while (pattern < QUIPU__WAIT_PATTERNS && (strlen(quipu__wait_patterns[pattern].text) != len ||
                                              memcmp(quipu__wait_patterns[pattern].text, value, len) != 0))
        pattern++;
    if (pattern == QUIPU__WAIT_PATTERNS || !can_leave_out((enum quipu__wait_pattern)pattern))
        return no_pattern(value, strlen(value), err);
    if (replay->is_measured && pattern == QUIPU__WAIT_COLLECTIVE_IO)
        return quipu__fail(
            err, QUIPU_MISUSE,
            "as measured, calls that access files take what they took: --without %s needs --network "
            "ideal",
            value);
    if (region && !has_region(replay->definitions, region))
        return quipu__no_region(replay->definitions, region, err);
    struct quipu__left_out_wait *added = QUIPU__VEC_ADD(&replay->memory, &replay->left_out);
    if (!added)
        return quipu__no_memory(err, sizeof *added);
    *added = (struct quipu__left_out_wait){(enum quipu__wait_pattern)pattern, region};
    return QUIPU_OK;
}

enum quipu_status quipu__network_replay_leave_waits_out(struct quipu__network_replay *replay,
                                                        const struct quipu__settings *settings,
                                                        struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < settings->count && status == QUIPU_OK; i++)
        if (strcmp(settings->items[i].name, "without") == 0)
            status = add(replay, settings->items[i].value, err);
    return status;
}

int64_t quipu__network_replay_distance_left(const struct quipu__network_replay *replay,
                                            enum quipu__wait_pattern pattern, uint32_t call) {
    const uint32_t path = replay->communication->calls.list.items[call].path,
                   region = quipu__call_path_region(&replay->communication->paths, path);
    const struct quipu_regions *regions = &replay->definitions->regions;
    for (size_t i = 0; i < replay->left_out.count; i++) {
        const struct quipu__left_out_wait *wait = &replay->left_out.items[i];
        const bool is_there = !wait->region || (region < regions->count &&
                                                strcmp(regions->items[region].name, wait->region) == 0);
        if (wait->pattern == pattern && is_there)
            return QUIPU__NO_DISTANCE;
    }
    return 0;
}
