/* tracker.h: what is active at a time: the intervals that have begun at each location and not ended yet.
 *
 * A tracker is fed transitions, which are in order at each location, by events (state/events.h) or by what a format says of its
 * records (convert/record_tracker.h). Of an interval it keeps when it began, its key, and as payload whatever bytes its feeder
 * gives: the columns of the event, the struct of the record. Memory is needed for what is active at one time; no transition
 * allocates once that has been reached.
 *
 * Ends without a beginning are reported and remembered, a few of each location: a beginning elsewhere may belong to them, since
 * requests and files are the process's and its threads come in substreams of their own, and since a location may have
 * events in several streams. So what several trackers know of different substreams can be joined in any order: a location
 * state is what is known of one location in one stream, and reconciling, at the end, lets the states of a process end what is
 * active in each other.
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
        uint64_t count; /* of class COUNT: how often; else 0 at first, and free to whoever feeds the tracker */
        struct {
            uint32_t successor, last; /* of a QUEUE: the next one with its key, and the last one */
        } queue;
    };
    uint32_t state;
    uint32_t older, newer;   /* in its list */
    uint32_t next, previous; /* in its bucket; next also of slots that can be used again */
    uint32_t hash;
    uint32_t payload_bytes;
    uint16_t kind; /* of the event or record that began it */
    uint8_t list, key_form;
    bool is_queued; /* behind others of its key */
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
    const struct quipu_definitions
        *definitions;          /* calls of regions that need not nest end alone; NULL: all nest */
    uint32_t interval_classes; /* bit per class that is tracked */
    uint32_t ends;             /* bit per class whose ends without a beginning are remembered */
    uint32_t queues;           /* bit per KEYED class that is a QUEUE here: its keys need not be unique */
    uint32_t payload_room;     /* bytes of most payloads; larger ones cost a block each */
    bool has_messages;         /* messages of events are matched */

    /* Is told of an end that is not that of the innermost interval of its stack, or has nothing to end: the innermost one there is,
     * or NULL. May be NULL. */
    void (*report)(void *context, const struct quipu__transition *end, const struct quipu__interval *innermost);

    /* Is told of an interval of a stack that a transition ends, just before it is gone. May be NULL. */
    void (*ended)(void *context, const struct quipu__interval *interval);

    /* Are told of each interval but calls that has begun, and of each that is about to end or to make room for another one. The
     * count of those that are not of class COUNT is theirs. May be NULL. */
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
    struct quipu__payload_block
        *blocks[QUIPU__BLOCK_SIZES]; /* those that can be used again, by the logarithm of their size */
};

void quipu__tracker_init(struct quipu__tracker *tracker, struct quipu__memory *memory,
                         const struct quipu__tracker_options *options);
void quipu__tracker_release(struct quipu__tracker *tracker);

/* ---- Feeding ---- */

/* What begins, besides its key. The payload is copied. */
struct quipu__beginning {
    int64_t time;
    uint16_t kind;
    const void *payload;
    size_t payload_bytes;
};

uint32_t quipu__tracker_locate_slow(struct quipu__tracker *tracker, uint32_t location, uint32_t stream);

/* Number of the state of a location, which is added when it is new; QUIPU_NONE when memory is out. stream keeps what several
 * streams say of a location apart. */
static inline uint32_t quipu__tracker_locate(struct quipu__tracker *tracker, uint32_t location,
                                             uint32_t stream) {
    if (location < tracker->latest.count && tracker->latest.items[location] > 0) {
        const uint32_t number = tracker->latest.items[location] - 1;
        if (tracker->states.items[number].stream == stream)
            return number;
    }
    return quipu__tracker_locate_slow(tracker, location, stream);
}

/* Takes in a transition of a class that is tracked, at a location state. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_add(struct quipu__tracker *tracker, uint32_t state,
                                      const struct quipu__transition *transition,
                                      const struct quipu__beginning *beginning);

/* Adds what other knows, of other substreams. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_join(struct quipu__tracker *tracker, const struct quipu__tracker *other);

/* Adds what other knows of one of its location states, as of that stream. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_join_state(struct quipu__tracker *tracker, const struct quipu__tracker *other,
                                             uint32_t other_state, uint32_t stream);

/* When all has been joined: lets ends in one state end what is active in another one of the same process, and keeps of
 * values that several states of a location have only the latest; and matches what is left over of messages. False when memory
 * is out. */
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

/* How far out an end looks for its beginning on a stack. */
enum { QUIPU__LOOK_OUT_MOST = 1024 };

/* Ends an interval and, in a stack, all that began after it there; but calls of regions that need not nest end alone. */
void quipu__tracker_end(struct quipu__tracker *tracker, uint32_t number);

/* Ends nothing but this interval. */
void quipu__tracker_remove(struct quipu__tracker *tracker, uint32_t number);

#endif
