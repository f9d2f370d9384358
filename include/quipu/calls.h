/* calls.h: calls from enter to leave, as rows: how long each took, and which messages it sent and received.
 *
 *     struct quipu_calls *calls;
 *     struct quipu_call call;
 *     const struct quipu_batch *batch;
 *     status = quipu_calls_new(quipu_reader_definitions(reader), NULL, &calls, &err);
 *     while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, &err)) == QUIPU_OK)
 *         for (status = quipu_calls_add(calls, batch, &err); quipu_calls_next(calls, &call);)
 *             printf("%u took %lld ticks\n", call.region, (long long)(call.leave - call.enter));
 *     if (status == QUIPU_END)
 *         for (status = quipu_calls_end(calls, &err); quipu_calls_next(calls, &call);)
 *             printf("%u was not left\n", call.region);
 *     quipu_calls_free(calls);
 *
 * Memory is needed for the calls that are active at the same time, and for those that have ended and were not fetched
 * yet.
 */
#ifndef QUIPU_CALLS_H
#define QUIPU_CALLS_H

#include <quipu/model.h>
#include <quipu/state.h>

#ifdef __cplusplus
extern "C" {
#endif

struct quipu_call {
    uint32_t location, stream, region;
    uint32_t depth;       /* number of calls around it */
    int64_t enter, leave; /* ticks */
    bool is_unfinished;   /* never left: leave is the time of the location's latest event */

    /* messages and collective operations in it, but not in calls that it made; unknown lengths count as 0 */
    uint64_t messages; /* sends and receives */
    uint32_t peer;     /* of the first message; QUIPU_NONE: none, or not known */
    int64_t tag;       /* of the first message */
    uint64_t bytes_sent, bytes_received;
    uint32_t parent;          /* region of the call around it; QUIPU_NONE: there is none, or it has no region */
    uint64_t position;        /* the how-manieth call of its location that was entered, from 0 */
    uint64_t parent_position; /* that of the call around it; QUIPU_UNKNOWN: there is none */
};

struct quipu_calls;

/* The definitions are borrowed until the calls are freed, and may grow. options may be NULL. */
QUIPU_API enum quipu_status quipu_calls_new(const struct quipu_definitions *definitions,
                                            const struct quipu_tracker_options *options,
                                            struct quipu_calls **out, struct quipu_error *err);
QUIPU_API void quipu_calls_free(struct quipu_calls *calls);

/* Adds the events of a batch. The events of a substream must be added in their order. Used are enters and leaves, and
 * the details of sends, receives and beginnings of collective operations. */
QUIPU_API enum quipu_status quipu_calls_add(struct quipu_calls *calls, const struct quipu_batch *batch,
                                            struct quipu_error *err);

/* Call this when everything has been added: calls that are still active end at the latest event of their location in
 * their stream. */
QUIPU_API enum quipu_status quipu_calls_end(struct quipu_calls *calls, struct quipu_error *err);

/* The next call that has ended, in the order of their ends; false when there are no more for now. */
QUIPU_API bool quipu_calls_next(struct quipu_calls *calls, struct quipu_call *out);

#ifdef __cplusplus
}
#endif
#endif
