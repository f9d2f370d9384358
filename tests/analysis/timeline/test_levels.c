/* Levels of detail of the timeline: their bytes give the answer of the trace, and wrong ones are refused. */
#include "analysis/programs.h"

#include "analysis/timeline/timeline.h"

static const struct program exchange = {
    .rows = {"0..40:work 40..50:MPI_Send/send,peer=1,bytes=8 50..100:idle 100+work 130..170:read",
             "0..20:work 20..60:MPI_Recv/recv,peer=0,bytes=8 "
             "60..80:read/io_begin,operation=3,bytes=16/io_end,operation=3,bytes=12 90..200:work",
             "@1 10..90:work 95..99:MPI_Barrier"}};

struct fixture {
    struct quipu_reader *reader;
    struct quipu__fold_start start;
    struct quipu__memory memory;
    struct quipu__buffer level;
};

/* The level that a trace is read for. */
static void save_level(struct fixture *fixture, size_t level, const char *by) {
    static struct quipu_setting setting;
    struct quipu__analysis_answer answer;
    setting = (struct quipu_setting){"by", by};
    *fixture = (struct fixture){.reader = program_reader(&exchange, 1)};
    quipu__memory_init(&fixture->memory, NULL, 0);
    quipu__buffer_init(&fixture->level, &fixture->memory, 0);
    assert_int_equal(
        quipu__analysis_run(fixture->reader, "timeline", NULL, QUIPU__FOR_INDEX, NULL, &answer, NULL),
        QUIPU_OK);
    assert_int_equal(quipu_tables_count(answer.tables), 0);
    assert_int_equal(quipu__timeline_levels.save(answer.state, level, &fixture->level, NULL), QUIPU_OK);
    quipu__analysis_answer_release(&answer);
    quipu_tables_free(answer.tables);
    fixture->start.definitions = quipu_reader_definitions(fixture->reader);
    assert_int_equal(quipu__fold_settings(&quipu__timeline_fold, &setting, 1, &fixture->start.settings, NULL),
                     QUIPU_OK);
}

static void release(struct fixture *fixture) {
    quipu__buffer_release(&fixture->level);
    quipu_reader_close(fixture->reader);
}

/* The rows of a state, or NULL when the bytes are refused; nothing else may happen. */
static const char *load_rows(const struct fixture *fixture, const uint8_t *bytes, size_t size,
                             const char *columns) {
    struct quipu_tables *tables;
    const char *rows = NULL;
    void *state = NULL;
    const enum quipu_status status =
        quipu__timeline_levels.load(&fixture->start, 0, quipu__slice_of(bytes, size), &state, NULL);
    assert_true(status == QUIPU_OK || status == QUIPU_CORRUPT);
    if (status == QUIPU_OK) {
        assert_int_equal(
            quipu__fold_tables(&quipu__timeline_fold, state, &fixture->memory, NULL, &tables, NULL), QUIPU_OK);
        rows = columns ? program_rows(tables, "timeline", columns) : "";
        quipu_tables_free(tables);
    }
    quipu__timeline_fold.release(state);
    return rows;
}

/* 80 bins as the trace gives them: whoever shares a row, and the call that is never left. */
static void test_levels_give_the_answer_of_the_trace(void **state) {
    (void)state;
    static const char *const by[] = {"location", "process", "all"};
    const char *columns =
        "location bin from_ns to_ns useful_ns mpi_p2p_ns mpi_collective_ns io_ns idle_ns absent_ns region "
        "region_ns calls messages_sent messages_received bytes_sent bytes_received bytes_read";
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        struct quipu_tables *tables;
        struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
        const struct quipu_setting setting = {"by", by[i]};
        save_level(&fixture, 0, by[i]);
        options.settings = &setting;
        options.setting_count = 1;
        assert_int_equal(quipu_analysis_run(fixture.reader, "timeline", &options, &tables, NULL), QUIPU_OK);
        assert_string_equal(load_rows(&fixture, fixture.level.data, fixture.level.len, columns),
                            program_rows(tables, "timeline", columns));
        quipu_tables_free(tables);
        release(&fixture);
    }
}

/* A trace of 200 ns has no level of 400 bins. */
static void test_levels_are_no_finer_than_time(void **state) {
    (void)state;
    struct fixture fixture;
    save_level(&fixture, 1, "all");
    assert_int_equal(fixture.level.len, 0);
    release(&fixture);
}

static void test_levels_that_are_cut_short_are_refused(void **state) {
    (void)state;
    struct fixture fixture;
    save_level(&fixture, 0, "all");
    assert_true(fixture.level.len > 100);
    for (size_t size = 0; size < fixture.level.len; size++)
        assert_null(load_rows(&fixture, fixture.level.data, size, NULL));
    assert_non_null(load_rows(&fixture, fixture.level.data, fixture.level.len, NULL));
    release(&fixture);
}

static void test_levels_with_wrong_bytes_do_no_harm(void **state) {
    (void)state;
    struct fixture fixture;
    uint32_t refused = 0;
    save_level(&fixture, 0, "process");
    for (size_t offset = 0; offset < fixture.level.len; offset++)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            fixture.level.data[offset] ^= (uint8_t)(1U << bit);
            refused += load_rows(&fixture, fixture.level.data, fixture.level.len, NULL) == NULL;
            fixture.level.data[offset] ^= (uint8_t)(1U << bit);
        }
    assert_true(refused > fixture.level.len / 2);
    release(&fixture);
}

QUIPU_TESTS(cmocka_unit_test(test_levels_give_the_answer_of_the_trace),
            cmocka_unit_test(test_levels_are_no_finer_than_time),
            cmocka_unit_test(test_levels_that_are_cut_short_are_refused),
            cmocka_unit_test(test_levels_with_wrong_bytes_do_no_harm))
