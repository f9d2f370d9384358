/* test_merge.c: the events of all streams by their clocks. */
#include "traces.h"

#include "formats/ovni/merge.h"

struct merged {
    const char *text, *rules;
    uint64_t errors;
};

/* Streams by number and clocks in the order in which they come. */
static struct merged merge(const char *path) {
    struct merged merged = {"", "", 0};
    struct quipu__memory memory;
    struct quipu__files pool;
    struct quipu__ovni_files files;
    struct quipu__ovni_merge merge;
    struct quipu_findings *findings;
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&pool, &memory, 0);
    assert_int_equal(quipu__findings_new(&memory, &findings, NULL), QUIPU_OK);
    assert_int_equal(quipu__ovni_files_open_folder(&files, &memory, &pool, findings, path, NULL), QUIPU_OK);
    assert_int_equal(quipu__ovni_merge_open(&merge, &files, NULL), QUIPU_OK);
    while (quipu__ovni_merge_next(&merge, NULL) == QUIPU_OK)
        merged.text = harness_text("%s%s%u:%llu", merged.text, *merged.text ? " " : "", merge.stream,
                                   (unsigned long long)merge.streams[merge.stream].event.clock);
    merged.errors = merge.errors;
    merged.rules = rules_found(findings);
    quipu__ovni_merge_close(&merge);
    quipu__ovni_files_close(&files);
    quipu__findings_free(findings);
    quipu__files_release(&pool);
    assert_int_equal(memory.used, 0);
    return merged;
}

static void test_merge_events_come_by_their_clocks(void **state) {
    (void)state;
    const struct merged merged = merge(
        MADE_TRACE({.tid = 1, .events = "1 OB.; 4 OB.; 9 OB."}, {.tid = 2, .events = "2 OB.; 3 OB.; 10 OB."}));
    assert_string_equal(merged.text, "0:1 1:2 1:3 0:4 0:9 1:10");
    assert_string_equal(merged.rules, "");
}

/* Three streams with the clocks 5 5. The heap has 0 1 2. 0 is taken, 2 moves to the root: 2 1; the next event of 0 is put behind: 2 1 0.
 * 2 is taken, 0 moves to the root: 0 1, and 2 behind: 0 1 2. 0 is taken and has no more: 2 1. Then 2, and 1 with both of its own. */
static void test_merge_equal_clocks_come_as_the_heap_has_them(void **state) {
    (void)state;
    const struct merged merged =
        merge(MADE_TRACE({.tid = 1, .events = "5 OB.; 5 OB."}, {.tid = 2, .events = "5 OB.; 5 OB."},
                         {.tid = 3, .events = "5 OB.; 5 OB."}));
    assert_string_equal(merged.text, "0:5 2:5 0:5 2:5 1:5 1:5");
}

static void test_merge_clocks_that_go_back_are_found_and_come(void **state) {
    (void)state;
    const struct merged merged =
        merge(MADE_TRACE({.tid = 1, .events = "5 OB.; 3 OB."}, {.tid = 2, .events = "4 OB."}));
    assert_string_equal(merged.text, "1:4 0:5 0:3");
    assert_string_equal(merged.rules, "ovni.clock-back");
}

/* The whole event of the stream that breaks off comes. */
static void test_merge_streams_that_break_off_or_are_empty(void **state) {
    const char *path = MADE_TRACE({.tid = 1, .events = "5 OB.; 6 OB."}, {.tid = 2, .events = ""});
    const char *stream = made_file(path, 1);
    size_t size;
    (void)state;
    const char *bytes = harness_read(stream, &size);
    harness_write(stream, bytes, size - 1);
    const struct merged merged = merge(path);
    assert_int_equal(merged.errors, 1);
    assert_string_equal(merged.text, "0:5");
    assert_non_null(strstr(merged.rules, "ovni.truncated"));
    assert_non_null(strstr(merged.rules, "ovni.no-events"));
}

/* 64 MiB for all windows and one more, at least 4 KiB and at most 1 MiB for each; a quarter of the memory where that is less. */
static void test_merge_windows_share_the_memory(void **state) {
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, (size_t)1 << 30);
    assert_int_equal(quipu__ovni_window(&memory, 1), 1 << 20);
    assert_int_equal(quipu__ovni_window(&memory, 127), (64 << 20) / 128);
    assert_int_equal(quipu__ovni_window(&memory, 1000000), 4 << 10);
    quipu__memory_init(&memory, NULL, (size_t)1 << 20);
    assert_int_equal(quipu__ovni_window(&memory, 7), (256 << 10) / 8);
}

QUIPU_TESTS(cmocka_unit_test(test_merge_events_come_by_their_clocks),
            cmocka_unit_test(test_merge_equal_clocks_come_as_the_heap_has_them),
            cmocka_unit_test(test_merge_clocks_that_go_back_are_found_and_come),
            cmocka_unit_test(test_merge_streams_that_break_off_or_are_empty),
            cmocka_unit_test(test_merge_windows_share_the_memory))
