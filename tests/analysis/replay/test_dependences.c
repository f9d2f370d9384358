/* test_dependences.c: what waits for what in collective operations, compared with looking at each pair of members, in operations that are drawn by
 * lot. */
#include "harness.h"

#include "analysis/replay/dependences.h"
#include "core/memory/memory.h"

enum { MEMBERS_MOST = 40, ROUNDS = 300 };

static const uint32_t operations[] = {QUIPU_COLLECTIVE_BARRIER, QUIPU_COLLECTIVE_BCAST,
                                      QUIPU_COLLECTIVE_REDUCE,  QUIPU_COLLECTIVE_ALLREDUCE,
                                      QUIPU_COLLECTIVE_SCAN,    QUIPU_COLLECTIVE_EXSCAN};
enum { OPERATIONS = sizeof operations / sizeof *operations };

struct drawn {
    struct quipu__collective collective;
    struct quipu__collective_side sides[MEMBERS_MOST];
    int64_t least;
};

static uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* An operation whose members come and go in any order; now and then some are missing. */
static void draw_operation(struct drawn *drawn, uint32_t *seed, bool is_complete) {
    static const struct quipu_definitions definitions;
    struct quipu__ends ends = {.definitions = &definitions};
    struct quipu__collective_matching matching = {.locations = &ends};
    const uint32_t count = 1 + draw(seed, MEMBERS_MOST);
    drawn->collective = (struct quipu__collective){.operation = operations[draw(seed, OPERATIONS)],
                                                   .root = draw(seed, count),
                                                   .sides = drawn->sides,
                                                   .side_count = count,
                                                   .members = count,
                                                   .member_count = count};
    drawn->least = draw(seed, 2) ? 0 : draw(seed, 9);
    for (uint32_t i = 0; i < count; i++) {
        drawn->sides[i] = (struct quipu__collective_side){.begin = draw(seed, 50),
                                                          .end = draw(seed, 60),
                                                          .location = i,
                                                          .mark = QUIPU_NONE,
                                                          .end_mark = QUIPU_NONE,
                                                          .sent = draw(seed, 3),
                                                          .received = draw(seed, 3),
                                                          .has_ended = is_complete || draw(seed, 5) > 0};
    }
    quipu__collective_find_flow(&matching, &drawn->collective);
}

static bool waits_for(const struct quipu__collective *collective, uint32_t later, uint32_t earlier) {
    const bool has_bytes = collective->operation != QUIPU_COLLECTIVE_BARRIER;
    if (has_bytes && (collective->sides[later].received == 0 || collective->sides[earlier].sent == 0))
        return false;
    switch (collective->operation) {
    case QUIPU_COLLECTIVE_BCAST:
        return earlier == collective->root && later != earlier;
    case QUIPU_COLLECTIVE_REDUCE:
        return later == collective->root && later != earlier;
    case QUIPU_COLLECTIVE_SCAN:
    case QUIPU_COLLECTIVE_EXSCAN:
        return earlier < later;
    default:
        return later != earlier;
    }
}

static void test_dependences_violations_are_those_of_all_pairs(void **state) {
    struct quipu__memory memory;
    struct drawn drawn;
    uint32_t seed = 1;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t expected = 0;
        draw_operation(&drawn, &seed, true);
        for (uint32_t i = 0; i < drawn.collective.side_count; i++)
            for (uint32_t k = 0; k < drawn.collective.side_count; k++)
                expected += waits_for(&drawn.collective, i, k) &&
                            drawn.sides[i].end < drawn.sides[k].begin + drawn.least;
        assert_int_equal(quipu__collective_violations(&memory, &drawn.collective, drawn.least), expected);
    }
    assert_int_equal(memory.used, 0);
}

/* Members advance to where they begin, some of them only when they are let on; then they wait. */
static void add_sides(struct quipu__schedule *schedule, struct drawn *drawn, uint32_t *seed,
                      uint32_t held[MEMBERS_MOST]) {
    for (uint32_t i = 0; i < drawn->collective.side_count; i++) {
        struct quipu__collective_side *side = &drawn->sides[i];
        held[i] = QUIPU_NONE;
        quipu__schedule_advance(schedule, i, side->begin, 0, 0);
        if (draw(seed, 3) == 0) {
            held[i] = quipu__schedule_condition(schedule, i);
            quipu__schedule_open(schedule, held[i]);
            quipu__schedule_await(schedule, held[i], 0, 0);
        }
        side->mark = quipu__schedule_publish(schedule, i, 0, false);
        if (!side->has_ended)
            continue;
        side->end_mark = quipu__schedule_condition(schedule, i);
        quipu__schedule_open(schedule, side->end_mark);
        quipu__schedule_await(schedule, side->end_mark, 0, 0);
    }
}

static int64_t expected_position(const struct drawn *drawn, uint32_t member) {
    int64_t position = drawn->sides[member].begin;
    for (uint32_t k = 0; drawn->sides[member].has_ended && k < drawn->collective.side_count; k++)
        if (waits_for(&drawn->collective, member, k) && drawn->sides[k].begin + drawn->least > position)
            position = drawn->sides[k].begin + drawn->least;
    return position;
}

static void test_dependences_let_each_end_wait_for_those_of_all_pairs(void **state) {
    struct quipu__memory memory;
    struct quipu__schedule schedule;
    struct drawn drawn;
    uint32_t seed = 2, held[MEMBERS_MOST];
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    for (int round = 0; round < ROUNDS; round++) {
        draw_operation(&drawn, &seed, round % 2 == 0);
        quipu__schedule_init(&schedule, &memory);
        schedule.distance = drawn.least;
        add_sides(&schedule, &drawn, &seed, held);
        quipu__collective_depend(&schedule, &drawn.collective, true);
        for (uint32_t i = drawn.collective.side_count; i-- > 0;)
            quipu__schedule_close(&schedule, held[i]);
        assert_true(quipu__schedule_is_done(&schedule));
        for (uint32_t i = 0; i < drawn.collective.side_count; i++)
            assert_int_equal(quipu__schedule_location(&schedule, i)->position, expected_position(&drawn, i));
        quipu__schedule_release(&schedule);
    }
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_dependences_violations_are_those_of_all_pairs),
            cmocka_unit_test(test_dependences_let_each_end_wait_for_those_of_all_pairs))
