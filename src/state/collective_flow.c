/* collective_flow.c: who waits for whom in a collective operation, by collective_flows.def: its region or operation determines the flow, and what
 * its members send and receive determines which of them matter. */
#include "state/collective_matching.h"

#include <ctype.h>
#include <string.h>

/* ---- How an operation goes ---- */

enum members { NO_MEMBER, ALL, ROOT, OTHERS };

static const struct flow_row {
    uint8_t contributors, dependents; /* enum members */
    bool by_bytes, by_proof;
} rows[] = {
#define COLLECTIVE_FLOW(name, contributors, dependents, by_bytes, by_proof)                                    \
    {contributors, dependents, by_bytes, by_proof},
#include "state/collective_flows.def"
};

static const struct {
    const char *beginning;
    enum quipu__collective_flow flow;
} regions[] = {
#define COLLECTIVE_REGION(beginning, flow) {beginning, QUIPU__FLOW_##flow},
#include "state/collective_flows.def"
};

/* What a region's name says about the flow: not examined, nothing, or REGION_TELLS plus the flow. */
enum { REGION_UNKNOWN, REGION_TELLS_NOTHING, REGION_TELLS };

static bool begins_with(const char *name, const char *beginning) {
    while (*beginning && tolower((unsigned char)*name) == *beginning) {
        name++;
        beginning++;
    }
    return *beginning == '\0';
}

/* Neighbours are not recorded. */
static bool is_of_neighbours(const char *name) {
    while (*name && !begins_with(name, "neighbor"))
        name++;
    return *name != '\0';
}

static uint8_t look_up_region(const char *name) {
    if (is_of_neighbours(name))
        return REGION_TELLS + QUIPU__FLOW_NONE;
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        if (begins_with(name, regions[i].beginning))
            return (uint8_t)(REGION_TELLS + regions[i].flow);
    return REGION_TELLS_NOTHING;
}

static uint8_t region_of(struct quipu__collective_matching *matching, uint32_t region) {
    const size_t known = matching->regions.count;
    const struct quipu_regions *defined = &matching->locations->definitions->regions;
    if (region >= defined->count)
        return REGION_TELLS_NOTHING;
    if (region < known && matching->regions.items[region] != REGION_UNKNOWN)
        return matching->regions.items[region];
    const uint8_t found = look_up_region(defined->items[region].name);
    if (region >= known) {
        if (!QUIPU__VEC_RESERVE(matching->memory, &matching->regions, region + 1 - known))
            return found;
        matching->regions.count = (size_t)region + 1;
    }
    return matching->regions.items[region] = found;
}

static enum quipu__collective_flow flow_of(uint32_t operation) {
    static const enum quipu__collective_flow flows[] = {[QUIPU_SHAPE_UNKNOWN] = QUIPU__FLOW_NONE,
                                                        [QUIPU_SHAPE_BARRIER] = QUIPU__FLOW_BARRIER,
                                                        [QUIPU_SHAPE_ONE_TO_ALL] = QUIPU__FLOW_ONE_TO_ALL,
                                                        [QUIPU_SHAPE_ALL_TO_ONE] = QUIPU__FLOW_ALL_TO_ONE,
                                                        [QUIPU_SHAPE_ALL_TO_ALL] = QUIPU__FLOW_ALL_TO_ALL};
    if (operation == QUIPU_COLLECTIVE_SCAN || operation == QUIPU_COLLECTIVE_EXSCAN)
        return QUIPU__FLOW_SCAN;
    return flows[quipu_collective_shape(operation)];
}

/* If sides name different regions, the one that the first side names; of simultaneous sides, that of the lowest location. */
static uint32_t first_region(const struct quipu__collective *collective) {
    const struct quipu__collective_side *first = &collective->sides[0];
    for (uint32_t i = 1; i < collective->side_count; i++) {
        const struct quipu__collective_side *side = &collective->sides[i];
        if (side->begin < first->begin || (side->begin == first->begin && side->location < first->location))
            first = side;
    }
    return first->region;
}

/* No side ended before the last one began. */
static bool is_proven(const struct quipu__collective *collective) {
    int64_t last = INT64_MIN, first_exit = INT64_MAX;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        const struct quipu__collective_side *side = &collective->sides[i];
        last = side->begin > last ? side->begin : last;
        first_exit = side->end < first_exit ? side->end : first_exit;
    }
    return collective->ended == collective->side_count && first_exit >= last;
}

static enum quipu__collective_flow find_flow(struct quipu__collective_matching *matching,
                                             const struct quipu__collective *collective) {
    if (collective->is_mixed || collective->is_inter)
        return QUIPU__FLOW_NONE;
    const uint8_t region = region_of(matching, first_region(collective));
    const enum quipu__collective_flow flow = region >= REGION_TELLS
                                                 ? (enum quipu__collective_flow)(region - REGION_TELLS)
                                                 : flow_of(collective->operation);
    return rows[flow].by_proof && !is_proven(collective) ? QUIPU__FLOW_NONE : flow;
}

/* ---- What members do ---- */

/* A side that sends nothing but receives uses MPI_IN_PLACE if all send alike. */
static bool sends_nothing(const struct quipu__collective_side *side, uint32_t operation) {
    const bool replaces_own_data =
        operation == QUIPU_COLLECTIVE_ALLGATHER || operation == QUIPU_COLLECTIVE_ALLTOALL;
    return side->sent == 0 && !(replaces_own_data && side->received != 0);
}

/* Mere directions are not operations: their bytes say nothing. */
static bool has_bytes(uint32_t operation) {
    return operation != QUIPU_COLLECTIVE_ONE_TO_ALL && operation != QUIPU_COLLECTIVE_ALL_TO_ONE &&
           operation != QUIPU_COLLECTIVE_ALL_TO_ALL;
}

static bool is_among(uint8_t members, bool is_root) {
    return members == ALL || (members == ROOT && is_root) || (members == OTHERS && !is_root);
}

void quipu__collective_find_flow(struct quipu__collective_matching *matching,
                                 struct quipu__collective *collective) {
    const enum quipu__collective_flow flow = collective->flow = find_flow(matching, collective);
    const bool by_bytes = rows[flow].by_bytes && has_bytes(collective->operation);
    collective->is_proven = rows[flow].by_proof;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        struct quipu__collective_side *side = &collective->sides[i];
        side->contributes = is_among(rows[flow].contributors, i == collective->root) &&
                            !(by_bytes && sends_nothing(side, collective->operation));
        side->depends =
            is_among(rows[flow].dependents, i == collective->root) && !(by_bytes && side->received == 0);
    }
}

/* ---- Who waits for whom ---- */

/* Whether a side comes later than the last one so far, or at the same time from a lower location. */
static bool comes_later(const struct quipu__collective_side *side, const struct quipu__collective *collective,
                        uint32_t last) {
    const struct quipu__collective_side *than = last == QUIPU_NONE ? NULL : &collective->sides[last];
    if (!side->contributes || !than)
        return side->contributes;
    return side->begin > than->begin || (side->begin == than->begin && side->location < than->location);
}

uint32_t quipu__collective_each_wait(const struct quipu__collective *collective,
                                     void (*tell)(void *context, const struct quipu__collective *collective,
                                                  uint32_t side, uint32_t last),
                                     void *context) {
    const bool is_scan = collective->flow == QUIPU__FLOW_SCAN;
    uint32_t last = QUIPU_NONE;
    for (uint32_t i = 0; i < collective->side_count && !is_scan; i++)
        if (comes_later(&collective->sides[i], collective, last))
            last = i;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        if (collective->sides[i].depends && last != QUIPU_NONE && last != i)
            tell(context, collective, i, last);
        if (is_scan && comes_later(&collective->sides[i], collective, last))
            last = i;
    }
    return last;
}
