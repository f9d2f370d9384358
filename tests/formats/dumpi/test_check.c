/* test_check.c: each rule, by a trace that breaks it once, and traces that break none. */
#include "traces.h"

#define WORLD 2

static struct made one_rank(void) {
    struct made made = made_create();
    made_rank(&made, 0);
    return made;
}

/* Exactly one finding of the rule, and none of other rules of the format. */
static void assert_breaks(struct made *made, const char *rule) {
    const char *path = made_close(made);
    struct quipu_reader *reader = opened(path);
    struct quipu_check_result result;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    size_t found = 0;
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const char *id = quipu_findings_at(findings, i)->rule->id;
        if (strncmp(id, "dumpi.", 6) != 0)
            continue;
        assert_string_equal(id, rule);
        found++;
    }
    assert_int_equal(found, 1);
    quipu_reader_close(reader);
}

static void test_check_finds_nothing_in_a_sound_trace(void **state) {
    (void)state;
    struct made made = one_rank();
    CALL(&made, init, .argc = 0);
    CALL(&made, comm_dup, .oldcomm = WORLD, .newcomm = 4);
    CALL(&made, irecv, .count = 1, .datatype = 9, .source = 0, .tag = 1, .comm = 4, .request = 2);
    CALL(&made, send, .count = 1, .datatype = 9, .dest = 0, .tag = 1, .comm = 4);
    CALL(&made, wait, .request = 2, .status = STATUS(4, 0, 1));
    CALL(&made, waitsome, .count = 1, .requests = NUMBERS(1), .outcount = -32766);
    CALL(&made, finalize, 0);
    assert_int_equal(findings_of(made_close(&made), NULL), 0);
}

static void break_footer_counts(void) {
    struct made made = one_rank();
    const struct quipu__dumpi_end end = {293};
    uint32_t called[QUIPU__DUMPI_SLOTS] = {[52] = 3}, ignored[QUIPU__DUMPI_SLOTS] = {[52] = 1};
    const struct quipu__dumpi_footer footer = {QUIPU__DUMPI_FOOTER_MAGIC,
                                               sized(called, QUIPU__DUMPI_SLOTS, sizeof *called),
                                               sized(ignored, QUIPU__DUMPI_SLOTS, sizeof *ignored)};
    CALL(&made, barrier, .comm = WORLD);
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_footer, &footer, NULL);
    assert_breaks(&made, "dumpi.footer-count");
}

static void break_masks(void) {
    struct made made = one_rank();
    made.common.mask |= 0x20;
    CALL(&made, barrier, .comm = WORLD);
    assert_breaks(&made, "dumpi.mask");
}

static void break_nanoseconds(void) {
    struct made made = one_rank();
    size_t size;
    CALL(&made, barrier, .comm = WORLD);
    made_close(&made);
    char *bytes = harness_read(made_file(&made, 0), &size);
    memcpy(bytes + 16 + 5 + 2, "\x3b\x9a\xca\x00", 4); /* 10^9 at the CPU time of the beginning */
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(findings_of(made.path, "dumpi.nanoseconds"), 1);
}

static void break_time_order(void) {
    struct made made = one_rank();
    CALL(&made, barrier, .comm = WORLD);
    made.common.wall_stop -= 5;
    CALL(&made, barrier, .comm = WORLD);
    assert_breaks(&made, "dumpi.time-order");
}

static void break_counters(void) {
    struct made made = one_rank();
    const struct quipu__dumpi_counter counter = {1, 2};
    const struct quipu__dumpi_end end = {293};
    const struct quipu__dumpi_counters none = {NULL};
    made.common.mask |= QUIPU__DUMPI_MASK_COUNTERS;
    made.common.counters = sized(&counter, 1, sizeof counter);
    CALL(&made, barrier, .comm = WORLD);
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_counters, &none, NULL);
    assert_breaks(&made, "dumpi.counters");
}

static void break_lengths(void) {
    struct made made = one_rank();
    const struct quipu__dumpi_status two[2] = {{0}};
    CALL(&made, waitall, .count = 1, .requests = NUMBERS(1), .statuses = sized(two, 2, sizeof *two));
    assert_breaks(&made, "dumpi.status-length");
    made = one_rank();
    CALL(&made, waitall, .count = 2, .requests = NUMBERS(1));
    assert_breaks(&made, "dumpi.list-length");
}

static void break_handles(void) {
    struct made made = one_rank();
    CALL(&made, barrier, .comm = 4);
    assert_breaks(&made, "dumpi.handle");
    made = one_rank();
    CALL(&made, file_close, .file = 1);
    assert_breaks(&made, "dumpi.handle");
    made = one_rank();
    CALL(&made, win_fence, .assertion = 255, .win = 1);
    assert_breaks(&made, "dumpi.handle");
}

static void break_requests(void) {
    struct made made = one_rank();
    CALL(&made, wait, .request = 5);
    assert_breaks(&made, "dumpi.request");
}

static void break_datatypes(void) {
    struct made made = one_rank();
    CALL(&made, bcast, .count = 1, .datatype = 40, .comm = WORLD);
    CALL(&made, bcast, .count = 1, .datatype = 40, .comm = WORLD);
    assert_breaks(&made, "dumpi.datatype");
}

static void break_functions(void) {
    struct made made = one_rank();
    CALL(&made, function_enter, .fn = 77);
    assert_breaks(&made, "dumpi.address");
}

static void test_check_finds_each_broken_rule_at_its_record(void **state) {
    (void)state;
    static void (*const breaks[])(void) = {
        break_footer_counts, break_masks,   break_nanoseconds, break_time_order, break_counters,
        break_lengths,       break_handles, break_requests,    break_datatypes,  break_functions};
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++)
        breaks[i]();
}

/* Recorded traces are sound, but for those of killed processes. */
/* needs: shared */
static void test_check_recorded_traces_are_sound(void **state) {
    (void)state;
    static const char *const names[] = {
        "nonblock-ompi/dumpi-2026.11.20.11.29.22.meta", "coll-ompi/dumpi-2026.11.20.11.28.08.meta",
        "comm-ompi/dumpi-2026.11.20.11.28.09.meta",     "io-ompi/dumpi-2026.11.20.11.28.10.meta",
        "rma-ompi/dumpi-2026.11.20.11.28.10.meta",      "types-ompi/dumpi-2026.11.20.11.28.09.meta",
        "misc-ompi/dumpi-2026.11.20.11.28.11.meta",     "p2p-mpich/dumpi-2026.11.20.11.28.07.meta"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(findings_of(harness_shared(harness_text("traces/dumpi/%s", names[i])), NULL), 0);
    const char *killed = harness_shared("traces/dumpi/killed-in-spawn-mpich/dumpi-2026.11.20.11.28.17.meta");
    assert_int_equal(findings_of(killed, "dumpi.footer-count"), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_check_finds_nothing_in_a_sound_trace),
            cmocka_unit_test(test_check_finds_each_broken_rule_at_its_record),
            cmocka_unit_test(test_check_recorded_traces_are_sound))
