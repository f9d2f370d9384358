/* test_reader.c: events of streams as records, and what is found while they are read. */
#include "traces.h"

static void test_reader_records_are_the_header_and_the_events(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE({.tid = 11, .events = "5 OAs i1; 7 OUj + xabcdef"}));
    struct quipu_record record;
    (void)state;
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_string_equal(record.type->name, "Header");
    assert_int_equal(((const struct quipu__ovni_record_header *)record.data)->version, 1);
    assert_int_equal(record.byte_offset, 0);
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_string_equal(record.type->name, "Event");
    const struct quipu__ovni_record_event *event = record.data;
    assert_int_equal(event->flags, 3); /* four bytes of payload */
    assert_memory_equal(event->mcv, "OAs", 3);
    assert_int_equal(event->clock, 5);
    assert_int_equal(quipu_sized_count(event->payload), 4);
    assert_int_equal(event->payload[0], 1);
    assert_int_equal(record.byte_offset, 8);
    assert_int_equal(record.index, 1);
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_string_equal(record.type->name, "Jumbo");
    const struct quipu__ovni_record_jumbo *jumbo = record.data;
    assert_int_equal(jumbo->flags, 0x13);
    assert_int_equal(quipu_sized_count(jumbo->data), 3);
    assert_memory_equal(jumbo->data, "\xab\xcd\xef", 3);
    assert_int_equal(record.byte_offset, 8 + 16);
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_END);
    quipu_reader_close(reader);
}

/* Clocks go back in regions of late events, which is a notice, and nowhere else. Late is what is before the region, its beginning among
 * it, or before another event of it: the emulator refuses all of them until they are sorted. */
static void test_reader_clocks_that_go_back(void **state) {
    (void)state;
    assert_string_equal(
        rules_checked(MADE_TRACE({.tid = 11,
                                  .models = "K",
                                  .events = "0 OHx i0 i-1 q0; 8 OB.; 8 OU[; 5 KCO; 6 KCI; 10 OU]; 20 OHe"})),
        "ovni.late-events ovni.late-events");
    assert_string_equal(
        rules_checked(MADE_TRACE(
            {.tid = 11, .models = "K", .events = "0 OHx i0 i-1 q0; 9 OU[; 12 KCO; 11 KCI; 13 OU]; 20 OHe"})),
        "ovni.late-events");
    assert_string_equal(
        rules_checked(MADE_TRACE(
            {.tid = 11, .models = "K", .events = "0 OHx i0 i-1 q0; 9 OU[; 5 KCO; 6 KCI; 10 OU]; 20 OHe"})),
        "ovni.late-events ovni.late-events");
    assert_string_equal(
        rules_checked(MADE_TRACE({.tid = 11, .events = "1 OHx i0 i-1 q0; 9 OB.; 5 OB.; 20 OHe"})),
        "ovni.clock-back");
}

/* What is whole of a stream that breaks off is read; the other bytes are counted. */
static void test_reader_streams_that_break_off(void **state) {
    const char *path = MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 5 OHe; 6 OB."});
    size_t size;
    struct quipu_record record;
    unsigned count = 0;
    (void)state;
    const char *bytes = harness_read(made_file(path, 11), &size);
    harness_write(made_file(path, 11), bytes, size - 5); /* of the last 12 */
    struct quipu_reader *reader = made_reader(path);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        count++;
    assert_int_equal(count, 3); /* header and two events */
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    assert_int_equal(quipu_findings_count(findings), 1);
    assert_string_equal(quipu_findings_at(findings, 0)->rule->id, "ovni.truncated");
    assert_int_equal(quipu_findings_at(findings, 0)->byte, 8 + 28 + 12);
    quipu_reader_close(reader);
}

/* Times count from the earliest clock of the trace, with the offset of the loom. */
static void test_reader_times_are_corrected(void **state) {
    const char *path = MADE_TRACE({.tid = 1, .pid = 1, .loom = "a.1", .events = "100 OB."},
                                  {.tid = 2, .pid = 2, .loom = "b.1", .events = "1110 OB."});
    const char *table = "rank host median mean std\n0 b -1000 0 0\n";
    (void)state;
    harness_write(harness_text("%s/clock-offsets.txt", path), table, strlen(table));
    assert_string_equal(model_events(path),
                        "0 thread.1 marker marker=OB. text=OB.; 10 thread.2 marker marker=OB. text=OB.");
}

QUIPU_TESTS(cmocka_unit_test(test_reader_records_are_the_header_and_the_events),
            cmocka_unit_test(test_reader_clocks_that_go_back),
            cmocka_unit_test(test_reader_streams_that_break_off),
            cmocka_unit_test(test_reader_times_are_corrected))
