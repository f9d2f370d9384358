/* tracker.h: what is active at a time: the intervals that have begun at each location and not ended yet.
 *
 * A tracker gets transitions, in order at each location, from events (state/events.h) or from what a format says about its
 * records (convert/record_tracker.h). For an interval it stores when it began, its key, and as payload whatever bytes it is
 * given: the columns of the event, the struct of the record. Memory is needed for what is active at the same time; no transition
 * allocates once that has been reached.
 *
 * Ends without a beginning are reported and remembered, a few per location: their beginning may be elsewhere, since requests and
 * files belong to the process while its threads have separate substreams, and since a location may have events in several
 * streams. So what several trackers know of different substreams can be joined in any order: a location state is what is known
 * of one location in one stream, and reconciling, at the end, lets the states of a process end what is active in each other.
 */
#ifndef QUIPU_STATE_TRACKER_H
#define QUIPU_STATE_TRACKER_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "state/intervals.h"
#include "state/matcher.h"

#include <quipu/model.h>

/* An active interval, or an end that is remembered. Numbers of intervals are valid until they end, pointers until the next
 * transition. */
struct quipu__interval {
    int64_t time; /* when it began */
    uint64_t key[QUIPU__KEY_WORDS];
    union {
        uint64_t count; /* of class COUNT: how often; else 0 at first, for free use by the tracker's user */
        struct {
            uint32_t successor, last; /* of a QUEUE: the next one with its key, and the last one */
        } queue;
    };
    uint32_t state;
    uint32_t older, newer;   /* in its list */
    uint32_t next, previous; /* in its bucket; next also links slots for reuse */
    uint32_t hash;
    uint32_t payload_bytes;
    uint16_t kind; /* of the event or record that began it */
    uint8_t list, key_form;
    bool is_queued; /* after others of its key */
};

/* Intervals in the order in which they began: numbers. */
struct quipu__interval_list {
    uint32_t oldest, newest, count;
};

/* A list per class of active intervals, then one per class of ends that had nothing to end. */
enum { QUIPU__INTERVAL_LISTS = 2 * QUIPU__INTERVAL_CLASSES };

struct quipu__location_state {
    uint32_t location, stream;
    struct quipu__interval_list lists[QUIPU__INTERVAL_LISTS];
};

/* A block for payloads that do not fit into a slot. */
struct quipu__payload_block;
enum { QUIPU__BLOCK_SIZES = 32 };

struct quipu__tracker_options {
    const struct quipu_definitions *definitions; /* to know regions whose calls need not nest; NULL: all nest */
    uint32_t interval_classes;                   /* bit per class that is tracked */
    uint32_t ends;         /* bit per class whose ends without a beginning are remembered */
    uint32_t queues;       /* bit per KEYED class that is a QUEUE here: its keys need not be unique */
    uint32_t payload_room; /* bytes for payloads; larger ones need a block each */
    bool has_messages;     /* messages of events are matched */

    /* Called for an end that is not that of the innermost interval of its stack, or has nothing to end, with the innermost
     * interval or NULL. May be NULL. */
    void (*report)(void *context, const struct quipu__transition *end, const struct quipu__interval *innermost);

    /* Called for an interval of a stack that a transition ends, just before it is removed. May be NULL. */
    void (*ended)(void *context, const struct quipu__interval *interval);

    /* Called for each interval, except calls, that has begun, and for each that is about to end or be replaced. They may use the
     * count of intervals that are not of class COUNT. May be NULL. */
    void (*began)(void *context, struct quipu__interval *interval);
    void (*removed)(void *context, const struct quipu__interval *interval);
    void *context;
};

struct quipu__tracker {
    struct quipu__memory *memory;
    struct quipu__tracker_options options;
    struct quipu__matcher matcher; /* messages, when it has them */
    int64_t last;                  /* time of the latest event; INT64_MIN when there was none */
    QUIPU__VEC(struct quipu__location_state) states;
    struct quipu__map state_of;  /* (location, stream) to its state */
    QUIPU__VEC(uint32_t) latest; /* of the locations: state of the last event, plus 1; 0: none */
    uint8_t *slots;              /* intervals with their payloads */
    size_t slot_bytes, slot_count, slot_capacity;
    uint32_t unused; /* the first slot that can be used again */
    uint32_t *buckets;
    size_t bucket_count, hashed;
    uint64_t seed;
    struct quipu__payload_block *blocks[QUIPU__BLOCK_SIZES]; /* for reuse, by the logarithm of their size */
};

void quipu__tracker_init(struct quipu__tracker *tracker, struct quipu__memory *memory,
                         const struct quipu__tracker_options *options);
void quipu__tracker_release(struct quipu__tracker *tracker);

/* ---- Feeding ---- */

/* A beginning, besides its key. The payload is copied. */
struct quipu__beginning {
    int64_t time;
    uint16_t kind;
    const void *payload;
    size_t payload_bytes;
};

uint32_t quipu__tracker_locate_slow(struct quipu__tracker *tracker, uint32_t location, uint32_t stream);

/* Number of the state of a location, which is added when it is new; QUIPU_NONE when memory is out. stream separates what several
 * streams say about a location. */
static inline uint32_t quipu__tracker_locate(struct quipu__tracker *tracker, uint32_t location,
                                             uint32_t stream) {
    if (location < tracker->latest.count && tracker->latest.items[location] > 0) {
        const uint32_t number = tracker->latest.items[location] - 1;
        if (tracker->states.items[number].stream == stream)
            return number;
    }
    return quipu__tracker_locate_slow(tracker, location, stream);
}

/* Adds a transition of a tracked class at a location state. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_add(struct quipu__tracker *tracker, uint32_t state,
                                      const struct quipu__transition *transition,
                                      const struct quipu__beginning *beginning);

/* Adds what other knows, of other substreams. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_join(struct quipu__tracker *tracker, const struct quipu__tracker *other);

/* Adds what other knows of one of its location states, as of that stream. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_join_state(struct quipu__tracker *tracker, const struct quipu__tracker *other,
                                             uint32_t other_state, uint32_t stream);

/* Call this when all has been joined: lets ends in one state end what is active in another one of the same process, keeps only
 * the latest of values that several states of a location have, and matches left-over messages. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_reconcile(struct quipu__tracker *tracker);

/* ---- Asking ---- */

static inline struct quipu__interval *quipu__interval_at(const struct quipu__tracker *tracker,
                                                         uint32_t number) {
    return (struct quipu__interval *)(void *)(tracker->slots + number * tracker->slot_bytes);
}

static inline bool quipu__tracks(const struct quipu__tracker *tracker,
                                 enum quipu__interval_class interval_class) {
    return (tracker->options.interval_classes >> interval_class & 1) != 0;
}

/* The state of the latest event of a location; QUIPU_NONE when there was none. */
static inline uint32_t quipu__tracker_latest(const struct quipu__tracker *tracker, uint32_t location) {
    return location < tracker->latest.count ? tracker->latest.items[location] - 1 : QUIPU_NONE;
}

/* The active intervals of a class at a location state. */
static inline struct quipu__interval_list quipu__active_at(const struct quipu__tracker *tracker, uint32_t state,
                                                           enum quipu__interval_class interval_class) {
    return tracker->states.items[state].lists[interval_class];
}

/* The payload, of interval->payload_bytes bytes; aligned to 8. */
const void *quipu__interval_payload(const struct quipu__tracker *tracker,
                                    const struct quipu__interval *interval);

/* The interval that a transition would end at a location state, and for a beginning the newest one with its key; QUIPU_NONE when
 * there is none. */
uint32_t quipu__tracker_find(const struct quipu__tracker *tracker, uint32_t state,
                             const struct quipu__transition *transition);

/* How many intervals of a stack an end searches for its beginning. */
enum { QUIPU__LOOK_OUT_MOST = 1024 };

/* Ends an interval and, in a stack, all that began after it there; calls of regions that need not nest end alone. */
void quipu__tracker_end(struct quipu__tracker *tracker, uint32_t number);

/* Ends only this interval. */
void quipu__tracker_remove(struct quipu__tracker *tracker, uint32_t number);

#endif
