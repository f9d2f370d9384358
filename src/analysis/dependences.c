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

void quipu__collective_depend(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                              bool has_dependences) {
    for (uint32_t i = 0; i < collective->side_count && has_dependences; i++)
        if (collective->sides[i].has_ended)
            depend_side(schedule, collective, i);
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
