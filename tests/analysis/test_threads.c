/* test_threads.c: what an analysis answers, what is found on the way and what fails do not depend on the number of
 * threads. */
#include "trace/fake.h"

#include <pthread.h>
#include <stdatomic.h>

static const uint32_t counts[] = {1, 2, 3, 8};
enum { COUNTS = sizeof counts / sizeof *counts };

/* ---- What reading a trace gives, as text ---- */

struct text {
    char *at;
    size_t len;
};

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct text *text = context;
    (void)err;
    text->at = realloc(text->at, text->len + size + 1);
    memcpy(text->at + text->len, data, size);
    text->len += size;
    text->at[text->len] = '\0';
    return QUIPU_OK;
}

static void append_line(struct text *text, const char *line) {
    assert_int_equal(append(text, line, strlen(line), NULL), QUIPU_OK);
    assert_int_equal(append(text, "\n", 1, NULL), QUIPU_OK);
}

static void append_findings(struct text *text, const struct quipu_findings *findings) {
    char line[1024];
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        append_line(text, quipu_finding_text(quipu_findings_at(findings, i), line, sizeof line));
    for (int severity = QUIPU_INFO; severity <= QUIPU_ERROR_FINDING; severity++)
        append_line(text, harness_text("%llu", (unsigned long long)quipu_findings_total(
                                                   findings, (enum quipu_severity)severity)));
}

static void append_profile(struct text *text, struct quipu_reader *reader, const char *by,
                           const struct quipu_selection *selection) {
    const struct quipu_render_options render = {
        .style = QUIPU_STYLE_CSV, .row_limit = SIZE_MAX, .bar_column = SIZE_MAX};
    const struct quipu_setting settings[] = {{"by", by}};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.selection = selection;
    options.settings = settings;
    options.setting_count = 1;
    const enum quipu_status status = quipu_analysis_run(reader, "profile", &options, &tables, &err);
    append_line(text, quipu_status_name(status));
    append_line(text, err.message);
    if (status == QUIPU_OK)
        assert_int_equal(
            quipu_table_write(quipu_tables_list(tables), 1, &render, (struct quipu_sink){append, text}, NULL),
            QUIPU_OK);
    quipu_tables_free(tables);
    append_findings(text, quipu_reader_findings(reader));
    append_line(text, harness_text("%llu records", (unsigned long long)quipu_reader_records(reader)));
    for (uint32_t type = 0; type < quipu_reader_format(reader)->schema->type_count; type++)
        append_line(text, harness_text("%llu", (unsigned long long)quipu_reader_records_of(reader, type)));
}

static void append_summary(struct text *text, struct quipu_reader *reader) {
    struct quipu_summary summary;
    append_line(text, quipu_status_name(quipu_summarise(reader, NULL, &summary, NULL)));
    assert_int_equal(quipu_summary_write(&summary, reader, true, (struct quipu_sink){append, text}, NULL),
                     QUIPU_OK);
}

/* Everything that a reader tells in a few passes; closes it. */
static char *tell(struct quipu_reader *reader) {
    static const uint32_t regions[] = {1, 3};
    struct quipu_selection some = QUIPU_SELECTION_INIT;
    struct text text = {NULL, 0};
    some.from = 10;
    some.regions = regions;
    some.region_count = 2;
    append_profile(&text, reader, "location", NULL);
    append_profile(&text, reader, "region", NULL);
    append_profile(&text, reader, "location", &some);
    append_summary(&text, reader);
    quipu_reader_close(reader);
    char *told = harness_text("%s", text.at);
    free(text.at);
    return told;
}

static char *tell_fake(const struct fake_trace *trace, uint32_t threads) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.threads = threads;
    return tell(fake_reader_with(trace, &options));
}

/* ---- All small traces ---- */

static uint32_t shared; /* traces that were really read by several threads */

static void compare_trace(const char *path) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    const char *one = NULL;
    for (uint32_t i = 0; i < COUNTS; i++) {
        struct quipu_reader *reader;
        options.threads = counts[i];
        if (quipu_reader_open(path, &options, &reader, NULL) != QUIPU_OK)
            return;
        shared += quipu__reader_threads(reader, 100) > 1;
        const char *told = tell(reader);
        one = one ? one : told;
        if (strcmp(one, told) != 0)
            fail_msg("%s with %u threads:\n%s\nwith one:\n%s", path, counts[i], told, one);
    }
}

static void test_threads_answer_the_same_for_all_small_traces(void **state) {
    (void)state;
    harness_visit(harness_data(""), compare_trace);
    assert_true(shared >= 6);
}

/* ---- Made traces ---- */

enum { STREAMS = 9, ROWS = 20000 };
static struct quipu_event rows[STREAMS][ROWS];
static struct fake_stream streams[STREAMS + 1];
static const struct quipu_event definition = {.kind = FAKE_DEFINE};
static const struct fake_trace trace = {streams, STREAMS + 1, STREAMS, 5, 1, 3};

/* Nested calls and messages at one location per stream, but that the last two streams share one. */
static int make_trace(void **state) {
    static const uint8_t kinds[] = {QUIPU_KIND_enter, QUIPU_KIND_enter, QUIPU_KIND_send, QUIPU_KIND_leave,
                                    QUIPU_KIND_leave};
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            const uint32_t step = i % 5;
            rows[s][i] = (struct quipu_event){.time = (int64_t)i * (s + 3),
                                              .kind = kinds[step],
                                              .location = s < STREAMS - 1 ? s : s - 1,
                                              .object = step == 0 || step == 4 ? s % 5 : (i + 1) % 5,
                                              .bytes = i};
        }
        streams[s] = (struct fake_stream){rows[s], ROWS - s, 1};
    }
    streams[STREAMS] = (struct fake_stream){&definition, 1, 0};
    return 0;
}

static void compare_fake(void) {
    const char *one = tell_fake(&trace, 1);
    for (uint32_t i = 1; i < COUNTS; i++)
        assert_string_equal(tell_fake(&trace, counts[i]), one);
}

static void test_threads_answer_the_same_for_streams_that_share_a_location(void **state) {
    (void)state;
    compare_fake();
}

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

static void test_threads_report_the_first_failure(void **state) {
    (void)state;
    rows[8][0] = (struct quipu_event){.kind = FAKE_FAILURE};
    rows[6][10] = rows[8][0];
    rows[3][ROWS / 2] = (struct quipu_event){.kind = FAKE_FAILURE, .bytes = 50};
    for (uint32_t i = 0; i < COUNTS; i++)
        assert_non_null(strstr(tell_fake(&trace, counts[i]), "LIMIT\nstream 3 failed\n"));
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

/* ---- Progress ---- */

struct watcher {
    pthread_t thread;
    uint32_t calls;
    uint64_t done, events;
    bool goes_on;
};

static bool watch(void *context, uint64_t done, uint64_t total, uint64_t events) {
    struct watcher *watcher = context;
    (void)total;
    assert_true(pthread_equal(watcher->thread, pthread_self()));
    assert_true(done >= watcher->done && events >= watcher->events);
    watcher->calls++;
    watcher->done = done;
    watcher->events = events;
    return watcher->goes_on;
}

static void test_threads_leave_progress_to_the_caller(void **state) {
    (void)state;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct watcher watcher = {.thread = pthread_self(), .goes_on = true};
    const struct quipu_progress progress = {watch, &watcher};
    struct quipu_summary summary;
    options.threads = 2;
    struct quipu_reader *reader = fake_reader_with(&trace, &options);
    assert_int_equal(quipu_summarise(reader, &progress, &summary, NULL), QUIPU_OK);
    assert_true(watcher.calls > 0);
    assert_true(watcher.events == summary.events && summary.events == (uint64_t)STREAMS * ROWS - 36);
    assert_true(watcher.done == summary.events); /* a fake row is a byte */
    quipu_reader_close(reader);
}

static void test_threads_stop_when_progress_says_so(void **state) {
    (void)state;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct watcher watcher = {.thread = pthread_self(), .goes_on = false};
    const struct quipu_progress progress = {watch, &watcher};
    struct quipu_summary summary;
    options.threads = 3;
    struct quipu_reader *reader = fake_reader_with(&trace, &options);
    assert_int_equal(quipu_summarise(reader, &progress, &summary, NULL), QUIPU_STOPPED);
    quipu_reader_close(reader);
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

QUIPU_TESTS(cmocka_unit_test(test_threads_answer_the_same_for_all_small_traces),
            cmocka_unit_test_setup(test_threads_answer_the_same_for_streams_that_share_a_location, make_trace),
            cmocka_unit_test_setup(test_threads_find_the_same_in_the_same_order, make_trace),
            cmocka_unit_test_setup(test_threads_number_late_definitions_like_one, make_trace),
            cmocka_unit_test_setup(test_threads_report_the_first_failure, make_trace),
            cmocka_unit_test_setup(test_threads_lose_only_the_rest_of_an_unreadable_stream, make_trace),
            cmocka_unit_test_setup(test_threads_leave_progress_to_the_caller, make_trace),
            cmocka_unit_test_setup(test_threads_stop_when_progress_says_so, make_trace),
            cmocka_unit_test(test_threads_survive_the_failure_of_any_request))
