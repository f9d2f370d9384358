/* test_writer.c: copying records gives the same bytes; what breaks off is completed; events become calls again. */
#include "traces.h"

#include <dirent.h>

#define WORLD 2

/* Converts to DUMPI, or to another format by the ending of the path. */
static void convert(const char *from, const char *to, const char *target) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_conversion_report *report;
    struct quipu_reader *reader = opened(from);
    made_ok(quipu_convert(reader, to, target, &options, &report, &err), &err);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void assert_same_file(const char *a, const char *b) {
    size_t a_size, b_size;
    const char *a_bytes = harness_read(a, &a_size), *b_bytes = harness_read(b, &b_size);
    if (a_size != b_size || memcmp(a_bytes, b_bytes, a_size) != 0)
        fail_msg("%s is not copied byte for byte", a);
}

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

static struct made sample(void) {
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        const int32_t other = rank == 0;
        made_rank(&made, rank);
        CALL(&made, init, .argc = 2, .argv = sized((const char *[]){text("./a"), text("say \"x\"")}, 2, 8));
        CALL(&made, irecv, .count = 9, .datatype = 9, .source = -1, .tag = 3, .comm = WORLD, .request = 2);
        CALL(&made, isend, .count = 3, .datatype = 9, .dest = other, .tag = 3, .comm = WORLD, .request = 3);
        CALL(&made, waitall, .count = 2, .requests = NUMBERS(3, 2));
        CALL(&made, comm_split, .oldcomm = WORLD, .color = 1, .key = (int32_t)rank, .newcomm = 4);
        CALL(&made, send, .count = 1, .datatype = 14, .dest = other, .tag = 4, .comm = 4);
        CALL(&made, recv, .count = 1, .datatype = 14, .source = other, .tag = 4, .comm = 4,
             .status = STATUS(8, other, 4));
        CALL(&made, gather, .commrank = (int32_t)rank, .sendcount = 1, .sendtype = 9, .recvcount = other,
             .recvtype = (int16_t)(other ? 9 : 0), .root = 0, .comm = WORLD);
        CALL(&made, finalize, 0);
    }
    made_close(&made);
    return made;
}

/* ---- Copies ---- */

static void test_writer_copies_have_the_same_bytes(void **state) {
    (void)state;
    const struct made made = sample();
    const char *copy = harness_text("%s/made.meta", harness_folder());
    convert(made.path, copy, "dumpi");
    assert_same_file(made.path, copy);
    for (unsigned rank = 0; rank < 2; rank++)
        assert_same_file(made_file(&made, rank), made_file(&(struct made){.path = copy}, rank));
}

static void test_writer_copies_a_file_alone(void **state) {
    (void)state;
    const struct made made = sample();
    const char *copy = harness_text("%s/copy.bin", harness_folder());
    convert(made_file(&made, 1), copy, "dumpi");
    assert_same_file(made_file(&made, 1), copy);
}

static void test_writer_one_file_holds_one_rank(void **state) {
    (void)state;
    const struct made made = sample();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_conversion_report *report;
    const char *copy = harness_text("%s/copy.bin", harness_folder());
    struct quipu_reader *reader = opened(made.path);
    assert_int_equal(quipu_convert(reader, copy, "dumpi", &options, &report, &err), QUIPU_NOT_REPRESENTABLE);
    assert_non_null(strstr(err.advice, ".meta"));
    assert_false(harness_exists(copy));
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

/* Every file of every recorded, foreign and constructed trace. */
/* An OTF trace that is empty: a DUMPI trace without ranks is one that no reader opens. */
static void test_writer_needs_a_rank(void **state) {
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

/* needs: shared */
static void test_writer_copies_all_shared_files(void **state) {
    (void)state;
    const char *root = harness_shared("traces/dumpi");
    const char *copy = harness_text("%s/copy.bin", harness_folder());
    DIR *folders = opendir(root);
    unsigned files = 0;
    assert_non_null(folders);
    for (struct dirent *folder; (folder = readdir(folders));) {
        DIR *names = folder->d_name[0] == '.' ? NULL : opendir(harness_text("%s/%s", root, folder->d_name));
        for (struct dirent *name; names && (name = readdir(names));) {
            const char *path = harness_text("%s/%s/%s", root, folder->d_name, name->d_name);
            const size_t len = strlen(path);
            size_t size = 0;
            if (len < 4 || strcmp(path + len - 4, ".bin") != 0)
                continue;
            harness_read(path, &size);
            if (size == 0)
                continue;
            convert(path, copy, "dumpi");
            assert_same_file(path, copy);
            remove(copy);
            files++;
        }
        if (names)
            closedir(names);
    }
    closedir(folders);
    assert_true(files >= 80);
}

/* ---- Completing ---- */

static void test_writer_completes_what_breaks_off(void **state) {
    (void)state;
    const struct made made = sample();
    size_t size;
    const char *bytes = harness_read(made_file(&made, 0), &size);
    const char *repaired = harness_text("%s/repaired.meta", harness_folder());
    harness_write(made_file(&made, 0), bytes, 300);
    convert(made.path, repaired, "dumpi");
    assert_int_equal(findings_of(repaired, "dumpi.no-index"), 0);
    assert_int_equal(findings_of(repaired, "dumpi.footer-count"), 0);
    assert_int_equal(findings_of(repaired, "dumpi.damage"), 0);
}

static void test_writer_makes_files_for_missing_ranks(void **state) {
    (void)state;
    const struct made made = sample();
    const char *repaired = harness_text("%s/repaired.meta", harness_folder());
    remove(made_file(&made, 0));
    convert(made.path, repaired, "dumpi");
    assert_int_equal(findings_of(repaired, "dumpi.missing"), 0);
    assert_true(harness_exists(made_file(&(struct made){.path = repaired}, 0)));
}

static void test_writer_does_not_replace_unasked(void **state) {
    (void)state;
    const struct made made = sample();
    struct quipu_writer *writer;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_writer_create(made.path, quipu_format_find("dumpi"), NULL, &writer, &err),
                     QUIPU_EXISTS);
}

/* ---- From events ---- */

/* What OTF cannot say travels as attributes: every call comes back as it was. */
static void test_writer_calls_come_back_through_otf(void **state) {
    (void)state;
    const struct made made = sample();
    const char *folder = harness_folder();
    const char *otf = harness_text("%s/made.otf", folder), *back = harness_text("%s/back.meta", folder);
    convert(made.path, otf, "otf");
    convert(otf, back, "dumpi");
    assert_string_equal(calls_of(back), calls_of(made.path));
}

static void put_event(struct quipu_batch *batch, int64_t time, enum quipu_kind kind, uint32_t location) {
    const uint32_t i = batch->count++;
    batch->time[i] = time;
    batch->kind[i] = (uint8_t)kind;
    batch->location[i] = location;
}

/* Messages and functions of a trace that knows nothing of MPI's arguments. */
static void test_writer_rebuilds_calls_from_messages(void **state) {
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

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes),
            cmocka_unit_test(test_writer_copies_a_file_alone),
            cmocka_unit_test(test_writer_one_file_holds_one_rank), cmocka_unit_test(test_writer_needs_a_rank),
            cmocka_unit_test(test_writer_copies_all_shared_files),
            cmocka_unit_test(test_writer_completes_what_breaks_off),
            cmocka_unit_test(test_writer_makes_files_for_missing_ranks),
            cmocka_unit_test(test_writer_does_not_replace_unasked),
            cmocka_unit_test(test_writer_calls_come_back_through_otf),
            cmocka_unit_test(test_writer_rebuilds_calls_from_messages))
