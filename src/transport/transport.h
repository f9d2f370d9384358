/* transport.h: putting together what several processes know of a trace. This floor knows no trace: a process contributes
 * bytes, which another one adds to what it knows. */
#ifndef QUIPU_TRANSPORT_TRANSPORT_H
#define QUIPU_TRANSPORT_TRANSPORT_H

#include "core/memory/buffer.h"
#include "core/slice.h"

#include <quipu/transport.h>

/* What a process knows. */
struct quipu__contribution {
    void *context;
    enum quipu_status (*add)(void *context, struct quipu__slice bytes, struct quipu_error *err);
    enum quipu_status (*save)(void *context, struct quipu__buffer *out, struct quipu_error *err);
    bool
        meets; /* what is saved is no longer than 1,000 bytes, and QUIPU_OK means in every process that none has failed: else it is QUIPU_END */
    bool agrees; /* the same, however long that is, for processes that have met before */
};

/* Adds what other processes send, in the order of their ranks, and sends the sum on. status and err say how this process
 * has got on so far. QUIPU_OK: it has the sum, QUIPU_END: it has sent it. The first failure by rank takes the place of
 * the sum on its way, so that rank 0 fails with it; where nothing but rank 0 gathers, a process keeps its failure. */
enum quipu_status quipu__transport_reduce(struct quipu_transport *transport, struct quipu__memory *memory,
                                          const struct quipu__contribution *contribution,
                                          enum quipu_status status, struct quipu_error *err);

/* Messages between two processes that have met. One begins with the byte QUIPU__MESSAGE, which its sender puts; its receiver gets what follows, borrowed
 * from the buffer. It may be that its sender has failed: status and err say how that has got on. */
enum { QUIPU__MESSAGE = 2 };
enum quipu_status quipu__transport_send(struct quipu_transport *transport, uint32_t to,
                                        struct quipu__buffer *out, enum quipu_status status,
                                        struct quipu_error *err);
enum quipu_status quipu__transport_receive(struct quipu_transport *transport, uint32_t from,
                                           struct quipu__buffer *buffer, struct quipu__slice *out,
                                           struct quipu_error *err);

#endif
