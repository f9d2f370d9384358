/* windows.h: windows of time one after the other, and in each of them source after source: the order of analyses that match what
 * happens at different locations but look at one location at a time.
 *
 * A merge goes to another source with nearly every event; with thousands of them it waits for memory all the time, and so does who
 * gets the events. Here a source gives its events of a window in one go, dozens of them, while its batch and all that is known of its
 * location are in the cache. Nothing is copied, unless events have attributes and their batch goes on in the next window.
 *
 * A window is as long as it takes for a number of events, by what the one before it had. One that turns out to have many more ends
 * earlier: sources that have given more by then are ahead, but none is behind.
 */
#ifndef QUIPU_TRACE_WINDOWS_H
#define QUIPU_TRACE_WINDOWS_H

#include "core/vec.h"
#include "trace/source.h"

/* Where the windows are in the batch of a source. */
struct quipu__window_cursor {
    int64_t time;         /* of the next event */
    uint32_t next, count; /* equal: the source must be read on; count 0: it has ended */
};

struct quipu__windows {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources;
    uint32_t source_count;
    struct quipu__window_cursor *cursors;
    QUIPU__VEC(uint32_t) owners;  /* by location: the source that has its events, plus 1 */
    struct quipu__batch view;     /* events of a source's batch */
    struct quipu__batch *copied;  /* the same with their attributes; NULL until there are any */
    uint32_t source;              /* the one that is asked next */
    int64_t begin, last;          /* of the window: its first and last time */
    uint64_t length;              /* of the window, when it is not cut short */
    uint64_t events, most_events; /* in the window, and how many are wanted in it */
    uint64_t of_source;           /* events of the source in the window */
    bool started;
};

/* The next events, which all come from one source; QUIPU_END after the last, QUIPU_UNSUPPORTED when the events of a location lie in
 * several sources. Starts the sources at the first call. */
enum quipu_status quipu__windows_next(struct quipu__windows *windows, struct quipu__batch **out,
                                      struct quipu_error *err);

/* Frees what the windows themselves hold and the batches of the sources. */
void quipu__windows_release(struct quipu__windows *windows);

#endif
