/* timeline.h: what the parts of a view (quipu/view.h) share: the question at hand, the rows that there are, and what is kept from one question to
 * the next.
 *
 * timeline.c         questions, rows, names, statistics, search
 * timeline_levels.c  tiles: bins of the analysis "timeline" at several levels of detail
 * timeline_window.c  calls, messages and counters of a window of time, read from the index's point before it
 * timeline_layers.c  waits and the critical path, which the analyses find once
 */
#ifndef QUIPU_PICTURE_TIMELINE_H
#define QUIPU_PICTURE_TIMELINE_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "core/text/json.h"
#include "picture/markup.h"
#include "state/events.h"

#include <quipu/reader.h>
#include <quipu/view.h>

enum {
    QUIPU__VIEW_ROWS = 64,          /* the most in a question */
    QUIPU__VIEW_BYTES = 200 * 1000, /* the most in an answer, and what lists of elements are limited for */
    QUIPU__VIEW_TEXT = 200,         /* bytes of a name that are shown */
    QUIPU__VIEW_SHARES = 63         /* parts that a pixel's time is told in */
};

/* What rows are: values of the option --by of the timeline. */
enum quipu__view_by {
    QUIPU__VIEW_LOCATIONS,
    QUIPU__VIEW_PROCESSES,
    QUIPU__VIEW_HOSTS,
    QUIPU__VIEW_ALL,
    QUIPU__VIEW_BYS
};
extern const char *const quipu__view_by_names[QUIPU__VIEW_BYS];

/* A question's parameters; times in ns since the trace's first event. */
struct quipu__view_asked {
    enum quipu__view_by by;
    uint64_t level, index, first, count, pixels, metric, region;
    int64_t from, to;
    uint32_t rows[QUIPU__VIEW_ROWS]; /* ascending, each once */
    uint32_t row_count;
    char where[QUIPU_WHERE_LENGTH + 1], text[256], of[32];
};

/* A bin of a row. Shares are parts of the bin's time at all locations of the row. */
struct quipu__view_cell {
    uint8_t shares[10]; /* by use, but for absence */
    uint8_t region_share;
    uint32_t region; /* with most time, plus 1 */
    uint32_t calls, messages;
};

/* Bins of all rows, or of those that were asked for. */
struct quipu__view_level {
    enum quipu__view_by by;
    uint32_t wanted, bins; /* asked for; there are fewer in a trace of few ticks */
    bool is_partial;
    char *where;
    uint32_t *rows;
    size_t row_count;
    struct quipu__view_cell *cells; /* by row and bin */
    uint64_t used;                  /* when it was last asked for */
};

/* A wait, or a stretch of the critical path; times in ns from the trace's origin. */
struct quipu__view_stretch {
    int64_t from, to;
    uint32_t location, peer;
    uint32_t why,
        region; /* numbers of its pattern or reason, and of its call, among the labels; QUIPU_NONE: none */
};
struct quipu__view_layer {
    bool is_known;
    QUIPU__VEC(struct quipu__view_stretch) stretches; /* by from */
    QUIPU__VEC(char *) labels;
    struct quipu__map label_of; /* hash of a text to its number */
    int64_t longest;
};

enum { QUIPU__VIEW_WAITS, QUIPU__VIEW_PATH, QUIPU__VIEW_LAYERS };

/* A location in the order of the page: hosts, processes, locations. */
struct quipu__view_member {
    uint32_t host, process, location;
};

struct quipu_view {
    struct quipu_reader *reader;
    const struct quipu_definitions *definitions;
    const struct quipu__hidden_names *hidden; /* NULL: all names are shown */
    struct quipu__memory memory;
    int64_t begin, end; /* of all events, ns */
    bool has_bounds;
    QUIPU__VEC(struct quipu__view_member) members; /* with events */
    size_t counts[QUIPU__VIEW_BYS];                /* rows of each kind */
    QUIPU__VEC(struct quipu__view_level) levels;
    uint64_t asked; /* questions so far */
    struct quipu__view_layer layers[QUIPU__VIEW_LAYERS];
    const struct quipu_table *path; /* the segments of the critical path, when they are known; else NULL */
    struct {
        bool is_known;
        uint32_t point; /* of the index; QUIPU_NONE: the beginning */
        struct quipu__tracker tracker;
    } origin; /* what is active at the point that was read from last */
};

/* ---- What parts of answers have in common ---- */

/* An answer that is being made. */
struct quipu__view_answer {
    struct quipu_view *view;
    const struct quipu__view_asked *asked;
    struct quipu__buffer *out;
    struct quipu__json json;
    QUIPU__VEC(uint32_t) regions; /* that it mentions */
};

/* A time that was asked for, in ns from the origin. */
int64_t quipu__view_time(const struct quipu_view *view, int64_t asked);

/* The time, or the nearest one that the page shows: differences of such times fit 64 bits. */
int64_t quipu__view_shown(const struct quipu_view *view, int64_t time);

/* Notes that a region is mentioned; its name comes at the end. */
void quipu__view_mention(struct quipu__view_answer *answer, uint32_t region);

/* A name, cut if it is long, without what is hidden. */
void quipu__view_put_name(struct quipu__view_answer *answer, const char *key, const char *name);

/* The row that a location belongs to; QUIPU_NONE for those without events. */
uint32_t quipu__view_row_of(const struct quipu_view *view, enum quipu__view_by by,
                            const struct quipu__view_member *member);

/* The member of a location among those of the question's rows; QUIPU_NONE. Rows are locations. */
uint32_t quipu__view_asked_row(const struct quipu__view_asked *asked, uint32_t row);

/* The locations of the question's rows, ascending. The caller releases them with the count as capacity; NULL when memory is out. */
uint32_t *quipu__view_locations(struct quipu_view *view, const struct quipu__view_asked *asked,
                                uint32_t *count);

/* ---- Levels ---- */

/* How many bins a level has; 0: there is no such level for rows of that kind. */
uint32_t quipu__view_level_bins(const struct quipu_view *view, enum quipu__view_by by, uint64_t level);

/* Finds from when to when the trace goes, and where it has events. */
enum quipu_status quipu__view_find_bounds(struct quipu_view *view, struct quipu_error *err);

/* The same, and makes the coarsest levels, at most all of them, in one reading where there are not too many rows. */
enum quipu_status quipu__view_find_levels(struct quipu_view *view, uint32_t count, struct quipu_error *err);

enum quipu_status quipu__view_tile(struct quipu__view_answer *answer, struct quipu_error *err);
void quipu__view_levels_release(struct quipu_view *view);

/* ---- Windows and layers ---- */

enum quipu_status quipu__view_calls(struct quipu__view_answer *answer, struct quipu_error *err);
enum quipu_status quipu__view_messages(struct quipu__view_answer *answer, struct quipu_error *err);
enum quipu_status quipu__view_counter(struct quipu__view_answer *answer, struct quipu_error *err);
void quipu__view_origin_release(struct quipu_view *view);

enum quipu_status quipu__view_waits(struct quipu__view_answer *answer, struct quipu_error *err);
enum quipu_status quipu__view_path(struct quipu__view_answer *answer, struct quipu_error *err);
void quipu__view_layers_release(struct quipu_view *view);

#endif
