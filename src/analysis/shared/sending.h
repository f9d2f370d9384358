/* sending.h: which sends wait for their receivers. */
#ifndef QUIPU_ANALYSIS_SHARED_SENDING_H
#define QUIPU_ANALYSIS_SHARED_SENDING_H

#include "state/communication.h"

struct quipu__sending {
    struct quipu__memory *memory;
    uint64_t eager_limit;        /* bytes; smaller ones do not, unless they are synchronous */
    QUIPU__VEC(uint8_t) regions; /* how their sends depend on receivers */
};

static inline void quipu__sending_release(struct quipu__sending *sending) {
    QUIPU__VEC_RELEASE(sending->memory, &sending->regions);
}

/* Whether a send may wait: by the name of its call, or by its size. */
bool quipu__send_waits(struct quipu__sending *sending, const struct quipu__communication *communication,
                       const struct quipu__message_end *send);

#endif
