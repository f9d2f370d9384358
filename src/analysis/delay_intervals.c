/* delay_intervals.c: when two locations have met last. */
#include "analysis/delays.h"

#include "core/sort.h"

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

int quipu__delay_waits_compare(const struct quipu__wait *a, const struct quipu__wait *b) {
    if (a->to != b->to)
        return COMPARE(a->to, b->to);
    if (a->from != b->from)
        return COMPARE(a->from, b->from);
    return COMPARE(a->location, b->location);
}

/* ---- Sorting ---- */

static int compare_waits(const void *a, const void *b) {
    const struct quipu__wait *x = &((const struct quipu__delay_wait *)a)->wait;
    const struct quipu__wait *y = &((const struct quipu__delay_wait *)b)->wait;
    return x->location != y->location ? COMPARE(x->location, y->location) : quipu__delay_waits_compare(x, y);
}

static int compare_meetings(const void *a, const void *b) {
    const struct quipu__delay_meeting *x = a, *y = b;
    if (x->a != y->a)
        return COMPARE(x->a, y->a);
    if (x->b != y->b)
        return COMPARE(x->b, y->b);
    return x->a_exit != y->a_exit ? COMPARE(x->a_exit, y->a_exit) : COMPARE(x->b_exit, y->b_exit);
}

static int compare_exits(const void *a, const void *b) {
    const struct quipu__delay_exit *x = a, *y = b;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->exit, y->exit);
}

static int compare_instances(const void *a, const void *b) {
    const struct quipu__delay_exit *x = a, *y = b;
    return x->instance != y->instance ? COMPARE(x->instance, y->instance) : COMPARE(x->location, y->location);
}

#define SORT(list, compare)                                                                                    \
    quipu__sort(delays->memory, (list).items, (list).count, sizeof *(list).items, compare)

bool quipu__delays_sort(struct quipu__delays *delays) {
    return SORT(delays->waits, compare_waits) && SORT(delays->meetings, compare_meetings) &&
           SORT(delays->exits, compare_exits) && SORT(delays->exits_of_instance, compare_instances);
}

/* ---- Asking ---- */

/* How many of a sorted list come before a key, or are equal to it. */
static size_t count_up_to(const void *list, size_t count, size_t size, const void *key,
                          int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare((const char *)list + middle * size, key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Both times of a meeting. */
struct meeting_times {
    int64_t a, b;
    bool is_known;
};

static void consider(struct meeting_times *best, int64_t a, int64_t b) {
    if (!best->is_known || a > best->a || (a == best->a && b > best->b))
        *best = (struct meeting_times){a, b, true};
}

static void look_at_messages(const struct quipu__delays *delays, const struct quipu__delay_meeting *until,
                             struct meeting_times *best) {
    const struct quipu__delay_meeting *list = delays->meetings.items;
    for (size_t i = count_up_to(list, delays->meetings.count, sizeof *list, until, compare_meetings);
         i-- > 0;) {
        if (list[i].a != until->a || list[i].b != until->b)
            return;
        if (list[i].b_exit > until->b_exit)
            continue;
        consider(best, list[i].a_exit, list[i].b_exit);
        return;
    }
}

/* When a location left an instance; INT64_MAX when it took no part. */
static int64_t exit_of(const struct quipu__delays *delays, uint32_t instance, uint32_t location) {
    const struct quipu__delay_exit *list = delays->exits_of_instance.items, key = {location, instance, 0};
    const size_t count =
        count_up_to(list, delays->exits_of_instance.count, sizeof *list, &key, compare_instances);
    return count > 0 && list[count - 1].instance == instance && list[count - 1].location == location
               ? list[count - 1].exit
               : INT64_MAX;
}

static void look_at_collectives(const struct quipu__delays *delays, const struct quipu__delay_meeting *until,
                                struct meeting_times *best) {
    const struct quipu__delay_exit *list = delays->exits.items, key = {until->a, 0, until->a_exit};
    for (size_t i = count_up_to(list, delays->exits.count, sizeof *list, &key, compare_exits); i-- > 0;) {
        if (list[i].location != until->a || (best->is_known && list[i].exit < best->a))
            return;
        const int64_t other = exit_of(delays, list[i].instance, until->b);
        if (other <= until->b_exit)
            consider(best, list[i].exit, other);
    }
}

void quipu__delays_last_meeting(const struct quipu__delays *delays, uint32_t a, uint32_t b, int64_t *a_time,
                                int64_t *b_time) {
    const struct quipu__communication *communication = &delays->states->communication;
    const struct quipu__delay_meeting until = {a, b, *a_time, *b_time};
    struct meeting_times best = {0, 0, false};
    look_at_messages(delays, &until, &best);
    look_at_collectives(delays, &until, &best);
    *a_time = best.is_known ? best.a : communication->stacks.items[a].first;
    *b_time = best.is_known ? best.b : communication->stacks.items[b].first;
}

size_t quipu__delays_first_wait(const struct quipu__delays *delays, uint32_t location, int64_t after) {
    const struct quipu__delay_wait key = {.wait = {.location = location, .to = after, .from = INT64_MAX}};
    return count_up_to(delays->waits.items, delays->waits.count, sizeof key, &key, compare_waits);
}
