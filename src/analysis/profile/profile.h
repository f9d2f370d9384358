/* profile.h: what a profile knows while it is made, for the files that fold (profile.c, calls.c; scope.c where the calls
 * around a call matter) and show (table.c, tree.c) it. */
#ifndef QUIPU_ANALYSIS_PROFILE_PROFILE_H
#define QUIPU_ANALYSIS_PROFILE_PROFILE_H

#include "analysis/shared/fold.h"
#include "core/memory/map.h"
#include "core/memory/memory.h"
#include "core/memory/vec.h"
#include "state/call_path.h"

enum quipu__profile_value {
#define PROFILE_VALUE(name) QUIPU__PROFILE_##name,
#include "analysis/profile/profile.def"
#undef PROFILE_VALUE
    QUIPU__PROFILE_COUNT
};

/* What a row of the table is of, in the order of the option's words. */
#define QUIPU__PROFILE_BY "location|region|process|host|group|mpi|path|phase|between|callsite"
enum quipu__profile_by {
    QUIPU__PROFILE_BY_location,
    QUIPU__PROFILE_BY_region,
    QUIPU__PROFILE_BY_process,
    QUIPU__PROFILE_BY_host,
    QUIPU__PROFILE_BY_group,
    QUIPU__PROFILE_BY_mpi,
    QUIPU__PROFILE_BY_path,
    QUIPU__PROFILE_BY_phase,
    QUIPU__PROFILE_BY_between,
    QUIPU__PROFILE_BY_callsite,
    QUIPU__PROFILE_BY_COUNT
};

/* Sums of signed values are kept in two's complement: they wrap and never trap. */
struct quipu__profile_row {
    uint32_t location,
        region; /* region QUIPU_NONE: outside of any; where calls around a call matter its key (struct quipu__profile_scope) */
    uint32_t open;             /* calls of it on the stack */
    int64_t shortest, longest; /* of its calls; shortest is above longest when none has ended */
    uint64_t values[QUIPU__PROFILE_COUNT];
};

/* The row of what passes while no call is open. It is not shown. */
#define QUIPU__PROFILE_NOWHERE 0

struct quipu__profile_open {
    int64_t entered;
    uint32_t row;
};

struct quipu__profile_stack {
    struct quipu__profile_open
        *calls; /* the open ones: [1] is the outermost, [depth] the innermost one, [0] is nowhere */
    uint32_t depth, capacity;
    uint32_t stream;    /* that the latest event is in */
    int64_t change;     /* time of the latest enter or leave */
    int64_t last;       /* the latest time there */
    bool has_started;   /* of what is inside: its window has, in that stream */
    int64_t begin, end; /* of the location's events in all streams, the last of which end does not know */
};

/* Rows that were used lately: nearly all calls find theirs here with one comparison. */
#define QUIPU__PROFILE_RECENT 1024
struct quipu__profile_recent {
    uint64_t key; /* location and region */
    uint32_t row;
};

/* An active call of a location, whether it counts or not. */
struct quipu__profile_call {
    uint32_t region, key; /* key is known while it counts */
    uint32_t source;      /* where it was made, if rows are by call site; else QUIPU_NONE */
};

/* What is known of a location where the calls around a call matter. */
struct quipu__profile_context {
    QUIPU__VEC(struct quipu__profile_call) calls;
    uint32_t stream;
    uint32_t within;     /* which call is the outermost one of those that count, from 1; 0: none is active */
    uint32_t phases;     /* that have begun */
    uint32_t phase_path; /* the one that lasts, as a path */
    bool is_between;     /* of the annotations asked for */
    uint32_t before;     /* outside of any call: the latest one */
    int64_t since, last; /* and since when; the latest event */
    bool has_events;     /* these are known, of this stream */
};

/* Rows of calls by what is around them, or of some of all calls. Where rows are by path, phase, between or call site, the key of a row is a path: of
 * regions; or of a phase's number, the region or marker that began it, and a region; or of the regions before and after time outside of any; or of a source location and a region. */
struct quipu__profile_scope {
    struct quipu__memory *memory;
    const char *within, *begin, *end; /* patterns of names; NULL: not asked for */
    bool has_annotations;             /* what is not between annotations does not count */
    struct quipu__call_paths paths;
    QUIPU__VEC(uint8_t) region_marks; /* what patterns say of regions and markers, as far as asked */
    QUIPU__VEC(uint8_t) marker_marks;
    const int64_t *times; /* of the batch at hand, and by event of it: where a call was made, by call site */
    QUIPU__VEC(uint32_t) sources;
    QUIPU__VEC(uint32_t) joined; /* the paths of another profile that is being added, by their numbers there */
};

/* In a path: a marker instead of a region. */
#define QUIPU__PROFILE_MARKER UINT32_C(0x80000000)

/* In a window of time there are two: one of what is inside, which is shown, and the whole, which tells the other which calls are
 * active when the window begins, which are never left, and when locations begin and end. */
struct quipu__profile {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    enum quipu__profile_by by;
    bool is_tree;
    bool has_all_calls; /* no selection takes the ends of calls away */
    uint64_t top;       /* rows at most */
    const char *sort;   /* column asked for; NULL: the usual one */
    struct quipu__counted
        *counted; /* what counters count, in place of all others; NULL: that is not asked for */
    struct quipu__profile_scope *scope; /* NULL: calls count wherever they are. Both of a window share it */
    QUIPU__VEC(struct quipu__profile_context) contexts; /* of the scope, by location */
    struct quipu__profile_stack *stacks;                /* by location */
    uint32_t stack_count;
    QUIPU__VEC(struct quipu__profile_row) rows;
    struct quipu__window window;
    struct quipu__profile *whole;  /* of what is inside; else NULL */
    struct quipu__profile *inside; /* of the whole; else NULL */
    struct quipu__map row_of;      /* (location, region) to row */
    struct quipu__profile_recent recent[QUIPU__PROFILE_RECENT];
};

static inline uint64_t quipu__profile_key(uint32_t location, uint32_t region) {
    return (uint64_t)location << 32 | region;
}

static inline void quipu__profile_add_values(struct quipu__profile_row *to,
                                             const struct quipu__profile_row *from) {
    to->shortest = from->shortest < to->shortest ? from->shortest : to->shortest;
    to->longest = from->longest > to->longest ? from->longest : to->longest;
    for (size_t i = 0; i < QUIPU__PROFILE_COUNT; i++)
        to->values[i] += from->values[i];
}

/* Where all events of the trace count. */
static inline const struct quipu__profile *quipu__profile_whole_of(const struct quipu__profile *profile) {
    return profile->whole ? profile->whole : profile;
}

/* The latest time at a location in all streams. */
static inline int64_t quipu__profile_last(const struct quipu__profile_stack *stack) {
    return stack->end > stack->last ? stack->end : stack->last;
}

/* ---- calls.c ---- */

/* Makes an empty profile, but for what is asked of it. */
enum quipu_status quipu__profile_init(struct quipu__profile *profile, const struct quipu__fold_start *start,
                                      struct quipu_error *err);

/* Adds events at one location. Returns the index of the first one that is elsewhere; UINT32_MAX when memory is out. */
uint32_t quipu__profile_add_events(struct quipu__profile *profile, const struct quipu_batch *batch,
                                   uint32_t first);

/* Number of the row, or of a new one; QUIPU_NONE when memory is out. */
uint32_t quipu__profile_row_of(struct quipu__profile *profile, uint32_t location, uint32_t region);
uint32_t quipu__profile_add_row(struct quipu__profile *profile, uint32_t location, uint32_t region);

/* Makes stacks for all locations that are defined by now, and for this one in any case. */
QUIPU_CHECKED bool quipu__profile_add_stacks(struct quipu__profile *profile, uint32_t location);

/* From the first event of a location to its last one, as far as the window has it; 0 when it has none, or where not all events count. */
uint64_t quipu__profile_lifetime(const struct quipu__profile *profile, uint32_t location);
QUIPU_CHECKED bool quipu__profile_add_lifetimes(struct quipu__profile *profile,
                                                const struct quipu__profile *partial);

/* Makes room for more open calls. */
QUIPU_CHECKED bool quipu__profile_deepen(struct quipu__profile *profile, struct quipu__profile_stack *stack);

/* The stack of a location in a stream; calls of the stream before are closed. NULL when memory is out. */
struct quipu__profile_stack *quipu__profile_stack_of(struct quipu__profile *profile, uint32_t location,
                                                     uint32_t stream);

QUIPU_CHECKED bool quipu__profile_enter(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                                        uint32_t location, uint32_t region, int64_t time);

/* Closes the innermost call. */
void quipu__profile_close_call(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                               int64_t time);

/* Counts an event that is neither enter nor leave; outside of any call for a row of the region outside. */
QUIPU_CHECKED bool quipu__profile_add_traffic(struct quipu__profile *profile,
                                              const struct quipu__profile_stack *stack, uint32_t outside,
                                              const struct quipu_batch *batch, uint32_t i);

/* Closes all calls that are open, at the latest times of their stacks. */
void quipu__profile_close_all(struct quipu__profile *profile);

/* ---- window.c ---- */

/* Makes a profile that of what is inside the window, and its whole. */
enum quipu_status quipu__profile_window_new(struct quipu__profile *inside,
                                            const struct quipu__fold_start *start, struct quipu_error *err);
enum quipu_status quipu__profile_window_consume(struct quipu__profile *inside, const struct quipu_batch *batch,
                                                struct quipu_error *err);

/* Closes all calls that are active in a profile, and in its whole. */
void quipu__profile_end(struct quipu__profile *profile);

/* ---- scope.c ---- */

/* QUIPU_MISUSE when nothing in the trace has the names. */
enum quipu_status quipu__profile_scope_new(struct quipu__profile *profile,
                                           const struct quipu__settings *settings, struct quipu_error *err);
void quipu__profile_scope_free(struct quipu__profile *profile);
/* Finds where the calls of a batch were made, whose events are counted next, all at once or range by range. */
QUIPU_CHECKED bool quipu__profile_note_sources(struct quipu__profile *profile, const struct quipu_batch *batch);

/* Counts events, also where all calls count. */
enum quipu_status quipu__profile_consume(struct quipu__profile *profile, const struct quipu_batch *batch,
                                         struct quipu_error *err);

/* What is active in the whole counts inside from a time on. False when memory is out. */
QUIPU_CHECKED bool quipu__profile_scope_open(struct quipu__profile *inside, uint32_t location, uint32_t stream,
                                             struct quipu__profile_stack *stack, int64_t time);

/* Takes over the paths of another profile; then a key there as a key here. False when memory is out. */
QUIPU_CHECKED bool quipu__profile_scope_join(struct quipu__profile *profile,
                                             const struct quipu__profile *other);
static inline uint32_t quipu__profile_scope_key(const struct quipu__profile *profile, uint32_t key) {
    return key < profile->scope->joined.count ? profile->scope->joined.items[key] : key;
}

/* Where a row's calls were made, by call site; QUIPU_NONE: that is not known. */
static inline uint32_t quipu__profile_source_of(const struct quipu__profile *profile, uint32_t key) {
    const struct quipu__call_path *paths = profile->scope->paths.list.items;
    return key == QUIPU_NONE ? QUIPU_NONE : paths[paths[key].parent].region;
}

/* The region of a row, and of rows by phase the number of the phase and what began it (a marker with QUIPU__PROFILE_MARKER). */
uint32_t quipu__profile_region_of(const struct quipu__profile *profile, uint32_t key);
uint32_t quipu__profile_phase_of(const struct quipu__profile *profile, uint32_t key, uint32_t *annotation);

/* Counts time outside of any call after the last ones. False when memory is out. */
QUIPU_CHECKED bool quipu__profile_between_end(struct quipu__profile *profile);

/* The regions before and after the time of a row. */
static inline uint32_t quipu__profile_between_of(const struct quipu__profile *profile, uint32_t key,
                                                 uint32_t *after) {
    const struct quipu__call_path *paths = profile->scope->paths.list.items;
    *after = paths[key].region;
    return paths[paths[key].parent].region;
}

/* ---- counters.c ---- */

enum { QUIPU__COUNTED_COLUMNS = 10 };
extern const struct quipu_table_column quipu__counted_columns[QUIPU__COUNTED_COLUMNS];

enum quipu_status quipu__counted_new(struct quipu__profile *profile, const struct quipu__fold_start *start,
                                     struct quipu_error *err);
void quipu__counted_free(struct quipu__profile *profile);
enum quipu_status quipu__counted_consume(struct quipu__profile *profile, const struct quipu_batch *batch,
                                         struct quipu_error *err);
enum quipu_status quipu__counted_finish(struct quipu__profile *profile, struct quipu_table *table,
                                        struct quipu_error *err);

/* ---- table.c ---- */

/* By what rows are of; then that of the tree, and that of counters. */
enum {
    QUIPU__PROFILE_TREE_TABLE = QUIPU__PROFILE_BY_COUNT,
    QUIPU__PROFILE_COUNTERS_TABLE,
    QUIPU__PROFILE_TABLES
};
extern const struct quipu_analysis_table quipu__profile_tables[QUIPU__PROFILE_TABLES];

enum quipu_status quipu__profile_finish(void *state, struct quipu_tables *tables, struct quipu_error *err);

#endif
