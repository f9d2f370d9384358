/* unfinished_calls.h: calls that a trace enters and never leaves, since it is cut short or the program was killed: how many, and the
 * sentence that says so. Answers count them until the last event of their location.
 */
#ifndef QUIPU_ANALYSIS_SHARED_UNFINISHED_CALLS_H
#define QUIPU_ANALYSIS_SHARED_UNFINISHED_CALLS_H

#include "core/memory/vec.h"
#include "state/communication.h"
#include "table/table.h"

#include <quipu/reader.h>

/* For folds that follow calls by themselves. Zero is none. */
struct quipu__unfinished_counter {
    struct quipu__unfinished_calls counts;
    QUIPU__VEC(bool) known; /* by location: it is among those that are counted */
};

static inline void quipu__unfinished_calls_release(struct quipu__unfinished_counter *counter,
                                                   struct quipu__memory *memory) {
    QUIPU__VEC_RELEASE(memory, &counter->known);
}

/* Adds calls of a location. False when memory is out. */
QUIPU_CHECKED bool quipu__unfinished_calls_add(struct quipu__unfinished_counter *counter,
                                               struct quipu__memory *memory, uint32_t location, uint64_t calls);

/* Adds what other has counted. False when memory is out. */
QUIPU_CHECKED bool quipu__unfinished_calls_combine(struct quipu__unfinished_counter *counter,
                                                   struct quipu__memory *memory,
                                                   const struct quipu__unfinished_counter *other);

/* Whether a selection, which may be NULL, lets all enters and leaves of a location through: else calls lack their ends because of it. */
static inline bool quipu__selects_all_calls(const struct quipu_selection *selection) {
    return !selection || (selection->from == INT64_MIN && selection->to == INT64_MAX && !selection->where &&
                          selection->region_count == 0);
}

/* Notes them when there are any. */
void quipu__unfinished_calls_note(const struct quipu__unfinished_calls *counts, struct quipu_tables *tables);

#endif
