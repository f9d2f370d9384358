/* test_repair.c: what a repair does to OTF traces, on traces of a few lines. */
#include "harness.h"

/* The lines of the definitions that all traces here share. */
#define DEFINITIONS                                                                                            \
    "DTRa\nDP1NM\"one\"\nDP2NM\"two\"\nDP3NM\"three\"\nDFG1NM\"g\"\nDF1G1NM\"f\"\nDF2G1NM\"h\"\n"

static const char *make_trace(const char *master, const char *first, const char *second) {
    const char *folder = harness_folder();
    const char *const names[] = {"t.0.def", "t.otf", "t.1.events", "t.2.events"};
    const char *const texts[] = {DEFINITIONS, master, first, second};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (texts[i])
            harness_write(harness_text("%s/%s", folder, names[i]), texts[i], strlen(texts[i]));
    return folder;
}

/* Repairs t.otf of a folder as whole.otf in the same; the result has no error and has lost nothing more. */
static struct quipu_repair_counts repair(const char *folder) {
    struct quipu_repair_report *report;
    struct quipu_reader *reader;
    struct quipu_check_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_reader_open(harness_text("%s/t.0.def", folder), NULL, &reader, &err), QUIPU_OK);
    assert_int_equal(quipu_repair(reader, harness_text("%s/whole.otf", folder), NULL, &report, &err), QUIPU_OK);
    quipu_reader_close(reader);
    assert_int_equal(quipu_reader_open(harness_text("%s/whole.otf", folder), NULL, &reader, &err), QUIPU_OK);
    assert_int_equal(quipu_check(reader, NULL, &result, &err), QUIPU_OK);
    assert_true(result.verdict != QUIPU_VERDICT_REJECT);
    const struct quipu_repair_counts counts = *quipu_repair_report_counts(report);
    quipu_repair_report_free(report);
    quipu_reader_close(reader);
    return counts;
}

static const char *file_of(const char *folder, const char *name) {
    return harness_read(harness_text("%s/whole.%s", folder, name), NULL);
}

static void test_repair_a_sound_trace_stays_the_same(void **state) {
    (void)state;
    const char *events = "5\n*1\nE1\n7\n*1\nL1\n7\n*1\n";
    const char *folder = make_trace("1:1\n", events, NULL);
    const struct quipu_repair_counts counts = repair(folder);
    assert_int_equal(counts.dropped, 0);
    assert_int_equal(counts.added, 0);
    assert_string_equal(file_of(folder, "1.events"), events);
    assert_string_equal(file_of(folder, "0.def"), DEFINITIONS);
    assert_string_equal(file_of(folder, "otf"), "1:1\n");
}

static void test_repair_calls_are_left_in_order(void **state) {
    (void)state;
    /* The leave of 2 is lost, that of 1 has lost its enter, and 2 is open at the end. */
    const char *folder =
        make_trace("1:1\n", "1\n*1\nE1\n2\n*1\nE2\n3\n*1\nL1\n4\n*1\nL1\n5\n*1\nE2\n6\n*1\nN\n", NULL);
    const struct quipu_repair_counts counts = repair(folder);
    assert_int_equal(counts.dropped, 1);
    assert_int_equal(counts.added, 2);
    assert_string_equal(file_of(folder, "1.events"),
                        "1\n*1\nE1\n2\n*1\nE2\n3\n*1\nL2\nL1\n5\n*1\nE2\n6\n*1\nN\nL2\n6\n*1\n");
}

/* A function that has the reserved number 0 is one like others, and so is its leave, which else fits every call. */
static void test_repair_a_leave_of_a_defined_zero_names_what_was_entered(void **state) {
    (void)state;
    static const char definitions[] = DEFINITIONS "DF0G1NM\"zero\"\n";
    const char *folder = make_trace("1:1\n", "1\n*1\nE1\n2\n*1\nE0\n3\n*1\nL0\n4\n*1\nL0X9\n", NULL);
    harness_write(harness_text("%s/t.0.def", folder), definitions, sizeof definitions - 1);
    assert_int_equal(repair(folder).dropped, 0);
    assert_string_equal(file_of(folder, "1.events"), "1\n*1\nE1\n2\n*1\nE0\n3\n*1\nL\n4\n*1\nL1X9\n4\n*1\n");
}

static void test_repair_one_wrong_time_moves_no_other(void **state) {
    (void)state;
    const char *late = make_trace("1:1\n", "1\n*1\nE1\nf2\n*1\nE2\n3\n*1\nL2\n4\n*1\nL1\n", NULL);
    repair(late);
    assert_string_equal(file_of(late, "1.events"), "1\n*1\nE1\nE2\n3\n*1\nL2\n4\n*1\nL1\n4\n*1\n");
    const char *early = make_trace("1:1\n", "21\n*1\nE1\n2\n*1\nE2\n23\n*1\nL2\n24\n*1\nL1\n", NULL);
    repair(early);
    assert_string_equal(file_of(early, "1.events"), "21\n*1\nE1\nE2\n23\n*1\nL2\n24\n*1\nL1\n24\n*1\n");
}

static void test_repair_a_lost_master_is_rebuilt(void **state) {
    (void)state;
    const char *first = "1\n*1\nE1\n2\n*1\nL1\n", *second = "1\n*3\nE1\n2\n*2\nE1\n3\n*3\nL1\n4\n*2\nL1\n";
    const char *const masters[] = {NULL, "", "1:1\n2:2", "1:1\n2;2,3\n", "1:1\n9:2,3\n", "1:1,2\n2:3\n"};
    for (size_t i = 0; i < sizeof masters / sizeof *masters; i++) {
        const char *folder = make_trace(masters[i], first, second);
        const struct quipu_repair_counts counts = repair(folder);
        assert_int_equal(counts.dropped, 0);
        assert_string_equal(file_of(folder, "otf"), "1:1\n2:2,3\n");
    }
}

static void test_repair_a_missing_stream_keeps_its_processes_defined(void **state) {
    (void)state;
    const char *folder = make_trace("1:1\n2:2\n", "1\n*1\nE1\n2\n*1\nL1\n", NULL);
    repair(folder);
    assert_string_equal(file_of(folder, "otf"), "1:1\n");
    assert_string_equal(file_of(folder, "0.def"), DEFINITIONS);
}

/* Process 2 has its records in stream 1, and the master control file does not name stream 2 any more: a file of it would be
 * one that is never read, and the next repair would leave it out. */
static void test_repair_a_stream_without_processes_has_no_file(void **state) {
    (void)state;
    const char *folder = make_trace("1:1\n2:2\n", "1\n*1\nE1\n2\n*2\nE1\n3\n*1\nL1\n4\n*2\nL1\n", "");
    repair(folder);
    assert_string_equal(file_of(folder, "otf"), "1:1,2\n");
    assert_false(harness_exists(harness_text("%s/whole.2.events", folder)));
}

static void test_repair_files_of_which_nothing_is_left_are_not_made(void **state) {
    (void)state;
    const char *folder = make_trace("1:1\n", "1\n*1\nE1\n2\n*1\nL1\n", NULL);
    static const char *const kinds[] = {"def", "snaps", "stats"};
    for (size_t i = 0; i < 3; i++)
        harness_write(harness_text("%s/t.1.%s", folder, kinds[i]), "1\n*1\n=\n", 7);
    repair(folder);
    assert_string_equal(file_of(folder, "1.events"), "1\n*1\nE1\n2\n*1\nL1\n2\n*1\n");
    for (size_t i = 0; i < 3; i++)
        assert_false(harness_exists(harness_text("%s/whole.1.%s", folder, kinds[i])));
}

/* Nothing names a stream of definitions alone, and check would miss it. */
static void test_repair_definitions_without_processes_become_global(void **state) {
    (void)state;
    const char *folder = make_trace("", NULL, NULL);
    harness_write(harness_text("%s/t.5.def", folder), "DF9G1NM\"k\"\n", 11);
    repair(folder);
    assert_string_equal(file_of(folder, "otf"), "");
    assert_string_equal(file_of(folder, "0.def"), DEFINITIONS "DF9G1NM\"k\"\n");
    assert_false(harness_exists(harness_text("%s/whole.5.def", folder)));
}

static void test_repair_of_nothing_defines_the_resolution_once(void **state) {
    (void)state;
    const char *folder = harness_folder();
    harness_write(harness_text("%s/t.0.def", folder), "DF1\n", 4);
    repair(folder);
    assert_string_equal(file_of(folder, "0.def"), "DTR3b9aca00\n");
}

/* Without its events a stream is not named, so there must be no snapshots of it. */
static void test_repair_a_missing_stream_has_no_snapshots(void **state) {
    (void)state;
    const char *folder = make_trace("1:1\n2:2\n", "1\n*1\nE1\n2\n*1\nL1\n", NULL);
    harness_write(harness_text("%s/t.2.snaps", folder), "", 0);
    repair(folder);
    assert_string_equal(file_of(folder, "otf"), "1:1\n");
    assert_false(harness_exists(harness_text("%s/whole.2.snaps", folder)));
}

static void test_repair_a_record_of_another_stream_goes_to_the_only_process(void **state) {
    (void)state;
    const char *folder = make_trace("1:1\n2:2\n", "1\n*1\nE1\n2\n*2\nN\n3\n*1\nL1\n", "1\n*2\nE1\n2\n*2\nL1\n");
    repair(folder);
    assert_string_equal(file_of(folder, "1.events"), "1\n*1\nE1\n2\n*1\nN\n3\n*1\nL1\n3\n*1\n");
}

static void test_repair_what_is_used_gets_a_definition(void **state) {
    (void)state;
    const char *folder = make_trace("1:9\n", "1\n*9\nE77\n2\n*9\nL77\n", NULL);
    const struct quipu_repair_counts counts = repair(folder);
    assert_int_equal(counts.added, 2);
    assert_string_equal(file_of(folder, "0.def"), DEFINITIONS "DP9NM\"process 9\"\nDF77G0NM\"function 119\"\n");
}

static void test_repair_the_largest_process_is_one_like_others(void **state) {
    (void)state;
    const char *events = "1\n*1\nN\n2\n*ffffffff\nN\n3\n*1\nN\n";
    const char *folder = make_trace("1:1,ffffffff\n", events, NULL);
    assert_int_equal(repair(folder).dropped, 0);
    assert_string_equal(file_of(folder, "1.events"), harness_text("%s3\n*1\n", events));
}

/* Nothing in front of it says that it is one: stream 2 has most records of process 1. */
static void test_repair_the_largest_process_alone_is_none(void **state) {
    (void)state;
    const char *folder =
        make_trace("", "1\n*1\nN\n2\n*ffffffff\nN\n3\n*1\nN\n", "1\n*1\nN\n2\n*1\nN\n3\n*1\nN\n");
    assert_int_equal(repair(folder).dropped, 3);
    assert_string_equal(file_of(folder, "2.events"), "1\n*1\nN\n2\n*1\nN\n3\n*1\nN\n3\n*1\n");
}

/* The line of shared files promises parts that are not there: no stream is left to name. */
static void test_repair_shared_files_that_are_missing_are_not_named(void **state) {
    (void)state;
    const char *folder = make_trace("i2:1:ffffffff\n1:1\n2:2\n", NULL, NULL);
    repair(folder);
    assert_string_equal(file_of(folder, "otf"), "");
}

/* The files of stream 0 are those of definitions; a master control file that names it is refused. */
static void test_repair_a_stream_without_number_gets_an_unused_one(void **state) {
    (void)state;
    const char *events = "1\n*3\nE1\n2\n*3\nL1\n2\n*3\n";
    const char *folder = make_trace("2^D3\n", "1\n*1\nE1\n2\n*1\nL1\n", "1\n*2\nE1\n2\n*2\nL1\n");
    harness_write(harness_text("%s/t.0.events", folder), events, strlen(events));
    assert_int_equal(repair(folder).dropped, 0);
    assert_string_equal(file_of(folder, "otf"), "1:1\n2:2\n3:3\n");
    assert_string_equal(file_of(folder, "3.events"), events);
    assert_false(harness_exists(harness_text("%s/whole.0.events", folder)));
}

QUIPU_TESTS(cmocka_unit_test(test_repair_a_sound_trace_stays_the_same),
            cmocka_unit_test(test_repair_calls_are_left_in_order),
            cmocka_unit_test(test_repair_a_leave_of_a_defined_zero_names_what_was_entered),
            cmocka_unit_test(test_repair_one_wrong_time_moves_no_other),
            cmocka_unit_test(test_repair_a_lost_master_is_rebuilt),
            cmocka_unit_test(test_repair_a_missing_stream_keeps_its_processes_defined),
            cmocka_unit_test(test_repair_a_stream_without_processes_has_no_file),
            cmocka_unit_test(test_repair_files_of_which_nothing_is_left_are_not_made),
            cmocka_unit_test(test_repair_definitions_without_processes_become_global),
            cmocka_unit_test(test_repair_of_nothing_defines_the_resolution_once),
            cmocka_unit_test(test_repair_a_missing_stream_has_no_snapshots),
            cmocka_unit_test(test_repair_a_record_of_another_stream_goes_to_the_only_process),
            cmocka_unit_test(test_repair_what_is_used_gets_a_definition),
            cmocka_unit_test(test_repair_the_largest_process_is_one_like_others),
            cmocka_unit_test(test_repair_the_largest_process_alone_is_none),
            cmocka_unit_test(test_repair_shared_files_that_are_missing_are_not_named),
            cmocka_unit_test(test_repair_a_stream_without_number_gets_an_unused_one))
