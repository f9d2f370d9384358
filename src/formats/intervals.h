/* intervals.h: what records say of active intervals, so that the floors above can cut a trace and take snapshots without
 * knowing the format. */
#ifndef QUIPU_FORMATS_INTERVALS_H
#define QUIPU_FORMATS_INTERVALS_H

#include "state/intervals.h"

#include <quipu/schema.h>

enum { QUIPU__TRANSITIONS_MOST = 2 }; /* of one record */

/* Bytes of the struct of a record that a format fills here at most. */
#define QUIPU__BUILT_RECORD_BYTES 64

/* An active interval by the record that began it. */
struct quipu__active_record {
    const struct quipu_record_type *type;
    const void *data; /* of its struct */
    uint64_t time;    /* when it began */
    uint64_t count;   /* of class count: how often it has been */
};

struct quipu__intervals {
    /* What the record begins and ends; returns the number of transitions. Locations are numbers in the format. Of a call the
     * second word of the key is what is called, and its end says QUIPU_UNKNOWN there to end the innermost one. */
    unsigned (*intervals_of)(const struct quipu_record *record,
                             struct quipu__transition out[QUIPU__TRANSITIONS_MOST]);

    /* Fills out, QUIPU__BUILT_RECORD_BYTES of zeros, with the record that ends a call. Returns its type. */
    const struct quipu_record_type *(*end_of)(const struct quipu__active_record *call, void *out);

    /* What the end of an interval is counted as, a transition of class count; false for nothing. */
    bool (*counted)(const struct quipu__active_record *ended, struct quipu__transition *out);
};

#endif
