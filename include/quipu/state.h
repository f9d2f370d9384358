/* state.h: what is active at a time: calls, operations, requests, files, values, and messages in flight.
 *
 *     struct quipu_tracker *tracker;
 *     struct quipu_active_interval active;
 *     struct quipu_tracker_position position = QUIPU_TRACKER_START;
 *     const struct quipu_batch *batch;
 *     status = quipu_tracker_new(quipu_reader_definitions(reader), NULL, &tracker, &err);
 *     while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, &err)) == QUIPU_OK)
 *         status = quipu_tracker_add(tracker, batch, &err);
 *     if (status == QUIPU_END && quipu_tracker_reconcile(tracker, &err) == QUIPU_OK)
 *         while (quipu_tracker_next(tracker, &position, &active))
 *             printf("%u is in %s since %lld\n", active.begin.location, active.interval_class, (long long)active.begin.time);
 *     quipu_tracker_free(tracker);
 *
 * Memory is needed for what is active at the same time, not for the trace. To get the state at a time, select
 * everything before it.
 */
#ifndef QUIPU_STATE_H
#define QUIPU_STATE_H

#include <quipu/model.h>

#ifdef __cplusplus
extern "C" {
#endif

struct quipu_tracker_options {
    const struct quipu_allocator *allocator; /* NULL: malloc */
    size_t memory_limit;                     /* 0: QUIPU_MEMORY_LIMIT */

    /* Events of all streams come in time order (QUIPU_ORDER_TIME). Otherwise what different streams say about a
     * location is kept apart until quipu_tracker_reconcile. */
    bool is_merged;
};
#define QUIPU_TRACKER_OPTIONS_INIT                                                                             \
    { NULL, 0, false }

struct quipu_tracker;

/* A tracker of all classes. The definitions are borrowed until the tracker is freed, and may grow. options may be
 * NULL. */
QUIPU_API enum quipu_status quipu_tracker_new(const struct quipu_definitions *definitions,
                                              const struct quipu_tracker_options *options,
                                              struct quipu_tracker **out, struct quipu_error *err);
QUIPU_API void quipu_tracker_free(struct quipu_tracker *tracker);

/* Adds the events of a batch. The events of a substream must be added in their order. Events of all kinds matter;
 * attributes do not. */
QUIPU_API enum quipu_status quipu_tracker_add(struct quipu_tracker *tracker, const struct quipu_batch *batch,
                                              struct quipu_error *err);

/* Call this when everything has been added: ends in one substream then end what began in another one of the same
 * process, and messages are matched that one side names by thread and the other by process. */
QUIPU_API enum quipu_status quipu_tracker_reconcile(struct quipu_tracker *tracker, struct quipu_error *err);

/* ---- Active intervals ---- */

struct quipu_active_interval {
    const char
        *interval_class;      /* call, collective, one_sided, io_operation, request, task, file, channel_stack,
                                   channel_value, metric or cpu; static */
    struct quipu_event begin; /* the event that began it, without attributes and byte offset */
};

/* Position of an iteration. Adding events invalidates it. */
struct quipu_tracker_position {
    uint32_t state, interval_class, number;
};
#define QUIPU_TRACKER_START                                                                                    \
    { 0, 0, 0 }

/* The next active interval, ordered by location, then by class, then by beginning. False when there are no more. */
QUIPU_API bool quipu_tracker_next(const struct quipu_tracker *tracker, struct quipu_tracker_position *position,
                                  struct quipu_active_interval *out);

/* ---- Messages in flight ---- */

/* Messages with one sender, receiver, communicator and tag that are sent and not received. */
struct quipu_messages_in_flight {
    uint32_t sender, receiver, communicator;
    int64_t tag;
    uint64_t messages, bytes; /* bytes may be QUIPU_UNKNOWN */
    bool has_first;           /* first is known; with many messages it may not be */
    int64_t first, last;      /* when the first and the last of them were sent */
};

/* The next ones; *position is 0 at first. False when there are no more. */
QUIPU_API bool quipu_tracker_next_messages(const struct quipu_tracker *tracker, size_t *position,
                                           struct quipu_messages_in_flight *out);

#ifdef __cplusplus
}
#endif

#endif
