/* test_worker_pool.c: threads that read streams: progress is told to one of them, and all stop. */
#include "analysis/threads.h"

static void test_worker_pool_reports_the_first_failure(void **state) {
    (void)state;
    rows[8][0] = (struct quipu_event){.kind = FAKE_FAILURE};
    rows[6][10] = rows[8][0];
    rows[3][ROWS / 2] = (struct quipu_event){.kind = FAKE_FAILURE, .bytes = 50};
    for (uint32_t i = 0; i < COUNTS; i++)
        assert_non_null(strstr(tell_fake(&trace, counts[i]), "LIMIT\nstream 3 failed\n"));
}

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

static void test_worker_pool_leaves_progress_to_the_caller(void **state) {
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

static void test_worker_pool_stops_when_progress_says_so(void **state) {
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

QUIPU_TESTS(cmocka_unit_test_setup(test_worker_pool_leaves_progress_to_the_caller, make_trace),
            cmocka_unit_test_setup(test_worker_pool_stops_when_progress_says_so, make_trace),
            cmocka_unit_test_setup(test_worker_pool_reports_the_first_failure, make_trace))
