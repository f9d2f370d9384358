/* dependences.c: see dependences.h. */
#include "analysis/dependences.h"

static bool depends(const struct quipu__collective *collective, enum quipu__collective_flow flow,
                    uint32_t later, uint32_t earlier) {
    switch (flow) {
    case QUIPU__FLOW_BARRIER:
    case QUIPU__FLOW_ALL_TO_ALL:
        return true;
    case QUIPU__FLOW_ONE_TO_ALL:
        return earlier == collective->root;
    case QUIPU__FLOW_ALL_TO_ONE:
        return later == collective->root;
    case QUIPU__FLOW_SCAN:
        return earlier < later && later < collective->member_count;
    case QUIPU__FLOW_NONE:
        break;
    }
    return false;
}

static void depend_side(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                        uint32_t later) {
    const enum quipu__collective_flow flow = quipu__collective_flow(collective->operation);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (i != later && collective->sides[i].has_started && depends(collective, flow, later, i))
            quipu__schedule_depend(schedule, collective->sides[later].end_mark, collective->sides[i].mark);
}

static void depend_one_by_one(struct quipu__schedule *schedule, const struct quipu__collective *collective) {
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_ended)
            depend_side(schedule, collective, i);
}

/* All wait for all: for the latest one. That a side waits for itself too changes nothing, its beginning is behind it. */
static void depend_on_all(struct quipu__schedule *schedule, const struct quipu__collective *collective) {
    uint32_t all;
    const uint32_t condition = quipu__schedule_join(schedule, &all);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_started)
            quipu__schedule_depend(schedule, condition, collective->sides[i].mark);
    quipu__schedule_close(schedule, condition);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_ended)
            quipu__schedule_depend(schedule, collective->sides[i].end_mark, all);
    quipu__schedule_drop(schedule, all);
}

/* Where a mark is to be a distance before those who wait for it, a side must not wait for itself. */
static bool waits_for_all(const struct quipu__schedule *schedule, const struct quipu__collective *collective) {
    const enum quipu__collective_flow flow = quipu__collective_flow(collective->operation);
    return schedule->distance == 0 && (flow == QUIPU__FLOW_BARRIER || flow == QUIPU__FLOW_ALL_TO_ALL);
}

void quipu__collective_depend(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                              bool has_dependences) {
    if (has_dependences && waits_for_all(schedule, collective))
        depend_on_all(schedule, collective);
    else if (has_dependences)
        depend_one_by_one(schedule, collective);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_ended)
            quipu__schedule_close(schedule, collective->sides[i].end_mark);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_started)
            quipu__schedule_drop(schedule, collective->sides[i].mark);
}

uint64_t quipu__collective_violations(const struct quipu__collective *collective, int64_t least) {
    const enum quipu__collective_flow flow = quipu__collective_flow(collective->operation);
    uint64_t violations = 0;
    for (uint32_t i = 0; i < collective->side_count; i++)
        for (uint32_t k = 0; k < collective->side_count; k++)
            violations += i != k && depends(collective, flow, i, k) &&
                          collective->sides[i].end < collective->sides[k].begin + least;
    return violations;
}
