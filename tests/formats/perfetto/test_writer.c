/* test_writer.c: what is written for Perfetto, field by field. */
#include "formats/foreign.h"

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

static void test_writer_makes_tracks_of_locations(void **state) {
    (void)state;
    size_t size;
    const char *data = written_as("perfetto", &small_trace, &size);
    struct message packets[8], tracks[8], inner;
    uint64_t number;
    assert_int_equal(packets_with(data, size, 60, packets, tracks, 8), 5);
    for (uint32_t rank = 0; rank < 2; rank++) {
        const struct message process = tracks[2 * rank], thread = tracks[2 * rank + 1];
        assert_true(find_field(process, 3, &number, &inner));
        assert_int_equal(number_of(inner, 1), rank);
        assert_string_equal(text_of(inner, 6), harness_text("rank %u", rank));
        assert_true(find_field(thread, 4, &number, &inner));
        assert_int_equal(number_of(inner, 1), rank);
        assert_int_equal(number_of(thread, 5), number_of(process, 1));
    }
    assert_string_equal(text_of(tracks[4], 2), "metric 0");
    assert_true(find_field(tracks[4], 8, &number, &inner));
    assert_string_equal(text_of(inner, 6), "bytes");
}

static void test_writer_writes_events_with_their_names(void **state) {
    (void)state;
    size_t size;
    const char *data = written_as("perfetto", &small_trace, &size);
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
    assert_int_equal(number_of(events[1], 47), number_of(events[5], 48)); /* in no call of MPI */
    assert_false(find_field(events[0], 47, &number, &inner));
    assert_true(find_field(events[4], 4, &number, &inner));
    assert_string_equal(interned(names[0], 3, number_of(inner, 1)), "text");
    assert_string_equal(text_of(inner, 6), "a\"b\\x0a");
}

QUIPU_TESTS(cmocka_unit_test(test_writer_makes_tracks_of_locations),
            cmocka_unit_test(test_writer_writes_events_with_their_names))
