/* test_printer.c: times, and events as text and as JSON. */
#include "model/batches.h"

#include "model/define.h"
#include "render/time.h"

#include <quipu/printer.h>
#include <quipu/reader.h>

#include <stdlib.h>
#include <time.h>

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    memcpy(context, data, size);
    ((char *)context)[size] = '\0';
    return QUIPU_OK;
}

static void test_event_as_json_and_text(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    struct quipu__define define;
    assert_int_equal(quipu__define_init(&define, &test_memory, NULL), QUIPU_OK);
    define.definitions.clock.ticks_per_second = 1000;
    const struct quipu_location zero = {.name = "rank 0"}, one = {.name = "rank\x1b 1"};
    const struct quipu_attribute_key count = {.name = "count"};
    quipu__add_location(&define, &zero);
    quipu__add_location(&define, &one);
    quipu__add_attribute_key(&define, &count);
    char text[400];
    const struct quipu_sink sink = {collect, text};
    struct quipu_event event;
    uint32_t cursor = 0;
    quipu__batch_event(&batch->batch, 1, &cursor, &event);
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text,
                        "{\"time\": 11, \"time_ns\": 11000000, \"location\": 0, \"location_name\": \"rank 0\", "
                        "\"kind\": \"send\", \"peer\": 1, \"peer_name\": \"rank\\u001b 1\", \"communicator\": "
                        "null, \"tag\": -1, \"bytes\": 4096, \"request\": null, "
                        "\"attributes\": {\"count\": -3}}\n");
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "   0.011000000s  rank 0  send peer=rank\\x1b 1 tag=-1 bytes=4096 "
                              "count=-3\n");
    quipu__batch_event(&batch->batch, 2, &cursor, &event);
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "{\"time\": 12, \"time_ns\": 12000000, \"location\": 1, "
                              "\"location_name\": \"rank\\u001b 1\", \"kind\": \"note\", "
                              "\"text\": \"a \\\"b\\\"\", \"attributes\": {}}\n");
    quipu__define_release(&define);
    quipu__batch_free(batch);
}

static void test_event_names_the_value_of_its_channel(void **state) {
    static const struct quipu_value_label labels[] = {{2, "paused"}};
    const struct quipu_channel channel = {.name = "state", .labels = labels, .label_count = 1};
    const struct quipu_location thread = {.name = "thread"};
    struct quipu__define define;
    struct quipu_event event = {.time = 5, .kind = QUIPU_KIND_state_set, .value = 2};
    char text[400];
    const struct quipu_sink sink = {collect, text};
    (void)state;
    assert_int_equal(quipu__define_init(&define, &test_memory, NULL), QUIPU_OK);
    quipu__add_location(&define, &thread);
    quipu__add_channel(&define, &channel);
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "              5  thread  state_set channel=state value=paused\n");
    assert_int_equal(quipu_event_write_json(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(text, "\"value\": 2, \"value_name\": \"paused\""));
    event.value = (uint64_t)-9;
    assert_int_equal(quipu_event_write_text(&define.definitions, &event, sink, NULL), QUIPU_OK);
    assert_string_equal(text, "              5  thread  state_set channel=state value=-9\n");
    quipu__define_release(&define);
}

static void test_printer_leaves_out_what_is_unknown_and_nothing_before_it(void **state) {
    const struct quipu_location process = {.name = "process"};
    struct quipu__define define;
    struct quipu_event event = {.time = 5,
                                .kind = QUIPU_KIND_io_begin,
                                .object = QUIPU_NONE,
                                .operation = QUIPU_IO_OTHER,
                                .tag = -1,
                                .value = QUIPU_UNKNOWN,
                                .bytes = QUIPU_UNKNOWN,
                                .id = 7};
    char text[400];
    const struct quipu_sink sink = {collect, text};
    struct quipu_printer *printer;
    (void)state;
    assert_int_equal(quipu__define_init(&define, &test_memory, NULL), QUIPU_OK);
    quipu__add_location(&define, &process);
    assert_int_equal(quipu_printer_new(&define.definitions, NULL, sink, &printer, NULL), QUIPU_OK);
    for (int line = 0; line < 2; line++) { /* names are made for the first line and found for the second */
        assert_int_equal(quipu_printer_put(printer, &event, NULL), QUIPU_OK);
        assert_int_equal(quipu_printer_flush(printer, NULL), QUIPU_OK);
        assert_string_equal(text, "              5  process  io_begin operation=other matching=7\n");
    }
    quipu_printer_free(printer);
    quipu__define_release(&define);
}

/* By hand: 2000-02-29 was day 11016 after 1970-01-01; date -u -d @951782400 says the same. */
static void test_dates_and_durations(void **state) {
    static const struct {
        int64_t ns;
        const char *text;
    } dates[] = {{0, "1970-01-01T00:00:00.000000000Z"},
                 {INT64_C(951782400000000001), "2000-02-29T00:00:00.000000001Z"},
                 {INT64_C(951868799999999999), "2000-02-29T23:59:59.999999999Z"},
                 {INT64_C(4107542400000000000), "2100-03-01T00:00:00.000000000Z"},
                 {-1, "1969-12-31T23:59:59.999999999Z"},
                 {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
                 {INT64_MIN, "1677-09-21T00:12:43.145224192Z"}};
    static const struct {
        int64_t ns;
        enum quipu_time_unit unit;
        const char *text;
    } durations[] = {{0, QUIPU_UNIT_S, "0.000000000s"},
                     {1500000000, QUIPU_UNIT_S, "1.500000000s"},
                     {-5, QUIPU_UNIT_S, "-0.000000005s"},
                     {-1234567, QUIPU_UNIT_MS, "-1.234567ms"},
                     {1234567, QUIPU_UNIT_US, "1234.567us"},
                     {100, QUIPU_UNIT_NS, "100ns"},
                     {INT64_MAX, QUIPU_UNIT_S, "9223372036.854775807s"},
                     {INT64_MIN, QUIPU_UNIT_NS, "-9223372036854775808ns"}};
    char text[QUIPU_TIME_TEXT_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        assert_string_equal(quipu_date_text(dates[i].ns, text), dates[i].text);
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        assert_string_equal(quipu_duration_text(durations[i].ns, durations[i].unit, text), durations[i].text);
}

/* Central European time as POSIX spells it: summer time ends on 2026-10-25 at 01:00 UTC and begins on 2026-03-29 at 01:00 UTC. */
static void test_local_dates_say_what_they_are_ahead_of_utc(void **state) {
    static const struct {
        const char *zone;
        int64_t seconds;
        const char *text;
    } rows[] = {{"CET-1CEST,M3.5.0,M10.5.0/3", INT64_C(1792890000) - 1, "2026-10-25T02:59:59.000000005+02:00"},
                {"CET-1CEST,M3.5.0,M10.5.0/3", INT64_C(1792890000), "2026-10-25T02:00:00.000000005+01:00"},
                {"CET-1CEST,M3.5.0,M10.5.0/3", INT64_C(1774746000) - 1, "2026-03-29T01:59:59.000000005+01:00"},
                {"CET-1CEST,M3.5.0,M10.5.0/3", INT64_C(1774746000), "2026-03-29T03:00:00.000000005+02:00"},
                {"NST3:30", INT64_C(1792890000), "2026-10-24T21:30:00.000000005-03:30"},
                {"NST3:30", -1, "1969-12-31T20:29:59.000000005-03:30"},
                {"UTC0", 0, "1970-01-01T00:00:00.000000005+00:00"}};
    (void)state;
    struct quipu__zone zone = {.is_known = false};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[QUIPU_TIME_TEXT_BYTES];
        if (i == 0 || strcmp(rows[i].zone, rows[i - 1].zone) != 0)
            zone.is_known = false;
        setenv("TZ", rows[i].zone, 1);
        tzset();
        *quipu__put_local_date(text, rows[i].seconds * 1000000000 + 5, &zone) = '\0';
        assert_string_equal(text, rows[i].text);
    }
}

/* What a printer prints of two events at location 0, 5 ticks apart. */
static const char *print(const struct quipu_printer_options *options, bool has_origin, char text[400]) {
    const struct quipu_location zero = {.name = "a"}, one = {.name = "long name"};
    const struct quipu_region region = {.name = "f"};
    const struct quipu_event events[] = {{.time = 10, .kind = QUIPU_KIND_enter},
                                         {.time = 15, .kind = QUIPU_KIND_leave, .location = 1}};
    const struct quipu_sink sink = {collect, text};
    struct quipu__define define;
    struct quipu_printer *printer;
    text[0] = '\0';
    assert_int_equal(quipu__define_init(&define, &test_memory, NULL), QUIPU_OK);
    define.definitions.clock = (struct quipu_clock){
        .ticks_per_second = 1000, .origin = 90, .has_unix_origin = has_origin, .unix_origin_ns = 60000000000};
    quipu__add_location(&define, &zero);
    quipu__add_location(&define, &one);
    quipu__add_region(&define, &region);
    const enum quipu_status status = quipu_printer_new(&define.definitions, options, sink, &printer, NULL);
    for (size_t i = 0; i < 2 && status == QUIPU_OK; i++)
        assert_int_equal(quipu_printer_put(printer, &events[i], NULL), QUIPU_OK);
    if (status == QUIPU_OK)
        assert_int_equal(quipu_printer_flush(printer, NULL), QUIPU_OK);
    else
        assert_null(printer);
    quipu_printer_free(printer);
    quipu__define_release(&define);
    return text;
}

static void test_printer_has_times_in_each_style(void **state) {
    static const struct {
        enum quipu_time_style style;
        const char *text;
    } rows[] = {
        {QUIPU_TIME_RELATIVE,
         "   0.010000000s  a          enter region=f\n   0.015000000s  long name  leave region=f\n"},
        {QUIPU_TIME_ABSOLUTE,
         "   0.100000000s  a          enter region=f\n   0.105000000s  long name  leave region=f\n"},
        {QUIPU_TIME_TICKS,
         "             10  a          enter region=f\n             15  long name  leave region=f\n"},
        {QUIPU_TIME_DELTA,
         "  +0.000000000s  a          enter region=f\n  +0.005000000s  long name  leave region=f\n"},
        {QUIPU_TIME_WALL, "1970-01-01T00:01:00.010000000Z  a          enter region=f\n"
                          "1970-01-01T00:01:00.015000000Z  long name  leave region=f\n"},
    };
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct quipu_printer_options options = QUIPU_PRINTER_OPTIONS_INIT;
        options.time = rows[i].style;
        assert_string_equal(print(&options, true, text), rows[i].text);
    }
}

static void test_printer_refuses_what_it_cannot_print(void **state) {
    static const char *const fields[] = {"region", "nothing"};
    struct quipu_printer_options options = QUIPU_PRINTER_OPTIONS_INIT;
    char text[400];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        options.time = i == 0 ? QUIPU_TIME_WALL : QUIPU_TIME_LOCAL;
        assert_string_equal(print(&options, false, text), "");
    }
    options.time = QUIPU_TIME_RELATIVE;
    options.fields = fields;
    options.field_count = 2;
    assert_string_equal(print(&options, true, text), "");
    options.field_count = 1;
    assert_string_equal(print(&options, true, text), "region=f\nregion=f\n");
    options.json = true;
    assert_string_equal(print(&options, true, text),
                        "{\"region\": 0, \"region_name\": \"f\"}\n{\"region\": 0, \"region_name\": \"f\"}\n");
}

enum { TEXT_MOST = 1 << 18 };

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    char *const end = (char *)context + strlen(context);
    (void)err;
    assert_true(strlen(context) + size < TEXT_MOST);
    memcpy(end, data, size);
    end[size] = '\0';
    return QUIPU_OK;
}

/* Both ways of printing the records of a trace: one by one, and by a printer. */
static void print_records(const char *path, bool json, char *one_by_one, char *by_printer) {
    const struct quipu_sink first = {append, one_by_one}, second = {append, by_printer};
    struct quipu_printer_options options = QUIPU_PRINTER_OPTIONS_INIT;
    struct quipu_printer *printer;
    struct quipu_reader *reader;
    struct quipu_record record;
    options.json = json;
    one_by_one[0] = by_printer[0] = '\0';
    assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_OK);
    const struct quipu_schema *schema = quipu_reader_format(reader)->schema;
    assert_int_equal(quipu_printer_new(quipu_reader_definitions(reader), &options, second, &printer, NULL),
                     QUIPU_OK);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        assert_int_equal(
            (json ? quipu_record_write_json : quipu_record_write_text)(schema, &record, first, NULL), QUIPU_OK);
        assert_int_equal(quipu_printer_put_record(printer, schema, &record, NULL), QUIPU_OK);
    }
    assert_int_equal(quipu_printer_flush(printer, NULL), QUIPU_OK);
    quipu_printer_free(printer);
    quipu_reader_close(reader);
}

static void test_printer_prints_records_as_they_are_written_one_by_one(void **state) {
    static char one_by_one[TEXT_MOST], by_printer[TEXT_MOST];
    static const struct {
        const char *path, *text, *json;
    } traces[] = {
        {"sweep/otf/ring.otf", " Enter time=", "\"type\": \"Enter\""},
        {"sweep/dumpi/ring.meta", " mask=", "\"fields\": {\"mask\": "},
        {"sweep/picl/ring.picl", " ", "\"type\": "},
        {"sweep/charisma/ring.ctrace", " ", "\"type\": "},
        {"sweep/paraver/ring.prv", " time=", "\"type\": \"message\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        for (int json = 0; json < 2; json++) {
            print_records(harness_data(traces[i].path), json, one_by_one, by_printer);
            assert_string_equal(by_printer, one_by_one);
            assert_non_null(strstr(by_printer, json ? traces[i].json : traces[i].text));
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_event_as_json_and_text), TEST(test_event_names_the_value_of_its_channel),
            TEST(test_printer_leaves_out_what_is_unknown_and_nothing_before_it), TEST(test_dates_and_durations),
            TEST(test_local_dates_say_what_they_are_ahead_of_utc), TEST(test_printer_has_times_in_each_style),
            TEST(test_printer_refuses_what_it_cannot_print),
            TEST(test_printer_prints_records_as_they_are_written_one_by_one))
