/* amortisation.c: see amortisation.h.
 *
 * What the jumps add at a time grows with each ns by the sum of their sizes divided by the window. It is carried forward from one
 * beginning or end of a window to the next, so each jump costs two steps, however many windows overlap. */
#include "model/amortisation.h"

#include "core/bisect.h"
#include "core/bounded.h"
#include "core/scale.h"

#include <stdlib.h>

enum { SENDS_LEAST = 32 };

void quipu__amortisation_release(struct quipu__amortisation *amortisation) {
    for (size_t i = 0; i < amortisation->locations.count; i++) {
        QUIPU__VEC_RELEASE(amortisation->memory, &amortisation->locations.items[i].jumps);
        QUIPU__VEC_RELEASE(amortisation->memory, &amortisation->locations.items[i].sends);
    }
    QUIPU__VEC_RELEASE(amortisation->memory, &amortisation->locations);
}

static struct quipu__amortised_location *location_at(struct quipu__amortisation *amortisation,
                                                     uint32_t location) {
    const size_t known = amortisation->locations.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(amortisation->memory, &amortisation->locations, location + 1 - known))
            return NULL;
        amortisation->locations.count = (size_t)location + 1;
    }
    return &amortisation->locations.items[location];
}

/* ---- Gathering ---- */

void quipu__amortisation_add_jump(struct quipu__amortisation *amortisation, uint32_t location, int64_t from,
                                  int64_t by) {
    struct quipu__amortised_location *known = location_at(amortisation, location);
    if (known)
        quipu__gate_knows(QUIPU__VEC_PUT(amortisation->memory, &known->jumps, (struct quipu__jump){from, by}));
}

/* Where the window before a jump begins. */
static int64_t begin_of(const struct quipu__jump *jump, int64_t window) {
    return quipu__bounded_difference(jump->from, window);
}

/* How many jumps have windows that begin at a time or before it. */
static size_t count_entered(const struct quipu__amortisation *amortisation,
                            const struct quipu__amortised_location *location, int64_t time) {
    size_t first = 0;
    QUIPU__BISECT(first, location->jumps.count, i,
                  begin_of(&location->jumps.items[i], amortisation->window) <= time);
    return first;
}

/* Whether a send may pass its limit, or may still get one that it passes. now: where the location is; later jumps are not before. */
static bool may_pass(const struct quipu__amortisation *amortisation,
                     const struct quipu__amortised_location *location, const struct quipu__send_limit *send,
                     int64_t now) {
    if (quipu__bounded_difference(now, amortisation->window) <= send->time)
        return true;
    const size_t entered = count_entered(amortisation, location, send->time);
    if (entered == 0)
        return false;
    const struct quipu__jump *last = &location->jumps.items[entered - 1];
    return last->from >= send->time &&
           (send->limit == INT64_MAX || send->limit < quipu__bounded_sum(last->from, last->by));
}

static void drop_sends(const struct quipu__amortisation *amortisation,
                       struct quipu__amortised_location *location, int64_t now) {
    size_t retained = 0;
    for (size_t i = 0; i < location->sends.count; i++)
        if (may_pass(amortisation, location, &location->sends.items[i], now))
            location->sends.items[retained++] = location->sends.items[i];
    location->sends.count = location->retained = retained;
}

void quipu__amortisation_add_send(struct quipu__amortisation *amortisation, uint32_t location, uint64_t event,
                                  int64_t time) {
    struct quipu__amortised_location *known = location_at(amortisation, location);
    if (!known)
        return;
    if (known->sends.count >= 2 * known->retained + SENDS_LEAST)
        drop_sends(amortisation, known, time);
    quipu__gate_knows(QUIPU__VEC_PUT(amortisation->memory, &known->sends,
                                     (struct quipu__send_limit){event, time, INT64_MAX}));
}

static int compare_sends(const void *a, const void *b) {
    const struct quipu__send_limit *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

void quipu__amortisation_limit(struct quipu__amortisation *amortisation, uint32_t location, uint64_t event,
                               int64_t limit) {
    const struct quipu__send_limit key = {.event = event};
    if (location >= amortisation->locations.count || amortisation->locations.items[location].sends.count == 0)
        return;
    const struct quipu__amortised_location *known = &amortisation->locations.items[location];
    struct quipu__send_limit *send =
        bsearch(&key, known->sends.items, known->sends.count, sizeof key, compare_sends);
    if (send && limit < send->limit)
        send->limit = limit;
}

/* A send's limit also holds for all sends before it. */
void quipu__amortisation_finish(struct quipu__amortisation *amortisation) {
    for (size_t i = 0; i < amortisation->locations.count; i++) {
        struct quipu__amortised_location *location = &amortisation->locations.items[i];
        int64_t limit = INT64_MAX;
        drop_sends(amortisation, location, INT64_MAX);
        for (size_t k = location->sends.count; k-- > 0;) {
            struct quipu__send_limit *send = &location->sends.items[k];
            limit = send->limit < limit ? send->limit : limit;
            send->limit = limit;
        }
    }
}

/* ---- Times ---- */

/* Advances the figures to a later time; no window begins or ends before it. */
static void advance(struct quipu__amortised_cursor *cursor, uint64_t window, int64_t to) {
    uint64_t rest = 0;
    if (cursor->slope > 0) {
        cursor->whole += quipu__scale_down(cursor->slope, (uint64_t)to - (uint64_t)cursor->time, window, &rest);
        cursor->rest += rest;
        cursor->whole += cursor->rest >= window;
        cursor->rest -= cursor->rest >= window ? window : 0;
    }
    cursor->time = to;
}

/* Advances to the next beginning or end of a window; false when there is none up to a time. */
static bool pass_window(struct quipu__amortised_cursor *cursor, const struct quipu__amortised_location *known,
                        int64_t window, int64_t time) {
    const bool is_any =
        cursor->left < known->jumps.count; /* windows that have not been entered are not left either */
    const struct quipu__jump *entered = &known->jumps.items[cursor->entered],
                             *left = &known->jumps.items[cursor->left];
    const int64_t begin = cursor->entered < known->jumps.count ? begin_of(entered, window) : INT64_MAX;
    const int64_t end = cursor->left < cursor->entered ? left->from : INT64_MAX;
    if (!is_any || (begin > time && end > time))
        return false;
    advance(cursor, (uint64_t)window, begin < end ? begin : end);
    if (cursor->left == cursor->entered || begin < end) {
        cursor->slope += (uint64_t)entered->by;
        cursor->entered++;
    } else {
        cursor->slope -= (uint64_t)left->by;
        cursor->whole -= (uint64_t)left->by;
        cursor->left++;
    }
    return true;
}

static int64_t limit_of(const struct quipu__amortised_location *known, struct quipu__amortised_cursor *cursor) {
    while (cursor->send < known->sends.count && known->sends.items[cursor->send].event < cursor->event)
        cursor->send++;
    return cursor->send < known->sends.count ? known->sends.items[cursor->send].limit : INT64_MAX;
}

int64_t quipu__amortised_next(const struct quipu__amortisation *amortisation, uint32_t location,
                              struct quipu__amortised_cursor *cursor, int64_t time) {
    const int64_t window = amortisation->window;
    if (location >= amortisation->locations.count || amortisation->locations.items[location].jumps.count == 0)
        return time;
    const struct quipu__amortised_location *known = &amortisation->locations.items[location];
    while (pass_window(cursor, known, window, time))
        ;
    advance(cursor, (uint64_t)window, time);
    const int64_t added = (int64_t)(cursor->whole + (cursor->rest >= (uint64_t)window - cursor->rest));
    const int64_t limit = limit_of(known, cursor);
    int64_t to = quipu__bounded_sum(time, added);
    to = cursor->event > 0 && to < cursor->latest ? cursor->latest : to;
    cursor->latest = to > limit ? limit : to;
    cursor->event++;
    return cursor->latest;
}
