/* streams.h: two streams of a few rows, with definitions between them. */
#ifndef QUIPU_TESTS_TRACE_STREAMS_H
#define QUIPU_TESTS_TRACE_STREAMS_H

#include "trace/fake.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_event first_rows[] = {
    {.time = 0, .kind = FAKE_SECRET, .byte_offset = 0},
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .object = 0, .byte_offset = 1},
    {.time = 20, .kind = QUIPU_KIND_enter, .location = 0, .object = 1, .byte_offset = 2},
    {.time = 25, .kind = QUIPU_KIND_send, .location = 0, .peer = 1, .tag = 5, .bytes = 100, .byte_offset = 3},
    {.time = 30, .kind = QUIPU_KIND_leave, .location = 0, .object = 1, .byte_offset = 4},
    {.time = 40, .kind = QUIPU_KIND_leave, .location = 0, .object = 0, .byte_offset = 5},
};
static const struct quipu_event second_rows[] = {
    {.time = 5, .kind = QUIPU_KIND_enter, .location = 1, .object = 0, .byte_offset = 6},
    {.time = 35, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .tag = 5, .bytes = 100, .byte_offset = 7},
    {.time = 50, .kind = QUIPU_KIND_leave, .location = 1, .object = 0, .byte_offset = 8},
};
static const struct quipu_event definition_rows[] = {{.kind = FAKE_DEFINE}, {.kind = FAKE_DEFINE}};
static const struct fake_stream streams[] = {
    {definition_rows, COUNT(definition_rows), 0},
    {first_rows, COUNT(first_rows), 1},
    {second_rows, COUNT(second_rows), 1},
};
static const struct fake_trace trace = {streams, COUNT(streams), 2, 2, 0, 3};

/* Reads the pass to its end; returns the sum of the members at, which names the set of events. */
static inline uint64_t read_batches(struct quipu_reader *reader, uint64_t *out_count) {
    const struct quipu_batch *batch;
    uint64_t total = 0;
    *out_count = 0;
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->count; i++, ++*out_count)
            total += batch->byte_offset[i];
    return total;
}

#endif
