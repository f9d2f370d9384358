/* test_between.c: what time outside of any region is called: by the calls around most of it. */
#include "harness.h"

#include "analysis/shared/between.h"

enum { INIT, SEND, WAIT, SOLVE, NAMELESS, REGIONS };

static struct quipu_region regions[REGIONS] = {[INIT] = {.name = "MPI_Init"},
                                               [SEND] = {.name = "MPI_Send"},
                                               [WAIT] = {.name = "MPI_Wait"},
                                               [SOLVE] = {.name = "solve"},
                                               [NAMELESS] = {.name = "", .native_id = 77}};
static const struct quipu_definitions definitions = {.regions = {regions, REGIONS}};

static void assert_most(const struct quipu__between *between, uint32_t location, const char *expected) {
    char text[QUIPU__CALLS_AROUND_BYTES];
    const char *found = quipu__calls_around_text(&definitions, quipu__between_most(between, location), text);
    if (expected)
        assert_string_equal(found, expected);
    else
        assert_null(found);
}

/* Location 0: 10 before MPI_Init, 6 + 7 between MPI_Send and MPI_Wait, 12 between MPI_Wait and MPI_Send. Location 2: 5 and 5, the first of them is
 * named. Nothing is added for location 1, nothing around calls for 3. */
static void test_between_names_the_calls_around_most_of_it(void **state) {
    (void)state;
    static const struct {
        uint32_t location;
        struct quipu__calls_around calls;
        int64_t amount;
    } added[] = {{0, {QUIPU_NONE, INIT}, 10},     {0, {SEND, WAIT}, 6}, {2, {INIT, SEND}, 5},
                 {0, {WAIT, SEND}, 12},           {0, {SEND, WAIT}, 7}, {2, {SEND, QUIPU_NONE}, 5},
                 {3, {QUIPU_NONE, QUIPU_NONE}, 9}};
    struct quipu__memory memory;
    struct quipu__between between;
    quipu__memory_init(&memory, NULL, 0);
    quipu__between_init(&between, &memory);
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        quipu__between_add(&between, added[i].location, added[i].calls, added[i].amount);
    assert_most(&between, 0, "between MPI_Send and MPI_Wait");
    assert_most(&between, 1, NULL);
    assert_most(&between, 2, "between MPI_Init and MPI_Send");
    assert_most(&between, 3, NULL);
    assert_most(&between, 4, NULL);
    quipu__between_release(&between);
    assert_int_equal(memory.used, 0);
}

static void test_between_has_texts_for_one_call_and_for_none(void **state) {
    (void)state;
    static const struct {
        uint32_t before, after;
        const char *text;
    } cases[] = {{QUIPU_NONE, INIT, "before MPI_Init"},
                 {WAIT, QUIPU_NONE, "after MPI_Wait"},
                 {WAIT, NAMELESS, "between MPI_Wait and 77"}};
    char text[QUIPU__CALLS_AROUND_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            quipu__calls_around_text(&definitions,
                                     (struct quipu__calls_around){cases[i].before, cases[i].after}, text),
            cases[i].text);
    assert_null(quipu__calls_around_text(&definitions, QUIPU__NO_CALLS_AROUND, text));
}

QUIPU_TESTS(cmocka_unit_test(test_between_names_the_calls_around_most_of_it),
            cmocka_unit_test(test_between_has_texts_for_one_call_and_for_none))
