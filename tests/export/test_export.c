/* test_export.c: what the exporters write, byte by byte where that is text, field by field where it is not. */
#include "trace/fake.h"

#include "convert/convert.h"
#include "export/export.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_attribute text[] = {
    {0, {.key = QUIPU_KEY_TEXT, .type = QUIPU_VALUE_STRING, .size = 4, .data = "a\"b\n"}}};
static const struct quipu_event first_rows[] = {
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .object = 1},
    {.time = 1020,
     .kind = QUIPU_KIND_send,
     .location = 0,
     .peer = 1,
     .group = QUIPU_NONE,
     .tag = -5,
     .bytes = 100,
     .id = QUIPU_UNKNOWN},
    {.time = 1000025, .kind = QUIPU_KIND_metric, .location = 0, .object = 0, .value = 300},
    {.time = 1000040, .kind = QUIPU_KIND_leave, .location = 0, .object = 1},
};
static const struct quipu_event second_rows[] = {
    {.time = -5, .kind = QUIPU_KIND_note, .location = 1, .attributes = text, .attribute_count = 1},
    {.time = 1030,
     .kind = QUIPU_KIND_recv,
     .location = 1,
     .peer = 0,
     .group = QUIPU_NONE,
     .tag = -5,
     .bytes = 100,
     .id = QUIPU_UNKNOWN},
};
static const struct fake_stream streams[] = {{first_rows, COUNT(first_rows), 1},
                                             {second_rows, COUNT(second_rows), 1}};
static const struct fake_trace trace = {streams, COUNT(streams), 2, 2, 1, 0};
static const struct fake_trace empty = {NULL, 0, 0, 0, 0, 0};

static const char *export_to(const char *exporter, const struct fake_trace *from, size_t *size) {
    const char *path = harness_text("%s/out", harness_folder());
    struct quipu_reader *reader = fake_reader(from);
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_convert(reader, path, exporter, NULL, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    return harness_read(path, size);
}

static void test_export_lists_exporters_by_name_and_suffix(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu_exporter_count(); i++) {
        const struct quipu_exporter *exporter = quipu_exporter_at(i);
        assert_ptr_equal(quipu_exporter_find(exporter->name), exporter);
        assert_non_null(quipu__exporter_target(exporter->name));
        assert_null(quipu_format_find(exporter->name));
    }
    assert_string_equal(quipu_exporter_by_suffix("a/b.perfetto-trace")->name, "perfetto");
    assert_string_equal(quipu_exporter_by_suffix("run.json")->name, "chrome");
    assert_null(quipu_exporter_by_suffix("run.txt"));
    assert_null(quipu_exporter_find("nonsense"));
}

static void test_export_loses_nothing_but_what_the_source_does(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu_exporter_count(); i++) {
        struct quipu_reader *reader = fake_reader(&trace);
        struct quipu_conversion_report *report;
        const char *path = harness_text("%s/out", harness_folder());
        assert_int_equal(quipu_convert(reader, path, quipu_exporter_at(i)->name, NULL, &report, NULL),
                         QUIPU_OK);
        assert_int_equal(quipu_conversion_report_lost(report), 2); /* the scents of two messages */
        quipu_conversion_report_free(report);
        quipu_reader_close(reader);
    }
}

static void test_export_chrome_writes_this(void **state) {
    (void)state;
    assert_string_equal(
        export_to("chrome", &trace, NULL),
        "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
        "{\"ph\": \"M\", \"pid\": 1, \"tid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"rank "
        "0\"}},\n"
        "{\"ph\": \"M\", \"pid\": 1, \"tid\": 1, \"name\": \"thread_name\", \"args\": {\"name\": \"rank "
        "0\"}},\n"
        "{\"ph\": \"M\", \"pid\": 2, \"tid\": 2, \"name\": \"process_name\", \"args\": {\"name\": \"rank "
        "1\"}},\n"
        "{\"ph\": \"M\", \"pid\": 2, \"tid\": 2, \"name\": \"thread_name\", \"args\": {\"name\": \"rank "
        "1\"}},\n"
        "{\"ph\": \"B\", \"pid\": 1, \"tid\": 1, \"ts\": 0.010, \"name\": \"region 1\", \"cat\": \"region\"},\n"
        "{\"ph\": \"i\", \"pid\": 1, \"tid\": 1, \"ts\": 1.020, \"s\": \"t\", \"name\": \"send\", \"cat\": "
        "\"message\", "
        "\"args\": {\"peer\": \"rank 1\", \"tag\": -5, \"bytes\": 100}},\n"
        "{\"ph\": \"s\", \"pid\": 1, \"tid\": 1, \"ts\": 1.020, \"id\": 1099511627776, \"name\": \"message\", "
        "\"cat\": \"message\"},\n"
        "{\"ph\": \"C\", \"pid\": 1, \"tid\": 1, \"ts\": 1000.025, \"id\": 1, \"name\": \"metric 0\", \"cat\": "
        "\"metric\", \"args\": {\"value\": 300}},\n"
        "{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 1000.040},\n"
        "{\"ph\": \"i\", \"pid\": 2, \"tid\": 2, \"ts\": -0.005, \"s\": \"t\", \"name\": \"note\", \"cat\": "
        "\"value\", "
        "\"args\": {\"text\": \"a\\\"b\\n\"}},\n"
        "{\"ph\": \"i\", \"pid\": 2, \"tid\": 2, \"ts\": 1.030, \"s\": \"t\", \"name\": \"recv\", \"cat\": "
        "\"message\", "
        "\"args\": {\"peer\": \"rank 0\", \"tag\": -5, \"bytes\": 100}},\n"
        "{\"ph\": \"f\", \"pid\": 2, \"tid\": 2, \"ts\": 1.030, \"bp\": \"e\", \"id\": 1099511627776, "
        "\"name\": "
        "\"message\", \"cat\": \"message\"}\n"
        "]}\n");
}

static void test_export_chrome_of_nothing_is_still_json(void **state) {
    (void)state;
    assert_string_equal(export_to("chrome", &empty, NULL), "{\"traceEvents\": []}\n");
}

/* ---- Reading protocol buffers, as little as it takes ---- */

struct message {
    const uint8_t *at, *end;
};

static uint64_t take_varint(struct message *message) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(message->at < message->end && shift < 70);
        const uint8_t byte = *message->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

/* The next field: its number, or 0 at the end; its value is in *number, or in *inner for messages and texts. */
static uint32_t take_field(struct message *message, uint64_t *number, struct message *inner) {
    *number = 0;
    *inner = (struct message){NULL, NULL};
    if (message->at == message->end)
        return 0;
    const uint64_t key = take_varint(message);
    if ((key & 7) == 0) {
        *number = take_varint(message);
    } else if ((key & 7) == 1) {
        assert_true(message->end - message->at >= 8);
        for (int i = 0; i < 8; i++)
            *number |= (uint64_t)message->at[i] << 8 * i;
        message->at += 8;
    } else {
        assert_int_equal(key & 7, 2);
        const uint64_t size = take_varint(message);
        assert_true(size <= (uint64_t)(message->end - message->at));
        *inner = (struct message){message->at, message->at + size};
        message->at += size;
    }
    return (uint32_t)(key >> 3);
}

/* The first field of that number inside a message: a number, or a message in *inner. */
static bool find_field(struct message message, uint32_t wanted, uint64_t *number, struct message *inner) {
    uint32_t field;
    while ((field = take_field(&message, number, inner)) != 0)
        if (field == wanted)
            return true;
    return false;
}

static uint64_t number_of(struct message message, uint32_t field) {
    uint64_t number;
    struct message inner;
    assert_true(find_field(message, field, &number, &inner));
    return number;
}

static const char *text_of(struct message message, uint32_t field) {
    uint64_t number;
    struct message inner;
    assert_true(find_field(message, field, &number, &inner));
    return harness_text("%.*s", (int)(inner.end - inner.at), (const char *)inner.at);
}

/* Packets of one kind, by the number of the field that makes them that kind. */
static size_t packets_with(const void *data, size_t size, uint32_t field, struct message *packets,
                           struct message *contents, size_t limit) {
    struct message trace_message = {data, (const uint8_t *)data + size}, packet, inner;
    uint64_t number;
    size_t count = 0;
    while (take_field(&trace_message, &number, &packet) == 1) {
        assert_int_equal(number_of(packet, 10), 1);
        if (!find_field(packet, field, &number, &inner))
            continue;
        assert_true(count < limit);
        packets[count] = packet;
        contents[count++] = inner;
    }
    assert_ptr_equal(trace_message.at, trace_message.end);
    return count;
}

/* Text of the interned name with that number. */
static const char *interned(struct message data, uint32_t field, uint64_t iid) {
    struct message entry;
    uint64_t number;
    uint32_t found;
    while ((found = take_field(&data, &number, &entry)) != 0)
        if (found == field && number_of(entry, 1) == iid)
            return text_of(entry, 2);
    return "(not interned)";
}

static void test_export_perfetto_makes_tracks_of_locations(void **state) {
    (void)state;
    size_t size;
    const char *data = export_to("perfetto", &trace, &size);
    struct message packets[8], tracks[8], inner;
    uint64_t number;
    assert_int_equal(packets_with(data, size, 60, packets, tracks, 8), 5);
    for (uint32_t rank = 0; rank < 2; rank++) {
        const struct message process = tracks[2 * rank], thread = tracks[2 * rank + 1];
        assert_true(find_field(process, 3, &number, &inner));
        assert_int_equal(number_of(inner, 1), rank + 1);
        assert_string_equal(text_of(inner, 6), harness_text("rank %u", rank));
        assert_true(find_field(thread, 4, &number, &inner));
        assert_int_equal(number_of(inner, 1), rank + 1);
        assert_int_equal(number_of(thread, 5), number_of(process, 1));
    }
    assert_string_equal(text_of(tracks[4], 2), "metric 0");
    assert_true(find_field(tracks[4], 8, &number, &inner));
    assert_string_equal(text_of(inner, 6), "bytes");
}

static void test_export_perfetto_writes_events_with_their_names(void **state) {
    (void)state;
    size_t size;
    const char *data = export_to("perfetto", &trace, &size);
    struct message packets[16], events[16], interned_packets[4], names[4], inner;
    uint64_t number;
    static const struct {
        uint64_t time, type;
        const char *name;
    } expected[] = {{10, 1, "region 1"}, {1020, 3, "send"}, {1000025, 4, NULL},
                    {1000040, 2, NULL},  {0, 3, "note"},    {1030, 3, "recv"}};
    assert_int_equal(packets_with(data, size, 12, interned_packets, names, 4), 1);
    assert_int_equal(number_of(interned_packets[0], 13), 3);
    assert_int_equal(packets_with(data, size, 11, packets, events, 16), COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(number_of(packets[i], 8), expected[i].time);
        assert_int_equal(number_of(packets[i], 13), 2);
        assert_int_equal(number_of(events[i], 9), expected[i].type);
        assert_int_equal(find_field(events[i], 10, &number, &inner), expected[i].name != NULL);
        if (expected[i].name)
            assert_string_equal(interned(names[0], 2, number), expected[i].name);
    }
    assert_int_equal(number_of(events[2], 30), 300);
    assert_int_equal(number_of(events[1], 47), number_of(events[5], 48)); /* the message's flow */
    assert_true(find_field(events[4], 4, &number, &inner));
    assert_string_equal(interned(names[0], 3, number_of(inner, 1)), "text");
    assert_string_equal(text_of(inner, 6), "a\"b\\x0a");
}

QUIPU_TESTS(cmocka_unit_test(test_export_lists_exporters_by_name_and_suffix),
            cmocka_unit_test(test_export_loses_nothing_but_what_the_source_does),
            cmocka_unit_test(test_export_chrome_writes_this),
            cmocka_unit_test(test_export_chrome_of_nothing_is_still_json),
            cmocka_unit_test(test_export_perfetto_makes_tracks_of_locations),
            cmocka_unit_test(test_export_perfetto_writes_events_with_their_names))
