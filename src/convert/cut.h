/* cut.h: the two ways to cut a trace. Both read it once. */
#ifndef QUIPU_CONVERT_CUT_H
#define QUIPU_CONVERT_CUT_H

#include "convert/convert.h"
#include "state/tracker.h"

/* Transfers of struct quipu__conversion; how is a struct quipu_cut_options. */
enum quipu_status quipu__cut_records(struct quipu__conversion *conversion, struct quipu_error *err);
enum quipu_status quipu__cut_events(struct quipu__conversion *conversion, struct quipu_error *err);

/* ---- What both have in common: what is active where the range begins and ends ---- */

/* A bit for each class of intervals that begin again with the range. */
#define QUIPU__BEGINS_AGAIN                                                                                    \
    (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_collective) |             \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation))

/* Writes the beginning or end of an interval of a location; cut and where belong to the caller. */
typedef enum quipu_status quipu__put_interval(void *cut, const void *where,
                                              const struct quipu__interval *interval, struct quipu_error *err);

/* Puts the beginnings of what is active at a location state: by class, in the order in which they began. */
enum quipu_status quipu__cut_begin(const struct quipu__tracker *tracker, uint32_t state,
                                   quipu__put_interval *put, void *cut, const void *where,
                                   struct quipu_error *err);

/* Puts the ends of the active intervals of a class, the innermost first. */
enum quipu_status quipu__cut_end(const struct quipu__tracker *tracker, uint32_t state,
                                 enum quipu__interval_class interval_class, quipu__put_interval *put, void *cut,
                                 const void *where, struct quipu_error *err);

#endif
