/* test_writer.c: what is written for Paraver, byte by byte. */
#include "formats/foreign.h"

static const char *folder;

static const char *file_of_trace(const char *name) {
    return harness_read(harness_text("%s/%s", folder, name), NULL);
}

/* The lines of a trace; its other files are beside them. */
static const char *lines_of(const struct fake_trace *trace) {
    struct quipu_reader *reader = fake_reader(trace);
    folder = harness_folder();
    assert_int_equal(quipu_convert(reader, harness_text("%s/out.prv", folder), "paraver", NULL, NULL, NULL),
                     QUIPU_OK);
    quipu_reader_close(reader);
    return file_of_trace("out.prv");
}

static const char *values_of(const char *pcf) {
    return strstr(pcf, "\n\nEVENT_TYPE");
}

static void test_writer_writes_values_and_messages(void **state) {
    (void)state;
    assert_string_equal(lines_of(&small_trace),
                        "#Paraver (19/01/38 at 03:14):00000000000001000045_ns:0:1:1(0000000002:1)\n"
                        "2:0:1:1:1:15:1000:2\n"
                        "3:0:1:1:1:1025:1025:0:1:1:2:1035:1035:100:-5\n"
                        "2:0:1:1:1:1000030:2000000000:300\n"
                        "2:0:1:1:1:1000045:1000:0\n");
}

static void test_writer_names_what_is_used_and_rows(void **state) {
    (void)state;
    lines_of(&small_trace);
    assert_string_equal(values_of(file_of_trace("out.pcf")),
                        "\n\nEVENT_TYPE\n0 1000       Region: function\nVALUES\n"
                        "0    None\n2    region 1\n"
                        "\n\nEVENT_TYPE\n0 2000000000 metric 0\nVALUES\n");
    assert_string_equal(file_of_trace("out.row"),
                        "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\nrank 0\nrank 1\n");
}

static void test_writer_of_nothing_writes_the_head_still(void **state) {
    (void)state;
    assert_string_equal(lines_of(&empty_trace),
                        "#Paraver (19/01/38 at 03:14):00000000000000000000_ns:0:1:1(0000000000:1)\n");
    assert_null(values_of(file_of_trace("out.pcf")));
}

/* Region 1 is entered twice, region 0 lies between. Each end is a line: without it the value 2 at time 2 could be an end, too. */
static void test_writer_shows_the_enclosing_region_again(void **state) {
    static const struct quipu_event rows[] = {
        {.time = 0, .kind = QUIPU_KIND_enter, .object = 1},
        {.time = 1, .kind = QUIPU_KIND_enter, .object = 0},
        {.time = 2, .kind = QUIPU_KIND_enter, .object = 1},
        {.time = 3, .kind = QUIPU_KIND_leave, .object = 1},
        {.time = 4, .kind = QUIPU_KIND_leave, .object = 0},
        {.time = 5, .kind = QUIPU_KIND_leave, .object = QUIPU_NONE},
    };
    static const struct fake_stream stream = {rows, COUNT(rows), 1};
    static const struct fake_trace trace = {&stream, 1, 1, 2, 0, 0};
    (void)state;
    assert_string_equal(strchr(lines_of(&trace), '\n'), "\n2:0:1:1:1:0:1000:2\n"
                                                        "2:0:1:1:1:1:1000:1\n"
                                                        "2:0:1:1:1:2:1000:2\n"
                                                        "2:0:1:1:1:3:1000:0\n"
                                                        "2:0:1:1:1:3:1000:1\n"
                                                        "2:0:1:1:1:4:1000:0\n"
                                                        "2:0:1:1:1:4:1000:2\n"
                                                        "2:0:1:1:1:5:1000:0\n");
}

static void test_writer_ends_at_the_largest_time(void **state) {
    static const struct quipu_event rows[] = {
        {.time = INT64_MIN / 2, .kind = QUIPU_KIND_enter, .object = 0},
        {.time = INT64_MAX - 1, .kind = QUIPU_KIND_leave, .object = 0},
    };
    static const struct fake_stream stream = {rows, COUNT(rows), 1};
    static const struct fake_trace trace = {&stream, 1, 1, 1, 0, 0};
    (void)state;
    assert_string_equal(strchr(lines_of(&trace), '\n'), "\n2:0:1:1:1:0:1000:1\n"
                                                        "2:0:1:1:1:9223372036854775807:1000:0\n");
}

/* What a collective operation and one on a file say, types and values as in types.def; unknown columns are left out. */
static void test_writer_shows_operations_until_their_end(void **state) {
    static const struct quipu_event rows[] = {
        {.time = 0,
         .kind = QUIPU_KIND_collective_begin,
         .object = QUIPU_NONE,
         .operation = QUIPU_COLLECTIVE_BARRIER,
         .peer = QUIPU_NONE,
         .group = QUIPU_NONE,
         .bytes = 8,
         .value = QUIPU_UNKNOWN},
        {.time = 7, .kind = QUIPU_KIND_collective_end, .object = QUIPU_NONE},
        {.time = 9,
         .kind = QUIPU_KIND_io_begin,
         .object = QUIPU_NONE,
         .operation = QUIPU_IO_READ,
         .bytes = 64,
         .value = 4096},
        {.time = 11, .kind = QUIPU_KIND_io_end, .object = QUIPU_NONE},
    };
    static const struct fake_stream stream = {rows, COUNT(rows), 1};
    static const struct fake_trace trace = {&stream, 1, 1, 0, 0, 0};
    (void)state;
    assert_string_equal(strchr(lines_of(&trace), '\n'), "\n2:0:1:1:1:0:2000:2\n"
                                                        "2:0:1:1:1:0:2003:8\n"
                                                        "2:0:1:1:1:7:2000:0\n"
                                                        "2:0:1:1:1:9:2020:4\n"
                                                        "2:0:1:1:1:9:2022:64\n"
                                                        "2:0:1:1:1:9:2023:4096\n"
                                                        "2:0:1:1:1:11:2020:0\n");
    assert_non_null(
        strstr(file_of_trace("out.pcf"), "\n0 2000       Collective operation\nVALUES\n0    None\n"));
    assert_non_null(strstr(file_of_trace("out.pcf"), "\n4    read\n"));
}

static void test_writer_drops_messages_with_one_end(void **state) {
    static const struct quipu_event rows[] = {
        {.time = 3, .kind = QUIPU_KIND_send, .peer = 1, .group = QUIPU_NONE, .bytes = 8, .id = QUIPU_UNKNOWN}};
    static const struct fake_stream stream = {rows, COUNT(rows), 1};
    static const struct fake_trace trace = {&stream, 1, 2, 0, 0, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_conversion_report *report;
    (void)state;
    const char *path = harness_text("%s/out.prv", harness_folder());
    assert_int_equal(quipu_convert(reader, path, "paraver", NULL, &report, NULL), QUIPU_OK);
    assert_int_equal(quipu_conversion_report_dropped(report), 1);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    assert_null(strstr(harness_read(path, NULL), "\n3:"));
}

QUIPU_TESTS(cmocka_unit_test(test_writer_writes_values_and_messages),
            cmocka_unit_test(test_writer_names_what_is_used_and_rows),
            cmocka_unit_test(test_writer_of_nothing_writes_the_head_still),
            cmocka_unit_test(test_writer_shows_the_enclosing_region_again),
            cmocka_unit_test(test_writer_ends_at_the_largest_time),
            cmocka_unit_test(test_writer_shows_operations_until_their_end),
            cmocka_unit_test(test_writer_drops_messages_with_one_end))
