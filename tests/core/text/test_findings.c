/* test_findings.c: collecting findings and showing them. */
#include "harness.h"

#include "core/text/findings.h"

#include <inttypes.h>
#include <pthread.h>

static const struct quipu_rule bad_count = {"W21", QUIPU_ERROR_FINDING, "a count is negative", "nothing helps",
                                            NULL};
static const struct quipu_rule cut = {"cut", QUIPU_DATA_LOSS, "the file ends inside a record", "", NULL};
static const struct quipu_rule test_rule = {"test_rule", QUIPU_INFO, "an test_rule but harmless thing", "",
                                            NULL};

static struct quipu__memory memory;
static struct quipu_findings *findings;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    return quipu__findings_new(&memory, &findings, NULL);
}

static int tear_down(void **state) {
    (void)state;
    quipu__findings_free(findings);
    return memory.used == 0 ? 0 : -1;
}

static void test_findings_keep_copies_of_their_texts(void **state) {
    (void)state;
    char file[] = "rank-0.bin", field[] = "count";
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = file, where.byte = 40, where.record = 2, where.type = "MPI_Send", where.field = field;
    quipu__find(findings, &bad_count, &where, "0 or more", "%d", -3);
    memset(file, 'x', sizeof file - 1);
    memset(field, 'x', sizeof field - 1);

    assert_int_equal(quipu_findings_count(findings), 1);
    const struct quipu_finding *finding = quipu_findings_at(findings, 0);
    assert_ptr_equal(finding->rule, &bad_count);
    assert_string_equal(finding->file, "rank-0.bin");
    assert_string_equal(finding->field, "count");
    assert_string_equal(finding->found, "-3");
    assert_string_equal(finding->expected, "0 or more");
}

static void test_findings_text_names_place_rule_and_both_sides(void **state) {
    (void)state;
    char text[512];
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = "rank-0.bin", where.byte = 40, where.record = 2, where.type = "MPI_Send",
    where.field = "count";
    quipu__find(findings, &bad_count, &where, "0 or more", "%d", -3);
    assert_string_equal(quipu_finding_text(quipu_findings_at(findings, 0), text, sizeof text),
                        "rank-0.bin: byte 40, record 2, MPI_Send.count: a count is negative: found -3, "
                        "expected 0 or more [W21]");
}

static void test_findings_text_is_the_sentence_of_the_rule(void **state) {
    (void)state;
    static const struct quipu_rule back = {"back", QUIPU_ERROR_FINDING, "timestamps precede others", "",
                                           "timestamp {found} precedes {x} {expected}{"};
    char text[512];
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = "a.events", where.line = 7;
    quipu__find(findings, &back, &where, "0x1b24", "0x%x", 0x81);
    assert_string_equal(quipu_finding_text(quipu_findings_at(findings, 0), text, sizeof text),
                        "a.events: line 7: timestamp 0x81 precedes {x} 0x1b24{ [back]");
}

static void test_findings_text_leaves_out_what_is_not_known(void **state) {
    (void)state;
    char text[512];
    const struct quipu__where where = QUIPU__WHERE_INIT;
    quipu__find(findings, &test_rule, &where, "", "%s", "");
    assert_string_equal(quipu_finding_text(quipu_findings_at(findings, 0), text, sizeof text),
                        "an test_rule but harmless thing [test_rule]");
}

static void test_findings_of_one_rule_are_counted_beyond_those_kept(void **state) {
    (void)state;
    const struct quipu__where where = QUIPU__WHERE_INIT;
    for (int i = 0; i < 1000; i++)
        quipu__find(findings, &cut, &where, "", "%d", i);
    quipu__find(findings, &test_rule, &where, "", "last");
    assert_int_equal(quipu_findings_count(findings), QUIPU_FINDINGS_LISTED + 1);
    assert_int_equal(quipu_findings_total_of(findings, &cut), 1000);
    assert_int_equal(quipu_findings_total_of(findings, &bad_count), 0);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 1000);
    assert_int_equal(quipu_findings_total(findings, QUIPU_INFO), 1);
    assert_int_equal(quipu_findings_total(findings, QUIPU_ERROR_FINDING), 0);
    assert_string_equal(quipu_findings_at(findings, QUIPU_FINDINGS_LISTED - 1)->found, "99");
    assert_string_equal(quipu_findings_at(findings, QUIPU_FINDINGS_LISTED)->found, "last");
}

/* A trace of 19 KB had 143,936 findings: all are counted, rule by rule, in as much memory as the first hundred take. */
static void test_findings_take_memory_by_rule_and_not_by_number(void **state) {
    (void)state;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = "a";
    quipu__find(findings, &test_rule, &where, "", "one");
    for (int i = 0; i < QUIPU_FINDINGS_LISTED; i++)
        quipu__find(findings, &cut, &where, "nothing", "%d", i);
    const size_t used = memory.used;
    const uint64_t requests = memory.requests;
    for (int i = QUIPU_FINDINGS_LISTED; i < 143936; i++)
        quipu__find(findings, &cut, &where, "nothing", "%d", i);
    assert_int_equal(memory.used, used);
    assert_int_equal(memory.requests, requests);
    assert_int_equal(quipu_findings_rule_count(findings), 2);
    assert_ptr_equal(quipu_findings_rule_at(findings, 0), &test_rule);
    assert_ptr_equal(quipu_findings_rule_at(findings, 1), &cut);
    assert_int_equal(quipu_findings_total_of(findings, &test_rule), 1);
    assert_int_equal(quipu_findings_total_of(findings, &cut), 143936);
}

static void test_findings_of_one_file_share_its_name(void **state) {
    (void)state;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = "a";
    quipu__find(findings, &test_rule, &where, "", "1");
    quipu__find(findings, &test_rule, &where, "", "2");
    where.file = "b";
    quipu__find(findings, &test_rule, &where, "", "3");
    assert_ptr_equal(quipu_findings_at(findings, 0)->file, quipu_findings_at(findings, 1)->file);
    assert_string_equal(quipu_findings_at(findings, 2)->file, "b");
}

static void test_findings_clear_forgets_all(void **state) {
    (void)state;
    const struct quipu__where where = QUIPU__WHERE_INIT;
    quipu__find(findings, &cut, &where, "", "x");
    quipu__findings_clear(findings);
    assert_int_equal(quipu_findings_count(findings), 0);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 0);
    assert_int_equal(quipu_findings_total_of(findings, &cut), 0);
}

static void test_findings_are_counted_when_memory_is_out(void **state) {
    (void)state;
    const struct quipu__where where = QUIPU__WHERE_INIT;
    memory.limit = memory.used;
    quipu__find(findings, &cut, &where, "", "x");
    assert_int_equal(quipu_findings_count(findings), 0);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 1);
}

static void *find_many(void *context) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    for (int i = 0; i < 500; i++)
        quipu__find(context, &cut, &where, "", "%d", i);
    return NULL;
}

static void test_findings_may_come_from_several_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_many, findings), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 2000);
    assert_int_equal(quipu_findings_count(findings), QUIPU_FINDINGS_LISTED);
}

static void find_numbered(uint32_t source, uint32_t count) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    quipu__findings_begin(findings, source);
    for (uint32_t i = 0; i < count; i++)
        quipu__find(findings, &test_rule, &where, "", "%" PRIu32 " of source %" PRIu32, i, source);
}

static void test_findings_are_those_of_the_first_sources_whoever_comes_first(void **state) {
    (void)state;
    const struct quipu__where where = QUIPU__WHERE_INIT;
    quipu__find(findings, &test_rule, &where, "", "opening");
    assert_true(quipu__findings_share(findings, 1));
    find_numbered(5, 150);
    find_numbered(2, 30);
    find_numbered(3, 10);
    find_numbered(6, 10);
    quipu__findings_end_sharing(findings);
    quipu__find(findings, &cut, &where, "", "at the end");

    assert_int_equal(quipu_findings_count(findings), QUIPU_FINDINGS_LISTED + 1);
    assert_int_equal(quipu_findings_total_of(findings, &test_rule), 201);
    assert_string_equal(quipu_findings_at(findings, 0)->found, "opening");
    assert_string_equal(quipu_findings_at(findings, 1)->found, "0 of source 2");
    assert_string_equal(quipu_findings_at(findings, 30)->found, "29 of source 2");
    assert_string_equal(quipu_findings_at(findings, 40)->found, "9 of source 3");
    assert_string_equal(quipu_findings_at(findings, 41)->found, "0 of source 5");
    assert_string_equal(quipu_findings_at(findings, 99)->found, "58 of source 5");
    assert_string_equal(quipu_findings_at(findings, 100)->found, "at the end");
}

static void test_findings_of_a_file_of_several_sources_are_of_the_first(void **state) {
    (void)state;
    assert_true(quipu__findings_share(findings, 1));
    find_numbered(3, 1);
    quipu__find_broken_compression(findings, "packed.1.snaps", 10);
    quipu__findings_begin(findings, 1);
    quipu__find_broken_compression(findings, "packed.1.snaps", 10);
    quipu__findings_begin(findings, 2);
    quipu__find_broken_compression(findings, "packed.1.snaps", 10);
    quipu__findings_end_sharing(findings);

    assert_int_equal(quipu_findings_count(findings), 2);
    assert_int_equal(quipu_findings_total(findings, QUIPU_ERROR_FINDING), 1);
    assert_string_equal(quipu_findings_at(findings, 0)->file, "packed.1.snaps");
    assert_string_equal(quipu_findings_at(findings, 1)->found, "0 of source 3");
}

static void test_findings_severities_have_names(void **state) {
    (void)state;
    assert_string_equal(quipu_severity_name(QUIPU_INFO), "info");
    assert_string_equal(quipu_severity_name(QUIPU_REMARK), "remark");
    assert_string_equal(quipu_severity_name(QUIPU_NOTICE), "notice");
    assert_string_equal(quipu_severity_name(QUIPU_DATA_LOSS), "data-loss");
    assert_string_equal(quipu_severity_name(QUIPU_ERROR_FINDING), "error");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
QUIPU_TESTS(TEST(test_findings_keep_copies_of_their_texts),
            TEST(test_findings_text_names_place_rule_and_both_sides),
            TEST(test_findings_text_is_the_sentence_of_the_rule),
            TEST(test_findings_text_leaves_out_what_is_not_known),
            TEST(test_findings_of_one_rule_are_counted_beyond_those_kept),
            TEST(test_findings_take_memory_by_rule_and_not_by_number),
            TEST(test_findings_of_one_file_share_its_name), TEST(test_findings_clear_forgets_all),
            TEST(test_findings_are_counted_when_memory_is_out),
            TEST(test_findings_may_come_from_several_threads),
            TEST(test_findings_are_those_of_the_first_sources_whoever_comes_first),
            TEST(test_findings_of_a_file_of_several_sources_are_of_the_first),
            TEST(test_findings_severities_have_names))
