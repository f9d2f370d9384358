/* What differs between two programs: times beyond a threshold, and all that is counted. */
#include "analysis/programs.h"

#define DIFFERENCES "level what rank measure a b change_ns change percent evidence"

/* The second works 1200 in place of 1000 and so makes rank 1 wait 200 longer; it sends 16 bytes in place of 8 and has a region more. */
static const struct program before = {
    .rows = {"0..1000:work 1000..1010:MPI_Send/send,peer=1,bytes=8 1010..1020:other",
             "0..10:work 10..1012:MPI_Recv/recv,peer=0,bytes=8 1012..1020:other"}};
static const struct program after = {
    .rows = {"0..1200:work 1200..1210:MPI_Send/send,peer=1,bytes=16 1210..1220:other 1220..1225:fresh",
             "0..10:work 10..1212:MPI_Recv/recv,peer=0,bytes=16 1212..1220:other"}};

/* The rows of the answer, and whether there is a difference that counts. */
static const char *compare(const struct program *a, const struct program *b, const char *levels,
                           const char *threshold, const char *condition, const char *columns, bool *differ) {
    struct quipu_reader *one = program_reader(a, 1), *other = program_reader(b, 1);
    struct quipu_compare_options options = QUIPU_COMPARE_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    options.levels = levels;
    options.threshold = threshold;
    options.conditions = &condition;
    options.condition_count = condition ? 1 : 0;
    if (quipu_compare(one, other, &options, &tables, differ, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    const char *rows = program_rows(tables, "differences", columns);
    quipu_tables_free(tables);
    quipu_reader_close(one);
    quipu_reader_close(other);
    return rows;
}

/* Run time 205 of 1020; work 1000 + 10 and 1200 + 10, MPI_Recv 1002 and 1202; waiting 990 and 1190: the largest change first. */
static void test_compare_the_largest_change_first(void **state) {
    (void)state;
    bool differ;
    assert_string_equal(compare(&before, &after, NULL, NULL, NULL, DIFFERENCES, &differ),
                        "runtime run time - time_ns 1020 1225 205 - 20.1 one sample\n"
                        "profile MPI_Recv - exclusive_ns 1002 1202 200 - 19.96 one sample\n"
                        "profile MPI_Recv 1 exclusive_ns 1002 1202 200 - 19.96 one sample\n"
                        "profile work - exclusive_ns 1010 1210 200 - 19.8 one sample\n"
                        "profile work 0 exclusive_ns 1000 1200 200 - 20 one sample\n"
                        "waits late-sender in MPI_Recv - time_ns 990 1190 200 - 20.2 one sample\n"
                        "profile fresh - exclusive_ns 0 5 5 - - one sample\n"
                        "profile fresh 0 exclusive_ns 0 5 5 - - one sample\n"
                        "comm rank 0 → rank 1 - bytes 8 16 - 8 100 counted\n"
                        "definitions fresh - regions 0 1 - 1 - counted\n"
                        "profile fresh - calls 0 1 - 1 - counted\n"
                        "profile fresh 0 calls 0 1 - 1 - counted\n");
    assert_true(differ);
}

static void test_compare_a_program_with_itself(void **state) {
    (void)state;
    bool differ = true;
    assert_string_equal(compare(&before, &before, NULL, NULL, NULL, DIFFERENCES, &differ), "");
    assert_false(differ);
}

/* The other way round: -205 of 1225 and so on. */
static void test_compare_the_other_way_round(void **state) {
    (void)state;
    bool differ;
    assert_string_equal(compare(&after, &before, "runtime,comm", NULL, NULL, DIFFERENCES, &differ),
                        "runtime run time - time_ns 1225 1020 -205 - -16.73 one sample\ncomm rank 0 → rank 1 - "
                        "bytes 16 8 - -8 -50 counted\n");
}

/* 1020 and 1000: 20 of 1020 are 1.96 %: below 5 % and 1.97 %, above 1.96 %. 100 of 2000 are 5 %, which is not more than 5 %. */
static void test_compare_differences_above_a_threshold(void **state) {
    (void)state;
    const struct program short_one = {.rows = {"0..1000:work"}}, long_one = {.rows = {"0..1020:work"}};
    const struct program less = {.rows = {"0..1900:work"}}, more = {.rows = {"0..2000:work"}},
                         bit_more = {.rows = {"0..2001:work"}};
    bool differ;
    assert_string_equal(compare(&short_one, &long_one, "runtime", NULL, NULL, "a b", &differ), "");
    assert_false(differ);
    assert_string_equal(compare(&short_one, &long_one, "runtime", "1.97", NULL, "a b", &differ), "");
    assert_string_equal(compare(&short_one, &long_one, "runtime", "1.96", NULL, "a b", &differ), "1000 1020\n");
    assert_string_equal(compare(&less, &more, "runtime", NULL, NULL, "a b", &differ), "");
    assert_string_equal(compare(&less, &bit_more, "runtime", NULL, NULL, "a b", &differ), "1900 2001\n");
    assert_true(differ);
}

/* The run time grows by 20.1 %, waiting by 20.2 %, bytes by 100 %. */
static void test_compare_with_conditions(void **state) {
    (void)state;
    bool differ;
    static const struct {
        const char *condition;
        bool is_met;
    } rows[] = {{"runtime.time > +20%", true}, {"runtime.time > +21%", false}, {"waits.time > +20%", true},
                {"waits.time > +21%", false},  {"comm.bytes > +99%", true},    {"comm.bytes > +100%", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        compare(&before, &after, NULL, NULL, rows[i].condition, "level", &differ);
        if (differ != rows[i].is_met)
            fail_msg("%s", rows[i].condition);
    }
    compare(&after, &before, NULL, NULL, "runtime.time > +1%", "level", &differ);
    assert_false(differ);
}

/* Rank 0 calls MPI_Send, twice MPI_Barrier, and MPI_Send; then with one barrier less, and one more send. */
static void test_compare_calls_in_their_order(void **state) {
    (void)state;
    bool differ;
    const struct program one = {.rows = {"0..1:MPI_Send/send,peer=0,bytes=8 2..3:MPI_Barrier/barrier "
                                         "4..5:MPI_Barrier/barrier 6..7:MPI_Send/send,peer=0,bytes=8"}};
    const struct program other = {
        .rows = {
            "0..1:MPI_Send/send,peer=0,bytes=8 2..3:MPI_Barrier/barrier 6..7:MPI_Send/send,peer=0,bytes=8"}};
    assert_string_equal(compare(&one, &one, "calls", NULL, NULL, "level", &differ), "");
    assert_string_not_equal(compare(&one, &other, "calls", NULL, NULL, "level", &differ), "");
    assert_true(differ);
}

static void test_compare_refuses_what_it_does_not_know(void **state) {
    (void)state;
    static const char *const wrong[][3] = {{"moon", NULL, NULL},
                                           {NULL, "x", NULL},
                                           {NULL, "-1", NULL},
                                           {NULL, NULL, "runtime.time"},
                                           {NULL, NULL, "moon.time > +5%"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct quipu_reader *one = program_reader(&before, 1), *other = program_reader(&before, 1);
        struct quipu_compare_options options = QUIPU_COMPARE_OPTIONS_INIT;
        struct quipu_tables *tables;
        bool differ;
        options.levels = wrong[i][0];
        options.threshold = wrong[i][1];
        options.conditions = &wrong[i][2];
        options.condition_count = wrong[i][2] != NULL;
        if (quipu_compare(one, other, &options, &tables, &differ, NULL) != QUIPU_MISUSE)
            fail_msg("row %zu is taken", i);
        quipu_reader_close(one);
        quipu_reader_close(other);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_compare_the_largest_change_first),
            cmocka_unit_test(test_compare_a_program_with_itself),
            cmocka_unit_test(test_compare_the_other_way_round),
            cmocka_unit_test(test_compare_differences_above_a_threshold),
            cmocka_unit_test(test_compare_with_conditions), cmocka_unit_test(test_compare_calls_in_their_order),
            cmocka_unit_test(test_compare_refuses_what_it_does_not_know))
