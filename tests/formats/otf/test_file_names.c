/* test_file_names.c: what the name of a file says. */
#include "harness.h"

#include "formats/otf/file_names.h"

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

static uint64_t count_records(struct quipu_reader *reader) {
    struct quipu_record record;
    uint64_t count = 0;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        count++;
    return count;
}

static void test_file_names_of_master_folder_and_part(void **state) {
    (void)state;
    static const char *const names[] = {"otf/small.otf", "otf/small.1.events", "otf/small.0.def", "otf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct quipu_reader *reader = open_trace(harness_data(names[i]));
        assert_int_equal(quipu_reader_stream_count(reader), 7);
        assert_int_equal(count_records(reader), 70);
        quipu_reader_close(reader);
    }
}

static void test_file_names_stub_when_told_the_format(void **state) {
    (void)state;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    const char *path = harness_data("otf/small.otf");
    options.format = "otf";
    assert_int_equal(
        quipu_reader_open(harness_text("%.*s", (int)strlen(path) - 4, path), &options, &reader, NULL),
        QUIPU_OK);
    assert_int_equal(count_records(reader), 70);
    quipu_reader_close(reader);
}

/* NAME.<hexadecimal number>.<kind>, with .z or without; the number has eight digits at most. */
static void test_file_names_are_taken_apart(void **state) {
    static const struct {
        const char *path;
        size_t stub_len; /* 0: it is no such name */
        uint32_t id;
        enum quipu__otf_file file;
        bool compressed;
    } names[] = {{"a/x.otf", 3, 0, QUIPU__OTF_MASTER, false},
                 {"a/x.1f.events", 3, 0x1f, QUIPU__OTF_EVENTS, false},
                 {"x.0.def.z", 1, 0, QUIPU__OTF_DEFINITIONS, true},
                 {"x.y.2.snaps", 3, 2, QUIPU__OTF_SNAPSHOTS, false},
                 {"x.ffffffff.stats", 1, UINT32_MAX, QUIPU__OTF_STATISTICS, false},
                 {"x.0.marker", 1, 0, QUIPU__OTF_MARKERS, false},
                 {"x.100000000.events", 0, 0, QUIPU__OTF_EVENTS, false},
                 {"x.events", 0, 0, QUIPU__OTF_EVENTS, false},
                 {"x.g.events", 0, 0, QUIPU__OTF_EVENTS, false},
                 {"x.1.event", 0, 0, QUIPU__OTF_EVENTS, false}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct quipu__otf_name found;
        if (quipu__otf_parse_name(names[i].path, &found) != (names[i].stub_len > 0))
            fail_msg("%s", names[i].path);
        if (names[i].stub_len == 0)
            continue;
        assert_int_equal(found.stub_len, names[i].stub_len);
        assert_int_equal(found.id, names[i].id);
        assert_int_equal(found.file, names[i].file);
        assert_int_equal(found.compressed, names[i].compressed);
    }
    assert_string_equal(quipu__otf_kind_name(QUIPU__OTF_SNAPSHOTS), "snaps");
}

QUIPU_TESTS(cmocka_unit_test(test_file_names_are_taken_apart),
            cmocka_unit_test(test_file_names_of_master_folder_and_part),
            cmocka_unit_test(test_file_names_stub_when_told_the_format))
