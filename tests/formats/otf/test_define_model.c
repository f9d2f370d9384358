/* test_define_model.c: definitions of the files as definitions of the model. */
#include "analysis/programs.h"

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

static void test_define_model_has_the_definitions_of_the_files(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    assert_int_equal(d->clock.ticks_per_second, 1000000);
    assert_string_equal(quipu_reader_variant(reader), "1.12.5");
    assert_int_equal(d->locations.count, 3);
    assert_string_equal(d->locations.items[1].name, "Thread 0:1");
    assert_int_equal(d->locations.items[1].kind, QUIPU_LOCATION_THREAD);
    assert_int_equal(d->locations.items[1].parent, 0);
    assert_int_equal(d->locations.items[2].rank, 1);
    assert_int_equal(d->locations.items[2].native_id, 3);
    assert_int_equal(d->regions.count, 5);
    assert_string_equal(d->regions.items[1].group, "MPI");
    assert_int_equal(d->regions.items[0].role, QUIPU_REGION_FUNCTION);
    assert_int_equal(d->regions.items[1].role, QUIPU_REGION_MPI_P2P);
    assert_int_equal(d->regions.items[3].role, QUIPU_REGION_MPI_COLLECTIVE);
    assert_int_equal(d->regions.items[0].source, 0);
    assert_string_equal(d->sources.items[0].file, "src/main.c");
    assert_int_equal(d->sources.items[0].line, 42);
    assert_int_equal(d->groups.count, 1);
    assert_true(d->groups.items[0].is_communicator);
    assert_int_equal(d->groups.items[0].member_count, 2);
    assert_int_equal(d->groups.items[0].members[1], 2);
    assert_string_equal(d->files.items[0].group, "scratch");
    assert_int_equal(d->metrics.items[0].mode, QUIPU_METRIC_ACCUMULATED);
    assert_int_equal(d->metrics.items[1].value, QUIPU_METRIC_F64);
    assert_int_equal(d->metrics.items[1].mode, QUIPU_METRIC_NEXT);
    assert_int_equal(d->metrics.items[3].value, QUIPU_METRIC_I64);
    assert_int_equal(d->markers.items[0].severity, 3);
    assert_int_equal(d->attribute_keys.items[1].type, QUIPU_VALUE_BYTES);
    quipu_reader_close(reader);
}

/* Two processes and a thread of the first one on hosts a, b and a. No event uses a communicator. A key of
 * attributes that is named as that of hosts has nothing to do with them. */
static void test_define_model_has_hosts_and_communicators_that_no_event_uses(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..1:work", "0..1:work", "@0 0..1:work"}, .groups = {"1"}, .hosts = "aba"};
    const char *path = harness_text("%s/hosts.otf", harness_folder());
    struct quipu_reader *reader = program_reader(&program, 1);
    struct quipu_definitions given = *quipu_reader_definitions(reader);
    struct quipu_attribute_key key = {.native_id = 1, .name = "host", .doc = "", .type = QUIPU_VALUE_U32};
    const struct quipu_attribute attribute = {.value = {.key = 0, .type = QUIPU_VALUE_U32, .u = 7}};
    const struct quipu_event event = {
        .time = 1, .kind = QUIPU_KIND_enter, .location = 1, .attributes = &attribute, .attribute_count = 1};
    struct quipu_writer *writer;
    given.attribute_keys.items = &key;
    given.attribute_keys.count = 1;
    assert_int_equal(quipu_writer_create(path, quipu_format_find("otf"), NULL, &writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_define(writer, &given, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_put_event(writer, &event, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    quipu_reader_close(reader);
    reader = open_trace(path);
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    assert_int_equal(d->locations.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(d->locations.items[i].host, i == 1 ? "b" : "a");
    assert_int_equal(d->locations.items[2].parent, 0);
    assert_int_equal(d->groups.count, 2);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_define_model_has_the_definitions_of_the_files),
            cmocka_unit_test(test_define_model_has_hosts_and_communicators_that_no_event_uses))
