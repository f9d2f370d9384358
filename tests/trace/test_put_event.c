/* test_put_event.c: events written one by one, of definitions that a program has built. */
#include "harness.h"
#include "model/batch.h"

static struct quipu_builder *build(void) {
    struct quipu_builder *builder;
    struct quipu_clock clock = QUIPU_CLOCK_INIT;
    struct quipu_location location = QUIPU_LOCATION_INIT;
    struct quipu_region region = QUIPU_REGION_INIT;
    struct quipu_metric metric = QUIPU_METRIC_INIT;
    clock.ticks_per_second = 1000000;
    assert_int_equal(quipu_builder_new(&clock, NULL, &builder, NULL), QUIPU_OK);
    for (int64_t rank = 0; rank < 2; rank++) {
        location.name = harness_text("rank %d", (int)rank);
        location.rank = rank;
        assert_int_equal(quipu_builder_add_location(builder, &location), rank);
    }
    region.name = "solve";
    metric.name = "heat";
    assert_int_equal(quipu_builder_add_region(builder, &region), 0);
    assert_int_equal(quipu_builder_add_metric(builder, &metric), 0);
    return builder;
}

/* More events than are collected at a time, of two locations in turn. */
enum { EVENTS = 5000 };

static enum quipu_status put(struct quipu_writer *writer, uint32_t number) {
    struct quipu_event event = QUIPU_EVENT_INIT;
    event.time = number;
    event.kind = QUIPU_KIND_metric;
    event.location = number % 2;
    event.stream = number / 100 % 2;
    event.object = 0;
    event.value = number;
    return quipu_writer_put_event(writer, &event, NULL);
}

static void test_put_event_writes_every_event(void **state) {
    (void)state;
    const char *path = harness_text("%s/t.otf", harness_folder());
    struct quipu_builder *builder = build();
    struct quipu_writer *writer;
    struct quipu_reader *reader;
    struct quipu_event event;
    assert_int_equal(quipu_writer_create(path, quipu_format_find("otf"), NULL, &writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_define(writer, quipu_builder_definitions(builder), NULL), QUIPU_OK);
    for (uint32_t i = 0; i < EVENTS; i++)
        assert_int_equal(put(writer, i), QUIPU_OK);
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_OK);
    for (uint32_t i = 0; i < EVENTS; i++) {
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
        assert_int_equal(event.time, i);
        assert_int_equal(event.value, i);
        assert_int_equal(event.location, i % 2);
    }
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_END);
    quipu_reader_close(reader);
    quipu_builder_free(builder);
}

static void test_put_event_refuses_what_is_not_defined(void **state) {
    (void)state;
    struct quipu_builder *builder = build();
    struct quipu_writer *writer;
    struct quipu_event event = QUIPU_EVENT_INIT;
    const char *path = harness_text("%s/u.otf", harness_folder());
    assert_int_equal(quipu_writer_create(path, quipu_format_find("otf"), NULL, &writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_put_event(writer, &event, NULL), QUIPU_MISUSE);
    assert_int_equal(quipu_writer_define(writer, quipu_builder_definitions(builder), NULL), QUIPU_OK);
    event.location = 2;
    assert_int_equal(quipu_writer_put_event(writer, &event, NULL), QUIPU_MISUSE);
    event.location = 1;
    event.kind = QUIPU_KIND_COUNT;
    assert_int_equal(quipu_writer_put_event(writer, &event, NULL), QUIPU_MISUSE);
    quipu_writer_discard(writer);
    assert_false(harness_exists(path));
    quipu_builder_free(builder);
}

/* Puts enter and metric events in turn into a format that holds neither; what is lost outlives the writer. */
static void test_what_a_format_cannot_hold_is_counted(void **state) {
    (void)state;
    struct quipu_builder *builder = build();
    struct quipu_writer *writer;
    struct quipu_writer_losses losses;
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    struct quipu_event event = QUIPU_EVENT_INIT;
    const char *path = harness_text("%s/lost.ctrace", harness_folder());
    options.losses = &losses;
    event.object = 0;
    assert_int_equal(quipu_convert_kinds("charisma") & QUIPU_KIND_BIT(QUIPU_KIND_enter), 0);
    assert_int_equal(quipu_writer_create(path, quipu_format_find("charisma"), &options, &writer, NULL),
                     QUIPU_OK);
    assert_int_equal(quipu_writer_define(writer, quipu_builder_definitions(builder), NULL), QUIPU_OK);
    for (uint32_t i = 0; i < EVENTS; i++) {
        event.time = i;
        event.kind = QUIPU_KIND_enter;
        assert_int_equal(quipu_writer_put_event(writer, &event, NULL), QUIPU_OK);
        assert_int_equal(quipu_writer_dropped(writer, QUIPU_KIND_enter), i + 1);
        event.kind = QUIPU_KIND_metric;
        assert_int_equal(quipu_writer_put_event(writer, &event, NULL), QUIPU_OK);
    }
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    assert_int_equal(losses.dropped[QUIPU_KIND_enter], EVENTS);
    assert_int_equal(losses.dropped[QUIPU_KIND_metric], EVENTS);
    assert_int_equal(losses.dropped[QUIPU_KIND_io_begin], 0);
    quipu_builder_free(builder);
}

/* Time may stand still, but not go back: of one location, or of all where the format has one order. */
static void test_put_event_refuses_time_that_goes_back(void **state) {
    (void)state;
    static const char *const formats[] = {"otf", "dumpi", "picl", "ovni", "charisma", "perfetto"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct quipu_builder *builder = build();
        struct quipu_writer *writer;
        struct quipu_error err = QUIPU_ERROR_INIT;
        struct quipu_event event = QUIPU_EVENT_INIT;
        const char *path = harness_text("%s/back-%s", harness_folder(), formats[i]);
        assert_int_equal(quipu_writer_create(path, quipu_format_find(formats[i]), NULL, &writer, NULL),
                         QUIPU_OK);
        assert_int_equal(quipu_writer_define(writer, quipu_builder_definitions(builder), NULL), QUIPU_OK);
        event.kind = QUIPU_KIND_enter;
        event.object = 0;
        event.time = 7;
        assert_int_equal(quipu_writer_put_event(writer, &event, &err), QUIPU_OK);
        assert_int_equal(quipu_writer_put_event(writer, &event, &err), QUIPU_OK);
        event.time = 6;
        assert_int_equal(quipu_writer_put_event(writer, &event, &err), QUIPU_MISUSE);
        assert_non_null(strstr(err.message, "is at 6, after one at 7"));
        event.location = 1;
        assert_int_equal(quipu_writer_put_event(writer, &event, &err),
                         quipu_writer_order(writer) == QUIPU_ORDER_TIME ? QUIPU_MISUSE : QUIPU_OK);
        event.time = 8;
        assert_int_equal(quipu_writer_put_event(writer, &event, &err), QUIPU_OK);
        quipu_writer_discard(writer);
        quipu_builder_free(builder);
    }
}

/* The same for batches, in runs of one location and between them. */
static void test_put_batch_refuses_time_that_goes_back(void **state) {
    static const uint32_t locations[] = {0, 0, 0, 1, 1, 0, 0};
    static const int64_t times[] = {5, 5, 7, 4, 6, 7, 9}, before[] = {-1, 5, 5, -1, 4, 7, 7}; /* -1: none */
    enum { COUNT = sizeof times / sizeof *times };
    (void)state;
    for (size_t wrong = 0; wrong < COUNT; wrong++) {
        struct quipu__memory memory;
        struct quipu__batch *batch;
        struct quipu_builder *builder = build();
        struct quipu_error err = QUIPU_ERROR_INIT;
        struct quipu_writer *writer;
        const char *path = harness_text("%s/batch-%zu.otf2", harness_folder(), wrong);
        quipu__memory_init(&memory, NULL, 0);
        assert_int_equal(quipu__batch_new(&memory, COUNT, &batch, &err), QUIPU_OK);
        for (size_t i = 0; i < COUNT; i++) {
            const int64_t time = i == wrong && before[i] > 0 ? before[i] - 1 : times[i];
            quipu__batch_add(&batch->batch, time, QUIPU_KIND_enter, locations[i], 0);
            batch->batch.object[i] = 0;
        }
        assert_int_equal(quipu_writer_create(path, quipu_format_find("otf2"), NULL, &writer, &err), QUIPU_OK);
        assert_int_equal(quipu_writer_define(writer, quipu_builder_definitions(builder), &err), QUIPU_OK);
        const enum quipu_status status = quipu_writer_put_batch(writer, &batch->batch, &err);
        assert_int_equal(status, before[wrong] > 0 ? QUIPU_MISUSE : QUIPU_OK);
        if (status != QUIPU_OK)
            assert_non_null(strstr(err.message, harness_text("is at %d, after one at %d",
                                                             (int)before[wrong] - 1, (int)before[wrong])));
        quipu_writer_discard(writer);
        quipu__batch_free(batch);
        quipu_builder_free(builder);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_put_event_writes_every_event),
            cmocka_unit_test(test_put_event_refuses_what_is_not_defined),
            cmocka_unit_test(test_what_a_format_cannot_hold_is_counted),
            cmocka_unit_test(test_put_event_refuses_time_that_goes_back),
            cmocka_unit_test(test_put_batch_refuses_time_that_goes_back))
