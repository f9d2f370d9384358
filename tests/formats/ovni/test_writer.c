/* test_writer.c: records of a trace as a trace of the newest layout. */
#include "traces.h"

static const char *copied(const char *path, const char *layout) {
    const char *out = harness_text("%s/copy.ovni", harness_folder());
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    const struct quipu_setting setting = {"layout", layout};
    struct quipu_reader *reader = made_reader(path);
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.writer.settings = &setting;
    options.writer.setting_count = layout ? 1 : 0;
    if (quipu_convert(reader, out, "ovni", &options, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    return out;
}

static void test_writer_copies_of_the_newest_layout_are_the_same(void **state) {
    const char *path =
        MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 1 VYc + i1 swork; 9 OHe"});
    const char *table = "rank host median mean std\n0 node 10 0 0\n";
    size_t size, copied_size;
    (void)state;
    harness_write(harness_text("%s/clock-offsets.txt", path), table, strlen(table));
    const char *copy = copied(path, NULL), *bytes = harness_read(made_file(path, 11), &size);
    const char *other = harness_read(made_file(copy, 11), &copied_size);
    assert_int_equal(size, copied_size);
    assert_memory_equal(bytes, other, size);
    assert_string_equal(harness_read(harness_text("%s/clock-offsets.txt", copy), NULL), table);
    assert_string_equal(show(copy).rules, "");
}

/* Bodies without number get 0, events of models that are gone are left out; what belonged to the process goes to the thread. */
static void test_writer_upgrades_older_layouts(void **state) {
    const char *old =
        made_old(QUIPU__OVNI_LAYOUT_RAW, true,
                 "0 OHx i0 i-1 q0; 1 VYc + i1 sw; 2 VTc i5 i1; 3 VTx i5; 4 TS[; 5 TS]; 6 VTe i5; 9 OHe");
    const char *copy = copied(old, NULL), *stream = harness_text("%s/loom.n.1/proc.7/thread.8", copy);
    (void)state;
    assert_string_equal(
        text_of_stream(harness_text("%s/stream.obs", stream)),
        "0 OHx x00000000ffffffff0000000000000000; 1 VYc + x010000007700; 2 VTc x0500000001000000; "
        "3 VTx x0500000000000000; 6 VTe x0500000000000000; 9 OHe");
    json_t *metadata = json_loads(harness_read(harness_text("%s/stream.json", stream), NULL), 0, NULL);
    const json_t *ovni = json_object_get(metadata, "ovni");
    assert_int_equal((int)json_number_value(json_object_get(metadata, "version")), 3);
    assert_int_equal((int)json_number_value(json_object_get(ovni, "tid")), 8);
    assert_int_equal((int)json_number_value(json_object_get(ovni, "finished")), 1);
    assert_int_equal(json_array_size(json_object_get(ovni, "loom_cpus")), 1);
    assert_string_equal(json_string_value(json_object_get(json_object_get(ovni, "require"), "nosv")), "2.7.0");
    assert_null(json_object_get(json_object_get(ovni, "require"), "tampi"));
    json_decref(metadata);
    assert_string_equal(show(copy).rules, "");
}

static void test_writer_retains_the_layout_where_that_is_asked_for(void **state) {
    const char *old = made_old(QUIPU__OVNI_LAYOUT_RAW, true, "0 OHx i0 i-1 q0; 3 TS[; 4 TS]; 9 OHe");
    const char *copy = copied(old, "as-read"), *name = "loom.n.1/proc.7/thread.8";
    size_t size, copied_size;
    (void)state;
    const char *bytes = harness_read(harness_text("%s/%s", old, name), &size);
    const char *other = harness_read(harness_text("%s/%s", copy, name), &copied_size);
    assert_int_equal(size, copied_size);
    assert_memory_equal(bytes, other, size);
    assert_true(harness_exists(harness_text("%s/loom.n.1/proc.7/metadata.json", copy)));
}

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_of_the_newest_layout_are_the_same),
            cmocka_unit_test(test_writer_upgrades_older_layouts),
            cmocka_unit_test(test_writer_retains_the_layout_where_that_is_asked_for))
