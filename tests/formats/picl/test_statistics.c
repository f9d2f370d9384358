/* test_statistics.c: statistics that are written beside what they are of. */
#include "harness.h"

#include "formats/picl/statistics.h"

#include <inttypes.h>

/* A sequence of entries and exits of a few events, at whole times. */
enum { STEPS = 60, TYPES = 5 };
struct step {
    int64_t type, time;
    bool is_entry;
};

static uint64_t random_below(uint64_t *seed, uint64_t limit) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (*seed >> 33) % limit;
}

static size_t make_steps(uint64_t *seed, struct step steps[STEPS + TYPES * STEPS]) {
    uint32_t depth[TYPES] = {0};
    int64_t time = 0;
    size_t count = 0;
    for (int i = 0; i < STEPS; i++) {
        const int64_t type = (int64_t)random_below(seed, TYPES);
        const bool is_entry = depth[type] == 0 || random_below(seed, 2);
        depth[type] += is_entry ? 1 : UINT32_MAX;
        time += (int64_t)random_below(seed, 3);
        steps[count++] = (struct step){type, time, is_entry};
    }
    for (int64_t type = 0; type < TYPES; type++)
        for (; depth[type] > 0; depth[type]--)
            steps[count++] = (struct step){type, ++time, false};
    return count;
}

/* The entry that an exit closes: the latest of its type that is still active. */
static size_t entry_of(const struct step *steps, size_t exit) {
    uint32_t exits = 0;
    for (size_t i = exit; i-- > 0;) {
        if (steps[i].type != steps[exit].type)
            continue;
        if (steps[i].is_entry && exits-- == 0)
            return i;
        exits += !steps[i].is_entry;
    }
    return exit;
}

static size_t exit_of(const struct step *steps, size_t count, size_t entry) {
    for (size_t i = entry + 1; i < count; i++)
        if (!steps[i].is_entry && steps[i].type == steps[entry].type && entry_of(steps, i) == entry)
            return i;
    return count;
}

/* Whether an entry stands between the entry and the exit of an instance of a type. */
static bool is_inside(const struct step *steps, size_t count, size_t entry, int64_t type) {
    for (size_t i = 0; i < entry; i++)
        if (steps[i].is_entry && steps[i].type == type && exit_of(steps, count, i) > entry)
            return true;
    return false;
}

/* Whether the unit of time from time on is covered by an instance of a type, or only of those inside of another type. */
static bool covers(const struct step *steps, size_t count, int64_t time, int64_t type, int64_t inside) {
    for (size_t i = 0; i < count; i++)
        if (steps[i].is_entry && steps[i].type == type && steps[i].time <= time &&
            steps[exit_of(steps, count, i)].time > time && (inside < 0 || is_inside(steps, count, i, inside)))
            return true;
    return false;
}

static void slow_figures(const struct step *steps, size_t count, int64_t type, int64_t inside,
                         struct quipu__picl_figures *out) {
    *out = (struct quipu__picl_figures){.count = 0};
    for (size_t i = 0; i < count; i++)
        out->count +=
            steps[i].is_entry && steps[i].type == type && (inside < 0 || is_inside(steps, count, i, inside));
    for (int64_t time = 0; time < steps[count - 1].time; time++)
        out->time +=
            covers(steps, count, time, type, inside) && (inside < 0 || covers(steps, count, time, inside, -1));
}

static void assert_figures(const struct quipu__picl_statistics *statistics, const struct step *steps,
                           size_t count) {
    for (int64_t type = 0; type < TYPES; type++)
        for (int64_t inside = -1; inside < TYPES; inside++) {
            struct quipu__picl_figures slow, fast = {.count = 0};
            if (inside == type)
                continue;
            slow_figures(steps, count, type, inside, &slow);
            const bool has = quipu__picl_figures_of(statistics, type, inside, steps[count - 1].time, &fast);
            assert_int_equal(has, slow.count > 0);
            if (has && (fast.count != slow.count || fast.time != slow.time))
                fail_msg("event %" PRId64 " inside of %" PRId64 ": count %" PRIu64 " and %" PRIu64
                         ", time %" PRId64 " and %" PRId64,
                         type, inside, fast.count, slow.count, fast.time, slow.time);
        }
}

static void test_statistics_agree_with_a_slow_implementation(void **state) {
    (void)state;
    struct step steps[STEPS + TYPES * STEPS];
    struct quipu__memory memory;
    uint64_t seed = 3;
    quipu__memory_init(&memory, NULL, 0);
    for (int round = 0; round < 60; round++) {
        struct quipu__picl_statistics statistics;
        const size_t count = make_steps(&seed, steps);
        quipu__picl_statistics_init(&statistics, &memory);
        for (int64_t type = 0; type < TYPES; type++)
            quipu__picl_watch(&statistics, type);
        for (size_t i = 0; i < count; i++) {
            if (steps[i].is_entry)
                assert_true(quipu__picl_count_entry(&statistics, steps[i].type, steps[i].time, -1, 0, 0));
            else
                assert_true(quipu__picl_count_exit(&statistics, steps[i].type, steps[i].time, -1));
        }
        assert_figures(&statistics, steps, count);
        quipu__picl_statistics_release(&statistics);
    }
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_statistics_agree_with_a_slow_implementation))
