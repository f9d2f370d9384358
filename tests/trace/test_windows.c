/* test_windows.c: streams in windows of time: all events, those of a location in their order, and none after its window. */
#include "trace/fake.h"

#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct quipu_reader *reader_of(const struct fake_trace *trace) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_reader *reader = fake_reader(trace);
    selection.order = QUIPU_ORDER_WINDOWS;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    return reader;
}

#define ROW(t, where, number)                                                                                  \
    { .time = (t), .kind = QUIPU_KIND_enter, .location = (where), .byte_offset = (number) }

/* The first window is a tick long, and each that has few events makes the next one twice as long: 0, 1-2, 4-7, 20-27. */
static void test_windows_become_longer_and_begin_with_an_event(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ROW(1, 0, 10), ROW(2, 0, 11), ROW(4, 0, 12), ROW(7, 0, 13),
                                           ROW(27, 0, 14)};
    static const struct quipu_event b[] = {ROW(0, 1, 20), ROW(1, 1, 21), ROW(5, 1, 22), ROW(20, 1, 23)};
    static const struct fake_stream streams[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    static const struct fake_trace trace = {streams, COUNT(streams), 2, 1, 0, 0};
    static const struct {
        int64_t complete_to;
        uint32_t count, first;
    } expected[] = {{0, 1, 20}, {1, 2, 10}, {1, 1, 21}, {4, 2, 12}, {4, 1, 22}, {20, 1, 14}, {20, 1, 23}};
    struct quipu_reader *reader = reader_of(&trace);
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct quipu_batch *batch;
        assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
        assert_int_equal(batch->complete_to, expected[i].complete_to);
        assert_int_equal(batch->count, expected[i].count);
        assert_int_equal(batch->byte_offset[0], expected[i].first);
        assert_int_equal(batch->stream, QUIPU_NONE);
    }
    const struct quipu_batch *batch;
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_END);
    assert_int_equal(quipu_reader_records(reader), 9);
    quipu_reader_close(reader);
}

/* ---- Many events ---- */

enum { STREAMS = 40, ROWS = 6000, MOST = STREAMS * ROWS };
static struct quipu_event rows[STREAMS][ROWS];
static struct fake_stream streams[STREAMS];
static const struct fake_trace trace = {streams, STREAMS, STREAMS, 1, 0, 0};

static void make_streams(int64_t (*step)(uint32_t stream, uint32_t row)) {
    for (uint32_t s = 0; s < STREAMS; s++) {
        int64_t time = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            time += step(s, i);
            rows[s][i] = (struct quipu_event){
                .time = time, .kind = QUIPU_KIND_enter, .location = s, .byte_offset = s * ROWS + i};
        }
        streams[s] = (struct fake_stream){rows[s], ROWS, 1};
    }
}

/* Reads everything and holds the order against what the header promises. Returns the most events of a window. */
static uint64_t check_windows(void) {
    static uint32_t seen[STREAMS];
    struct quipu_reader *reader = reader_of(&trace);
    const struct quipu_batch *batch;
    int64_t begin = INT64_MIN;
    uint64_t in_window = 0, most = 0;
    memset(seen, 0, sizeof seen);
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK) {
        assert_true(batch->complete_to >= begin);
        in_window = batch->complete_to > begin ? 0 : in_window;
        begin = batch->complete_to;
        for (uint32_t i = 0; i < batch->count; i++) {
            const uint32_t location = batch->location[i], row = seen[location]++;
            assert_int_equal(batch->byte_offset[i], location * ROWS + row);
            assert_int_equal(batch->time[i], rows[location][row].time);
            assert_true(batch->time[i] >= begin);
        }
        in_window += batch->count;
        most = in_window > most ? in_window : most;
    }
    for (uint32_t s = 0; s < STREAMS; s++)
        assert_int_equal(seen[s], ROWS);
    quipu_reader_close(reader);
    return most;
}

static int64_t random_step(uint32_t stream, uint32_t row) {
    (void)row;
    return rand() % (int)(10 + stream); /* NOLINT(cert-msc30-c): seeded, for the same trace each time */
}

static void test_windows_give_every_event_once_and_none_too_late(void **state) {
    (void)state;
    srand(7);
    make_streams(random_step);
    const uint64_t most = check_windows();
    assert_true(most > 1000 && most < MOST / 4);
}

/* One event a second, and then all at once: the window that is as long as the silence ends early. */
static int64_t late_burst(uint32_t stream, uint32_t row) {
    return row < 100 && stream < 2 ? 1000000000 : row == 0 ? 100500000000 : 1;
}

static void test_windows_that_have_too_many_events_end_early(void **state) {
    (void)state;
    make_streams(late_burst);
    assert_true(check_windows() < 3 * 16384 + STREAMS * (4 * 64 + 2 * 512));
}

static int64_t no_step(uint32_t stream, uint32_t row) {
    (void)stream, (void)row;
    return 0;
}

static void test_windows_of_one_time_have_all_its_events(void **state) {
    (void)state;
    make_streams(no_step);
    assert_int_equal(check_windows(), MOST);
}

/* ---- What is special ---- */

static void test_windows_refuse_a_location_in_several_streams(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ROW(1, 0, 10), ROW(5, 0, 11)};
    static const struct quipu_event b[] = {ROW(2, 1, 20), ROW(3, 0, 21)};
    static const struct fake_stream both[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    static const struct fake_trace shared = {both, COUNT(both), 2, 1, 0, 0};
    struct quipu_reader *reader = reader_of(&shared);
    struct quipu_error err = QUIPU_ERROR_INIT;
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, &err)) == QUIPU_OK)
        assert_true(batch->time[0] < 3);
    assert_int_equal(status, QUIPU_UNSUPPORTED);
    assert_string_equal(err.message, "location 0 has events in several streams");
    quipu_reader_close(reader);
}

static void test_windows_carry_attributes_into_the_next_one(void **state) {
    (void)state;
    static const struct quipu_attribute one[] = {{0, {.key = 1, .type = QUIPU_VALUE_I64, .i = 11}}};
    static const struct quipu_attribute two[] = {{0, {.key = 2, .type = QUIPU_VALUE_I64, .i = 22}}};
    static const struct quipu_event a[] = {
        {.time = 0, .kind = QUIPU_KIND_note},
        {.time = 1, .kind = QUIPU_KIND_note, .attributes = one, .attribute_count = 1},
        {.time = 9, .kind = QUIPU_KIND_note, .attributes = two, .attribute_count = 1}};
    static const struct fake_stream only[] = {{a, COUNT(a), 1}};
    static const struct fake_trace noted = {only, 1, 1, 1, 0, 0};
    static const uint32_t expected[][2] = {{0, 0}, {1, 11}, {1, 22}};
    struct quipu_reader *reader = reader_of(&noted);
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct quipu_batch *batch;
        assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
        assert_int_equal(batch->count, 1);
        assert_int_equal(batch->attribute_count, expected[i][0]);
        if (expected[i][0])
            assert_int_equal(batch->attributes[0].value.i, expected[i][1]);
    }
    quipu_reader_close(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_become_longer_and_begin_with_an_event),
        cmocka_unit_test(test_windows_give_every_event_once_and_none_too_late),
        cmocka_unit_test(test_windows_that_have_too_many_events_end_early),
        cmocka_unit_test(test_windows_of_one_time_have_all_its_events),
        cmocka_unit_test(test_windows_refuse_a_location_in_several_streams),
        cmocka_unit_test(test_windows_carry_attributes_into_the_next_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
