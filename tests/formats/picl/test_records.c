/* test_records.c: what a reader delivers of texts, and what it finds: every rule of single records, and of whole traces. */
#include "harness.h"

static struct quipu_reader *open_text(const char *text) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    const char *path = harness_text("%s/trace.picl", harness_folder());
    harness_write(path, text, strlen(text));
    options.format = "picl";
    assert_int_equal(quipu_reader_open(path, &options, &reader, NULL), QUIPU_OK);
    return reader;
}

/* Codes of all findings but infos with their lines, as "W01:2 E05:3", each once. */
static const char *codes_of(const char *text) {
    struct quipu_reader *reader = open_text(text);
    struct quipu_check_result result;
    const char *codes = "";
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        const unsigned long long line = finding->line == QUIPU_UNKNOWN ? 0 : (unsigned long long)finding->line;
        const char *code = harness_text("%s:%llu", finding->rule->id, line);
        if (finding->rule->severity != QUIPU_INFO && !strstr(codes, code))
            codes = harness_text("%s%s%s", codes, codes[0] ? " " : "", code);
    }
    quipu_reader_close(reader);
    return codes;
}

struct codes_case {
    const char *text, *codes;
};

static void assert_codes(const struct codes_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(codes_of(cases[i].text), cases[i].codes) != 0)
            fail_msg("%s\nwants %s, has %s", cases[i].text, cases[i].codes, codes_of(cases[i].text));
}

#define BEGIN "-3 -901 0.0 0 0 0\n"
#define END "-4 -901 9.0 0 0 0\n"

static void test_records_break_each_rule(void **state) {
    (void)state;
    static const struct codes_case cases[] = {
        {"", ""},
        {BEGIN END, ""},
        {BEGIN "hello world\n" END, "E01:2"},
        {BEGIN "-3 x 1.0 0 0 0\n" END, "E02:2"},
        {BEGIN "-3 5 1.0 0 0 1x\n" END, "E02:2"},
        {BEGIN "-3 5 nan 0 0 0\n" END, "E03:2"},
        {BEGIN "-3 5 0x10 0 0 0\n" END, "E03:2"},
        {BEGIN "-3 5 1e999 0 0 0\n" END, "E03:2"},
        {BEGIN "-3 5 1.0 0 0 -2\n" END, "E04:2"},
        {BEGIN "-2 5 1.0 0 0 1\n" END, "E05:2"},
        {BEGIN "-2 5 1.0 0 0 1 \"%d\n" END, "E06:2"},
        {BEGIN "-2 5 1.0 0 0 1 \"%n\" 4\n" END, "E06:2"},
        {BEGIN "-2 5 1.0 0 0 1 \"abc\" abc\n" END, "E06:2"},
        {BEGIN "-2 5 1.0 0 0 1 %d 4\n" END, "E06:2"},
        {BEGIN "-2 5 1.0 0 0 1 6 4\n" END, "E07:2"},
        {BEGIN "-2 5 1.0 0 0 1 2 four\n" END, "E08:2"},
        {BEGIN "-2 5 1.0 0 0 1 2 4x\n" END, "E08:2"},
        {BEGIN "-5 5 1.0 0 0 3 0 four\n" END, "E08:2"},
        {BEGIN "-2 5 1.0 0 0 3 2 4 5\n" END, "E09:2"},
        {BEGIN "-2 5 1.0\n" END, "E09:2"},
        {BEGIN "-2 5 1.0 0 0 1 2 99999999999999999999\n" END, "E10:2"},
        {BEGIN "-6 5 1.0 0 0 1 \"%d%s\" -7 \"%d\"\n" END, "E12:2"},
        {BEGIN "-6 5 1.0 0 0 2 \"%d%s\" 7 \"%d\"\n" END, "E12:2"},
        {BEGIN "-6 5 1.0 0 0 0\n" END, "E12:2"},
        {BEGIN "-201 -1 1.0 -1 -1 0\n" END, "E13:2"},
        {BEGIN "-102 -1 1.0 0 0 3 2 5 1 6\n" END, "E14:2"},
        {BEGIN "-2 5 1.0 0 0 3 2 4 5\n 6\n" END, "W01:2"},
        {BEGIN "-2 5 1.0 0 0 0 -2 5 1.5 0 0 0\n" END, "W02:2"},
        {BEGIN "-2 5 1.0 0 0 0 77\n" END, "W03:2"},
        {BEGIN "-2 5 1.0 0 0 2 2 \\\n 4 5\n" END, "W04:2"},
        {BEGIN "-2 5 1.0 0 0 0\r\n" END, "W05:2"},
        {BEGIN "-2 5 1.0 0 0 2 \"%d %d\" 4 5\n" END, "W06:2"},
        {BEGIN "-5 5 1.0 0 0 3 0 a b c\n" END, "W03:2"},
        {BEGIN "-5 5 1.0 0 0 4 0 a b c d\n" END, "W07:2"},
        {BEGIN "-50 5 1.0 0 0 0\n" END, "W08:2"},
        {BEGIN "-2 -777 1.0 0 0 0\n" END, "W09:2"},
        {BEGIN "-2 -12 1.0 0 0 1 2 4\n" END, "W10:2"},
        {BEGIN "-4 5 1.0 0 0 0\n" END, "W12:2"},
        {BEGIN "-3 5 1.0 0 0 0\n" END, "W13:2"},
        {"-2 5 0.0 0 0 0\n-2 6 0.0 0 0 0\n" BEGIN END, "W14:1"},
        {BEGIN, "W15:1"},
        {BEGIN END "-2 5 9.0 0 0 0\n-2 5 9.0 0 0 0\n", "W16:3"},
        {BEGIN BEGIN END END, "W16:2"},
        {BEGIN "-2 5 2.0 0 0 0\n-2 5 1.0 0 0 0\n-2 5 0.5 0 0 0\n" END, "W17:3"},
        {BEGIN "-7 -1 8.0 0 0 1 0 x\n-2 5 2.0 0 0 0\n" END, ""},
        {"-203 -1 0.0 -1 -1 2 2 7 5\n" BEGIN END, "W22:1"},
        {"-203 -1 0.0 -1 -1 2 2 -21 5\n" BEGIN END, "W22:1"},
        {"-6 -1 0.0 -1 -1 1 \"%d%s\" 3 \"%d\"\n" BEGIN END, "W23:1"},
        {BEGIN "-2 -1012 1.0 0 0 0\n" END, "W25:2"},
        {BEGIN "-2 5 1.0 -1 -1 0\n" END, "W26:2"},
        {BEGIN "-2 -21 1.0 0 0 0\n" END, "I11:2"},
        {BEGIN END "-3 -901 0.0 0 1 0\n-4 -901 1.0 0 1 0\n", "I18:1"},
        {"-3 -901 0.0 3 0 0\n-4 -901 1.0 3 0 0\n", "I19:1"},
        {BEGIN END "-3 -901 0.0 32767 1 0\n-4 -901 1.0 32767 1 0\n", "I20:3"},
        {BEGIN END "-102 -1 9.0 0 0 1 \"%d%d\" -901 2\n", "W21:0"},
        {BEGIN END "-102 -1 9.0 0 0 2 \"%d%d\" -901 -1 -21 7\n", ""},
    };
    assert_codes(cases, sizeof cases / sizeof *cases);
}

static void test_records_of_the_old_format_break_each_rule(void **state) {
    (void)state;
#define OLD_BEGIN "1 0 0 0 2 0 0\n"
    static const struct codes_case cases[] = {
        {OLD_BEGIN "4 0 100 0 1 7 64\n", ""},
        {OLD_BEGIN "99 0 100 0 1 7 64\n", "OE01:2"},
        {OLD_BEGIN "4 0 100 0 1 x 64\n", "OE02:2"},
        {OLD_BEGIN "4 0 100 0 1 7\n", "OE03:2"},
        {OLD_BEGIN "4 0 1000000 0 1 7 64\n", "OE04:2"},
        {OLD_BEGIN "4 -1 100 0 1 7 64\n", "OE04:2"},
        {OLD_BEGIN "10 0 100 0\n10 0 50 0\n", "OW01:3"},
        {OLD_BEGIN "2 0 100 0 8 2\n", "OW02:2"},
        {OLD_BEGIN "8 0 100 0 1 7 64\n", "OW03:2"},
        {OLD_BEGIN "7 0 100 0 7\n7 0 110 0 7\n", "OW03:3"},
        {OLD_BEGIN "sync  clock 0 100 node 0\n", "OW04:2"},
        {OLD_BEGIN "22 0 100 0 3 5 6\n", "OW05:2"},
    };
    assert_codes(cases, sizeof cases / sizeof *cases);
}

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

QUIPU_TESTS(cmocka_unit_test(test_records_break_each_rule),
            cmocka_unit_test(test_records_of_the_old_format_break_each_rule),
            cmocka_unit_test(test_records_values_follow_their_control_string),
            cmocka_unit_test(test_records_descriptors_have_a_scope),
            cmocka_unit_test(test_records_of_the_fast_path_are_those_of_the_complete_decoder))
