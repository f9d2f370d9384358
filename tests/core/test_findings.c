/* test_findings.c: findings, errors and their lines of text; the heap of merges. */
#include "harness.h"

#include "core/error.h"
#include "core/findings.h"
#include "core/heap.h"

static const struct quipu_rule rule_lost = {"x.lost", QUIPU_DATA_LOSS, "bytes could not be read", ""};
static const struct quipu_rule rule_odd = {"x.odd", QUIPU_NOTICE, "odd", ""};

static void test_findings_keep_the_first_hundred_of_a_rule_and_count_all(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu_findings *findings;
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__findings_new(&memory, &findings, NULL), QUIPU_OK);
    struct quipu__place place = QUIPU__PLACE_INIT;
    place.file = "a.bin";
    for (uint64_t i = 0; i < 1000; i++) {
        place.byte = i;
        quipu__find(findings, &rule_lost, &place, "24 bytes", "%d bytes", 9);
    }
    quipu__find(findings, &rule_odd, &place, "", "%s", "x");
    assert_int_equal(quipu_findings_count(findings), QUIPU_FINDINGS_KEPT + 1);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 1000);
    assert_int_equal(quipu_findings_total(findings, QUIPU_NOTICE), 1);
    assert_int_equal(quipu_findings_total(findings, QUIPU_ERROR_FINDING), 0);
    assert_int_equal(quipu__findings_of(findings, &rule_lost), 1000);
    const struct quipu_finding *finding = quipu_findings_at(findings, 99);
    assert_int_equal(finding->byte, 99);
    assert_string_equal(finding->file, "a.bin");
    assert_string_equal(finding->found, "9 bytes");
    assert_string_equal(finding->expected, "24 bytes");
    quipu__findings_clear(findings);
    assert_int_equal(quipu_findings_count(findings), 0);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 0);
    quipu__findings_free(findings);
    assert_int_equal(memory.used, 0);
}

static void test_findings_read_as_one_line(void **state) {
    (void)state;
    char text[200];
    const struct quipu_finding whole = {&rule_lost, "a.bin", 1048593, QUIPU_UNKNOWN, 40211,
                                        "send",     "count", "9",     "24"};
    assert_string_equal(
        quipu_finding_text(&whole, text, sizeof text),
        "a.bin: byte 1048593, record 40211, send.count: bytes could not be read: found 9, expected "
        "24 [x.lost]");
    const struct quipu_finding bare = {&rule_odd, "", QUIPU_UNKNOWN, QUIPU_UNKNOWN, QUIPU_UNKNOWN, "", "",
                                       "",        ""};
    assert_string_equal(quipu_finding_text(&bare, text, sizeof text), "odd [x.odd]");
    assert_string_equal(quipu_finding_text(&whole, text, 6), "a.bin");
}

static void test_error_reads_as_one_line(void **state) {
    (void)state;
    char text[200];
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__fail(&err, QUIPU_CORRUPT, "%d entries but %d bytes left", 70000, 96),
                     QUIPU_CORRUPT);
    quipu__at(&err, "t.bin", 18204);
    quipu__at(&err, "other", 1); /* the first place stays */
    assert_string_equal(quipu_error_text(&err, text, sizeof text),
                        "t.bin: byte 18204: 70000 entries but 96 bytes left");
    assert_int_equal(quipu__fail(NULL, QUIPU_IO, "nobody listens"), QUIPU_IO);
    quipu_error_clear(&err);
    assert_string_equal(quipu_error_text(&err, text, sizeof text), "success");
}

static void test_status_names_and_sentences(void **state) {
    (void)state;
    assert_string_equal(quipu_status_name(QUIPU_TRUNCATED), "TRUNCATED");
    assert_string_equal(quipu_status_text(QUIPU_END), "there is nothing more");
    assert_string_equal(quipu_status_name((enum quipu_status)99), "UNKNOWN");
    assert_string_equal(quipu_version(), "0.1.0");
}

static void test_heap_gives_time_then_location_then_source(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__heap heap;
    quipu__memory_init(&memory, NULL, 0);
    quipu__heap_init(&heap, &memory);
    static const struct quipu__heap_entry in[] = {{5, 1, 0}, {3, 2, 1},  {3, 1, 9},
                                                  {3, 1, 2}, {-7, 9, 3}, {5, 0, 4}};
    static const struct quipu__heap_entry want[] = {{-7, 9, 3}, {3, 1, 2}, {3, 1, 9},
                                                    {3, 2, 1},  {5, 0, 4}, {5, 1, 0}};
    for (size_t i = 0; i < 6; i++)
        assert_true(quipu__heap_push(&heap, in[i]));
    for (size_t i = 0; i < 6; i++) {
        assert_true(heap.entries[0].time == want[i].time);
        assert_int_equal(heap.entries[0].location, want[i].location);
        assert_int_equal(heap.entries[0].source, want[i].source);
        quipu__heap_pop(&heap);
    }
    assert_int_equal(heap.count, 0);
    quipu__heap_release(&heap);
}

static void test_heap_sorts_a_thousand(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__heap heap;
    quipu__memory_init(&memory, NULL, 0);
    quipu__heap_init(&heap, &memory);
    for (uint32_t i = 0, x = 7; i < 1000; i++, x = x * 1103515245 + 12345)
        assert_true(quipu__heap_push(&heap, (struct quipu__heap_entry){x >> 20, 0, i}));
    int64_t last = -1;
    while (heap.count) {
        assert_true(heap.entries[0].time >= last);
        last = heap.entries[0].time;
        quipu__heap_pop(&heap);
    }
    quipu__heap_release(&heap);
}

QUIPU_TESTS(cmocka_unit_test(test_findings_keep_the_first_hundred_of_a_rule_and_count_all),
            cmocka_unit_test(test_findings_read_as_one_line), cmocka_unit_test(test_error_reads_as_one_line),
            cmocka_unit_test(test_status_names_and_sentences),
            cmocka_unit_test(test_heap_gives_time_then_location_then_source),
            cmocka_unit_test(test_heap_sorts_a_thousand))
