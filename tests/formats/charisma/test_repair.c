/* test_repair.c: what is intact of a damaged file makes a whole one. */
#include "harness.h"

#include "traces.h"

/* Repairs a file; the counts. */
static struct quipu_repair_counts repair(const char *path, const char *machine, const char **whole) {
    struct quipu_repair_options options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_repair_report *report;
    struct quipu_reader *reader = open_as(path, machine);
    *whole = harness_text("%s/whole.ctrace", harness_folder());
    assert_int_equal(quipu_repair(reader, *whole, &options, &report, NULL), QUIPU_OK);
    const struct quipu_repair_counts counts = *quipu_repair_report_counts(report);
    quipu_repair_report_free(report);
    quipu_reader_close(reader);
    return counts;
}

static uint64_t errors_of(const char *path, const char *machine) {
    struct quipu_reader *reader = open_as(path, machine);
    struct quipu_check_result result;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const uint64_t errors = quipu_findings_total(quipu_reader_findings(reader), QUIPU_ERROR_FINDING) +
                            quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS);
    quipu_reader_close(reader);
    return errors;
}

static uint64_t records_of(const char *path, const char *machine) {
    struct quipu_reader *reader = open_as(path, machine);
    struct quipu_record record;
    uint64_t count = 0;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        count++;
    quipu_reader_close(reader);
    return count;
}

/* Cut at every byte of its last records, the records before the cut stay. */
static void test_repair_keeps_the_records_before_a_cut(void **state) {
    struct made made;
    const char *whole;
    (void)state;
    make_by_seed(&made, "ipsc860", 3, 20);
    const size_t len = made.out.len;
    for (size_t cut = len - 60; cut < len; cut += 7) {
        made.out.len = cut;
        const char *path = save(&made);
        const uint64_t before = records_of(path, "ipsc860");
        const struct quipu_repair_counts counts = repair(path, "ipsc860", &whole);
        assert_int_equal(counts.retained, before);
        assert_int_equal(records_of(whole, "ipsc860"), before);
        assert_int_equal(errors_of(whole, "ipsc860"), 0);
    }
    made.out.len = len;
    unmake(&made);
}

/* A hole costs the records that it lies in, and no other. */
static void test_repair_goes_on_behind_a_hole(void **state) {
    static const char *const machines[] = {"ipsc860", "cm5", "paragon", "lp64", "lp64-be"};
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct made made;
        const char *whole;
        make_by_seed(&made, machines[i], i, 60);
        const uint64_t all = records_of(save(&made), machines[i]);
        put_rw(&made, 10000, 1, 11, 4, 0, 0, 10); /* what is damaged */
        const size_t offset = made.offset;
        for (unsigned k = 0; k < 5; k++)
            put_rw(&made, 10010 + k, 1, 11, 4, 0, 10 * k, 10);
        memset(made.out.data + offset, 0x5a, 20);
        const struct quipu_repair_counts counts = repair(save(&made), machines[i], &whole);
        assert_int_equal(counts.retained, all + 5);
        assert_true(counts.skipped > 0);
        assert_int_equal(records_of(whole, machines[i]), all + 5);
        unmake(&made);
    }
}

static void test_repair_again_changes_nothing(void **state) {
    struct made made;
    const char *once, *twice;
    size_t once_size, twice_size;
    (void)state;
    make_by_seed(&made, "cm5", 9, 40);
    memset(made.out.data + made.out.len / 2, 0xff, 50);
    repair(save(&made), "cm5", &once);
    repair(once, "cm5", &twice);
    const char *once_bytes = harness_read(once, &once_size), *twice_bytes = harness_read(twice, &twice_size);
    assert_int_equal(once_size, twice_size);
    assert_memory_equal(once_bytes, twice_bytes, once_size);
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_repair_keeps_the_records_before_a_cut),
            cmocka_unit_test(test_repair_goes_on_behind_a_hole),
            cmocka_unit_test(test_repair_again_changes_nothing))
