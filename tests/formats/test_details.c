/* test_details.c: fields and attributes of an event by name. */
#include "harness.h"

#include "formats/details.h"

static struct quipu_location locations[] = {{.name = "a"}, {.name = "b"}};
static struct quipu_metric metrics[] = {{.name = "load", .value = QUIPU_METRIC_F64}};
static struct quipu_definitions definitions;

static struct quipu__detail detail_of(const struct quipu_event *event, const char *name, bool *is_there) {
    struct quipu__detail detail;
    for (size_t i = 0; i < quipu__detail_count(event); i++) {
        *is_there = quipu__detail_at(&definitions, event, i, &detail);
        if (strcmp(detail.name, name) == 0)
            return detail;
    }
    fail_msg("no %s", name);
    return detail;
}

/* Locations are named, tags have a sign, what is unknown is not there. */
static void test_details_of_a_message(void **state) {
    const struct quipu_event send = {
        .kind = QUIPU_KIND_send, .peer = 1, .group = QUIPU_NONE, .tag = -1, .bytes = 300, .id = QUIPU_UNKNOWN};
    bool is_there;
    (void)state;
    definitions.locations = (struct quipu_locations){locations, 2};
    assert_int_equal(quipu__detail_count(&send), 5);
    assert_string_equal(detail_of(&send, "peer", &is_there).value.data, "b");
    assert_true(detail_of(&send, "tag", &is_there).value.i == -1);
    assert_true(is_there);
    assert_int_equal(detail_of(&send, "bytes", &is_there).value.u, 300);
    detail_of(&send, "communicator", &is_there);
    assert_false(is_there);
    detail_of(&send, "request", &is_there);
    assert_false(is_there);
}

/* The metric says what its values are. */
static void test_details_of_metrics(void **state) {
    struct quipu_event metric = {.kind = QUIPU_KIND_metric, .object = 0};
    const double load = 0.5;
    (void)state;
    definitions.metrics = (struct quipu_metrics){metrics, 1};
    memcpy(&metric.value, &load, sizeof load);
    const struct quipu_value value = quipu__metric_value(&definitions, &metric);
    assert_int_equal(value.type, QUIPU_VALUE_F64);
    assert_true(value.f == 0.5);
    metric.object = 9;
    assert_int_equal(quipu__metric_value(&definitions, &metric).type, QUIPU_VALUE_U64);
}

/* Attributes stand behind the fields. */
static void test_details_of_attributes(void **state) {
    static const struct quipu_attribute text[] = {
        {0, {.key = QUIPU_KEY_TEXT, .type = QUIPU_VALUE_STRING, .size = 5, .data = "hello"}}};
    const struct quipu_event note = {
        .kind = QUIPU_KIND_enter, .object = QUIPU_NONE, .attributes = text, .attribute_count = 1};
    struct quipu__detail detail;
    (void)state;
    assert_int_equal(quipu__detail_count(&note), 2);
    assert_true(quipu__detail_at(&definitions, &note, 1, &detail));
    assert_string_equal(detail.value.data, "hello");
    assert_string_equal(detail.name, quipu_key_name(&definitions, QUIPU_KEY_TEXT));
}

QUIPU_TESTS(cmocka_unit_test(test_details_of_a_message), cmocka_unit_test(test_details_of_metrics),
            cmocka_unit_test(test_details_of_attributes))
