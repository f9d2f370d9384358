/* test_reader.c: from record to record, and what stops there. */
#include "harness.h"

#include "traces.h"

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

static void test_reader_of_a_trace_without_header(void **state) {
    struct made made;
    (void)state;
    make(&made, "lp64", true);
    put_load(&made, 10, 7, 1);
    assert_check(&made, "W01@8");
    unmake(&made);
}

static void test_reader_of_a_file_that_ends_inside_a_record(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    const size_t len = made.out.len; /* the request is 80 bytes, its list begins at 48 */
    made.out.len = len - 1;
    assert_check(&made, harness_text("E06@%d", (int)made.offset));
    made.out.len = len - 32;
    assert_check(&made, harness_text("E06@%d", (int)made.offset));
    made.out.len = len - 33;
    assert_check(&made, harness_text("E03@%d", (int)made.offset));
    made.out.len = len - 79;
    assert_check(&made, harness_text("E03@%d", (int)made.offset));
    unmake(&made);
}

static void test_reader_stops_at_an_unknown_type(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    const size_t len = made.out.len;
    quipu__put(&made.out, "\x4d\0\0\0", 4);
    put_rw(&made, 200, 1, 44, 4, 0, 0, 10);
    assert_check(&made, harness_text("E04@%d", (int)len));
    unmake(&made);
}

static void test_reader_of_a_wrong_beginning(void **state) {
    static const struct {
        const char *bytes;
        size_t len;
        const char *found;
    } cases[] = {{"", 0, "E01@0"},
                 {"\x01\x23", 2, "E01@0"},
                 {"\x01\x23\x45\x67\0\0\0\1", 8, "E01@0"},
                 {"\x67\x45\x23\x01\2\0\0\0", 8, "E02@4"},
                 {"\x67\x45\x23\x01\1\0\0\0", 8, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum quipu_verdict verdict;
        const char *path = harness_text("%s/made.ctrace", harness_folder());
        harness_write(path, cases[i].bytes, cases[i].len);
        assert_string_equal(check(path, "lp64", &verdict), cases[i].found);
        assert_int_equal(verdict, cases[i].found[0] ? QUIPU_VERDICT_REJECT : QUIPU_VERDICT_OK);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_reader_of_a_file_that_ends_inside_a_record),
            cmocka_unit_test(test_reader_stops_at_an_unknown_type),
            cmocka_unit_test(test_reader_of_a_wrong_beginning),
            cmocka_unit_test(test_reader_of_a_trace_without_header))
