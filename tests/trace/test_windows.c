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

/* First each source gives a batch; then all that is left has ended. */
static void test_windows_give_whole_batches_of_one_source(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ROW(1, 0, 10), ROW(2, 0, 11), ROW(27, 0, 12)};
    static const struct quipu_event b[] = {ROW(0, 1, 20), ROW(1, 1, 21), ROW(5, 1, 22), ROW(20, 1, 23)};
    static const struct fake_stream both[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    static const struct fake_trace short_trace = {both, COUNT(both), 2, 1, 0, 0};
    struct quipu_reader *reader = reader_of(&short_trace);
    const struct quipu_batch *batch;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
        assert_true(batch->complete_to == INT64_MIN);
        assert_int_equal(batch->count, 3 + i);
        assert_int_equal(batch->byte_offset[0], 10 + 10 * i);
        assert_int_equal(batch->stream, QUIPU_NONE);
    }
    assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_END);
    assert_int_equal(quipu_reader_records(reader), 7);
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
    if (row < 100 && stream < 2)
        return 1000000000;
    return row == 0 ? 100500000000 : 1;
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
    assert_true(check_windows() >= MOST - STREAMS * 512); /* without the first batch of each */
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

/* A source may be ahead by a batch, but what is behind it is not skipped: the others come up to it. */
static void test_windows_end_with_the_source_that_is_furthest_behind(void **state) {
    (void)state;
    make_streams(random_step);
    for (uint32_t i = 0; i < ROWS; i++)
        rows[0][i].time = i == 0 ? 0 : 1000000000 + i;
    check_windows();
}

static int64_t last_times(uint32_t stream, uint32_t row) {
    const bool is_late = stream % 2 != 0;
    if (row == 0)
        return INT64_MAX - (is_late ? 1 : 3 * ROWS);
    return !is_late || row == ROWS - 1;
}

static void test_windows_reach_the_last_time_of_all(void **state) {
    (void)state;
    make_streams(last_times);
    check_windows();
}

QUIPU_TESTS(cmocka_unit_test(test_windows_give_whole_batches_of_one_source),
            cmocka_unit_test(test_windows_give_every_event_once_and_none_too_late),
            cmocka_unit_test(test_windows_that_have_too_many_events_end_early),
            cmocka_unit_test(test_windows_of_one_time_have_all_its_events),
            cmocka_unit_test(test_windows_refuse_a_location_in_several_streams),
            cmocka_unit_test(test_windows_end_with_the_source_that_is_furthest_behind),
            cmocka_unit_test(test_windows_reach_the_last_time_of_all))
