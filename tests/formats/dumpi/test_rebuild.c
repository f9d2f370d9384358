/* test_rebuild.c: calls put together from events and attributes. */
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

/* What OTF cannot say travels as attributes: every call comes back as it was. */
static void test_rebuild_calls_come_back_through_otf(void **state) {
    (void)state;
    const struct made made = sample();
    const char *folder = harness_folder();
    const char *otf = harness_text("%s/made.otf", folder), *back = harness_text("%s/back.meta", folder);
    convert(made.path, otf, "otf");
    convert(otf, back, "dumpi");
    assert_string_equal(calls_of(back), calls_of(made.path));
}

/* As MPI_Comm_split_type is recorded: OTF2 says that the operation is in the function, and no more. */
static void test_rebuild_constructors_inside_of_functions_come_back_through_otf2(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        const int32_t other = rank == 0;
        made_rank(&made, rank);
        CALL(&made, function_enter, .fn = 5);
        CALL(&made, comm_split, .oldcomm = WORLD, .color = 1, .key = (int32_t)rank, .newcomm = 4);
        CALL(&made, function_exit, .fn = 5);
        CALL(&made, function_enter, .fn = 6);
        CALL(&made, comm_dup, .oldcomm = 4, .newcomm = 5);
        CALL(&made, function_exit, .fn = 6);
        if (rank == 0)
            CALL(&made, send, .count = 1, .datatype = 14, .dest = other, .tag = 4, .comm = 5);
        else
            CALL(&made, recv, .count = 1, .datatype = 14, .source = other, .tag = 4, .comm = 5,
                 .status = STATUS(8, other, 4));
    }
    made_close(&made);
    const char *folder = harness_folder();
    const char *otf2 = harness_text("%s/made.otf2", folder), *back = harness_text("%s/back.meta", folder);
    convert(made.path, otf2, "otf2");
    convert(otf2, back, "dumpi");
    const char *calls = calls_of(back);
    for (int rank = 0; rank < 2; rank++) {
        assert_non_null(strstr(calls, harness_text("%d MPI_Comm_split {\"oldcomm\": 2, \"color\": 1, "
                                                   "\"key\": %d, \"newcomm\": 4}\n",
                                                   rank, rank)));
        assert_non_null(
            strstr(calls, harness_text("%d MPI_Comm_dup {\"oldcomm\": 4, \"newcomm\": 5}\n", rank)));
    }
    assert_null(strstr(calls, "MPI_Barrier"));
}

QUIPU_TESTS(cmocka_unit_test(test_rebuild_calls_come_back_through_otf),
            cmocka_unit_test(test_rebuild_constructors_inside_of_functions_come_back_through_otf2))
