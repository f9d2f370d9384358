/* calls.h: what is known of the calls at each location while they are written: the beginning that is held back for the messages that
 * its call sends, and the messages that wait for the end of the call that received them. */
#ifndef QUIPU_FORMATS_PERFETTO_CALLS_H
#define QUIPU_FORMATS_PERFETTO_CALLS_H

#include "core/memory/buffer.h"
#include "core/memory/vec.h"

struct quipu__perfetto_receive {
    uint32_t depth; /* of the call around it */
    uint64_t flow, time;
};

struct quipu__perfetto_call {
    bool is_held;
    uint64_t time;              /* of the beginning */
    struct quipu__buffer begin; /* its track event, to which flows are added */
    struct quipu__buffer after; /* packets of its location behind it */
    uint32_t depth;             /* calls that are active */
    QUIPU__VEC(struct quipu__perfetto_receive) receives;
};

struct quipu__perfetto_calls {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__perfetto_call) at; /* by location */
    bool failed;                                /* memory is out */
};

void quipu__perfetto_calls_init(struct quipu__perfetto_calls *calls, struct quipu__memory *memory);
void quipu__perfetto_calls_release(struct quipu__perfetto_calls *calls);

/* NULL when memory is out. Valid until the next call. */
struct quipu__perfetto_call *quipu__perfetto_call_at(struct quipu__perfetto_calls *calls, uint32_t location);

/* Lets a message wait for the end of the innermost call. False when memory is out. */
QUIPU_CHECKED bool quipu__perfetto_add_receive(struct quipu__perfetto_calls *calls,
                                               struct quipu__perfetto_call *call, uint64_t flow, uint64_t time);

/* Takes back a message that the innermost call received; 0 when there is none. */
uint64_t quipu__perfetto_next_receive(struct quipu__perfetto_call *call);

#endif
