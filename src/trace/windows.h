/* windows.h: windows of time one after the other, and in each of them source after source: the order of analyses that match what
 * happens at different locations but look at one location at a time.
 *
 * A merge goes to another source with nearly every event; with thousands of them it waits for memory all the time, and so does who
 * gets the events. Here a source gives batches until it is behind the end of the window, each as soon as it is decoded, while it and all
 * that is known of its location are in the cache. So sources may be ahead by a batch, none is behind, and nothing is copied.
 *
 * The sources of a window are read in ranges of some sources each. Ranges of one window do not need each other, so several threads may
 * read them; which events a range has, and the order of ranges, do not depend on who reads it. A window is as long as it takes for a number
 * of events, by what the one before it had. A range that would have too many ends earlier: what it leaves comes in the next window.
 */
#ifndef QUIPU_TRACE_WINDOWS_H
#define QUIPU_TRACE_WINDOWS_H

#include "core/memory/vec.h"
#include "trace/source.h"

#include <stdatomic.h>

/* Some sources of a window, for one thread. */
struct quipu__window_range {
    uint32_t first, end; /* its sources */
    uint32_t source;     /* the one that is read */
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
    bool is_shared;   /* ranges are read by several threads: definitions are locked */
    int64_t *reached; /* of each source: the time of its latest event; the first time of all before it */
    struct quipu__counts *counted;       /* of each source: what has not been added to the counts of all */
    QUIPU__VEC(_Atomic uint32_t) owners; /* by location: the source that has its events, plus 1 */
    struct quipu__share share;
    uint32_t source, left; /* the one that begins the next range, and how many have not ended */
    uint32_t taken;        /* ranges that have not been given back */
    uint32_t sources_of_range;
    int64_t begin, last;          /* of the window: its first and last time */
    uint64_t length;              /* of the window */
    uint64_t events, most_events; /* in the window, and how many are wanted in it */
    bool is_cut;                  /* a range of the window had too many */
    bool started;

    /* of a thread that reads alone */
    struct quipu__batch *batch;
    struct quipu__window_range range;
    bool has_range;
};

/* The next events, which all come from one source; QUIPU_END after the last, QUIPU_UNSUPPORTED when the events of a location lie in
 * several sources. */
enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err);

/* ---- For several threads ---- */

/* Makes ready. */
enum quipu_status quipu__windows_start(struct quipu__windows *windows, bool is_shared, struct quipu_error *err);

/* The most bytes that the batches of a range take. */
size_t quipu__windows_range_bytes(const struct quipu__windows *windows);

/* Whether ranges may be read at the same time; sources that share a pass are read one at a time. */
bool quipu__windows_lie_apart(const struct quipu__windows *windows);

/* Takes the next range. False when there is none, or none before all that are taken have been given back. Taking and giving back are for
 * one thread at a time. */
bool quipu__windows_take(struct quipu__windows *windows, struct quipu__window_range *range);
bool quipu__windows_have_ended(const struct quipu__windows *windows);

/* The next events of a range; QUIPU_END after the last. */
enum quipu_status quipu__windows_read(struct quipu__windows *windows, struct quipu__window_range *range,
                                      struct quipu__batch *batch, struct quipu_error *err);

/* Gives a range back that has ended, and adds what it has read to the counts. */
void quipu__windows_give_back(struct quipu__windows *windows, const struct quipu__window_range *range);

/* Frees what the windows themselves hold. */
void quipu__windows_release(struct quipu__windows *windows);

#endif
