/* slots.h: where a tracker stores its intervals, for the files of the tracker. */
#ifndef QUIPU_STATE_SLOTS_H
#define QUIPU_STATE_SLOTS_H

#include "core/os.h"
#include "state/tracker.h"

/* The class of a list, and whether it is a list of ends. */
static inline enum quipu__interval_class quipu__list_class(uint32_t list) {
    return (enum quipu__interval_class)(list % QUIPU__INTERVAL_CLASSES);
}
static inline bool quipu__list_has_ends(uint32_t list) {
    return list >= QUIPU__INTERVAL_CLASSES;
}
static inline enum quipu__discipline quipu__list_discipline(const struct quipu__tracker *tracker,
                                                            uint32_t list) {
    const enum quipu__interval_class interval_class = quipu__list_class(list);
    return (tracker->options.queues >> interval_class & 1) != 0
               ? QUIPU__DISCIPLINE_QUEUE
               : quipu__interval_rows[interval_class].discipline;
}

/* The key by which an interval is found. */
struct quipu__interval_key {
    uint32_t state, list;
    const uint64_t *words;
    uint8_t form;
};

static inline struct quipu__interval_key quipu__key_of(const struct quipu__interval *interval) {
    return (struct quipu__interval_key){interval->state, interval->list, interval->key, interval->key_form};
}

/* A slot for a new interval, which has no list yet; QUIPU_NONE when memory is out. */
uint32_t quipu__slot_add(struct quipu__tracker *tracker);

static inline uint32_t quipu__slot_take(struct quipu__tracker *tracker) {
    const uint32_t number = tracker->unused;
    if (QUIPU__UNLIKELY(number == QUIPU_NONE))
        return quipu__slot_add(tracker);
    tracker->unused = quipu__interval_at(tracker, number)->next;
    return number;
}

static inline struct quipu__interval_list *quipu__list_of(const struct quipu__tracker *tracker,
                                                          const struct quipu__interval *interval) {
    return &tracker->states.items[interval->state].lists[interval->list];
}

/* Makes an interval, whose state and list are set, the newest of its list. */
static inline void quipu__slot_link(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    struct quipu__interval_list *list = quipu__list_of(tracker, interval);
    interval->older = list->newest;
    interval->newer = QUIPU_NONE;
    if (list->newest == QUIPU_NONE)
        list->oldest = number;
    else
        quipu__interval_at(tracker, list->newest)->newer = number;
    list->newest = number;
    list->count++;
}

/* Removes an interval from its list, and frees its slot. */
static inline void quipu__slot_unlink(struct quipu__tracker *tracker, uint32_t number) {
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    struct quipu__interval_list *list = quipu__list_of(tracker, interval);
    if (interval->older == QUIPU_NONE)
        list->oldest = interval->newer;
    else
        quipu__interval_at(tracker, interval->older)->newer = interval->newer;
    if (interval->newer == QUIPU_NONE)
        list->newest = interval->older;
    else
        quipu__interval_at(tracker, interval->newer)->older = interval->older;
    list->count--;
    interval->next = tracker->unused;
    tracker->unused = number;
}

/* Adds an interval with a copy of a payload as the newest of its list; the oldest is dropped when there are too
 * many. */
QUIPU_CHECKED bool quipu__slot_put(struct quipu__tracker *tracker, const struct quipu__interval *interval,
                                   const void *payload, size_t payload_bytes);

#endif
