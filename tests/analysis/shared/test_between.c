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

struct fixture {
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    struct quipu__between between;
};

static void begin(struct fixture *fixture) {
    quipu__memory_init(&fixture->memory, NULL, 0);
    assert_true(quipu__call_paths_init(&fixture->paths, &fixture->memory));
    quipu__between_init(&fixture->between, &fixture->memory);
}

static void end(struct fixture *fixture) {
    quipu__between_release(&fixture->between);
    quipu__call_paths_release(&fixture->paths);
    assert_int_equal(fixture->memory.used, 0);
}

/* Steps of a location: a region and how long; REGIONS: outside. */
static void steps(struct fixture *fixture, uint32_t location, const int64_t (*list)[2], size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t path = list[i][0] == REGIONS ? QUIPU__NO_CALLS
                                                    : quipu__call_path_enter(&fixture->paths, QUIPU__NO_CALLS,
                                                                             (uint32_t)list[i][0]);
        quipu__between_step(&fixture->between, &fixture->paths, location, path, list[i][1]);
    }
    quipu__between_end(&fixture->between, &fixture->paths, location);
}

static void assert_most(const struct fixture *fixture, uint32_t location, const char *expected) {
    char text[QUIPU__CALLS_AROUND_BYTES];
    const char *found =
        quipu__calls_around_text(&definitions, quipu__between_most(&fixture->between, location), text);
    if (expected)
        assert_string_equal(found, expected);
    else
        assert_null(found);
}

/* Location 0: 10 before MPI_Init, 6 + 7 between MPI_Send and MPI_Wait, 12 between MPI_Wait and MPI_Send. Location 2: 5 and 5, the first of them is
 * named. Location 1 is never outside, 3 only so. */
static void test_between_names_the_calls_around_most_of_it(void **state) {
    (void)state;
    static const int64_t first[][2] = {{REGIONS, 10}, {INIT, 1}, {SEND, 1},    {REGIONS, 6}, {WAIT, 1},
                                       {REGIONS, 12}, {SEND, 1}, {REGIONS, 7}, {WAIT, 1},    {REGIONS, 3}};
    static const int64_t equal[][2] = {{INIT, 1}, {REGIONS, 5}, {SEND, 1}, {REGIONS, 5}};
    static const int64_t inside[][2] = {{SOLVE, 5}, {SEND, 5}}, outside[][2] = {{REGIONS, 5}};
    struct fixture fixture;
    begin(&fixture);
    steps(&fixture, 0, first, sizeof first / sizeof *first);
    steps(&fixture, 2, equal, sizeof equal / sizeof *equal);
    steps(&fixture, 1, inside, sizeof inside / sizeof *inside);
    steps(&fixture, 3, outside, 1);
    assert_most(&fixture, 0, "between MPI_Send and MPI_Wait");
    assert_most(&fixture, 1, NULL);
    assert_most(&fixture, 2, "between MPI_Init and MPI_Send");
    assert_most(&fixture, 3, NULL);
    assert_most(&fixture, 4, NULL);
    end(&fixture);
}

/* Of MPI_Send in solve the latter is named. A step of no length says where a location has been: in MPI_Wait, before 9. */
static void test_between_names_outermost_calls(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    const uint32_t solve = quipu__call_path_enter(&fixture.paths, QUIPU__NO_CALLS, SOLVE);
    const uint32_t send = quipu__call_path_enter(&fixture.paths, solve, SEND);
    const uint32_t wait = quipu__call_path_enter(&fixture.paths, QUIPU__NO_CALLS, WAIT);
    quipu__between_step(&fixture.between, &fixture.paths, 0, wait, 0);
    quipu__between_step(&fixture.between, &fixture.paths, 0, QUIPU__NO_CALLS, 9);
    quipu__between_step(&fixture.between, &fixture.paths, 0, send, 4);
    assert_most(&fixture, 0, "between MPI_Wait and solve");
    end(&fixture);
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
            cmocka_unit_test(test_between_names_outermost_calls),
            cmocka_unit_test(test_between_has_texts_for_one_call_and_for_none))
