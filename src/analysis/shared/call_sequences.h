/* call_sequences.h: the outermost communication calls of each process, in their order, as signatures: calls that do the same have the same one.
 *
 * The signature of a call is made from the name of its region and, for each message and collective operation in it, the kind, communicator,
 * partner, tag and class of length. */
#ifndef QUIPU_ANALYSIS_SHARED_CALL_SEQUENCES_H
#define QUIPU_ANALYSIS_SHARED_CALL_SEQUENCES_H

#include "state/communication.h"

/* Times are ns. */
struct quipu__call_sequence {
    QUIPU__VEC(uint64_t) signatures;
    QUIPU__VEC(int64_t) leaves;
    QUIPU__VEC(int64_t) enters;   /* with details */
    QUIPU__VEC(uint32_t) regions; /* with details */
    int64_t first;                /* the first event */
    bool has_events;
};

struct quipu__call_sequences {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    QUIPU__VEC(struct quipu__call_sequence) processes; /* by location */
    QUIPU__VEC(size_t) current;                        /* by location: which call of its process it is in */

    /* For signatures that mean the same in other traces: what stands for a communicator and a process; their numbers for those beyond, which
     * are defined while the trace is read. Borrowed. */
    struct quipu__sequence_keys {
        const uint64_t *items;
        uint32_t count;
    } groups, locations;
    bool has_details;
};

/* Release in any case. */
QUIPU_CHECKED bool quipu__call_sequences_init(struct quipu__call_sequences *sequences,
                                              struct quipu__memory *memory,
                                              const struct quipu_definitions *definitions);
void quipu__call_sequences_release(struct quipu__call_sequences *sequences);

/* Takes in a batch, in the order of time. False when memory is out. Then finish the communication. */
QUIPU_CHECKED bool quipu__call_sequences_add(struct quipu__call_sequences *sequences,
                                             const struct quipu_batch *batch);

/* The calls of a location's process; NULL when memory is out. */
struct quipu__call_sequence *quipu__call_sequence_of(struct quipu__call_sequences *sequences,
                                                     uint32_t location);

#endif
