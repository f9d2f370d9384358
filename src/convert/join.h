/* join.h: the definitions of several traces as one set, and their events in its terms.
 *
 * Every definition of every trace gets a number of its own; nothing is unified, so nothing can be mixed up. Locations
 * whose names clash get the name of their trace in front, and ranks that clash are counted on. Times are brought to the
 * least common resolution; traces that all know the time of day keep their distance, others begin together. Locations of
 * several recorders of one run are the same where the caller says so; then times are those of the files.
 */
#ifndef QUIPU_CONVERT_JOIN_H
#define QUIPU_CONVERT_JOIN_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "model/batch.h"
#include "model/define.h"

#include <quipu/convert.h>
#include <quipu/reader.h>

/* Number of a definition in its trace -> number in the whole. */
struct quipu__numbers {
    QUIPU__VEC(uint32_t) of;
};

struct quipu__joined {
    struct quipu_reader *reader;
    const char *name; /* of the trace, for locations */
    struct quipu__numbers numbers[QUIPU__DEFINITION_CLASS_COUNT];
    int64_t scale, shift; /* time of the whole = time * scale + shift */
    int64_t rank_shift;
};

struct quipu__join {
    struct quipu__memory *memory;
    struct quipu__define define;
    bool has_define;
    struct quipu__map names; /* hashes of the locations' names -> location */
    struct quipu__joined *traces;
    size_t count;
    const struct quipu_convert_options *options;
};

/* Joins the definitions. Fails when the clocks have no common resolution. Release in any case. */
enum quipu_status quipu__join_init(struct quipu__join *join, struct quipu__memory *memory,
                                   struct quipu_reader *const *readers, size_t count,
                                   const struct quipu_convert_options *options, struct quipu_error *err);
void quipu__join_release(struct quipu__join *join);

/* Takes in what a trace has defined late. False when memory is out. */
QUIPU_CHECKED bool quipu__join_extend(struct quipu__join *join, size_t trace);

/* Whether a location of a trace is one of the first trace. */
bool quipu__join_shares(const struct quipu__join *join, size_t trace, uint32_t location);

/* The time of a trace in the whole; false when it is out of range. */
bool quipu__join_time(const struct quipu__joined *trace, int64_t time, int64_t *out);

/* Copies an event of a trace to the end of a batch, in the terms of the whole. */
enum quipu_status quipu__join_copy(const struct quipu__joined *trace, struct quipu__batch *to,
                                   const struct quipu_batch *from, uint32_t index, uint32_t *attribute,
                                   struct quipu_error *err);

#endif
