/* sums.h: statistics of each location since the beginning of a trace, added up record by record. Calls that are still
 * open count with the time that they have taken so far. Memory grows with what is defined, not with the trace. */
#ifndef QUIPU_CONVERT_SUMS_H
#define QUIPU_CONVERT_SUMS_H

#include "convert/state.h"

/* A call that is open. */
struct quipu__call {
    uint64_t region, begin;
    uint64_t inner; /* time in the calls that it has made and that have ended */
};

struct quipu__sums_at {
    QUIPU__VEC(struct quipu__sum) sums;
    struct quipu__map numbers; /* class and object -> index of sums */
    QUIPU__VEC(struct quipu__call) calls;
    bool is_sorted;
};

struct quipu__sums {
    const struct quipu__trace *trace;
    struct quipu__state *state;           /* which locations there are, in its order */
    QUIPU__VEC(struct quipu__sums_at) at; /* by the index of the location in the state */
};

void quipu__sums_init(struct quipu__sums *sums, const struct quipu__trace *trace, struct quipu__state *state);
void quipu__sums_release(struct quipu__sums *sums);

/* Takes in a record that the state follows afterwards: collective operations count when they end. */
enum quipu_status quipu__sums_follow(struct quipu__sums *sums, const struct quipu_record *record,
                                     struct quipu_error *err);

/* Writes the sums of a location at a time into the statistics that belong to a stream of events. */
enum quipu_status quipu__sums_put(struct quipu__sums *sums, uint32_t location, uint64_t time,
                                  const struct quipu_stream *events, struct quipu_writer *writer,
                                  struct quipu_error *err);

#endif
