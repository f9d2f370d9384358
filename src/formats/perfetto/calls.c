/* calls.c: see calls.h. */
#include "formats/perfetto/calls.h"

void quipu__perfetto_calls_init(struct quipu__perfetto_calls *calls, struct quipu__memory *memory) {
    *calls = (struct quipu__perfetto_calls){.memory = memory};
}

void quipu__perfetto_calls_release(struct quipu__perfetto_calls *calls) {
    for (size_t i = 0; i < calls->at.count; i++) {
        quipu__buffer_release(&calls->at.items[i].begin);
        quipu__buffer_release(&calls->at.items[i].after);
        QUIPU__VEC_RELEASE(calls->memory, &calls->at.items[i].receives);
    }
    QUIPU__VEC_RELEASE(calls->memory, &calls->at);
}

struct quipu__perfetto_call *quipu__perfetto_call_at(struct quipu__perfetto_calls *calls, uint32_t location) {
    while (calls->at.count <= location) {
        struct quipu__perfetto_call *call = QUIPU__VEC_ADD(calls->memory, &calls->at);
        calls->failed |= !call;
        if (!call)
            return NULL;
        *call = (struct quipu__perfetto_call){.depth = 0};
        quipu__buffer_init(&call->begin, calls->memory, 0);
        quipu__buffer_init(&call->after, calls->memory, 0);
    }
    return &calls->at.items[location];
}

bool quipu__perfetto_add_receive(struct quipu__perfetto_calls *calls, struct quipu__perfetto_call *call,
                                 uint64_t flow, uint64_t time) {
    struct quipu__perfetto_receive *receive = QUIPU__VEC_ADD(calls->memory, &call->receives);
    calls->failed |= !receive;
    if (receive)
        *receive = (struct quipu__perfetto_receive){call->depth, flow, time};
    return receive != NULL;
}

uint64_t quipu__perfetto_next_receive(struct quipu__perfetto_call *call) {
    const size_t count = call->receives.count;
    if (count == 0 || call->receives.items[count - 1].depth != call->depth)
        return 0;
    call->receives.count--;
    return call->receives.items[count - 1].flow;
}
