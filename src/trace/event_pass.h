/* event_pass.h: a pass over the events of a trace: batches stream after stream, merged by time, or shared by threads. */
#ifndef QUIPU_TRACE_EVENT_PASS_H
#define QUIPU_TRACE_EVENT_PASS_H

#include <stdatomic.h>
#include "core/memory/sequences.h"
#include "core/memory/vec.h"
#include "trace/source.h"
#include "core/memory/tournament.h"
#include "trace/worker_pool.h"
#include "state/unneeded_calls.h"

/* ---- Merging ---- */

/* Many sources as one sequence in the order (time, location, source, position).
 *
 * What is read ahead of a few dozen sources of one location each is sorted as sequences; the columns of a source are then put where its events go.
 * Else a tournament of the next times says which event comes next: with many sources, of which few events of each come before the end of the
 * first, and with several locations in a source or times that go back. There the order of a few thousand events is determined first, then every column is
 * filled in that order: two tight loops instead of one that does a bit of everything. If a whole batch of one source precedes all others it
 * is passed on as it is, so a trace of one source is not copied at all. If the times of a source go back, its events still come in their
 * own order, none before what was already delivered.
 */

enum { QUIPU__MERGED = QUIPU__SEQUENCES_ITEMS }; /* events of a merged batch */

/* Where a merged event comes from. */
struct quipu__origin {
    uint32_t source, event;
};

/* The position of a merge in the batch of a source. The key after the next event has already been read: with thousands of sources, whose
 * batches are in no cache, the tournament would have to wait for it. */
struct quipu__merge_cursor {
    const int64_t *times;
    const uint32_t *locations;
    int64_t time;      /* of the event after the next one, if any */
    uint32_t location; /* the same */
    uint32_t next, count;
    bool has_attributes; /* some event of the batch has */
};

struct quipu__merge {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources;
    uint32_t source_count;
    struct quipu_batch *batches; /* of the sources, side by side: used by the tight loops */
    struct quipu__merge_cursor *cursors;
    struct quipu__tournament tournament;
    struct quipu__batch *merged;
    struct quipu__origin order[QUIPU__MERGED]; /* of the events of merged */
    uint32_t rich[QUIPU__MERGED];              /* indexes of events that use more columns than object */
    quipu_kinds rich_kinds;
    struct quipu__sequences sequences;
    bool is_mixed; /* a source has events of several locations: they are not merged as sequences */
    bool started;
    bool is_borrowed; /* the batch of the first source has been passed on */
};

/* Fills *out with the next events; QUIPU_END after the last. Starts the sources at the first call. */
enum quipu_status quipu__merge_next(struct quipu__merge *merge, struct quipu__batch **out,
                                    struct quipu_error *err);

/* Frees what the merge itself holds and the batches of the sources. */
void quipu__merge_release(struct quipu__merge *merge);

/* ---- Windows of time ---- */

/* Time windows one after the other, and in each of them source after source: the order of analyses that match what happens at different
 * locations but handle one location at a time.
 *
 * A merge switches sources at nearly every event; with thousands of sources it waits for memory all the time, and so does the consumer.
 * Here a source gives batches until it is past the end of the window, each as soon as it is decoded, while it and all state of its location
 * are in the cache. So sources may be a batch ahead, none is behind, and nothing is copied.
 *
 * The sources of a window are read in ranges of several sources each. Ranges of one window are independent, so several threads may read
 * them; the events of a range, and the order of ranges, do not depend on the thread. The length of a window aims at a number of events,
 * judging by the window before it. A range that would have too many events ends earlier: the rest comes in the next window.
 */

/* Some sources of a window, for one thread. */
struct quipu__window_range {
    uint32_t first, end; /* its sources */
    uint32_t source;     /* the one being read */
    uint64_t events;     /* given so far, and the room of their batches */
    uint64_t room;
    int64_t begin, last; /* of the window: its first and last time */
    uint32_t ended;      /* how many of its sources have ended */
    bool is_cut;         /* it has left events of its window */
};

struct quipu__windows {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources;
    uint32_t source_count;
    bool is_shared; /* ranges are read by several threads: definitions are locked */
    const struct quipu__unneeded_calls *unneeded; /* left out of batches; NULL: nothing */
    int64_t *reached; /* of each source: the time of its latest event; INT64_MIN before the first */
    struct quipu__counts *counted;       /* of each source: what has not been added to the total counts */
    QUIPU__VEC(_Atomic uint32_t) owners; /* by location: the source with its events, plus 1 */
    struct quipu__share share;
    uint32_t source, left; /* first source of the next range, and number of sources that have not ended */
    uint32_t taken;        /* ranges that have not been given back */
    uint32_t sources_of_range;
    int64_t begin, last;          /* of the window: its first and last time */
    uint64_t length;              /* of the window */
    uint64_t events, most_events; /* in the window, and the target for that */
    bool is_cut;                  /* a range of the window had too many */
    bool started;

    /* of a single reading thread */
    struct quipu__batch *batch;
    struct quipu__window_range range;
    bool has_range;
};

/* The next events, which all come from one source; QUIPU_END after the last, QUIPU_UNSUPPORTED when the events of a location lie in
 * several sources. */
enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err);

/* ---- For several threads ---- */

/* Prepares the windows. */
enum quipu_status quipu__windows_start(struct quipu__windows *windows, bool is_shared, struct quipu_error *err);

/* The most bytes that the batches of a range take. */
size_t quipu__windows_range_bytes(const struct quipu__windows *windows);

/* Whether ranges may be read at the same time; sources that share a pass are read one at a time. */
bool quipu__windows_lie_apart(const struct quipu__windows *windows);

/* Takes the next range. False when there is none, or none until all taken ranges have been given back. Only one thread at a time may take
 * or give back. */
bool quipu__windows_take(struct quipu__windows *windows, struct quipu__window_range *range);

static inline bool quipu__windows_have_ended(const struct quipu__windows *windows) {
    return windows->left == 0;
}

/* The next events of a range; QUIPU_END after the last. */
enum quipu_status quipu__windows_read(struct quipu__windows *windows, struct quipu__window_range *range,
                                      struct quipu__batch *batch, struct quipu_error *err);

/* Gives back a range that has ended, and adds what it has read to the counts. */
void quipu__windows_give_back(struct quipu__windows *windows, const struct quipu__window_range *range);

/* Frees what the windows themselves hold. */
void quipu__windows_release(struct quipu__windows *windows);

struct quipu__event_pass {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources; /* of all streams, in their order */
    uint32_t source_count, source_room;
    uint32_t source; /* in stream order: the one that is read */
    struct quipu__batch *batch;
    enum quipu_order order;
    struct quipu__merge merge;
    struct quipu__windows windows;
};

/* Starts; nothing is opened yet. Release in any case. filter and counts are borrowed. */
enum quipu_status quipu__event_pass_start(struct quipu__event_pass *pass, struct quipu__trace *trace,
                                          const struct quipu__filter *filter, enum quipu_order order,
                                          struct quipu__counts *counts, struct quipu_error *err);

/* Leaves out the streams before first and from end on. Call this before the first batch. */
void quipu__event_pass_limit(struct quipu__event_pass *pass, uint32_t first, uint32_t end);

/* The next batch, borrowed until the following call; QUIPU_END after the last. */
enum quipu_status quipu__event_pass_next(struct quipu__event_pass *pass, const struct quipu_batch **out,
                                         struct quipu_error *err);

/* Whether batches of the pass may be taken over in exchange for others. */
static inline bool quipu__event_pass_exchanges(const struct quipu__event_pass *pass) {
    return pass->order == QUIPU_ORDER_STREAM;
}

/* Exchanges the batch that was given last for one of the same memory whose contents do not matter. */
static inline void quipu__event_pass_exchange(struct quipu__event_pass *pass, struct quipu__batch *batch) {
    const struct quipu__batch given = *pass->batch;
    *pass->batch = *batch;
    *batch = given;
}

/* Runs the whole pass with several threads. QUIPU_OK at the end, QUIPU_STOPPED when progress stops it. */
enum quipu_status quipu__event_pass_share(struct quipu__event_pass *pass, const struct quipu__worker_pool *pool,
                                          uint64_t *delivered, struct quipu_error *err);

/* Closes what is open and frees the rest; leaves a zeroed struct. */
void quipu__event_pass_release(struct quipu__event_pass *pass);

/* How many substreams with events a trace has. */
size_t quipu__substream_count(const struct quipu__trace *trace);

#endif
