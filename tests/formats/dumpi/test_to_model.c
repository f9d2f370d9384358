/* test_to_model.c: the events that calls make, by small traces made for each rule. Times are nanoseconds after second
 * 100 of the files; the first call of a rank is at 0. */
#include "traces.h"

#include "formats/dumpi/mapping.h"

#define INT 9
#define WORLD 2
#define SELF 3

/* ---- Messages ---- */

static void test_to_model_blocking_messages(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, send, .count = 8, .datatype = INT, .dest = 1, .tag = 5, .comm = WORLD);
    CALL(&made, send, .count = 8, .datatype = INT, .dest = -2, .tag = 5, .comm = WORLD);
    made_rank(&made, 1);
    CALL(&made, recv, .count = 100, .datatype = INT, .source = -1, .tag = -1, .comm = WORLD,
         .status = STATUS(32, 0, 5));
    CALL(&made, recv, .count = 4, .datatype = INT, .source = -2, .tag = 5, .comm = WORLD);
    assert_events(made_close(&made), BUT_REGIONS,
                  "0 0 send peer=1 communicator=0 tag=5 bytes=32 request=?\n"
                  "10 1 recv peer=0 communicator=0 tag=5 bytes=32 request=?\n");
}

static void test_to_model_receive_without_status(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    made_rank(&made, 1);
    CALL(&made, recv, .count = 4, .datatype = INT, .source = 0, .tag = 5, .comm = WORLD);
    CALL(&made, recv, .count = 4, .datatype = INT, .source = -1, .tag = -1, .comm = WORLD);
    assert_events(made_close(&made), BUT_REGIONS,
                  "10 1 recv peer=0 communicator=0 tag=5 bytes=16 request=?\n"
                  "20 1 recv peer=? communicator=0 tag=-1 bytes=16 request=?\n");
}

/* A world of two ranks has no rank 7: MPI refuses the call, so there is no message. */
static void test_to_model_ranks_beyond_the_communicator_get_no_message(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, send, .count = 1, .datatype = INT, .dest = 7, .tag = 0, .comm = WORLD);
    CALL(&made, send, .count = 1, .datatype = INT, .dest = 1, .tag = 0, .comm = WORLD);
    made_rank(&made, 1);
    CALL(&made, recv, .count = 1, .datatype = INT, .source = 2, .tag = 0, .comm = WORLD);
    assert_events(made_close(&made), BUT_REGIONS, "10 0 send peer=1 communicator=0 tag=0 bytes=4 request=?\n");
}

/* MPICH numbers MPI_PROC_NULL as any source is numbered here; only the receiver tells which is meant. */
static void test_to_model_sendrecv_with_proc_null(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, sendrecv, .sendcount = 1, .sendtype = INT, .dest = -1, .sendtag = 5, .recvcount = 1,
         .recvtype = INT, .source = -1, .recvtag = 5, .comm = WORLD);
    made_rank(&made, 1);
    assert_events(made_close(&made), BUT_REGIONS, "");
}

static void test_to_model_sendrecv(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, sendrecv, .sendcount = 3, .sendtype = INT, .dest = 1, .sendtag = 1, .recvcount = 5,
         .recvtype = INT, .source = 1, .recvtag = 2, .comm = WORLD);
    CALL(&made, sendrecv_replace, .count = 2, .datatype = 14, .dest = 1, .sendtag = 3, .source = 1,
         .recvtag = 4, .comm = WORLD);
    made_rank(&made, 1);
    assert_events(made_close(&made), BUT_REGIONS,
                  "0 0 send peer=1 communicator=0 tag=1 bytes=12 request=?\n"
                  "10 0 recv peer=1 communicator=0 tag=2 bytes=20 request=?\n"
                  "10 0 send peer=1 communicator=0 tag=3 bytes=16 request=?\n"
                  "20 0 recv peer=1 communicator=0 tag=4 bytes=16 request=?\n");
}

/* What MPI_Probe has found its status says; MPI_Iprobe has waited for nothing, and no event tells of it. */
static void test_to_model_probes(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, probe, .source = -1, .tag = -1, .comm = WORLD, .status = STATUS(4, 1, 6));
    CALL(&made, iprobe, .source = 1, .tag = 1, .comm = WORLD, .flag = 1, .status = STATUS(4, 1, 1));
    made_rank(&made, 1);
    assert_events(made_close(&made), BUT_REGIONS, "10 0 probe peer=1 communicator=0 tag=6 bytes=4\n");
}

/* ---- Regions ---- */

static void test_to_model_calls_enter_and_leave(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, comm_rank, .comm = WORLD, .rank = 0);
    CALL(&made, barrier, .comm = WORLD);
    const char *path = made_close(&made);
    struct quipu_reader *reader = opened(path);
    const struct quipu_regions *regions = &quipu_reader_definitions(reader)->regions;
    assert_int_equal(regions->count, 2);
    assert_string_equal(regions->items[0].name, "MPI_Barrier");
    assert_int_equal(regions->items[0].native_id, 52);
    assert_int_equal(regions->items[0].role, QUIPU_REGION_MPI_COLLECTIVE);
    assert_string_equal(regions->items[1].name, "MPI_Comm_rank");
    assert_string_equal(events_of(reader, ~BUT_REGIONS),
                        "0 0 enter region=1\n10 0 leave region=1\n10 0 enter region=0\n20 0 leave region=0\n");
    quipu_reader_close(reader);
}

static void test_to_model_arguments_become_attributes(void **state) {
    (void)state;
    struct made made = made_create();
    struct quipu_event event;
    made_rank(&made, 0);
    CALL(&made, info_set, .info = 3, .key = text("access"), .value = text("random"));
    struct quipu_reader *reader = opened(made_close(&made));
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    assert_int_equal(event.attribute_count, 5);
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    assert_string_equal(quipu_key_name(definitions, event.attributes[0].value.key), "info");
    assert_int_equal(event.attributes[0].value.i, 3);
    assert_string_equal(quipu_key_name(definitions, event.attributes[2].value.key), "value");
    assert_int_equal(event.attributes[2].value.size, 6);
    assert_memory_equal(event.attributes[2].value.data, "random", 6);
    assert_string_equal(quipu_key_name(definitions, event.attributes[3].value.key), "cpu_start");
    quipu_reader_close(reader);
}

/* Statuses have a writer of their own: its text is that of the schema. */
static void test_to_model_statuses_become_json(void **state) {
    (void)state;
    const struct quipu__dumpi_status statuses[] = {{32, 0, 5, 1, 0}, {-7, -1, INT32_MIN, 0, -128}};
    const struct quipu__dumpi_waitall call = {
        .count = 2, .requests = NUMBERS(2, 3), .statuses = sized(statuses, 2, sizeof *statuses)};
    struct made made = made_create();
    struct quipu_event event;
    struct quipu__memory memory;
    struct quipu__buffer expected;
    made_rank(&made, 0);
    made_call(&made, QUIPU__DUMPI_TYPE_waitall, &call);
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&expected, &memory, 0);
    quipu__print_json_value(
        &quipu__dumpi_types[QUIPU__DUMPI_TYPE_waitall].fields[QUIPU__DUMPI_waitall_statuses], &call, &expected);
    struct quipu_reader *reader = opened(made_close(&made));
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    const struct quipu_value *value = &event.attributes[QUIPU__DUMPI_waitall_statuses].value;
    assert_string_equal(quipu_key_name(quipu_reader_definitions(reader), value->key), "statuses");
    assert_int_equal(value->size, expected.len);
    assert_memory_equal(value->data, expected.data, expected.len);
    assert_memory_equal(value->data, "[{\"bytes\": 32, \"source\": 0, \"tag\": 5, \"cancelled\": 1, ", 54);
    quipu__buffer_release(&expected);
    quipu_reader_close(reader);
}

static uint32_t region_named(const struct quipu_reader *reader, const char *name) {
    const struct quipu_regions *regions = &quipu_reader_definitions(reader)->regions;
    for (uint32_t i = 0; i < regions->count; i++)
        if (strcmp(regions->items[i].name, name) == 0)
            return i;
    return QUIPU_NONE;
}

/* Records inside of a function of that name say what it does. Rank 0 is the root of two: it sends 4 numbers of 4 bytes, and receives twice 8. */
static void test_to_model_collective_calls_without_a_record(void **state) {
    (void)state;
    struct made made = made_create();
    const struct quipu__dumpi_label label = {4096, text("MPI_Igather")};
    const struct quipu__dumpi_end end = {293};
    const struct quipu__dumpi_addresses addresses = {sized(&label, 1, sizeof label)};
    const int32_t tag = QUIPU__DUMPI_FIRST_LATER_TAG - QUIPU__DUMPI_LATER_Igather;
    made_rank(&made, 0);
    CALL(&made, function_enter, .fn = 4096);
    CALL(&made, recv_init, .count = 8, .datatype = INT, .source = 0, .tag = tag, .comm = WORLD, .request = 5);
    CALL(&made, send_init, .count = 4, .datatype = INT, .dest = 0, .tag = tag, .comm = WORLD, .request = 5);
    CALL(&made, function_exit, .fn = 4096);
    CALL(&made, wait, .request = 5);
    CALL(&made, wait, .request = 5); /* nothing is under way any more */
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_addresses, &addresses, NULL);
    made_rank(&made, 1);
    struct quipu_reader *reader = opened(made_close(&made));
    const unsigned region = region_named(reader, "MPI_Igather"), wait = region_named(reader, "MPI_Wait");
    const char *both =
        harness_text("region=%u operation=%d root=0 communicator=0 sent=16 received=64 matching=0", region,
                     QUIPU_COLLECTIVE_GATHER);
    assert_int_equal(quipu_reader_definitions(reader)->regions.items[region].role, QUIPU_REGION_MPI_COLLECTIVE);
    assert_string_equal(events_of(reader, QUIPU_ALL_KINDS),
                        harness_text("0 0 enter region=%u\n20 0 collective_begin %s\n40 0 leave region=%u\n"
                                     "40 0 enter region=%u\n50 0 collective_end %s\n50 0 leave region=%u\n"
                                     "50 0 enter region=%u\n60 0 leave region=%u\n",
                                     region, both, region, wait, both, wait, wait, wait));
    quipu_reader_close(reader);
}

/* ---- Collectives ---- */

#define COLLECTIVE "region=%d operation=%d root=%s communicator=0 sent=%d received=%d matching=0\n"

static void assert_collective(struct made *made, int region, int operation, const char *root, int sent,
                              int received) {
    assert_events(made_close(made), QUIPU_KIND_BIT(QUIPU_KIND_collective_end),
                  harness_text("10 1 collective_end " COLLECTIVE, region, operation, root, sent, received));
}

/* Rank 1 of two ranks. */
static struct made second_rank(void) {
    struct made made = made_create();
    made_rank(&made, 0);
    made_rank(&made, 1);
    return made;
}

/* Sides are the first process' and the second's; the scan ends with the last one. */
static void test_to_model_bytes_of_collectives(void **state) {
    (void)state;
    const int16_t types[] = {INT, 14};
    struct made made = second_rank();
    CALL(&made, bcast, .count = 3, .datatype = INT, .root = 0, .comm = WORLD);
    assert_collective(&made, 0, QUIPU_COLLECTIVE_BCAST, "0", 0, 12);
    made = second_rank();
    CALL(&made, gather, .commrank = 1, .sendcount = 3, .sendtype = INT, .recvcount = 3, .recvtype = INT,
         .root = 1, .comm = WORLD);
    assert_collective(&made, 0, QUIPU_COLLECTIVE_GATHER, "1", 12, 24);
    made = second_rank();
    CALL(&made, gatherv, .commrank = 1, .commsize = 2, .sendcount = 3, .sendtype = INT,
         .recvcounts = NUMBERS(5, 3), .displs = NUMBERS(0, 5), .recvtype = INT, .root = 1, .comm = WORLD);
    assert_collective(&made, 0, QUIPU_COLLECTIVE_GATHERV, "1", 12, 32);
    made = second_rank();
    CALL(&made, alltoallw, .commsize = 2, .sendcounts = NUMBERS(1, 2), .senddispls = NUMBERS(0, 0),
         .sendtypes = sized(types, 2, 2), .recvcounts = NUMBERS(2, 1), .recvdispls = NUMBERS(0, 0),
         .recvtypes = sized(types, 2, 2), .comm = WORLD);
    assert_collective(&made, 0, QUIPU_COLLECTIVE_ALLTOALLW, "?", 20, 16);
    made = second_rank();
    CALL(&made, reduce_scatter, .commsize = 2, .recvcounts = NUMBERS(5, 3), .datatype = INT, .op = 3,
         .comm = WORLD);
    assert_collective(&made, 0, QUIPU_COLLECTIVE_REDUCE_SCATTER, "?", 32, 12);
    made = second_rank();
    CALL(&made, scan, .count = 2, .datatype = INT, .op = 3, .comm = WORLD);
    assert_collective(&made, 0, QUIPU_COLLECTIVE_SCAN, "?", 0, 8);
}

/* ---- One-sided communication and files ---- */

static void test_to_model_puts_go_to_the_window(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, win_create, .size = 100, .dispunit = 1, .comm = WORLD, .win = 1);
    CALL(&made, put, .origincount = 2, .origintype = INT, .targetrank = 1, .targetcount = 2, .targettype = INT,
         .win = 1);
    made_rank(&made, 1);
    assert_events(
        made_close(&made), BUT_REGIONS,
        "0 0 collective_begin region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "10 0 collective_end region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "10 0 rma_begin operation=1 target=1 window=0 tag=0 bytes=8 origin=?\n"
        "20 0 rma_end operation=1 target=1 window=0 tag=0 bytes=8 origin=?\n");
}

/* All members of the old communicator, of the window's, and of the other file's own take part; what is made of MPI_COMM_SELF is made alone. Regions have the
 * order of the numbers of their records. */
static void test_to_model_calls_that_all_make_together(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, comm_dup, .oldcomm = WORLD, .newcomm = 5);
    CALL(&made, win_create, .size = 100, .dispunit = 1, .comm = WORLD, .win = 1);
    CALL(&made, win_fence, .win = 1);
    CALL(&made, file_open, .comm = SELF, .filename = text("data"), .file = 1);
    CALL(&made, file_set_view, .file = 1, .datarep = text("native"));
    assert_events(
        made_close(&made), QUIPU_KIND_BIT(QUIPU_KIND_collective_end),
        "10 0 collective_end region=0 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "20 0 collective_end region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=1\n"
        "30 0 collective_end region=2 operation=0 root=? communicator=0 sent=0 received=0 matching=2\n"
        "40 0 collective_end region=3 operation=0 root=? communicator=1 sent=0 received=0 matching=3\n"
        "50 0 collective_end region=4 operation=0 root=? communicator=1 sent=0 received=0 matching=4\n");
}

QUIPU_TESTS(cmocka_unit_test(test_to_model_blocking_messages),
            cmocka_unit_test(test_to_model_receive_without_status),
            cmocka_unit_test(test_to_model_ranks_beyond_the_communicator_get_no_message),
            cmocka_unit_test(test_to_model_sendrecv_with_proc_null), cmocka_unit_test(test_to_model_sendrecv),
            cmocka_unit_test(test_to_model_probes), cmocka_unit_test(test_to_model_calls_enter_and_leave),
            cmocka_unit_test(test_to_model_arguments_become_attributes),
            cmocka_unit_test(test_to_model_statuses_become_json),
            cmocka_unit_test(test_to_model_bytes_of_collectives),
            cmocka_unit_test(test_to_model_puts_go_to_the_window),
            cmocka_unit_test(test_to_model_calls_that_all_make_together),
            cmocka_unit_test(test_to_model_collective_calls_without_a_record))
