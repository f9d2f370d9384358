/* test_from_model.c: events of another format as calls. */
#include "traces.h"

#include <dirent.h>

/* All calls of a trace as JSON without their places. */
static char *calls_of(const char *path) {
    struct quipu_reader *reader = opened(path);
    struct quipu_record record;
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        struct quipu_record bare = record;
        bare.common = NULL;
        if (!record.common)
            continue;
        quipu__put_format(&out, "%u %s ", record.stream, record.type->name);
        quipu__print_json_fields(&quipu__dumpi_schema, &bare, &out);
        quipu__put_u8(&out, '\n');
    }
    char *all = harness_text("%.*s", (int)out.len, (const char *)out.data);
    quipu__buffer_release(&out);
    quipu_reader_close(reader);
    return all;
}

/* Every file of every recorded, foreign and constructed trace. */
/* An OTF trace that is empty: a DUMPI trace without ranks is one that no reader opens. */
static void test_from_model_needs_a_rank(void **state) {
    (void)state;
    const char *folder = harness_folder(), *from = harness_text("%s/none.otf", folder);
    const char *const names[] = {"none.meta", "none.bin"};
    harness_write(from, "1:1\n", 4);
    harness_write(harness_text("%s/none.0.def", folder), "", 0);
    harness_write(harness_text("%s/none.1.events", folder), "", 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *to = harness_text("%s/%s", folder, names[i]);
        struct quipu_error err = QUIPU_ERROR_INIT;
        struct quipu_conversion_report *report;
        struct quipu_reader *reader = opened(from);
        assert_int_equal(quipu_convert(reader, to, "dumpi", NULL, &report, &err), QUIPU_NOT_REPRESENTABLE);
        assert_string_equal(err.message, "the trace has no processes; one of DUMPI has one at least");
        assert_false(harness_exists(to));
        quipu_conversion_report_free(report);
        quipu_reader_close(reader);
    }
}

static void put_event(struct quipu_batch *batch, int64_t time, enum quipu_kind kind, uint32_t location) {
    const uint32_t i = batch->count++;
    batch->time[i] = time;
    batch->kind[i] = (uint8_t)kind;
    batch->location[i] = location;
}

/* Messages and functions of a trace that knows nothing of MPI's arguments. */
static void test_from_model_rebuilds_calls_from_messages(void **state) {
    (void)state;
    static const struct quipu_location locations[] = {
        {.name = "a", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = -1, .host = ""},
        {.name = "b", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = -1, .host = ""}};
    static const struct quipu_region regions[] = {
        {.native_id = 5, .name = "main", .group = "", .source = QUIPU_NONE},
        {.native_id = 6, .name = "MPI_Send", .group = "", .source = QUIPU_NONE}};
    const struct quipu_definitions definitions = {
        .clock = {.ticks_per_second = 1000000000}, .locations = {locations, 2}, .regions = {regions, 2}};
    int64_t time[8], tag[8];
    uint8_t kind[8];
    uint32_t location[8], object[8], peer[8], group[8], operation[8];
    uint64_t at[8], bytes[8], value[8], id[8];
    struct quipu_batch batch = {.capacity = 8,
                                .time = time,
                                .kind = kind,
                                .location = location,
                                .byte_offset = at,
                                .object = object,
                                .peer = peer,
                                .group = group,
                                .operation = operation,
                                .tag = tag,
                                .bytes = bytes,
                                .value = value,
                                .id = id};
    put_event(&batch, 10, QUIPU_KIND_enter, 0);
    object[0] = 0;
    put_event(&batch, 20, QUIPU_KIND_enter, 0);
    object[1] = 1;
    put_event(&batch, 20, QUIPU_KIND_send, 0);
    put_event(&batch, 30, QUIPU_KIND_leave, 0);
    put_event(&batch, 40, QUIPU_KIND_leave, 0);
    put_event(&batch, 50, QUIPU_KIND_recv, 1);
    for (int i = 2; i < 6; i += 3) {
        peer[i] = i == 2;
        group[i] = QUIPU_NONE;
        tag[i] = 7;
        bytes[i] = 100;
        id[i] = QUIPU_UNKNOWN;
    }
    struct quipu_writer *writer;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *path = harness_text("%s/events.meta", harness_folder());
    made_ok(quipu_writer_create(path, quipu_format_find("dumpi"), NULL, &writer, &err), &err);
    made_ok(quipu_writer_define(writer, &definitions, &err), &err);
    made_ok(quipu_writer_put_batch(writer, &batch, &err), &err);
    made_ok(quipu_writer_close(writer, &err), &err);
    assert_string_equal(
        calls_of(path),
        "0 Function_enter {\"fn\": 5}\n"
        "0 MPI_Send {\"count\": 100, \"datatype\": 5, \"dest\": 1, \"tag\": 7, \"comm\": 2}\n"
        "0 Function_exit {\"fn\": 5}\n"
        "1 MPI_Recv {\"count\": 100, \"datatype\": 5, \"source\": 0, \"tag\": 7, \"comm\": 2, \"status\": "
        "[{\"bytes\": 100, \"source\": 0, \"tag\": 7, \"cancelled\": 0, \"error\": 0}]}\n");
    struct quipu_reader *reader = opened(path);
    const struct quipu_regions *found = &quipu_reader_definitions(reader)->regions;
    assert_string_equal(found->items[found->count - 1].name, "main");
    quipu_reader_close(reader);
    assert_int_equal(findings_of(path, NULL), 0);
}

QUIPU_TESTS(cmocka_unit_test(test_from_model_needs_a_rank),
            cmocka_unit_test(test_from_model_rebuilds_calls_from_messages))
