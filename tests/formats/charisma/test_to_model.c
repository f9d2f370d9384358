/* test_to_model.c: records become definitions and events. */
#include "harness.h"

#include "traces.h"

/* All events of a file, in their order, as text lines. */
static const char *events_of(const char *path, const char *machine) {
    struct quipu_reader *reader = open_as(path, machine);
    struct quipu_event event;
    size_t len = 0;
    char *text = harness_text("%20000s", "");
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        const char *location = quipu_reader_definitions(reader)->locations.items[event.location].name;
        len += (size_t)snprintf(text + len, 20000 - len, "%d %s %s", (int)event.time, location,
                                quipu_kind_at((enum quipu_kind)event.kind)->name);
        if (event.kind == QUIPU_KIND_io_begin || event.kind == QUIPU_KIND_io_end)
            len += (size_t)snprintf(text + len, 20000 - len, " %d+%d #%d", (int)event.value, (int)event.bytes,
                                    (int)event.id);
        len += (size_t)snprintf(text + len, 20000 - len, "\n");
    }
    quipu_reader_close(reader);
    return text;
}

static void begin(struct made *made) {
    make(made, "lp64", false);
    put_load(made, 10, 7, 2);
    put_open(made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ_WRITE);
}

/* A request says when it begins and when it ends; others may begin and end in between. */
static void test_to_model_requests_end_in_their_time(void **state) {
    struct made made;
    (void)state;
    begin(&made);
    put_rw(&made, 100, 1, 3, 4, 0, 0, 10);
    put_rw(&made, 103, 2, 3, 6, 0, 10, 20);
    put_close(&made, 200, 1, 3);
    assert_string_equal(events_of(save(&made), "lp64"), "10 solver location_begin\n"
                                                        "10 Client 1 location_begin\n"
                                                        "10 Client 2 location_begin\n"
                                                        "20 Client 1 io_open\n"
                                                        "100 Client 1 io_begin 0+10 #0\n"
                                                        "103 Client 2 io_begin 10+20 #1\n"
                                                        "105 Client 1 io_end 0+10 #0\n"
                                                        "108 Client 2 io_end 10+20 #1\n"
                                                        "200 Client 1 io_close\n");
    unmake(&made);
}

enum { REQUESTS = 1000 };

/* Beginnings and lengths of requests, some of which end behind many others, and some at once. */
static void make_requests(struct made *made, int begins[REQUESTS], int ends[REQUESTS]) {
    int time = 100;
    for (int i = 0; i < REQUESTS; i++) {
        begins[i] = time += i * 7 % 4;
        ends[i] = time + (i % 97 == 5 ? 300 : i * 13 % 5);
        struct quipu__charisma_request *request = quipu__scratch_sized(&made->scratch, 1, sizeof *request);
        *request = (struct quipu__charisma_request){i * 10, 0, 10, 1 + i % 2};
        PUT(made, rw, .starttime = ticks(made, begins[i]), .endtime = ticks(made, ends[i]), .file_desc = 3,
            .operation_type = i % 3 ? 4 : 6, .appl_id = -1, .num_clients = 1, .requests = request);
    }
}

/* Requests are read many at a time; that changes nothing. */
static void test_to_model_events_of_requests_of_any_length_are_in_order_of_time(void **state) {
    struct made made;
    int begins[REQUESTS], ends[REQUESTS];
    bool is_active[REQUESTS] = {false};
    uint32_t ended = 0;
    struct quipu_event event;
    int64_t latest = 0;
    (void)state;
    begin(&made);
    put_open(&made, 20, 2, 3, 71, QUIPU__CHARISMA_OPEN_READ_WRITE);
    make_requests(&made, begins, ends);
    struct quipu_reader *reader = open_as(save(&made), "lp64");
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        assert_true(event.time >= latest);
        latest = event.time;
        if (event.kind != QUIPU_KIND_io_begin && event.kind != QUIPU_KIND_io_end)
            continue;
        const bool is_end = event.kind == QUIPU_KIND_io_end;
        assert_int_equal(event.time, is_end ? ends[event.id] : begins[event.id]);
        assert_int_equal(is_active[event.id], is_end);
        assert_int_equal(event.value, event.id * 10);
        assert_int_equal(event.operation, event.id % 3 ? QUIPU_IO_READ : QUIPU_IO_WRITE);
        is_active[event.id] = true;
        ended += is_end;
    }
    assert_int_equal(ended, REQUESTS);
    quipu_reader_close(reader);
    unmake(&made);
}

static void test_to_model_asynchronous_requests_end_by_their_own_record(void **state) {
    struct made made;
    (void)state;
    begin(&made);
    put_rw(&made, 100, 1, 3, 5, 9, 0, 10);
    put_rw(&made, 110, 1, 3, 4, 0, 50, 1);
    PUT(&made, asynch_end, .call_time = ticks(&made, 120), .end_time = ticks(&made, 130), .async_id = 9,
        .client_id = 1, .appl_id = -1);
    put_close(&made, 125, 1, 3);
    assert_non_null(strstr(events_of(save(&made), "lp64"), "100 Client 1 io_begin 0+10 #0\n"
                                                           "110 Client 1 io_begin 50+1 #1\n"
                                                           "115 Client 1 io_end 50+1 #1\n"
                                                           "125 Client 1 io_close\n"
                                                           "130 Client 1 io_end 0+10 #0\n"));
    unmake(&made);
}

static void test_to_model_a_request_of_an_application_is_one_of_each_client(void **state) {
    struct made made;
    struct quipu__charisma_request *requests;
    (void)state;
    begin(&made);
    PUT(&made, app_open, .timestamp = ticks(&made, 30), .appl_id = 7, .name = sized_text(&made, "a"),
        .path = sized_text(&made, "/"), .file_id = {.i = 90}, .file_desc = 30, .open_flags = 2);
    requests = quipu__scratch_sized(&made.scratch, 2, sizeof *requests);
    requests[0] = (struct quipu__charisma_request){0, 0, 100, 1};
    requests[1] = (struct quipu__charisma_request){100, 0, 100, 2};
    PUT(&made, rw, .starttime = ticks(&made, 40), .endtime = ticks(&made, 50), .file_desc = 30,
        .operation_type = 2, .appl_id = 7, .num_clients = 2, .requests = requests);
    assert_non_null(strstr(events_of(save(&made), "lp64"), "30 solver io_open\n"
                                                           "40 Client 1 io_begin 0+100 #0\n"
                                                           "40 Client 2 io_begin 100+100 #1\n"
                                                           "50 Client 1 io_end 0+100 #0\n"
                                                           "50 Client 2 io_end 100+100 #1\n"));
    unmake(&made);
}

/* Files that are not sorted give sorted events all the same. */
static void test_to_model_times_that_go_back_are_put_in_order(void **state) {
    struct made made;
    (void)state;
    begin(&made);
    put_rw(&made, 300, 1, 3, 4, 0, 0, 1);
    put_rw(&made, 100, 2, 3, 4, 0, 1, 1);
    put_rw(&made, 200, 1, 3, 4, 0, 2, 1);
    assert_non_null(strstr(events_of(save(&made), "lp64"), "100 Client 2 io_begin 1+1 #1\n"
                                                           "105 Client 2 io_end 1+1 #1\n"
                                                           "200 Client 1 io_begin 2+1 #2\n"
                                                           "205 Client 1 io_end 2+1 #2\n"
                                                           "300 Client 1 io_begin 0+1 #0\n"));
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_to_model_requests_end_in_their_time),
            cmocka_unit_test(test_to_model_events_of_requests_of_any_length_are_in_order_of_time),
            cmocka_unit_test(test_to_model_asynchronous_requests_end_by_their_own_record),
            cmocka_unit_test(test_to_model_a_request_of_an_application_is_one_of_each_client),
            cmocka_unit_test(test_to_model_times_that_go_back_are_put_in_order))
