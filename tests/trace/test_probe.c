/* test_probe.c: the format of a path is found by what is in it. */
#include "harness.h"

static void assert_probed(const char *path, const char *name) {
    const struct quipu_format *format;
    enum quipu_score score;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_probe(path, &format, &score, &err) != QUIPU_OK)
        fail_msg("%s: %s", path, err.message);
    assert_string_equal(format->name, name);
    assert_true(score >= QUIPU_SCORE_LIKELY);
}

static void assert_unknown(const char *path, enum quipu_status expected) {
    const struct quipu_format *format;
    enum quipu_score score;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_probe(path, &format, &score, &err), expected);
    assert_null(format);
    assert_int_equal(score, QUIPU_SCORE_NO);
    assert_string_equal(err.path, path);
}

static void test_probe_knows_files_and_folders_of_traces(void **state) {
    (void)state;
    static const struct {
        const char *path, *format;
    } cases[] = {
        {"sweep/otf", "otf"},
        {"sweep/otf/ring.otf", "otf"},
        {"sweep/otf/ring.1.events", "otf"},
        {"sweep/otf-compressed/ring.1.events.z", "otf"},
        {"sweep/dumpi", "dumpi"},
        {"sweep/dumpi/ring.meta", "dumpi"},
        {"sweep/dumpi/ring-0000.bin", "dumpi"},
        {"sweep/charisma/ring.ctrace", "charisma"},
        {"sweep/ovni/stream.obs", "ovni"},
        {"sweep/ovni", "ovni"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_probed(harness_data(cases[i].path), cases[i].format);
}

static void test_probe_does_not_need_the_name(void **state) {
    (void)state;
    size_t size;
    const char *data = harness_read(harness_data("sweep/dumpi/ring-0000.bin"), &size);
    const char *path = harness_text("%s/renamed.txt", harness_folder());
    harness_write(path, data, size);
    assert_probed(path, "dumpi");
}

static void test_probe_sees_through_compression(void **state) {
    (void)state;
    const char *path = harness_text("%s/ring-0000.bin.gz", harness_folder());
    assert_int_equal(harness_run("gzip -c %s >%s", harness_data("sweep/dumpi/ring-0000.bin"), path).code, 0);
    assert_probed(path, "dumpi");
}

static void test_probe_finds_what_a_name_without_suffix_stands_for(void **state) {
    (void)state;
    const char *folder = harness_folder(), *run = harness_text("%s/run", folder);
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_probed(harness_data("sweep/otf/ring"), "otf");
    assert_probed(harness_data("sweep/dumpi/ring"), "dumpi");
    assert_int_equal(quipu_reader_open(harness_data("sweep/otf/ring"), NULL, &reader, &err), QUIPU_OK);
    assert_true(quipu_reader_stream_count(reader) > 1);
    quipu_reader_close(reader);
    harness_write(harness_text("%s/run.otf", folder), "1:1\n", 4);
    harness_write(harness_text("%s/run.meta", folder), "numprocs=1\n", 11);
    assert_unknown(run, QUIPU_UNKNOWN_FORMAT);
    assert_int_equal(quipu_reader_open(run, NULL, &reader, &err), QUIPU_UNKNOWN_FORMAT);
    assert_non_null(strstr(err.message, "/run.otf"));
    assert_non_null(strstr(err.message, "/run.meta"));
    harness_write(harness_text("%s/run.1.events", folder), "0\n*1\n", 5);
    const struct quipu_reader_options named = {.format = "otf"};
    assert_int_equal(quipu_reader_open(run, &named, &reader, &err), QUIPU_OK);
    quipu_reader_close(reader);
}

static void test_probe_does_not_trust_a_name(void **state) {
    (void)state;
    const char *path = harness_text("%s/rank-0000.bin", harness_folder());
    const struct quipu_format *format;
    enum quipu_score score;
    harness_write(path, "this is no trace", 16);
    const enum quipu_status status = quipu_probe(path, &format, &score, NULL);
    assert_true(status == QUIPU_UNKNOWN_FORMAT || score == QUIPU_SCORE_NAME_ONLY);
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_UNKNOWN_FORMAT);
}

static void test_probe_says_when_it_does_not_know(void **state) {
    (void)state;
    const char *folder = harness_folder(), *text = harness_text("%s/readme", folder);
    harness_write(text, "nothing to see here\n", 20);
    assert_unknown(text, QUIPU_UNKNOWN_FORMAT);
    assert_unknown(folder, QUIPU_UNKNOWN_FORMAT);
    assert_unknown(harness_text("%s/missing", folder), QUIPU_NOT_FOUND);
    assert_unknown("-", QUIPU_UNKNOWN_FORMAT);
}

QUIPU_TESTS(cmocka_unit_test(test_probe_knows_files_and_folders_of_traces),
            cmocka_unit_test(test_probe_does_not_need_the_name),
            cmocka_unit_test(test_probe_finds_what_a_name_without_suffix_stands_for),
            cmocka_unit_test(test_probe_sees_through_compression),
            cmocka_unit_test(test_probe_does_not_trust_a_name),
            cmocka_unit_test(test_probe_says_when_it_does_not_know))
