/* within.h: what a selection of regions passes of a substream: calls of these regions, and other events while such a call is
 * active at their location. reader.h has the exact rules.
 *
 * What is active is known from all calls, so the pass gives those of all regions, whatever kinds are selected, and from the
 * beginning of the substream or from what its index knows of a time before the window. Sources without regions have none of this.
 */
#ifndef QUIPU_TRACE_WITHIN_H
#define QUIPU_TRACE_WITHIN_H

#include "formats/descriptor.h"
#include "state/events.h"

struct quipu__within {
    struct quipu__filter wide;          /* what the pass is to give */
    const struct quipu__filter *filter; /* what is selected */
    struct quipu__tracker calls;        /* count: how many calls of the selection there are, up to this one */
    bool has_no_memory;
};

/* What a pass must give of events for a filter to be answered: the filter, without its regions and with all that these need. */
struct quipu__filter quipu__within_filter(const struct quipu__filter *filter);

/* For a substream of a stream; the filter is borrowed. */
enum quipu_status quipu__within_new(struct quipu__trace *trace, const struct quipu__filter *filter,
                                    uint32_t stream, uint32_t substream, struct quipu__within **out,
                                    struct quipu_error *err);
void quipu__within_free(struct quipu__within *within);

/* Of the next events of the pass, keeps only those that are selected. */
enum quipu_status quipu__within_select(struct quipu__within *within, struct quipu__batch *batch,
                                       struct quipu_error *err);

#endif
