/* test_scan.c: rows that a thread makes in advance are those of one thread; the thread ends with the stream, whoever ends that; only the caller's thread
 * reports progress. */
#include "harness.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls of f, a tick of a microsecond each, one after the other: some more batches of events than are made in advance. */
enum { CALLS = 60000 };

static const char *write_long_trace(void) {
    const char *folder = harness_folder();
    char *events = malloc(CALLS * 32), *end = events;
    assert_non_null(events);
    for (unsigned i = 0; i < CALLS; i++)
        end += sprintf(end, "%x\n*1\nE1\n%x\n*1\nL1\n", 2 * i + 1, 2 * i + 2);
    harness_write(harness_text("%s/long.otf", folder), "1:1\n", 4);
    static const char definitions[] = "DTRf4240\nDP1NM\"a\"\nDFG1NM\"g\"\nDF1G1NM\"f\"\n";
    harness_write(harness_text("%s/long.0.def", folder), definitions, sizeof definitions - 1);
    harness_write(harness_text("%s/long.1.events", folder), events, (size_t)(end - events));
    free(events);
    return harness_text("%s/long.otf", folder);
}

struct source {
    struct quipu_budget *budget;
    struct quipu_reader *reader;
    struct ArrowArrayStream stream;
};

static void open_source(struct source *source, const char *path, struct quipu_progress progress) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    assert_int_equal(quipu_budget_new(0, NULL, &source->budget, NULL), QUIPU_OK);
    options.allocator = quipu_budget_allocator(source->budget);
    options.threads = 2;
    options.progress = progress;
    assert_int_equal(quipu_reader_open(path, &options, &source->reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_relation_stream(source->reader, "events", NULL, &source->stream, NULL), QUIPU_OK);
}

static void close_source(struct source *source) {
    if (source->stream.release)
        source->stream.release(&source->stream);
    quipu_reader_close(source->reader);
    assert_int_equal(quipu_budget_used(source->budget), 0);
    quipu_budget_free(source->budget);
}

/* ---- The same rows ---- */

struct text {
    char *bytes;
    size_t len, capacity;
};

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct text *text = context;
    (void)err;
    if (text->capacity - text->len < size) {
        text->capacity = 2 * (text->len + size);
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    memcpy(text->bytes + text->len, data, size);
    text->len += size;
    return QUIPU_OK;
}

static struct text rows_of(const char *path, const char *relation, uint32_t threads, uint64_t *rows) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct text text = {NULL, 0, 0};
    options.threads = threads;
    assert_int_equal(quipu_reader_open(path, &options, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_relation_write(reader, relation, NULL, QUIPU_ROWS_CSV, UINT64_MAX,
                                          (struct quipu_sink){append, &text}, rows, NULL),
                     QUIPU_OK);
    quipu_reader_close(reader);
    return text;
}

static void assert_same_rows(const char *path, const char *relation, uint64_t expected) {
    uint64_t rows, rows_of_two;
    struct text one = rows_of(path, relation, 1, &rows), two = rows_of(path, relation, 2, &rows_of_two);
    assert_int_equal(rows, rows_of_two);
    assert_true(expected == QUIPU_UNKNOWN || rows == expected);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.bytes, two.bytes, one.len);
    free(one.bytes);
    free(two.bytes);
}

static void test_scan_makes_the_same_rows(void **state) {
    (void)state;
    struct quipu_relation relation;
    for (size_t i = 0; quipu_relation_at(i, &relation); i++)
        assert_same_rows(harness_data("where/w.otf"), relation.name, QUIPU_UNKNOWN);
    const char *path = write_long_trace();
    assert_same_rows(path, "events", 2 * CALLS);
    assert_same_rows(path, "calls", CALLS);
    assert_same_rows(path, "messages", 0);
}

/* What each batch has is still right when all others have been made. */
static void test_scan_batches_are_the_consumers(void **state) {
    (void)state;
    enum { BATCHES_MOST = 100 };
    struct source source;
    struct ArrowArray arrays[BATCHES_MOST];
    size_t count = 0;
    int64_t row = 0;
    open_source(&source, write_long_trace(), (struct quipu_progress)QUIPU_PROGRESS_INIT);
    do {
        assert_in_range(count, 0, BATCHES_MOST - 1);
        assert_int_equal(source.stream.get_next(&source.stream, &arrays[count]), 0);
    } while (arrays[count++].release);
    assert_in_range(count, 6, BATCHES_MOST); /* more than are made in advance */
    for (size_t i = 0; i + 1 < count; i++) {
        const int64_t *times = arrays[i].children[0]->buffers[1];
        for (int64_t k = 0; k < arrays[i].length; k++)
            assert_int_equal(times[k], 1000 * ++row);
        arrays[i].release(&arrays[i]);
    }
    assert_int_equal(row, 2 * CALLS);
    close_source(&source);
}

/* ---- Ends ---- */

/* Until the failure, or the end. */
static int consume(struct source *source) {
    struct ArrowArray array;
    for (;;) {
        const int code = source->stream.get_next(&source->stream, &array);
        if (code != 0 || !array.release)
            return code;
        array.release(&array);
    }
}

static void test_scan_ends_with_the_stream(void **state) {
    (void)state;
    const char *path = write_long_trace();
    for (int consumed = 0; consumed < 4; consumed++) {
        struct source source;
        open_source(&source, path, (struct quipu_progress)QUIPU_PROGRESS_INIT);
        for (int i = 0; i < consumed; i++) {
            struct ArrowArray array;
            assert_int_equal(source.stream.get_next(&source.stream, &array), 0);
            array.release(&array);
        }
        close_source(&source);
    }
}

static void test_scan_leaves_the_reader_behind_the_last_rows(void **state) {
    (void)state;
    struct source source;
    struct quipu_event event;
    open_source(&source, write_long_trace(), (struct quipu_progress)QUIPU_PROGRESS_INIT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(consume(&source), 0);
    quipu_reader_rewind(source.reader);
    assert_int_equal(quipu_reader_next(source.reader, &event, NULL), QUIPU_OK);
    assert_int_equal(event.time, 1);
    close_source(&source);
}

/* The thread is not in a child, which must not wait for it: neither for rows nor to release those that it has. */
static void test_scan_ends_in_a_forked_process(void **state) {
    (void)state;
    struct source source;
    struct ArrowArray array, retained;
    int child_status;
    open_source(&source, write_long_trace(), (struct quipu_progress)QUIPU_PROGRESS_INIT);
    assert_int_equal(source.stream.get_next(&source.stream, &array), 0);
    assert_int_equal(source.stream.get_next(&source.stream, &retained), 0);
    array.release(&array);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        retained.release(&retained);
        const bool fails = source.stream.get_next(&source.stream, &array) != 0 &&
                           quipu_stream_error(&source.stream)->status == QUIPU_MISUSE;
        source.stream.release(&source.stream);
        _exit(fails ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &child_status, 0), child);
    assert_int_equal(child_status, 0);
    retained.release(&retained);
    assert_int_equal(consume(&source), 0);
    close_source(&source);
}

/* ---- Progress ---- */

struct watch {
    pthread_t caller;
    int left, calls;
};

static bool look(void *context, uint64_t done, uint64_t total, uint64_t events) {
    struct watch *watch = context;
    assert_true(pthread_equal(watch->caller, pthread_self()));
    assert_true(done <= total && events <= 2 * CALLS);
    watch->calls++;
    return --watch->left > 0;
}

static void test_scan_progress_is_reported_by_the_caller(void **state) {
    (void)state;
    struct watch watch = {pthread_self(), INT32_MAX, 0};
    struct source source;
    open_source(&source, write_long_trace(), (struct quipu_progress){look, &watch});
    assert_int_equal(consume(&source), 0);
    assert_in_range(watch.calls, 7, INT32_MAX); /* once a batch at least */
    close_source(&source);
}

static void test_scan_stops_when_progress_says_so(void **state) {
    (void)state;
    struct watch watch = {pthread_self(), 1, 0};
    struct source source;
    open_source(&source, write_long_trace(), (struct quipu_progress){look, &watch});
    assert_int_not_equal(consume(&source), 0);
    assert_int_equal(quipu_stream_error(&source.stream)->status, QUIPU_STOPPED);
    assert_int_equal(consume(&source), 0); /* the failure was told */
    close_source(&source);
}

QUIPU_TESTS(cmocka_unit_test(test_scan_makes_the_same_rows),
            cmocka_unit_test(test_scan_batches_are_the_consumers),
            cmocka_unit_test(test_scan_ends_with_the_stream),
            cmocka_unit_test(test_scan_leaves_the_reader_behind_the_last_rows),
            cmocka_unit_test(test_scan_ends_in_a_forked_process),
            cmocka_unit_test(test_scan_progress_is_reported_by_the_caller),
            cmocka_unit_test(test_scan_stops_when_progress_says_so))
