/* messages.h: messages as rows: which receive belongs to which send.
 *
 *     struct quipu_selection selection = QUIPU_SELECTION_INIT;
 *     struct quipu_messages *messages;
 *     struct quipu_message message;
 *     const struct quipu_batch *batch;
 *     selection.order = QUIPU_ORDER_TIME;
 *     status = quipu_reader_select(reader, &selection, &err);
 *     if (status == QUIPU_OK)
 *         status = quipu_messages_new(quipu_reader_definitions(reader), NULL, &messages, &err);
 *     while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, &err)) == QUIPU_OK)
 *         for (status = quipu_messages_add(messages, batch, &err); quipu_messages_next(messages, &message);)
 *             printf("%u to %u: %llu bytes\n", message.sender, message.receiver, (unsigned long long)message.bytes);
 *     if (status == QUIPU_END)
 *         for (status = quipu_messages_end(messages, &err); quipu_messages_next(messages, &message);)
 *             printf("known only now: %u to %u\n", message.sender, message.receiver);
 *     quipu_messages_free(messages);
 *
 * Messages of one communicator, sender, receiver and tag are received in the order in which they were sent, by receives
 * in the order in which they were posted. A receive whose event does not name the sender takes the earliest send that
 * no other receive needs; that is known at the end. Memory is needed for sends and receives that wait for a partner at
 * the same time, and for messages that were matched and not fetched yet.
 */
#ifndef QUIPU_MESSAGES_H
#define QUIPU_MESSAGES_H

#include <quipu/model.h>
#include <quipu/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message with both its ends. */
struct quipu_message {
    uint32_t sender, receiver; /* locations of the two events */
    int64_t sent,
        received;   /* their times in ticks; with differing clocks a message may arrive before it is sent */
    uint64_t bytes; /* from the send, else from the receive; QUIPU_UNKNOWN when neither knows */
    int64_t tag;
    uint32_t communicator;                  /* QUIPU_NONE when not known */
    uint64_t send_request, receive_request; /* of non-blocking operations, else QUIPU_UNKNOWN */
    bool is_assumed; /* the receive did not name the sender or the tag, or later ones had taken its place */
};

/* How many ends there have been. Those without a partner are known at the end. */
struct quipu_message_ends {
    uint64_t sends, receives;
    uint64_t unmatched_sends, unmatched_receives;
};

struct quipu_messages;

/* The definitions are borrowed until the messages are freed, and may grow. options may be NULL; is_merged is
 * ignored. */
QUIPU_API enum quipu_status quipu_messages_new(const struct quipu_definitions *definitions,
                                               const struct quipu_tracker_options *options,
                                               struct quipu_messages **out, struct quipu_error *err);
QUIPU_API void quipu_messages_free(struct quipu_messages *messages);

/* Adds the events of a batch, which come from all streams in time order (QUIPU_ORDER_TIME). Kinds of the families
 * region and message are used: enters and leaves tell which thread posted its receive first. */
QUIPU_API enum quipu_status quipu_messages_add(struct quipu_messages *messages, const struct quipu_batch *batch,
                                               struct quipu_error *err);

/* Call this when everything has been added: matches what had to wait for the end, and gives up what has no partner. */
QUIPU_API enum quipu_status quipu_messages_end(struct quipu_messages *messages, struct quipu_error *err);

/* The next matched message, in the order of matching; false when there are no more for now. */
QUIPU_API bool quipu_messages_next(struct quipu_messages *messages, struct quipu_message *out);

QUIPU_API struct quipu_message_ends quipu_messages_ends(const struct quipu_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
