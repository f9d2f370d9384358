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
    imbalance->window_count = chosen + 1 > imbalance->window_count ? chosen + 1 : imbalance->window_count;
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
    while (imbalance->window_count >> imbalance->shift > QUIPU__WINDOWS_MOST)
        imbalance->shift++;
    return true;
}

/* ---- The second reading ---- */

static struct quipu__spread *window_of(struct quipu__imbalance *imbalance, uint32_t region, size_t window) {
    const uint64_t key = (uint64_t)region << 32 | window >> imbalance->shift;
    const uint32_t known = quipu__map_get(&imbalance->window_of, key);
    if (known != QUIPU_NONE)
        return &imbalance->windows.items[known];
    struct quipu__spread *spread = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->windows);
    uint32_t *of = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->window_regions);
    if (!spread || !of || !quipu__map_put(&imbalance->window_of, key, (uint32_t)(imbalance->windows.count - 1)))
        return NULL;
    *of = region;
    return spread;
}

/* The window of a location is over: its times count among those of others. */
static void end_window(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location) {
    for (uint32_t i = 0; location->times && i < imbalance->region_count; i++) {
        struct quipu__spread *spread =
            location->times[i] > 0 ? window_of(imbalance, i, location->window) : NULL;
        if (!spread)
            continue;
        spread->total = quipu__bounded_sum(spread->total, location->times[i]);
        spread->most = location->times[i] > spread->most ? location->times[i] : spread->most;
        location->totals[i] = quipu__bounded_sum(location->totals[i], location->times[i]);
        location->times[i] = 0;
    }
}

/* Windows that are merged do not end in between. */
static void next_window(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location) {
    const size_t next = location->window + 1;
    if (next >> imbalance->shift != location->window >> imbalance->shift)
        end_window(imbalance, location);
    location->window = next;
}

static bool is_listed_deeper(const struct quipu__call_paths *paths, uint32_t path, uint32_t until,
                             uint32_t region) {
    for (; path != until; path = paths->list.items[path].parent)
        if (paths->list.items[path].region == region)
            return true;
    return false;
}

static void add_time(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location,
                     uint32_t path, int64_t time) {
    const struct quipu__call_paths *paths = &imbalance->communication.paths;
    const uint32_t region = (uint32_t)(quipu__call_path_region(paths, path) + 1);
    if (region < imbalance->region_count)
        location->times[region] = quipu__bounded_sum(location->times[region], time);
    for (uint32_t outer = path; imbalance->is_inclusive && outer != QUIPU__NO_CALLS;) {
        outer = paths->list.items[outer].parent;
        const uint32_t around = quipu__call_path_region(paths, outer);
        if (outer != QUIPU__NO_CALLS && around + 1 < imbalance->region_count &&
            !is_listed_deeper(paths, path, outer, around))
            location->times[around + 1] = quipu__bounded_sum(location->times[around + 1], time);
    }
}

static void add_span(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location,
                     uint32_t path, int64_t from, int64_t to) {
    if (!location->times) {
        location->times = quipu__alloc_zero(&imbalance->memory, imbalance->region_count * sizeof(int64_t));
        location->totals = quipu__alloc_zero(&imbalance->memory, imbalance->region_count * sizeof(int64_t));
    }
    if (!location->times || !location->totals)
        return;
    while (from < to) {
        while (location->window < location->exits.count && location->exits.items[location->window].time <= from)
            next_window(imbalance, location);
        int64_t until = to;
        if (location->window < location->exits.count && location->exits.items[location->window].time < to)
            until = location->exits.items[location->window].time;
        add_time(imbalance, location, path, until - from);
        from = until;
    }
}

static void add_step(void *context, uint32_t number, uint32_t path, int64_t from, int64_t to) {
    struct quipu__imbalance *imbalance = context;
    if (number >= imbalance->locations.count)
        return;
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    if (location->first < from)
        add_span(imbalance, location, QUIPU__NO_CALLS, location->first, from);
    add_span(imbalance, location, path, from, to);
    location->first = to;
}

/* The time after the last call of a location. */
static void end_location(struct quipu__imbalance *imbalance, uint32_t number) {
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    const struct quipu__call_stack *stack =
        number < imbalance->communication.stacks.count ? &imbalance->communication.stacks.items[number] : NULL;
    if (!location->has_events)
        return;
    const uint32_t path = stack ? stack->calls[stack->depth].path : QUIPU__NO_CALLS;
    const bool has_last = stack && stack->has_events && stack->last > location->first;
    add_span(imbalance, location, has_last ? QUIPU__NO_CALLS : path, location->first,
             has_last ? stack->last : location->last);
    if (has_last)
        add_span(imbalance, location, path, stack->last, location->last);
    end_window(imbalance, location);
}

static void add_window(struct quipu__imbalance *imbalance, size_t window) {
    int64_t *most = &imbalance->regions[imbalance->window_regions.items[window]].windows_most;
    *most = quipu__bounded_sum(*most, imbalance->windows.items[window].most);
}

static void add_up_location(struct quipu__imbalance *imbalance, uint32_t number) {
    const struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    for (uint32_t i = 0; location->totals && i < imbalance->region_count; i++) {
        struct quipu__imbalance_region *region = &imbalance->regions[i];
        region->whole.total = quipu__bounded_sum(region->whole.total, location->totals[i]);
        if (location->totals[i] <= region->whole.most)
            continue;
        region->whole.most = location->totals[i];
        region->slowest = number;
    }
}

bool quipu__imbalance_add_up(struct quipu__imbalance *imbalance) {
    imbalance->regions =
        quipu__alloc_zero(&imbalance->memory, imbalance->region_count * sizeof *imbalance->regions);
    if (!imbalance->regions)
        return false;
    for (uint32_t i = 0; i < imbalance->locations.count; i++) {
        end_location(imbalance, i);
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
    const struct quipu__communication_listener listener = {.context = imbalance, .step = add_step};
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
    const size_t bytes = imbalance->region_count * sizeof(int64_t);
    for (size_t i = 0; i < imbalance->locations.count; i++) {
        QUIPU__VEC_RELEASE(memory, &imbalance->locations.items[i].exits);
        quipu__release(memory, imbalance->locations.items[i].times, bytes);
        quipu__release(memory, imbalance->locations.items[i].totals, bytes);
    }
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
                 "Collective operations in which all take part cut the time into windows, 65,536 at most, and "
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
