/* test_records.c: what a reader delivers of texts. */
#include "formats/picl/traces.h"

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    char *text = context;
    const size_t len = strlen(text);
    (void)err;
    memcpy(text + len, data, size);
    text[len + size] = '\0';
    return QUIPU_OK;
}

/* The "values" of the record of number index as JSON. */
static const char *values_of(const char *text, unsigned index) {
    static char json[8192];
    struct quipu_reader *reader = open_text(text);
    struct quipu_record record;
    for (unsigned i = 0; i <= index; i++)
        assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    json[0] = '\0';
    const struct quipu_sink sink = {append, json};
    assert_int_equal(quipu_record_write_json(quipu_reader_format(reader)->schema, &record, sink, NULL),
                     QUIPU_OK);
    quipu_reader_close(reader);
    char *values = strstr(json, "\"values\": ");
    assert_non_null(values);
    values += strlen("\"values\": ");
    values[strlen(values) - 3] = '\0';
    return values;
}

static void test_records_values_follow_their_control_string(void **state) {
    (void)state;
    static const struct {
        const char *data, *values;
    } cases[] = {
        {"3 2 1 -2 +3", "[1, -2, 3]"},
        {"1 \"%3d%2d%s\" 12345rest", "[123, 45, \"rest\"]"},
        {"1 \"x=%d, y=%lf\" x=4, y=0.5", "[4, 0.5]"},
        {"1 \"%*d %d\" 7 8", "[8]"},
        {"1 \"%x %o %u %i %i\" ff 17 42 0x1F 010", "[255, 15, 42, 31, 8]"},
        {"1 \"%[^;]; %d\" a b c; 9", "[\"a b c\", 9]"},
        {"1 \"%[a-c]%d%%\" abca12%", "[\"abca\", 12]"},
        {"2 \"%c%d\" a1 b2", "[\"a\", 1, \"b\", 2]"},
        {"5 0 a b c", "[\"a b c\"]"},
        {"2 \"%d%lf\" 1 .5 2 1e-3", "[1, 0.5, 2, 0.001]"},
        {"2 1 alpha \"beta\"", "[\"alpha\", \"\\\"beta\\\"\"]"},
        {"1 \"%lx\" ffffffffffffffff", "[18446744073709551615]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(values_of(harness_text(BEGIN "0 5 1.0 0 0 %s\n" END, cases[i].data), 1),
                            cases[i].values);
}

static void test_records_descriptors_have_a_scope(void **state) {
    (void)state;
    const char *text = "-6 5 0.0 -1 -1 1 \"%d%s\" 7 \"%d%d\"\n"
                       "-6 -1 0.0 0 -1 1 \"%d%s\" 7 \"%s\"\n" /* later, and so stronger, on processor 0 */
                       "0 5 1.0 1 0 1 7 3 4\n"
                       "0 5 1.0 0 0 1 7 3\n";
    assert_string_equal(values_of(text, 2), "[3, 4]");
    assert_string_equal(values_of(text, 3), "[\"3\"]");
    assert_non_null(strstr(codes_of("0 5 1.0 0 0 1 7 3\n-6 5 0.0 -1 -1 1 \"%d%s\" 7 \"%d\"\n"), "E07:1"));
}

/* The fast path needs some room behind the line; a second blank sends the line to the complete decoder. */
static void test_records_of_the_fast_path_are_those_of_the_complete_decoder(void **state) {
    (void)state;
    static const char *const lines[] = {
        "-3 -21 0.000850 0 0 3 2 40 7 1",   "-4 -21 -0.5 12 -1 0",
        "-2 5 3 0 0 8 2 1 2 3 4 5 6 7 8",   "7 9 1.25 0 0 1 2 -9",
        "-3 -21 123456789.123456789 1 1 0",
    };
    const char *filler = "";
    for (int i = 0; i < 16; i++)
        filler = harness_text("%s-2 5 5000000000.0 0 0 0\n", filler);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *blank = strchr(lines[i], ' ');
        const char *slow = harness_text("%.*s %s\n%s", (int)(blank - lines[i]), lines[i], blank, filler);
        const char *fast = harness_text("%s", values_of(harness_text("%s\n%s", lines[i], filler), 0));
        assert_string_equal(values_of(slow, 0), fast);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_records_values_follow_their_control_string),
            cmocka_unit_test(test_records_descriptors_have_a_scope),
            cmocka_unit_test(test_records_of_the_fast_path_are_those_of_the_complete_decoder))
