/* test_recover.c: sections that the index does not lead to any more. */
#include "traces.h"

#define INDEX_BYTES 64

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

/* Nothing is lost with the index but the index; only the recorder's 0 for the keyvals becomes their place. */
static void test_recover_a_lost_index_is_rebuilt(void **state) {
    (void)state;
    const char *folder = new_trace();
    const struct rank whole = load("ring-0001.bin");
    struct rank cut = whole;
    cut.size -= INDEX_BYTES - 5;
    save(folder, "ring-0000.bin", load("ring-0000.bin"));
    save(folder, "ring-0001.bin", cut);
    assert_int_equal(repair(folder), 0);
    struct rank found;
    found.data = harness_read(harness_text("%s/whole-0001.bin", folder), &found.size);
    assert_int_equal(found.size, whole.size);
    assert_memory_equal(found.data, whole.data, whole.size - 8);
}

/* The word of the index leads into the stream of calls. */
static void test_recover_a_wrong_offset_costs_no_calls(void **state) {
    (void)state;
    const char *folder = new_trace();
    const struct rank whole = load("ring-0001.bin");
    struct rank damaged = load("ring-0001.bin");
    damaged.data[whole.size - 16 + 6] = 0; /* footer */
    damaged.data[whole.size - 16 + 7] = 100;
    save(folder, "ring-0000.bin", load("ring-0000.bin"));
    save(folder, "ring-0001.bin", damaged);
    assert_int_equal(repair(folder), 0);
    assert_same_file(folder, "whole-0001.bin", whole);
}

/* The other rank's file is as it was, and the missing one has a file that says when and where the run was. */
/* Both are read, since no index says which one it is; the one right behind the end mark stays. */
static void test_recover_a_header_that_is_there_twice_stays_once(void **state) {
    (void)state;
    enum { WORD = 8, HEADER = 4 * WORD, FOOTER = 6 * WORD };
    const char *folder = new_trace();
    const struct rank whole = load("ring-0000.bin");
    const uint8_t *index = (const uint8_t *)whole.data + whole.size - INDEX_BYTES;
    const size_t header = (size_t)quipu__load_be64(index + HEADER),
                 footer = (size_t)quipu__load_be64(index + FOOTER);
    struct rank twice = {malloc(whole.size + footer - header), whole.size + footer - header};
    assert_true(header < footer && twice.data);
    memcpy(twice.data, whole.data, footer);
    memcpy(twice.data + footer, whole.data + header, whole.size - header);
    for (size_t word = twice.size - INDEX_BYTES + WORD; word < twice.size; word += WORD)
        twice.data[word + 5] = 0x7f; /* behind the end of the file */
    save(folder, "ring-0000.bin", twice);
    save(folder, "ring-0001.bin", load("ring-0001.bin"));
    assert_true(repair(folder) > 0);
    free(twice.data);
}

QUIPU_TESTS(cmocka_unit_test(test_recover_a_lost_index_is_rebuilt),
            cmocka_unit_test(test_recover_a_wrong_offset_costs_no_calls),
            cmocka_unit_test(test_recover_a_header_that_is_there_twice_stays_once))
