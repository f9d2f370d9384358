/* test_event.c: events as text and as JSON. */
#include "batches.h"

#include "model/define.h"

#include <quipu/printer.h>

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    memcpy(context, data, size);
    ((char *)context)[size] = '\0';
    return QUIPU_OK;
}

static void test_event_as_json_and_text(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    struct quipu__define define;
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    define.definitions.clock.ticks_per_second = 1000;
    const struct quipu_location zero = {.name = "rank 0"}, one = {.name = "rank\x1b 1"};
    const struct quipu_attribute_key count = {.name = "count"};
    quipu__add_location(&define, &zero);
    quipu__add_location(&define, &one);
    quipu__add_attribute_key(&define, &count);
    char text[400];
    const struct quipu_sink sink = {collect, text};
    struct quipu_event event;
    uint32_t cursor = 0;
    quipu__batch_event(&batch->batch, 1, &cursor, &event);
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text,
                        "{\"time\": 11, \"time_ns\": 11000000, \"location\": 0, \"location_name\": \"rank 0\", "
                        "\"kind\": \"send\", \"peer\": 1, \"peer_name\": \"rank\\u001b 1\", \"communicator\": "
                        "null, \"tag\": -1, \"bytes\": 4096, \"request\": null, "
                        "\"attributes\": {\"count\": -3}}\n");
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "   0.011000000s  rank 0  send peer=rank\\x1b 1 tag=-1 bytes=4096 "
                              "count=-3\n");
    quipu__batch_event(&batch->batch, 2, &cursor, &event);
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "{\"time\": 12, \"time_ns\": 12000000, \"location\": 1, "
                              "\"location_name\": \"rank\\u001b 1\", \"kind\": \"note\", "
                              "\"text\": \"a \\\"b\\\"\", \"attributes\": {}}\n");
    quipu__define_release(&define);
    quipu__batch_free(batch);
}

static void test_event_names_the_value_of_its_channel(void **state) {
    static const struct quipu_value_label labels[] = {{2, "paused"}};
    const struct quipu_channel channel = {.name = "state", .labels = labels, .label_count = 1};
    const struct quipu_location thread = {.name = "thread"};
    struct quipu__define define;
    struct quipu_event event = {.time = 5, .kind = QUIPU_KIND_state_set, .value = 2};
    char text[400];
    const struct quipu_sink sink = {collect, text};
    (void)state;
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    quipu__add_location(&define, &thread);
    quipu__add_channel(&define, &channel);
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "              5  thread  state_set channel=state value=paused\n");
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(text, "\"value\": 2, \"value_name\": \"paused\""));
    event.value = (uint64_t)-9;
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "              5  thread  state_set channel=state value=-9\n");
    quipu__define_release(&define);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_event_as_json_and_text), TEST(test_event_names_the_value_of_its_channel))
