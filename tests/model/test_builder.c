/* test_builder.c: definitions that a program builds. */
#include "harness.h"

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

static void test_builder_finds_what_it_has(void **state) {
    (void)state;
    struct quipu_builder *builder = build();
    const struct quipu_definitions *definitions = quipu_builder_definitions(builder);
    assert_int_equal(quipu_location_find(definitions, "rank 1"), 1);
    assert_int_equal(quipu_location_find(definitions, "rank"), QUIPU_NONE);
    assert_int_equal(quipu_location_by_rank(definitions, 1), 1);
    assert_int_equal(quipu_location_by_native_id(definitions, 2), 1);
    assert_int_equal(quipu_region_find(definitions, "solve"), 0);
    assert_int_equal(quipu_region_by_native_id(definitions, 2), QUIPU_NONE);
    assert_int_equal(quipu_metric_find(definitions, "heat"), 0);
    assert_int_equal(quipu_group_find(definitions, "world"), QUIPU_NONE);
    quipu_builder_free(builder);
}

QUIPU_TESTS(cmocka_unit_test(test_builder_finds_what_it_has))
