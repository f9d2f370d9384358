/* test_repair.c: what a repair does to DUMPI traces, on the small trace of the sweeps: two ranks, whose files have all
 * sections in the recorder's order and an index of 64 bytes. */
#include "traces.h"

struct rank {
    char *data;
    size_t size;
};

static struct rank load(const char *name) {
    struct rank rank;
    rank.data = harness_read(harness_data(harness_text("sweep/dumpi/%s", name)), &rank.size);
    return rank;
}

static void save(const char *folder, const char *name, struct rank rank) {
    harness_write(harness_text("%s/%s", folder, name), rank.data, rank.size);
}

/* A folder with the metafile. */
static const char *new_trace(void) {
    const char *folder = harness_folder();
    save(folder, "ring.meta", load("ring.meta"));
    return folder;
}

/* Repairs ring.meta of a folder as whole.meta; the result has no error and has lost nothing more. Returns how many
 * changes of the grave kinds there were. */
static uint64_t repair(const char *folder) {
    struct quipu_repair_report *report;
    struct quipu_reader *reader;
    struct quipu_check_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_reader_open(harness_text("%s/ring.meta", folder), NULL, &reader, &err), QUIPU_OK);
    assert_int_equal(quipu_repair(reader, harness_text("%s/whole.meta", folder), NULL, &report, &err),
                     QUIPU_OK);
    quipu_reader_close(reader);
    const struct quipu_findings *changes = quipu_repair_report_changes(report);
    const uint64_t grave =
        quipu_findings_total(changes, QUIPU_DATA_LOSS) + quipu_findings_total(changes, QUIPU_NOTICE);
    quipu_repair_report_free(report);
    assert_int_equal(quipu_reader_open(harness_text("%s/whole.meta", folder), NULL, &reader, &err), QUIPU_OK);
    assert_int_equal(quipu_reader_stream_count(reader), 2);
    assert_int_equal(quipu_check(reader, NULL, &result, &err), QUIPU_OK);
    assert_true(result.verdict != QUIPU_VERDICT_REJECT);
    quipu_reader_close(reader);
    return grave;
}

static void assert_same_file(const char *folder, const char *name, struct rank expected) {
    struct rank found;
    found.data = harness_read(harness_text("%s/%s", folder, name), &found.size);
    assert_int_equal(found.size, expected.size);
    assert_memory_equal(found.data, expected.data, expected.size);
}

static void test_repair_a_sound_trace_stays_the_same(void **state) {
    (void)state;
    const char *folder = new_trace();
    save(folder, "ring-0000.bin", load("ring-0000.bin"));
    save(folder, "ring-0001.bin", load("ring-0001.bin"));
    assert_int_equal(repair(folder), 0);
    assert_same_file(folder, "whole-0000.bin", load("ring-0000.bin"));
    assert_same_file(folder, "whole-0001.bin", load("ring-0001.bin"));
}

/* The calls were read as of the newest version while nothing said where the header is: one of another version that is found
 * later would make other calls of them, since statuses have had a tag only since 0.6.3. */
static void test_repair_a_header_of_another_version_stays_lost(void **state) {
    (void)state;
    const char *folder = new_trace();
    struct rank rank = load("ring-0001.bin");
    const uint8_t *word = (const uint8_t *)rank.data + rank.size - 32;
    const size_t header = (size_t)word[6] << 8 | word[7];
    memcpy(rank.data + header, "\0\6\0", 3);
    memset(rank.data + rank.size - 32, 0x7f, 8);
    save(folder, "ring-0000.bin", load("ring-0000.bin"));
    save(folder, "ring-0001.bin", rank);
    assert_true(repair(folder) > 0);
}

/* With the names of the counters lost, the first record that has some says how many there are. One that says it has some and
 * has none fits no names. */
static void test_repair_records_have_as_many_counters_as_there_are_names(void **state) {
    (void)state;
    struct made made = made_create();
    const struct quipu__dumpi_counter counters[] = {{5, 7}};
    made_rank(&made, 0);
    made.common.mask = MASK_ALL | QUIPU__DUMPI_MASK_COUNTERS;
    CALL(&made, send, .count = 1, .datatype = 5);
    made.common.counters = sized(counters, 1, sizeof *counters);
    CALL(&made, send, .count = 2, .datatype = 5);
    made_close(&made);
    struct rank rank;
    const char *file = made_file(&made, 0), *folder = new_trace();
    rank.data = harness_read(file, &rank.size);
    memset(rank.data + rank.size - 40, 0x7f, 8);
    save(folder, "ring-0000.bin", rank);
    save(folder, "ring-0001.bin", load("ring-0001.bin"));
    assert_true(repair(folder) > 0);
}

static void test_repair_a_wrong_magic_costs_nothing_else(void **state) {
    (void)state;
    const char *folder = new_trace();
    struct rank damaged = load("ring-0001.bin");
    damaged.data[3] ^= 0x10;
    save(folder, "ring-0000.bin", load("ring-0000.bin"));
    save(folder, "ring-0001.bin", damaged);
    assert_int_equal(repair(folder), 0);
    assert_same_file(folder, "whole-0001.bin", load("ring-0001.bin"));
}

static void test_repair_a_missing_rank_gets_a_file_without_calls(void **state) {
    (void)state;
    const char *folder = new_trace();
    struct quipu_reader *reader;
    save(folder, "ring-0001.bin", load("ring-0001.bin"));
    assert_int_equal(repair(folder), 1);
    assert_same_file(folder, "whole-0001.bin", load("ring-0001.bin"));
    assert_int_equal(quipu_reader_open(harness_text("%s/whole.meta", folder), NULL, &reader, NULL), QUIPU_OK);
    const struct quipu_locations *locations = &quipu_reader_definitions(reader)->locations;
    assert_string_equal(locations->items[0].host, locations->items[1].host);
    quipu_reader_close(reader);
}

/* That of rank 1 is later by a second. What is repaired again is as before only if the same header is chosen. */
static void test_repair_the_metafile_repeats_the_header_of_the_first_rank(void **state) {
    (void)state;
    const char *folder = new_trace();
    struct rank rank = load("ring-0001.bin"), metafile;
    const uint8_t *word = (const uint8_t *)rank.data + rank.size - 32;
    const size_t header = (size_t)word[6] << 8 | word[7];
    rank.data[header + 10]++;
    save(folder, "ring-0000.bin", load("ring-0000.bin"));
    save(folder, "ring-0001.bin", rank);
    assert_int_equal(repair(folder), 0);
    assert_same_file(folder, "whole-0001.bin", rank);
    metafile.data = harness_read(harness_text("%s/whole.meta", folder), &metafile.size);
    assert_non_null(strstr(harness_text("%.*s", (int)metafile.size, metafile.data), "startime=1600000000\n"));
}

/* Key values of nothing stand right behind the end mark, and the last word of the index is 0 in place of where: then the header, four
 * bytes later, is taken for the end of the calls. Named again, they make the file what it was. */
static void test_repair_a_section_right_behind_the_end_mark_gets_its_name(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, barrier, .comm = 2);
    made_record(&made, QUIPU__DUMPI_TYPE_keyvals, &(const struct quipu__dumpi_keyvals){0}, NULL);
    made_close(&made);
    struct rank rank, whole;
    const char *file = made_file(&made, 0), *folder = new_trace();
    rank.data = harness_read(file, &rank.size);
    whole.data = harness_read(file, &whole.size);
    memset(rank.data + rank.size - 8, 0, 8);
    save(folder, "ring-0000.bin", rank);
    save(folder, "ring-0001.bin", load("ring-0001.bin"));
    assert_int_equal(repair(folder), 0);
    assert_same_file(folder, "whole-0000.bin", whole);
}

QUIPU_TESTS(cmocka_unit_test(test_repair_a_sound_trace_stays_the_same),
            cmocka_unit_test(test_repair_a_header_of_another_version_stays_lost),
            cmocka_unit_test(test_repair_records_have_as_many_counters_as_there_are_names),
            cmocka_unit_test(test_repair_a_wrong_magic_costs_nothing_else),
            cmocka_unit_test(test_repair_a_missing_rank_gets_a_file_without_calls),
            cmocka_unit_test(test_repair_the_metafile_repeats_the_header_of_the_first_rank),
            cmocka_unit_test(test_repair_a_section_right_behind_the_end_mark_gets_its_name))
