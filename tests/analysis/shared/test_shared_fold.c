/* What processes that share a trace answer and find is what one process does: all analyses that can be shared, on all traces of tests/data,
 * whole and damaged. */
#include "analysis/threads.h"
#include "transport/local.h"

/* ---- What is asked ---- */

struct question {
    const char *analysis; /* or "check", or "index"; NULL: the summary */
    const char *name, *value;
    int64_t from, to;
};

#define ALWAYS INT64_MIN, INT64_MAX
static const struct question questions[] = {
    {NULL, NULL, NULL, ALWAYS},
    {"check", NULL, NULL, ALWAYS},
    {"calls", NULL, NULL, ALWAYS},
    {"calls", "top", "2", 30, 200},
    {"profile", NULL, NULL, ALWAYS},
    {"profile", NULL, NULL, 30, 200},
    {"profile", "by", "region", ALWAYS},
    {"profile", "by", "mpi", 30, 200},
    {"profile", "by", "path", ALWAYS},
    {"profile", "by", "path", 30, 200},
    {"profile", "by", "between", 30, 200},
    {"profile", "by", "callsite", ALWAYS},
    {"profile", "by", "phase", ALWAYS},
    {"profile", "tree", "yes", ALWAYS},
    {"profile", "within", "m*", ALWAYS},
    /* of which rank 0 needs all events */
    {"profile", "counters", "yes", ALWAYS},
    {"waits", "causes", "yes", ALWAYS},
    {"waits", NULL, NULL, 30, 200},
    {"critical-path", NULL, NULL, ALWAYS},
    {"efficiency", "roi", "50%", ALWAYS},
    {"efficiency", NULL, NULL, ALWAYS},
    {"imbalance", NULL, NULL, ALWAYS},
    {"comm", "collectives", "yes", ALWAYS},
    {"comm", "where", "bytes > 8", ALWAYS},
    {"messages", NULL, NULL, ALWAYS},
    {"timeline", "bins", "7", ALWAYS},
    {"clock", NULL, NULL, ALWAYS},
    {"phases", NULL, NULL, ALWAYS},
    {"io", NULL, NULL, ALWAYS},
    {"tasks", "over", "time", ALWAYS},
    {"why", NULL, NULL, ALWAYS},
    {"replay", NULL, NULL, ALWAYS},
    {"state", "at", "100", ALWAYS},
    {"index", NULL, NULL, ALWAYS},
};
enum { FOLDED = 15, QUESTIONS = sizeof questions / sizeof *questions };

static void append_tables(struct text *text, struct quipu_reader *reader, const struct question *question) {
    const struct quipu_render_options render = {
        .style = QUIPU_STYLE_JSON, .row_limit = SIZE_MAX, .bar_column = SIZE_MAX};
    const struct quipu_setting setting = {question->name, question->value};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    selection.from = question->from;
    selection.to = question->to;
    options.selection = &selection;
    options.settings = &setting;
    options.setting_count = question->name ? 1 : 0;
    const enum quipu_status status = quipu_analysis_run(reader, question->analysis, &options, &tables, &err);
    if (status == QUIPU_END) /* another one has the answer */
        return;
    append_line(text, quipu_status_name(status));
    append_line(text, err.message);
    if (status == QUIPU_OK) {
        assert_int_equal(quipu_table_write(quipu_tables_list(tables), quipu_tables_count(tables), &render,
                                           (struct quipu_sink){append, text}, NULL),
                         QUIPU_OK);
        append_line(text, quipu_tables_note(tables));
    }
    quipu_tables_free(tables);
}

static void append_check(struct text *text, struct quipu_reader *reader) {
    const struct quipu_check_print print = {.json = true, .all = true};
    struct quipu_check_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const enum quipu_status status = quipu_check(reader, NULL, &result, &err);
    append_line(text, quipu_status_name(status));
    append_line(text, err.message);
    if (status == QUIPU_OK)
        assert_int_equal(quipu_check_write(&result, quipu_reader_findings(reader), &print,
                                           (struct quipu_sink){append, text}, NULL),
                         QUIPU_OK);
}

static const char *index_path; /* what processes write last */

static void append_index(struct text *text, struct quipu_reader *reader) {
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    size_t size;
    options.replace = true;
    const enum quipu_status status = quipu_index_build(reader, index_path, &options, &result, &err);
    if (status == QUIPU_END)
        return;
    append_line(text, quipu_status_name(status));
    append_line(text, err.message);
    if (status != QUIPU_OK)
        return;
    char *bytes = harness_read(index_path, &size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = "0123456789abcdef"[(bytes[i] ^ bytes[i] >> 4) & 15]; /* as text: what differs mostly shows */
    append_line(text, bytes);
}

static void append_answer(struct text *text, struct quipu_reader *reader, const struct question *question) {
    if (question->analysis && strcmp(question->analysis, "check") == 0)
        append_check(text, reader);
    else if (question->analysis && strcmp(question->analysis, "index") == 0)
        append_index(text, reader);
    else if (question->analysis)
        append_tables(text, reader, question);
    else
        append_summary(text, reader);
    append_findings(text, quipu_reader_findings(reader));
    append_line(text, harness_text("%llu records, %llu bytes, %llu events",
                                   (unsigned long long)quipu_reader_records(reader),
                                   (unsigned long long)quipu_reader_bytes_read(reader),
                                   (unsigned long long)quipu_reader_delivered(reader)));
}

/* ---- By one process and by several ---- */

struct asked {
    const char *path; /* NULL: the made streams of threads.h */
    const struct question *question;
    uint32_t threads;
    struct text answer;            /* of rank 0 */
    const struct fake_trace *made; /* in place of those */
    _Atomic uint64_t messages_sent, bytes_sent;
};

static struct quipu_reader *open_it(const struct asked *asked) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader = NULL;
    options.threads = asked->threads;
    if (!asked->path)
        return fake_reader_with(asked->made ? asked->made : &trace, &options);
    return quipu_reader_open(asked->path, &options, &reader, NULL) == QUIPU_OK ? reader : NULL;
}

static void ask(struct quipu_transport *transport, void *context) {
    struct asked *asked = context;
    struct quipu_reader *reader = open_it(asked);
    struct text ignored = {0};
    assert_non_null(reader);
    quipu_reader_share(reader, transport);
    append_answer(transport->rank == 0 ? &asked->answer : &ignored, reader, asked->question);
    if (transport->rank == 0 && !transport->is_done) /* it has failed before */
        assert_int_equal(quipu_transport_end(transport, NULL, NULL), QUIPU_OK);
    else if (!transport->is_done)
        assert_int_equal(
            quipu_transport_end(transport, &(struct quipu_error){.status = QUIPU_MISUSE, .message = "x"}, NULL),
            QUIPU_OK);
    asked->messages_sent += transport->messages_sent;
    asked->bytes_sent += transport->bytes_sent;
    free(ignored.at);
    quipu_reader_close(reader);
}

static void compare(const char *path, const struct question *question, uint32_t size, bool only_gathers,
                    uint32_t threads) {
    struct asked asked = {.path = path, .question = question, .threads = threads};
    struct text one = {0};
    struct local local;
    struct quipu_reader *reader = open_it(&asked);
    index_path = index_path ? index_path : harness_text("%s/of-several.qpx", harness_folder());
    append_answer(&one, reader, question);
    quipu_reader_close(reader);
    if (question >= questions + FOLDED) {
        local_run_together(size, ask, &asked);
    } else {
        only_gathers &= strncmp(one.at, "OK", 2) == 0; /* else there are no parts to gather */
        local_init(&local, size, only_gathers, size + threads);
        local_run(&local, ask, &asked);
        local_release(&local);
    }
    if (strcmp(one.at, asked.answer.at) != 0)
        print_message("%s: %s %s %s, %u processes, %u threads\n", path ? path : "made streams",
                      question->analysis ? question->analysis : "info", question->name ? question->name : "",
                      question->value ? question->value : "", size, threads);
    assert_string_equal(asked.answer.at, one.at);
    free(one.at);
    free(asked.answer.at);
}

/* ---- Every trace ---- */

static uint32_t traces, traces_of_several;

static void ask_everything(const char *path) {
    static const uint32_t sizes[] = {1, 2, 3, 7, 16};
    struct asked asked = {.path = path, .threads = 1};
    const char *last = strrchr(path, '/');
    const bool is_recorded = strstr(last, ".otf") || strstr(last, ".meta") || strstr(last, ".picl") ||
                             strstr(last, ".ctrace") || strstr(last, ".prv") ||
                             strcmp(last, "/stream.json") == 0 || (strstr(last, ".bin") && !strstr(last, "-0"));
    struct quipu_reader *reader = is_recorded ? open_it(&asked) : NULL;
    if (!reader)
        return;
    const uint32_t count = quipu_reader_stream_count(reader);
    quipu_reader_close(reader);
    traces++;
    traces_of_several += count > 2;
    for (unsigned question = 0; question < QUESTIONS; question++) {
        if (question >= FOLDED && (traces + question) % 4 > 0)
            continue;
        const unsigned number = (traces + question) % (2 * sizeof sizes / sizeof *sizes);
        compare(path, &questions[question], sizes[number / 2] + number % 2, number % 2 != 0, 1 + question % 2);
    }
}

static void test_shared_fold_answers_like_one_process_on_all_traces(void **state) {
    (void)state;
    harness_visit(harness_data("."), ask_everything);
    assert_true(traces > 100 && traces_of_several > 40);
}

static void test_shared_fold_answers_like_one_process_for_any_number_of_processes(void **state) {
    static const char *const names[] = {"cli/exchange.otf", "otf/small.otf", "sweep/dumpi/ring.meta",
                                        "sweep/ovni/stream.json", "sweep/paraver/ring.prv"};
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned question = 0; question < QUESTIONS; question++)
            for (uint32_t size = 1; size <= 16; size += size < 3 ? 1 : 4)
                for (uint32_t threads = 1; threads <= (question < FOLDED || size == 1 ? 2 : 1); threads++)
                    compare(harness_data(names[i]), &questions[question], size, false, threads);
    compare(harness_data("otf/small.otf"), &questions[4], 4096, false, 1);
}

/* An event of a call takes 25 bytes at least. Of calls that only compute those remain that begin and end a batch. */
static void test_shared_fold_sends_no_calls_that_waits_leaves_out(void **state) {
    struct asked asked = {.question = &(struct question){"waits", NULL, NULL, ALWAYS}, .threads = 1};
    uint64_t events = 0;
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++) {
        for (uint32_t i = 0; i < ROWS; i++)
            rows[s][i] = (struct quipu_event){.time = (int64_t)i * (s + 3),
                                              .kind = i % 2 == 0 ? QUIPU_KIND_enter : QUIPU_KIND_leave,
                                              .location = s};
        events += streams[s].count;
    }
    local_run_together(3, ask, &asked);
    assert_int_equal(strncmp(asked.answer.at, "OK", 2), 0);
    assert_in_range(asked.bytes_sent, 1, events * 25 / 4);
    free(asked.answer.at);
}

/* Of streams with two events each, a message has many. */
static void test_shared_fold_reads_many_small_streams_with_few_messages(void **state) {
    enum { MANY = 5000 };
    static struct quipu_event calls[MANY][2];
    static struct fake_stream small[MANY];
    const struct fake_trace made = {small, MANY, MANY, 5, 1, 0};
    struct asked asked = {
        .question = &(struct question){"waits", NULL, NULL, ALWAYS}, .threads = 1, .made = &made};
    (void)state;
    for (uint32_t s = 0; s < MANY; s++) {
        calls[s][0] = (struct quipu_event){.time = s, .kind = QUIPU_KIND_enter, .location = s};
        calls[s][1] = (struct quipu_event){.time = s + 9, .kind = QUIPU_KIND_leave, .location = s};
        small[s] = (struct fake_stream){calls[s], 2, 1};
    }
    local_run_together(3, ask, &asked);
    assert_int_equal(strncmp(asked.answer.at, "OK", 2), 0);
    assert_in_range(asked.messages_sent, 1, MANY / 50);
    free(asked.answer.at);
}

/* ---- Damage ---- */

static void compare_made(void) {
    for (uint32_t size = 1; size <= STREAMS + 2; size += 5)
        for (unsigned question = 0; question < (size == 6 ? QUESTIONS : FOLDED); question++)
            compare(NULL, &questions[question], size, size > 5, 1 + question % 2);
}

static void test_shared_fold_finds_the_same_in_the_same_order(void **state) {
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++)
        for (uint32_t i = 0; i < 25u * (s + 1); i++)
            rows[s][i * 17 + 100 * s].kind = FAKE_DAMAGE;
    compare_made();
}

/* What is undefined is defined as it comes, so one process must read everything. */
static void test_shared_fold_numbers_late_definitions_like_one_process(void **state) {
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++)
        rows[s][ROWS / 2].kind = FAKE_LATE, rows[s][ROWS / 2].bytes = 500 + s;
    compare_made();
}

static void test_shared_fold_loses_only_the_rest_of_an_unreadable_stream(void **state) {
    (void)state;
    rows[3][ROWS / 2] = (struct quipu_event){.kind = FAKE_UNREADABLE};
    compare_made();
}

QUIPU_TESTS(cmocka_unit_test(test_shared_fold_answers_like_one_process_on_all_traces),
            cmocka_unit_test(test_shared_fold_answers_like_one_process_for_any_number_of_processes),
            cmocka_unit_test_setup(test_shared_fold_sends_no_calls_that_waits_leaves_out, make_trace),
            cmocka_unit_test(test_shared_fold_reads_many_small_streams_with_few_messages),
            cmocka_unit_test_setup(test_shared_fold_finds_the_same_in_the_same_order, make_trace),
            cmocka_unit_test_setup(test_shared_fold_numbers_late_definitions_like_one_process, make_trace),
            cmocka_unit_test_setup(test_shared_fold_loses_only_the_rest_of_an_unreadable_stream, make_trace))
