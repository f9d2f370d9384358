/* test_writer.c: a trace appears whole at close, or not at all. */
#include "trace/fake.h"

static struct quipu_writer *new_writer(const char *path) {
    struct quipu_writer *writer;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu__writer_create(path, &fake_format, NULL, NULL, 0, &writer, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    return writer;
}

static void test_writer_makes_the_trace_appear_at_close(void **state) {
    (void)state;
    const char *path = harness_text("%s/out.fake", harness_folder());
    struct quipu_writer *writer = new_writer(path);
    assert_int_equal(quipu_writer_order(writer), QUIPU_ORDER_STREAM);
    assert_false(harness_exists(path));
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    assert_true(harness_exists(path));
    assert_true(fake_written.is_finished);
}

static void test_writer_leaves_nothing_when_discarded(void **state) {
    (void)state;
    const char *folder = harness_folder();
    quipu_writer_discard(new_writer(harness_text("%s/out.fake", folder)));
    assert_int_equal(harness_run("ls -A %s", folder).out_size, 0);
    assert_false(fake_written.is_finished);
    quipu_writer_discard(NULL);
}

static void test_writer_cannot_be_completed_after_a_failure(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu_writer *writer = new_writer(harness_text("%s/out.fake", folder));
    static const struct quipu_definitions definitions;
    static const struct quipu_batch batch;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_writer_put_batch(writer, &batch, &err), QUIPU_MISUSE);
    assert_int_equal(quipu_writer_define(writer, &definitions, &err), QUIPU_OK);
    assert_int_equal(quipu_writer_put_batch(writer, &batch, &err), QUIPU_OK);
    fake_written.failure = QUIPU_OUTPUT;
    assert_int_equal(quipu_writer_put_batch(writer, &batch, &err), QUIPU_OUTPUT);
    fake_written.failure = QUIPU_OK;
    assert_int_equal(quipu_writer_put_batch(writer, &batch, &err), QUIPU_OK);
    assert_int_equal(quipu_writer_close(writer, &err), QUIPU_OUTPUT);
    assert_int_equal(harness_run("ls -A %s", folder).out_size, 0);
}

static void test_writer_does_not_overwrite_unless_asked(void **state) {
    (void)state;
    const char *path = harness_text("%s/out.fake", harness_folder());
    harness_write(path, "old", 3);
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    struct quipu_writer *writer;
    assert_int_equal(quipu__writer_create(path, &fake_format, &options, NULL, 0, &writer, NULL), QUIPU_EXISTS);
    assert_null(writer);
    assert_string_equal(harness_read(path, NULL), "old");
    options.replace = true;
    assert_int_equal(quipu__writer_create(path, &fake_format, &options, NULL, 0, &writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "");
}

QUIPU_TESTS(cmocka_unit_test(test_writer_makes_the_trace_appear_at_close),
            cmocka_unit_test(test_writer_leaves_nothing_when_discarded),
            cmocka_unit_test(test_writer_cannot_be_completed_after_a_failure),
            cmocka_unit_test(test_writer_does_not_overwrite_unless_asked))
