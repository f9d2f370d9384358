/* test_files.c: the streams of a folder, in all layouts. */
#include "traces.h"

/* Layout, offsets and streams of a path: name, layout, h for a header, o for old models, ! for a missing file. */
static const char *files_of(const char *path, const char **rules) {
    struct quipu__memory memory;
    struct quipu__files pool;
    struct quipu__ovni_files files;
    struct quipu_findings *findings;
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&pool, &memory, 0);
    assert_int_equal(quipu__findings_new(&memory, &findings, NULL), QUIPU_OK);
    assert_int_equal(quipu__ovni_files_open(&files, &memory, &pool, findings, path, NULL), QUIPU_OK);
    const char *text = harness_text("%d%s", files.layout, files.offsets ? " offsets" : "");
    for (size_t i = 0; i < files.streams.count; i++) {
        const struct quipu__ovni_stream *stream = &files.streams.items[i];
        text = harness_text("%s; %s %d%s%s%s%s", text, stream->name, stream->layout,
                            stream->has_header ? "h" : "", stream->has_old_models ? "o" : "",
                            stream->is_missing ? "!" : "", stream->metadata ? "" : " none");
    }
    if (rules)
        *rules = rules_found(findings);
    quipu__ovni_files_close(&files);
    quipu__findings_free(findings);
    quipu__files_release(&pool);
    assert_int_equal(memory.used, 0);
    return text;
}

#define ONE "0 OHx i0 i-1 q0; 1 OHe"

/* Streams are in the order of their folders, at any depth. */
static void test_files_of_the_newest_layout(void **state) {
    const char *rules,
        *path = MADE_TRACE({.tid = 2, .events = ONE}, {.tid = 10, .events = ONE}, {.tid = 1, .events = ONE});
    (void)state;
    assert_string_equal(files_of(path, &rules),
                        "3; loom.made/thread.1 3h; loom.made/thread.10 3h; loom.made/thread.2 3h");
    assert_string_equal(rules, "");
    harness_write(harness_text("%s/clock-offsets.txt", path), "x", 1);
    assert_string_equal(files_of(harness_text("%s//", path), NULL),
                        "3 offsets; loom.made/thread.1 3h; loom.made/thread.10 3h; loom.made/thread.2 3h");
    assert_string_equal(files_of(made_file(path, 10), NULL), "3;  3h"); /* one file */
}

static void test_files_of_older_layouts(void **state) {
    static const struct {
        enum quipu__ovni_layout layout;
        bool without_suffix;
        const char *expected;
    } cases[] = {{QUIPU__OVNI_LAYOUT_2, false, "2; loom.n.1/proc.7/thread.8 2h"},
                 {QUIPU__OVNI_LAYOUT_1, false, "1; loom.n.1/proc.7/thread.8 1h"},
                 {QUIPU__OVNI_LAYOUT_1, true, "1; loom.n.1/proc.7/thread.8 1ho"},
                 {QUIPU__OVNI_LAYOUT_RAW, true, "0; loom.n.1/proc.7/thread.8 0o"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rules, *path = made_old(cases[i].layout, cases[i].without_suffix, ONE);
        assert_string_equal(files_of(path, &rules), cases[i].expected);
        assert_string_equal(rules, "");
        /* The folders of the loom and of the process will do as well. */
        assert_string_equal(files_of(harness_text("%s/loom.n.1", path), NULL), cases[i].expected);
        assert_string_equal(files_of(harness_text("%s/loom.n.1/proc.7", path), NULL), cases[i].expected);
    }
}

static void write_text(const char *path, const char *text) {
    harness_write(path, text, strlen(text));
}

static void test_files_that_cannot_be_streams(void **state) {
    const char *rules, *path = MADE_TRACE({.tid = 2, .events = ONE});
    (void)state;
    const char *metadata = harness_text("%s/loom.made/thread.2/stream.json", path);
    write_text(metadata, "{\"version\": 4}");
    assert_string_equal(files_of(path, &rules), "3; loom.made/thread.2 3h none");
    assert_string_equal(rules, "ovni.metadata-version");
    write_text(metadata, "{\"version\": 3.9}"); /* which is 3 */
    assert_string_equal(files_of(path, &rules), "3; loom.made/thread.2 3h");
    assert_string_equal(rules, "");
    write_text(metadata, "[]");
    files_of(path, &rules);
    assert_string_equal(rules, "ovni.metadata");
    write_text(metadata, "{\"version\": 3}");
    remove(made_file(path, 2));
    assert_string_equal(files_of(path, &rules), "3; loom.made/thread.2 3h!");
    assert_string_equal(rules, "ovni.stream-missing");
    remove(metadata);
    assert_string_equal(files_of(path, NULL), "3");
}

/* The models of a stream that says none are those of its events. */
static void test_files_models_of_older_streams_are_those_of_their_events(void **state) {
    struct quipu_reader *reader =
        made_reader(made_old(QUIPU__OVNI_LAYOUT_1, false, "0 OB.; 1 VSh; 2 VSf; 3 MS[; 4 MS]"));
    struct quipu_event event;
    unsigned count = 0;
    (void)state;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        count += event.kind == QUIPU_KIND_enter || event.kind == QUIPU_KIND_leave;
    assert_int_equal(count, 4);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_files_of_the_newest_layout), cmocka_unit_test(test_files_of_older_layouts),
            cmocka_unit_test(test_files_that_cannot_be_streams),
            cmocka_unit_test(test_files_models_of_older_streams_are_those_of_their_events))
