/* test_merge.c: streams and their substreams as one sequence in the order (time, location, source, position). */
#include "trace/fake.h"

#define ROW(t, file_position, number)                                                                          \
    { .time = (t), .kind = QUIPU_KIND_enter, .location = (file_position), .byte_offset = (number) }
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Reads everything and compares the members at with what is expected. */
static void assert_order(struct quipu_reader *reader, const uint64_t *expected, size_t count) {
    struct quipu_event event;
    struct quipu_error err = QUIPU_ERROR_INIT;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(quipu_reader_next(reader, &event, &err), QUIPU_OK);
        assert_int_equal(event.byte_offset, expected[i]);
        assert_int_equal(event.stream, QUIPU_NONE);
    }
    assert_int_equal(quipu_reader_next(reader, &event, &err), QUIPU_END);
    assert_int_equal(quipu_reader_delivered(reader), count);
}

static void test_merge_breaks_ties_by_location_then_stream_then_position(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ROW(1, 2, 10), ROW(5, 2, 11), ROW(5, 2, 12), ROW(9, 2, 13)};
    static const struct quipu_event b[] = {ROW(1, 1, 20), ROW(5, 2, 21), ROW(5, 3, 22), ROW(8, 1, 23)};
    static const struct quipu_event c[] = {ROW(0, 9, 30), ROW(5, 0, 31), ROW(10, 0, 32)};
    static const struct fake_stream streams[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}, {c, COUNT(c), 1}};
    static const struct fake_trace trace = {streams, COUNT(streams), 10, 1, 0, 0};
    static const uint64_t expected[] = {30, 20, 10, 31, 11, 12, 21, 22, 23, 13, 32};
    struct quipu_reader *reader = fake_reader(&trace);
    assert_order(reader, expected, COUNT(expected));
    quipu_reader_rewind(reader);
    assert_order(reader, expected, COUNT(expected));
    quipu_reader_close(reader);
}

/* What comes next at b is of a lower location than what was taken of it, and at the time at which a has no more. */
static void test_merge_of_a_source_that_changes_its_location(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ROW(1, 5, 10), ROW(2, 5, 11), ROW(3, 5, 12), ROW(5, 5, 13)};
    static const struct quipu_event b[] = {ROW(2, 7, 20), ROW(3, 7, 21), ROW(5, 0, 22), ROW(6, 7, 23)};
    static const struct fake_stream streams[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    static const struct fake_trace trace = {streams, COUNT(streams), 8, 1, 0, 0};
    static const uint64_t expected[] = {10, 11, 20, 12, 21, 22, 13, 23};
    struct quipu_reader *reader = fake_reader(&trace);
    assert_order(reader, expected, COUNT(expected));
    quipu_reader_close(reader);
}

static void test_merge_takes_substreams_of_one_stream_apart(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {
        {.time = 5, .kind = QUIPU_KIND_enter, .location = 0, .byte_offset = 1, .stream = 0},
        {.time = 1, .kind = QUIPU_KIND_enter, .location = 1, .byte_offset = 2, .stream = 1},
        {.time = 6, .kind = QUIPU_KIND_enter, .location = 0, .byte_offset = 3, .stream = 0},
        {.time = 6, .kind = QUIPU_KIND_enter, .location = 1, .byte_offset = 4, .stream = 1},
    };
    static const struct fake_stream streams[] = {{rows, COUNT(rows), 2}};
    static const struct fake_trace trace = {streams, 1, 2, 1, 0, 0};
    static const uint64_t expected[] = {2, 1, 3, 4};
    struct quipu_reader *reader = fake_reader(&trace);
    assert_order(reader, expected, COUNT(expected));
    assert_int_equal(quipu_reader_records(reader), 4); /* not 8, although both substreams go over all of them */
    assert_int_equal(quipu_reader_records_of(reader, FAKE_T_REGION), 4);
    assert_int_equal(quipu_reader_bytes_read(reader), 4);
    quipu_reader_close(reader);
}

static void test_merge_keeps_a_source_whose_time_goes_back(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ROW(1, 0, 10), ROW(7, 0, 11), ROW(3, 0, 12), ROW(8, 0, 13)};
    static const struct quipu_event b[] = {ROW(2, 1, 20), ROW(4, 1, 21), ROW(7, 1, 22), ROW(8, 1, 23)};
    static const struct fake_stream streams[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    static const struct fake_trace trace = {streams, 2, 2, 1, 0, 0};
    static const uint64_t expected[] = {10, 20, 21, 11, 12, 22, 13, 23};
    struct quipu_reader *reader = fake_reader(&trace);
    assert_order(reader, expected, COUNT(expected));
    quipu_reader_close(reader);
}

static void test_merge_carries_attributes_to_their_events(void **state) {
    (void)state;
    static const struct quipu_attribute one[] = {{0, {.key = 1, .type = QUIPU_VALUE_I64, .i = 11}}};
    static const struct quipu_attribute two[] = {
        {0, {.key = 2, .type = QUIPU_VALUE_I64, .i = 22}},
        {0, {.key = QUIPU_KEY_TEXT, .type = QUIPU_VALUE_STRING, .size = 5, .data = "hello"}}};
    static const struct quipu_event a[] = {
        {.time = 1, .kind = QUIPU_KIND_note, .byte_offset = 1, .attributes = one, .attribute_count = 1},
        {.time = 3, .kind = QUIPU_KIND_note, .byte_offset = 3},
        {.time = 4, .kind = QUIPU_KIND_note, .byte_offset = 4, .attributes = two, .attribute_count = 2},
        {.time = 5, .kind = QUIPU_KIND_note, .byte_offset = 5}};
    static const struct quipu_event b[] = {
        {.time = 2, .kind = QUIPU_KIND_note, .byte_offset = 2, .attributes = two, .attribute_count = 2},
        {.time = 6, .kind = QUIPU_KIND_note, .byte_offset = 6}};
    static const struct fake_stream streams[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    static const struct fake_trace trace = {streams, 2, 1, 1, 0, 0};
    static const uint32_t counts[] = {1, 2, 0, 2, 0, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    for (uint32_t i = 0; i < COUNT(counts); i++) {
        struct quipu_event event;
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
        assert_int_equal(event.byte_offset, i + 1);
        assert_int_equal(event.attribute_count, counts[i]);
        if (counts[i] == 2)
            assert_memory_equal(event.attributes[1].value.data, "hello", 6);
        if (counts[i] == 1)
            assert_int_equal(event.attributes[0].value.i, 11);
    }
    quipu_reader_close(reader);
}

/* ---- Many events ---- */

/* Of one location, or of that and the one before it alternately, but not at the same time. */
static struct quipu_event *random_rows(uint32_t count, uint32_t last_location, uint32_t seed, int64_t step,
                                       bool alternates) {
    struct quipu_event *rows = calloc(count, sizeof *rows);
    int64_t time = 0;
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        time += (int64_t)(seed >> 16) % step;
        const uint32_t location = last_location - (alternates && time % 2000 < 1000);
        rows[i] = (struct quipu_event){.time = time,
                                       .kind = seed % 3 ? QUIPU_KIND_enter : QUIPU_KIND_metric,
                                       .location = location,
                                       .byte_offset = ((uint64_t)location << 32) | i,
                                       .object = seed >> 8,
                                       .value = seed};
    }
    return rows;
}

static int by_order(const void *left, const void *right) {
    const struct quipu_event *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->byte_offset < b->byte_offset ? -1
                                           : 1; /* location first, position second: ROW numbers are made so */
}

/* The first streams have higher locations than later ones. */
static void assert_merged_like_sorting(uint32_t stream_count, bool alternates) {
    enum { STREAMS = 150, EACH = 3000 };
    struct fake_stream streams[STREAMS];
    struct quipu_event *all = calloc(STREAMS * EACH, sizeof *all);
    for (uint32_t i = 0; i < stream_count; i++) {
        struct quipu_event *rows =
            random_rows(EACH, 2 * (stream_count - i) - 1, i + 1, i % 5 ? 7 : 700, alternates && i % 7 == 3);
        streams[i] = (struct fake_stream){rows, EACH, 1};
        memcpy(all + i * EACH, rows, EACH * sizeof *rows);
    }
    qsort(all, stream_count * EACH, sizeof *all, by_order);
    const struct fake_trace trace = {streams, stream_count, 2 * stream_count, 1, 0, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.order = QUIPU_ORDER_TIME;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    const struct quipu_batch *batch;
    size_t done = 0;
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK) {
        assert_int_equal(batch->stream, QUIPU_NONE);
        for (uint32_t i = 0; i < batch->count; i++, done++) {
            assert_int_equal(batch->time[i], all[done].time);
            assert_int_equal(batch->byte_offset[i], all[done].byte_offset);
            assert_int_equal(batch->kind[i], all[done].kind);
            assert_int_equal(batch->location[i], all[done].location);
            assert_int_equal(batch->object[i], all[done].object);
            if (batch->kind[i] == QUIPU_KIND_metric)
                assert_int_equal(batch->value[i], all[done].value);
        }
    }
    assert_int_equal(done, stream_count * EACH);
    quipu_reader_close(reader);
    for (uint32_t i = 0; i < stream_count; i++)
        free((void *)(uintptr_t)streams[i].rows);
    free(all);
}

/* Few are merged as sequences, more than QUIPU__SEQUENCES_MOST by a tournament. */
static void test_merge_of_many_streams_equals_sorting(void **state) {
    static const uint32_t counts[] = {2, 3, 37, QUIPU__SEQUENCES_MOST, 150};
    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++)
        assert_merged_like_sorting(counts[i], false);
}

static void test_merge_of_streams_with_several_locations_equals_sorting(void **state) {
    (void)state;
    assert_merged_like_sorting(5, true);
    assert_merged_like_sorting(37, true);
}

/* An event of every hundred has its number as an attribute. */
static void test_merge_carries_the_attributes_of_many_events(void **state) {
    enum { EACH = 3000 };
    static struct quipu_attribute attributes[EACH / 100];
    struct quipu_event *a = random_rows(EACH, 0, 1, 7, false), *b = random_rows(EACH, 1, 2, 7, false), event;
    (void)state;
    for (uint32_t i = 0; i < EACH; i += 100) {
        attributes[i / 100] = (struct quipu_attribute){0, {.key = 1, .type = QUIPU_VALUE_I64, .i = i}};
        a[i].attributes = &attributes[i / 100];
        a[i].attribute_count = 1;
    }
    const struct fake_stream streams[] = {{a, EACH, 1}, {b, EACH, 1}};
    const struct fake_trace trace = {streams, 2, 2, 1, 0, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    for (uint32_t done = 0; done < 2 * EACH; done++) {
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
        const bool has_one = event.location == 0 && event.byte_offset % 100 == 0;
        assert_int_equal(event.attribute_count, has_one);
        if (has_one)
            assert_int_equal(event.attributes[0].value.i, event.byte_offset);
    }
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_END);
    quipu_reader_close(reader);
    free(a);
    free(b);
}

static void test_merge_of_streams_one_after_the_other_copies_nothing(void **state) {
    (void)state;
    enum { EACH = 5000 };
    struct quipu_event *early = random_rows(EACH, 0, 1, 3, false), *late = random_rows(EACH, 1, 2, 3, false);
    for (uint32_t i = 0; i < EACH; i++)
        late[i].time += 100000;
    const struct fake_stream streams[] = {{late, EACH, 1}, {early, EACH, 1}};
    const struct fake_trace trace = {streams, 2, 2, 1, 0, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_event event;
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < 2 * EACH; i++) {
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
        assert_true(event.time >= last);
        assert_int_equal(event.location, i / EACH);
        last = event.time;
    }
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_END);
    quipu_reader_close(reader);
    free(early);
    free(late);
}

QUIPU_TESTS(cmocka_unit_test(test_merge_breaks_ties_by_location_then_stream_then_position),
            cmocka_unit_test(test_merge_of_a_source_that_changes_its_location),
            cmocka_unit_test(test_merge_takes_substreams_of_one_stream_apart),
            cmocka_unit_test(test_merge_keeps_a_source_whose_time_goes_back),
            cmocka_unit_test(test_merge_carries_attributes_to_their_events),
            cmocka_unit_test(test_merge_of_many_streams_equals_sorting),
            cmocka_unit_test(test_merge_of_streams_with_several_locations_equals_sorting),
            cmocka_unit_test(test_merge_carries_the_attributes_of_many_events),
            cmocka_unit_test(test_merge_of_streams_one_after_the_other_copies_nothing))
