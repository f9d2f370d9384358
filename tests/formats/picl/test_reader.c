/* test_reader.c: passes over records in the order of the file, and over events in the order of time. */
#include "formats/model_text.h"
#include "formats/picl/traces.h"

static void test_reader_records_come_as_the_file_has_them(void **state) {
    struct quipu_reader *reader = open_text(BEGIN "-3 5 2.0 0 0 0\n\n  -4 5 1.0 0 0 0\n" END);
    static const uint64_t lines[] = {1, 2, 4, 5};
    struct quipu_record record;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
        assert_int_equal(record.index, i);
        assert_int_equal(record.line, lines[i]);
    }
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_END);
    quipu_reader_close(reader);
}

/* Processes come by time, whatever the order of their records in the file. */
static void test_reader_processes_are_merged_by_time(void **state) {
    (void)state;
    const char *text = BEGIN "-2 5 2.0 0 0 0\n-3 -901 0.5 1 0 0\n-2 6 1.0 1 0 0\n" END "-4 -901 9.0 1 0 0\n";
    assert_string_equal(
        model_events(file_of_text(text)),
        "0 0/0 enter region=tracing; 5 1/0 enter region=tracing; 10 1/0 enter region=event 6; "
        "10 1/0 leave region=event 6; 20 0/0 enter region=event 5; 20 0/0 leave region=event 5; "
        "90 0/0 leave region=tracing; 90 1/0 leave region=tracing");
}

QUIPU_TESTS(cmocka_unit_test(test_reader_records_come_as_the_file_has_them),
            cmocka_unit_test(test_reader_processes_are_merged_by_time))
