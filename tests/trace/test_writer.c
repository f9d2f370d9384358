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

static const struct quipu_option fake_options[] = {
    {.name = "decimals", .kind = QUIPU_OPTION_NUMBER, .argument = "N", .default_value = "3", .doc = "decimals"},
    {.name = "machine",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "NAME",
     .default_value = "cm5",
     .doc = "machine"},
    {.name = "order",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "time|rank",
     .default_value = "time",
     .doc = "order"},
};
static char fake_decimals[8], fake_order[8];

static enum quipu_status create_with_settings(struct quipu__output_trace *output, struct quipu_error *err) {
    snprintf(fake_decimals, sizeof fake_decimals, "%s", quipu__settings_value(&output->settings, "decimals"));
    snprintf(fake_order, sizeof fake_order, "%s", quipu__settings_value(&output->settings, "order"));
    return fake_create(output, err);
}

/* Settings are texts of the caller, the last one of an option counts, and others have their defaults. */
static void test_writer_takes_settings_of_options_that_the_format_declares(void **state) {
    (void)state;
    struct quipu__writing writing = fake_writing;
    struct quipu__format format = fake_format;
    struct quipu_setting settings[] = {{"decimals", "6"}, {"decimals", "9"}, {"long", "yes"}};
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    struct quipu_writer *writer;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *path = harness_text("%s/out.fake", harness_folder());
    writing.create = create_with_settings;
    format.writing = &writing;
    format.info.options = fake_options;
    format.info.option_count = 3;
    options.settings = settings;
    options.setting_count = 2;
    assert_int_equal(quipu__writer_create(path, &format, &options, NULL, 0, &writer, &err), QUIPU_OK);
    assert_string_equal(fake_decimals, "9");
    assert_string_equal(fake_order, "time");
    quipu_writer_discard(writer);
    options.setting_count = 3;
    assert_int_equal(quipu__writer_create(path, &format, &options, NULL, 0, &writer, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "fake has no option \"long\"");
    assert_string_equal(err.advice, "its options: decimals=N, machine=NAME, order=time|rank");
    settings[1].value = "many";
    assert_int_equal(quipu__writer_create(path, &format, &options, NULL, 0, &writer, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "option \"decimals\" of fake: found \"many\", expected a number: N");
}

static void test_writer_options_are_checked_without_a_trace(void **state) {
    (void)state;
    const struct quipu_setting longer = {"long", "yes"}, unknown = {"decimals", "3"};
    const struct quipu_format *otf = quipu_format_find("otf"), *otf2 = quipu_format_find("otf2");
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    assert_int_equal(quipu_writer_check(NULL, otf, NULL, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_check("-", otf, NULL, NULL), QUIPU_UNSUPPORTED);
    options.compression = 5;
    assert_int_equal(quipu_writer_check("a", otf, &options, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_check("a", otf2, &options, NULL), QUIPU_UNSUPPORTED);
    options.compression = 0;
    options.setting_count = 1;
    options.settings = &longer;
    assert_int_equal(quipu_writer_check("a", otf, &options, NULL), QUIPU_OK);
    options.settings = &unknown;
    assert_int_equal(quipu_writer_check("a", otf, &options, NULL), QUIPU_MISUSE);
}

QUIPU_TESTS(cmocka_unit_test(test_writer_options_are_checked_without_a_trace),
            cmocka_unit_test(test_writer_makes_the_trace_appear_at_close),
            cmocka_unit_test(test_writer_leaves_nothing_when_discarded),
            cmocka_unit_test(test_writer_cannot_be_completed_after_a_failure),
            cmocka_unit_test(test_writer_does_not_overwrite_unless_asked),
            cmocka_unit_test(test_writer_takes_settings_of_options_that_the_format_declares))
