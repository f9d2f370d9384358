/* test_registry.c: the one list of formats: those that are read and those that are only written. */
#include "formats/foreign.h"

static const struct quipu_format *foreign_at(size_t index) {
    const struct quipu_format *format = quipu_format_at(index);
    return format->abilities & QUIPU_CAN_READ ? NULL : format;
}

static void test_registry_finds_formats_by_name_and_suffix(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu_format_count(); i++)
        assert_ptr_equal(quipu_format_find(quipu_format_at(i)->name), quipu_format_at(i));
    assert_string_equal(quipu_format_by_suffix("a/b.perfetto-trace")->name, "perfetto");
    assert_string_equal(quipu_format_by_suffix("run.json")->name, "chrome");
    assert_string_equal(quipu_format_by_suffix("run.otf")->name, "otf");
    assert_null(quipu_format_by_suffix("run.txt"));
    assert_null(quipu_format_find("nonsense"));
}

/* The abilities are what the descriptor has functions for. */
static void test_registry_abilities_are_those_of_the_descriptor(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu__format *format = quipu__format_at(i);
        const uint32_t abilities = format->info.abilities;
        assert_int_equal((abilities & QUIPU_CAN_READ) != 0, format->reading != NULL);
        assert_int_equal((abilities & QUIPU_CAN_WRITE) != 0, format->writing != NULL);
        assert_int_equal((abilities & QUIPU_CAN_WRITE_RECORDS) != 0, format->copying != NULL);
        assert_int_equal(format->info.schema != NULL, format->reading != NULL);
    }
}

static void test_registry_timelines_lose_nothing_but_what_the_source_does(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu_format_count(); i++) {
        if (!foreign_at(i) || !quipu__format_at(i)->writing->capabilities->everything)
            continue;
        struct quipu_reader *reader = fake_reader(&small_trace);
        struct quipu_conversion_report *report;
        const char *path = harness_text("%s/out", harness_folder());
        assert_int_equal(quipu_convert(reader, path, foreign_at(i)->name, NULL, &report, NULL), QUIPU_OK);
        assert_int_equal(quipu_conversion_report_lost(report), 2); /* the scents of two messages */
        quipu_conversion_report_free(report);
        quipu_reader_close(reader);
    }
}

static void test_registry_foreign_targets_cannot_be_read(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu_format_count(); i++) {
        if (!foreign_at(i))
            continue;
        size_t size;
        struct quipu_reader *reader = NULL;
        struct quipu_error err = QUIPU_ERROR_INIT;
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        options.format = foreign_at(i)->name;
        written_as(foreign_at(i)->name, &small_trace, &size);
        assert_int_equal(quipu_reader_open(harness_text("%s/out", harness_folder()), &options, &reader, &err),
                         QUIPU_UNSUPPORTED);
        assert_null(reader);
        assert_string_equal(err.message, harness_text("%s cannot be read", options.format));
    }
}

QUIPU_TESTS(cmocka_unit_test(test_registry_finds_formats_by_name_and_suffix),
            cmocka_unit_test(test_registry_abilities_are_those_of_the_descriptor),
            cmocka_unit_test(test_registry_timelines_lose_nothing_but_what_the_source_does),
            cmocka_unit_test(test_registry_foreign_targets_cannot_be_read))
