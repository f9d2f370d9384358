/* test_define.c: processes, clocks, event types, labels and subsets as definitions of the model. */
#include "formats/picl/traces.h"

static const char *names_of_regions(const char *text) {
    struct quipu_reader *reader = open_text(text);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    const char *names = "";
    for (size_t i = 0; i < d->regions.count; i++)
        names = harness_text("%s%s%s", names, *names ? " " : "", d->regions.items[i].name);
    quipu_reader_close(reader);
    return names;
}

/* Processes are called PROCESSOR/PROCESS; a processor is a rank. */
static void test_define_processes_are_locations(void **state) {
    struct quipu_reader *reader = open_text(BEGIN "-3 5 1.0 1 7 0\n-4 5 2.0 1 7 0\n" END);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_int_equal(d->locations.count, 2);
    assert_string_equal(d->locations.items[0].name, "0/0");
    assert_string_equal(d->locations.items[1].name, "1/7");
    assert_int_equal(d->locations.items[1].rank, 1);
    assert_int_equal(d->locations.items[1].pid, 7);
    assert_int_equal(d->locations.items[1].kind, QUIPU_LOCATION_PROCESS);
    quipu_reader_close(reader);
}

/* Ticks are as fine as the finest time. */
static void test_define_clocks_are_as_fine_as_times(void **state) {
    static const struct {
        const char *time;
        uint64_t ticks;
    } cases[] = {{"1.0", 10}, {"1.25", 100}, {"1.000001", 1000000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu_reader *reader = open_text(harness_text(BEGIN "-3 5 %s 0 0 0\n" END, cases[i].time));
        assert_int_equal(quipu_reader_definitions(reader)->clock.ticks_per_second, cases[i].ticks);
        quipu_reader_close(reader);
    }
}

/* A label is the name of a user event; predefined ones have their own. */
static void test_define_labels_are_names(void **state) {
    (void)state;
    const char *names =
        names_of_regions(BEGIN "-5 5 0.0 -1 -1 5 0 solve\n-3 5 1.0 0 0 0\n-3 -21 2.0 0 0 3 2 8 7 0\n" END);
    assert_non_null(strstr(names, "solve"));
    assert_non_null(strstr(names, "send"));
    assert_null(strstr(names, "event 5"));
    assert_non_null(strstr(names_of_regions(BEGIN "-3 5 1.0 0 0 0\n" END), "event 5"));
}

static enum quipu_region_role role_of(const char *text, const char *name) {
    struct quipu_reader *reader = open_text(text);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    enum quipu_region_role role = QUIPU_REGION_ROLE_COUNT;
    for (size_t i = 0; i < d->regions.count; i++)
        if (strcmp(d->regions.items[i].name, name) == 0)
            role = d->regions.items[i].role;
    quipu_reader_close(reader);
    return role;
}

/* What predefined events are for is known; user events are blocks that users mark. */
static void test_define_events_have_roles(void **state) {
    const char *text = BEGIN "-3 -21 1.0 0 0 3 2 8 7 0\n-3 -201 2.0 0 0 4 0 name\n-3 5 3.0 0 0 0\n" END;
    (void)state;
    assert_int_equal(role_of(text, "send"), QUIPU_REGION_MPI_P2P);
    assert_int_equal(role_of(text, "event 5"), QUIPU_REGION_USER);
}

/* All processes are one group. */
static void test_define_all_processes_are_a_group(void **state) {
    struct quipu_reader *reader = open_text(BEGIN "-3 5 1.0 1 0 0\n-3 -21 2.0 0 0 3 2 8 7 1\n" END);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_true(d->groups.count > 0);
    assert_true(d->groups.items[0].is_communicator);
    assert_int_equal(d->groups.items[0].member_count, 2);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_define_processes_are_locations),
            cmocka_unit_test(test_define_clocks_are_as_fine_as_times),
            cmocka_unit_test(test_define_labels_are_names), cmocka_unit_test(test_define_events_have_roles),
            cmocka_unit_test(test_define_all_processes_are_a_group))
