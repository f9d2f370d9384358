/* test_event.c: columns of events, and what numbers in them stand for. */
#include "harness.h"

#include "model/event.h"

static struct quipu_location locations[] = {
    {.name = "node", .kind = QUIPU_LOCATION_NODE, .parent = QUIPU_NONE, .native_id = 9},
    {.name = "process", .kind = QUIPU_LOCATION_PROCESS, .parent = 0, .native_id = 8},
    {.name = "thread", .kind = QUIPU_LOCATION_THREAD, .parent = 1, .native_id = 7},
    {.name = "alone", .kind = QUIPU_LOCATION_THREAD, .parent = 0, .native_id = 6},
    {.name = "circle", .kind = QUIPU_LOCATION_THREAD, .parent = 4, .native_id = 5}};
static const struct quipu_definitions definitions = {.locations = {locations, 5}};

/* Numbers of 32 bits have no sign there, tags do. */
static void test_event_columns_are_read_as_numbers(void **state) {
    const struct quipu_event event = {
        .kind = QUIPU_KIND_send, .peer = QUIPU_NONE, .tag = -1, .bytes = 300, .id = QUIPU_UNKNOWN};
    (void)state;
    assert_true(quipu_event_get(&event, QUIPU_COLUMN_peer) == UINT32_MAX);
    assert_true(quipu_event_get(&event, QUIPU_COLUMN_tag) == -1);
    assert_true(quipu_event_get(&event, QUIPU_COLUMN_bytes) == 300);
    assert_true(quipu__is_unknown(QUIPU_COLUMN_peer, UINT32_MAX));
    assert_false(quipu__is_unknown(QUIPU_COLUMN_bytes, UINT32_MAX));
    assert_true(quipu__is_unknown(QUIPU_COLUMN_bytes, UINT64_MAX));
    assert_true(quipu__is_unknown(QUIPU_COLUMN_id, (uint64_t)quipu_event_get(&event, QUIPU_COLUMN_id)));
}

static void test_event_numbers_have_names(void **state) {
    (void)state;
    assert_string_equal(quipu__name_of(&definitions, QUIPU_REFERS_LOCATION, 2), "thread");
    assert_null(quipu__name_of(&definitions, QUIPU_REFERS_LOCATION, 5));
    assert_null(quipu__name_of(&definitions, QUIPU_REFERS_NOTHING, 0));
    assert_string_equal(quipu__name_of(&definitions, QUIPU_REFERS_COLLECTIVE, QUIPU_COLLECTIVE_BARRIER),
                        "barrier");
    assert_int_equal(quipu__native_id_of(&definitions, QUIPU_REFERS_LOCATION, 2), 7);
    assert_true(quipu__native_id_of(&definitions, QUIPU_REFERS_LOCATION, 5) == QUIPU_UNKNOWN);
    assert_int_equal(quipu__count_of(&definitions, QUIPU_REFERS_LOCATION), 5);
    assert_int_equal(quipu__count_of(&definitions, QUIPU_REFERS_REGION), 0);
    assert_int_equal(quipu__count_of(&definitions, QUIPU_REFERS_COLLECTIVE), QUIPU_COLLECTIVE_COUNT);
    assert_true(quipu__count_of(&definitions, QUIPU_REFERS_NOTHING) == QUIPU_UNKNOWN);
}

/* What is in no process stands for itself, also where parents go round in a circle. */
static void test_event_locations_have_processes(void **state) {
    (void)state;
    assert_int_equal(quipu__process_of(&definitions, 2), 1);
    assert_int_equal(quipu__process_of(&definitions, 1), 1);
    assert_int_equal(quipu__process_of(&definitions, 3), 3);
    assert_int_equal(quipu__process_of(&definitions, 0), 0);
    assert_int_equal(quipu__process_of(&definitions, 4), 4);
    assert_int_equal(quipu__process_of(&definitions, 99), 99);
}

static void test_event_locations_of_a_kind_above(void **state) {
    (void)state;
    assert_int_equal(quipu__location_above(&definitions, 2, QUIPU_LOCATION_NODE), 0);
    assert_int_equal(quipu__location_above(&definitions, 2, QUIPU_LOCATION_THREAD), 2);
    assert_int_equal(quipu__location_above(&definitions, 0, QUIPU_LOCATION_PROCESS), QUIPU_NONE);
    assert_int_equal(quipu__location_above(&definitions, 4, QUIPU_LOCATION_NODE), QUIPU_NONE);
    assert_int_equal(quipu__location_above(&definitions, 99, QUIPU_LOCATION_NODE), QUIPU_NONE);
}

static void test_event_roles_of_regions_have_texts(void **state) {
    (void)state;
    for (unsigned role = 0; role < QUIPU_REGION_ROLE_COUNT; role++)
        assert_int_equal(quipu__region_role_find(quipu__region_role_text((enum quipu_region_role)role)), role);
    assert_string_equal(quipu__region_role_text(QUIPU_REGION_MPI_P2P), "mpi-p2p");
    assert_int_equal(quipu__region_role_find("painter"), QUIPU_REGION_ROLE_COUNT);
}

QUIPU_TESTS(cmocka_unit_test(test_event_columns_are_read_as_numbers),
            cmocka_unit_test(test_event_numbers_have_names),
            cmocka_unit_test(test_event_locations_have_processes),
            cmocka_unit_test(test_event_locations_of_a_kind_above),
            cmocka_unit_test(test_event_roles_of_regions_have_texts))
