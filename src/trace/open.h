/* open.h: what is open at a moment: what has begun at each location and not ended yet, by the rows of open.def.
 *
 * A follower takes events, which are in order at each location, and keeps what is open: the columns of the event that
 * began it, and when. Memory is needed for what is open at one moment; no event allocates once that has been reached.
 * Ends without a beginning are remembered, a few of each location: a beginning elsewhere may belong to them, since
 * requests and files are the process's and its threads come in substreams of their own, and since a location may have
 * events in several streams.
 *
 * So what several followers know of different substreams can be joined in any order: a strand is what is known of one
 * location in one stream, and settling, at the end, lets the strands of a process end what is open in each other.
 */
#ifndef QUIPU_TRACE_OPEN_H
#define QUIPU_TRACE_OPEN_H

#include "core/buffer.h"
#include "core/slice.h"
#include "trace/pending.h"

enum quipu__begun_class {
#define OPEN_CLASS(name, discipline, key, stand_in, doc) QUIPU__BEGUN_##name,
#define OPEN_BEGIN(class_of, kind)
#define OPEN_SHARE(class_of, kind)
#define OPEN_END(class_of, kind)
#include "trace/open.def"
    QUIPU__BEGUN_CLASSES
};

enum quipu__begun_discipline { QUIPU__BEGUN_STACK, QUIPU__BEGUN_KEYED, QUIPU__BEGUN_VALUE };

struct quipu__begun_row {
    const char *name;
    enum quipu__begun_discipline discipline;
    uint32_t key, stand_in; /* bit per column */
    const char *doc;
};
extern const struct quipu__begun_row quipu__begun_rows[QUIPU__BEGUN_CLASSES];

/* Something open. Columns that its kind does not have are unknown, the tag 0. */
struct quipu__begun {
    int64_t time;
#define QUIPU_COLUMN(name, c_type, doc) c_type name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    uint8_t kind; /* of the event that began it */
    uint8_t list;
    uint32_t strand;
    uint32_t older, newer; /* in its list */
    uint32_t next, prior;  /* in its bucket; next also of those that can be used again */
    uint32_t hash;
};

/* Things in the order in which they began: numbers in a follower's list of things. */
struct quipu__begun_list {
    uint32_t oldest, newest, count;
};

/* A list per class of what is open, then one per class of ends that had nothing to end. */
enum { QUIPU__BEGUN_LISTS = 2 * QUIPU__BEGUN_CLASSES };

struct quipu__strand {
    uint32_t location, stream;
    struct quipu__begun_list lists[QUIPU__BEGUN_LISTS];
};

struct quipu__follower {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    uint32_t classes; /* bit per class that is followed */
    bool has_messages;
    struct quipu__pending pending; /* messages, when it has them */
    int64_t last;                  /* time of the latest event; INT64_MIN when there was none */
    QUIPU__VEC(struct quipu__strand) strands;
    struct quipu__map strand_of; /* (location, stream) to its strand */
    QUIPU__VEC(uint32_t) latest; /* of the locations: strand of the last event, plus 1; 0: none */
    QUIPU__VEC(struct quipu__begun) things;
    uint32_t unused; /* the first thing that can be used again */
    uint32_t *buckets;
    size_t bucket_count, hashed;
    uint64_t seed;
};

#define QUIPU__BEGUN_BIT(class_of) (UINT32_C(1) << (class_of))
#define QUIPU__BEGUN_ALL (QUIPU__BEGUN_BIT(QUIPU__BEGUN_CLASSES) - 1)

void quipu__follower_init(struct quipu__follower *follower, struct quipu__memory *memory,
                          const struct quipu_definitions *definitions, uint32_t classes, bool has_messages);
void quipu__follower_release(struct quipu__follower *follower);

/* Takes an event of a batch in. stream keeps what several streams say of a location apart: the batch's, or one number for
 * all events when they come merged. False when memory is out. */
QUIPU_CHECKED bool quipu__follow(struct quipu__follower *follower, const struct quipu_batch *batch,
                                 uint32_t event, uint32_t stream);

/* Adds what other knows, of other substreams. False when memory is out. */
QUIPU_CHECKED bool quipu__follower_join(struct quipu__follower *follower, const struct quipu__follower *other);

/* When all has been joined: lets ends in one strand end what is open in another one of the same process, and keeps of
 * values that several strands of a location have only the latest; and matches what is left over of messages. False when memory is out. */
QUIPU_CHECKED bool quipu__follower_settle(struct quipu__follower *follower);

/* Appends all that is known. A newly initialised follower that follows the same, or less, goes on from there. The bytes are
 * not trusted: QUIPU_CORRUPT when they cannot be right for these definitions; then the follower is good for release only. */
#define QUIPU__OPEN_SECTION "open 2"
void quipu__follower_save(const struct quipu__follower *follower, struct quipu__buffer *out);
enum quipu_status quipu__follower_load(struct quipu__follower *follower, struct quipu__slice bytes,
                                       struct quipu_error *err);

/* ---- Asking ---- */

static inline struct quipu__begun *quipu__begun_at(const struct quipu__follower *follower, uint32_t number) {
    return number == QUIPU_NONE ? NULL : &follower->things.items[number];
}

/* How far out an end looks for its beginning on a stack. */
enum { QUIPU__LOOK_MOST = 1024 };

/* ---- For the files of the follower ---- */

/* Bit per column that events of a kind have. */
extern const uint32_t quipu__kind_columns[QUIPU_KIND_COUNT];

/* A thing with nothing known. */
extern const struct quipu__begun quipu__begun_unknown;

/* Whether events of a kind begin or end something of a class. */
bool quipu__kind_begins(enum quipu_kind kind, enum quipu__begun_class class_of);
bool quipu__kind_ends(enum quipu_kind kind, enum quipu__begun_class class_of);

/* The class of a list, and whether it is one of ends. */
static inline enum quipu__begun_class quipu__list_class(uint32_t list) {
    return (enum quipu__begun_class)(list % QUIPU__BEGUN_CLASSES);
}
static inline bool quipu__list_has_ends(uint32_t list) {
    return list >= QUIPU__BEGUN_CLASSES;
}

/* Number of the strand, which is added when it is new; QUIPU_NONE when memory is out. */
uint32_t quipu__strand_at(struct quipu__follower *follower, uint32_t location, uint32_t stream);

/* Adds a copy of a thing, with its strand and list, as the newest one there; the oldest goes when there are too many. */
QUIPU_CHECKED bool quipu__begun_add(struct quipu__follower *follower, const struct quipu__begun *thing);

/* The newest thing with the key of this one in a strand and list; QUIPU_NONE when there is none. In lists of a stack, the
 * newest that has its stand-in columns too. */
uint32_t quipu__begun_find(const struct quipu__follower *follower, const struct quipu__begun *like,
                           uint32_t strand, uint32_t list);

void quipu__begun_remove(struct quipu__follower *follower, uint32_t number);

/* Removes a thing and, in a stack, all that began after it there; but calls of regions that need not nest end alone. */
void quipu__begun_close(struct quipu__follower *follower, uint32_t number);

#endif
