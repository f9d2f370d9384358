/* test_threads.c: what an analysis answers, what is found on the way and what fails do not depend on the number of
 * threads. */
#include "analysis/threads.h"

/* ---- What reading a trace gives, as text ---- */

/* ---- Made traces ---- */

static void test_threads_find_the_same_in_the_same_order(void **state) {
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++)
        for (uint32_t i = 0; i < 25u * (s + 1); i++)
            rows[s][i * 17 + 100 * s].kind = FAKE_DAMAGE;
    const char *one = tell_fake(&trace, 1);
    assert_non_null(strstr(one, "found stream 0"));
    assert_non_null(strstr(one, "found stream 2"));
    assert_null(strstr(one, "found stream 3")); /* after 25 + 50, only 25 of stream 2 are kept */
    compare_fake();
}

static void test_threads_number_late_definitions_like_one(void **state) {
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++)
        rows[s][ROWS / 2].kind = FAKE_LATE, rows[s][ROWS / 2].bytes = 500 + s;
    for (uint32_t i = 0; i < COUNTS; i++) {
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        struct quipu_summary summary;
        options.threads = counts[i];
        struct quipu_reader *reader = fake_reader_with(&trace, &options);
        assert_int_equal(quipu_summarise(reader, NULL, &summary, NULL), QUIPU_OK);
        const struct quipu_regions *regions = &quipu_reader_definitions(reader)->regions;
        assert_int_equal(regions->count, 5 + STREAMS);
        for (uint32_t s = 0; s < STREAMS; s++)
            assert_int_equal(regions->items[5 + s].native_id, 500 + s);
        assert_true(summary.records == (uint64_t)STREAMS * ROWS - 36 + 1);
        quipu_reader_close(reader);
    }
}

/* What stands before the place counts, and so do the other streams. */
static void test_threads_lose_only_the_rest_of_an_unreadable_stream(void **state) {
    (void)state;
    rows[3][ROWS / 2] = (struct quipu_event){.kind = FAKE_UNREADABLE};
    for (uint32_t i = 0; i < COUNTS; i++) {
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        struct quipu_summary summary;
        options.threads = counts[i];
        struct quipu_reader *reader = fake_reader_with(&trace, &options);
        assert_int_equal(quipu_summarise(reader, NULL, &summary, NULL), QUIPU_OK);
        assert_true(summary.records == (uint64_t)STREAMS * ROWS - 36 + 1 - (ROWS - 3) + ROWS / 2 + 1);
        assert_true(summary.events == summary.records - 2); /* definition and failure */
        assert_int_equal(quipu_reader_unreadable(reader), 1);
        assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS), 1);
        const struct quipu_finding *finding = quipu_findings_at(
            quipu_reader_findings(reader), quipu_findings_count(quipu_reader_findings(reader)) - 1);
        assert_string_equal(finding->rule->id, "file.unreadable");
        assert_string_equal(finding->found, "read failed: broken disk");
        quipu_reader_close(reader);
    }
}

/* ---- Memory ---- */

struct failing {
    atomic_uint_fast64_t requests;
    uint64_t fails_at;
    atomic_int_fast64_t bytes;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct failing *failing = context;
    if (size > 0 && atomic_fetch_add(&failing->requests, 1) == failing->fails_at)
        return NULL;
    atomic_fetch_add(&failing->bytes, (int64_t)size - (int64_t)old_size);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

/* Profiles a trace, of which one request for memory fails. */
static enum quipu_status profile_failing(const char *path, struct failing *failing) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_tables *tables = NULL;
    options.threads = 3;
    options.allocator = (struct quipu_allocator){resize, failing};
    enum quipu_status status = quipu_reader_open(path, &options, &reader, NULL);
    if (status == QUIPU_OK)
        status = quipu_analysis_run(reader, "profile", NULL, &tables, NULL);
    assert_true((status == QUIPU_OK) == (tables != NULL));
    quipu_tables_free(tables);
    quipu_reader_close(reader);
    return status;
}

static void test_threads_survive_the_failure_of_any_request(void **state) {
    (void)state;
    const char *path = harness_data("otf/small.otf");
    uint64_t failed = 0, n = 0;
    struct failing failing;
    do {
        atomic_init(&failing.requests, 0);
        atomic_init(&failing.bytes, 0);
        failing.fails_at = n++;
        failed += profile_failing(path, &failing) != QUIPU_OK;
        assert_true(failing.bytes == 0);
    } while (failing.requests > failing.fails_at);
    assert_true(failed > 20);
}

QUIPU_TESTS(cmocka_unit_test_setup(test_threads_find_the_same_in_the_same_order, make_trace),
            cmocka_unit_test_setup(test_threads_number_late_definitions_like_one, make_trace),
            cmocka_unit_test_setup(test_threads_lose_only_the_rest_of_an_unreadable_stream, make_trace),
            cmocka_unit_test(test_threads_survive_the_failure_of_any_request))
