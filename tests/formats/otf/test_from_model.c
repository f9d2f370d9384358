/* test_from_model.c: events of any format as records. */
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

static const struct quipu_setting spelled_out = {"long", "yes"};

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

static void test_from_model_events_come_back_as_they_were(void **state) {
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

static void test_from_model_drops_and_counts_what_it_cannot_say(void **state) {
    (void)state;
    struct quipu_writer *writer;
    const char *path = harness_text("%s/t.otf", harness_folder());
    static const struct quipu_location offsets[] = {
        {.native_id = 0, .name = "a", .parent = QUIPU_NONE, .host = ""},
        {.native_id = 1, .name = "b", .parent = QUIPU_NONE, .host = ""}};
    static const struct quipu_attribute_key keys[] = {
        {.native_id = 5, .name = "k", .doc = "", .type = QUIPU_VALUE_U32},
        {.native_id = QUIPU_UNKNOWN, .name = "asked", .doc = "", .type = QUIPU_VALUE_U32},
        {.native_id = QUIPU_UNKNOWN, .name = "type", .doc = "", .type = QUIPU_VALUE_U32}};
    static const struct quipu_attribute attributes[] = {{0, {.key = 0, .type = QUIPU_VALUE_U32, .u = 6}},
                                                        {2, {.key = 0, .type = QUIPU_VALUE_U32, .u = 7}},
                                                        {2, {.key = 1, .type = QUIPU_VALUE_U32, .u = 8}},
                                                        {2, {.key = 2, .type = QUIPU_VALUE_U32, .u = 9}}};
    struct quipu_definitions definitions = {.locations = {offsets, 2}, .attribute_keys = {keys, 3}};
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
                                      .attribute_count = 4};
    assert_int_equal(quipu_writer_create(path, quipu_format_find("otf"), NULL, &writer, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_define(writer, &definitions, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_put_batch(writer, &batch, NULL), QUIPU_OK);
    assert_int_equal(quipu_writer_dropped(writer, QUIPU_KIND_leave), 0);
    assert_int_equal(quipu_writer_approximated(writer, QUIPU_KIND_leave),
                     1); /* at the first time that there is */
    assert_int_equal(quipu_writer_dropped(writer, QUIPU_KIND_send), 1);
    assert_int_equal(quipu_writer_close(writer, NULL), QUIPU_OK);
    /* Tokens are indexes plus 1, since 0 cannot be one; the length is cut to 32 bits. A key without a number of its
     * own has the token after those that have one, unless it is a field of the record. */
    const char *events = harness_read(harness_text("%.*s.1.events", (int)strlen(path) - 4, path), NULL);
    assert_string_equal(events, "0\n*1\nK5Y6V6\nL\n2\n*1\nK5Y6V7\nK6Y6V8\nS2Lffffffff"
                                "T2C0\n2\n*1\n");
}

QUIPU_TESTS(cmocka_unit_test(test_from_model_events_come_back_as_they_were),
            cmocka_unit_test(test_from_model_drops_and_counts_what_it_cannot_say))
