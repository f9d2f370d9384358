/* substreams.h: substreams of one file, and what reading them in any order gives. */
#ifndef QUIPU_TESTS_TRACE_SUBSTREAMS_H
#define QUIPU_TESTS_TRACE_SUBSTREAMS_H

#include "trace/fake.h"

enum { SUBSTREAMS = 5, EVENTS = 3000, ROWS = SUBSTREAMS * EVENTS + 1 };

static struct quipu_event rows[ROWS];
static struct fake_stream streams[] = {{rows, ROWS, SUBSTREAMS}};
static const struct fake_trace trace = {streams, 1, SUBSTREAMS, 3, 0, 0};

/* Event i of a substream is at 10 * i + substream: merged, the substreams take turns. */
static inline struct quipu_event event_of(uint32_t substream, uint32_t i) {
    return (struct quipu_event){.time = (int64_t)i * 10 + substream,
                                .kind = i % 2 ? QUIPU_KIND_leave : QUIPU_KIND_enter,
                                .location = substream,
                                .object = i / 2 % 3,
                                .stream = substream,
                                .byte_offset = i};
}

/* One by one, each some events ahead of the one before, so that the file is in no order of time. */
static inline void lay_interleaved(void) {
    rows[0] = (struct quipu_event){.kind = FAKE_DEFINE};
    for (uint32_t i = 0; i < EVENTS; i++)
        for (uint32_t s = 0; s < SUBSTREAMS; s++)
            rows[1 + i * SUBSTREAMS + s] = event_of(SUBSTREAMS - 1 - s, i);
}

struct outcome {
    uint64_t events, records, bytes, decoded;
};

/* Reads all; checks that each substream is complete and in its order, and in a merge that they take turns. */
static inline struct outcome read_all(enum quipu_order order, size_t memory_limit, const uint32_t *regions) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    struct outcome outcome = {0};
    uint32_t next[SUBSTREAMS] = {0};
    int64_t last = INT64_MIN;
    options.memory_limit = memory_limit;
    selection.order = order;
    selection.regions = regions;
    selection.region_count = regions ? 1 : 0;
    fake_decoded = 0;
    struct quipu_reader *reader = fake_reader_with(&trace, &options);
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, &err)) == QUIPU_OK) {
        for (uint32_t i = 0; i < batch->count; i++) {
            uint32_t *expected = &next[batch->location[i]];
            while (regions && *expected / 2 % 3 != regions[0])
                ++*expected;
            assert_int_equal(batch->time[i], (int64_t)*expected * 10 + batch->location[i]);
            assert_int_equal(batch->byte_offset[i], (*expected)++);
            assert_true(order != QUIPU_ORDER_TIME || batch->time[i] > last);
            last = batch->time[i];
        }
        outcome.events += batch->count;
    }
    if (status != QUIPU_END)
        fail_msg("%s", err.message);
    outcome.records = quipu_reader_records(reader);
    outcome.bytes = quipu_reader_bytes_read(reader);
    outcome.decoded = fake_decoded;
    assert_int_equal(quipu_reader_records_of(reader, FAKE_T_REGION), outcome.records - 1);
    quipu_reader_close(reader);
    fake_layout = QUIPU__SUBSTREAMS_SCANNED;
    return outcome;
}

static const enum quipu_order orders[] = {QUIPU_ORDER_STREAM, QUIPU_ORDER_TIME};

#endif
