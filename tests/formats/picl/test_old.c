/* test_old.c: the old format. */
#include "harness.h"

#include "formats/picl/traces.h"

#include "formats/picl/statistics.h"

#include <inttypes.h>

static const char *file_of(const char *text) {
    const char *path = harness_text("%s/in.picl", harness_folder());
    harness_write(path, text, strlen(text));
    return path;
}

static void test_old_is_spelled_in_both_ways(void **state) {
    (void)state;
    const char *compressed = "1 -1 -437177 0 2 0 0\n"
                             "16 0 -800000 0 grid is 4 by 1\n"
                             "4 0 706 0 1 10 8\n"
                             "22 0 1790 0 3 5 -60 700\n"
                             "17 0 4189 0\n"
                             "11 0 8217 0 0 1299\n";
    const char *verbose = "trace_start  clock -1 -437177 node 0 event 2 compstats 0 commstats 0\n"
                          "trace_message clock 0 -800000 node 0 grid is 4 by 1\n"
                          "send  clock 0 706 node 0 to 1 type 10 lth 8\n"
                          "trace_mark_array  clock 0 1790 node 0 size 3 array 5 -60 700\n"
                          "trace_stop  clock 0 4189 node 0 : ran out of memory\n"
                          "compstats  clock 0 8217 node 0 busy 1 444095 idle 0 1299\n";
    const char *new = "-3 -901 -1.437177 0 -1 0\n"
                      "-2 -904 -1.437177 0 -1 3 2 2 0 0\n"
                      "-7 -911 -0.800000 0 -1 14 0 grid is 4 by 1\n"
                      "-2 -21 0.000706 0 -1 3 2 8 10 1\n"
                      "0 -1 0.001790 0 -1 3 2 5 -60 700\n"
                      "-2 -913 0.004189 0 -1 0\n"
                      "-101 -1 0.008217 0 -1 1 \"%d%lf\" -1011 0.001299\n";
    assert_string_equal(copy_of(file_of(compressed), "v.picl", "--set spelling=verbose"), verbose);
    assert_string_equal(copy_of(file_of(verbose), "c.picl", "--set spelling=compressed"), compressed);
    assert_string_equal(copy_of(file_of(compressed), "n.picl", "--set spelling=new"), new);
    assert_string_equal(copy_of(file_of(verbose), "same.picl", ""), verbose);
}

struct codes_case {
    const char *text, *codes;
};

static void assert_codes(const struct codes_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(codes_of(cases[i].text), cases[i].codes) != 0)
            fail_msg("%s\nwants %s, has %s", cases[i].text, cases[i].codes, codes_of(cases[i].text));
}

static void test_old_each_broken_rule_is_found(void **state) {
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

QUIPU_TESTS(cmocka_unit_test(test_old_is_spelled_in_both_ways),
            cmocka_unit_test(test_old_each_broken_rule_is_found))
