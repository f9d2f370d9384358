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

/* Appends a request in a few words, as one that follows others has it. */
static void put_compressed(struct made *made, struct quipu__charisma_tracking *tracking, int64_t time,
                           int64_t offset) {
    struct quipu__charisma_single_request list = {{1, 0}, {offset, 64, 512, 1}};
    struct quipu__charisma_word_list words;
    union quipu__charisma_any compressed;
    const struct quipu__charisma_rw rw = {.record_type = QUIPU__CHARISMA_TYPE_rw,
                                          .starttime = ticks(made, time),
                                          .endtime = ticks(made, time + 5),
                                          .file_desc = 11,
                                          .operation_type = QUIPU__CHARISMA_OF_CLIENT,
                                          .appl_id = made->codec.profile.no_app,
                                          .num_clients = 1,
                                          .requests = &list.entry};
    assert_true(quipu__charisma_compress(tracking, &rw, &words, &compressed.comp_rw));
    put(made, QUIPU__CHARISMA_TYPE_comp_rw, compressed);
}

/* The first of four compressed requests has the size and the stride to which the others refer; without it they are written in
 * full, with what is known of them: their times, and 0 for the size and the stride. */
static void test_repair_writes_requests_in_full_that_refer_to_lost_ones(void **state) {
    struct quipu__charisma_tracking tracking;
    struct made made;
    const char *whole;
    struct quipu_record record;
    (void)state;
    make(&made, "lp64", false);
    put_load(&made, 10, 7, 1);
    put_open(&made, 20, 1, 11, 71, QUIPU__CHARISMA_OPEN_READ_WRITE);
    quipu__charisma_tracking_init(&tracking, &made.memory, &made.codec.profile);
    size_t first = 0, second = 0;
    for (int64_t i = 0; i < 4; i++) {
        put_compressed(&made, &tracking, 100 + 10 * i, 512 * (i + 1));
        first = i == 0 ? made.offset : first;
        second = i == 1 ? made.offset : second;
    }
    quipu__charisma_tracking_release(&tracking);
    memmove(made.out.data + first, made.out.data + second, made.out.len - second);
    made.out.len -= second - first;
    const char *path = save(&made);
    assert_int_equal(
        errors_of(path, "lp64"),

        3 * 2 +
            2); /* size and stride; the last two refer to the second step in memory, which is the first now */
    const struct quipu_repair_counts counts = repair(path, "lp64", &whole);
    assert_int_equal(counts.retained, 6);
    assert_int_equal(errors_of(whole, "lp64"), 0);
    struct quipu_reader *reader = open_as(whole, "lp64");
    for (unsigned i = 0; quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK; i++) {
        const struct quipu__charisma_rw *rw = record.data;
        if (i < 3)
            continue;
        assert_string_equal(record.type->name, "RW");
        assert_int_equal(rw->requests->offset, 0);
        assert_int_equal(rw->requests->IO_size, 0);
        assert_int_equal(rw->endtime.i - rw->starttime.i, 5);
    }
    quipu_reader_close(reader);
    unmake(&made);
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
            cmocka_unit_test(test_repair_writes_requests_in_full_that_refer_to_lost_ones),
            cmocka_unit_test(test_repair_again_changes_nothing))
