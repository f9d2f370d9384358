/* Levels of detail of the timeline: their bytes give the answer of the trace, and wrong ones are refused. */
#include "analysis/programs.h"

#include "analysis/timeline/timeline.h"

static const struct program exchange = {
    .rows = {"0..40:work 40..50:MPI_Send/send,peer=1,bytes=8 50..100:idle 100+work 130..170:read",
             "0..20:work 20..60:MPI_Recv/recv,peer=0,bytes=8 "
             "60..80:read/io_begin,operation=3,bytes=16/io_end,operation=3,bytes=12 90..200:work",
             "@1 10..90:work 95..99:MPI_Barrier"}};

/* The same, a hundred times as long: of two regions with equal time in a bin it is the first that counts. */
static const struct program long_exchange = {
    .rows = {
        "0..4000:work 4000..5000:MPI_Send/send,peer=1,bytes=8 5000..10000:idle 10000+work 13000..13001:read "
        "13001..13002:write",
        "0..2000:work 2000..6000:MPI_Recv/recv,peer=0,bytes=8 6000..6001:write 6001..6002:read "
        "6002..20000:work",
        "@1 1000..9000:work 9500..9900:MPI_Barrier"}};

struct fixture {
    size_t number;
    struct quipu_reader *reader;
    struct quipu__fold_start start;
    struct quipu__memory memory;
    struct quipu__buffer level;
};

/* The level that a trace is read for. */
static void save_level_of(struct fixture *fixture, const struct program *program, size_t level, const char *by,
                          const char *bins) {
    static struct quipu_setting settings[2];
    struct quipu__analysis_answer answer;
    settings[0] = (struct quipu_setting){"by", by};
    settings[1] = (struct quipu_setting){"bins", bins};
    *fixture = (struct fixture){.number = level, .reader = program_reader(program, 1)};
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
    assert_int_equal(quipu__fold_settings(&quipu__timeline_fold, settings, 2, &fixture->start.settings, NULL),
                     QUIPU_OK);
}

static void save_level(struct fixture *fixture, size_t level, const char *by) {
    save_level_of(fixture, &exchange, level, by, "80");
}

static void release(struct fixture *fixture) {
    quipu__buffer_release(&fixture->level);
    quipu_reader_close(fixture->reader);
}

/* The answer of a state, or NULL when the bytes are refused; nothing else may happen. */
static struct quipu_tables *load_answer(const struct fixture *fixture, const uint8_t *bytes, size_t size) {
    struct quipu_tables *tables = NULL;
    void *state = NULL;
    const enum quipu_status status = quipu__timeline_levels.load(&fixture->start, fixture->number,
                                                                 quipu__slice_of(bytes, size), &state, NULL);
    assert_true(status == QUIPU_OK || status == QUIPU_CORRUPT);
    if (status == QUIPU_OK)
        assert_int_equal(
            quipu__fold_tables(&quipu__timeline_fold, state, &fixture->memory, NULL, &tables, NULL), QUIPU_OK);
    quipu__timeline_fold.release(state);
    return tables;
}

static bool is_accepted(const struct fixture *fixture, size_t size) {
    struct quipu_tables *tables = load_answer(fixture, fixture->level.data, size);
    quipu_tables_free(tables);
    return tables != NULL;
}

static void assert_equal_tables(const struct quipu_table *one, const struct quipu_table *other) {
    const size_t columns = quipu_table_column_count(one), rows = quipu_table_row_count(one);
    assert_true(rows > 0);
    assert_int_equal(quipu_table_row_count(other), rows);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++) {
            const struct quipu_cell *cell = quipu_table_at(one, row, column),
                                    *equal = quipu_table_at(other, row, column);
            assert_int_equal(cell->is_null, equal->is_null);
            if (cell->is_null)
                continue;
            if (quipu_table_column_at(one, column)->type == QUIPU_TYPE_TEXT)
                assert_string_equal(cell->text, equal->text);
            else
                assert_int_equal(cell->u, equal->u);
        }
}

/* A level gives the rows of the trace. */
static void check_level(const struct program *program, size_t level, const char *by, const char *bins) {
    const struct quipu_setting settings[] = {{"by", by}, {"bins", bins}};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct fixture fixture;
    struct quipu_tables *tables, *loaded;
    save_level_of(&fixture, program, level, by, bins);
    options.settings = settings;
    options.setting_count = 2;
    assert_true(quipu__timeline_levels.serves(&fixture.start.settings, level));
    assert_int_equal(quipu_analysis_run(fixture.reader, "timeline", &options, &tables, NULL), QUIPU_OK);
    loaded = load_answer(&fixture, fixture.level.data, fixture.level.len);
    assert_non_null(loaded);
    assert_equal_tables(quipu_tables_at(tables, 0), quipu_tables_at(loaded, 0));
    quipu_tables_free(loaded);
    quipu_tables_free(tables);
    release(&fixture);
}

/* 80 bins: whoever shares a row, and the call that is never left. */
static void test_levels_give_the_answer_of_the_trace(void **state) {
    (void)state;
    static const char *const by[] = {"location", "process", "all"};
    for (size_t i = 0; i < 3; i++)
        check_level(&exchange, 0, by[i], "80");
}

/* A location that is there for an instant has no time in any region. */
static void test_levels_have_locations_of_an_instant(void **state) {
    (void)state;
    static const struct program instant = {.rows = {"0..100:work", "50+work"}};
    check_level(&instant, 0, "location", "80");
    check_level(&instant, 0, "all", "80");
}

/* The finest level has one region of each bin: it serves locations, in all of its bins. */
static void test_levels_finest_gives_the_answer_of_the_trace(void **state) {
    (void)state;
    static const struct {
        const char *by, *bins;
        bool is_served;
    } cases[] = {{"location", "8000", true}, {"location", "4000", false}, {"all", "8000", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        save_level_of(&fixture, &long_exchange, 3, cases[i].by, cases[i].bins);
        assert_int_equal(quipu__timeline_levels.serves(&fixture.start.settings, 3), cases[i].is_served);
        release(&fixture);
    }
    check_level(&long_exchange, 3, "location", "8000");
    check_level(&long_exchange, 2, "location", "2000");
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
        assert_false(is_accepted(&fixture, size));
    assert_true(is_accepted(&fixture, fixture.level.len));
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
            refused += !is_accepted(&fixture, fixture.level.len);
            fixture.level.data[offset] ^= (uint8_t)(1U << bit);
        }
    assert_true(refused > fixture.level.len / 2);
    release(&fixture);
}

QUIPU_TESTS(cmocka_unit_test(test_levels_give_the_answer_of_the_trace),
            cmocka_unit_test(test_levels_have_locations_of_an_instant),
            cmocka_unit_test(test_levels_finest_gives_the_answer_of_the_trace),
            cmocka_unit_test(test_levels_are_no_finer_than_time),
            cmocka_unit_test(test_levels_that_are_cut_short_are_refused),
            cmocka_unit_test(test_levels_with_wrong_bytes_do_no_harm))
