/* statistics.c: see statistics.h. Each event type has a stack of active instances. What runs inside of a watched event is
 * counted by pairs: the time of a pair runs while an instance that began inside is active, and the watched event is too. */
#include "formats/picl/statistics.h"

void quipu__picl_statistics_init(struct quipu__picl_statistics *statistics, struct quipu__memory *memory) {
    *statistics = (struct quipu__picl_statistics){.memory = memory};
    quipu__map_init(&statistics->numbers, memory);
}

void quipu__picl_statistics_release(struct quipu__picl_statistics *statistics) {
    for (size_t i = 0; i < statistics->events.count; i++) {
        struct quipu__picl_occurrence *event = &statistics->events.items[i];
        QUIPU__VEC_RELEASE(statistics->memory, &event->active);
        quipu__release(statistics->memory, event->inside,
                       event->inside ? QUIPU__PICL_WATCHED_MOST * sizeof *event->inside : 0);
    }
    QUIPU__VEC_RELEASE(statistics->memory, &statistics->events);
    quipu__map_release(&statistics->numbers);
}

static uint32_t watched_of(const struct quipu__picl_statistics *statistics, int64_t event) {
    for (uint32_t i = 0; i < statistics->watched_count; i++)
        if (statistics->watched[i] == event)
            return i;
    return QUIPU_NONE;
}

void quipu__picl_watch(struct quipu__picl_statistics *statistics, int64_t event) {
    if (watched_of(statistics, event) == QUIPU_NONE && statistics->watched_count < QUIPU__PICL_WATCHED_MOST)
        statistics->watched[statistics->watched_count++] = event;
}

/* ---- One event type ---- */

static struct quipu__picl_occurrence *find(const struct quipu__picl_statistics *statistics, int64_t event) {
    const uint32_t number = quipu__map_get(&statistics->numbers, (uint64_t)event);
    return number == QUIPU_NONE ? NULL : &statistics->events.items[number];
}

static struct quipu__picl_occurrence *find_or_add(struct quipu__picl_statistics *statistics, int64_t event) {
    struct quipu__picl_occurrence *found = find(statistics, event);
    if (found)
        return found;
    found = QUIPU__VEC_ADD(statistics->memory, &statistics->events);
    if (!found ||
        !quipu__map_put(&statistics->numbers, (uint64_t)event, (uint32_t)statistics->events.count - 1))
        return NULL;
    found->event = event;
    return found;
}

/* The figures inside of watched events; NULL when memory is out. */
static struct quipu__picl_figures *inside_of(struct quipu__picl_statistics *statistics,
                                             struct quipu__picl_occurrence *event) {
    if (!event->inside)
        event->inside = quipu__alloc_zero(statistics->memory, QUIPU__PICL_WATCHED_MOST * sizeof *event->inside);
    return event->inside;
}

/* Damaged times and volumes may be anything: sums of them wrap. */
static int64_t sum_of(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t sum_since(int64_t total, int64_t since, int64_t time) {
    return (int64_t)((uint64_t)total + (uint64_t)time - (uint64_t)since);
}

static void add_volume(struct quipu__picl_figures *figures, int64_t volume) {
    if (volume < 0)
        return;
    figures->volume = sum_of(figures->volume, volume);
    figures->has_volume = true;
}

static void begin(struct quipu__picl_figures *figures, int64_t time) {
    figures->has_time = true;
    if (figures->depth++ == 0)
        figures->since = time;
}

static void end(struct quipu__picl_figures *figures, int64_t time) {
    if (--figures->depth == 0)
        figures->time = sum_since(figures->time, figures->since, time);
}

/* ---- Watched events ---- */

/* The time of everything that is active inside of a watched event runs while that one is active. */
static void pause_inside(struct quipu__picl_statistics *statistics, uint32_t watched, int64_t time) {
    for (size_t i = 0; i < statistics->events.count; i++) {
        struct quipu__picl_figures *inside = statistics->events.items[i].inside;
        if (inside && inside[watched].depth > 0)
            inside[watched].time = sum_since(inside[watched].time, inside[watched].since, time);
    }
}

static void resume_inside(struct quipu__picl_statistics *statistics, uint32_t watched, int64_t time) {
    for (size_t i = 0; i < statistics->events.count; i++) {
        struct quipu__picl_figures *inside = statistics->events.items[i].inside;
        if (inside && inside[watched].depth > 0)
            inside[watched].since = time;
    }
}

static void set_active(struct quipu__picl_statistics *statistics, int64_t event, bool is_active, int64_t time) {
    const uint32_t watched = watched_of(statistics, event);
    if (watched == QUIPU_NONE)
        return;
    statistics->active = (statistics->active & ~(UINT64_C(1) << watched)) | (uint64_t)is_active << watched;
    if (is_active)
        resume_inside(statistics, watched, time);
    else
        pause_inside(statistics, watched, time);
}

/* Ends an instance inside of a watched event; its time runs only while the watched event is active. */
static void end_pair(struct quipu__picl_figures *figures, bool is_running, int64_t time) {
    if (--figures->depth == 0 && is_running)
        figures->time = sum_since(figures->time, figures->since, time);
}

/* ---- Entries, exits, marks ---- */

/* Whether an event counts inside of a watched one: not inside of itself. */
static bool counts_inside(const struct quipu__picl_statistics *statistics, uint64_t inside, uint32_t watched,
                          int64_t event) {
    return (inside >> watched & 1) != 0 && statistics->watched[watched] != event;
}

static bool enter(struct quipu__picl_statistics *statistics, int64_t type, int64_t time, int64_t volume,
                  const struct quipu__picl_instance *instance) {
    struct quipu__picl_occurrence *event = find_or_add(statistics, type);
    struct quipu__picl_instance *added = event ? QUIPU__VEC_ADD(statistics->memory, &event->active) : NULL;
    struct quipu__picl_figures *inside = added && instance->inside ? inside_of(statistics, event) : NULL;
    if (!added || (instance->inside && !inside))
        return false;
    *added = *instance;
    event->all.count++;
    add_volume(&event->all, volume);
    begin(&event->all, time);
    for (uint32_t i = 0; inside && i < statistics->watched_count; i++) {
        if (!counts_inside(statistics, instance->inside, i, type))
            continue;
        inside[i].count++;
        add_volume(&inside[i], volume);
        begin(&inside[i], time);
    }
    if (event->all.depth == 1)
        set_active(statistics, type, true, time);
    return true;
}

static bool leave(struct quipu__picl_statistics *statistics, int64_t type, int64_t time, int64_t volume) {
    struct quipu__picl_occurrence *event = find(statistics, type);
    if (!event || event->active.count == 0)
        return false;
    const uint64_t inside = event->active.items[--event->active.count].inside;
    add_volume(&event->all, volume);
    end(&event->all, time);
    for (uint32_t i = 0; event->inside && i < statistics->watched_count; i++) {
        if (!counts_inside(statistics, inside, i, type))
            continue;
        add_volume(&event->inside[i], volume);
        end_pair(&event->inside[i], (statistics->active >> i & 1) != 0, time);
    }
    if (event->all.depth == 0)
        set_active(statistics, type, false, time);
    return true;
}

static bool mark(struct quipu__picl_statistics *statistics, int64_t type, int64_t volume) {
    struct quipu__picl_occurrence *event = find_or_add(statistics, type);
    struct quipu__picl_figures *inside = event && statistics->active ? inside_of(statistics, event) : NULL;
    if (!event || (statistics->active && !inside))
        return false;
    event->all.count++;
    add_volume(&event->all, volume);
    for (uint32_t i = 0; inside && i < statistics->watched_count; i++) {
        if (!counts_inside(statistics, statistics->active, i, type))
            continue;
        inside[i].count++;
        add_volume(&inside[i], volume);
    }
    return true;
}

/* Whether an event is a member of a set. */
static bool is_member(const struct quipu__picl_statistics *statistics, int64_t event, int64_t set) {
    static const struct quipu__picl_scope none;
    return quipu__picl_fits(statistics->scope ? statistics->scope : &none, QUIPU__PICL_EVENT_SUBSET, event, set,
                            UINT64_MAX);
}

bool quipu__picl_count_entry(struct quipu__picl_statistics *statistics, int64_t event, int64_t time,
                             int64_t volume, uint64_t line, uint64_t byte) {
    const struct quipu__picl_instance instance = {statistics->active, line, byte};
    bool done = enter(statistics, event, time, volume, &instance);
    for (size_t i = 0; i < statistics->set_count; i++)
        if (is_member(statistics, event, statistics->sets[i]))
            done &= enter(statistics, statistics->sets[i], time, volume, &instance);
    return done;
}

bool quipu__picl_count_exit(struct quipu__picl_statistics *statistics, int64_t event, int64_t time,
                            int64_t volume) {
    if (!leave(statistics, event, time, volume))
        return false;
    for (size_t i = 0; i < statistics->set_count; i++)
        if (is_member(statistics, event, statistics->sets[i]))
            leave(statistics, statistics->sets[i], time, volume);
    return true;
}

bool quipu__picl_count_mark(struct quipu__picl_statistics *statistics, int64_t event, int64_t volume) {
    bool done = mark(statistics, event, volume);
    for (size_t i = 0; i < statistics->set_count; i++)
        if (is_member(statistics, event, statistics->sets[i]))
            done &= mark(statistics, statistics->sets[i], volume);
    return done;
}

bool quipu__picl_figures_of(const struct quipu__picl_statistics *statistics, int64_t event, int64_t relative_to,
                            int64_t time, struct quipu__picl_figures *out) {
    const struct quipu__picl_occurrence *found = find(statistics, event);
    const uint32_t watched = watched_of(statistics, relative_to);
    const bool is_all = relative_to == QUIPU__PICL_ALL;
    if (!found || (!is_all && (watched == QUIPU_NONE || !found->inside)))
        return false;
    *out = is_all ? found->all : found->inside[watched];
    const bool is_running = is_all || (statistics->active >> watched & 1) != 0;
    if (out->depth > 0 && is_running && time > out->since)
        out->time = sum_since(out->time, out->since, time);
    return out->count > 0;
}
