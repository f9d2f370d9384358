/* test_define_model.c: definitions of the files as definitions of the model. */
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

QUIPU_TESTS(cmocka_unit_test(test_define_model_has_the_definitions_of_the_files))
