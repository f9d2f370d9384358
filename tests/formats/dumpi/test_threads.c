/* test_threads.c: the threads of a rank lie in one file, which is decoded once for all of them, with the events that a pass for each
 * would give. */
#include "traces.h"

#include "formats/descriptor.h"
#include "trace/reader.h"

#define INT 9
#define WORLD 2

enum { THREADS = 5, ROUNDS = 40 };

/* ---- Formats that count passes, together or one for each thread ---- */

static struct quipu__format counting;
static struct quipu__reading reading;
static unsigned passes;

static enum quipu_status count_pass(const struct quipu__pass *common, struct quipu__pass **out,
                                    struct quipu_error *err) {
    passes++;
    return quipu__format_find("dumpi")->reading->pass_open(common, out, err);
}

static struct quipu_reader *opened_counting(const char *path, bool is_together) {
    struct quipu_reader *reader = opened(path);
    struct quipu__trace *trace = quipu__reader_trace(reader);
    counting = *trace->format;
    reading = *counting.reading;
    reading.pass_open = count_pass;
    reading.substreams = is_together ? reading.substreams : NULL;
    counting.reading = &reading;
    trace->format = &counting;
    passes = 0;
    return reader;
}

/* Threads that pass requests to each other; thread 3 makes no call. */
static const char *write_threads(void) {
    struct made made = made_create();
    made_rank(&made, 0);
    for (int32_t i = 0; i < ROUNDS; i++) {
        made.common.thread = 1;
        CALL(&made, isend, .count = i, .datatype = INT, .dest = 0, .tag = i, .comm = WORLD, .request = 7 + i);
        made.common.thread = 0;
        CALL(&made, wait, .request = 7 + i);
        made.common.thread = (uint16_t)(i % 2 ? 2 : 4);
        CALL(&made, barrier, .comm = WORLD);
    }
    return made_close(&made);
}

struct answer {
    char *events;
    uint64_t records, barriers;
    unsigned passes;
};

static struct answer answer_of(const char *path, bool is_together, const struct quipu_selection *selection) {
    struct quipu_reader *reader = opened_counting(path, is_together);
    struct answer answer = {0};
    struct quipu_event event;
    struct quipu__buffer out;
    struct quipu__memory memory;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    made_ok(quipu_reader_select(reader, selection, &err), &err);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event.kind);
        quipu__put_format(&out, "%lld %u %s", (long long)event.time, event.location, kind->name);
        for (size_t i = 0; i < kind->field_count; i++)
            quipu__put_format(&out, " %lld", (long long)quipu_event_get(&event, kind->fields[i].column));
        quipu__put_u8(&out, '\n');
    }
    answer.events = strndup((const char *)out.data, out.len);
    answer.records = quipu_reader_records(reader);
    answer.barriers = quipu_reader_records_of(reader, QUIPU__DUMPI_TYPE_barrier);
    answer.passes = passes;
    quipu__buffer_release(&out);
    quipu_reader_close(reader);
    return answer;
}

static void test_threads_are_decoded_once_with_the_same_events(void **state) {
    (void)state;
    const char *path = write_threads();
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct answer apart = answer_of(path, false, &selection);
    const struct answer together = answer_of(path, true, &selection);
    assert_int_equal(apart.passes, THREADS - 1);
    assert_int_equal(together.passes, 1);
    assert_string_equal(together.events, apart.events);
    assert_int_equal(together.records, apart.records);
    assert_int_equal(together.barriers, ROUNDS);
    free(apart.events);
    free(together.events);
}

/* Each selection ends, or leaves out, some threads before others. */
static void test_threads_that_are_selected_give_the_same_events(void **state) {
    (void)state;
    const char *path = write_threads();
    static const uint32_t lists[][2] = {{0, 1}, {1, 2}, {3, 3}};
    for (unsigned i = 0; i < 12; i++) {
        struct quipu_selection selection = QUIPU_SELECTION_INIT;
        selection.from = i % 2 ? 305 : INT64_MIN;
        selection.to = i % 4 < 2 ? 835 : INT64_MAX;
        selection.locations = i < 9 ? lists[i / 3] : NULL;
        selection.location_count = i < 9 ? 2 : 0;
        const struct answer apart = answer_of(path, false, &selection);
        const struct answer together = answer_of(path, true, &selection);
        assert_true(apart.events[0] != '\0');
        assert_string_equal(together.events, apart.events);
        assert_true(together.passes == 1);
        free(apart.events);
        free(together.events);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_threads_are_decoded_once_with_the_same_events),
            cmocka_unit_test(test_threads_that_are_selected_give_the_same_events))
