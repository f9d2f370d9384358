/* Writing OTF traces: records without loss, events back and forth, and what OTF's own tools make of the results. */
#include "harness.h"

#include <dirent.h>
#include <inttypes.h>

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    return reader;
}

static void convert(const char *from, const char *to, const struct quipu_convert_options *options) {
    struct quipu_reader *reader = open_trace(from);
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_convert(reader, to, "otf", options, NULL, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    quipu_reader_close(reader);
}

static void assert_same_file(const char *left, const char *right) {
    size_t left_size, right_size;
    const char *a = harness_read(left, &left_size), *b = harness_read(right, &right_size);
    if (left_size != right_size || memcmp(a, b, left_size) != 0)
        fail_msg("%s and %s differ", left, right);
}

/* Calls compare for each part of a trace. */
static void compare_files(const char *from_folder, const char *name, const char *to_folder) {
    DIR *listing = opendir(from_folder);
    unsigned count = 0;
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (strncmp(entry->d_name, name, strlen(name)) != 0 || entry->d_name[strlen(name)] != '.')
            continue;
        assert_same_file(harness_text("%s/%s", from_folder, entry->d_name),
                         harness_text("%s/%s", to_folder, entry->d_name));
        count++;
    }
    closedir(listing);
    assert_true(count >= 2);
}

/* ---- Records ---- */

static void test_writer_copies_have_the_same_bytes(void **state) {
    (void)state;
    const char *folder = harness_folder();
    convert(harness_data("otf/small.otf"), harness_text("%s/small.otf", folder), NULL);
    compare_files(harness_data("otf"), "small", folder);
}

static const struct quipu_setting spelled_out = {"long", "yes"};

/* needs: shared */
static void test_writer_golden_plain_traces_are_copied_byte_by_byte(void **state) {
    (void)state;
    static const char *const short_form[] = {"g01", "g03", "g05", "g07", "g11", "g12", "g13",
                                             "g14", "g16", "g17", "g20", "e02", "e04", "e09",
                                             "e12", "m01", "x01", "x02", "x03", "s01", "v01"};
    static const char *const long_form[] = {"g02", "g04", "g06", "g08", "g18", "m02"};
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.writer.settings = &spelled_out;
    const char *golden = harness_shared("traces/otf");
    for (int is_long = 0; is_long < 2; is_long++) {
        const char *const *names = is_long ? long_form : short_form;
        const size_t count =
            is_long ? sizeof long_form / sizeof *long_form : sizeof short_form / sizeof *short_form;
        options.writer.setting_count = (size_t)is_long;
        for (size_t i = 0; i < count; i++) {
            const char *folder = harness_folder(), *from = harness_text("%s/%s", golden, names[i]);
            convert(harness_text("%s/%s.otf", from, names[i]), harness_text("%s/%s.otf", folder, names[i]),
                    &options);
            DIR *listing = opendir(folder);
            assert_non_null(listing);
            for (struct dirent *entry; (entry = readdir(listing));)
                if (entry->d_name[0] != '.')
                    assert_same_file(harness_text("%s/%s", from, entry->d_name),
                                     harness_text("%s/%s", folder, entry->d_name));
            closedir(listing);
        }
    }
}

static void test_writer_compressed_and_long_copies_hold_the_same_records(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.writer.compression = 6;
    options.writer.settings = &spelled_out;
    options.writer.setting_count = 1;
    convert(harness_data("otf/small.otf"), harness_text("%s/z.otf", folder), &options);
    assert_true(harness_exists(harness_text("%s/z.1.events.z", folder)));
    assert_false(harness_exists(harness_text("%s/z.1.events", folder)));
    convert(harness_text("%s/z.otf", folder), harness_text("%s/small.otf", folder), NULL);
    compare_files(harness_data("otf"), "small", folder);
}

/* ---- OTF's own tools ---- */

/* needs: shared */
static void test_writer_tools_of_otf_agree_with_the_golden_profiles(void **state) {
    (void)state;
    static const char *const names[] = {"g17", "g18", "g20", "g21", "x01", "v01", "hello_world", "s01", "m02"};
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.writer.settings = &spelled_out;
    const char *golden = harness_shared("traces/otf");
    if (harness_run("command -v otfprofile otfprint otfinfo-trace").code != 0)
        skip();
    options.selected = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *folder = harness_folder();
        convert(harness_text("%s/%s/%s.otf", golden, names[i], names[i]), harness_text("%s/t.otf", folder),
                &options);
        struct harness_run run =
            harness_run("cd %s && otfprofile --csv --notex -i t.otf -o p && sort p.csv", folder);
        assert_int_equal(run.code, 0);
        assert_string_equal(strstr(run.out, "\n"),
                            strstr(harness_run("cd %s && sort p.csv", folder).out, "\n"));
        const struct harness_run expected = harness_run("sort %s/%s/otfprofile.csv", golden, names[i]);
        assert_string_equal(harness_run("sort %s/p.csv", folder).out, expected.out);
        assert_int_equal(harness_run("cd %s && otfprint t.otf && otfinfo-trace -a t.otf", folder).code, 0);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes),
            cmocka_unit_test(test_writer_golden_plain_traces_are_copied_byte_by_byte),
            cmocka_unit_test(test_writer_compressed_and_long_copies_hold_the_same_records),
            cmocka_unit_test(test_writer_tools_of_otf_agree_with_the_golden_profiles))
