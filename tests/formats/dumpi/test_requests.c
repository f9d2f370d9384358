/* test_requests.c: what is active, found by its number: requests of messages. */
#include "traces.h"

#include "formats/dumpi/events.h"

#define INT 9
#define WORLD 2
#define SELF 3

static void test_requests_complete_in_waits(void **state) {
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

static void test_requests_any_and_some(void **state) {
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

static void test_requests_that_are_persistent(void **state) {
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
static void test_requests_that_sends_share(void **state) {
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

static void test_requests_that_are_cancelled_and_freed(void **state) {
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

/* A number is free again when what it stood for is over; transfers under requests and under file handles are apart. */
static void test_requests_lists_by_number(void **state) {
    struct quipu__memory memory;
    struct quipu__dumpi_requests requests;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__dumpi_requests_init(&requests, &memory);
    assert_null(quipu__dumpi_request_find(&requests, -7));
    quipu__dumpi_request_at(&requests, -7)->kind = QUIPU__DUMPI_SENDING;
    assert_int_equal(quipu__dumpi_request_find(&requests, -7)->number, -7);
    quipu__dumpi_request_at(&requests, -7)->kind = QUIPU__DUMPI_NO_REQUEST;
    assert_null(quipu__dumpi_request_find(&requests, -7));
    *quipu__dumpi_transfer_at(&requests, false, 3) =
        (struct quipu__dumpi_transfer){.is_active = true, .id = 20};
    *quipu__dumpi_transfer_at(&requests, true, 3) = (struct quipu__dumpi_transfer){.is_active = true, .id = 10};
    assert_int_equal(quipu__dumpi_transfer_find(&requests, false, 3)->id, 20);
    assert_int_equal(quipu__dumpi_transfer_find(&requests, true, 3)->id, 10);
    assert_int_equal(quipu__dumpi_transfer_oldest(&requests)->id, 10);
    quipu__dumpi_transfer_find(&requests, true, 3)->is_active = false;
    assert_null(quipu__dumpi_transfer_find(&requests, true, 3));
    assert_int_equal(quipu__dumpi_transfer_oldest(&requests)->id, 20);
    quipu__dumpi_requests_release(&requests);
    assert_int_equal(memory.used, 0);
}

/* Handles of windows and of files are apart, and stand for the communicator of the call that made them last. */
static void test_requests_windows_have_communicators(void **state) {
    struct quipu__memory memory;
    struct quipu__dumpi_windows windows;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__dumpi_windows_init(&windows, &memory);
    assert_int_equal(quipu__dumpi_windows_get(&windows, 4), QUIPU_NONE);
    assert_true(quipu__dumpi_windows_put(&windows, 4, 1));
    assert_true(quipu__dumpi_windows_put(&windows, QUIPU__DUMPI_OF_FILE + 4, 2));
    assert_true(quipu__dumpi_windows_put(&windows, 4, 3));
    assert_int_equal(quipu__dumpi_windows_get(&windows, 4), 3);
    assert_int_equal(quipu__dumpi_windows_get(&windows, QUIPU__DUMPI_OF_FILE + 4), 2);
    quipu__dumpi_windows_release(&windows);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_requests_complete_in_waits), cmocka_unit_test(test_requests_any_and_some),
            cmocka_unit_test(test_requests_that_are_persistent),
            cmocka_unit_test(test_requests_that_sends_share),
            cmocka_unit_test(test_requests_that_are_cancelled_and_freed),
            cmocka_unit_test(test_requests_lists_by_number),
            cmocka_unit_test(test_requests_windows_have_communicators))
