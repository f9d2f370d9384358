/* test_state.c: the public tracker, on events made by hand, and a check that folds over merged events. */
#include "harness.h"

#include "model/batch.h"

#include <quipu/state.h>

enum { THREAD_0, THREAD_1, THREAD_2, CPU_0, CPU_1, LOCATIONS };
enum { MAIN, SOLVE };
enum { ACTIVITY };
enum { RUNNING = 1, PAUSED = 2 };
enum { EVENTS = 64 };

static const struct quipu_location locations[LOCATIONS] = {
    [THREAD_0] = {.kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    [THREAD_1] = {.kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    [THREAD_2] = {.kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    [CPU_0] = {.kind = QUIPU_LOCATION_CPU, .parent = QUIPU_NONE},
    [CPU_1] = {.kind = QUIPU_LOCATION_CPU, .parent = QUIPU_NONE}};
static const struct quipu_definitions definitions = {.locations = {locations, LOCATIONS}};

struct fixture {
    struct quipu__memory memory;
    struct quipu__batch *batch;
    struct quipu_tracker *tracker;
};

static int set_up(void **state) {
    static struct fixture fixture;
    quipu__memory_init(&fixture.memory, NULL, 0);
    assert_int_equal(quipu__batch_new(&fixture.memory, EVENTS, &fixture.batch, NULL), QUIPU_OK);
    assert_int_equal(quipu_tracker_new(&definitions, NULL, &fixture.tracker, NULL), QUIPU_OK);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    quipu_tracker_free(fixture->tracker);
    quipu_tracker_free(NULL);
    quipu__batch_free(fixture->batch);
    return fixture->memory.used == 0 ? 0 : -1;
}

static void set_unknown(struct quipu_batch *batch, uint32_t event) {
    batch->object[event] = batch->peer[event] = batch->group[event] = batch->operation[event] = QUIPU_NONE;
    batch->bytes[event] = batch->value[event] = batch->id[event] = QUIPU_UNKNOWN;
    batch->tag[event] = 0;
}

/* Adds an event of which columns are set by what follows. */
#define EVENT(its_time, its_location, its_kind, ...)                                                           \
    do {                                                                                                       \
        struct quipu_batch *const b = &fixture->batch->batch;                                                  \
        const uint32_t i = quipu__batch_add(b, its_time, QUIPU_KIND_##its_kind, its_location, QUIPU_UNKNOWN);  \
        set_unknown(b, i);                                                                                     \
        __VA_ARGS__;                                                                                           \
    } while (0)

/* Lets the tracker take in the events so far, as those of a stream. */
static void flush(struct fixture *fixture, uint32_t stream) {
    fixture->batch->batch.stream = stream;
    assert_int_equal(quipu_tracker_add(fixture->tracker, &fixture->batch->batch, NULL), QUIPU_OK);
    quipu__batch_clear(fixture->batch);
}

enum { TEXT_BYTES = 400 };

/* "class location:time " of all that is active. */
static void list_active(const struct fixture *fixture, char text[TEXT_BYTES]) {
    struct quipu_tracker_position position = QUIPU_TRACKER_START;
    struct quipu_active_interval active;
    size_t len = 0;
    text[0] = '\0';
    while (quipu_tracker_next(fixture->tracker, &position, &active))
        len += (size_t)snprintf(text + len, TEXT_BYTES - len, "%s %u:%d ", active.interval_class,
                                active.begin.location, (int)active.begin.time);
    assert_false(quipu_tracker_next(fixture->tracker, &position, &active));
}

static void assert_active(const struct fixture *fixture, const char *expected) {
    char text[TEXT_BYTES];
    list_active(fixture, text);
    assert_string_equal(text, expected);
}

static void test_state_iterates_over_active_intervals(void **state) {
    struct fixture *fixture = *state;
    assert_active(fixture, "");
    EVENT(10, THREAD_1, enter, b->object[i] = MAIN);
    EVENT(20, THREAD_1, enter, b->object[i] = SOLVE);
    EVENT(25, THREAD_1, io_open, b->object[i] = 3; b->id[i] = 8);
    EVENT(30, THREAD_0, enter, b->object[i] = MAIN);
    EVENT(40, THREAD_0, leave, b->object[i] = MAIN);
    EVENT(50, THREAD_0, affinity, b->peer[i] = CPU_1);
    flush(fixture, 0);
    assert_active(fixture, "call 1:10 call 1:20 file 1:25 cpu 0:50 ");
}

static void test_state_gives_the_columns_of_what_began(void **state) {
    struct fixture *fixture = *state;
    struct quipu_tracker_position position = QUIPU_TRACKER_START;
    struct quipu_active_interval active;
    EVENT(25, THREAD_1, io_open, b->object[i] = 3; b->id[i] = UINT64_C(1) << 40);
    flush(fixture, 4);
    assert_true(quipu_tracker_next(fixture->tracker, &position, &active));
    assert_int_equal(active.begin.kind, QUIPU_KIND_io_open);
    assert_int_equal(active.begin.object, 3);
    assert_int_equal(active.begin.id, UINT64_C(1) << 40);
    assert_int_equal(active.begin.peer, QUIPU_NONE);
    assert_int_equal(active.begin.stream, 4);
}

static void test_state_reconciles_streams_of_one_location(void **state) {
    struct fixture *fixture = *state;
    EVENT(30, THREAD_0, io_close, b->object[i] = 3; b->id[i] = 8);
    flush(fixture, 1);
    EVENT(20, THREAD_0, io_open, b->object[i] = 3; b->id[i] = 8);
    flush(fixture, 0);
    assert_active(fixture, "file 0:20 ");
    assert_int_equal(quipu_tracker_reconcile(fixture->tracker, NULL), QUIPU_OK);
    assert_active(fixture, "");
}

/* The calls of one stream are left in two others: what is active in the end is the same, whichever of those is read first. */
static void test_state_does_not_depend_on_which_stream_is_read_first(void **state) {
    struct fixture *fixture = *state;
    char texts[2][TEXT_BYTES];
    for (uint32_t first = 0; first < 2; first++) {
        quipu_tracker_free(fixture->tracker);
        assert_int_equal(quipu_tracker_new(&definitions, NULL, &fixture->tracker, NULL), QUIPU_OK);
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t stream = first ^ k;
            EVENT(5 + stream, THREAD_0, leave, b->object[i] = stream == 0 ? SOLVE : MAIN);
            flush(fixture, stream);
        }
        EVENT(1, THREAD_0, enter, b->object[i] = MAIN);
        EVENT(3, THREAD_0, enter, b->object[i] = SOLVE);
        EVENT(9, THREAD_0, enter, b->object[i] = MAIN);
        flush(fixture, 2);
        assert_int_equal(quipu_tracker_reconcile(fixture->tracker, NULL), QUIPU_OK);
        list_active(fixture, texts[first]);
    }
    assert_string_equal(texts[0], texts[1]);
}

static void test_state_has_messages_in_flight(void **state) {
    struct fixture *fixture = *state;
    struct quipu_messages_in_flight messages;
    size_t position = 0;
    EVENT(1, THREAD_0, send, b->peer[i] = THREAD_1; b->tag[i] = 5; b->bytes[i] = 100);
    EVENT(2, THREAD_0, send, b->peer[i] = THREAD_1; b->tag[i] = 5; b->bytes[i] = 200);
    EVENT(3, THREAD_1, recv, b->peer[i] = THREAD_0; b->tag[i] = 5);
    EVENT(4, THREAD_1, send, b->peer[i] = THREAD_2; b->tag[i] = 6);
    EVENT(5, THREAD_2, recv, b->peer[i] = THREAD_1; b->tag[i] = 6);
    flush(fixture, 0);
    assert_true(quipu_tracker_next_messages(fixture->tracker, &position, &messages));
    assert_int_equal(messages.sender, THREAD_0);
    assert_int_equal(messages.receiver, THREAD_1);
    assert_int_equal(messages.tag, 5);
    assert_int_equal(messages.messages, 1);
    assert_int_equal(messages.bytes, 200);
    assert_int_equal(messages.first, 2);
    assert_false(quipu_tracker_next_messages(fixture->tracker, &position, &messages));
}

/* ---- A check that folds over merged events: at most one running thread per CPU ---- */

static bool is_running(const struct quipu_active_interval *active) {
    return active->begin.kind == QUIPU_KIND_state_set && active->begin.object == ACTIVITY &&
           active->begin.value == RUNNING;
}

/* The greatest number of threads that run on one CPU at this time. */
static unsigned count_running(const struct quipu_tracker *tracker) {
    struct quipu_tracker_position position = QUIPU_TRACKER_START;
    struct quipu_active_interval active;
    bool is_active[LOCATIONS] = {false};
    uint32_t cpu_of[LOCATIONS] = {0};
    unsigned threads[LOCATIONS] = {0}, most = 0;
    while (quipu_tracker_next(tracker, &position, &active)) {
        is_active[active.begin.location] |= is_running(&active);
        if (active.begin.kind == QUIPU_KIND_affinity)
            cpu_of[active.begin.location] = active.begin.peer;
    }
    for (uint32_t i = 0; i < LOCATIONS; i++)
        if (is_active[i] && ++threads[cpu_of[i]] > most)
            most = threads[cpu_of[i]];
    return most;
}

static void test_state_of_merged_events_tells_which_threads_a_cpu_has(void **state) {
    struct fixture *fixture = *state;
    struct quipu_tracker_options options = QUIPU_TRACKER_OPTIONS_INIT;
    options.is_merged = true;
    quipu_tracker_free(fixture->tracker);
    assert_int_equal(quipu_tracker_new(&definitions, &options, &fixture->tracker, NULL), QUIPU_OK);
    EVENT(1, THREAD_0, affinity, b->peer[i] = CPU_0);
    EVENT(2, THREAD_1, affinity, b->peer[i] = CPU_1);
    EVENT(3, THREAD_0, state_set, b->object[i] = ACTIVITY; b->value[i] = RUNNING);
    EVENT(4, THREAD_1, state_set, b->object[i] = ACTIVITY; b->value[i] = RUNNING);
    flush(fixture, 0);
    assert_int_equal(count_running(fixture->tracker), 1);
    EVENT(5, THREAD_1, state_set, b->object[i] = ACTIVITY; b->value[i] = PAUSED);
    EVENT(6, THREAD_0, affinity, b->peer[i] = CPU_0; b->object[i] = THREAD_1); /* moves the other one */
    flush(fixture, 3);
    assert_int_equal(count_running(fixture->tracker), 1);
    EVENT(7, THREAD_1, state_set, b->object[i] = ACTIVITY; b->value[i] = RUNNING);
    flush(fixture, 1);
    assert_int_equal(count_running(fixture->tracker), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_state_iterates_over_active_intervals), TEST(test_state_gives_the_columns_of_what_began),
            TEST(test_state_reconciles_streams_of_one_location),
            TEST(test_state_does_not_depend_on_which_stream_is_read_first),
            TEST(test_state_has_messages_in_flight),
            TEST(test_state_of_merged_events_tells_which_threads_a_cpu_has))
