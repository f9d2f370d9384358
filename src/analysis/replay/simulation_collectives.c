/* simulation_collectives.c: collective operations of a simulation: who waits for whom, and what the phases take. A side may begin before all sides have been
 * read; who ends it must know them all. */
#include "analysis/replay/simulation_inside.h"

#include <string.h>

static struct quipu__simulated_side *side_at(const struct quipu__simulation *simulation, uint32_t number) {
    return &simulation->sides.items[number];
}

/* ---- What has begun ---- */

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Counts the sides in front that have begun, each with the latest time up to itself. */
static bool advance_prefix(const struct quipu__simulation *simulation,
                           struct quipu__simulated_operation *operation) {
    const uint32_t before = operation->prefix;
    while (operation->prefix < operation->count &&
           side_at(simulation, operation->sides[operation->prefix])->has_started) {
        struct quipu__simulated_side *side = side_at(simulation, operation->sides[operation->prefix]);
        if (operation->prefix > 0)
            side->time = later(side->time, side_at(simulation, operation->sides[operation->prefix - 1])->time);
        operation->prefix++;
    }
    return operation->prefix > before;
}

static void wake_all(struct quipu__simulation *simulation, struct quipu__simulated_operation *operation) {
    uint32_t number = operation->first_waiting;
    operation->first_waiting = QUIPU_NONE;
    while (number != QUIPU_NONE) {
        const uint32_t next = side_at(simulation, number)->next_waiting;
        quipu__simulation_wake(simulation, side_at(simulation, number)->location, 0);
        number = next;
    }
}

/* A side of an operation that is known has begun: whoever waits may go on. */
static void count_side(struct quipu__simulation *simulation, struct quipu__simulated_operation *operation,
                       const struct quipu__simulated_side *side) {
    operation->started++;
    operation->latest = later(operation->latest, side->time);
    bool is_news = operation->started == operation->count;
    if (operation->flow == QUIPU__FLOW_SCAN)
        is_news = advance_prefix(simulation, operation);
    else if (operation->flow == QUIPU__FLOW_ONE_TO_ALL)
        is_news = side->position == operation->root;
    if (is_news)
        wake_all(simulation, operation);
}

/* Forgets an operation in which nothing happens any more. */
static void forget(struct quipu__simulation *simulation, uint32_t number) {
    struct quipu__simulated_operation *operation = &simulation->operations.items[number];
    if (operation->acts_left > 0)
        return;
    for (uint32_t i = 0; i < operation->count; i++)
        QUIPU__SIMULATION_GIVE(simulation, sides, unused_side, next_waiting, operation->sides[i]);
    quipu__release(simulation->memory, operation->sides, operation->room * sizeof *operation->sides);
    *operation = (struct quipu__simulated_operation){.sides = NULL};
    QUIPU__SIMULATION_GIVE(simulation, operations, unused_operation, count, number);
}

/* ---- Sides ---- */

uint32_t quipu__simulation_meet(struct quipu__simulation *simulation, uint32_t location) {
    uint32_t number = QUIPU_NONE;
    QUIPU__SIMULATION_TAKE(simulation, sides, unused_side, next_waiting, number);
    if (number == QUIPU_NONE)
        return number;
    *side_at(simulation, number) =
        (struct quipu__simulated_side){.operation = QUIPU_NONE, .location = location};
    quipu__simulation_put_action(
        simulation, location,
        &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_MEET, .number = number});
    return number;
}

void quipu__simulation_part(struct quipu__simulation *simulation, uint32_t location, uint32_t side) {
    if (side != QUIPU_NONE)
        quipu__simulation_put_action(
            simulation, location,
            &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_PART, .number = side});
}

enum quipu__simulated_outcome quipu__simulate_meet(struct quipu__simulation *simulation, uint32_t location,
                                                   uint32_t number) {
    struct quipu__simulated_side *side = side_at(simulation, number);
    side->time = simulation->locations.items[location].now;
    side->has_started = true;
    if (side->operation == QUIPU_NONE)
        return QUIPU__ACTION_DONE;
    count_side(simulation, &simulation->operations.items[side->operation], side);
    simulation->operations.items[side->operation].acts_left--;
    forget(simulation, side->operation);
    return QUIPU__ACTION_DONE;
}

/* ---- Operations ---- */

static uint64_t known_bytes(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

static int64_t cost_of(const struct quipu__simulation *simulation, const struct quipu__collective *collective) {
    uint64_t total = 0, largest = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        if (!collective->sides[i].has_started)
            continue;
        const uint64_t bytes = known_bytes(collective->sides[i].sent);
        total = total + bytes < total ? UINT64_MAX : total + bytes;
        largest = bytes > largest ? bytes : largest;
        count++;
    }
    return quipu__collective_time(simulation->network, collective->operation, count, total, largest);
}

/* Fills in the sides that have begun in the trace. */
static void list_sides(struct quipu__simulation *simulation, struct quipu__simulated_operation *operation,
                       uint32_t number, const struct quipu__collective *collective) {
    for (uint32_t i = 0; i < collective->side_count; i++) {
        const uint32_t mark = collective->sides[i].has_started ? collective->sides[i].mark : QUIPU_NONE;
        if (mark == QUIPU_NONE)
            continue;
        if (i == collective->root)
            operation->root = operation->count;
        operation->members += i < collective->members;
        operation->acts_left += side_at(simulation, mark)->has_started ? 0 : 1;
        operation->acts_left += collective->sides[i].has_ended ? 1 : 0;
        side_at(simulation, mark)->operation = number;
        side_at(simulation, mark)->position = operation->count;
        operation->sides[operation->count++] = mark;
    }
}

void quipu__simulation_operation(struct quipu__simulation *simulation,
                                 const struct quipu__collective *collective) {
    uint32_t number = QUIPU_NONE;
    const bool has_flow = !collective->is_mixed && !collective->is_inter;
    QUIPU__SIMULATION_TAKE(simulation, operations, unused_operation, count, number);
    if (number == QUIPU_NONE || collective->side_count == 0)
        return;
    struct quipu__simulated_operation *operation = &simulation->operations.items[number];
    *operation = (struct quipu__simulated_operation){
        .sides = quipu__alloc(simulation->memory, collective->side_count * sizeof(uint32_t)),
        .room = collective->side_count,
        .root = QUIPU_NONE,
        .first_waiting = QUIPU_NONE,
        .latest = INT64_MIN,
        .cost = has_flow ? cost_of(simulation, collective) : 0,
        .flow = has_flow ? quipu__collective_flow(collective->operation) : QUIPU__FLOW_NONE};
    if (!operation->sides)
        return;
    list_sides(simulation, operation, number, collective);
    for (uint32_t i = 0; i < operation->count; i++)
        if (side_at(simulation, operation->sides[i])->has_started)
            count_side(simulation, operation, side_at(simulation, operation->sides[i]));
    forget(simulation, number);
}

/* Since when a side waits for nothing any more; false when that is not known. */
static bool find_latest(const struct quipu__simulation *simulation,
                        const struct quipu__simulated_operation *operation,
                        const struct quipu__simulated_side *side, int64_t *out) {
    *out = INT64_MIN;
    switch (operation->flow) {
    case QUIPU__FLOW_BARRIER:
    case QUIPU__FLOW_ALL_TO_ALL:
        *out = operation->latest;
        return operation->started == operation->count;
    case QUIPU__FLOW_ALL_TO_ONE:
        if (side->position != operation->root)
            return true;
        *out = operation->latest;
        return operation->started == operation->count;
    case QUIPU__FLOW_ONE_TO_ALL:
        if (operation->root == QUIPU_NONE)
            return true;
        *out = side_at(simulation, operation->sides[operation->root])->time;
        return side_at(simulation, operation->sides[operation->root])->has_started;
    case QUIPU__FLOW_SCAN:
        if (side->position == 0 || side->position >= operation->members)
            return true;
        *out = side_at(simulation, operation->sides[side->position - 1])->time;
        return operation->prefix >= side->position;
    case QUIPU__FLOW_NONE:
        break;
    }
    return true;
}

enum quipu__simulated_outcome quipu__simulate_part(struct quipu__simulation *simulation, uint32_t location,
                                                   uint32_t number) {
    struct quipu__simulated_side *side = side_at(simulation, number);
    struct quipu__simulated_location *known = &simulation->locations.items[location];
    int64_t latest;
    if (side->operation == QUIPU_NONE)
        return simulation->is_ending ? QUIPU__ACTION_DONE : QUIPU__ACTION_UNKNOWN;
    const uint32_t operation_number = side->operation;
    struct quipu__simulated_operation *operation = &simulation->operations.items[operation_number];
    if (!find_latest(simulation, operation, side, &latest)) {
        side->next_waiting = operation->first_waiting;
        operation->first_waiting = number;
        return QUIPU__ACTION_BLOCKS;
    }
    known->now = quipu__bounded_sum(later(known->now, latest), operation->cost);
    operation->acts_left--;
    forget(simulation, operation_number);
    return QUIPU__ACTION_DONE;
}
