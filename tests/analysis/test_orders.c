/* test_orders.c: analyses that read windows of time answer what they answer in the order of time, and the same with several threads that read
 * ahead. */
#include "trace/fake.h"

static const char *const names[] = {"waits", "critical-path", "efficiency", "imbalance", "comm", "phases"};
enum { NAMES = sizeof names / sizeof *names };

struct text {
    char *at;
    size_t len;
};

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct text *text = context;
    (void)err;
    text->at = realloc(text->at, text->len + size + 1);
    memcpy(text->at + text->len, data, size);
    text->len += size;
    text->at[text->len] = '\0';
    return QUIPU_OK;
}

/* All tables of an analysis. */
static char *answer(struct quipu_reader *reader, const char *name, enum quipu_order order, bool lists) {
    const struct quipu_render_options render = {
        .style = QUIPU_STYLE_CSV, .row_limit = SIZE_MAX, .bar_column = SIZE_MAX};
    const struct quipu_setting list = {"list", "yes"};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct text text = {0};
    selection.order = order;
    options.selection = &selection;
    options.settings = &list;
    options.setting_count = lists;
    const enum quipu_status status = quipu_analysis_run(reader, name, &options, &tables, &err);
    const char *first = harness_text("%s %s\n", quipu_status_name(status), err.message);
    assert_int_equal(append(&text, first, strlen(first), NULL), QUIPU_OK);
    for (size_t i = 0; status == QUIPU_OK && i < quipu_tables_count(tables); i++) {
        const struct quipu_table *table = quipu_tables_at(tables, i);
        assert_int_equal(quipu_table_write(&table, 1, &render, (struct quipu_sink){append, &text}, NULL),
                         QUIPU_OK);
    }
    quipu_tables_free(tables);
    char *told = harness_text("%s", text.at);
    free(text.at);
    return told;
}

static const uint32_t thread_counts[] = {1, 2, 5};
enum { COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* Readers of the same trace with so many threads. */
static size_t compare_orders(struct quipu_reader *const *readers, const char *what) {
    size_t len = 0;
    for (size_t i = 0; i < NAMES; i++)
        for (int lists = 0; lists <= (i == 0); lists++) {
            const char *expected = answer(readers[0], names[i], QUIPU_ORDER_TIME, lists);
            for (int reader = 0; reader < COUNTS; reader++)
                for (int order = QUIPU_ORDER_TIME; order <= QUIPU_ORDER_WINDOWS; order++) {
                    const char *found = answer(readers[reader], names[i], (enum quipu_order)order, lists);
                    if (strcmp(found, expected) != 0)
                        fail_msg(
                            "%s of %s in order %d with %d threads:\n%s\nin the order of time with one:\n%s",
                            names[i], what, order, (int)thread_counts[reader], found, expected);
                }
            len += strlen(expected);
        }
    return len;
}

static void close_readers(struct quipu_reader *const *readers) {
    for (size_t i = 0; i < COUNTS; i++)
        quipu_reader_close(readers[i]);
}

/* ---- All small traces ---- */

static size_t compared;

static void compare_trace(const char *path) {
    struct quipu_reader *readers[COUNTS];
    for (size_t i = 0; i < COUNTS; i++) {
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        options.threads = thread_counts[i];
        if (quipu_reader_open(path, &options, &readers[i], NULL) != QUIPU_OK)
            return;
    }
    compared += compare_orders(readers, path) > 0;
    close_readers(readers);
}

static void test_orders_answer_the_same_for_all_small_traces(void **state) {
    (void)state;
    harness_visit(harness_data(""), compare_trace);
    assert_in_range(compared, 20, 1000);
}

/* ---- Made traces ---- */

enum { RANKS = 24, STEPS = 600, ROWS = STEPS * 10 };
static struct quipu_event rows[RANKS][ROWS];
static struct fake_stream streams[RANKS + 1];
static uint64_t chance;

static uint32_t some(uint32_t limit) {
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(chance >> 33) % limit;
}

/* Regions: 0 communicates, 1 computes. */
static void add(uint32_t rank, int64_t time, enum quipu_kind kind, uint32_t object, uint32_t peer,
                uint32_t tag) {
    rows[rank][streams[rank].count++] = (struct quipu_event){.time = time,
                                                             .kind = (uint8_t)kind,
                                                             .location = rank,
                                                             .object = object,
                                                             .peer = peer,
                                                             .group = QUIPU_NONE,
                                                             .tag = tag,
                                                             .bytes = 100,
                                                             .value = QUIPU_UNKNOWN,
                                                             .id = QUIPU_UNKNOWN};
}

/* In each step every rank computes for a while and sends to another one; messages arrive late, early by wrong clocks, in another order,
 * and some never. */
static void make_step(uint32_t step, int64_t *clocks) {
    const uint32_t distance = 1 + some(RANKS - 1);
    int64_t sent[RANKS];
    for (uint32_t i = 0; i < RANKS; i++) {
        clocks[i] += some(50);
        add(i, clocks[i], QUIPU_KIND_enter, 1, QUIPU_NONE, 0);
        add(i, clocks[i] += some(2000), QUIPU_KIND_leave, 1, QUIPU_NONE, 0);
        add(i, clocks[i] += some(3), QUIPU_KIND_enter, 0, QUIPU_NONE, 0);
        add(i, clocks[i] += some(9), QUIPU_KIND_send, QUIPU_NONE, (i + distance) % RANKS, step % 3);
        add(i, clocks[i] += some(9), QUIPU_KIND_leave, 0, QUIPU_NONE, 0);
        sent[i] = clocks[i];
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        const uint32_t peer = (i + RANKS - distance) % RANKS;
        if (some(20) == 0)
            continue;
        add(i, clocks[i] += some(3), QUIPU_KIND_enter, 0, QUIPU_NONE, 0);
        const int64_t arrival = sent[peer] - some(5);
        clocks[i] = (clocks[i] > arrival ? clocks[i] : arrival) + some(4);
        add(i, clocks[i], QUIPU_KIND_recv, QUIPU_NONE, peer, step % 3);
        add(i, clocks[i] += some(3), QUIPU_KIND_leave, 0, QUIPU_NONE, 0);
    }
}

static void make_program(uint64_t seed) {
    int64_t clocks[RANKS] = {0};
    chance = seed;
    for (uint32_t i = 0; i < RANKS; i++)
        streams[i] = (struct fake_stream){rows[i], 0, 1};
    for (uint32_t step = 0; step < STEPS; step++)
        make_step(step, clocks);
}

static void compare_program(uint32_t stream_count) {
    const struct fake_trace trace = {streams, stream_count, RANKS, 2, 0, 0};
    fake_role = QUIPU_REGION_MPI_P2P;
    fake_reading.spreads_locations = stream_count > RANKS;
    struct quipu_reader *readers[COUNTS];
    for (size_t i = 0; i < COUNTS; i++) {
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        options.threads = thread_counts[i];
        readers[i] = fake_reader_with(&trace, &options);
    }
    assert_true(compare_orders(readers, "the program") > 10000);
    close_readers(readers);
    fake_role = (enum quipu_region_role)0;
}

static void test_orders_answer_the_same_for_random_programs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed += HARNESS_EVERY) {
        make_program(seed);
        compare_program(RANKS);
    }
}

/* Then the windows are refused, and the streams are merged. */
static void test_orders_answer_the_same_for_streams_that_share_a_location(void **state) {
    (void)state;
    make_program(9);
    const uint32_t half = streams[3].count / 2;
    streams[RANKS] = (struct fake_stream){rows[3] + half, streams[3].count - half, 1};
    streams[3].count = half;
    compare_program(RANKS + 1);
}

QUIPU_TESTS(cmocka_unit_test(test_orders_answer_the_same_for_all_small_traces),
            cmocka_unit_test(test_orders_answer_the_same_for_random_programs),
            cmocka_unit_test(test_orders_answer_the_same_for_streams_that_share_a_location))
