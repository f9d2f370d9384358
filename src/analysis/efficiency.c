/* efficiency.c: how much of the time of all locations is useful, and what the rest is lost to: imbalance, serialisation, or
 * transfer. The run time on an ideal network comes from a schedule (schedule.h) in which calls wait for nothing but the beginnings of
 * those that they depend on.
 *
 * Where MPI is initialised and finalised only the time between counts, and a first reading finds it. */
#include "analysis/cells.h"
#include "analysis/dependences.h"
#include "analysis/fold.h"
#include "core/error.h"
#include "state/communication.h"

#include <string.h>

/* What is known of a location. */
struct location_state {
    int64_t useful;
    int64_t init, finalize; /* end of the first MPI_Init, beginning of the last MPI_Finalize of the process */
    bool has_init, has_finalize; /* it has them */
    uint32_t mark, condition;    /* of the outermost communication call */
    bool is_inside;              /* that was entered in the region of interest */
};

/* Whether time in a path is useful, as far as is known. */
enum use { USE_UNKNOWN, USE_USEFUL, USE_OTHER };

struct efficiency {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__schedule schedule;
    QUIPU__VEC(struct location_state) states;
    QUIPU__VEC(uint8_t) uses; /* by path */
    bool looks_for_region;    /* the first reading */
    int64_t begin, end;       /* of the region of interest */
    uint64_t locations;
};

/* ---- Locations and paths ---- */

static struct location_state *state_of(struct efficiency *efficiency, uint32_t location) {
    const size_t known = efficiency->states.count;
    if (location < known)
        return &efficiency->states.items[location];
    if (!QUIPU__VEC_RESERVE(&efficiency->memory, &efficiency->states, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        efficiency->states.items[i] = (struct location_state){.mark = QUIPU_NONE, .condition = QUIPU_NONE};
    efficiency->states.count = (size_t)location + 1;
    return &efficiency->states.items[location];
}

static bool is_useful_role(enum quipu_region_role role) {
    switch (role) {
    case QUIPU_REGION_MPI_IO:
    case QUIPU_REGION_IO:
    case QUIPU_REGION_RUNTIME:
    case QUIPU_REGION_SYNC:
    case QUIPU_REGION_IDLE:
        return false;
    default:
        return true;
    }
}

static bool is_useful_path(const struct efficiency *efficiency, uint32_t path) {
    const struct quipu_regions *regions = &efficiency->definitions->regions;
    const struct quipu__call_path *list = efficiency->communication.paths.list.items;
    for (; path != QUIPU__NO_CALLS; path = list[path].parent) {
        const uint32_t region = list[path].region;
        if (quipu__region_communicates(efficiency->definitions, region) ||
            (region < regions->count && !is_useful_role(regions->items[region].role)))
            return false;
    }
    return true;
}

static bool is_useful(struct efficiency *efficiency, uint32_t path) {
    const size_t known = efficiency->uses.count;
    if (path >= known) {
        if (!QUIPU__VEC_RESERVE(&efficiency->memory, &efficiency->uses, path + 1 - known))
            return false;
        efficiency->uses.count = (size_t)path + 1;
    }
    uint8_t *use = &efficiency->uses.items[path];
    if (*use == USE_UNKNOWN)
        *use = is_useful_path(efficiency, path) ? USE_USEFUL : USE_OTHER;
    return *use == USE_USEFUL;
}

/* ---- Useful time ---- */

static bool is_outside_communication(const struct efficiency *efficiency, uint32_t location) {
    const struct quipu__call_stack *stack = &efficiency->communication.stacks.items[location];
    return stack->calls[stack->depth].outermost == 0;
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct efficiency *efficiency = context;
    struct location_state *location_state = state_of(efficiency, location);
    const int64_t first = from > efficiency->begin ? from : efficiency->begin;
    const int64_t last = to < efficiency->end ? to : efficiency->end;
    if (!location_state || efficiency->looks_for_region || last <= first ||
        !is_outside_communication(efficiency, location))
        return;
    if (is_useful(efficiency, path))
        location_state->useful += last - first;
    quipu__schedule_advance(&efficiency->schedule, location, last - first, 0);
}

/* ---- The ideal network ---- */

static bool is_inside(const struct efficiency *efficiency, int64_t time) {
    return efficiency->begin <= time && time < efficiency->end;
}

static void enter(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct efficiency *efficiency = context;
    struct location_state *location_state = state_of(efficiency, location);
    (void)path;
    if (!location_state || efficiency->looks_for_region)
        return;
    location_state->is_inside = is_inside(efficiency, time);
    location_state->condition = QUIPU_NONE;
    location_state->mark =
        location_state->is_inside ? quipu__schedule_publish(&efficiency->schedule, location) : QUIPU_NONE;
}

/* The condition for the end of the call that a location is in. */
static uint32_t condition_of(struct efficiency *efficiency, struct location_state *location_state,
                             uint32_t location) {
    if (location_state->is_inside && location_state->condition == QUIPU_NONE)
        location_state->condition = quipu__schedule_condition(&efficiency->schedule, location);
    return location_state->condition;
}

static const char *region_name(const struct efficiency *efficiency, uint32_t path) {
    const uint32_t region = quipu__call_path_region(&efficiency->communication.paths, path);
    return region < efficiency->definitions->regions.count ? efficiency->definitions->regions.items[region].name
                                                           : "";
}

static bool is_init(const char *name) {
    return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0;
}

static bool is_finalize(const char *name) {
    return strcmp(name, "MPI_Finalize") == 0;
}

/* Init and Finalize count for the process. */
static void look_for_region(struct efficiency *efficiency, uint32_t location, uint32_t path, int64_t time) {
    const char *name = region_name(efficiency, path);
    const uint32_t process = efficiency->communication.stacks.items[location].process;
    struct location_state *location_state = state_of(efficiency, process);
    if (!location_state)
        return;
    const struct quipu__call_stack *stack = &efficiency->communication.stacks.items[location];
    const int64_t entered = stack->calls[stack->depth].enter;
    if (is_init(name)) {
        location_state->init =
            !location_state->has_init || time < location_state->init ? time : location_state->init;
        location_state->has_init = true;
    } else if (is_finalize(name)) {
        location_state->finalize = !location_state->has_finalize || entered > location_state->finalize
                                       ? entered
                                       : location_state->finalize;
        location_state->has_finalize = true;
    }
}

static void leave(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct efficiency *efficiency = context;
    struct location_state *location_state = state_of(efficiency, location);
    if (location_state && efficiency->looks_for_region)
        look_for_region(efficiency, location, path, time);
    if (!location_state || efficiency->looks_for_region)
        return;
    quipu__schedule_await(&efficiency->schedule, location_state->condition, 0);
    quipu__schedule_drop(&efficiency->schedule, location_state->mark);
    location_state->mark = location_state->condition = QUIPU_NONE;
    location_state->is_inside = false;
}

/* An event outside of any communication call is a call of its own. */
static uint32_t mark_here(struct efficiency *efficiency, uint32_t location, int64_t time) {
    struct location_state *location_state = state_of(efficiency, location);
    if (!location_state)
        return QUIPU_NONE;
    if (is_outside_communication(efficiency, location))
        return is_inside(efficiency, time) ? quipu__schedule_publish(&efficiency->schedule, location)
                                           : QUIPU_NONE;
    quipu__schedule_hold(&efficiency->schedule, location_state->mark);
    return location_state->mark;
}

static uint32_t condition_here(struct efficiency *efficiency, uint32_t location, int64_t time) {
    struct location_state *location_state = state_of(efficiency, location);
    if (!location_state)
        return QUIPU_NONE;
    const bool is_bare = is_outside_communication(efficiency, location);
    uint32_t condition = QUIPU_NONE;
    if (!is_bare)
        condition = condition_of(efficiency, location_state, location);
    else if (is_inside(efficiency, time))
        condition = quipu__schedule_condition(&efficiency->schedule, location);
    quipu__schedule_open(&efficiency->schedule, condition);
    if (is_bare)
        quipu__schedule_await(&efficiency->schedule, condition, 0);
    return condition;
}

static uint32_t add_end(void *context, const struct quipu__message_end *end) {
    return end->is_send ? mark_here(context, end->location, end->time)
                        : condition_here(context, end->location, end->time);
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct efficiency *efficiency = context;
    quipu__schedule_depend(&efficiency->schedule, receive->mark, send->mark);
    quipu__schedule_close(&efficiency->schedule, receive->mark);
    quipu__schedule_drop(&efficiency->schedule, send->mark);
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    struct efficiency *efficiency = context;
    quipu__schedule_close(&efficiency->schedule, receive->mark);
}

static uint32_t begin_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    return mark_here(context, collective->sides[side].location, collective->sides[side].begin);
}

static uint32_t end_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    return condition_here(context, collective->sides[side].location, collective->sides[side].end);
}

static void close_collective(void *context, const struct quipu__collective *collective) {
    struct efficiency *efficiency = context;
    quipu__collective_depend(&efficiency->schedule, collective, !collective->is_mixed && !collective->is_inter);
}

/* ---- Two readings ---- */

static bool has_mpi_calls(const struct quipu_definitions *definitions) {
    bool has_init = false, has_finalize = false;
    for (uint32_t i = 0; i < definitions->regions.count; i++) {
        has_init |= is_init(definitions->regions.items[i].name);
        has_finalize |= is_finalize(definitions->regions.items[i].name);
    }
    return has_init && has_finalize;
}

static bool init_communication(struct efficiency *efficiency) {
    const struct quipu__communication_listener listener = {.context = efficiency,
                                                           .step = add_step,
                                                           .outermost_enter = enter,
                                                           .outermost_leave = leave,
                                                           .end = add_end,
                                                           .matched = add_matched,
                                                           .unmatched = add_unmatched,
                                                           .collective_begins = begin_collective,
                                                           .collective_ends = end_collective,
                                                           .collective = close_collective};
    const bool has_memory = quipu__communication_init(&efficiency->communication, &efficiency->memory,
                                                      efficiency->definitions, &listener);
    efficiency->communication.only_calls = efficiency->looks_for_region;
    return has_memory;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct efficiency *efficiency = *state = quipu__alloc_zero(&memory, sizeof *efficiency);
    if (!efficiency)
        return quipu__no_memory(err, sizeof *efficiency);
    efficiency->memory = memory;
    efficiency->definitions = start->definitions;
    efficiency->begin = INT64_MIN;
    efficiency->end = INT64_MAX;
    efficiency->looks_for_region = has_mpi_calls(start->definitions);
    quipu__schedule_init(&efficiency->schedule, &efficiency->memory);
    return init_communication(efficiency) ? QUIPU_OK : quipu__no_memory(err, sizeof *efficiency);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct efficiency *efficiency = state;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__communication_add(&efficiency->communication, batch, i))
            return quipu__no_memory(err, efficiency->memory.used);
    return quipu__memory_status(&efficiency->memory, err);
}

/* The region of interest: when every process with events has initialised and finalised MPI. */
static void choose_region(struct efficiency *efficiency) {
    int64_t begin = INT64_MIN, end = INT64_MAX;
    for (uint32_t i = 0; i < efficiency->communication.stacks.count; i++) {
        const struct quipu__call_stack *stack = &efficiency->communication.stacks.items[i];
        const struct location_state *location_state =
            stack->has_events ? state_of(efficiency, stack->process) : NULL;
        if (!stack->has_events)
            continue;
        if (!location_state || !location_state->has_init || !location_state->has_finalize)
            return;
        begin = location_state->init > begin ? location_state->init : begin;
        end = location_state->finalize < end ? location_state->finalize : end;
    }
    if (begin >= end)
        return;
    efficiency->begin = begin;
    efficiency->end = end;
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct efficiency *efficiency = state;
    (void)selection;
    if (!efficiency->looks_for_region)
        return false;
    quipu__communication_finish(&efficiency->communication);
    choose_region(efficiency);
    quipu__communication_release(&efficiency->communication);
    efficiency->looks_for_region = false;
    efficiency->uses.count = 0;
    quipu__gate_knows(init_communication(efficiency));
    return true;
}

static void release(void *state) {
    struct efficiency *efficiency = state;
    quipu__communication_release(&efficiency->communication);
    quipu__schedule_release(&efficiency->schedule);
    QUIPU__VEC_RELEASE(&efficiency->memory, &efficiency->states);
    QUIPU__VEC_RELEASE(&efficiency->memory, &efficiency->uses);
    struct quipu__memory memory = efficiency->memory;
    quipu__release(&memory, efficiency, sizeof *efficiency);
}

/* ---- The table ---- */

static const struct quipu_table_column columns[] = {
    {"parallel_efficiency", QUIPU_TYPE_DECIMAL, "", "useful time of the time of all locations"},
    {"load_balance", QUIPU_TYPE_DECIMAL, "", "mean useful time of the largest"},
    {"communication_efficiency", QUIPU_TYPE_DECIMAL, "", "largest useful time of the run time"},
    {"serialisation_efficiency", QUIPU_TYPE_DECIMAL, "",
     "largest useful time of the run time on an ideal network"},
    {"transfer_efficiency", QUIPU_TYPE_DECIMAL, "", "run time on an ideal network of the run time"},
    {"processes", QUIPU_TYPE_U64, "", "locations with events"},
    {"roi_begin_ns", QUIPU_TYPE_I64, "ns", "beginning of the time that counts"},
    {"roi_end_ns", QUIPU_TYPE_I64, "ns", "end of it"},
    {"runtime_ns", QUIPU_TYPE_I64, "ns", "its length"},
    {"useful_sum_ns", QUIPU_TYPE_I64, "ns", "time outside of communication, I/O and runtime, of all locations"},
    {"useful_max_ns", QUIPU_TYPE_I64, "ns", "the largest of a location"},
    {"ideal_runtime_ns", QUIPU_TYPE_I64, "ns",
     "run time on a network that takes no time; null when calls wait in a circle"},
    {"load_balance_additive", QUIPU_TYPE_DECIMAL, "", "1 without what imbalance costs"},
    {"serialisation_additive", QUIPU_TYPE_DECIMAL, "", "1 without what waiting costs on an ideal network"},
    {"transfer_additive", QUIPU_TYPE_DECIMAL, "", "1 without what the network costs"},
};
static const struct quipu_analysis_table tables[] = {
    {"efficiency", "the efficiencies of a trace", columns, sizeof columns / sizeof *columns}};

/* What the ratios are made of. */
struct totals {
    int64_t useful, most, run_time, ideal;
    bool has_ideal;
    uint64_t locations;
};

static struct totals totals_of(struct efficiency *efficiency) {
    const struct quipu__communication *communication = &efficiency->communication;
    struct totals totals = {.has_ideal = quipu__schedule_is_done(&efficiency->schedule)};
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        if (!stack->has_events)
            continue;
        const struct location_state *location_state = state_of(efficiency, i);
        const struct quipu__schedule_location *location = quipu__schedule_location(&efficiency->schedule, i);
        totals.locations++;
        totals.useful += location_state ? location_state->useful : 0;
        totals.most =
            location_state && location_state->useful > totals.most ? location_state->useful : totals.most;
        totals.ideal = location && location->position > totals.ideal ? location->position : totals.ideal;
        first = stack->first < first ? stack->first : first;
        last = stack->last > last ? stack->last : last;
    }
    if (efficiency->begin == INT64_MIN) {
        efficiency->begin = first;
        efficiency->end = last;
    }
    totals.run_time = efficiency->end - efficiency->begin;
    return totals;
}

static void put_of_ideal(struct quipu__cells *cells, const struct totals *totals, int64_t a, int64_t b) {
    if (totals->has_ideal && a >= 0)
        quipu__cells_put_ratio(cells, (uint64_t)a, (uint64_t)b, 6);
    else
        quipu__cells_put_null(cells);
}

static void put_cells(const struct efficiency *efficiency, const struct totals *totals,
                      struct quipu__cells *cells) {
    const uint64_t count = totals->locations, run_time = (uint64_t)totals->run_time,
                   useful = (uint64_t)totals->useful, most = (uint64_t)totals->most;
    quipu__cells_put_ratio(cells, useful, count * run_time, 6);
    quipu__cells_put_ratio(cells, useful, count * most, 6);
    quipu__cells_put_ratio(cells, most, run_time, 6);
    put_of_ideal(cells, totals, totals->most, totals->ideal);
    put_of_ideal(cells, totals, totals->ideal, totals->run_time);
    quipu__cells_put_u64(cells, count);
    const int64_t times[] = {efficiency->begin, efficiency->end, totals->run_time, totals->useful,
                             totals->most};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        quipu__cells_put_i64(cells, times[i]);
    if (totals->has_ideal)
        quipu__cells_put_i64(cells, totals->ideal);
    else
        quipu__cells_put_null(cells);
    quipu__cells_put_ratio(cells, count * run_time - (count * most - useful), count * run_time, 6);
    put_of_ideal(cells, totals, totals->run_time - (totals->ideal - totals->most), totals->run_time);
    put_of_ideal(cells, totals, totals->ideal, totals->run_time);
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct efficiency *efficiency = state;
    struct quipu_table *table;
    struct quipu__cells cells = quipu__cells_of(efficiency->definitions);
    quipu__communication_finish(&efficiency->communication);
    enum quipu_status status = quipu__memory_status(&efficiency->memory, err);
    if (status == QUIPU_OK)
        status = quipu__analysis_table_new(&tables[0], list, &table, err);
    const struct totals totals = totals_of(efficiency);
    if (status != QUIPU_OK || totals.locations == 0)
        return status;
    put_cells(efficiency, &totals, &cells);
    return quipu_table_add(table, cells.items, err);
}

const struct quipu__fold quipu__efficiency_fold = {
    .info =
        {.name = "efficiency",
         .doc = "show how efficiently a program runs in parallel",
         .details =
             "Shows which share of the time of all locations is useful, that is outside of communication, I/O "
             "and "
             "runtime systems, and what the rest is lost to. parallel_efficiency is the product of "
             "load_balance, "
             "what uneven work leaves, serialisation_efficiency, what waiting for each other leaves even on a "
             "network that takes no time, and transfer_efficiency, what the network leaves. The latter two "
             "make up "
             "communication_efficiency. The additive ones split the loss in sums.\n\n"
             "The time between MPI_Init and MPI_Finalize counts, where all processes have both. Values above 1 "
             "come "
             "from clocks that differ: see quipu clock.",
         .examples = "quipu efficiency run.trace # what is the time lost to?",
         .tables = tables,
         .table_count = 1,
         .empty_answer = "the trace has no events",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
