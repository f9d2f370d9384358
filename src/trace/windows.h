/* windows.h: windows of time one after the other, and in each of them source after source: the order of analyses that match what
 * happens at different locations but look at one location at a time.
 *
 * A merge goes to another source with nearly every event; with thousands of them it waits for memory all the time, and so does who
 * gets the events. Here a source gives batches until it is behind the end of the window, each as soon as it is decoded, while it and all
 * that is known of its location are in the cache. So sources may be ahead by a batch, none is behind, nothing is copied, and one batch is
 * enough for all.
 *
 * A window is as long as it takes for a number of events, by what the one before it had. One that turns out to have many more ends
 * earlier.
 */
#ifndef QUIPU_TRACE_WINDOWS_H
#define QUIPU_TRACE_WINDOWS_H

#include "core/vec.h"
#include "trace/source.h"

struct quipu__windows {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources;
    uint32_t source_count;
    int64_t *reached; /* of each source: the time of its latest event; the first time of all before it */
    QUIPU__VEC(uint32_t) owners; /* by location: the source that has its events, plus 1 */
    struct quipu__share share;
    struct quipu__batch *batch;
    uint32_t source, left;        /* the one that is asked next, and how many have not ended */
    int64_t begin, last;          /* of the window: its first and last time */
    uint64_t length;              /* of the window, when it is not cut short */
    uint64_t events, most_events; /* in the window, and how many are wanted in it */
    uint64_t of_source;           /* events of the source in the window */
    bool started;
};

/* The next events, which all come from one source; QUIPU_END after the last, QUIPU_UNSUPPORTED when the events of a location lie in
 * several sources. */
enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err);

/* Frees what the windows themselves hold. */
void quipu__windows_release(struct quipu__windows *windows);

#endif
