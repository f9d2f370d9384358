/* test_reader.c: passes over a trace: what they deliver, count, select and find. */
#include "trace/streams.h"

static void test_reader_delivers_streams_one_after_the_other_by_default(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    const struct quipu_batch *batch;
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
    assert_int_equal(batch->stream, 1);
    assert_int_equal(batch->count, 5);
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
    assert_int_equal(batch->stream, 2);
    assert_int_equal(batch->count, 3);
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_END);
    assert_null(batch);
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_END);
    quipu_reader_close(reader);
}

static void test_reader_refuses_to_mix_ways_of_reading(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_record record;
    struct quipu_event event;
    assert_int_equal(quipu_reader_next_record(reader, &record, &err), QUIPU_OK);
    assert_int_equal(quipu_reader_next(reader, &event, &err), QUIPU_MISUSE);
    assert_non_null(strstr(err.advice, "quipu_reader_rewind"));
    quipu_reader_rewind(reader);
    assert_int_equal(quipu_reader_next(reader, &event, &err), QUIPU_OK);
    assert_int_equal(event.byte_offset, 6);
    quipu_reader_close(reader);
}

static void test_reader_keeps_the_findings_of_opening(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    uint64_t count;
    for (int pass = 0; pass < 3; pass++) {
        assert_int_equal(quipu_findings_count(findings), 3);
        assert_string_equal(quipu_findings_at(findings, 2)->found, "number 2");
        read_batches(reader, &count);
        quipu_reader_rewind(reader);
    }
    quipu_reader_close(reader);
}

static void test_reader_opens_a_trace_without_streams(void **state) {
    (void)state;
    static const struct fake_trace empty = {NULL, 0, 0, 0, 0, 0};
    struct quipu_reader *reader = fake_reader(&empty);
    const struct quipu_batch *batch;
    struct quipu_event event;
    struct quipu_record record;
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_END);
    quipu_reader_rewind(reader);
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_END);
    quipu_reader_rewind(reader);
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_END);
    quipu_reader_close(reader);
}

static void test_reader_says_what_is_wrong_with_a_path(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    const char *missing = harness_text("%s/none", harness_folder());
    assert_int_equal(quipu_reader_open(missing, NULL, &reader, &err), QUIPU_NOT_FOUND);
    assert_string_equal(err.path, missing);
    assert_null(reader);
    const char *text = harness_text("%s/readme.txt", harness_folder());
    harness_write(text, "Hello, world\n", 13);
    assert_int_equal(quipu_reader_open(text, NULL, &reader, &err), QUIPU_UNKNOWN_FORMAT);
    assert_null(reader);
    assert_int_equal(quipu_reader_open(harness_folder(), NULL, &reader, &err), QUIPU_UNKNOWN_FORMAT);
    assert_int_equal(quipu_reader_open("-", NULL, &reader, &err), QUIPU_UNKNOWN_FORMAT);
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.format = "nonsense";
    assert_int_equal(quipu_reader_open(text, &options, &reader, &err), QUIPU_NOT_FOUND);
    assert_non_null(strstr(err.message, "nonsense"));
}

/* ---- Memory ---- */

struct counted {
    uint64_t requests;
    uint64_t fail_at; /* 0: never */
    size_t used, most;
};

static void *count_resize(void *context, void *block, size_t old_size, size_t size) {
    struct counted *counted = context;
    if (size > 0 && ++counted->requests == counted->fail_at)
        return NULL;
    counted->used = counted->used - old_size + size;
    if (counted->used > counted->most)
        counted->most = counted->used;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static enum quipu_status read_counted(struct counted *counted, enum quipu_order order, size_t limit) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_reader *reader;
    options.memory_limit = limit;
    options.allocator = (struct quipu_allocator){count_resize, counted};
    selection.order = order;
    enum quipu_status status = quipu__reader_open("memory", &fake_format, &options, &reader, NULL);
    if (status != QUIPU_OK)
        return status;
    status = quipu_reader_select(reader, &selection, NULL);
    const struct quipu_batch *batch;
    while (status == QUIPU_OK)
        status = quipu_reader_next_batch(reader, &batch, NULL);
    quipu_reader_close(reader);
    return status;
}

/* Streams of so many rows that interleave in time. */
static void make_streams(struct fake_stream *made, uint32_t count, uint32_t rows) {
    for (uint32_t s = 0; s < count; s++) {
        struct quipu_event *list = calloc(rows, sizeof *list);
        for (uint32_t i = 0; i < rows; i++)
            list[i] = (struct quipu_event){.time = i / 2, .kind = QUIPU_KIND_enter, .location = s};
        made[s] = (struct fake_stream){list, rows, 1};
    }
}

static void free_streams(struct fake_stream *made, uint32_t count) {
    for (uint32_t s = 0; s < count; s++)
        free((void *)(uintptr_t)made[s].rows);
}

static void test_reader_asks_for_no_memory_per_event(void **state) {
    (void)state;
    uint64_t requests[2][2];
    for (uint32_t big = 0; big < 2; big++) {
        struct fake_stream made[3];
        make_streams(made, 3, big ? 200000 : 20000);
        const struct fake_trace whole = {made, 3, 3, 1, 0, 0};
        fake_trace = &whole;
        for (uint32_t order = 0; order < 2; order++) {
            struct counted counted = {0};
            assert_int_equal(read_counted(&counted, (enum quipu_order)order, 0), QUIPU_END);
            assert_int_equal(counted.used, 0);
            requests[big][order] = counted.requests;
        }
        free_streams(made, 3);
    }
    assert_int_equal(requests[0][QUIPU_ORDER_STREAM], requests[1][QUIPU_ORDER_STREAM]);
    assert_int_equal(requests[0][QUIPU_ORDER_TIME], requests[1][QUIPU_ORDER_TIME]);
}

static void test_reader_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    fake_trace = &trace;
    for (uint32_t order = 0; order < 2; order++) {
        struct counted counted = {0};
        assert_int_equal(read_counted(&counted, (enum quipu_order)order, 0), QUIPU_END);
        const uint64_t requests = counted.requests;
        for (uint64_t fail_at = 1; fail_at <= requests; fail_at++) {
            counted = (struct counted){.fail_at = fail_at};
            const enum quipu_status status = read_counted(&counted, (enum quipu_order)order, 0);
            assert_true(status == QUIPU_END || status == QUIPU_NO_MEMORY);
            assert_int_equal(counted.used, 0);
        }
    }
}

static void test_reader_merges_thousands_of_streams_within_its_limit(void **state) {
    (void)state;
    enum { STREAMS = 4000, LIMIT = 64 << 20 };
    static struct fake_stream made[STREAMS];
    make_streams(made, STREAMS, 50);
    const struct fake_trace wide = {made, STREAMS, STREAMS, 1, 0, 0};
    fake_trace = &wide;
    struct counted counted = {0};
    assert_int_equal(read_counted(&counted, QUIPU_ORDER_TIME, LIMIT), QUIPU_END);
    assert_true(counted.most < LIMIT);
    assert_int_equal(counted.used, 0);
    free_streams(made, STREAMS);
}

QUIPU_TESTS(cmocka_unit_test(test_reader_delivers_streams_one_after_the_other_by_default),
            cmocka_unit_test(test_reader_refuses_to_mix_ways_of_reading),
            cmocka_unit_test(test_reader_keeps_the_findings_of_opening),
            cmocka_unit_test(test_reader_opens_a_trace_without_streams),
            cmocka_unit_test(test_reader_says_what_is_wrong_with_a_path),
            cmocka_unit_test(test_reader_asks_for_no_memory_per_event),
            cmocka_unit_test(test_reader_survives_the_failure_of_any_allocation),
            cmocka_unit_test(test_reader_merges_thousands_of_streams_within_its_limit))
