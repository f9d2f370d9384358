/* test_calls.c: calls of the model as entries and exits. Expected lines follow from the input and from what the specification says
 * that each event's data are. */
#include "harness.h"

/* What becomes of a trace whose events, not records, are written: its lines without those of statistics and definitions. */
static const char *calls_of(const char *path) {
    const char *out = harness_text("%s/out.picl", harness_folder());
    const struct harness_run run = harness_run("%s convert --quiet --where 'time >= 0' --to picl -o %s %s",
                                               harness_built("quipu"), out, path);
    if (run.code != 0)
        fail_msg("%s: %s", path, run.err);
    char *lines = harness_text("%s", "");
    for (char *line = strtok(harness_read(out, NULL), "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "-10", 3) != 0 && strncmp(line, "-5", 2) != 0 && strncmp(line, "-203", 4) != 0)
            lines = harness_text("%s%s\n", lines, line);
    return lines;
}

static void expect_calls(const char *path, const char *expected) {
    assert_string_equal(calls_of(path), expected);
}

static const char *trace_of(const char *folder, const char *name, const char *text) {
    const char *path = harness_text("%s/%s", folder, name);
    harness_write(path, text, strlen(text));
    return path;
}

/* Entries with integers and with a text, exits with what was received and opened, calls that overlap, a mark, and calls without
 * exit, which get none: an entry alone says that a call never ended. */
static void test_calls_come_back_as_they_were(void **state) {
    (void)state;
    const char *text = "-3 -901 0.000010 0 -1 0\n"
                       "-3 -901 0.000010 1 -1 0\n"
                       "-3 -21 0.000030 0 -1 3 2 1000 7 1\n"
                       "-4 -21 0.000031 0 -1 0\n"
                       "-3 -52 0.000045 1 -1 1 2 7\n"
                       "-4 -52 0.000046 1 -1 3 2 1000 7 0\n"
                       "-3 -201 0.000050 0 -1 4 0 name\n"
                       "-4 -201 0.000051 0 -1 1 2 3\n"
                       "-3 5 0.000060 0 -1 2 2 4 5\n"
                       "-3 6 0.000061 0 -1 0\n"
                       "-4 5 0.000062 0 -1 1 2 9\n"
                       "-2 -21 0.000070 0 -1 3 2 10 7 1\n"
                       "-3 6 0.000080 1 -1 0\n"
                       "-4 -901 0.000100 0 -1 0\n"
                       "-4 -901 0.000100 1 -1 0\n";
    expect_calls(trace_of(harness_folder(), "in.picl", text), text);
}

/* A call of MPI is a user event; what it does stands inside of it. Of the two sends only the first one has a message; the second one
 * does nothing, and is not left. */
static void test_calls_of_other_formats_have_what_they_do_inside(void **state) {
    (void)state;
    const char *folder = harness_folder();
    trace_of(folder, "in.0.def", "DTRf4240\nDP1NM\"a\"\nDP2NM\"b\"\nDFG1NM\"MPI\"\nDF2G1NM\"MPI_Send\"\n");
    trace_of(folder, "in.1.events", "a\n*1\nE2\nS2L3e8T7C0\n14\n*1\nL2\n1e\n*1\nE2\n");
    expect_calls(trace_of(folder, "in.otf", "1:1,2\n"), "-3 -901 0.000010 0 -1 0\n"
                                                        "-3 -901 0.000010 1 -1 0\n"
                                                        "-3 0 0.000010 0 -1 0\n"
                                                        "-3 -21 0.000010 0 -1 3 2 1000 7 1\n"
                                                        "-4 -21 0.000020 0 -1 0\n"
                                                        "-4 0 0.000020 0 -1 0\n"
                                                        "-3 0 0.000030 0 -1 0\n"
                                                        "-4 -901 0.000030 0 -1 0\n"
                                                        "-4 -901 0.000030 1 -1 0\n");
}

QUIPU_TESTS(cmocka_unit_test(test_calls_come_back_as_they_were),
            cmocka_unit_test(test_calls_of_other_formats_have_what_they_do_inside))
