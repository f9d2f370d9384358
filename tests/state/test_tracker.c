/* test_tracker.c: transitions of each discipline, payloads of any size, and what is reported. */
#include "harness.h"

#include "state/tracker.h"

enum { ROOM = 16 };

struct fixture {
    struct quipu__memory memory;
    struct quipu__tracker tracker;
    uint32_t state;
    unsigned reports;
    bool had_innermost;
};

static void report(void *context, const struct quipu__transition *end,
                   const struct quipu__interval *innermost) {
    struct fixture *fixture = context;
    assert_int_equal(end->change, QUIPU__ENDS);
    fixture->reports++;
    fixture->had_innermost = innermost != NULL;
}

static int set_up(void **state) {
    static struct fixture fixture;
    const struct quipu__tracker_options options = {.interval_classes = QUIPU__INTERVAL_ALL,
                                                   .ends = QUIPU__INTERVAL_ALL,
                                                   .payload_room = ROOM,
                                                   .report = report,
                                                   .context = &fixture};
    memset(&fixture, 0, sizeof fixture);
    quipu__memory_init(&fixture.memory, NULL, 0);
    quipu__tracker_init(&fixture.tracker, &fixture.memory, &options);
    fixture.state = quipu__tracker_locate(&fixture.tracker, 7, 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    quipu__tracker_release(&fixture->tracker);
    return fixture->memory.used == 0 ? 0 : -1;
}

/* ---- Feeding and asking ---- */

static void put(struct fixture *fixture, struct quipu__transition transition, int64_t time, const void *payload,
                size_t payload_bytes) {
    const struct quipu__beginning beginning = {time, 1, payload, payload_bytes};
    assert_true(quipu__tracker_add(&fixture->tracker, fixture->state, &transition, &beginning));
}

#define BEGIN(interval_class, time, ...)                                                                       \
    put(fixture, quipu__begins(QUIPU__INTERVAL_##interval_class, 7, __VA_ARGS__), time, NULL, 0)
#define END(interval_class, time, ...)                                                                         \
    put(fixture, quipu__ends(QUIPU__INTERVAL_##interval_class, 7, __VA_ARGS__), time, NULL, 0)

/* Asserts at what times the active intervals of a class began: "10 20 ". */
static void assert_times(const struct fixture *fixture, enum quipu__interval_class interval_class,
                         const char *expected) {
    char text[200] = "";
    uint32_t number = quipu__active_at(&fixture->tracker, fixture->state, interval_class).oldest;
    for (size_t len = 0; number != QUIPU_NONE; number = quipu__interval_at(&fixture->tracker, number)->newer)
        len += (size_t)snprintf(text + len, sizeof text - len, "%d ",
                                (int)quipu__interval_at(&fixture->tracker, number)->time);
    assert_string_equal(text, expected);
}

/* ---- Disciplines ---- */

static void test_tracker_calls_end_with_all_that_began_in_them(void **state) {
    struct fixture *fixture = *state;
    BEGIN(call, 10, 0, 1, 0);
    BEGIN(call, 20, 0, 2, 0);
    BEGIN(call, 30, 0, 3, 0);
    END(call, 40, 0, 2, 0);
    assert_times(fixture, QUIPU__INTERVAL_call, "10 ");
    END(call, 50, 0, QUIPU_UNKNOWN, 0);
    assert_times(fixture, QUIPU__INTERVAL_call, "");
}

static void test_tracker_stacks_of_channels_are_apart(void **state) {
    struct fixture *fixture = *state;
    BEGIN(channel_stack, 10, 1, 5, 0);
    BEGIN(channel_stack, 20, 2, 5, 0);
    END(channel_stack, 30, 1, QUIPU_UNKNOWN, 0);
    assert_times(fixture, QUIPU__INTERVAL_channel_stack, "20 ");
}

static void test_tracker_a_key_in_use_is_taken_over(void **state) {
    struct fixture *fixture = *state;
    BEGIN(collective, 10, 4, 0, 0);
    BEGIN(collective, 20, 5, 0, 0);
    BEGIN(collective, 30, 4, 0, 0);
    assert_times(fixture, QUIPU__INTERVAL_collective, "20 30 ");
    END(collective, 40, 4, 0, 0);
    assert_times(fixture, QUIPU__INTERVAL_collective, "20 ");
}

static void test_tracker_of_shared_keys_the_last_ends_first(void **state) {
    struct fixture *fixture = *state;
    const struct quipu__transition beside =
        quipu__transition(QUIPU__INTERVAL_io_operation, QUIPU__BEGINS_BESIDE, 7, 4, 0, 0);
    put(fixture, beside, 10, NULL, 0);
    put(fixture, beside, 20, NULL, 0);
    END(io_operation, 30, 4, 0, 0);
    assert_times(fixture, QUIPU__INTERVAL_io_operation, "10 ");
}

static void test_tracker_of_messages_the_first_ends_first(void **state) {
    struct fixture *fixture = *state;
    for (int64_t time = 1; time <= 4; time++)
        BEGIN(message, time, 1, 2, time == 3);
    END(message, 5, 1, 2, 0);
    assert_times(fixture, QUIPU__INTERVAL_message, "2 3 4 ");
    END(message, 6, 1, 2, 0);
    END(message, 7, 1, 2, 1);
    assert_times(fixture, QUIPU__INTERVAL_message, "4 ");
    END(message, 8, 1, 2, 0);
    assert_times(fixture, QUIPU__INTERVAL_message, "");
}

static void test_tracker_a_message_may_be_received_at_the_time_of_its_send(void **state) {
    struct fixture *fixture = *state;
    END(message, 5, 1, 2, 0);
    BEGIN(message, 5, 1, 2, 0);
    assert_times(fixture, QUIPU__INTERVAL_message, "");
    END(message, 6, 1, 2, 0);
    BEGIN(message, 7, 1, 2, 0); /* that was another one */
    assert_times(fixture, QUIPU__INTERVAL_message, "7 ");
}

static void test_tracker_values_last_until_the_next_one(void **state) {
    struct fixture *fixture = *state;
    BEGIN(metric, 1, 8, 0, 0);
    BEGIN(metric, 2, 9, 0, 0);
    BEGIN(metric, 3, 8, 0, 0);
    assert_times(fixture, QUIPU__INTERVAL_metric, "2 3 ");
}

static void test_tracker_counts_count(void **state) {
    struct fixture *fixture = *state;
    for (int64_t time = 0; time < 5; time++)
        BEGIN(count, time, (uint64_t)time % 2, 0, 0);
    const struct quipu__transition even = quipu__begins(QUIPU__INTERVAL_count, 7, 0, 0, 0);
    const uint32_t number = quipu__tracker_find(&fixture->tracker, fixture->state, &even);
    assert_times(fixture, QUIPU__INTERVAL_count, "0 1 ");
    assert_int_equal(quipu__interval_at(&fixture->tracker, number)->count, 3);
}

static void test_tracker_reports_ends_that_are_not_those_of_the_innermost(void **state) {
    struct fixture *fixture = *state;
    END(call, 10, 0, 1, 0);
    assert_int_equal(fixture->reports, 1);
    assert_false(fixture->had_innermost);
    BEGIN(call, 20, 0, 1, 0);
    BEGIN(call, 30, 0, 2, 0);
    END(call, 40, 0, 1, 0);
    assert_int_equal(fixture->reports, 2);
    assert_true(fixture->had_innermost);
    END(file, 50, 3, 0, 0);
    assert_int_equal(fixture->reports, 3);
}

/* ---- Payloads ---- */

/* What a record with a text and a list may be: the text, then as many numbers as are left. */
static void fill(uint8_t *bytes, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 31 + seed);
}

static void test_tracker_payloads_have_any_size(void **state) {
    struct fixture *fixture = *state;
    static const size_t sizes[] = {0, 1, ROOM, ROOM + 1, 64, 1000, 100000};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    static uint8_t bytes[100000];
    uint64_t requests = 0;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < COUNT; i++) {
            fill(bytes, sizes[i], round + i);
            put(fixture, quipu__begins(QUIPU__INTERVAL_task, 7, i, 0, 0), i, bytes, sizes[i]);
        }
        for (unsigned i = 0; i < COUNT; i++) {
            const struct quipu__transition end = quipu__ends(QUIPU__INTERVAL_task, 7, i, 0, 0);
            const struct quipu__interval *interval = quipu__interval_at(
                &fixture->tracker, quipu__tracker_find(&fixture->tracker, fixture->state, &end));
            assert_int_equal(interval->payload_bytes, sizes[i]);
            fill(bytes, sizes[i], round + i);
            assert_memory_equal(quipu__interval_payload(&fixture->tracker, interval), bytes, sizes[i]);
            if (round < 2)
                put(fixture, end, 100, NULL, 0);
        }
        if (round == 0)
            requests = fixture->memory.requests;
    }
    assert_int_equal(fixture->memory.requests, requests); /* what has ended makes room for what begins */
}

static void test_tracker_join_copies_payloads(void **state) {
    struct fixture *fixture = *state;
    struct quipu__tracker whole;
    static const char text[] = "a text that does not fit into the room of a slot";
    quipu__tracker_init(&whole, &fixture->memory, &fixture->tracker.options);
    put(fixture, quipu__begins(QUIPU__INTERVAL_task, 7, 1, 0, 0), 10, text, sizeof text);
    assert_true(quipu__tracker_join(&whole, &fixture->tracker));
    const uint32_t number = quipu__active_at(&whole, 0, QUIPU__INTERVAL_task).newest;
    assert_string_equal(quipu__interval_payload(&whole, quipu__interval_at(&whole, number)), text);
    quipu__tracker_release(&whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_tracker_calls_end_with_all_that_began_in_them),
            TEST(test_tracker_stacks_of_channels_are_apart), TEST(test_tracker_a_key_in_use_is_taken_over),
            TEST(test_tracker_of_shared_keys_the_last_ends_first),
            TEST(test_tracker_of_messages_the_first_ends_first),
            TEST(test_tracker_a_message_may_be_received_at_the_time_of_its_send),
            TEST(test_tracker_values_last_until_the_next_one), TEST(test_tracker_counts_count),
            TEST(test_tracker_reports_ends_that_are_not_those_of_the_innermost),
            TEST(test_tracker_payloads_have_any_size), TEST(test_tracker_join_copies_payloads))
