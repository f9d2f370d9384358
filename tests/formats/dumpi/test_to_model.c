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

static void test_to_model_requests_complete_in_waits(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, irecv, .count = 9, .datatype = INT, .source = 1, .tag = 3, .comm = WORLD, .request = 7);
    CALL(&made, isend, .count = 2, .datatype = INT, .dest = 1, .tag = 4, .comm = WORLD, .request = 8);
    CALL(&made, test, .request = 7, .flag = 0);
    CALL(&made, waitall, .count = 3, .requests = NUMBERS(8, 1, 7));
    CALL(&made, wait, .request = 7);
    made_rank(&made, 1);
    assert_events(made_close(&made), BUT_REGIONS,
                  "0 0 recv_post peer=1 communicator=0 tag=3 bytes=36 request=7\n"
                  "10 0 send peer=1 communicator=0 tag=4 bytes=8 request=8\n"
                  "40 0 send_complete request=8\n"
                  "40 0 recv peer=1 communicator=0 tag=3 bytes=36 request=7\n");
}

static void test_to_model_any_and_some(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    for (int32_t request = 2; request < 6; request++)
        CALL(&made, irecv, .count = 1, .datatype = INT, .source = 1, .tag = request, .comm = WORLD,
             .request = request);
    CALL(&made, waitany, .count = 2, .requests = NUMBERS(2, 3), .index = 1, .status = STATUS(4, 1, 3));
    CALL(&made, testany, .count = 2, .requests = NUMBERS(2, 1), .index = -32766, .flag = 1);
    CALL(&made, waitsome, .count = 3, .requests = NUMBERS(2, 4, 5), .outcount = 2, .indices = NUMBERS(2, 0));
    CALL(&made, testsome, .count = 1, .requests = NUMBERS(4), .outcount = -32766);
    made_rank(&made, 1);
    assert_events(made_close(&made), QUIPU_KIND_BIT(QUIPU_KIND_recv),
                  "50 0 recv peer=1 communicator=0 tag=3 bytes=4 request=3\n"
                  "70 0 recv peer=1 communicator=0 tag=5 bytes=4 request=5\n"
                  "70 0 recv peer=1 communicator=0 tag=2 bytes=4 request=2\n");
}

static void test_to_model_persistent_requests(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, send_init, .count = 1, .datatype = INT, .dest = 1, .tag = 1, .comm = WORLD, .request = 2);
    CALL(&made, recv_init, .count = 1, .datatype = INT, .source = 1, .tag = 2, .comm = WORLD, .request = 3);
    CALL(&made, startall, .count = 2, .requests = NUMBERS(2, 3));
    CALL(&made, waitall, .count = 2, .requests = NUMBERS(2, 3));
    CALL(&made, start, .request = 2);
    CALL(&made, wait, .request = 2);
    made_rank(&made, 1);
    assert_events(made_close(&made), BUT_REGIONS,
                  "20 0 send peer=1 communicator=0 tag=1 bytes=4 request=2\n"
                  "20 0 recv_post peer=1 communicator=0 tag=2 bytes=4 request=3\n"
                  "40 0 send_complete request=2\n"
                  "40 0 recv peer=1 communicator=0 tag=2 bytes=4 request=3\n"
                  "40 0 send peer=1 communicator=0 tag=1 bytes=4 request=2\n"
                  "60 0 send_complete request=2\n");
}

/* Sends that were complete at once may share a request. */
static void test_to_model_sends_that_share_a_request(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, isend, .count = 1, .datatype = INT, .dest = 1, .tag = 1, .comm = WORLD, .request = 2);
    CALL(&made, isend, .count = 1, .datatype = INT, .dest = 1, .tag = 2, .comm = WORLD, .request = 2);
    CALL(&made, waitall, .count = 2, .requests = NUMBERS(2, 2));
    made_rank(&made, 1);
    assert_events(made_close(&made), QUIPU_KIND_BIT(QUIPU_KIND_send_complete),
                  "30 0 send_complete request=2\n30 0 send_complete request=2\n");
}

static void test_to_model_cancelled_and_freed_requests(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, irecv, .count = 1, .datatype = INT, .source = 1, .tag = 1, .comm = WORLD, .request = 2);
    CALL(&made, cancel, .request = 2);
    CALL(&made, wait, .request = 2);
    CALL(&made, isend, .count = 1, .datatype = INT, .dest = 1, .tag = 2, .comm = WORLD, .request = 3);
    CALL(&made, request_free, .request = 3);
    made_rank(&made, 1);
    assert_events(made_close(&made), BUT_REGIONS,
                  "0 0 recv_post peer=1 communicator=0 tag=1 bytes=4 request=2\n"
                  "10 0 cancel request=2\n"
                  "30 0 send peer=1 communicator=0 tag=2 bytes=4 request=3\n");
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

/* Events of a window of time, as "TIME KIND REQUEST" each. */
static char *window_of(struct quipu_reader *reader, int64_t from, int64_t to) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    char *all = harness_text("%s", "");
    selection.from = from;
    selection.to = to;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        all = harness_text("%s%lld %u %llu\n", all, (long long)event.time, event.kind,
                           event.kind == QUIPU_KIND_recv ? (unsigned long long)event.id : 0);
    return all;
}

/* Requests are followed from the beginning, whatever the window shows; nothing is read behind it. */
static void test_to_model_windows_have_the_events_between(void **state) {
    (void)state;
    enum { CALLS = 12, LASTS = 10 };
    struct made made = made_create();
    made_rank(&made, 0);
    for (int32_t i = 0; i < CALLS; i++)
        if (i < CALLS / 2)
            CALL(&made, irecv, .count = 1, .datatype = INT, .source = 1, .tag = i, .comm = WORLD,
                 .request = 2 + i);
        else
            CALL(&made, wait, .request = 2 + i - CALLS / 2);
    made_rank(&made, 1);
    struct quipu_reader *reader = opened(made_close(&made));
    char *ranges = harness_text("%s", "");
    for (int64_t from = 0; from <= CALLS * LASTS; from += 7)
        ranges = harness_text("%s%s", ranges, window_of(reader, from, from + 7));
    assert_string_equal(ranges, window_of(reader, INT64_MIN, INT64_MAX));
    assert_string_equal(window_of(reader, 70, 71), harness_text("70 %u 2\n70 %u 0\n70 %u 0\n", QUIPU_KIND_recv,
                                                                QUIPU_KIND_leave, QUIPU_KIND_enter));
    quipu_reader_close(reader);
}

/* Annotations: regions with the names of the address section. */
static void test_to_model_functions(void **state) {
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

/* Opening and closing, and collective transfers, are what all members of the file's communicator do; a split one from its first call to its second. */
static void test_to_model_files(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, file_open, .comm = WORLD, .filename = text("data"), .amode = 2, .file = 1);
    CALL(&made, file_write_at, .file = 1, .offset = 64, .count = 4, .datatype = INT,
         .status = STATUS(12, 0, 0));
    CALL(&made, file_iread, .file = 1, .count = 2, .datatype = INT, .request = 2);
    CALL(&made, file_read_all_begin, .file = 1, .count = 1, .datatype = INT);
    CALL(&made, mpio_wait, .request = 2, .status = STATUS(8, 0, 0));
    CALL(&made, file_read_all_end, .file = 1);
    CALL(&made, file_close, .file = 1);
    struct quipu_reader *reader = opened(made_close(&made));
    const struct quipu_files *files = &quipu_reader_definitions(reader)->files;
    assert_int_equal(files->count, 1);
    assert_string_equal(files->items[0].name, "data");
    assert_string_equal(
        events_of(reader, BUT_REGIONS),
        "0 0 collective_begin region=0 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "10 0 io_open file=0 handle=1 flags=2\n"
        "10 0 collective_end region=0 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "10 0 io_begin file=0 operation=4 handle=1 offset=64 bytes=16 matching=1\n"
        "20 0 io_end file=0 operation=4 handle=1 offset=64 bytes=12 matching=1\n"
        "20 0 io_begin file=0 operation=3 handle=1 offset=? bytes=8 matching=2\n"
        "30 0 collective_begin region=4 operation=0 root=? communicator=0 sent=0 received=0 matching=3\n"
        "30 0 io_begin file=0 operation=3 handle=1 offset=? bytes=4 matching=3\n"
        "50 0 io_end file=0 operation=3 handle=1 offset=? bytes=8 matching=2\n"
        "60 0 io_end file=0 operation=3 handle=1 offset=? bytes=4 matching=3\n"
        "60 0 collective_end region=5 operation=0 root=? communicator=0 sent=0 received=0 matching=3\n"
        "60 0 collective_begin region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=4\n"
        "60 0 io_close file=0 handle=1\n"
        "70 0 collective_end region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=4\n");
    quipu_reader_close(reader);
}

/* In Wait, a transfer's request has a number that no call made. */
static void test_to_model_transfers_end_in_waits_of_unknown_requests(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, file_open, .comm = WORLD, .filename = text("data"), .amode = 2, .file = 1);
    CALL(&made, file_iwrite, .file = 1, .count = 2, .datatype = INT, .request = 2);
    CALL(&made, wait, .request = 2, .status = STATUS(8, 0, 0));
    assert_events(made_close(&made), QUIPU_KIND_BIT(QUIPU_KIND_io_end),
                  "30 0 io_end file=0 operation=4 handle=1 offset=? bytes=8 matching=1\n");
}

/* ---- Clocks, threads, counters ---- */

static void test_to_model_undoes_the_roll_over(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    for (int i = 0; i < 4; i++) {
        CALL(&made, barrier, .comm = WORLD);
        made.common.wall_stop += INT64_C(30000) * 1000000000;
    }
    const char *path = made_close(&made);
    assert_events(path, QUIPU_KIND_BIT(QUIPU_KIND_enter),
                  "0 0 enter region=0\n30000000000010 0 enter region=0\n60000000000020 0 enter region=0\n"
                  "90000000000030 0 enter region=0\n");
    assert_int_equal(findings_of(path, "dumpi.rollover"), 1);
}

/* Numbers of threads are dense in sound files. A substream is a pass over the file, so a damaged number must not cost as many as
 * it says: 3171 passes, once. */
static void test_to_model_only_threads_that_make_calls_have_substreams(void **state) {
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

static void test_to_model_threads_are_locations(void **state) {
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

static void test_to_model_counters_are_metrics(void **state) {
    (void)state;
    struct made made = made_create();
    const struct quipu__dumpi_counter counters[] = {{5, 7}, {100, 90}};
    const char *names[] = {text("CYCLES"), text("MISSES")};
    const struct quipu__dumpi_counters section = {sized(names, 2, sizeof *names)};
    const struct quipu__dumpi_end end = {293};
    made_rank(&made, 0);
    made.common.mask |= QUIPU__DUMPI_MASK_COUNTERS;
    made.common.counters = sized(counters, 2, sizeof *counters);
    CALL(&made, barrier, .comm = WORLD);
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_counters, &section, NULL);
    struct quipu_reader *reader = opened(made_close(&made));
    assert_string_equal(quipu_reader_definitions(reader)->metrics.items[1].name, "MISSES");
    assert_string_equal(events_of(reader, QUIPU_KIND_BIT(QUIPU_KIND_metric)),
                        "0 0 metric metric=0 value=5\n0 0 metric metric=1 value=100\n"
                        "10 0 metric metric=0 value=7\n10 0 metric metric=1 value=90\n");
    quipu_reader_close(reader);
}

static void test_to_model_without_wall_times_uses_the_cpu(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    made.common.mask = QUIPU__DUMPI_MASK_CPU | QUIPU__DUMPI_MASK_THREAD;
    made.common.cpu_start = 70;
    made.common.cpu_stop = 95;
    CALL(&made, barrier, .comm = WORLD);
    const char *path = made_close(&made);
    assert_events(path, ~BUT_REGIONS, "70 0 enter region=0\n95 0 leave region=0\n");
    assert_int_equal(findings_of(path, "dumpi.no-clock"), 1);
}

QUIPU_TESTS(
    cmocka_unit_test(test_to_model_blocking_messages), cmocka_unit_test(test_to_model_receive_without_status),
    cmocka_unit_test(test_to_model_requests_complete_in_waits), cmocka_unit_test(test_to_model_any_and_some),
    cmocka_unit_test(test_to_model_persistent_requests),
    cmocka_unit_test(test_to_model_sends_that_share_a_request),
    cmocka_unit_test(test_to_model_cancelled_and_freed_requests),
    cmocka_unit_test(test_to_model_ranks_beyond_the_communicator_get_no_message),
    cmocka_unit_test(test_to_model_sendrecv_with_proc_null), cmocka_unit_test(test_to_model_sendrecv),
    cmocka_unit_test(test_to_model_probes), cmocka_unit_test(test_to_model_calls_enter_and_leave),
    cmocka_unit_test(test_to_model_arguments_become_attributes),
    cmocka_unit_test(test_to_model_statuses_become_json),
    cmocka_unit_test(test_to_model_windows_have_the_events_between), cmocka_unit_test(test_to_model_functions),
    cmocka_unit_test(test_to_model_collective_calls_without_a_record),
    cmocka_unit_test(test_to_model_bytes_of_collectives), cmocka_unit_test(test_to_model_puts_go_to_the_window),
    cmocka_unit_test(test_to_model_calls_that_all_make_together), cmocka_unit_test(test_to_model_files),
    cmocka_unit_test(test_to_model_transfers_end_in_waits_of_unknown_requests),
    cmocka_unit_test(test_to_model_undoes_the_roll_over), cmocka_unit_test(test_to_model_threads_are_locations),
    cmocka_unit_test(test_to_model_only_threads_that_make_calls_have_substreams),
    cmocka_unit_test(test_to_model_counters_are_metrics),
    cmocka_unit_test(test_to_model_without_wall_times_uses_the_cpu))
