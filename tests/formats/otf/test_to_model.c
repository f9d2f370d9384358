/* test_to_model.c: records as events of the model. */
#include "harness.h"

#include <dirent.h>

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    assert_string_equal(quipu_reader_format(reader)->name, "otf");
    return reader;
}

static const struct quipu_value *attribute(const struct quipu_event *event, uint32_t key) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == key)
            return &event->attributes[i].value;
    return NULL;
}

/* Reads on until the event of that kind and location; the trace must have it. */
static struct quipu_event find_event(struct quipu_reader *reader, enum quipu_kind kind, uint32_t location) {
    struct quipu_event event;
    do
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    while (event.kind != kind || event.location != location);
    return event;
}

static void test_to_model_events_come_in_time_order_with_their_values(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    double load;
    struct quipu_event event = find_event(reader, QUIPU_KIND_enter, 0);
    assert_int_equal(event.time, 1);
    assert_int_equal(event.byte_offset, 13);
    assert_int_equal(attribute(&event, QUIPU_KEY_SOURCE)->u, 0);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    assert_int_equal(event.value, 16);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    memcpy(&load, &event.value, sizeof load);
    assert_true(load == 0.5);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    memcpy(&load, &event.value, sizeof load);
    assert_true(load == 300.25);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    assert_int_equal((int64_t)event.value, -5);
    event = find_event(reader, QUIPU_KIND_enter, 0);
    assert_int_equal(event.attribute_count, 2);
    assert_string_equal(quipu_key_name(d, event.attributes[1].value.key), "blob");
    assert_int_equal(event.attributes[1].value.size, 3);
    assert_memory_equal(event.attributes[1].value.data, "\x01\x02\xff", 3);
    event = find_event(reader, QUIPU_KIND_send, 0);
    assert_int_equal(event.peer, 2);
    assert_int_equal(event.bytes, 0x400);
    assert_int_equal(event.tag, 7);
    event = find_event(reader, QUIPU_KIND_collective_end, 2);
    assert_int_equal(event.time, 10);
    assert_int_equal(event.operation, QUIPU_COLLECTIVE_BARRIER);
    assert_string_equal(d->regions.items[event.object].name, "MPI_Barrier");
    assert_int_equal(event.value, 0x20);
    event = find_event(reader, QUIPU_KIND_io_end, 0);
    assert_int_equal(event.operation, QUIPU_IO_READ);
    assert_int_equal(event.bytes, 0x1000);
    event = find_event(reader, QUIPU_KIND_collective_end, 0);
    assert_int_equal(event.time, 15); /* record at 11, duration 4 */
    event = find_event(reader, QUIPU_KIND_summary, 0);
    assert_int_equal(event.operation, QUIPU_STATISTIC_CALLS);
    quipu_reader_close(reader);
}

static void test_to_model_markers_are_sorted_by_time(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    struct quipu_event event = find_event(reader, QUIPU_KIND_marker, 2);
    assert_int_equal(event.time, 2);
    assert_memory_equal(attribute(&event, QUIPU_KEY_TEXT)->data, "first", 5);
    event = find_event(reader, QUIPU_KIND_marker, 0);
    assert_int_equal(event.time, 9);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_to_model_events_come_in_time_order_with_their_values),
            cmocka_unit_test(test_to_model_markers_are_sorted_by_time))
