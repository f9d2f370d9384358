/* test_model_definitions.c: definitions in metadata, and what numbers in payloads refer to. */
#include "traces.h"

#define OWN(definitions)                                                                                       \
    ", \"quipu\": {\"version\": \"1.0.0\", \"process\": 0, \"location\": 1, \"definitions\": {" definitions "}}"

static void assert_text(const char *text, const char *expected) {
    assert_string_equal(text, expected);
}

static void test_model_definitions_are_those_of_the_metadata(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE(
        {.tid = 11,
         .top = OWN(
             "\"locations\": {\"4\": {\"name\": \"rank 4\", \"rank\": 4}}, \"groups\": {\"0\": {\"name\": "
             "\"world\", \"communicator\": true, \"members\": [0, 4, 9]}}, \"files\": {\"2\": {\"name\": "
             "\"data\", \"group\": \"scratch\"}}, \"metrics\": {\"3\": {\"name\": \"load\", \"unit\": \"%\", "
             "\"value\": 2, \"mode\": 1}}, \"regions\": {\"6\": {\"name\": \"exchange\", \"group\": \"user\", "
             "\"role\": \"mpi-p2p\"}}"),
         .events = "0 OHx i0 i-1 q0; 9 OHe"}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    const struct quipu_location *rank = &d->locations.items[d->locations.count - 1];
    assert_text(rank->name, "rank 4");
    assert_int_equal(rank->rank, 4);
    assert_int_equal(rank->kind, QUIPU_LOCATION_PROCESS);
    const struct quipu_group *group = &d->groups.items[d->groups.count - 1];
    assert_text(group->name, "world");
    assert_true(group->is_communicator);
    assert_int_equal(group->member_count, 3);
    assert_text(d->locations.items[group->members[0]].name, "proc.10"); /* the stream's process */
    assert_text(d->locations.items[group->members[1]].name, "rank 4");
    assert_int_equal(group->members[2], QUIPU_NONE); /* which nothing defines */
    assert_text(d->files.items[0].name, "data");
    assert_text(d->files.items[0].group, "scratch");
    assert_text(d->metrics.items[0].unit, "%");
    assert_int_equal(d->metrics.items[0].value, QUIPU_METRIC_F64);
    const struct quipu_region *region = &d->regions.items[d->regions.count - 1];
    assert_text(region->name, "exchange");
    assert_int_equal(region->role, QUIPU_REGION_MPI_P2P);
    quipu_reader_close(reader);
}

/* Receiver 4 (5), communicator 0 (1), tag -1 (1), 300 bytes (301), request unknown (0). */
static void test_model_definitions_are_what_events_refer_to(void **state) {
    const char *path = MADE_TRACE({.tid = 11,
                                   .top = OWN("\"locations\": {\"4\": {\"name\": \"rank 4\", \"rank\": 4}}"),
                                   .events = "0 OUs x050001ad0200; 1 OUs x0a0001ad0200"});
    (void)state;
    assert_text(model_events(path), "0 thread.11 send peer=rank 4 communicator=? tag=-1 bytes=300 request=?; "
                                    "1 thread.11 send peer=? communicator=? tag=-1 bytes=300 request=?");
}

/* Without metadata that say so, and with those of another version, such events are markers. */
static void test_model_definitions_must_be_there(void **state) {
    (void)state;
    const char *expected = "0 thread.11 marker marker=OU[ text=OUs";
    assert_text(model_events(MADE_TRACE({.tid = 11, .events = "0 OUs x050001ad0200"})), expected);
    assert_text(model_events(MADE_TRACE({.tid = 11,
                                         .top = ", \"quipu\": {\"version\": \"2.0.0\", \"definitions\": {}}",
                                         .events = "0 OUs x050001ad0200"})),
                expected);
}

/* A role that is unknown is that of a function; values and modes that are unknown are numbers at points. */
static void test_model_definitions_with_values_that_are_unknown(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE(
        {.tid = 11,
         .top = OWN("\"metrics\": {\"0\": {\"name\": \"load\", \"value\": 99, \"mode\": -1}}, "
                    "\"regions\": {\"0\": {\"name\": \"f\", \"role\": \"painter\"}, \"x\": {\"name\": \"g\"}}"),
         .events = "0 OB."}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_int_equal(d->metrics.items[0].value, QUIPU_METRIC_U64);
    assert_int_equal(d->metrics.items[0].mode, QUIPU_METRIC_POINT);
    assert_text(d->regions.items[d->regions.count - 1].name, "f");
    assert_int_equal(d->regions.items[d->regions.count - 1].role, QUIPU_REGION_FUNCTION);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_model_definitions_are_those_of_the_metadata),
            cmocka_unit_test(test_model_definitions_are_what_events_refer_to),
            cmocka_unit_test(test_model_definitions_must_be_there),
            cmocka_unit_test(test_model_definitions_with_values_that_are_unknown))
