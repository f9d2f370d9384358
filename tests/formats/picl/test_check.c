/* test_check.c: every rule of single records, and of whole traces. */
#include "formats/picl/traces.h"

struct codes_case {
    const char *text, *codes;
};

static void assert_codes(const struct codes_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(codes_of(cases[i].text), cases[i].codes) != 0)
            fail_msg("%s\nwants %s, has %s", cases[i].text, cases[i].codes, codes_of(cases[i].text));
}

static void test_check_finds_each_broken_rule_at_its_record(void **state) {
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

QUIPU_TESTS(cmocka_unit_test(test_check_finds_each_broken_rule_at_its_record))
