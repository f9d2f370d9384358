/* merge.h: many sources as one sequence in the order (time, location, source, position).
 *
 * A tournament of the next times says which event comes next. First the order of a few thousand events is worked
 * out, then every column is filled in that order: two tight loops in place of one that does a bit of everything.
 * When a whole batch of one source precedes all others it is handed out as it is, so a trace of one source is not
 * copied at all. A source whose times go back stays where it is: its events are delivered in their own order, none
 * before what was delivered.
 */
#ifndef QUIPU_TRACE_MERGE_H
#define QUIPU_TRACE_MERGE_H

#include "core/memory/tournament.h"
#include "trace/source.h"

enum { QUIPU__MERGED = 2048 }; /* events of a merged batch */

/* Where a merged event comes from. */
struct quipu__origin {
    uint32_t source, event;
};

/* Where a merge is in the batch of a source. The key behind the next event has been read already: of thousands of sources, whose batches
 * are in no cache, the tournament would wait for it. */
struct quipu__merge_cursor {
    const int64_t *times;
    const uint32_t *locations;
    int64_t time;      /* of the event behind the next one, if there is one */
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
    struct quipu_batch *batches; /* of the sources, side by side: what the tight loops look at */
    struct quipu__merge_cursor *cursors;
    struct quipu__tournament tournament;
    struct quipu__batch *merged;
    struct quipu__origin order[QUIPU__MERGED]; /* of the events of merged */
    uint32_t rich[QUIPU__MERGED];              /* those that use more columns than object */
    quipu_kinds rich_kinds;
    bool started;
    bool is_borrowed; /* the batch of the first source has been handed out */
};

/* Fills *out with the next events; QUIPU_END after the last. Starts the sources at the first call. */
enum quipu_status quipu__merge_next(struct quipu__merge *merge, struct quipu__batch **out,
                                    struct quipu_error *err);

/* Frees what the merge itself holds and the batches of the sources. */
void quipu__merge_release(struct quipu__merge *merge);

#endif
