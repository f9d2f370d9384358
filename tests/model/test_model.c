/* test_model.c: clock arithmetic, kinds, definitions, tokens, batches and events as text. */
#include "harness.h"

#include "model/batch.h"
#include "model/define.h"

static struct quipu__memory memory;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return memory.used != 0;
}

static int64_t ns(uint64_t rate, int64_t ticks) {
    const struct quipu_clock clock = {.ticks_per_second = rate};
    return quipu_clock_ns(&clock, ticks);
}

static void test_clock_is_exact_where_it_can_be(void **state) {
    (void)state;
    assert_true(ns(1000000000, INT64_MAX) == INT64_MAX);
    assert_true(ns(0, -5) == -5);
    assert_true(ns(1000000, 3) == 3000);
    assert_true(ns(1000, -1) == -1000000);
    assert_true(ns(1, 9000000000) == INT64_C(9000000000000000000));
}

static void test_clock_rounds_towards_minus_infinity(void **state) {
    (void)state;
    assert_true(ns(3, 1) == 333333333);
    assert_true(ns(3, -1) == -333333334);
    assert_true(ns(UINT64_C(3000000000), 10) == 3);
    assert_true(ns(UINT64_C(3000000000), -10) == -4);
}

static void test_clock_survives_extreme_rates(void **state) {
    (void)state;
    assert_true(ns(1, INT64_MAX) == INT64_MAX);
    assert_true(ns(1, INT64_MIN) == INT64_MIN);
    /* 2^62 ticks a second: half of that is half a second */
    assert_true(ns(UINT64_C(1) << 62, INT64_C(1) << 61) == 500000000);
    assert_true(ns(UINT64_MAX, INT64_MAX) == 500000000 || ns(UINT64_MAX, INT64_MAX) == 499999999);
}

/* 10 MHz is a tick of 100 ns; three ticks in ten seconds one of 3.33 s; 64 ticks in a week one of 9450 s. */
static void test_clock_rates_need_not_be_whole(void **state) {
    const struct quipu_clock slow = {.ticks_per_second = 3, .per_seconds = 10};
    const struct quipu_clock week = {.ticks_per_second = 64, .per_seconds = 604800};
    const struct quipu_clock fast = {.ticks_per_second = UINT64_MAX, .per_seconds = UINT64_MAX};
    (void)state;
    assert_true(quipu_clock_ns(&slow, 1) == 3333333333);
    assert_true(quipu_clock_ns(&slow, 3) == 10000000000);
    assert_true(quipu_clock_ns(&slow, -1) == -3333333334);
    assert_true(quipu_clock_ns(&week, 2) == INT64_C(18900000000000));
    assert_true(quipu_clock_ns(&fast, 7) == 7000000000 || quipu_clock_ns(&fast, 7) == 6999999999);
}

static void test_clock_ticks_are_the_first_that_are_not_before(void **state) {
    const struct quipu_clock slow = {.ticks_per_second = 3, .per_seconds = 10};
    const struct quipu_clock nanoseconds = {.ticks_per_second = 1000000000};
    const struct quipu_clock seconds = {.ticks_per_second = 1};
    (void)state;
    assert_true(quipu_clock_ticks(&slow, 3333333333) == 1);
    assert_true(quipu_clock_ticks(&slow, 3333333334) == 2);
    assert_true(quipu_clock_ticks(&slow, -3333333334) == -1);
    assert_true(quipu_clock_ticks(&nanoseconds, INT64_MIN) == INT64_MIN);
    assert_true(quipu_clock_ticks(&seconds, 1) == 1);
    assert_true(quipu_clock_ticks(&seconds, INT64_MAX) == 9223372037);
    for (int64_t ticks = -50; ticks < 50; ticks++)
        assert_true(quipu_clock_ticks(&slow, quipu_clock_ns(&slow, ticks)) == ticks);
}

static void test_channels_name_their_values(void **state) {
    static const struct quipu_value_label labels[] = {{-3, "lost"}, {1, "running"}, {7, "paused"}};
    const struct quipu_channel channel = {.name = "state", .labels = labels, .label_count = 3};
    struct quipu__define define;
    (void)state;
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    assert_int_equal(quipu__add_channel(&define, &channel), 0);
    const struct quipu_channel *copy = &define.definitions.channels.items[0];
    assert_ptr_not_equal(copy->labels, labels);
    assert_string_equal(quipu_channel_label(copy, -3), "lost");
    assert_string_equal(quipu_channel_label(copy, 7), "paused");
    assert_null(quipu_channel_label(copy, 2));
    quipu__define_release(&define);
}

static void test_kinds_know_their_fields(void **state) {
    (void)state;
    const struct quipu_kind_info *send = quipu_kind_at(QUIPU_KIND_send);
    assert_string_equal(send->name, "send");
    assert_string_equal(send->family, "message");
    assert_int_equal(send->field_count, 5);
    assert_string_equal(send->fields[0].name, "peer");
    assert_int_equal(send->fields[0].column, QUIPU_COLUMN_peer);
    assert_int_equal(quipu_kind_at(QUIPU_KIND_location_begin)->field_count, 0);
    assert_int_equal(quipu_kind_at(QUIPU_KIND_enter)->field_count, 1);
    assert_null(quipu_kind_at(QUIPU_KIND_COUNT));
    assert_int_equal(quipu_kind_find("io_resize"), QUIPU_KIND_io_resize);
    assert_int_equal(quipu_kind_find("nothing"), QUIPU_KIND_COUNT);
}

static void test_kinds_use_each_column_once(void **state) {
    (void)state;
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        uint32_t used = 0;
        assert_int_equal(quipu_kind_find(info->name), kind);
        assert_true(strlen(info->doc) > 5);
        for (size_t i = 0; i < info->field_count; i++) {
            assert_int_equal(used >> info->fields[i].column & 1, 0);
            used |= UINT32_C(1) << info->fields[i].column;
        }
    }
}

static void test_operations_have_names_and_shapes(void **state) {
    (void)state;
    assert_string_equal(quipu_operation_name(QUIPU_REFERS_IO_OPERATION, QUIPU_IO_SEEK), "seek");
    assert_string_equal(quipu_operation_name(QUIPU_REFERS_COLLECTIVE, QUIPU_COLLECTIVE_ALLTOALLW), "alltoallw");
    assert_string_equal(quipu_operation_name(QUIPU_REFERS_RMA_OPERATION, 999), "unknown");
    assert_int_equal(quipu_collective_shape(QUIPU_COLLECTIVE_REDUCE), QUIPU_SHAPE_ALL_TO_ONE);
    assert_int_equal(quipu_collective_shape(12345), QUIPU_SHAPE_UNKNOWN);
}

static void test_definitions_copy_what_they_are_given(void **state) {
    (void)state;
    struct quipu__define define;
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    char name[8];
    uint32_t members[2];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "g%u", i);
        members[0] = i;
        members[1] = i + 1;
        const struct quipu_group group = {.native_id = i, .name = name, .member_count = 2, .members = members};
        assert_int_equal(quipu__add_group(&define, &group), i);
    }
    assert_int_equal(define.definitions.groups.count, 1000);
    assert_string_equal(define.definitions.groups.items[7].name, "g7");
    assert_int_equal(define.definitions.groups.items[7].members[1], 8);
    const struct quipu_group replaced = {.native_id = 7, .name = NULL};
    assert_true(quipu__set_group(&define, 7, &replaced));
    assert_string_equal(define.definitions.groups.items[7].name, "");
    quipu__define_release(&define);
}

static void test_definitions_stay_as_they_are_while_locked(void **state) {
    (void)state;
    struct quipu__define define;
    const struct quipu_region region = {.name = "main", .group = ""}, other = {.name = "other", .group = ""};
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    assert_int_equal(quipu__add_region(&define, &region), 0);
    quipu__define_lock(&define);
    assert_false(quipu__define_needs_definition(&define));
    assert_int_equal(quipu__add_region(&define, &other), QUIPU_NONE);
    assert_true(quipu__define_needs_definition(&define));
    assert_false(quipu__set_region(&define, 0, &other));
    quipu__define_unlock(&define);
    assert_int_equal(define.definitions.regions.count, 1);
    assert_string_equal(define.definitions.regions.items[0].name, "main");
    assert_int_equal(quipu__add_region(&define, &other), 1);
    quipu__define_release(&define);
}

static void test_tokens_small_and_large(void **state) {
    (void)state;
    struct quipu__tokens tokens;
    quipu__tokens_init(&tokens, &memory);
    static const uint64_t keys[] = {1, 2000000, 3, 0xffffffff, 1500, UINT64_MAX, 0, 4000000000};
    for (uint32_t i = 0; i < 8; i++)
        assert_true(quipu__tokens_put(&tokens, keys[i], i));
    for (uint32_t i = 2000; i < 6000; i++) /* makes the table grow over tokens that are in the map */
        assert_true(quipu__tokens_put(&tokens, i, i));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(quipu__tokens_get(&tokens, keys[i]), i);
    assert_int_equal(quipu__tokens_get(&tokens, 5999), 5999);
    assert_int_equal(quipu__tokens_get(&tokens, 2), QUIPU_NONE);
    assert_int_equal(quipu__tokens_get(&tokens, 77777777), QUIPU_NONE);
    quipu__tokens_release(&tokens);
}

/* Four events: enter, send with an attribute, note with its text, leave. */
static struct quipu__batch *make_batch(void) {
    struct quipu__batch *made;
    assert_int_equal(quipu__batch_new(&memory, 8, &made, NULL), QUIPU_OK);
    struct quipu_batch *batch = &made->batch;
    uint32_t i = quipu__batch_add(batch, 10, QUIPU_KIND_enter, 0, 100);
    batch->object[i] = 1;
    i = quipu__batch_add(batch, 11, QUIPU_KIND_send, 0, 110);
    batch->peer[i] = 1;
    batch->group[i] = QUIPU_NONE;
    batch->tag[i] = -1;
    batch->bytes[i] = 4096;
    batch->id[i] = QUIPU_UNKNOWN;
    const struct quipu_value value = {.key = 0, .type = QUIPU_VALUE_I32, .i = -3};
    assert_true(quipu__batch_attribute(made, &value));
    quipu__batch_add(batch, 12, QUIPU_KIND_note, 1, 120);
    assert_true(quipu__batch_attribute_text(made, QUIPU_KEY_TEXT, "a \"b\"", 5));
    i = quipu__batch_add(batch, 13, QUIPU_KIND_leave, 0, 130);
    batch->object[i] = QUIPU_NONE;
    return made;
}

static void test_batch_gives_events_with_their_attributes(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    struct quipu_event event;
    uint32_t cursor = 0;
    static const uint32_t counts[] = {0, 1, 1, 0};
    for (uint32_t i = 0; i < 4; i++) {
        quipu__batch_event(&batch->batch, i, &cursor, &event);
        assert_true(event.time == 10 + i);
        assert_int_equal(event.attribute_count, counts[i]);
    }
    quipu__batch_free(batch);
}

static void test_batch_copy_takes_attributes_along(void **state) {
    (void)state;
    struct quipu__batch *from = make_batch(), *to;
    uint32_t cursor = 0;
    assert_int_equal(quipu__batch_new(&memory, 2, &to, NULL), QUIPU_OK);
    assert_true(quipu__batch_copy(to, &from->batch, 1, &cursor));
    assert_true(quipu__batch_copy(to, &from->batch, 2, &cursor));
    assert_false(quipu__batch_copy(to, &from->batch, 3, &cursor));
    assert_int_equal(to->batch.attribute_count, 2);
    assert_int_equal(to->batch.attributes[1].event, 1);
    assert_memory_equal(to->batch.attributes[1].value.data, "a \"b\"", 5);
    assert_true(to->batch.bytes[0] == 4096);
    quipu__batch_free(from);
    quipu__batch_free(to);
}

static void test_batch_select_keeps_what_passes(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    struct quipu__filter filter = {.from = 11, .to = 13, .kinds = QUIPU_ALL_KINDS, .selects = true};
    quipu__batch_select(batch, 0, &filter);
    assert_int_equal(batch->batch.count, 2);
    assert_int_equal(batch->batch.kind[0], QUIPU_KIND_send);
    assert_int_equal(batch->batch.attributes[0].event, 0);
    assert_int_equal(batch->batch.attributes[1].event, 1);
    filter.kinds = QUIPU_KIND_BIT(QUIPU_KIND_note);
    quipu__batch_select(batch, 0, &filter);
    assert_int_equal(batch->batch.count, 1);
    assert_int_equal(batch->batch.attribute_count, 1);
    assert_int_equal(batch->batch.attributes[0].value.key, QUIPU_KEY_TEXT);
    quipu__batch_free(batch);
}

static void test_batch_select_leaves_the_events_before_alone(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    const uint32_t count = batch->batch.count;
    struct quipu__filter filter = {.from = 100, .to = 101, .kinds = QUIPU_ALL_KINDS, .selects = true};
    quipu__batch_select(batch, count, &filter);
    assert_int_equal(batch->batch.count, count);
    quipu__batch_select(batch, 2, &filter);
    assert_int_equal(batch->batch.count, 2);
    assert_int_equal(batch->batch.attribute_count, 1);
    assert_int_equal(batch->batch.attributes[0].event, 1);
    quipu__batch_free(batch);
}

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
    assert_string_equal(
        text, "{\"time\": 11, \"time_ns\": 11000000, \"location\": 0, \"kind\": \"send\", \"peer\": 1, "
              "\"communicator\": null, \"tag\": -1, \"bytes\": 4096, \"request\": null, "
              "\"attributes\": {\"count\": -3}}\n");
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "                  11  rank 0  send peer=rank\\x1b 1 tag=-1 bytes=4096 "
                              "count=-3\n");
    quipu__batch_event(&batch->batch, 2, &cursor, &event);
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "{\"time\": 12, \"time_ns\": 12000000, \"location\": 1, \"kind\": \"note\", "
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
    assert_string_equal(text, "                   5  thread  state_set channel=state value=paused\n");
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(text, "\"value\": 2, \"value_name\": \"paused\""));
    event.value = (uint64_t)-9;
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "                   5  thread  state_set channel=state value=-9\n");
    quipu__define_release(&define);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_clock_is_exact_where_it_can_be), TEST(test_clock_rounds_towards_minus_infinity),
            TEST(test_clock_survives_extreme_rates), TEST(test_clock_rates_need_not_be_whole),
            TEST(test_clock_ticks_are_the_first_that_are_not_before), TEST(test_channels_name_their_values),
            TEST(test_event_names_the_value_of_its_channel), TEST(test_kinds_know_their_fields),
            TEST(test_kinds_use_each_column_once), TEST(test_operations_have_names_and_shapes),
            TEST(test_definitions_copy_what_they_are_given),
            TEST(test_definitions_stay_as_they_are_while_locked), TEST(test_tokens_small_and_large),
            TEST(test_batch_gives_events_with_their_attributes), TEST(test_batch_copy_takes_attributes_along),
            TEST(test_batch_select_keeps_what_passes), TEST(test_batch_select_leaves_the_events_before_alone),
            TEST(test_event_as_json_and_text))
