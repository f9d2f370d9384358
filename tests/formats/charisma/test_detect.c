/* test_detect.c: the machine is found by the bytes; where several fit it is not guessed. */
#include "harness.h"

#include "traces.h"

static const char *detected(const char *path, struct quipu_error *err) {
    struct quipu_reader *reader;
    if (quipu_reader_open(path, NULL, &reader, err) != QUIPU_OK)
        return "";
    const char *variant = harness_text("%s", quipu_reader_variant(reader));
    quipu_reader_close(reader);
    return variant;
}

/* The list of lp64 begins at 360 of 368 bytes and has 4-byte numbers: an even number of clients tells sizeof from align, three
 * tell all rules apart. */
static void test_detect_finds_the_machine_of_every_profile(void **state) {
    struct quipu__charisma_profile profile;
    (void)state;
    for (size_t i = 0; quipu__charisma_profile_at(i, &profile); i++) {
        struct quipu_error err = QUIPU_ERROR_INIT;
        struct made made;
        make(&made, profile.name, false);
        put_load(&made, 10, 7, 3);
        put_load(&made, 11, 8, 2);
        put_open(&made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ);
        assert_string_equal(detected(save(&made), &err), profile.name);
        unmake(&made);
    }
}

static void test_detect_says_which_machines_read_the_same(void **state) {
    struct made made;
    struct quipu_reader *reader;
    (void)state;
    make(&made, "lp64", false); /* without lists */
    PUT(&made, app_exit, .timestamp = ticks(&made, 10), .appl_id = 7);
    assert_int_equal(quipu_reader_open(save(&made), NULL, &reader, NULL), QUIPU_OK);
    assert_string_equal(quipu_reader_variant(reader), "lp64");
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    assert_int_equal(quipu_findings_count(findings), 1);
    assert_string_equal(quipu_findings_at(findings, 0)->rule->id, "charisma.machines");
    assert_string_equal(quipu_findings_at(findings, 0)->found, "lp64 or lp64-tail-exact, lp64-tail-align");
    quipu_reader_close(reader);
    unmake(&made);
}

static void test_detect_does_not_guess(void **state) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct made made;
    (void)state;
    make(&made, "cm5", true);
    PUT(&made, header, .start_date = 760000000, .system_type = 7, .md_version = 1,
        .release_data = sized_text(&made, "x"), .num_processors = 4, .timestamp_unit = 1e-6);
    assert_string_equal(detected(save(&made), &err), "");
    assert_int_equal(err.status, QUIPU_UNKNOWN_FORMAT);
    assert_non_null(strstr(err.message, "no machine profile fits the header: "));
    assert_non_null(strstr(err.message, "cm5 system_type"));
    assert_string_equal(err.advice, "choose the machine with --machine NAME or FILE");
    unmake(&made);
}

/* Each is a header that cannot be. */
static void test_detect_believes_no_header_that_cannot_be(void **state) {
    static const struct {
        int64_t date, processors;
        double unit;
        const char *fault;
    } cases[] = {{400000000, 4, 1e-9, "lp64 start_date"},
                 {5000000000, 4, 1e-9, "lp64 start_date"},
                 {760000000, 0, 1e-9, "lp64 num_processors"},
                 {760000000, 4, 0, "lp64 timestamp_unit"},
                 {760000000, 4, 2000, "lp64 timestamp_unit"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu_error err = QUIPU_ERROR_INIT;
        struct made made;
        make(&made, "lp64", true);
        PUT(&made, header, .start_date = cases[i].date, .system_type = 100, .md_version = 1,
            .release_data = sized_text(&made, "x"), .num_processors = cases[i].processors,
            .timestamp_unit = cases[i].unit);
        assert_string_equal(detected(save(&made), &err), "");
        if (!strstr(err.message, cases[i].fault))
            fail_msg("%s", err.message);
        unmake(&made);
    }
}

static void test_detect_a_profile_of_a_file_reads_what_no_other_does(void **state) {
    struct quipu__charisma_profile profile;
    struct made made;
    struct quipu_record record;
    (void)state;
    make(&made, "lp64", true);
    PUT(&made, header, .start_date = 760000000, .system_type = 42, .md_version = 1,
        .release_data = sized_text(&made, "x"), .num_processors = 4, .timestamp_unit = 1e-9);
    assert_true(quipu__charisma_profile_find("lp64", &profile));
    profile.system_type = 42;
    snprintf(profile.name, sizeof profile.name, "mine");
    const char *path = profile_file(&profile);
    struct quipu_reader *reader = open_as(save(&made), path);
    assert_string_equal(quipu_reader_variant(reader), "mine");
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 0);
    quipu_reader_close(reader);
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_detect_finds_the_machine_of_every_profile),
            cmocka_unit_test(test_detect_says_which_machines_read_the_same),
            cmocka_unit_test(test_detect_does_not_guess),
            cmocka_unit_test(test_detect_believes_no_header_that_cannot_be),
            cmocka_unit_test(test_detect_a_profile_of_a_file_reads_what_no_other_does))
