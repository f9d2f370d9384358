/* test_check.c: the rules that hold for any trace, the verdict, and how both are shown. */
#include "trace/fake.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define ENTER(t, r)                                                                                            \
    { .time = (t), .kind = QUIPU_KIND_enter, .object = (r) }
#define LEAVE(t, r)                                                                                            \
    { .time = (t), .kind = QUIPU_KIND_leave, .object = (r), .byte_offset = 77 }

/* What checking one stream of events finds. */
struct found {
    enum quipu_verdict verdict;
    size_t count;
    char rules[256]; /* identifiers, each followed by a space */
    char first[256]; /* text of the first finding */
};

static struct found check_streams(const struct fake_stream *streams, uint32_t count) {
    const struct fake_trace trace = {streams, count, 2, 3, 1, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_check_result result;
    struct found found = {.count = 0};
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    found.verdict = result.verdict;
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    found.count = quipu_findings_count(findings);
    for (size_t i = 0; i < found.count; i++) {
        strncat(found.rules, quipu_findings_at(findings, i)->rule->id, 100);
        strncat(found.rules, " ", 2);
    }
    if (found.count > 0)
        quipu_finding_text(quipu_findings_at(findings, 0), found.first, sizeof found.first);
    quipu_reader_close(reader);
    return found;
}

static struct found check_rows(const struct quipu_event *rows, uint32_t count) {
    const struct fake_stream stream = {rows, count, 1};
    return check_streams(&stream, 1);
}

static void test_check_finds_nothing_in_a_sound_trace(void **state) {
    (void)state;
    static const struct quipu_event a[] = {ENTER(1, 0),
                                           ENTER(1, 1),
                                           {.time = 2, .kind = QUIPU_KIND_send, .peer = 1, .group = QUIPU_NONE},
                                           LEAVE(3, QUIPU_NONE),
                                           LEAVE(4, 0)};
    static const struct quipu_event b[] = {
        {.time = 1, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .group = QUIPU_NONE}};
    static const struct fake_stream streams[] = {{a, COUNT(a), 1}, {b, COUNT(b), 1}};
    const struct found found = check_streams(streams, 2);
    assert_int_equal(found.verdict, QUIPU_VERDICT_OK);
    assert_string_equal(found.rules, "");
}

static void test_check_finds_unbalanced_regions(void **state) {
    (void)state;
    static const struct quipu_event leave_only[] = {LEAVE(1, 2), ENTER(2, 0), LEAVE(3, 0)};
    struct found found = check_rows(leave_only, COUNT(leave_only));
    assert_string_equal(found.rules, "model.leave-only ");
    assert_int_equal(found.verdict, QUIPU_VERDICT_WARN);
    assert_non_null(strstr(found.first, "memory: byte 77"));
    assert_non_null(strstr(found.first, "region 2 at rank 0"));

    static const struct quipu_event enter_only[] = {ENTER(1, 0), ENTER(2, 1)};
    found = check_rows(enter_only, COUNT(enter_only));
    assert_string_equal(found.rules, "model.enter-only ");
    assert_int_equal(found.verdict, QUIPU_VERDICT_WARN);
    assert_non_null(
        strstr(found.first, "rank 0: 2 regions still open at end of trace (no Leave), outermost region 0"));

    static const struct quipu_event wrong[] = {ENTER(1, 0), ENTER(2, 1), LEAVE(3, 0), ENTER(4, 2), LEAVE(5, 2)};
    found = check_rows(wrong, COUNT(wrong));
    assert_string_equal(found.rules, "model.wrong-leave "); /* and nothing that follows from it */
    assert_int_equal(found.verdict, QUIPU_VERDICT_REJECT);
    assert_non_null(strstr(found.first, "region 0 at rank 0"));
}

static void test_check_lets_blocks_of_the_user_overlap(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {ENTER(1, 0), ENTER(2, 1), LEAVE(3, 0), LEAVE(4, 1)};
    static const struct fake_stream stream = {rows, COUNT(rows), 1};
    fake_nesting = QUIPU_NESTING_FREE;
    const struct found found = check_streams(&stream, 1);
    fake_nesting = QUIPU_NESTING_STRICT;
    assert_int_equal(found.verdict, QUIPU_VERDICT_WARN);
    assert_non_null(strstr(found.rules, "model.overlap "));
    assert_null(strstr(found.rules, "model.wrong-leave"));
}

static void test_check_finds_time_that_goes_back_in_one_location_only(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {{.time = 5, .kind = QUIPU_KIND_note, .location = 0},
                                              {.time = 4, .kind = QUIPU_KIND_note, .location = 1},
                                              {.time = 3, .kind = QUIPU_KIND_note, .location = 1}};
    const struct found found = check_rows(rows, COUNT(rows));
    assert_string_equal(found.rules, "model.time-back ");
    assert_int_equal(found.verdict, QUIPU_VERDICT_REJECT);
    assert_non_null(strstr(found.first, "timestamp 3 at rank 1 precedes previous timestamp 4"));
    static const struct fake_stream numbers[] = {{rows, 1, 1}, {rows + 1, 1, 1}, {rows + 1, 1, 1}};
    assert_int_equal(check_streams(numbers, 3).count, 0);
}

static void test_check_counts_messages_by_their_class(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {
        {.time = 1, .kind = QUIPU_KIND_send, .location = 0, .peer = 1, .tag = 5, .group = QUIPU_NONE},
        {.time = 1, .kind = QUIPU_KIND_send, .location = 0, .peer = 1, .tag = 5, .group = QUIPU_NONE},
        {.time = 2, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .tag = 5, .group = QUIPU_NONE},
        {.time = 3, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .tag = 6, .group = QUIPU_NONE},
        {.time = 4, .kind = QUIPU_KIND_recv, .location = 1, .peer = QUIPU_NONE, .group = QUIPU_NONE},
    };
    const struct found found = check_rows(rows, COUNT(rows));
    assert_string_equal(found.rules, "model.send-only model.receive-only ");
    assert_int_equal(found.verdict, QUIPU_VERDICT_WARN);
    assert_non_null(strstr(found.first, "1 unmatched send: rank 0 → rank 1, tag 5, communicator unknown"));
}

static void test_check_finds_undefined_references(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {
        {.time = 1, .kind = QUIPU_KIND_note, .location = 2},
        {.time = 2, .kind = QUIPU_KIND_metric, .location = 0, .object = 1},
        {.time = 3, .kind = QUIPU_KIND_recv, .location = 0, .peer = QUIPU_NONE, .group = 9},
    };
    const struct found found = check_rows(rows, COUNT(rows));
    assert_string_equal(found.rules, "model.undefined model.undefined model.undefined ");
    assert_int_equal(found.verdict, QUIPU_VERDICT_REJECT);
}

static void test_check_bounds_the_depth_of_regions(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    struct quipu_event *rows = calloc(2 * DEPTH, sizeof *rows);
    for (uint32_t i = 0; i < 2 * DEPTH; i++)
        rows[i] = (struct quipu_event){.time = i, .kind = i < DEPTH ? QUIPU_KIND_enter : QUIPU_KIND_leave};
    assert_int_equal(check_rows(rows, 2 * DEPTH).count, 0);
    const struct found found = check_rows(rows, 2 * DEPTH - 1);
    assert_non_null(strstr(found.first, "rank 0: 1 region still open"));
    free(rows);
}

QUIPU_TESTS(cmocka_unit_test(test_check_finds_nothing_in_a_sound_trace),
            cmocka_unit_test(test_check_finds_unbalanced_regions),
            cmocka_unit_test(test_check_lets_blocks_of_the_user_overlap),
            cmocka_unit_test(test_check_finds_time_that_goes_back_in_one_location_only),
            cmocka_unit_test(test_check_counts_messages_by_their_class),
            cmocka_unit_test(test_check_finds_undefined_references),
            cmocka_unit_test(test_check_bounds_the_depth_of_regions))
