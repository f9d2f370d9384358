/* test_scan.c: definitions that only records tell: threads, functions. */
#include "traces.h"

#define INT 9
#define WORLD 2
#define SELF 3

/* Annotations: regions with the names of the address section. */
static void test_scan_functions(void **state) {
    (void)state;
    struct made made = made_create();
    const struct quipu__dumpi_label label = {4096, text("ANNOTATION: step")};
    const struct quipu__dumpi_end end = {293};
    const struct quipu__dumpi_addresses addresses = {sized(&label, 1, sizeof label)};
    made_rank(&made, 0);
    CALL(&made, function_enter, .fn = 4096);
    CALL(&made, function_exit, .fn = 4096);
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_addresses, &addresses, NULL);
    struct quipu_reader *reader = opened(made_close(&made));
    const struct quipu_regions *regions = &quipu_reader_definitions(reader)->regions;
    assert_int_equal(regions->count, 1);
    assert_string_equal(regions->items[0].name, "ANNOTATION: step");
    assert_int_equal(regions->items[0].native_id, 4096);
    assert_int_equal(regions->items[0].role, QUIPU_REGION_USER);
    assert_string_equal(events_of(reader, ~BUT_REGIONS), "0 0 enter region=0\n20 0 leave region=0\n");
    quipu_reader_close(reader);
}

/* Numbers of threads are dense in sound files. A substream is a pass over the file, so a damaged number must not cost as many as
 * it says: 3171 passes, once. */
static void test_scan_only_threads_that_make_calls_have_substreams(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, send, .count = 1, .datatype = 5);
    made.common.thread = 3170;
    CALL(&made, send, .count = 2, .datatype = 5);
    made.common.thread = 0;
    struct quipu_reader *reader = opened(made_close(&made));
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    assert_int_equal(quipu_reader_stream_at(reader, 0)->substreams, 2);
    assert_int_equal(definitions->locations.count, 2);
    assert_string_equal(definitions->locations.items[1].name, "rank 0 thread 3170");
    assert_string_equal(events_of(reader, QUIPU_KIND_BIT(QUIPU_KIND_enter)),
                        "0 0 enter region=0\n10 1 enter region=0\n");
    quipu_reader_close(reader);
}

static void test_scan_threads_are_locations(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, init_thread, .required = 4, .provided = 4);
    made.common.thread = 1;
    CALL(&made, isend, .count = 1, .datatype = INT, .dest = 0, .tag = 1, .comm = WORLD, .request = 2);
    made.common.thread = 0;
    CALL(&made, wait, .request = 2);
    struct quipu_reader *reader = opened(made_close(&made));
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    assert_int_equal(definitions->locations.count, 2);
    assert_int_equal(definitions->locations.items[1].kind, QUIPU_LOCATION_THREAD);
    assert_int_equal(definitions->locations.items[1].parent, 0);
    assert_int_equal(quipu_reader_stream_at(reader, 0)->substreams, 2);
    assert_string_equal(
        events_of(reader, BUT_REGIONS),
        "10 1 send peer=0 communicator=0 tag=1 bytes=4 request=2\n30 0 send_complete request=2\n");
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_scan_only_threads_that_make_calls_have_substreams),
            cmocka_unit_test(test_scan_threads_are_locations), cmocka_unit_test(test_scan_functions))
