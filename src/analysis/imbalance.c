/* imbalance.c: how unevenly the time of each region is spread over the locations, over the whole run and between collective operations
 * of all. A first reading finds these operations, a second one the times. */
#include "analysis/imbalance.h"

#include "core/error.h"
#include "core/bounded.h"
#include "core/sort.h"

static struct quipu__imbalance_location *location_of(struct quipu__imbalance *imbalance, uint32_t location) {
    const size_t known = imbalance->locations.count;
    if (location < known)
        return &imbalance->locations.items[location];
    if (!QUIPU__VEC_RESERVE(&imbalance->memory, &imbalance->locations, location + 1 - known))
        return NULL;
    imbalance->locations.count = (size_t)location + 1;
    return &imbalance->locations.items[location];
}

/* ---- The first reading ---- */

static void add_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__imbalance *imbalance = context;
    if (!collective->is_evaluated)
        return;
    uint32_t *takers = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->takers);
    if (!takers)
        return;
    *takers = collective->side_count;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        struct quipu__imbalance_location *location = location_of(imbalance, collective->sides[i].location);
        struct quipu__imbalance_exit *exit =
            location ? QUIPU__VEC_ADD(&imbalance->memory, &location->exits) : NULL;
        if (exit)
            *exit = (struct quipu__imbalance_exit){collective->sides[i].end,
                                                   (uint32_t)(imbalance->takers.count - 1)};
    }
}

static int compare_exits(const void *a, const void *b) {
    const struct quipu__imbalance_exit *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Only operations in which all locations take part cut the time into windows. */
static void choose_exits(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location) {
    size_t chosen = 0;
    for (size_t i = 0; i < location->exits.count; i++)
        if (imbalance->takers.items[location->exits.items[i].instance] == imbalance->location_count)
            location->exits.items[chosen++] = location->exits.items[i];
    location->exits.count = chosen;
    quipu__gate_knows(quipu__sort(&imbalance->memory, location->exits.items, chosen,
                                  sizeof *location->exits.items, compare_exits));
    location->next_exit = quipu__imbalance_next_exit(location);
    imbalance->window_count = chosen + 1 > imbalance->window_count ? chosen + 1 : imbalance->window_count;
}

/* How many calls are inside each other at most. */
static uint32_t deepest_path(const struct quipu__call_paths *paths) {
    uint32_t depth = 1;
    for (size_t i = 0; i < paths->list.count; i++)
        depth = paths->list.items[i].depth > depth ? paths->list.items[i].depth : depth;
    return depth;
}

static bool end_first(struct quipu__imbalance *imbalance) {
    const struct quipu__communication *communication = &imbalance->communication;
    imbalance->window_count = 1;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        struct quipu__imbalance_location *location = location_of(imbalance, i);
        if (!location)
            return false;
        location->has_events = communication->stacks.items[i].has_events;
        location->first = communication->stacks.items[i].first;
        location->last = communication->stacks.items[i].last;
        imbalance->location_count += location->has_events;
    }
    for (uint32_t i = 0; i < imbalance->locations.count; i++)
        choose_exits(imbalance, &imbalance->locations.items[i]);
    const uint64_t calls = imbalance->is_inclusive ? deepest_path(&communication->paths) : 1;
    while (imbalance->window_count >> imbalance->shift > QUIPU__WINDOWS_MOST ||
           (imbalance->window_count >> imbalance->shift) * calls > QUIPU__WINDOW_CALLS_MOST)
        imbalance->shift++;
    imbalance->has_table =
        imbalance->region_count * (uint64_t)imbalance->locations.count <= QUIPU__IMBALANCE_TABLE_MOST;
    return true;
}

/* ---- The second reading ---- */

static void add_window(struct quipu__imbalance *imbalance, size_t window) {
    int64_t *most = &imbalance->regions[imbalance->window_regions.items[window]].windows_most;
    *most = quipu__bounded_sum(*most, imbalance->windows.items[window].most);
}

static void add_up_location(struct quipu__imbalance *imbalance, uint32_t number) {
    const struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    for (size_t i = 0; i < location->times.count; i++) {
        const int64_t total = location->times.items[i].total;
        struct quipu__imbalance_region *region = &imbalance->regions[location->times.items[i].region];
        region->whole.total = quipu__bounded_sum(region->whole.total, total);
        if (total <= region->whole.most)
            continue;
        region->whole.most = total;
        region->slowest = number;
    }
}

bool quipu__imbalance_add_up(struct quipu__imbalance *imbalance) {
    imbalance->regions =
        quipu__alloc_zero(&imbalance->memory, imbalance->region_count * sizeof *imbalance->regions);
    if (!imbalance->regions)
        return false;
    for (uint32_t i = 0; i < imbalance->locations.count; i++) {
        quipu__imbalance_end_location(imbalance, i);
        add_up_location(imbalance, i);
    }
    for (size_t i = 0; i < imbalance->windows.count; i++)
        add_window(imbalance, i);
    return true;
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__imbalance *imbalance = *state = quipu__alloc_zero(&memory, sizeof *imbalance);
    if (!imbalance)
        return quipu__no_memory(err, sizeof *imbalance);
    imbalance->memory = memory;
    imbalance->definitions = start->definitions;
    imbalance->is_inclusive = quipu__settings_say_yes(&start->settings, "inclusive");
    quipu__map_init(&imbalance->window_of, &imbalance->memory);
    quipu__map_init(&imbalance->time_of, &imbalance->memory);
    const struct quipu__communication_listener listener = {.context = imbalance, .collective = add_collective};
    return quipu__communication_init(&imbalance->communication, &imbalance->memory, start->definitions,
                                     &listener)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *imbalance);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__imbalance *imbalance = state;
    if (!quipu__communication_add_batch(&imbalance->communication, batch))
        return quipu__no_memory(err, imbalance->memory.used);
    return quipu__memory_status(&imbalance->memory, err);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct quipu__imbalance *imbalance = state;
    const struct quipu__communication_listener listener = {.context = imbalance,
                                                           .step = quipu__imbalance_add_step};
    if (imbalance->is_second)
        return false;
    imbalance->is_second = true;
    selection->order = QUIPU_ORDER_STREAM;
    selection->kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    quipu__communication_finish(&imbalance->communication);
    imbalance->unfinished = imbalance->communication.unfinished;
    imbalance->region_count = imbalance->definitions->regions.count + 1;
    if (!end_first(imbalance))
        return false;
    quipu__communication_release(&imbalance->communication);
    const bool has_memory = quipu__communication_init(&imbalance->communication, &imbalance->memory,
                                                      imbalance->definitions, &listener);
    imbalance->communication.only_calls = true;
    return has_memory; /* the tables ask for it */
}

static void release(void *state) {
    struct quipu__imbalance *imbalance = state;
    struct quipu__memory *memory = &imbalance->memory;
    for (size_t i = 0; i < imbalance->locations.count; i++) {
        struct quipu__imbalance_location *location = &imbalance->locations.items[i];
        QUIPU__VEC_RELEASE(memory, &location->exits);
        QUIPU__VEC_RELEASE(memory, &location->times);
        QUIPU__VEC_RELEASE(memory, &location->touched);
        quipu__release(memory, location->time_of, imbalance->region_count * sizeof *location->time_of);
    }
    quipu__map_release(&imbalance->time_of);
    quipu__communication_release(&imbalance->communication);
    QUIPU__VEC_RELEASE(memory, &imbalance->locations);
    QUIPU__VEC_RELEASE(memory, &imbalance->takers);
    QUIPU__VEC_RELEASE(memory, &imbalance->windows);
    QUIPU__VEC_RELEASE(memory, &imbalance->window_regions);
    quipu__map_release(&imbalance->window_of);
    quipu__release(memory, imbalance->regions, imbalance->region_count * sizeof *imbalance->regions);
    struct quipu__memory own = imbalance->memory;
    quipu__release(&own, imbalance, sizeof *imbalance);
}

static const struct quipu_option options[] = {
    {.name = "inclusive",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "compare times from enter to leave, not those without inner calls"},
};

const struct quipu__fold quipu__imbalance_fold = {
    .info = {.name = "imbalance",
             .doc = "show which regions are spread unevenly",
             .details =
                 "Compares the time of each region at all locations. lost_total_ns is what would be saved, in "
                 "time of all "
                 "locations, if all were as slow as the slowest needs to be: 0 when all are equal. "
                 "imbalance_percent is "
                 "100 when one location does everything.\n\n"
                 "Collective operations in which all take part cut the time into windows, 65,536 at most (with "
                 "--inclusive fewer where calls are deep), and "
                 "windows_lost_total_ns is the same window by window. behaviour says how both compare: "
                 "balanced, below "
                 "2 % in windows; persistent, the same locations are slow all the time; rotating, others in "
                 "turn; mixed.",
             .examples = "quipu imbalance run.trace --limit 10 # the ten most uneven regions\n"
                         "quipu imbalance run.trace --inclusive # with what they call",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = quipu__imbalance_tables,
             .table_count = 1,
             .empty_answer = "no time passes",
             .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = quipu__imbalance_finish,
    .release = release,
};
