/* test_resuming.c: a pass that goes on where another one was saved gives the events that the other would have given, in any format, from any place; and
 * what a format finds by reading everything is the same when it comes from what was saved of it. */
#include "harness.h"

#include "formats/descriptor.h"
#include "trace/reader.h"

enum { SMALL_BATCH = 32, WINDOW = 16 << 10, EVENTS_MOST = 3000 };

/* ---- Events as texts ---- */

struct list {
    char *items[EVENTS_MOST];
    int64_t times[EVENTS_MOST];
    size_t count;
};

static enum quipu_status put(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    quipu__put(context, data, size);
    return QUIPU_OK;
}

static char *text_of(const struct quipu__trace *trace, const struct quipu_event *event) {
    struct quipu__buffer text;
    quipu__buffer_init(&text, trace->memory, 0);
    assert_int_equal(
        quipu_event_write_json(&trace->define->definitions, event, (struct quipu_sink){put, &text}, NULL),
        QUIPU_OK);
    char *copy = harness_text("%.*s", (int)text.len, (const char *)text.data);
    quipu__buffer_release(&text);
    return copy;
}

/* Those from a time on. */
static void add_batch(const struct quipu__trace *trace, struct list *list, const struct quipu_batch *batch,
                      int64_t from) {
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        if (event.time < from || list->count == EVENTS_MOST)
            continue;
        list->times[list->count] = event.time;
        list->items[list->count++] = text_of(trace, &event);
    }
}

/* ---- Passes ---- */

struct substream {
    struct quipu__trace *trace;
    uint32_t stream, substream;
};

static struct quipu__pass *opened_pass(const struct substream *of, const struct quipu__filter *filter) {
    struct quipu__pass *pass = NULL;
    const struct quipu__pass common = {.trace = of->trace,
                                       .stream = of->stream,
                                       .substream = of->substream,
                                       .filter = filter,
                                       .window = WINDOW};
    assert_true(of->trace->format->reading->pass_open(&common, &pass, NULL) >= QUIPU_OK);
    return pass;
}

static struct list *rest_of(const struct substream *of, const struct quipu__buffer *saved, int64_t from) {
    const struct quipu__filter filter = {.from = from, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS};
    struct list *list = calloc(1, sizeof *list);
    struct quipu__pass *pass = opened_pass(of, &filter);
    struct quipu__batch *batch;
    assert_int_equal(quipu__batch_new(of->trace->memory, SMALL_BATCH, &batch, NULL), QUIPU_OK);
    if (saved)
        assert_int_equal(
            of->trace->format->resuming->resume(pass, quipu__slice_of(saved->data, saved->len), NULL),
            QUIPU_OK);
    while (list->count < EVENTS_MOST && of->trace->format->reading->next_batch(pass, batch, NULL) == QUIPU_OK) {
        add_batch(of->trace, list, &batch->batch, from);
        quipu__batch_clear(batch);
    }
    quipu__batch_free(batch);
    of->trace->format->reading->pass_close(pass);
    return list;
}

/* All bytes that a section may be cut to are refused or, as far as they are right, read. */
static void assert_refuses_less(const struct substream *of, const struct quipu__buffer *saved) {
    const struct quipu__filter filter = {.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS};
    for (size_t len = 0; len < saved->len; len++) {
        struct quipu__pass *pass = opened_pass(of, &filter);
        const enum quipu_status status =
            of->trace->format->resuming->resume(pass, quipu__slice_of(saved->data, len), NULL);
        assert_int_equal(status, QUIPU_CORRUPT);
        of->trace->format->reading->pass_close(pass);
    }
}

/* Goes on from each place between small batches. Returns from how many that was possible. */
static size_t check_substream(const struct substream *of) {
    const struct quipu__filter everything = {.from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS};
    struct list *all = rest_of(of, NULL, INT64_MIN);
    struct quipu__pass *pass = opened_pass(of, &everything);
    struct quipu__batch *batch;
    struct quipu__buffer saved;
    size_t resumed = 0, given = 0;
    assert_int_equal(quipu__batch_new(of->trace->memory, SMALL_BATCH, &batch, NULL), QUIPU_OK);
    quipu__buffer_init(&saved, of->trace->memory, 0);
    for (;;) {
        saved.len = 0;
        assert_int_equal(of->trace->format->resuming->save(pass, &saved, NULL), QUIPU_OK);
        size_t next = given;
        while (next < all->count && given > 0 && all->times[next] <= all->times[given - 1])
            next++;
        if (saved.len > 0 && next < all->count) {
            struct list *rest = rest_of(of, &saved, all->times[next]);
            for (size_t i = 0; i < rest->count && next + i < all->count; i++)
                assert_string_equal(rest->items[i], all->items[next + i]);
            assert_true(all->count == EVENTS_MOST || rest->count == all->count - next);
            if (resumed++ == 0)
                assert_refuses_less(of, &saved);
            free(rest);
        }
        quipu__batch_clear(batch);
        if (of->trace->format->reading->next_batch(pass, batch, NULL) != QUIPU_OK ||
            given + batch->batch.count > all->count)
            break;
        given += batch->batch.count;
    }
    quipu__buffer_release(&saved);
    quipu__batch_free(batch);
    of->trace->format->reading->pass_close(pass);
    free(all);
    return resumed;
}

/* ---- Traces ---- */

static size_t trace_count, resumed_count;

static struct quipu__buffer surveyed(const struct quipu__trace *trace) {
    struct quipu__buffer saved;
    quipu__buffer_init(&saved, trace->memory, 0);
    assert_int_equal(trace->format->survey->save(trace, &saved, NULL), QUIPU_OK);
    return saved;
}

/* A survey that is cut is refused, whatever of it is there. */
static void assert_refuses_less_of_survey(const char *path, const struct quipu__buffer *saved) {
    const size_t step = 1 + saved->len / 50;
    for (size_t len = 0; len < saved->len; len += step) {
        struct quipu_reader *reader;
        assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_OK);
        struct quipu__trace *trace = quipu__reader_trace(reader);
        const enum quipu_status status =
            trace->format->survey->load(trace, quipu__slice_of(saved->data, len), NULL);
        assert_int_equal(status, QUIPU_CORRUPT);
        quipu_reader_close(reader);
    }
}

static void check_trace(const char *path) {
    struct quipu_reader *reader;
    if (quipu_reader_open(path, NULL, &reader, NULL) != QUIPU_OK)
        return;
    struct quipu__trace *trace = quipu__reader_trace(reader);
    if (trace->format->survey) {
        struct quipu__buffer saved = surveyed(trace);
        assert_refuses_less_of_survey(path, &saved);
        quipu__buffer_release(&saved);
    }
    for (uint32_t i = 0; trace->format->resuming && i < trace->streams.count; i++)
        for (uint32_t k = 0; !trace->streams.items[i].missing && k < trace->streams.items[i].substreams; k++)
            resumed_count += check_substream(&(struct substream){trace, i, k});
    trace_count++;
    quipu_reader_close(reader);
}

static bool ends_with(const char *path, const char *end) {
    const size_t len = strlen(path), end_len = strlen(end);
    return len > end_len && strcmp(path + len - end_len, end) == 0;
}

static void check_if_picl(const char *path) {
    if (ends_with(path, ".picl"))
        check_trace(path);
}

static void check_if_charisma(const char *path) {
    if (ends_with(path, ".ctrace"))
        check_trace(path);
}

/* Clocks go back in it, so that events are held. */
static void check_generated(unsigned is_late) {
    const char *path = harness_text("%s/ovni", harness_folder());
    assert_int_equal(harness_run("%s ovni %s --streams 2 --events 2000 --late %u",
                                 harness_built("bench/generate"), path, is_late)
                         .code,
                     0);
    check_trace(path);
}

/* needs: shared */
static void test_resuming_goes_on_in_all_traces_of_picl(void **state) {
    (void)state;
    harness_visit(harness_shared("traces/picl"), check_if_picl);
    assert_true(trace_count > 15 && resumed_count > 100);
}

/* needs: shared */
static void test_resuming_goes_on_in_all_traces_of_ovni(void **state) {
    (void)state;
    const char *folder = harness_shared("traces/ovni");
    for (unsigned i = 1; i < 100; i++) {
        const struct harness_run found = harness_run("ls -d %s/t%02u_*/trace", folder, i);
        if (found.code == 0)
            check_trace(harness_text("%.*s", (int)strcspn(found.out, "\n"), found.out));
    }
    assert_true(trace_count > 15);
    resumed_count = 0;
    check_generated(0);
    assert_true(resumed_count > 10);
    resumed_count = 0;
    check_generated(1);
    assert_true(resumed_count > 10);
}

/* needs: shared */
static void test_resuming_goes_on_in_all_traces_of_charisma(void **state) {
    (void)state;
    trace_count = resumed_count = 0;
    harness_visit(harness_shared("traces/charisma"), check_if_charisma);
    assert_true(trace_count > 10 && resumed_count > 50);
}

/* Requests of three clients overlap, some are asynchronous: something is always held. */
static void test_resuming_goes_on_where_requests_are_in_flight(void **state) {
    (void)state;
    const char *path = harness_text("%s/charisma", harness_folder());
    assert_int_equal(
        harness_run("%s charisma %s --streams 3 --events 3000", harness_built("bench/generate"), path).code, 0);
    resumed_count = 0;
    check_trace(harness_text("%s.ctrace", path));
    assert_true(resumed_count > 50);
}

QUIPU_TESTS(cmocka_unit_test(test_resuming_goes_on_in_all_traces_of_picl),
            cmocka_unit_test(test_resuming_goes_on_in_all_traces_of_ovni),
            cmocka_unit_test(test_resuming_goes_on_in_all_traces_of_charisma),
            cmocka_unit_test(test_resuming_goes_on_where_requests_are_in_flight))
