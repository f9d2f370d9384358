/* test_view.c: questions of a view: what is none, and what happens when memory is out; the section of a report. What answers say is tested in
 * test_timeline.py. */
#include "harness.h"

#include "core/memory/buffer.h"
#include "picture/timeline_embed.h"

#include <quipu/index.h>
#include <quipu/view.h>

#include <stdlib.h>

static enum quipu_status add(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    quipu__put(context, data, size);
    return QUIPU_OK;
}

struct failing {
    uint64_t requests, fails_at;
    int64_t bytes;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct failing *failing = context;
    if (size > 0 && failing->requests++ == failing->fails_at)
        return NULL;
    failing->bytes += (int64_t)size - (int64_t)old_size;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static const char *const questions[] = {"trace",
                                        "rows",
                                        "tile?by=location&level=0&index=0&rows=0-3",
                                        "tile?by=location&level=0&index=0&rows=0&where=time+%3E+0",
                                        "calls?from=0&to=1000000&rows=0-3",
                                        "messages?from=0&to=1000000&rows=0-3",
                                        "counter?from=0&to=1000000&rows=0-1&metric=0",
                                        "waits?from=0&to=1000000&rows=0-3",
                                        "path?from=0&to=1000000&rows=0-3",
                                        "statistics?from=0&to=1000000",
                                        "search?text=a",
                                        "next?region=0&from=0"};

/* Each answer is there, or memory was out; a table without room for its rows is a limit. */
static uint64_t ask_all(struct quipu_view *view) {
    uint64_t refused = 0;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct quipu__memory memory;
        struct quipu__buffer out;
        quipu__memory_init(&memory, NULL, 0);
        quipu__buffer_init(&out, &memory, 0);
        struct quipu_error err = QUIPU_ERROR_INIT;
        const enum quipu_status status =
            quipu_view_answer(view, questions[i], (struct quipu_sink){add, &out}, &err);
        if (status != QUIPU_OK && status != QUIPU_NO_MEMORY && status != QUIPU_LIMIT)
            fail_msg("%s: %s", questions[i], err.message);
        assert_true(status != QUIPU_OK || (out.len > 2 && out.data[out.len - 2] == '}'));
        refused += status != QUIPU_OK;
        quipu__buffer_release(&out);
    }
    return refused;
}

static uint64_t view_failing(const char *path, const char *index, struct failing *failing) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_view *view = NULL;
    uint64_t refused = 1;
    options.allocator = (struct quipu_allocator){resize, failing};
    options.index = index;
    if (quipu_reader_open(path, &options, &reader, NULL) == QUIPU_OK &&
        quipu_view_new(reader, &view, NULL) == QUIPU_OK)
        refused = ask_all(view);
    quipu_view_free(view);
    quipu_reader_close(reader);
    return refused;
}

static const char *make_index(const char *path) {
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *index = harness_text("%s/small.qpx", harness_folder());
    options.count = 4;
    assert_int_equal(quipu_reader_open(path, NULL, &reader, &err), QUIPU_OK);
    if (quipu_index_build(reader, index, &options, &result, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_reader_close(reader);
    return index;
}

static void test_view_survives_the_failure_of_any_request_for_memory(void **state) {
    (void)state;
    const char *path = harness_data("otf/small.otf"), *index = make_index(path);
    for (int with_index = 0; with_index < 2; with_index++) {
        struct failing failing = {.fails_at = UINT64_MAX};
        assert_int_equal(view_failing(path, with_index ? index : "", &failing), 0);
        assert_true(failing.bytes == 0);
        const uint64_t requests = failing.requests;
        uint64_t refused = 0;
        assert_true(requests > 500);
        for (uint64_t n = 0; n < requests; n++) {
            failing = (struct failing){.fails_at = n};
            refused += view_failing(path, with_index ? index : "", &failing);
            assert_true(failing.bytes == 0);
        }
        assert_true(refused > 100);
    }
}

static void test_view_refuses_what_is_no_question(void **state) {
    (void)state;
    static const struct {
        const char *question;
        enum quipu_status status;
    } wrong[] = {{"", QUIPU_NOT_FOUND},
                 {"tiles", QUIPU_NOT_FOUND},
                 {"trace?by=location", QUIPU_MISUSE},
                 {"tile?by=locations", QUIPU_MISUSE},
                 {"tile?level=5&rows=0", QUIPU_MISUSE},
                 {"tile?rows=3-1", QUIPU_MISUSE},
                 {"tile?rows=1,0", QUIPU_MISUSE},
                 {"tile?rows=0-64", QUIPU_MISUSE},
                 {"tile?rows=0,", QUIPU_MISUSE},
                 {"tile?rows=0&where=regoin+%3D%3D+1", QUIPU_MISUSE},
                 {"calls?from=2&to=1", QUIPU_MISUSE},
                 {"calls?from=1x", QUIPU_MISUSE},
                 {"calls?from=99999999999999999999", QUIPU_MISUSE},
                 {"search?text=%4", QUIPU_MISUSE},
                 {"search?text=%00", QUIPU_MISUSE},
                 {"search?text=%gg", QUIPU_MISUSE},
                 {"counter?metric=1000&rows=0", QUIPU_MISUSE},
                 {"rows?of=nothing", QUIPU_MISUSE}};
    struct quipu_reader *reader;
    struct quipu_view *view;
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    assert_int_equal(quipu_reader_open(harness_data("otf/small.otf"), NULL, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_view_new(reader, &view, NULL), QUIPU_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct quipu_error err = QUIPU_ERROR_INIT;
        const enum quipu_status status =
            quipu_view_answer(view, wrong[i].question, (struct quipu_sink){add, &out}, &err);
        if (status != wrong[i].status || !err.message[0])
            fail_msg("%s: %d %s", wrong[i].question, (int)status, err.message);
    }
    assert_int_equal(out.len, 0);
    quipu__buffer_release(&out);
    quipu_view_free(view);
    quipu_reader_close(reader);
}

static void test_view_lists_its_questions_and_files(void **state) {
    (void)state;
    struct quipu_view_file file;
    size_t count = 0;
    while (quipu_view_question_at(count))
        count++;
    assert_true(count > 5);
    assert_true(quipu_view_reads_all("waits?from=0") && quipu_view_reads_all("tile?level=3") &&
                quipu_view_reads_all("calls?where=1"));
    assert_false(quipu_view_reads_all("tile?level=1") || quipu_view_reads_all("calls?from=0") ||
                 quipu_view_reads_all("nothing"));
    assert_true(quipu_view_file_find("", &file) && strncmp(file.bytes, "<!doctype html>", 15) == 0 &&
                file.bytes[file.size] == '\0');
    assert_true(quipu_view_file_find("timeline.js", &file) && strlen(file.bytes) == file.size);
    assert_false(quipu_view_file_find("view.html", &file));
}

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    for (const char *found = text; (found = strstr(found, word)) != NULL; found++)
        count++;
    return count;
}

static void test_view_as_a_section_has_its_answers(void **state) {
    (void)state;
    const struct quipu__picture_window windows[] = {{0, 1000000, "all </script> of it"}};
    struct quipu_reader *reader;
    struct quipu__memory memory;
    struct quipu__buffer out;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    assert_int_equal(quipu_reader_open(harness_data("otf/small.otf"), NULL, &reader, NULL), QUIPU_OK);
    if (quipu__picture_timeline(reader, windows, 1, NULL, NULL, (struct quipu_sink){add, &out}, &err) !=
        QUIPU_OK)
        fail_msg("%s", err.message);
    quipu__put_u8(&out, '\0');
    const char *text = (const char *)out.data;
    assert_int_equal(count_of(text, "</script>"), 1);
    assert_int_equal(count_of(text, "\"calls?from=0&to=1000000&rows="), 2);
    assert_true(strstr(text, "\"tile?by=all&level=1&index=1&rows=0\": {") != NULL);
    assert_true(strstr(text, "\"rows?of=&first=0&count=1000\": {") != NULL);
    quipu__buffer_release(&out);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_view_survives_the_failure_of_any_request_for_memory),
            cmocka_unit_test(test_view_refuses_what_is_no_question),
            cmocka_unit_test(test_view_lists_its_questions_and_files),
            cmocka_unit_test(test_view_as_a_section_has_its_answers))
