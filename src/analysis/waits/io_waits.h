/* io_waits.h: time that locations spend in file operations, each time counted once. */
#ifndef QUIPU_ANALYSIS_WAITS_IO_WAITS_H
#define QUIPU_ANALYSIS_WAITS_IO_WAITS_H

#include "analysis/waits/wait_states.h"

struct quipu__io_waits {
    struct quipu__wait_states *states;
    QUIPU__VEC(struct quipu__io_location) locations;
};

/* An operation that has begun: when, in which call, and what ties its end to it. */
struct quipu__io_operation {
    int64_t begin;
    uint64_t matching, call_position;
};

/* Waiting that has ended. */
struct quipu__io_span {
    int64_t from, to;
    uint32_t path;
};

struct quipu__io_location {
    int64_t reached; /* until when its waits have been told */
    QUIPU__VEC(struct quipu__io_operation) operations;
    QUIPU__VEC(struct quipu__io_span) spans; /* that earlier operations may still overlap */
};

void quipu__io_waits_release(struct quipu__io_waits *waits);

/* Takes in an io_begin or io_end, before the communication does. */
void quipu__io_waits_add(struct quipu__io_waits *waits, const struct quipu_batch *batch, uint32_t event);
void quipu__io_waits_finish(struct quipu__io_waits *waits);

#endif
