/* amortisation.c: see amortisation.h. */
#include "analysis/clock/amortisation.h"

#include "core/bounded.h"

/* ---- What the schedule tells ---- */

static void add_send(void *context, uint32_t mark, uint32_t location, int64_t position) {
    struct quipu__clock_amortisation *amortisation = context;
    const struct quipu__time_shifts *shifts = amortisation->schedule->shifts;
    const size_t known = amortisation->sends.count;
    if (location >= shifts->locations.count || shifts->locations.items[location].events == 0)
        return;
    if (mark >= known) {
        if (!QUIPU__VEC_RESERVE(amortisation->memory, &amortisation->sends, mark + 1 - known))
            return;
        amortisation->sends.count = (size_t)mark + 1;
    }
    const uint64_t event = shifts->locations.items[location].events - 1;
    amortisation->sends.items[mark] = (struct quipu__marked_send){location, event};
    quipu__amortisation_add_send(&amortisation->found, location, event, position);
}

/* A send gets a limit, from a receive at a time; INT64_MAX: there is none. */
static void limit_send(struct quipu__clock_amortisation *amortisation, uint32_t mark, int64_t receive) {
    if (receive == INT64_MAX || mark >= amortisation->sends.count)
        return;
    const struct quipu__marked_send *send = &amortisation->sends.items[mark];
    quipu__amortisation_limit(&amortisation->found, send->location, send->event,
                              quipu__bounded_difference(receive, amortisation->schedule->distance));
}

/* ---- Collective operations ---- */

/* The sides that depend on others and end first and second; QUIPU_NONE when there are not so many. */
static void find_first_ends(const struct quipu__awaited_collective *collective, uint32_t first[2]) {
    const struct quipu__awaited_side *sides = collective->sides;
    first[0] = first[1] = QUIPU_NONE;
    for (uint32_t i = 0; i < collective->count; i++) {
        if (!sides[i].depends)
            continue;
        if (first[0] == QUIPU_NONE || sides[i].end < sides[first[0]].end) {
            first[1] = first[0];
            first[0] = i;
        } else if (first[1] == QUIPU_NONE || sides[i].end < sides[first[1]].end) {
            first[1] = i;
        }
    }
}

/* A side that contributes must not begin behind the end of any other one that depends on those. */
static void limit_by_others(struct quipu__clock_amortisation *amortisation,
                            const struct quipu__awaited_collective *collective) {
    uint32_t first[2];
    find_first_ends(collective, first);
    for (uint32_t i = 0; i < collective->count; i++) {
        const uint32_t other = first[first[0] == i];
        if (collective->sides[i].contributes && other != QUIPU_NONE)
            limit_send(amortisation, collective->sides[i].mark, collective->sides[other].end);
    }
}

static void limit_by_those_behind(struct quipu__clock_amortisation *amortisation,
                                  const struct quipu__awaited_collective *collective) {
    int64_t end = INT64_MAX;
    for (uint32_t i = collective->count; i-- > 0;) {
        const struct quipu__awaited_side *side = &collective->sides[i];
        if (side->contributes)
            limit_send(amortisation, side->mark, end);
        end = side->depends && side->end < end ? side->end : end;
    }
}

/* An end has its time; with the last of them the beginnings get their limits. */
static void end_side(struct quipu__clock_amortisation *amortisation, uint32_t number, uint32_t side,
                     int64_t position) {
    struct quipu__awaited_collective *collective = &amortisation->collectives.items[number];
    collective->sides[side].end = position;
    if (--collective->missing > 0)
        return;
    if (collective->is_scan)
        limit_by_those_behind(amortisation, collective);
    else
        limit_by_others(amortisation, collective);
    for (uint32_t i = 0; i < collective->count; i++)
        quipu__schedule_drop(amortisation->schedule, collective->sides[i].mark);
    collective->next = amortisation->unused_collective;
    amortisation->unused_collective = number;
}

/* ---- Receives ---- */

static void end_wait(void *context, uint32_t condition, uint32_t location, int64_t before, int64_t position) {
    struct quipu__clock_amortisation *amortisation = context;
    if (position > before)
        quipu__amortisation_add_jump(&amortisation->found, location, before, position - before);
    if (condition >= amortisation->ends.count)
        return;
    struct quipu__awaited_end *end = &amortisation->ends.items[condition];
    if (end->kind == QUIPU__AWAITED_MESSAGE) {
        limit_send(amortisation, end->number, position);
        quipu__schedule_drop(amortisation->schedule, end->number);
    } else if (end->kind == QUIPU__AWAITED_COLLECTIVE) {
        end_side(amortisation, end->number, end->side, position);
    }
    end->kind = QUIPU__AWAITED_NOTHING;
}

/* The place of a condition; NULL when memory is out. */
static struct quipu__awaited_end *end_at(struct quipu__clock_amortisation *amortisation, uint32_t condition) {
    const size_t known = amortisation->ends.count;
    if (condition == QUIPU_NONE)
        return NULL;
    if (condition >= known) {
        if (!QUIPU__VEC_RESERVE(amortisation->memory, &amortisation->ends, condition + 1 - known))
            return NULL;
        amortisation->ends.count = (size_t)condition + 1;
    }
    return &amortisation->ends.items[condition];
}

void quipu__clock_amortisation_message(struct quipu__clock_amortisation *amortisation, uint32_t mark,
                                       uint32_t condition) {
    struct quipu__awaited_end *end = mark == QUIPU_NONE ? NULL : end_at(amortisation, condition);
    if (!end)
        return;
    *end = (struct quipu__awaited_end){.kind = QUIPU__AWAITED_MESSAGE, .number = mark};
    quipu__schedule_hold(amortisation->schedule, mark);
}

static bool make_room(struct quipu__clock_amortisation *amortisation,
                      struct quipu__awaited_collective *collective, uint32_t count) {
    if (collective->room >= count)
        return true;
    struct quipu__awaited_side *sides =
        quipu__resize(amortisation->memory, collective->sides, collective->room * sizeof *sides,
                      (size_t)count * sizeof *sides);
    if (!sides)
        return false;
    collective->sides = sides;
    collective->room = count;
    return true;
}

/* A place for an operation of so many sides; QUIPU_NONE when memory is out. */
static uint32_t new_collective(struct quipu__clock_amortisation *amortisation, uint32_t count) {
    if (amortisation->unused_collective == QUIPU_NONE) {
        struct quipu__awaited_collective *added =
            QUIPU__VEC_ADD(amortisation->memory, &amortisation->collectives);
        if (!added)
            return QUIPU_NONE;
        added->next = QUIPU_NONE;
        amortisation->unused_collective = (uint32_t)(amortisation->collectives.count - 1);
    }
    const uint32_t number = amortisation->unused_collective;
    struct quipu__awaited_collective *collective = &amortisation->collectives.items[number];
    if (!make_room(amortisation, collective, count))
        return QUIPU_NONE;
    amortisation->unused_collective = collective->next;
    return number;
}

void quipu__clock_amortisation_collective(struct quipu__clock_amortisation *amortisation,
                                          const struct quipu__collective *collective) {
    const uint32_t count = collective->side_count;
    const uint32_t number = new_collective(amortisation, count);
    if (number == QUIPU_NONE)
        return;
    struct quipu__awaited_collective *awaited = &amortisation->collectives.items[number];
    awaited->count = awaited->missing = count;
    awaited->is_scan = collective->flow == QUIPU__FLOW_SCAN;
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__collective_side *side = &collective->sides[i];
        struct quipu__awaited_end *end = end_at(amortisation, side->end_mark);
        awaited->sides[i] =
            (struct quipu__awaited_side){side->mark, INT64_MAX, side->contributes, side->depends};
        quipu__schedule_hold(amortisation->schedule, side->mark);
        if (end)
            *end = (struct quipu__awaited_end){QUIPU__AWAITED_COLLECTIVE, number, i};
    }
}

/* ---- The whole ---- */

void quipu__clock_amortisation_init(struct quipu__clock_amortisation *amortisation,
                                    struct quipu__memory *memory, struct quipu__schedule *schedule,
                                    int64_t window) {
    *amortisation = (struct quipu__clock_amortisation){.memory = memory,
                                                       .schedule = schedule,
                                                       .listener = {amortisation, add_send, end_wait},
                                                       .unused_collective = QUIPU_NONE};
    quipu__amortisation_init(&amortisation->found, memory, window);
    schedule->listener = &amortisation->listener;
    schedule->shifts->amortisation = &amortisation->found;
}

void quipu__clock_amortisation_release(struct quipu__clock_amortisation *amortisation) {
    for (size_t i = 0; i < amortisation->collectives.count; i++)
        quipu__release(amortisation->memory, amortisation->collectives.items[i].sides,
                       amortisation->collectives.items[i].room *
                           sizeof *amortisation->collectives.items[i].sides);
    QUIPU__VEC_RELEASE(amortisation->memory, &amortisation->collectives);
    QUIPU__VEC_RELEASE(amortisation->memory, &amortisation->ends);
    QUIPU__VEC_RELEASE(amortisation->memory, &amortisation->sends);
    quipu__amortisation_release(&amortisation->found);
}
