/* test_read_ahead.c: with threads that read ahead the same events come in the same order, and what fails fails. */
#include "trace/fake.h"

enum { STREAMS = 5, ROWS = 30000 };
static struct quipu_event rows[STREAMS][ROWS];
static struct fake_stream streams[STREAMS];
static const struct fake_trace trace = {streams, STREAMS, STREAMS, 5, 0, 0};

static int make_trace(void **state) {
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++) {
        for (uint32_t i = 0; i < ROWS; i++)
            rows[s][i] = (struct quipu_event){.time = (int64_t)i * (s + 3),
                                              .kind = i % 7 == 0 ? QUIPU_KIND_send : QUIPU_KIND_enter,
                                              .location = s,
                                              .object = i % 5,
                                              .peer = i % 7 == 0 ? i % 3 : 0,
                                              .bytes = i % 7 == 0 ? i : 0,
                                              .byte_offset = s * ROWS + i};
        streams[s] = (struct fake_stream){rows[s], ROWS, 1};
    }
    return 0;
}

/* What is consumed, as one number that any difference changes. */
struct seen {
    uint64_t hash, events, fails_at, reports, bytes;
    int64_t complete_to;
};

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct seen *seen = state;
    assert_true(batch->count > 0 && batch->complete_to >= seen->complete_to);
    seen->complete_to = batch->complete_to;
    for (uint32_t i = 0; i < batch->count; i++) {
        const bool is_send = batch->kind[i] == QUIPU_KIND_send;
        const uint64_t columns[] = {(uint64_t)batch->time[i],     batch->kind[i],
                                    batch->location[i],           batch->object[i],
                                    batch->byte_offset[i],        is_send ? batch->peer[i] : 0,
                                    is_send ? batch->bytes[i] : 0};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            seen->hash = (seen->hash ^ columns[k]) * UINT64_C(1099511628211);
    }
    seen->events += batch->count;
    return seen->fails_at && seen->events >= seen->fails_at ? quipu__fail(err, QUIPU_LIMIT, "enough")
                                                            : QUIPU_OK;
}

static struct quipu_reader *reader_of(enum quipu_order order, struct quipu_reader_options *options) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_reader *reader = fake_reader_with(&trace, options);
    selection.order = order;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    return reader;
}

static struct seen read_alone(enum quipu_order order, struct quipu_reader_options *options) {
    struct seen seen = {.complete_to = INT64_MIN};
    struct quipu_reader *reader = reader_of(order, options);
    const struct quipu_batch *batch;
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
        assert_int_equal(consume(&seen, batch, NULL), QUIPU_OK);
    quipu_reader_close(reader);
    return seen;
}

static enum quipu_status read_with(uint32_t thread_count, struct quipu_reader *reader, struct seen *seen,
                                   bool *must_repeat, struct quipu_error *err) {
    const struct quipu__read_ahead reading = {
        .consume = consume, .state = seen, .thread_count = thread_count, .must_repeat = must_repeat};
    seen->complete_to = INT64_MIN;
    return quipu__reader_consume(reader, &reading, err);
}

static enum quipu_status read_ahead(struct quipu_reader *reader, struct seen *seen, bool *must_repeat,
                                    struct quipu_error *err) {
    return read_with(2, reader, seen, must_repeat, err);
}

static void test_read_ahead_gives_the_same_events_in_the_same_order(void **state) {
    (void)state;
    static const enum quipu_order orders[] = {QUIPU_ORDER_STREAM, QUIPU_ORDER_TIME, QUIPU_ORDER_WINDOWS};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct seen expected = read_alone(orders[i], NULL);
        for (uint32_t threads = 2; threads < 10; threads++) {
            struct quipu_reader *reader = reader_of(orders[i], NULL);
            struct seen seen = {0};
            bool must_repeat;
            assert_int_equal(read_with(threads, reader, &seen, &must_repeat, NULL), QUIPU_OK);
            assert_false(must_repeat);
            assert_int_equal(seen.events, STREAMS * ROWS);
            assert_true(seen.hash == expected.hash);
            assert_int_equal(quipu_reader_delivered(reader), STREAMS * ROWS);
            assert_int_equal(quipu_reader_records(reader), STREAMS * ROWS);
            quipu_reader_close(reader);
        }
    }
}

/* A batch of five sources has room for 1638 events of more than 100 bytes: 36 slots of two are more than 10 MB. */
static void test_read_ahead_of_many_threads_has_as_few_slots_as_memory_allows(void **state) {
    (void)state;
    static const enum quipu_order orders[] = {QUIPU_ORDER_STREAM, QUIPU_ORDER_TIME, QUIPU_ORDER_WINDOWS};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.memory_limit = 4 << 20;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct seen expected = read_alone(orders[i], &options);
        struct seen seen = {0};
        bool must_repeat;
        struct quipu_reader *reader = reader_of(orders[i], &options);
        assert_int_equal(read_with(9, reader, &seen, &must_repeat, NULL), QUIPU_OK);
        assert_int_equal(seen.events, STREAMS * ROWS);
        assert_true(seen.hash == expected.hash);
        quipu_reader_close(reader);
    }
}

/* What is not needed is left out before anyone consumes it, and counts as delivered all the same. */
static void test_read_ahead_leaves_out_what_is_not_needed(void **state) {
    (void)state;
    struct seen seen = {.complete_to = INT64_MIN};
    struct quipu_reader *reader = reader_of(QUIPU_ORDER_WINDOWS, NULL);
    bool must_repeat;
    const struct quipu__unneeded_calls sends = {.has_any = true, .also = QUIPU_KIND_BIT(QUIPU_KIND_send)};
    quipu__reader_leave_out(reader, &sends);
    assert_int_equal(read_with(3, reader, &seen, &must_repeat, NULL), QUIPU_OK);
    assert_in_range(seen.events, STREAMS * ROWS * 6 / 7, STREAMS * ROWS * 7 / 8); /* the first ones remain */
    assert_int_equal(quipu_reader_delivered(reader), STREAMS * ROWS);
    quipu_reader_close(reader);
}

static void test_read_ahead_ends_with_the_failure_of_whoever_consumes(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct seen seen = {.fails_at = 10000};
    struct quipu_reader *reader = reader_of(QUIPU_ORDER_TIME, NULL);
    bool must_repeat;
    assert_int_equal(read_ahead(reader, &seen, &must_repeat, &err), QUIPU_LIMIT);
    assert_string_equal(err.message, "enough");
    assert_true(seen.events < 20000);
    quipu_reader_close(reader);
}

static void test_read_ahead_delivers_what_comes_before_a_failure(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct seen seen = {0};
    rows[0][ROWS / 2].kind = FAKE_FAILURE;
    rows[0][ROWS / 2].bytes = 0;
    struct quipu_reader *reader = reader_of(QUIPU_ORDER_WINDOWS, NULL);
    bool must_repeat;
    assert_int_equal(read_ahead(reader, &seen, &must_repeat, &err), QUIPU_LIMIT);
    assert_string_equal(err.message, "stream 0 failed");
    assert_true(seen.events > ROWS);
    quipu_reader_close(reader);
}

static void test_read_ahead_asks_for_a_repetition_when_definitions_are_missing(void **state) {
    (void)state;
    struct seen seen = {0};
    rows[2][ROWS / 2].kind = FAKE_LATE;
    rows[2][ROWS / 2].bytes = 500;
    struct quipu_reader *reader = reader_of(QUIPU_ORDER_WINDOWS, NULL);
    bool must_repeat;
    assert_int_equal(read_ahead(reader, &seen, &must_repeat, NULL), QUIPU_OK);
    assert_true(must_repeat);
    assert_int_equal(quipu_reader_definitions(reader)->regions.count, 5);
    quipu_reader_close(reader);
}

static bool watch(void *context, uint64_t done, uint64_t total, uint64_t events) {
    struct seen *seen = context;
    assert_true(done >= seen->bytes && done <= total && events >= seen->events);
    seen->bytes = done;
    seen->events = events;
    seen->reports++;
    return seen->reports != seen->fails_at;
}

static void test_read_ahead_reports_progress_and_stops_when_told_to(void **state) {
    (void)state;
    for (uint64_t fails_at = 0; fails_at < 4; fails_at += 3) {
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        struct seen watched = {.fails_at = fails_at}, seen = {0};
        options.progress = (struct quipu_progress){watch, &watched};
        struct quipu_reader *reader = reader_of(QUIPU_ORDER_WINDOWS, &options);
        bool must_repeat;
        assert_int_equal(read_ahead(reader, &seen, &must_repeat, NULL), fails_at ? QUIPU_STOPPED : QUIPU_OK);
        if (!fails_at)
            assert_true(watched.events == STREAMS * ROWS && watched.bytes == STREAMS * ROWS);
        quipu_reader_close(reader);
    }
}

QUIPU_TESTS(cmocka_unit_test_setup(test_read_ahead_gives_the_same_events_in_the_same_order, make_trace),
            cmocka_unit_test_setup(test_read_ahead_of_many_threads_has_as_few_slots_as_memory_allows,
                                   make_trace),
            cmocka_unit_test_setup(test_read_ahead_leaves_out_what_is_not_needed, make_trace),
            cmocka_unit_test_setup(test_read_ahead_ends_with_the_failure_of_whoever_consumes, make_trace),
            cmocka_unit_test_setup(test_read_ahead_delivers_what_comes_before_a_failure, make_trace),
            cmocka_unit_test_setup(test_read_ahead_asks_for_a_repetition_when_definitions_are_missing,
                                   make_trace),
            cmocka_unit_test_setup(test_read_ahead_reports_progress_and_stops_when_told_to, make_trace))
