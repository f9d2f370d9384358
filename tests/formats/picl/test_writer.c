/* test_writer.c: what is written comes back: copies byte by byte, canonical files, other spellings of the old format, events of
 * other traces; and statistics, recomputed by a second, slow implementation. */
#include "harness.h"

#include "formats/picl/statistics.h"

#include <inttypes.h>

static const char *copy_of(const char *path, const char *name, const char *settings) {
    const char *out = harness_text("%s/%s", harness_folder(), name);
    const struct harness_run run =
        harness_run("%s convert --quiet --to picl %s -o %s %s", harness_built("quipu"), settings, out, path);
    if (run.code != 0)
        fail_msg("%s: %s", path, run.err);
    return harness_read(out, NULL);
}

static const char *file_of(const char *text) {
    const char *path = harness_text("%s/in.picl", harness_folder());
    harness_write(path, text, strlen(text));
    return path;
}

static void test_writer_copies_have_the_same_bytes(void **state) {
    (void)state;
    const char *path = harness_data("sweep/picl/ring.picl");
    assert_string_equal(copy_of(path, "copy.picl", ""), harness_read(path, NULL));
}

static void test_writer_canonical_spelling(void **state) {
    (void)state;
    const char *text = "  -3\t-901 +.5 0 -1 0\r\n"
                       "-101 -1 1.5e0 0 -1 2 \"%d%lf\" -11 0.000098 \\\n -21 .0000465\n"
                       "-5 -21 -1 -1 -1 4 \"%c\" s e n d\n"
                       "-2 7 1.0000001 0 -1 2 \"%d %d\" 4 5\n"
                       "0 7 2 0 -1 1 5 1e-9\n";
    const char *canonical = "-3 -901 0.500000 0 -1 0\n"
                            "-101 -1 1.500000 0 -1 2 \"%d%lf\" -11 0.000098 -21 4.65e-05\n"
                            "-5 -21 -1.000000 -1 -1 4 0 send\n"
                            "-2 7 1.0000001 0 -1 1 \"%d %d\" 4 5\n"
                            "0 7 2.000000 0 -1 1 5 1e-09\n";
    assert_string_equal(copy_of(file_of(text), "canonical.picl", "--set canonical=yes"), canonical);
    assert_string_equal(copy_of(file_of(canonical), "again.picl", "--set canonical=yes"), canonical);
}

static void test_writer_spells_the_old_format_in_both_ways(void **state) {
    (void)state;
    const char *compressed = "1 -1 -437177 0 2 0 0\n"
                             "16 0 -800000 0 grid is 4 by 1\n"
                             "4 0 706 0 1 10 8\n"
                             "22 0 1790 0 3 5 -60 700\n"
                             "17 0 4189 0\n"
                             "11 0 8217 0 0 1299\n";
    const char *verbose = "trace_start  clock -1 -437177 node 0 event 2 compstats 0 commstats 0\n"
                          "trace_message clock 0 -800000 node 0 grid is 4 by 1\n"
                          "send  clock 0 706 node 0 to 1 type 10 lth 8\n"
                          "trace_mark_array  clock 0 1790 node 0 size 3 array 5 -60 700\n"
                          "trace_stop  clock 0 4189 node 0 : ran out of memory\n"
                          "compstats  clock 0 8217 node 0 busy 1 444095 idle 0 1299\n";
    const char *new = "-3 -901 -1.437177 0 -1 0\n"
                      "-2 -904 -1.437177 0 -1 3 2 2 0 0\n"
                      "-7 -911 -0.800000 0 -1 14 0 grid is 4 by 1\n"
                      "-2 -21 0.000706 0 -1 3 2 8 10 1\n"
                      "0 -1 0.001790 0 -1 3 2 5 -60 700\n"
                      "-2 -913 0.004189 0 -1 0\n"
                      "-101 -1 0.008217 0 -1 1 \"%d%lf\" -1011 0.001299\n";
    assert_string_equal(copy_of(file_of(compressed), "v.picl", "--set spelling=verbose"), verbose);
    assert_string_equal(copy_of(file_of(verbose), "c.picl", "--set spelling=compressed"), compressed);
    assert_string_equal(copy_of(file_of(compressed), "n.picl", "--set spelling=new"), new);
    assert_string_equal(copy_of(file_of(verbose), "same.picl", ""), verbose);
}

static void test_writer_makes_traces_that_paragraph_accepts(void **state) {
    (void)state;
    static const char *const traces[] = {"sweep/otf/ring.otf", "sweep/dumpi/ring.meta", "cli/exchange.otf"};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        const char *out = harness_text("%s/out.picl", harness_folder());
        assert_non_null(copy_of(harness_data(traces[i]), "unused.picl", ""));
        struct harness_run run = harness_run("%s convert --quiet --to picl -o %s %s", harness_built("quipu"),
                                             out, harness_data(traces[i]));
        assert_int_equal(run.code, 0);
        run = harness_run("%s check --rules paragraph %s", harness_built("quipu"), out);
        if (run.code != 0)
            fail_msg("%s: %s", traces[i], run.out);
    }
}

/* ---- Statistics ---- */

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

static void test_writer_statistics_agree_with_a_slow_implementation(void **state) {
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

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes),
            cmocka_unit_test(test_writer_canonical_spelling),
            cmocka_unit_test(test_writer_spells_the_old_format_in_both_ways),
            cmocka_unit_test(test_writer_makes_traces_that_paragraph_accepts),
            cmocka_unit_test(test_writer_statistics_agree_with_a_slow_implementation))
