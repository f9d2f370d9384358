/* test_scan.c: what opening finds out: processes, event types, how exact times are. */
#include "formats/picl/traces.h"

/* Processes in the order of processors and processes, whatever the order of the file; one that only a message names is one, too. */
static void test_scan_lists_processes(void **state) {
    struct quipu_reader *reader =
        open_text(BEGIN "-2 5 1.0 3 1 0\n-2 5 1.0 1 0 0\n-2 5 1.0 3 0 0\n-3 -21 2.0 0 0 3 2 8 7 5\n" END);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    const char *names = "";
    (void)state;
    for (size_t i = 0; i < d->locations.count; i++)
        names = harness_text("%s %s", names, d->locations.items[i].name);
    assert_memory_equal(names, " 0/0 1/0 3/0 3/1 5", 18);
    quipu_reader_close(reader);
}

/* Times of nine decimals at most are exact, those of more are rounded, which is found. */
static void test_scan_finds_how_exact_times_are(void **state) {
    struct quipu_reader *reader = open_text(BEGIN "-2 5 1.123456789 0 0 0\n" END);
    (void)state;
    assert_int_equal(quipu_reader_definitions(reader)->clock.ticks_per_second, 1000000000);
    quipu_reader_close(reader);
    reader = open_text("-3 -901 0 0 0 0\n-2 5 1 0 0 0\n-4 -901 9 0 0 0\n");
    assert_int_equal(quipu_reader_definitions(reader)->clock.ticks_per_second, 1);
    quipu_reader_close(reader);
}

/* A label stands for an event wherever its record stands. */
static void test_scan_labels_hold_for_all_of_the_trace(void **state) {
    struct quipu_reader *reader = open_text(BEGIN "-2 5 1.0 0 0 0\n-5 5 2.0 -1 -1 5 0 solve\n" END);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    bool is_named = false;
    for (size_t i = 0; i < d->regions.count; i++)
        is_named |= strcmp(d->regions.items[i].name, "solve") == 0;
    assert_true(is_named);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_scan_lists_processes), cmocka_unit_test(test_scan_finds_how_exact_times_are),
            cmocka_unit_test(test_scan_labels_hold_for_all_of_the_trace))
