/* test_tracking.c: applications, clients and descriptors that are there when a record comes. */
#include "harness.h"

#include "traces.h"

#include <math.h>

/* Checks a file; the findings that count, as "code@byte code@byte". */
static const char *check(const char *path, const char *machine, enum quipu_verdict *verdict) {
    struct quipu_reader *reader = open_as(path, machine);
    struct quipu_check_result result;
    char text[2000] = "";
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        const size_t len = strlen(text);
        if (finding->rule->severity != QUIPU_INFO)
            snprintf(text + len, sizeof text - len, "%s%s@%d", len ? " " : "", finding->rule->id,
                     (int)finding->byte);
    }
    *verdict = result.verdict;
    quipu_reader_close(reader);
    return harness_text("%s", text);
}

static void assert_check(const struct made *made, const char *expected) {
    enum quipu_verdict verdict;
    const char *found = check(save(made), made->codec.profile.name, &verdict);
    assert_string_equal(found, expected);
    enum quipu_verdict due = expected[0] ? QUIPU_VERDICT_WARN : QUIPU_VERDICT_OK;
    if (strchr(expected, 'E'))
        due = QUIPU_VERDICT_REJECT;
    assert_int_equal(verdict, due);
}

/* Two clients of application 7: the first has descriptor 3 for reading, the second 4 for writing. */
static void make_clean(struct made *made) {
    make(made, "lp64", false);
    put_load(made, 10, 7, 2);
    put_open(made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ);
    put_open(made, 21, 2, 4, 71, QUIPU__CHARISMA_OPEN_WRITE | QUIPU__CHARISMA_OPEN_CREATE);
    put_rw(made, 100, 1, 3, 4, 0, 0, 10);
}

static void test_tracking_finds_a_number_that_is_used_again(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    put_rw(&made, 200, 1, 3, 5, 77, 0, 10);
    put_rw(&made, 300, 1, 3, 5, 77, 0, 10);
    const int again = (int)made.offset;
    PUT(&made, asynch_end, .call_time = ticks(&made, 310), .end_time = ticks(&made, 311), .async_id = 77,
        .client_id = 1, .appl_id = -1);
    assert_check(&made, harness_text("W25@%d", again));
    unmake(&made);
}

static void test_tracking_finds_a_wait_before_its_request_returned(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    put_rw(&made, 200, 1, 3, 5, 77, 0, 10); /* returns at 205 */
    PUT(&made, asynch_end, .call_time = ticks(&made, 204), .end_time = ticks(&made, 209), .async_id = 77,
        .client_id = 1, .appl_id = -1);
    assert_check(&made, harness_text("W04@%d", (int)made.offset));
    unmake(&made);
}

/* A descriptor that one client of an application has open may have been inherited by another; with two it is not known which. */
static void test_tracking_takes_the_only_open_descriptor_of_an_application(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    put_rw(&made, 200, 2, 3, 6, 0, 0, 10); /* a write through the first client's descriptor for reading */
    assert_check(&made, harness_text("W08@%d W22@%d", (int)made.offset, (int)made.offset));
    put_open(&made, 300, 2, 9, 70, QUIPU__CHARISMA_OPEN_READ);
    unmake(&made);
}

static void test_tracking_lets_clients_use_what_their_application_opened(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    PUT(&made, app_open, .timestamp = ticks(&made, 150), .appl_id = 7, .name = sized_text(&made, "a"),
        .path = sized_text(&made, ""), .file_id = {.i = 90}, .file_desc = 30, .open_flags = 2);
    put_rw(&made, 200, 2, 30, 4, 0, 0, 10);
    PUT(&made, app_exit, .timestamp = ticks(&made, 300), .appl_id = 7);
    put_rw(&made, 400, 2, 30, 4, 0, 0, 10); /* the application is gone, and has closed it */
    assert_check(&made, harness_text("W08@%d", (int)made.offset));
    unmake(&made);
}

/* A real stamp that is no number comes before all, itself included, so that no run of requests goes past it. */
static void test_tracking_has_stamps_that_are_no_numbers_first(void **state) {
    const struct quipu_number none = {.f = NAN, .is_real = true}, least = {.f = -INFINITY, .is_real = true},
                              one = {.f = 1, .is_real = true}, two = {.f = 2, .is_real = true};
    (void)state;
    assert_true(quipu__charisma_is_before(none, least) && quipu__charisma_is_before(none, none));
    assert_true(quipu__charisma_is_before(one, two) && !quipu__charisma_is_before(two, two) &&
                !quipu__charisma_is_before(two, one));
    assert_true(quipu__charisma_compare(none, least) < 0 && quipu__charisma_compare(none, none) < 0);
    assert_int_equal(quipu__charisma_compare(one, two), -1);
    assert_int_equal(quipu__charisma_compare(two, two), 0);
    assert_int_equal(quipu__charisma_compare(two, one), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_tracking_has_stamps_that_are_no_numbers_first),
            cmocka_unit_test(test_tracking_takes_the_only_open_descriptor_of_an_application),
            cmocka_unit_test(test_tracking_lets_clients_use_what_their_application_opened),
            cmocka_unit_test(test_tracking_finds_a_wait_before_its_request_returned),
            cmocka_unit_test(test_tracking_finds_a_number_that_is_used_again))
