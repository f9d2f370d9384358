/* within.h: which events of a substream a selection of regions, and an expression, pass: calls of these regions, and other
 * events while such a call is active at their location; events for which the expression is true. reader.h and where.h have the
 * exact rules.
 *
 * What is active is known from all calls, so the pass gives calls of all regions, whatever kinds are selected, from the
 * beginning of the substream or from a point of its index before the window. Sources without regions and expressions need none
 * of this, and expressions that do not ask for active calls do not track them.
 */
#ifndef QUIPU_TRACE_WITHIN_H
#define QUIPU_TRACE_WITHIN_H

#include "formats/descriptor.h"
#include "state/events.h"

struct quipu__duration_queue; /* within.c */

struct quipu__within {
    struct quipu__filter wide;          /* what the pass must give */
    const struct quipu__filter *filter; /* what is selected */
    bool needs_calls;
    struct quipu__tracker calls;         /* count: how many calls of the selection there are, up to this one */
    uint32_t attribute;                  /* of the current event, or of an earlier one */
    struct quipu__duration_queue *queue; /* NULL when the expression does not ask for durations */
    bool has_no_memory;
};

/* The events that a pass must give for a filter: the filter without its regions and expression, plus all that these need. */
struct quipu__filter quipu__within_filter(const struct quipu__filter *filter);

/* Whether a filter has regions or an expression, and whether events then wait for others. */
static inline bool quipu__within_is_needed(const struct quipu__filter *filter) {
    return filter && (filter->regions || filter->where);
}
bool quipu__within_looks_ahead(const struct quipu__filter *filter);

/* For a substream of a stream; the filter is borrowed. */
enum quipu_status quipu__within_new(struct quipu__trace *trace, const struct quipu__filter *filter,
                                    uint32_t stream, uint32_t substream, struct quipu__within **out,
                                    struct quipu_error *err);
void quipu__within_free(struct quipu__within *within);

/* Keeps only the selected ones of the next events of the pass; events that have waited may come before them. */
enum quipu_status quipu__within_select(struct quipu__within *within, struct quipu__batch *batch,
                                       struct quipu_error *err);

/* Fills an empty batch with selected events that no longer wait, if any; at the end of the pass none waits. */
enum quipu_status quipu__within_next(struct quipu__within *within, bool is_end, struct quipu__batch *batch,
                                     struct quipu_error *err);

#endif
