/* test_sources.c: definitions of other formats as records of PICL. */
#include "formats/picl/traces.h"

/* The lines of a trace of OTF that begin so. */
static const char *lines_of(const char *definitions, const char *events, const char *begin) {
    const char *folder = harness_folder(), *found = "";
    harness_write(harness_text("%s/in.otf", folder), "1:1,2\n", 6);
    definitions = harness_text("DTRf4240\n%s", definitions);
    harness_write(harness_text("%s/in.0.def", folder), definitions, strlen(definitions));
    harness_write(harness_text("%s/in.1.events", folder), events, strlen(events));
    char *next, *text = harness_text("%s", copy_of(harness_text("%s/in.otf", folder), "out.picl", ""));
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
        if (strncmp(line, begin, strlen(begin)) == 0)
            found = harness_text("%s%s\n", found, line);
    return found;
}

#define TWO "DP1NM\"a\"\nDP2NM\"b\"\n"

/* Regions are user events from 0 on, with labels; a microsecond has six decimals. */
static void test_sources_regions_are_user_events_with_labels(void **state) {
    (void)state;
    assert_string_equal(lines_of(TWO "DF5G0NM\"solve\"\n", "a\n*1\nE5\n14\n*1\nL5\n", "-5 0"),
                        "-5 0 -1.000000 -1 -1 5 0 solve\n");
    assert_string_equal(lines_of(TWO "DF5G0NM\"solve\"\n", "a\n*1\nE5\n14\n*1\nL5\n", "-3 0"),
                        "-3 0 0.000010 0 -1 0\n");
}

/* Processes are processors in their order: the second is 1. Each one traces from the first event to the last. */
static void test_sources_processes_are_processors(void **state) {
    (void)state;
    assert_string_equal(lines_of(TWO "DF5G0NM\"f\"\n", "a\n*2\nE5\n14\n*2\nL5\n", "-3 0"),
                        "-3 0 0.000010 1 -1 0\n");
    assert_string_equal(lines_of(TWO "DF5G0NM\"f\"\n", "a\n*2\nE5\n14\n*2\nL5\n", "-3 -901"),
                        "-3 -901 0.000010 0 -1 0\n-3 -901 0.000010 1 -1 0\n");
}

QUIPU_TESTS(cmocka_unit_test(test_sources_regions_are_user_events_with_labels),
            cmocka_unit_test(test_sources_processes_are_processors))
