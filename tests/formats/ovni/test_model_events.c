/* test_model_events.c: payloads of events of the model, by hand from the layout in model_events.h. */
#include "harness.h"

#include "formats/ovni/model_events.h"

#include <string.h>

static void expect(const struct quipu_event *event, const uint8_t *bytes, uint32_t len) {
    uint8_t out[QUIPU__OVNI_FIELDS_BYTES];
    assert_int_equal(quipu__ovni_encode_fields(event, out), len);
    assert_memory_equal(out, bytes, len);
}

/* Receiver 3, no communicator, tag -1, 300 bytes, no request. */
static void test_model_events_a_send_takes_six_bytes(void **state) {
    const struct quipu_event send = {
        .kind = QUIPU_KIND_send, .peer = 3, .group = QUIPU_NONE, .tag = -1, .bytes = 300, .id = QUIPU_UNKNOWN};
    const uint8_t expected[] = {4, 0, 1, 0xad, 0x02, 0};
    uint64_t values[QUIPU__OVNI_FIELDS_MOST];
    (void)state;
    expect(&send, expected, sizeof expected);
    quipu__ovni_decode_fields(QUIPU_KIND_send, expected, sizeof expected, values);
    assert_int_equal(values[0], 3);
    assert_true(values[1] == QUIPU_UNKNOWN);
    assert_true((int64_t)values[2] == -1);
    assert_int_equal(values[3], 300);
    assert_true(values[4] == QUIPU_UNKNOWN);
}

/* A payload of one byte does not exist. */
static void test_model_events_one_byte_becomes_two(void **state) {
    const struct quipu_event complete = {.kind = QUIPU_KIND_send_complete, .id = 5};
    const uint8_t expected[] = {6, 0};
    (void)state;
    expect(&complete, expected, sizeof expected);
}

static void test_model_events_the_largest_numbers_take_ten_bytes(void **state) {
    const struct quipu_event complete = {.kind = QUIPU_KIND_send_complete, .id = UINT64_MAX - 1};
    const uint8_t expected[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    uint64_t values[QUIPU__OVNI_FIELDS_MOST];
    (void)state;
    expect(&complete, expected, sizeof expected);
    quipu__ovni_decode_fields(QUIPU_KIND_send_complete, expected, sizeof expected, values);
    assert_true(values[0] == UINT64_MAX - 1);
}

/* What a payload does not say is unknown; what it says too much is not looked at. */
static void test_model_events_damaged_payloads(void **state) {
    const uint8_t endless[] = {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    uint64_t values[QUIPU__OVNI_FIELDS_MOST];
    (void)state;
    quipu__ovni_decode_fields(QUIPU_KIND_send, NULL, 0, values);
    assert_true(values[0] == QUIPU_UNKNOWN && values[3] == QUIPU_UNKNOWN);
    quipu__ovni_decode_fields(QUIPU_KIND_send, endless, sizeof endless, values);
    assert_int_equal(values[0], 0);
    assert_true(values[1] == QUIPU_UNKNOWN);
}

/* Each kind has a character of its own, none of them one that ovni uses. */
static void test_model_events_characters_and_kinds_are_pairs(void **state) {
    unsigned count = 0;
    (void)state;
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const char character = quipu__ovni_character_of(kind);
        assert_true(character == 0 || quipu__ovni_kind_of((uint8_t)character) == kind);
        count += character != 0;
    }
    assert_int_equal(count, 18);
    assert_int_equal(quipu__ovni_kind_of('['), QUIPU_KIND_COUNT);
    assert_int_equal(quipu__ovni_kind_of(']'), QUIPU_KIND_COUNT);
    assert_int_equal(quipu__ovni_character_of(QUIPU_KIND_enter), 0);
}

QUIPU_TESTS(cmocka_unit_test(test_model_events_a_send_takes_six_bytes),
            cmocka_unit_test(test_model_events_one_byte_becomes_two),
            cmocka_unit_test(test_model_events_the_largest_numbers_take_ten_bytes),
            cmocka_unit_test(test_model_events_damaged_payloads),
            cmocka_unit_test(test_model_events_characters_and_kinds_are_pairs))
