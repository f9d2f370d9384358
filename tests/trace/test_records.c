/* test_records.c: records stream after stream. */
#include "trace/streams.h"

static void test_records_are_all_counted_in_a_pass_over_events(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    uint64_t count;
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(quipu_reader_records(reader), 0);
        read_batches(reader, &count);
        assert_int_equal(count, 8);
        assert_int_equal(quipu_reader_delivered(reader), 8);
        assert_int_equal(quipu_reader_records(reader), 11);
        assert_int_equal(quipu_reader_records_of(reader, FAKE_T_DEFINE), 2);
        assert_int_equal(quipu_reader_records_of(reader, FAKE_T_SECRET), 1);
        assert_int_equal(quipu_reader_records_of(reader, FAKE_T_REGION), 6);
        assert_int_equal(quipu_reader_records_of(reader, FAKE_T_MESSAGE), 2);
        assert_int_equal(quipu_reader_records_of(reader, FAKE_TYPES), 0);
        assert_int_equal(quipu_reader_bytes_read(reader), 11);
        assert_int_equal(quipu_reader_bytes_total(reader), 11);
        quipu_reader_rewind(reader);
    }
    quipu_reader_close(reader);
}

static void test_records_come_stream_after_stream(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_record record;
    uint32_t of_stream[3] = {0};
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        assert_int_equal(record.index, of_stream[record.stream]++);
        assert_true(record.stream == 2 || of_stream[2] == 0);
    }
    assert_int_equal(of_stream[0], 2);
    assert_int_equal(of_stream[1], 6);
    assert_int_equal(of_stream[2], 3);
    assert_int_equal(quipu_reader_records(reader), 11);
    assert_int_equal(quipu_reader_delivered(reader), 11);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_records_come_stream_after_stream),
            cmocka_unit_test(test_records_are_all_counted_in_a_pass_over_events))
