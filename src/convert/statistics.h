/* statistics.h: statistics of each location since the beginning of a trace, added up record by record. Calls that are still
 * active count with the time that they have taken so far. Memory grows with what is defined, not with the trace. */
#ifndef QUIPU_CONVERT_STATISTICS_H
#define QUIPU_CONVERT_STATISTICS_H

#include "convert/record_tracker.h"

struct quipu__location_statistics {
    QUIPU__VEC(struct quipu__statistic) list;
    struct quipu__map numbers; /* class and object -> index of list */
    bool is_sorted;
};

struct quipu__statistics_totals {
    const struct quipu__trace *trace;
    const struct quipu__statistics *format;
    struct quipu__record_tracker
        *records; /* active calls count the time in the calls that they have made and that have ended */
    QUIPU__VEC(struct quipu__location_statistics) locations; /* by their states */
};

void quipu__statistics_init(struct quipu__statistics_totals *totals, const struct quipu__trace *trace,
                            struct quipu__record_tracker *records);
void quipu__statistics_release(struct quipu__statistics_totals *totals);

/* Takes in a record of that time and location, and lets the tracker take it in. */
enum quipu_status quipu__statistics_add(struct quipu__statistics_totals *totals,
                                        const struct quipu_record *record, uint64_t time, uint64_t where,
                                        struct quipu_error *err);

/* Writes the statistics of a location at a time into those that belong to a stream of events. */
enum quipu_status quipu__statistics_put(struct quipu__statistics_totals *totals,
                                        const struct quipu__record_location *where, uint64_t time,
                                        const struct quipu_stream *events, struct quipu_writer *writer,
                                        struct quipu_error *err);

#endif
