/* tracker.h: what is open at a moment: what has begun at each location and not ended yet, by the rows of intervals.def.
 *
 * A tracker takes events, which are in order at each location, and keeps what is open: the columns of the event that
 * began it, and when. Memory is needed for what is open at one moment; no event allocates once that has been reached.
 * Ends without a beginning are remembered, a few of each location: a beginning elsewhere may belong to them, since
 * requests and files are the process's and its threads come in substreams of their own, and since a location may have
 * events in several streams.
 *
 * So what several trackers know of different substreams can be joined in any order: a state is what is known of one
 * location in one stream, and settling, at the end, lets the states of a process end what is open in each other.
 */
#ifndef QUIPU_STATE_TRACKER_H
#define QUIPU_STATE_TRACKER_H

#include "core/buffer.h"
#include "core/slice.h"
#include "state/matcher.h"

enum quipu__interval_class {
#define INTERVAL(name, discipline, key, stand_in, doc) QUIPU__INTERVAL_##name,
#define BEGINS(interval_class, kind)
#define SHARES(interval_class, kind)
#define ENDS(interval_class, kind)
#include "state/intervals.def"
    QUIPU__INTERVAL_CLASSES
};

enum quipu__discipline { QUIPU__DISCIPLINE_STACK, QUIPU__DISCIPLINE_KEYED, QUIPU__DISCIPLINE_VALUE };

struct quipu__interval_row {
    const char *name;
    enum quipu__discipline discipline;
    uint32_t key, stand_in; /* bit per column */
    const char *doc;
};
extern const struct quipu__interval_row quipu__interval_rows[QUIPU__INTERVAL_CLASSES];

/* Something open. Columns that its kind does not have are unknown, the tag 0. */
struct quipu__interval {
    int64_t time;
#define QUIPU_COLUMN(name, c_type, doc) c_type name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    uint8_t kind; /* of the event that began it */
    uint8_t list;
    uint32_t state;
    uint32_t older, newer; /* in its list */
    uint32_t next, prior;  /* in its bucket; next also of those that can be used again */
    uint32_t hash;
};

/* Things in the order in which they began: numbers in a tracker's list of intervals. */
struct quipu__interval_list {
    uint32_t oldest, newest, count;
};

/* A list per class of what is open, then one per class of ends that had nothing to end. */
enum { QUIPU__INTERVAL_LISTS = 2 * QUIPU__INTERVAL_CLASSES };

struct quipu__location_state {
    uint32_t location, stream;
    struct quipu__interval_list lists[QUIPU__INTERVAL_LISTS];
};

struct quipu__tracker {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    uint32_t classes; /* bit per class that is followed */
    bool has_messages;
    struct quipu__matcher matcher; /* messages, when it has them */
    int64_t last;                  /* time of the latest event; INT64_MIN when there was none */
    QUIPU__VEC(struct quipu__location_state) states;
    struct quipu__map state_of;  /* (location, stream) to its state */
    QUIPU__VEC(uint32_t) latest; /* of the locations: state of the last event, plus 1; 0: none */
    QUIPU__VEC(struct quipu__interval) intervals;
    uint32_t unused; /* the first interval that can be used again */
    uint32_t *buckets;
    size_t bucket_count, hashed;
    uint64_t seed;
};

#define QUIPU__INTERVAL_BIT(interval_class) (UINT32_C(1) << (interval_class))
#define QUIPU__INTERVAL_ALL (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_CLASSES) - 1)

void quipu__tracker_init(struct quipu__tracker *tracker, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions, uint32_t classes, bool has_messages);
void quipu__tracker_release(struct quipu__tracker *tracker);

/* Takes an event of a batch in. stream keeps what several streams say of a location apart: the batch's, or one number for
 * all events when they come merged. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_add_event(struct quipu__tracker *tracker, const struct quipu_batch *batch,
                                            uint32_t event, uint32_t stream);

/* Adds what other knows, of other substreams. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_join(struct quipu__tracker *tracker, const struct quipu__tracker *other);

/* When all has been joined: lets ends in one state end what is open in another one of the same process, and keeps of
 * values that several states of a location have only the latest; and matches what is left over of messages. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_reconcile(struct quipu__tracker *tracker);

/* Appends all that is known. A newly initialised tracker that follows the same, or less, goes on from there. The bytes are
 * not trusted: QUIPU_CORRUPT when they cannot be right for these definitions; then the tracker is good for release only. */
#define QUIPU__TRACKER_SECTION "open 2"
void quipu__tracker_save(const struct quipu__tracker *tracker, struct quipu__buffer *out);
enum quipu_status quipu__tracker_load(struct quipu__tracker *tracker, struct quipu__slice bytes,
                                      struct quipu_error *err);

/* ---- Asking ---- */

static inline struct quipu__interval *quipu__tracker_interval(const struct quipu__tracker *tracker,
                                                              uint32_t number) {
    return number == QUIPU_NONE ? NULL : &tracker->intervals.items[number];
}

/* How far out an end looks for its beginning on a stack. */
enum { QUIPU__LOOK_OUT_MOST = 1024 };

/* ---- For the files of the tracker ---- */

/* Bit per column that events of a kind have. */
extern const uint32_t quipu__kind_columns[QUIPU_KIND_COUNT];

/* A interval with nothing known. */
extern const struct quipu__interval quipu__unknown_interval;

/* Whether events of a kind begin or end something of a class. */
bool quipu__kind_begins(enum quipu_kind kind, enum quipu__interval_class interval_class);
bool quipu__kind_ends(enum quipu_kind kind, enum quipu__interval_class interval_class);

/* The class of a list, and whether it is one of ends. */
static inline enum quipu__interval_class quipu__list_class(uint32_t list) {
    return (enum quipu__interval_class)(list % QUIPU__INTERVAL_CLASSES);
}
static inline bool quipu__list_has_ends(uint32_t list) {
    return list >= QUIPU__INTERVAL_CLASSES;
}

/* Number of the state, which is added when it is new; QUIPU_NONE when memory is out. */
uint32_t quipu__tracker_locate(struct quipu__tracker *tracker, uint32_t location, uint32_t stream);

/* Adds a copy of a interval, with its state and list, as the newest one there; the oldest goes when there are too many. */
QUIPU_CHECKED bool quipu__tracker_add(struct quipu__tracker *tracker, const struct quipu__interval *interval);

/* The newest interval with the key of this one in a state and list; QUIPU_NONE when there is none. In lists of a stack, the
 * newest that has its stand-in columns too. */
uint32_t quipu__tracker_find(const struct quipu__tracker *tracker, const struct quipu__interval *like,
                             uint32_t state, uint32_t list);

void quipu__tracker_remove(struct quipu__tracker *tracker, uint32_t number);

/* Removes a interval and, in a stack, all that began after it there; but calls of regions that need not nest end alone. */
void quipu__tracker_end(struct quipu__tracker *tracker, uint32_t number);

#endif
