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

/* A file from time 0 would be the earliest, from which all times count; its header says when the others began, too. */
static void test_writer_files_for_missing_ranks_leave_the_times_as_they_are(void **state) {
    (void)state;
    struct made made = made_create();
    const char *const copy = harness_text("%s/copy.meta", harness_folder());
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        CALL(&made, barrier, .comm = WORLD);
        made_record(&made, QUIPU__DUMPI_TYPE_header,
                    &(const struct quipu__dumpi_header){.version = 13, .starttime = 1600000000}, NULL);
    }
    made_close(&made);
    harness_write(made_file(&made, 0), "", 0);
    convert(made.path, copy, "dumpi");
    struct quipu_reader *reader = opened(copy);
    const struct quipu_clock clock = quipu_reader_definitions(reader)->clock;
    assert_int_equal(clock.origin, INT64_C(100000000000));
    assert_int_equal(clock.unix_origin_ns, INT64_C(1600000000000000000));
    quipu_reader_close(reader);
}

static void test_writer_does_not_replace_unasked(void **state) {
    (void)state;
    const struct made made = sample();
    struct quipu_writer *writer;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_writer_create(made.path, quipu_format_find("dumpi"), NULL, &writer, &err),
                     QUIPU_EXISTS);
}

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes),
            cmocka_unit_test(test_writer_copies_a_file_alone),
            cmocka_unit_test(test_writer_one_file_holds_one_rank),
            cmocka_unit_test(test_writer_copies_all_shared_files),
            cmocka_unit_test(test_writer_completes_what_breaks_off),
            cmocka_unit_test(test_writer_makes_files_for_missing_ranks),
            cmocka_unit_test(test_writer_files_for_missing_ranks_leave_the_times_as_they_are),
            cmocka_unit_test(test_writer_does_not_replace_unasked))
