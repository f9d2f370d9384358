/* test_stream_assignment.c: which stream a process is in. */
#include "harness.h"

#include "formats/otf/writer.h"

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

static void test_stream_assignment_in_consecutive_blocks(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.writer.streams = 2;
    convert(harness_data("otf/small.otf"), harness_text("%s/t.otf", folder), &options);
    assert_string_equal(harness_read(harness_text("%s/t.otf", folder), NULL), "1:1,2\n2:3\n");
}

/* Seven processes in three streams: three, two and two, in the order of the streams that they were in. One that nothing names comes last. */
static void test_stream_assignment_distributes_processes(void **state) {
    static const uint32_t processes[] = {1, 9, 3, 4, 5, 6, 7};
    struct quipu__memory memory;
    struct quipu__otf_assignment assignment;
    struct quipu__buffer out;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    quipu__otf_assignment_init(&assignment, &memory);
    for (uint32_t i = 0; i < 7; i++) {
        struct {
            struct quipu_sized head;
            uint32_t process;
        } list = {{.count = 1}, processes[i]};
        const struct quipu__otf_MasterStream line = {.stream = i + 1, .processes = &list.process};
        assert_true(quipu__otf_assignment_add(&assignment, &line));
    }
    assert_true(quipu__otf_distribute(&assignment, 3, NULL));
    quipu__otf_put_mapping(&out, assignment.mapping.items, assignment.mapping.count);
    assert_int_equal(out.len, strlen("1:1,9,3\n2:4,5\n3:6,7\n"));
    assert_memory_equal(out.data, "1:1,9,3\n2:4,5\n3:6,7\n", out.len);
    assert_int_equal(quipu__otf_assigned_stream(&assignment, 5), 2);
    assert_int_equal(quipu__otf_assigned_stream(&assignment, 77), 3);
    assert_int_equal(quipu__otf_assigned_stream(&assignment, 77), 3);
    assert_int_equal(assignment.mapping.count, 8);
    quipu__otf_assignment_release(&assignment);
    quipu__buffer_release(&out);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_stream_assignment_distributes_processes),
            cmocka_unit_test(test_stream_assignment_in_consecutive_blocks))
