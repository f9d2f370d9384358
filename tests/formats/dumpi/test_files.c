/* test_files.c: what a path can stand for, and files that are missing, cut or damaged. */
#include "traces.h"

#include "formats/dumpi/format.h"

#include <fcntl.h>
#include <unistd.h>

#define WORLD 2

/* A trace of two ranks with a few calls each. */
static struct made two_ranks(void) {
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        for (unsigned i = 0; i < 20; i++)
            CALL(&made, barrier, .comm = WORLD);
    }
    made_close(&made);
    return made;
}

static uint64_t calls_of(const char *path) {
    struct quipu_reader *reader = opened(path);
    struct quipu_record record;
    uint64_t calls = 0;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        calls += record.common != NULL;
    quipu_reader_close(reader);
    return calls;
}

static uint32_t streams_of(const char *path) {
    struct quipu_reader *reader = opened(path);
    const uint32_t count = quipu_reader_stream_count(reader);
    quipu_reader_close(reader);
    return count;
}

static enum quipu_status open_status(const char *path, struct quipu_error *err) {
    struct quipu_reader *reader;
    const enum quipu_status status = quipu_reader_open(path, NULL, &reader, err);
    quipu_reader_close(reader);
    return status;
}

static void rename_file(const char *from, const char *to) {
    size_t size;
    char *bytes = harness_read(from, &size);
    harness_write(to, bytes, size);
    remove(from);
}

/* ---- Paths ---- */

static void test_files_by_metafile_folder_and_file(void **state) {
    (void)state;
    const struct made made = two_ranks();
    char *folder = harness_text("%s", made.path);
    *strrchr(folder, '/') = 0;
    assert_int_equal(calls_of(made.path), 40);
    assert_int_equal(calls_of(folder), 40);
    assert_int_equal(calls_of(made_file(&made, 1)), 20);
    assert_int_equal(streams_of(made_file(&made, 1)), 1);
}

static void test_files_of_a_folder_without_metafile(void **state) {
    (void)state;
    const struct made made = two_ranks();
    char *folder = harness_text("%s", made.path);
    *strrchr(folder, '/') = 0;
    remove(made.path);
    assert_int_equal(calls_of(folder), 40);
}

static void test_files_with_other_widths_of_ranks(void **state) {
    (void)state;
    const struct made made = two_ranks();
    const char *stem = harness_text("%.*s", (int)(strlen(made.path) - 5), made.path);
    for (unsigned rank = 0; rank < 2; rank++)
        rename_file(made_file(&made, rank), harness_text("%s-%07u.bin", stem, rank));
    assert_int_equal(calls_of(made.path), 40);
}

static void test_files_of_several_traces_need_a_choice(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    char *folder = harness_text("%s", made.path);
    *strrchr(folder, '/') = 0;
    harness_write(harness_text("%s/other.meta", folder), "numprocs=1\nfileprefix=other\n", 28);
    assert_int_equal(open_status(folder, &err), QUIPU_UNSUPPORTED);
    assert_non_null(strstr(err.advice, "made.meta"));
}

static void write_text(const char *path, const char *text) {
    harness_write(path, text, strlen(text));
}

/* What the metafile does not say is found out by its name and the files beside it. */
static void test_files_of_a_metafile_that_does_not_say_all(void **state) {
    (void)state;
    static const char *const texts[] = {"hostname=a\nnumprocs=2\n", "fileprefix=made\r\n",
                                        "startime=1\nnumprocs=two\n", "startime=1\n"};
    static const size_t findings[] = {1, 1, 3, 2};
    const struct made made = two_ranks();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(made.path, texts[i]);
        assert_int_equal(calls_of(made.path), 40);
        assert_int_equal(findings_of(made.path, "dumpi.metafile"), findings[i]);
    }
}

static void test_files_of_a_metafile_that_says_too_little_fail(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *other =
        harness_text("%.*sother.meta", (int)(strlen(made.path) - strlen("made.meta")), made.path);
    write_text(other, "numprocs=2\n");
    assert_int_equal(open_status(other, &err), QUIPU_CORRUPT);
    assert_non_null(strstr(err.message, "fileprefix"));
    write_text(other, "fileprefix=another\n");
    assert_int_equal(open_status(other, &err), QUIPU_CORRUPT);
}

/* The rank of a lone file is its own, and others can be referred to. */
static void test_files_alone_know_their_rank(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    made_rank(&made, 1);
    CALL(&made, comm_size, .comm = WORLD, .size = 3);
    CALL(&made, send, .count = 1, .datatype = 9, .dest = 2, .tag = 1, .comm = WORLD);
    made_close(&made);
    assert_events(made_file(&made, 1), BUT_REGIONS,
                  "10 1 send peer=2 communicator=0 tag=1 bytes=4 request=?\n");
}

/* ---- Many files ---- */

/* Merging by time needs all files at a time, but only ten may be open. */
static void test_files_by_the_thousand_under_a_low_limit(void **state) {
    (void)state;
    enum { RANKS = 2000, EVENTS_OF_A_RANK = 20 * 4, OPEN_FILES = 10 };
    const struct made made = two_ranks();
    size_t size;
    const char *bytes = harness_read(made_file(&made, 0), &size);
    for (unsigned rank = 0; rank < RANKS; rank++)
        harness_write(made_file(&made, rank), bytes, size);
    const char *meta = harness_text("numprocs=%u\nfileprefix=made\n", RANKS);
    harness_write(made.path, meta, strlen(meta));
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    struct quipu_event event, last = {.time = INT64_MIN};
    size_t count = 0;
    options.file_limit = OPEN_FILES;
    selection.order = QUIPU_ORDER_TIME;
    made_ok(quipu_reader_open(made.path, &options, &reader, &err), &err);
    made_ok(quipu_reader_select(reader, &selection, &err), &err);
    for (; quipu_reader_next(reader, &event, &err) == QUIPU_OK; count++, last = event)
        assert_true(event.time > last.time || (event.time == last.time && event.location >= last.location));
    assert_int_equal(err.status, QUIPU_OK);
    assert_int_equal(count, RANKS * EVENTS_OF_A_RANK);
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 0);
    quipu_reader_close(reader);
}

/* A line of text must not make millions of ranks. */
static void test_files_are_not_missed_by_the_million(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    write_text(made.path, "numprocs=16777216\nfileprefix=made\n");
    assert_int_equal(streams_of(made.path), 2);
    assert_int_equal(calls_of(made.path), 40);
    assert_int_equal(findings_of(made.path, "dumpi.missing"), 1);
    write_text(made.path, "numprocs=16777216\nfileprefix=other\n");
    assert_int_equal(open_status(made.path, &err), QUIPU_CORRUPT);
    assert_string_equal(err.message, "of 16777216 ranks 0 have a file");
    write_text(made.path, "numprocs=4000\nfileprefix=made\n"); /* a part of a run */
    assert_int_equal(streams_of(made.path), 4000);
}

/* ---- A large file ---- */

static void add_be64(char *at, uint64_t more) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | (uint8_t)at[i];
    value += value ? more : 0;
    for (int i = 7; i >= 0; i--, value >>= 8)
        at[i] = (char)(uint8_t)value;
}

/* Moves everything behind the magic by so many bytes, most of which are a hole. False: the file system has no room. */
static bool shift_sections(const char *path, uint64_t by) {
    size_t size;
    char *bytes = harness_read(path, &size);
    const int file = open(path, O_RDWR | O_TRUNC);
    for (size_t word = 1; word < 8; word++)
        add_be64(bytes + size - 64 + word * 8, by);
    const bool done = pwrite(file, bytes, 8, 0) == 8 &&
                      pwrite(file, bytes + 8, size - 8, (off_t)(by + 8)) == (ssize_t)(size - 8);
    close(file);
    return done;
}

static void test_files_have_64_bit_offsets_in_their_index(void **state) {
    (void)state;
    struct quipu__dumpi_index index = {.words = 8}, decoded;
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        quipu__dumpi_set_word(&index, i, (UINT64_C(1) << (33 + i)) + i);
    quipu__dumpi_index_encode(&index, &out);
    assert_int_equal(out.len, 64);
    assert_true(quipu__dumpi_index_decode(out.data, out.len, &decoded));
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        assert_true(quipu__dumpi_word(&decoded, i) == (UINT64_C(1) << (33 + i)) + i);
    quipu__buffer_release(&out);
}

/* The calls of this file lie behind 4 GiB. */
static void test_files_beyond_4_gib_are_read(void **state) {
    (void)state;
    const uint64_t far = (UINT64_C(1) << 32) + 12345;
    const struct made made = two_ranks();
    const char *path = made_file(&made, 0);
    if (!shift_sections(path, far))
        skip();
    struct quipu_reader *reader = opened(path);
    struct quipu_record record;
    uint64_t at[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
        at[i] = record.byte_offset;
    }
    assert_int_equal(at[0], 0);
    assert_int_equal(at[1], far + 8);
    assert_int_equal(at[2], far + 16);
    quipu_reader_close(reader);
    assert_int_equal(calls_of(path), 20);
    assert_int_equal(findings_of(path, NULL), 0);
}

/* ---- Missing and empty files ---- */

static void test_files_that_are_missing_do_not_hide_others(void **state) {
    (void)state;
    const struct made made = two_ranks();
    remove(made_file(&made, 0));
    assert_int_equal(calls_of(made.path), 20);
    assert_int_equal(findings_of(made.path, "dumpi.missing"), 1);
    struct quipu_reader *reader = opened(made.path);
    assert_true(quipu_reader_stream_at(reader, 0)->missing);
    assert_false(quipu_reader_stream_at(reader, 1)->missing);
    quipu_reader_close(reader);
}

static void test_files_that_are_empty_do_not_hide_others(void **state) {
    (void)state;
    const struct made made = two_ranks();
    harness_write(made_file(&made, 1), "", 0);
    assert_int_equal(calls_of(made.path), 20);
    assert_int_equal(findings_of(made.path, "dumpi.empty"), 1);
}

static void test_files_of_which_nothing_is_left_fail(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    for (unsigned rank = 0; rank < 2; rank++)
        harness_write(made_file(&made, rank), "", 0);
    assert_int_equal(open_status(made.path, &err), QUIPU_TRUNCATED);
    assert_true(err.message[0] != 0);
}

/* ---- Cut and damaged files ---- */

static void test_files_without_index_give_their_calls(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    harness_write(made_file(&made, 0), bytes, 16 + 10 * 31 + 5); /* 10 records of 31 bytes, and a part of one */
    assert_int_equal(calls_of(made_file(&made, 0)), 10);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.no-index"), 1);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.damage"), 1);
}

/* Damage in the middle costs the records that it hits. */
static void test_files_with_damage_are_read_behind_it(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    memset(bytes + 16 + 5 * 31, 0xee, 40);
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(calls_of(made_file(&made, 0)), 18);
    struct quipu_reader *reader = opened(made_file(&made, 0));
    while (quipu_reader_next_batch(reader, &(const struct quipu_batch *){NULL}, NULL) == QUIPU_OK)
        continue;
    const struct quipu_finding *finding = quipu_findings_at(quipu_reader_findings(reader), 0);
    assert_string_equal(finding->rule->id, "dumpi.damage");
    assert_int_equal(finding->byte, 16 + 5 * 31);
    assert_non_null(strstr(finding->found, "62 bytes skipped"));
    quipu_reader_close(reader);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.footer-count"), 1);
}

static void test_files_of_newer_versions_are_read(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    bytes[16 + 20 * 31 + 2] = 16; /* the header follows the end mark */
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(calls_of(made_file(&made, 0)), 20);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.newer"), 1);
    struct quipu_reader *reader = opened(made_file(&made, 0));
    assert_string_equal(quipu_reader_variant(reader), "16.0.0");
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 1);
    quipu_reader_close(reader);
}

static void test_files_with_a_wrong_offset_are_read(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    memset(bytes + size - 32, 0x7f, 8); /* of the header */
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(calls_of(made_file(&made, 0)), 20);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.index-offset"), 1);
}

/* What cannot be a header does not say of which version the calls are: statuses have had a tag only since 0.6.3. */
static void test_files_whose_header_is_none_are_of_the_newest_version(void **state) {
    (void)state;
    const char *path = harness_text("%s/ring-0000.bin", harness_folder());
    size_t size;
    char *bytes = harness_read(harness_data("sweep/dumpi/ring-0000.bin"), &size);
    char *header = bytes + quipu__load_be64((const uint8_t *)bytes + size - 32);
    memcpy(header, "\0\6\0", 3);
    header[11] = 0x7f; /* the name of the host has 2 GB */
    harness_write(path, bytes, size);
    assert_int_equal(calls_of(path), calls_of(harness_data("sweep/dumpi/ring-0000.bin")));
    assert_int_equal(findings_of(path, "dumpi.index-offset"), 1);
    assert_int_equal(findings_of(path, "dumpi.damage"), 0);
}

/* The counters are a number of names; two names in place of none reach into the section behind. */
static void test_files_whose_sections_overlap_have_lost_one(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    const uint64_t counters = quipu__load_be64((const uint8_t *)bytes + size - 40);
    assert_memory_equal(bytes + counters, "\0\0\0\0", 4);
    bytes[counters + 3] = 2;
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(calls_of(made_file(&made, 0)), 20);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.index-offset"), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_files_by_metafile_folder_and_file),
            cmocka_unit_test(test_files_of_a_folder_without_metafile),
            cmocka_unit_test(test_files_with_other_widths_of_ranks),
            cmocka_unit_test(test_files_of_several_traces_need_a_choice),
            cmocka_unit_test(test_files_of_a_metafile_that_does_not_say_all),
            cmocka_unit_test(test_files_of_a_metafile_that_says_too_little_fail),
            cmocka_unit_test(test_files_alone_know_their_rank),
            cmocka_unit_test(test_files_by_the_thousand_under_a_low_limit),
            cmocka_unit_test(test_files_have_64_bit_offsets_in_their_index),
            cmocka_unit_test(test_files_beyond_4_gib_are_read),
            cmocka_unit_test(test_files_are_not_missed_by_the_million),
            cmocka_unit_test(test_files_that_are_missing_do_not_hide_others),
            cmocka_unit_test(test_files_that_are_empty_do_not_hide_others),
            cmocka_unit_test(test_files_of_which_nothing_is_left_fail),
            cmocka_unit_test(test_files_without_index_give_their_calls),
            cmocka_unit_test(test_files_with_damage_are_read_behind_it),
            cmocka_unit_test(test_files_of_newer_versions_are_read),
            cmocka_unit_test(test_files_with_a_wrong_offset_are_read),
            cmocka_unit_test(test_files_whose_header_is_none_are_of_the_newest_version),
            cmocka_unit_test(test_files_whose_sections_overlap_have_lost_one))
