/* test_token_numbers.c: numbers in the model of what is used without being defined. */
#include "texts.h"

/* Function 7 is one, wherever it is met; source 5 is another class, and so is counter 7. */
static void test_token_numbers_are_given_once(void **state) {
    struct quipu_reader *reader =
        made_reader(text_trace("", "a\n*1\nE7X5\nb\n*2\nE7\nc\n*1\nCNT7V1\nd\n*2\nL7\ne\n*1\nL7\nf\n*1\nE7\n"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    struct quipu_event event;
    unsigned calls = 0;
    (void)state;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        if (event.kind == QUIPU_KIND_enter) {
            assert_string_equal(d->regions.items[event.object].name, "function 7");
            assert_int_equal(d->regions.items[event.object].native_id, 7);
            calls++;
        }
    assert_int_equal(calls, 3);
    assert_int_equal(d->regions.count, 1);
    assert_int_equal(d->sources.count, 1);
    assert_int_equal(d->sources.items[0].native_id, 5);
    assert_int_equal(d->metrics.count, 1);
    assert_string_equal(d->metrics.items[0].name, "counter 7");
    quipu_reader_close(reader);
}

/* Collective operations are regions behind the functions. */
static void test_token_numbers_of_collective_operations_are_regions(void **state) {
    struct quipu_reader *reader = made_reader(
        text_trace("DF1G0NM\"f\"\nDCO1NM\"barrier\"Y1\n", "a\n*1\nCOP1C0RT0S0R0D5\nf\n*1\nCOP2C0RT0S0R0D5\n"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    struct quipu_event event;
    (void)state;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        continue;
    assert_int_equal(d->regions.count, 3);
    assert_string_equal(d->regions.items[0].name, "f");
    assert_string_equal(d->regions.items[1].name, "barrier");
    assert_string_equal(d->regions.items[2].name, "collop 2");
    assert_int_equal(d->regions.items[2].role, QUIPU_REGION_MPI_COLLECTIVE);
    quipu_reader_close(reader);
}

/* A process that nothing defines is a location of its own. */
static void test_token_numbers_of_processes(void **state) {
    struct quipu_reader *reader = made_reader(text_trace("", "a\n*1\nS1fL0T0C0\n"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    struct quipu_event event;
    (void)state;
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    assert_string_equal(d->locations.items[event.peer].name, "process 31");
    assert_int_equal(d->locations.items[event.peer].kind, QUIPU_LOCATION_PROCESS);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_token_numbers_are_given_once),
            cmocka_unit_test(test_token_numbers_of_collective_operations_are_regions),
            cmocka_unit_test(test_token_numbers_of_processes))
