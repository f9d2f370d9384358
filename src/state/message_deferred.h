/* message_deferred.h: receives that wait for the end, for message_matching.c: those that name no sender or no tag, and what
 * their process has posted after them. */
#ifndef QUIPU_STATE_MESSAGE_DEFERRED_H
#define QUIPU_STATE_MESSAGE_DEFERRED_H

#include "state/message_matching.h"

/* Defers a receive that names no key. */
void quipu__message_defer(struct quipu__message_matching *matching, uint32_t receive, uint32_t process);

/* Defers a receive of a key when one that names none was posted before. */
bool quipu__message_deferred_takes(struct quipu__message_matching *matching, uint32_t receive);

/* Everything has been sent: gives deferred receives their sends. */
void quipu__message_deferred_finish(struct quipu__message_matching *matching);

/* ---- message_matching.c ---- */

int quipu__posting_compare(const struct quipu__posting *a, const struct quipu__posting *b);

/* NULL when memory is out. Valid until the next call. */
struct quipu__receiving_process *quipu__receiving_process_at(struct quipu__message_matching *matching,
                                                             uint32_t process);
void quipu__message_pair(struct quipu__message_matching *matching, uint32_t send, uint32_t receive);
void quipu__message_queue_put_receive(struct quipu__message_matching *matching, uint32_t queue,
                                      uint32_t receive);

/* The first send, which leaves the queue; QUIPU_NONE when there is none. */
uint32_t quipu__message_queue_take_send(struct quipu__message_matching *matching,
                                        struct quipu__message_queue *queue);
void quipu__message_give_up_receive(struct quipu__message_matching *matching, uint32_t receive);

#endif
