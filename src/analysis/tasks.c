/* tasks.c: tasks of a runtime and the CPUs that they run on: how long bodies of each type run, are blocked and wait to begin, where they run, and how
 * busy each CPU is over time. A first reading finds from when to when the trace goes, a second one in the order of time counts: a task is created
 * at one thread and may begin at another, and pause at one and resume at the next.
 */
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"

/* ---- The tables ---- */

/* clang-format off */
#define TASKS_TABLES(TABLE, COLUMN, END) \
    TABLE(TYPES, "types", "a row for each type of task") \
    QUIPU__NAMED(COLUMN, TYPES, type, "name of the type; null: not known") \
    COLUMN(TYPES, created, U64, "", "tasks that were created") \
    COLUMN(TYPES, bodies, U64, "", "bodies that ran or were blocked: a task has one, or several that run in parallel") \
    COLUMN(TYPES, running_ns, I64, "ns", "time in which they ran: begun, not paused, with no other body inside, at a thread that runs") \
    COLUMN(TYPES, blocked_ns, I64, "ns", "the rest of the time from their begin to their end") \
    COLUMN(TYPES, ready_ns, I64, "ns", "time from the creation of tasks to the begin of their first bodies") \
    COLUMN(TYPES, mean_running_ns, I64, "ns", "how long a body ran, on average") \
    COLUMN(TYPES, max_running_ns, I64, "ns", "how long the longest one ran") \
    COLUMN(TYPES, locations, U64, "", "threads that they ran at") \
    COLUMN(TYPES, waiting, U64, "", "tasks that were created and of which no body begins; their time is not counted") \
    COLUMN(TYPES, unfinished, U64, "", "bodies that never end: counted until the last event at their thread, or their pause") \
    END(TYPES) \
    TABLE(SHARES, "locations", "a row for each type of task at each thread and CPU that its bodies ran at") \
    QUIPU__NAMED(COLUMN, SHARES, type, "name of the type; null: not known") \
    QUIPU__NAMED(COLUMN, SHARES, location, "name of the thread") \
    QUIPU__NAMED(COLUMN, SHARES, cpu, "name of the CPU; null: not known") \
    COLUMN(SHARES, bodies, U64, "", "bodies that began there") \
    COLUMN(SHARES, running_ns, I64, "ns", "time in which bodies ran there") \
    END(SHARES) \
    TABLE(CPUS, "cpus", "a row for each CPU") \
    QUIPU__NAMED(COLUMN, CPUS, cpu, "name of the CPU") \
    COLUMN(CPUS, locations, U64, "", "threads that ran there") \
    COLUMN(CPUS, task_ns, I64, "ns", "time in which bodies of tasks ran") \
    COLUMN(CPUS, runtime_ns, I64, "ns", "time in which threads ran, outside of tasks") \
    COLUMN(CPUS, idle_ns, I64, "ns", "the rest of the time that is counted") \
    COLUMN(CPUS, busy_percent, F64, "%", "share of the time in which threads ran; above 100 where several did at once") \
    END(CPUS) \
    TABLE(BINS, "cpu_bins", "with --over time: a row for each bin of time of each CPU that a thread ran at") \
    QUIPU__NAMED(COLUMN, BINS, cpu, "name of the CPU") \
    COLUMN(BINS, bin, U64, "", "number of the bin, from 0") \
    COLUMN(BINS, from_ns, TIME, "ns", "where it begins, from the trace's origin") \
    COLUMN(BINS, to_ns, TIME, "ns", "where it ends") \
    COLUMN(BINS, task_ns, I64, "ns", "time in which bodies of tasks ran") \
    COLUMN(BINS, runtime_ns, I64, "ns", "time in which threads ran, outside of tasks") \
    COLUMN(BINS, idle_ns, I64, "ns", "the rest of the bin") \
    END(BINS)
/* clang-format on */
QUIPU__TABLES(TASKS_TABLES)
static const struct quipu_analysis_table tasks_tables[] = {QUIPU__SHAPES(TASKS_TABLES)};

/* ---- What is known ---- */

/* A task that waits for its first body, or an active body. */
struct task_item {
    uint64_t id, body;
    uint32_t process, type; /* type: plus 1 */
    bool is_used, is_body;
    uint32_t next;         /* of the same hash, or free, plus 1 */
    uint32_t location;     /* of a body that is not paused; else QUIPU_NONE */
    uint32_t above, below; /* bodies at the location, plus 1 */
    int64_t since, last;   /* created or begun; paused */
    int64_t running;
};

struct task_type {
    uint64_t created, bodies, locations, waiting, unfinished;
    int64_t running, blocked, ready, most;
};

/* Where bodies of a type run. */
struct task_share {
    uint32_t type, location, cpu; /* type: plus 1 */
    uint32_t next;                /* of the same type and location, plus 1 */
    uint64_t bodies;
    int64_t running;
};

/* Time at a CPU. */
struct task_cell {
    int64_t task, runtime;
};

struct task_cpu {
    uint64_t locations;
    struct task_cell *bins; /* NULL: nothing ran here */
};

struct task_location {
    bool has_events, is_running;
    uint32_t cpu, noted_cpu; /* whose threads have been counted with this one */
    uint32_t top;            /* the body that began or resumed last, plus 1 */
    int64_t since;           /* counted up to here */
};

struct tasks {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__window window; /* ns */
    bool is_second, has_events, has_cpus;
    bool is_over_time; /* a row per bin is wanted */
    int64_t from, to;  /* of all that is counted */
    uint64_t length;
    uint32_t bins;
    struct quipu__map item_of;          /* hash to the first one, plus 1 */
    QUIPU__VEC(struct task_item) items; /* with free ones */
    uint32_t free;                      /* the first, plus 1 */
    QUIPU__VEC(struct task_type) types; /* by type, plus 1 */
    struct quipu__map share_of;         /* (type plus 1, location) to the first one, plus 1 */
    QUIPU__VEC(struct task_share) shares;
    struct quipu__map seen; /* (cpu, location) */
    QUIPU__VEC(struct task_cpu) cpus;
    QUIPU__VEC(struct task_location) locations;
};

static int64_t ns_of(const struct tasks *tasks, int64_t ticks) {
    return quipu_clock_ns(&tasks->definitions->clock, ticks);
}

/* The part of a stretch of time that counts. */
static int64_t counted(const struct tasks *tasks, int64_t from, int64_t to) {
    from = from > tasks->from ? from : tasks->from;
    to = to < tasks->to ? to : tasks->to;
    return from < to ? quipu__bounded_difference(to, from) : 0;
}

/* ---- Items ---- */

static uint64_t hash_of(const struct tasks *tasks, const struct task_item *item) {
    const uint64_t key[] = {item->id, item->body, (uint64_t)item->process << 1 | item->is_body};
    return quipu__hash(key, sizeof key, tasks->item_of.seed);
}

static bool is_same(const struct task_item *a, const struct task_item *b) {
    return a->id == b->id && a->body == b->body && a->process == b->process && a->is_body == b->is_body;
}

/* Its number, plus 1; 0: there is none. */
static uint32_t find(const struct tasks *tasks, const struct task_item *wanted) {
    const uint32_t first = quipu__map_get(&tasks->item_of, hash_of(tasks, wanted));
    uint32_t number = first == QUIPU_NONE ? 0 : first;
    while (number != 0 && !is_same(&tasks->items.items[number - 1], wanted))
        number = tasks->items.items[number - 1].next;
    return number;
}

/* Adds one that is not there. Returns its number, plus 1; 0: memory is out. */
static uint32_t add(struct tasks *tasks, const struct task_item *item) {
    const uint64_t hash = hash_of(tasks, item);
    const uint32_t first = quipu__map_get(&tasks->item_of, hash);
    uint32_t number = tasks->free;
    if (number != 0)
        tasks->free = tasks->items.items[number - 1].next;
    else if (QUIPU__VEC_ADD(&tasks->memory, &tasks->items))
        number = (uint32_t)tasks->items.count;
    if (number == 0 || !quipu__map_put(&tasks->item_of, hash, number))
        return 0;
    tasks->items.items[number - 1] = *item;
    tasks->items.items[number - 1].next = first == QUIPU_NONE ? 0 : first;
    return number;
}

static void take_out(struct tasks *tasks, uint32_t number) {
    struct task_item *item = &tasks->items.items[number - 1];
    const uint64_t hash = hash_of(tasks, item);
    const uint32_t first = quipu__map_get(&tasks->item_of, hash);
    if (first != number) {
        uint32_t before = first;
        while (tasks->items.items[before - 1].next != number)
            before = tasks->items.items[before - 1].next;
        tasks->items.items[before - 1].next = item->next;
    } else if (item->next == 0) {
        quipu__map_remove(&tasks->item_of, hash);
    } else {
        quipu__gate_knows(quipu__map_put(&tasks->item_of, hash, item->next));
    }
    *item = (struct task_item){.next = tasks->free};
    tasks->free = number;
}

/* ---- Types, shares, CPUs, locations ---- */

/* type: plus 1. NULL when memory is out. */
static struct task_type *type_at(struct tasks *tasks, uint32_t type) {
    const size_t count = (size_t)tasks->definitions->task_types.count + 1;
    if (tasks->types.count == 0) {
        if (!QUIPU__VEC_RESERVE(&tasks->memory, &tasks->types, count))
            return NULL;
        tasks->types.count = count;
    }
    return &tasks->types.items[type < tasks->types.count ? type : 0];
}

static struct task_share *share_at(struct tasks *tasks, uint32_t type, uint32_t location, uint32_t cpu) {
    const uint64_t key = (uint64_t)type << 32 | location;
    const uint32_t first = quipu__map_get(&tasks->share_of, key);
    uint32_t number = first == QUIPU_NONE ? 0 : first;
    while (number != 0 && tasks->shares.items[number - 1].cpu != cpu)
        number = tasks->shares.items[number - 1].next;
    if (number != 0)
        return &tasks->shares.items[number - 1];
    struct task_share *share = QUIPU__VEC_ADD(&tasks->memory, &tasks->shares);
    struct task_type *known = type_at(tasks, type);
    if (!share || !known || !quipu__map_put(&tasks->share_of, key, (uint32_t)tasks->shares.count))
        return NULL;
    *share = (struct task_share){type, location, cpu, first == QUIPU_NONE ? 0 : first, 0, 0};
    known->locations += first == QUIPU_NONE;
    return share;
}

/* NULL: there is no such location, or memory is out. */
static struct task_location *location_at(struct tasks *tasks, uint32_t number) {
    const size_t count = tasks->definitions->locations.count, known = tasks->locations.count;
    if (number >= count)
        return NULL;
    if (number >= known) {
        if (!QUIPU__VEC_RESERVE(&tasks->memory, &tasks->locations, count - known))
            return NULL;
        tasks->locations.count = count;
        for (size_t i = known; i < count; i++)
            tasks->locations.items[i] = (struct task_location){.cpu = QUIPU_NONE, .noted_cpu = QUIPU_NONE};
    }
    return &tasks->locations.items[number];
}

/* A CPU at which a thread runs, which is counted there. NULL: there is no such location, or memory is out. */
static struct task_cpu *cpu_at(struct tasks *tasks, struct task_location *location, uint32_t number) {
    const size_t count = tasks->definitions->locations.count, known = tasks->cpus.count;
    const uint32_t cpu = location->cpu;
    if (cpu >= count)
        return NULL;
    if (cpu >= known) {
        if (!QUIPU__VEC_RESERVE(&tasks->memory, &tasks->cpus, count - known))
            return NULL;
        tasks->cpus.count = count;
    }
    struct task_cpu *found = &tasks->cpus.items[cpu];
    if (!found->bins)
        found->bins = quipu__alloc_zero(&tasks->memory, tasks->bins * sizeof *found->bins);
    const uint64_t key = (uint64_t)cpu << 32 | number;
    if (location->noted_cpu != cpu && quipu__map_get(&tasks->seen, key) == QUIPU_NONE) {
        quipu__gate_knows(quipu__map_put(&tasks->seen, key, 0));
        found->locations++;
    }
    location->noted_cpu = cpu;
    return found->bins ? found : NULL;
}

/* ---- Time ---- */

static int64_t bin_start(const struct tasks *tasks, uint64_t bin) {
    return quipu__bin_start(tasks->from, tasks->length, tasks->bins, bin);
}

/* A stretch that counts, at a CPU. */
static void fill_bins(const struct tasks *tasks, const struct task_cpu *cpu, int64_t from, int64_t to,
                      bool is_task) {
    uint64_t rest;
    uint64_t bin = quipu__scale_down((uint64_t)from - (uint64_t)tasks->from, tasks->bins, tasks->length, &rest);
    for (; from < to && bin < tasks->bins; bin++) {
        const int64_t end = bin + 1 < tasks->bins ? bin_start(tasks, bin + 1) : tasks->to;
        const int64_t until = end < to ? end : to;
        if (until <= from)
            continue;
        int64_t *time = is_task ? &cpu->bins[bin].task : &cpu->bins[bin].runtime;
        *time = quipu__bounded_sum(*time, quipu__bounded_difference(until, from));
        from = until;
    }
}

/* A location has been as it is up to a time. */
static void advance(struct tasks *tasks, struct task_location *location, uint32_t number, int64_t time) {
    const int64_t since = location->since, from = since > tasks->from ? since : tasks->from,
                  to = time < tasks->to ? time : tasks->to, length = counted(tasks, since, time);
    location->since = time > since ? time : since;
    if (!location->is_running || from >= to)
        return;
    if (location->top != 0) {
        struct task_item *item = &tasks->items.items[location->top - 1];
        struct task_type *type = type_at(tasks, item->type);
        struct task_share *share = share_at(tasks, item->type, number, location->cpu);
        item->running = quipu__bounded_sum(item->running, length);
        if (type && share) {
            type->running = quipu__bounded_sum(type->running, length);
            share->running = quipu__bounded_sum(share->running, length);
        }
    }
    const struct task_cpu *cpu = cpu_at(tasks, location, number);
    if (cpu)
        fill_bins(tasks, cpu, from, to, location->top != 0);
}

/* ---- Bodies ---- */

/* Takes a body from the location where it is, whose time is counted. */
static void lift(struct tasks *tasks, uint32_t number, int64_t time) {
    struct task_item *items = tasks->items.items, *item = &items[number - 1];
    if (item->location == QUIPU_NONE)
        return;
    struct task_location *location = &tasks->locations.items[item->location];
    advance(tasks, location, item->location, time);
    if (item->above != 0)
        items[item->above - 1].below = item->below;
    else
        location->top = item->below;
    if (item->below != 0)
        items[item->below - 1].above = item->above;
    item->above = item->below = 0;
    item->location = QUIPU_NONE;
    item->last = time;
}

static void put_on(struct tasks *tasks, uint32_t number, uint32_t thread) {
    struct task_item *items = tasks->items.items, *item = &items[number - 1];
    struct task_location *location = &tasks->locations.items[thread];
    item->location = thread;
    item->below = location->top;
    if (location->top != 0)
        items[location->top - 1].above = number;
    location->top = number;
}

/* Counts a body that is over. */
static void close_body(struct tasks *tasks, const struct task_item *item, int64_t end) {
    struct task_type *type = type_at(tasks, item->type);
    if (!type || item->since >= tasks->to || end < tasks->from)
        return;
    type->bodies++;
    const int64_t lasted = counted(tasks, item->since, end);
    type->blocked = quipu__bounded_sum(type->blocked, lasted > item->running ? lasted - item->running : 0);
    type->most = item->running > type->most ? item->running : type->most;
}

static bool is_counted(const struct tasks *tasks, int64_t time) {
    return quipu__window_has(&tasks->window, time);
}

/* Forgets a task that waits, which begins now, or never. */
static void close_task(struct tasks *tasks, uint32_t number, int64_t time, bool begins) {
    const struct task_item item = tasks->items.items[number - 1];
    struct task_type *type = type_at(tasks, item.type);
    take_out(tasks, number);
    if (type && begins)
        type->ready = quipu__bounded_sum(type->ready, counted(tasks, item.since, time));
    else if (type)
        type->waiting += is_counted(tasks, item.since);
}

/* ---- Events ---- */

/* The item that an event is about. */
static struct task_item item_of(const struct tasks *tasks, const struct quipu_batch *batch, uint32_t event,
                                bool is_body, int64_t time) {
    return (struct task_item){.is_used = true,
                              .id = batch->id[event],
                              .body = is_body ? batch->value[event] : 0,
                              .process = quipu__process_of(tasks->definitions, batch->location[event]),
                              .is_body = is_body,
                              .location = QUIPU_NONE,
                              .since = time,
                              .last = time};
}

static uint32_t type_of(const struct tasks *tasks, uint32_t type) {
    return type < tasks->definitions->task_types.count ? type + 1 : 0;
}

static void create(struct tasks *tasks, const struct quipu_batch *batch, uint32_t event, int64_t time) {
    struct task_item item = item_of(tasks, batch, event, false, time);
    const uint32_t known = find(tasks, &item);
    item.type = type_of(tasks, batch->object[event]);
    struct task_type *type = type_at(tasks, item.type);
    if (known != 0)
        close_task(tasks, known, time, false);
    if (type && add(tasks, &item) != 0)
        type->created += is_counted(tasks, time);
}

static void begin_body(struct tasks *tasks, const struct quipu_batch *batch, uint32_t event, int64_t time) {
    const struct task_item task = item_of(tasks, batch, event, false, time);
    struct task_item item = item_of(tasks, batch, event, true, time);
    const uint32_t waiting = find(tasks, &task), known = find(tasks, &item), thread = batch->location[event];
    item.type = type_of(tasks, batch->object[event]);
    if (waiting != 0 && item.type == 0)
        item.type = tasks->items.items[waiting - 1].type;
    if (waiting != 0)
        close_task(tasks, waiting, time, true);
    if (known != 0) { /* it has never ended */
        lift(tasks, known, time);
        close_body(tasks, &tasks->items.items[known - 1], time);
        take_out(tasks, known);
    }
    const uint32_t number = add(tasks, &item);
    struct task_share *share =
        number == 0 ? NULL : share_at(tasks, item.type, thread, tasks->locations.items[thread].cpu);
    if (!share)
        return;
    share->bodies += is_counted(tasks, time);
    put_on(tasks, number, thread);
}

/* Pauses, resumes or ends a body; one that has not begun is none. */
static void change_body(struct tasks *tasks, const struct quipu_batch *batch, uint32_t event, int64_t time) {
    const struct task_item wanted = item_of(tasks, batch, event, true, time);
    const uint32_t number = find(tasks, &wanted);
    if (number == 0)
        return;
    lift(tasks, number, time);
    if (batch->kind[event] == QUIPU_KIND_task_resume) {
        put_on(tasks, number, batch->location[event]);
    } else if (batch->kind[event] == QUIPU_KIND_task_end) {
        close_body(tasks, &tasks->items.items[number - 1], time);
        take_out(tasks, number);
    }
}

/* A location moves to a CPU, which another one may have done for it. */
static void change_cpu(struct tasks *tasks, const struct quipu_batch *batch, uint32_t event, int64_t time) {
    const uint32_t number = batch->object[event] == QUIPU_NONE ? batch->location[event] : batch->object[event];
    struct task_location *location = location_at(tasks, number);
    if (!location)
        return;
    if (location->has_events)
        advance(tasks, location, number, time);
    location->cpu = batch->peer[event];
}

/* False: the channel says something else. */
static bool is_run_state(const struct tasks *tasks, uint32_t channel) {
    return channel < tasks->definitions->channels.count &&
           tasks->definitions->channels.items[channel].is_run_state;
}

static void add_event(struct tasks *tasks, const struct quipu_batch *batch, uint32_t event) {
    const int64_t time = ns_of(tasks, batch->time[event]);
    struct task_location *location = location_at(tasks, batch->location[event]);
    if (!location)
        return;
    if (!location->has_events) {
        location->since = time;
        location->has_events = location->is_running = true;
    }
    advance(tasks, location, batch->location[event], time);
    switch ((enum quipu_kind)batch->kind[event]) {
    case QUIPU_KIND_location_begin:
    case QUIPU_KIND_location_end:
        location->is_running = batch->kind[event] == QUIPU_KIND_location_begin;
        break;
    case QUIPU_KIND_state_set:
        if (is_run_state(tasks, batch->object[event]))
            location->is_running = batch->value[event] == 1;
        break;
    case QUIPU_KIND_affinity:
        change_cpu(tasks, batch, event, time);
        break;
    case QUIPU_KIND_task_create:
        create(tasks, batch, event, time);
        break;
    case QUIPU_KIND_task_begin:
        begin_body(tasks, batch, event, time);
        break;
    case QUIPU_KIND_task_pause:
    case QUIPU_KIND_task_resume:
    case QUIPU_KIND_task_end:
        change_body(tasks, batch, event, time);
        break;
    default:
        break;
    }
}

/* ---- The fold ---- */

static void release(void *state) {
    struct tasks *tasks = state;
    for (size_t i = 0; i < tasks->cpus.count; i++)
        if (tasks->cpus.items[i].bins)
            quipu__release(&tasks->memory, tasks->cpus.items[i].bins, tasks->bins * sizeof(struct task_cell));
    quipu__map_release(&tasks->item_of);
    quipu__map_release(&tasks->share_of);
    quipu__map_release(&tasks->seen);
    QUIPU__VEC_RELEASE(&tasks->memory, &tasks->items);
    QUIPU__VEC_RELEASE(&tasks->memory, &tasks->types);
    QUIPU__VEC_RELEASE(&tasks->memory, &tasks->shares);
    QUIPU__VEC_RELEASE(&tasks->memory, &tasks->cpus);
    QUIPU__VEC_RELEASE(&tasks->memory, &tasks->locations);
    quipu__fold_state_release(tasks, sizeof *tasks);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct tasks *tasks = quipu__fold_state(start, sizeof *tasks, state);
    if (!tasks)
        return quipu__no_memory(err, sizeof *tasks);
    tasks->definitions = start->definitions;
    tasks->window = start->window ? *start->window : (struct quipu__window){INT64_MIN, INT64_MAX};
    if (tasks->window.from != INT64_MIN)
        tasks->window.from = ns_of(tasks, tasks->window.from);
    if (tasks->window.to != INT64_MAX)
        tasks->window.to = ns_of(tasks, tasks->window.to);
    tasks->is_over_time = quipu__settings_value(&start->settings, "over") != NULL;
    quipu__map_init(&tasks->item_of, &tasks->memory);
    quipu__map_init(&tasks->share_of, &tasks->memory);
    quipu__map_init(&tasks->seen, &tasks->memory);
    return quipu__bins_setting(start, &tasks->bins, err);
}

static void note_times(struct tasks *tasks, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const int64_t time = ns_of(tasks, batch->time[i]);
        tasks->from = !tasks->has_events || time < tasks->from ? time : tasks->from;
        tasks->to = !tasks->has_events || time > tasks->to ? time : tasks->to;
        tasks->has_events = true;
        tasks->has_cpus |= batch->kind[i] == QUIPU_KIND_affinity;
    }
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct tasks *tasks = state;
    if (!tasks->is_second)
        note_times(tasks, batch);
    for (uint32_t i = 0; tasks->is_second && i < batch->count; i++)
        add_event(tasks, batch, i);
    return quipu__memory_status(&tasks->memory, err);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct tasks *tasks = state;
    if (tasks->is_second || !tasks->has_events)
        return false;
    tasks->is_second = true;
    selection->order = QUIPU_ORDER_TIME;
    tasks->from = tasks->window.from != INT64_MIN ? tasks->window.from : tasks->from;
    tasks->to = tasks->window.to != INT64_MAX ? tasks->window.to : tasks->to;
    tasks->to = tasks->to > tasks->from ? tasks->to : tasks->from;
    tasks->length = (uint64_t)tasks->to - (uint64_t)tasks->from;
    if (tasks->length < tasks->bins)
        tasks->bins = tasks->length > 0 ? (uint32_t)tasks->length : 1;
    return true;
}

/* ---- Rows ---- */

/* What has not ended, and has not begun. */
static void close_all(struct tasks *tasks) {
    for (uint32_t i = 1; i <= tasks->items.count; i++) {
        const struct task_item *item = &tasks->items.items[i - 1];
        struct task_type *type = type_at(tasks, item->type);
        if (!type || !item->is_used)
            continue;
        if (!item->is_body) {
            type->waiting += is_counted(tasks, item->since);
            continue;
        }
        const bool is_active = item->location != QUIPU_NONE;
        type->unfinished++;
        close_body(tasks, item, is_active ? tasks->locations.items[item->location].since : item->last);
    }
}

static enum quipu_status put_types(const struct tasks *tasks, struct quipu_table *table,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < tasks->types.count && status == QUIPU_OK; i++) {
        const struct task_type *type = &tasks->types.items[i];
        if (type->created == 0 && type->bodies == 0 && type->waiting == 0 && type->running == 0 &&
            type->blocked == 0 && type->ready == 0)
            continue; /* not in this window */
        quipu__table_put_name_and_id(table, TYPES_type, tasks->definitions, QUIPU_REFERS_TASK_TYPE, i - 1);
        quipu__table_put_u64(table, TYPES_created, type->created);
        quipu__table_put_u64(table, TYPES_bodies, type->bodies);
        quipu__table_put_i64(table, TYPES_running_ns, type->running);
        quipu__table_put_i64(table, TYPES_blocked_ns, type->blocked);
        quipu__table_put_i64(table, TYPES_ready_ns, type->ready);
        quipu__table_put_i64_if(table, TYPES_mean_running_ns, type->bodies > 0,
                                type->bodies > 0 ? (int64_t)((uint64_t)type->running / type->bodies) : 0);
        quipu__table_put_i64(table, TYPES_max_running_ns, type->most);
        quipu__table_put_u64(table, TYPES_locations, type->locations);
        quipu__table_put_u64(table, TYPES_waiting, type->waiting);
        quipu__table_put_u64(table, TYPES_unfinished, type->unfinished);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status put_shares(const struct tasks *tasks, struct quipu_table *table,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < tasks->shares.count && status == QUIPU_OK; i++) {
        const struct task_share *share = &tasks->shares.items[i];
        if (share->bodies == 0 && share->running == 0)
            continue;
        quipu__table_put_name_and_id(table, SHARES_type, tasks->definitions, QUIPU_REFERS_TASK_TYPE,
                                     share->type - 1);
        quipu__table_put_location(table, SHARES_location, tasks->definitions, share->location);
        quipu__table_put_location(table, SHARES_cpu, tasks->definitions, share->cpu);
        quipu__table_put_u64(table, SHARES_bodies, share->bodies);
        quipu__table_put_i64(table, SHARES_running_ns, share->running);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static int64_t idle_of(int64_t length, const struct task_cell *cell) {
    const int64_t busy = quipu__bounded_sum(cell->task, cell->runtime);
    return busy < length ? length - busy : 0;
}

static enum quipu_status put_cpus(const struct tasks *tasks, struct quipu_table *table,
                                  struct quipu_error *err) {
    const int64_t length = quipu__bounded_difference(tasks->to, tasks->from);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; tasks->has_cpus && i < tasks->definitions->locations.count && status == QUIPU_OK;
         i++) {
        const struct task_cpu *cpu = i < tasks->cpus.count ? &tasks->cpus.items[i] : NULL;
        struct task_cell all = {0, 0};
        if (!(cpu && cpu->bins) && tasks->definitions->locations.items[i].kind != QUIPU_LOCATION_CPU)
            continue;
        for (uint32_t bin = 0; cpu && cpu->bins && bin < tasks->bins; bin++) {
            all.task = quipu__bounded_sum(all.task, cpu->bins[bin].task);
            all.runtime = quipu__bounded_sum(all.runtime, cpu->bins[bin].runtime);
        }
        quipu__table_put_location(table, CPUS_cpu, tasks->definitions, i);
        quipu__table_put_u64(table, CPUS_locations, cpu ? cpu->locations : 0);
        quipu__table_put_i64(table, CPUS_task_ns, all.task);
        quipu__table_put_i64(table, CPUS_runtime_ns, all.runtime);
        quipu__table_put_i64(table, CPUS_idle_ns, idle_of(length, &all));
        quipu__table_put_percent(table, CPUS_busy_percent, (uint64_t)quipu__bounded_sum(all.task, all.runtime),
                                 1, (uint64_t)length);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status put_bins(const struct tasks *tasks, struct quipu_table *table,
                                  struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < tasks->cpus.count; i++)
        for (uint32_t bin = 0; tasks->cpus.items[i].bins && bin < tasks->bins && status == QUIPU_OK; bin++) {
            const struct task_cell *cell = &tasks->cpus.items[i].bins[bin];
            const int64_t from = bin_start(tasks, bin), to = bin_start(tasks, bin + 1u);
            quipu__table_put_location(table, BINS_cpu, tasks->definitions, i);
            quipu__table_put_u64(table, BINS_bin, bin);
            quipu__table_put_time(table, BINS_from_ns, from);
            quipu__table_put_time(table, BINS_to_ns, to);
            quipu__table_put_i64(table, BINS_task_ns, cell->task);
            quipu__table_put_i64(table, BINS_runtime_ns, cell->runtime);
            quipu__table_put_i64(table, BINS_idle_ns, idle_of(quipu__bounded_difference(to, from), cell));
            status = quipu__table_end_row(table, err);
        }
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    static enum quipu_status (*const put[])(const struct tasks *, struct quipu_table *,
                                            struct quipu_error *) = {
        [TYPES] = put_types, [SHARES] = put_shares, [CPUS] = put_cpus, [BINS] = put_bins};
    struct tasks *tasks = state;
    struct quipu_table *table;
    if (tasks->is_second)
        close_all(tasks);
    enum quipu_status status = quipu__memory_status(&tasks->memory, err);
    for (unsigned i = 0; i < sizeof put / sizeof *put && status == QUIPU_OK; i++) {
        if (i == BINS && !tasks->is_over_time)
            break;
        status = quipu__tables_add(list, &tasks_tables[i], &table, err);
        if (status == QUIPU_OK)
            status = put[i](tasks, table, err);
    }
    return status;
}

static const struct quipu_option options[] = {
    {.name = "over",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "time",
     .doc = "also say how busy each CPU is in equal bins of time, --bins of them"},
    QUIPU__BINS_OPTION,
};

const struct quipu__fold quipu__tasks_fold = {
    .info = {.name = "tasks",
             .doc = "show where tasks run, and how busy the CPUs are",
             /* clang-format off */
         .details =
             "Follows the tasks of a runtime system, such as those of OpenMP, OmpSs-2 and nOS-V, and "
             "the CPUs that threads run on. A task is created, then one body of it begins, or several "
             "run in parallel; a body may pause, resume, also at another thread, and ends.\n\n"
             "The time of a body from its begin to its end is running_ns while it runs and blocked_ns "
             "while it does not: when it is paused, when another body has begun inside of it at its "
             "thread, and when its thread does not run. ready_ns is the time from the creation of a "
             "task to the begin of its first body: also what it depends on may keep it then, since "
             "traces do not say. A task that is created again before it has begun counts as never "
             "begun.\n\n"
             "Of each CPU, task_ns is the time in which a body ran at a thread there, runtime_ns that "
             "of threads outside of any body, and idle_ns the rest; with --over time a table has the "
             "same of equal bins of time, for CPUs at which anything ran. A thread that does not say "
             "whether it runs does so from its first event to its last. Time goes from the first event "
             "of tasks, threads and their states to the last one, or from --since to --until, where "
             "the parts inside count.",
             /* clang-format on */
             .examples = "quipu tasks run.trace # which types of tasks take the time, and which wait?\n"
                         "quipu tasks run.trace --table cpus # which CPUs are idle?\n"
                         "quipu tasks run.trace --over time --bins 20 --csv --table cpu_bins # when?",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tasks_tables,
             .table_count = sizeof tasks_tables / sizeof *tasks_tables,
             .sort = "running_ns",
             .empty_answer = "no tasks, and no CPUs"},
    .kinds = QUIPU_KIND_BIT(QUIPU_KIND_task_create) | QUIPU_KIND_BIT(QUIPU_KIND_task_begin) |
             QUIPU_KIND_BIT(QUIPU_KIND_task_pause) | QUIPU_KIND_BIT(QUIPU_KIND_task_resume) |
             QUIPU_KIND_BIT(QUIPU_KIND_task_end) | QUIPU_KIND_BIT(QUIPU_KIND_location_begin) |
             QUIPU_KIND_BIT(QUIPU_KIND_location_end) | QUIPU_KIND_BIT(QUIPU_KIND_affinity) |
             QUIPU_KIND_BIT(QUIPU_KIND_state_set),
    .cuts_calls = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
