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

static void test_writer_times_that_go_back_are_copied(void **state) {
    (void)state;
    static const char events[] = "5\n*1\nE1\n3\n*1\nL1\n3\n*1\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/a.otf", folder), "1:1\n", 4);
    harness_write(harness_text("%s/a.1.events", folder), events, strlen(events));
    convert(harness_text("%s/a.otf", folder), harness_text("%s/b.otf", folder), NULL);
    assert_string_equal(harness_read(harness_text("%s/b.1.events", folder), NULL), events);
}

/* Process ffffffff means "none": OTF's writer repeats no state of it at the end of a file, and nothing is made up. */
static void test_writer_repeats_no_state_of_no_process(void **state) {
    (void)state;
    static const char events[] = "5\n*1\nE1\n7\n*ffffffff\nE2\n";
    static const char only[] = "5\n*ffffffff\nE2\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/a.otf", folder), "1:1\n2:2\n", 8);
    harness_write(harness_text("%s/a.1.events", folder), events, strlen(events));
    harness_write(harness_text("%s/a.2.events", folder), only, strlen(only));
    convert(harness_text("%s/a.otf", folder), harness_text("%s/b.otf", folder), NULL);
    assert_string_equal(harness_read(harness_text("%s/b.1.events", folder), NULL), events);
    assert_string_equal(harness_read(harness_text("%s/b.2.events", folder), NULL), only);
}

static void test_writer_lines_that_are_no_records_are_copied(void **state) {
    (void)state;
    static const char events[] = "5\n*1\nE1\nQ what is this\nE1 junk\nL1\n5\n*1\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/a.otf", folder), "# ours\n1:1\n", 11);
    harness_write(harness_text("%s/a.1.events", folder), events, strlen(events));
    convert(harness_text("%s/a.otf", folder), harness_text("%s/b.otf", folder), NULL);
    assert_string_equal(harness_read(harness_text("%s/b.1.events", folder), NULL), events);
    assert_string_equal(harness_read(harness_text("%s/b.otf", folder), NULL), "# ours\n1:1\n");
}

/* ---- Files ---- */

static void test_writer_refuses_to_overwrite_and_replaces_all_of_a_trace(void **state) {
    (void)state;
    const char *folder = harness_folder(), *to = harness_text("%s/t.otf", folder);
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    convert(harness_data("otf/small.otf"), to, NULL);
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    assert_int_equal(quipu_convert(reader, to, "otf", NULL, NULL, NULL), QUIPU_EXISTS);
    quipu_reader_close(reader);
    options.writer.replace = true;
    options.writer.compression = 1;
    convert(harness_data("otf/small.otf"), to, &options);
    assert_false(harness_exists(harness_text("%s/t.1.events", folder))); /* would be read before t.1.events.z */
    assert_true(harness_exists(harness_text("%s/t.1.events.z", folder)));
}

static void test_writer_thousands_of_streams_need_few_files(void **state) {
    (void)state;
    enum { STREAMS = 2000 };
    const char *folder = harness_folder();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_reader_options few = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_event event;
    char *text = malloc(STREAMS * 40);
    size_t len = 0;
    assert_non_null(text);
    for (unsigned i = 1; i <= STREAMS; i++) {
        static const char events[] = "5\n*%x\nE1\n7\n*%x\nL1\n7\n*%x\n";
        const char *contents = harness_text(events, i, i, i);
        len += (size_t)snprintf(text + len, 40, "%x:%x\n", i, i);
        harness_write(harness_text("%s/t.%x.events", folder, i), contents, strlen(contents));
    }
    harness_write(harness_text("%s/t.otf", folder), text, len);
    free(text);
    few.file_limit = 16;
    options.writer.file_limit = 16;
    options.selected = true; /* through events */
    assert_int_equal(quipu_reader_open(folder, &few, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_convert(reader, harness_text("%s/u.otf", folder), "otf", &options, NULL, NULL),
                     QUIPU_OK);
    quipu_reader_close(reader);
    assert_int_equal(quipu_reader_open(harness_text("%s/u.otf", folder), &few, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_reader_definitions(reader)->locations.count, STREAMS);
    unsigned count = 0;
    int64_t last = 0;
    for (; quipu_reader_next(reader, &event, NULL) == QUIPU_OK; last = event.time, count++)
        assert_true(event.time >= last);
    assert_int_equal(count, 2 * STREAMS);
    quipu_reader_close(reader);
}

/* ---- Events ---- */

/* All events of a trace as text, names in place of numbers, in time order. */
static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    char **text = context;
    (void)err;
    *text = harness_text("%s%.*s", *text, (int)size, (const char *)data);
    return QUIPU_OK;
}

static const char *events_of(const char *path) {
    struct quipu_reader *reader = open_trace(path);
    struct quipu_event event;
    char *text = harness_text(" ");
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        assert_int_equal(quipu_event_write_text(quipu_reader_definitions(reader), &event,
                                                (struct quipu_sink){append, &text}, NULL),
                         QUIPU_OK);
    quipu_reader_close(reader);
    return text;
}

static void test_writer_events_come_back_as_they_were(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.selected = true;
    options.writer.settings = &spelled_out;
    for (uint32_t streams = 0; streams < 3; streams++) {
        const char *to = harness_text("%s/t%" PRIu32 ".otf", folder, streams);
        options.writer.streams = streams;
        options.writer.setting_count = streams == 1;
        convert(harness_data("otf/small.otf"), to, &options);
        const char *before = events_of(harness_data("otf/small.otf")), *after = events_of(to);
        /* Whole collective operations come back as a beginning and an end with a number of their own. */
        const char *rest =
            strstr(before, "collective_begin region=MPI_Barrier operation=barrier root=Process 0");
        assert_non_null(rest);
        assert_memory_equal(before, after, (size_t)(rest - before));
    }
}

static void test_writer_shares_streams_in_consecutive_blocks(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.writer.streams = 2;
    convert(harness_data("otf/small.otf"), harness_text("%s/t.otf", folder), &options);
    assert_string_equal(harness_read(harness_text("%s/t.otf", folder), NULL), "1:1,2\n2:3\n");
}

static void test_writer_drops_and_counts_what_it_cannot_say(void **state) {
    (void)state;
    struct quipu_writer *writer;
    const char *path = harness_text("%s/t.otf", harness_folder());
    static const struct quipu_location offsets[] = {
        {.native_id = 0, .name = "a", .parent = QUIPU_NONE, .host = ""},
        {.native_id = 1, .name = "b", .parent = QUIPU_NONE, .host = ""}};
    static const struct quipu_attribute_key keys[] = {
        {.native_id = 5, .name = "k", .doc = "", .type = QUIPU_VALUE_U32}};
    static const struct quipu_attribute attributes[] = {{0, {.key = 0, .type = QUIPU_VALUE_U32, .u = 6}},
                                                        {2, {.key = 0, .type = QUIPU_VALUE_U32, .u = 7}}};
    struct quipu_definitions definitions = {.locations = {offsets, 2}, .attribute_keys = {keys, 1}};
    int64_t time[] = {-5, 1, 2};
    uint8_t kind[] = {QUIPU_KIND_leave, QUIPU_KIND_send, QUIPU_KIND_send};
    uint32_t location[] = {0, 0, 0}, object[] = {QUIPU_NONE, 0, 0}, peer[] = {0, QUIPU_NONE, 1},
             group[3] = {QUIPU_NONE, QUIPU_NONE, QUIPU_NONE};
    int64_t tag[] = {0, 1, 2};
    uint64_t at[3] = {0}, bytes[] = {0, 8, UINT64_C(1) << 40};
    const struct quipu_batch batch = {.count = 3,
                                      .capacity = 3,
                                      .time = time,
                                      .kind = kind,
                                      .location = location,
                                      .byte_offset = at,
                                      .object = object,
                                      .peer = peer,
                                      .group = group,
                                      .tag = tag,
                                      .bytes = bytes,
                                      .operation = object,
                                      .value = at,
                                      .id = at,
                                      .attributes = attributes,
                                      .attribute_count = 2};
    assert_int_equal(quipu_writer_create(path, quipu_format_find("otf"), NULL, &writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_define(writer, &definitions, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_put_batch(writer, &batch, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_dropped(writer, QUIPU_KIND_leave), 1);
    assert_int_equal(quipu_writer_dropped(writer, QUIPU_KIND_send), 1);
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    /* Tokens are indexes plus 1, since 0 cannot be one; the length is cut to 32 bits. */
    const char *events = harness_read(harness_text("%.*s.1.events", (int)strlen(path) - 4, path), NULL);
    assert_string_equal(events, "2\n*1\nK5Y6V7\nS2Lffffffff"
                                "T2C0\n2\n*1\n");
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
            cmocka_unit_test(test_writer_times_that_go_back_are_copied),
            cmocka_unit_test(test_writer_repeats_no_state_of_no_process),
            cmocka_unit_test(test_writer_lines_that_are_no_records_are_copied),
            cmocka_unit_test(test_writer_refuses_to_overwrite_and_replaces_all_of_a_trace),
            cmocka_unit_test(test_writer_thousands_of_streams_need_few_files),
            cmocka_unit_test(test_writer_events_come_back_as_they_were),
            cmocka_unit_test(test_writer_shares_streams_in_consecutive_blocks),
            cmocka_unit_test(test_writer_drops_and_counts_what_it_cannot_say),
            cmocka_unit_test(test_writer_tools_of_otf_agree_with_the_golden_profiles))
