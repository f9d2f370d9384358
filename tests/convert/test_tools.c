/* test_tools.c: merging, cutting and taking snapshots when memory runs out at any time. What they write is tested
 * through the command. */
#include "harness.h"

/* Lets the requests with the numbers from fail_at on fail; SIZE_MAX: none. */
struct scarce {
    size_t requests, fail_at;
    size_t live; /* bytes that are not given back */
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct scarce *scarce = context;
    if (size > old_size && scarce->requests++ >= scarce->fail_at)
        return NULL;
    void *moved = size ? realloc(block, size) : NULL;
    if (!size)
        free(block);
    scarce->live += size - old_size;
    return moved;
}

typedef enum quipu_status work_fn(struct quipu_reader *reader, const char *path,
                                  const struct quipu_writer_options *writer, struct quipu_error *err);

static enum quipu_status distribute(struct quipu_reader *reader, const char *path,
                                    const struct quipu_writer_options *writer, struct quipu_error *err) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report = NULL;
    options.writer = *writer;
    options.writer.streams = 2;
    const enum quipu_status status = quipu_merge(&reader, 1, path, "otf", &options, &report, err);
    quipu_conversion_report_free(report);
    return status;
}

static enum quipu_status join(struct quipu_reader *reader, const char *path,
                              const struct quipu_writer_options *writer, struct quipu_error *err) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_reader *readers[2] = {reader, NULL};
    struct quipu_conversion_report *reports[2] = {NULL, NULL};
    options.writer = *writer;
    enum quipu_status status = quipu_reader_open(harness_data("cli/exchange.otf"), NULL, &readers[1], err);
    if (status == QUIPU_OK)
        status = quipu_merge(readers, 2, path, "otf", &options, reports, err);
    quipu_conversion_report_free(reports[0]);
    quipu_conversion_report_free(reports[1]);
    quipu_reader_close(readers[1]);
    return status;
}

static enum quipu_status cut(struct quipu_reader *reader, const char *path,
                             const struct quipu_writer_options *writer, struct quipu_error *err) {
    struct quipu_cut_options options = QUIPU_CUT_OPTIONS_INIT;
    options.convert.writer = *writer;
    options.convert.selection.from = 5;
    options.convert.selection.to = 11;
    options.snapshots = true;
    return quipu_cut(reader, path, "otf", &options, NULL, err);
}

static enum quipu_status cut_events(struct quipu_reader *reader, const char *path,
                                    const struct quipu_writer_options *writer, struct quipu_error *err) {
    struct quipu_cut_options options = QUIPU_CUT_OPTIONS_INIT;
    options.convert.writer = *writer;
    options.convert.selection.from = 5;
    options.convert.selection.to = 11;
    return quipu_cut(reader, path, "chrome", &options, NULL, err);
}

static enum quipu_status snapshot(struct quipu_reader *reader, const char *path,
                                  const struct quipu_writer_options *writer, struct quipu_error *err) {
    struct quipu_snapshot_options options = QUIPU_SNAPSHOT_OPTIONS_INIT;
    options.convert.writer = *writer;
    options.count = 3;
    return quipu_snapshot(reader, path, &options, err);
}

/* Runs the work with an allocator for both sides; a reader that cannot be opened is a failure too. */
static enum quipu_status run(work_fn *work, struct scarce *scarce, const char *path) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_writer_options writer = QUIPU_WRITER_OPTIONS_INIT;
    struct quipu_reader *reader;
    options.allocator = writer.allocator = (struct quipu_allocator){resize, scarce};
    enum quipu_status status = quipu_reader_open(harness_data("otf/small.otf"), &options, &reader, NULL);
    if (status == QUIPU_OK)
        status = work(reader, path, &writer, NULL);
    quipu_reader_close(reader);
    return status;
}

static void survive(work_fn *work) {
    struct scarce plenty = {.fail_at = SIZE_MAX};
    const char *folder = harness_folder();
    assert_int_equal(run(work, &plenty, harness_text("%s/all.otf", folder)), QUIPU_OK);
    assert_int_equal(plenty.live, 0);
    assert_true(plenty.requests > 20);
    for (size_t i = 0; i < plenty.requests; i++) {
        struct scarce scarce = {.fail_at = i};
        const char *path = harness_text("%s/%zu.otf", folder, i);
        assert_int_not_equal(run(work, &scarce, path), QUIPU_OK);
        assert_int_equal(scarce.live, 0);
        assert_false(harness_exists(path));
    }
}

static void test_tools_deal_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    survive(distribute);
}

static void test_tools_join_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    survive(join);
}

static void test_tools_cut_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    survive(cut);
}

static void test_tools_cut_events_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    survive(cut_events);
}

static void test_tools_snapshot_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    survive(snapshot);
}

QUIPU_TESTS(cmocka_unit_test(test_tools_deal_survives_the_failure_of_any_allocation),
            cmocka_unit_test(test_tools_join_survives_the_failure_of_any_allocation),
            cmocka_unit_test(test_tools_cut_survives_the_failure_of_any_allocation),
            cmocka_unit_test(test_tools_cut_events_survives_the_failure_of_any_allocation),
            cmocka_unit_test(test_tools_snapshot_survives_the_failure_of_any_allocation))
