/* test_path_uses.c: what the time in a path of calls is for: the innermost communication call decides; without one the innermost call for
 * I/O, a runtime system, synchronisation or idleness; without any it is useful. */
#include "harness.h"

#include "analysis/shared/path_uses.h"

enum { WORK, SEND, BARRIER, WRITE, RUNTIME, REGIONS };

static struct quipu_region regions[REGIONS] = {
    [WORK] = {.name = "work", .role = QUIPU_REGION_FUNCTION},
    [SEND] = {.name = "MPI_Send", .role = QUIPU_REGION_MPI_P2P},
    [BARRIER] = {.name = "MPI_Barrier", .role = QUIPU_REGION_MPI_COLLECTIVE},
    [WRITE] = {.name = "write", .role = QUIPU_REGION_IO},
    [RUNTIME] = {.name = "flush", .role = QUIPU_REGION_RUNTIME}};
static const struct quipu_definitions definitions = {.regions = {regions, REGIONS}};

struct fixture {
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    struct quipu__path_uses uses;
};

static void begin(struct fixture *fixture) {
    quipu__memory_init(&fixture->memory, NULL, 0);
    assert_true(quipu__call_paths_init(&fixture->paths, &fixture->memory));
    fixture->uses = (struct quipu__path_uses){.memory = &fixture->memory, .definitions = &definitions};
}

static void end(struct fixture *fixture) {
    quipu__path_uses_release(&fixture->uses);
    quipu__call_paths_release(&fixture->paths);
    assert_int_equal(fixture->memory.used, 0);
}

/* The path of the first region and, unless that is REGIONS, the second one in it. */
static uint32_t path_of(struct fixture *fixture, uint32_t first, uint32_t second) {
    const uint32_t outer = quipu__call_path_enter(&fixture->paths, QUIPU__NO_CALLS, first);
    return second == REGIONS ? outer : quipu__call_path_enter(&fixture->paths, outer, second);
}

static void test_path_uses_of_calls_in_calls(void **state) {
    static const struct {
        uint32_t first, second, decides; /* REGIONS: none */
        bool communicates;
    } cases[] = {
        {WORK, REGIONS, REGIONS, false}, {WORK, WORK, REGIONS, false}, {SEND, REGIONS, SEND, true},
        {WORK, SEND, SEND, true},        {SEND, WORK, SEND, true},     {BARRIER, SEND, SEND, true},
        {SEND, WRITE, SEND, true},       {SEND, RUNTIME, SEND, true},  {WRITE, REGIONS, WRITE, false},
        {WRITE, WORK, WRITE, false},     {WRITE, SEND, SEND, true},    {WRITE, RUNTIME, RUNTIME, false},
        {RUNTIME, WRITE, WRITE, false},  {WRITE, WRITE, WRITE, false}};
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t path = path_of(&fixture, cases[i].first, cases[i].second);
        const struct quipu__path_use use = quipu__path_use_of(&fixture.uses, &fixture.paths, path);
        const bool is_useful = cases[i].decides == REGIONS;
        assert_int_equal(use.communicates, cases[i].communicates);
        assert_int_equal(use.role, is_useful ? QUIPU_REGION_FUNCTION : regions[cases[i].decides].role);
        assert_int_equal(quipu__path_is_useful(&fixture.uses, &fixture.paths, path), is_useful);
        if (is_useful)
            assert_int_equal(use.call, QUIPU__NO_CALLS);
        else
            assert_int_equal(quipu__call_path_region(&fixture.paths, use.call), cases[i].decides);
    }
    end(&fixture);
}

/* Of two calls of one region the inner one decides; outside of calls time is useful. */
static void test_path_uses_name_the_innermost_call(void **state) {
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    const uint32_t outer = path_of(&fixture, BARRIER, REGIONS), inner = path_of(&fixture, BARRIER, BARRIER);
    assert_int_equal(quipu__path_use_of(&fixture.uses, &fixture.paths, inner).call, inner);
    assert_int_equal(quipu__path_use_of(&fixture.uses, &fixture.paths, outer).call, outer);
    assert_true(quipu__path_is_useful(&fixture.uses, &fixture.paths, QUIPU__NO_CALLS));
    end(&fixture);
}

QUIPU_TESTS(cmocka_unit_test(test_path_uses_of_calls_in_calls),
            cmocka_unit_test(test_path_uses_name_the_innermost_call))
