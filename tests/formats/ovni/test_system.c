/* test_system.c: looms, processes, threads and CPUs from metadata, their order, clock offsets, and the rules of metadata. */
#include "traces.h"

#define RUN "0 OHx i-1 i-1 q0; 9 OHe"

static const char *rows_of(const char *path, enum quipu__ovni_view view) {
    const struct shown shown = show(path);
    const char *names = shown.rows[view] ? strstr(shown.rows[view], "LEVEL THREAD") : NULL;
    if (!names)
        fail_msg("no rows: %s", shown.rules);
    return strchr(names, '\n') + 1;
}

/* Without ranks looms are in the order of their names, processes of their numbers, threads of theirs; a loom has its CPUs by their
 * numbers in the operating system, then the virtual one. */
static void test_system_rows_are_in_the_order_of_names_and_numbers(void **state) {
    const char *path =
        MADE_TRACE({.tid = 31, .pid = 3, .loom = "b.1", .events = RUN},
                   {.tid = 22, .pid = 2, .loom = "a.1", .events = RUN},
                   {.tid = 12, .pid = 2, .loom = "a.1", .cpus = -1, .events = RUN},
                   {.tid = 5,
                    .pid = 10,
                    .loom = "a.1",
                    .cpus = -1,
                    .events = RUN,
                    .more = ", \"loom_cpus\": [{\"index\": 2, \"phyid\": 7}, {\"index\": 1, \"phyid\": 9}]"});
    (void)state;
    assert_string_equal(rows_of(path, QUIPU__OVNI_VIEW_THREAD), "TH 1.12\nTH 1.22\nTH 1.5\nTH 1.31\n");
    assert_string_equal(rows_of(path, QUIPU__OVNI_VIEW_CPU),
                        " CPU 0.0\n CPU 0.7\n CPU 0.9\nvCPU 0.*\n CPU 1.0\nvCPU 1.*\n");
}

#define RANK(rank) ", \"rank\": " #rank ", \"nranks\": 4"

/* Where all looms have ranks, their lowest rank decides, and ranks decide within a loom. */
static void test_system_ranks_come_before_names(void **state) {
    const char *path =
        MADE_TRACE({.tid = 1, .pid = 1, .loom = "a", .more = RANK(3), .events = RUN},
                   {.tid = 2, .pid = 2, .loom = "a", .cpus = -1, .more = RANK(1), .events = RUN},
                   {.tid = 3, .pid = 3, .loom = "b", .more = RANK(0), .events = RUN},
                   {.tid = 4, .pid = 4, .loom = "b", .cpus = -1, .more = RANK(2), .events = RUN});
    (void)state;
    assert_string_equal(rows_of(path, QUIPU__OVNI_VIEW_THREAD), "TH 1.3\nTH 1.4\nTH 1.2\nTH 1.1\n");
    /* In some looms only: a notice, and names decide. */
    path = MADE_TRACE({.tid = 1, .pid = 1, .loom = "a", .events = RUN},
                      {.tid = 3, .pid = 3, .loom = "b", .more = RANK(0), .events = RUN});
    assert_string_equal(show(path).rules, "ovni.some-ranks ovni.no-clock-offsets");
    assert_string_equal(rows_of(path, QUIPU__OVNI_VIEW_THREAD), "TH 1.1\nTH 1.3\n");
}

static void assert_metadata(const char *more, const char *top, const char *rules) {
    const struct shown shown = show(MADE_TRACE({.tid = 1, .more = more, .top = top, .events = RUN}));
    if (strcmp(shown.rules, rules) != 0)
        fail_msg("%s%s: %s", more, top, shown.rules);
}

static void assert_two(const char *first, const char *second, const char *rules) {
    const struct shown shown = show(MADE_TRACE({.tid = 1, .more = first, .events = RUN},
                                               {.tid = 2, .more = second, .cpus = -1, .events = RUN}));
    if (strcmp(shown.rules, rules) != 0)
        fail_msg("%s and %s: %s", first, second, shown.rules);
}

static void test_system_ranks_that_break_rules(void **state) {
    (void)state;
    assert_metadata(", \"rank\": 0", "", "ovni.rank");
    assert_metadata(", \"rank\": 4, \"nranks\": 4", "", "ovni.rank");
    assert_metadata(", \"rank\": -1, \"nranks\": 4", "", "ovni.rank");
    assert_metadata(", \"rank\": 0, \"nranks\": 0", "", "ovni.rank");
    assert_two(RANK(0), RANK(1), "ovni.rank");
    assert_two(RANK(0), RANK(0), "");
    assert_two(RANK(0), "", "");
}

#define CPUS(list) ", \"loom_cpus\": [" list "]"
#define CPU(index, phyid) "{\"index\": " #index ", \"phyid\": " #phyid "}"

/* The first thread says CPU 0 with the number 0. */
static void test_system_cpus_are_numbered_without_gaps(void **state) {
    (void)state;
    assert_two("", CPUS(CPU(0, 0)), ""); /* said again */
    assert_two("", CPUS(CPU(1, 5)), "");
    assert_two("", CPUS(CPU(2, 5)), "ovni.loom-cpus");
    assert_two("", CPUS(CPU(1, 0)), "ovni.loom-cpus"); /* one with two indices */
    assert_two("", CPUS(CPU(0, 1)), "ovni.loom-cpus"); /* two with one index */
    assert_two("", CPUS(CPU(-1, 1)), "ovni.loom-cpus ovni.loom-cpus");
    assert_two("", CPUS(CPU(-9000000000000000000, 1)), "ovni.loom-cpus ovni.loom-cpus"); /* nothing is there */
    assert_two("", CPUS(""), "ovni.loom-cpus");
    assert_string_equal(show(MADE_TRACE({.tid = 1, .cpus = -1, .events = RUN})).rules, "ovni.loom-cpus");
}

static void test_system_models_that_are_required(void **state) {
    static const struct {
        const char *version;
        bool is_fine;
    } versions[] = {{"2.7.0", true},   {"2.0.9", true},   {"2.8.0", false},  {"1.0.0", false},
                    {"3.0.0", false},  {"2.7", false},    {"2.7.0-x", true}, {"2.7.x", false},
                    {"-2.7.0", false}, {"2.7.0x", false}, {"2.7.99", true},  {"02.07.00", true},
                    {"", false}};
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (quipu__ovni_supports(QUIPU__OVNI_MODEL_nosv, versions[i].version) != versions[i].is_fine)
            fail_msg("version %s", versions[i].version);
}

static void test_system_marks_are_defined_in_one_way(void **state) {
#define MARK(type, title, kind, labels)                                                                        \
    ", \"mark\": {\"" type "\": {\"title\": \"" title "\", \"chan_type\": \"" kind "\", \"labels\": {" labels  \
    "}}}"
    (void)state;
    assert_two(MARK("0", "a", "single", "\"1\": \"one\""), MARK("0", "a", "single", "\"2\": \"two\""), "");
    assert_two(MARK("0", "a", "single", ""), MARK("0", "b", "single", ""), "ovni.mark");
    assert_two(MARK("0", "a", "single", ""), MARK("0", "a", "stack", ""), "ovni.mark");
    assert_two(MARK("0", "a", "single", "\"1\": \"one\""), MARK("0", "a", "single", "\"1\": \"uno\""),
               "ovni.mark");
    assert_metadata(MARK("100", "a", "single", ""), "", "ovni.mark");
    assert_metadata(MARK("99", "a", "single", ""), "", "");
    assert_metadata(MARK("x", "a", "single", ""), "", "ovni.mark");
    assert_metadata(MARK("0", "a", "both", ""), "", "ovni.mark");
    assert_metadata(MARK("0", "a", "single", "\"x\": \"one\""), "", "ovni.mark");
    assert_metadata(MARK("0", "a", "single", "\"-9223372036854775808\": \"least\""), "", "");
}

static void test_system_hardware_counters_are_the_same_everywhere(void **state) {
    (void)state;
    assert_metadata("", ", \"nosv\": {\"hwc\": {\"0\": {\"name\": \"A\"}}}", "");
    assert_metadata("", ", \"nosv\": {\"hwc\": {\"1\": {\"name\": \"A\"}}}", "ovni.counters");
    const struct shown shown =
        show(MADE_TRACE({.tid = 1, .top = ", \"nosv\": {\"hwc\": {\"0\": {\"name\": \"A\"}}}", .events = RUN},
                        {.tid = 2,
                         .cpus = -1,
                         .top = ", \"nosv\": {\"hwc\": {\"0\": {\"name\": \"A\"}, \"1\": {\"name\": \"B\"}}}",
                         .events = RUN}));
    assert_string_equal(shown.rules, "ovni.counters");
}

/* Two looms of the hosts a and b; in b all is 1000 ns later. */
static struct shown with_table(const char *table) {
    const char *path =
        MADE_TRACE({.tid = 1, .pid = 1, .loom = "a.1", .events = "100 OHx i0 i-1 q0; 300 OHe"},
                   {.tid = 2, .pid = 2, .loom = "b.x", .events = "1100 OHx i0 i-1 q0; 1250 OHe"});
    harness_write(harness_text("%s/clock-offsets.txt", path), table, strlen(table));
    return show(path);
}

static void test_system_clock_offsets_are_those_of_hosts(void **state) {
    (void)state;
    struct shown shown = with_table("rank hostname median mean std\n7 b -1000.9 1 2\n");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 4), "1@0=1 2@0=1 2@150=3 1@200=3");
    shown = with_table("heading\n\n0 a 50 0 0\n1 b -950 0 0"); /* without the last newline */
    assert_string_equal(shown.rules, "");
    assert_int_equal(shown.time, 200);
    shown = with_table("heading\n0 b -1000 0 0\n   \nnot looked at\n");
    assert_string_equal(shown.rules, "");
}

static void test_system_clock_offsets_that_break_rules(void **state) {
    static const char *const tables[] = {"",
                                         "heading",
                                         "heading\n",
                                         "heading\n0 c 0 0 0\n",
                                         "heading\n0 a 0 0 0\n0 a 0 0 0\n",
                                         "heading\n0 a 0 0\n",
                                         "heading\nx a 0 0 0\n",
                                         "heading\n0 a x 0 0\n"};
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strstr(with_table(tables[i]).rules, "ovni.clock-offsets"))
            fail_msg("taken: %s", tables[i]);
}

/* The first clocks of streams are at most an hour apart. */
static void test_system_streams_begin_within_an_hour(void **state) {
    (void)state;
    const struct shown within =
        show(MADE_TRACE({.tid = 1, .events = "0 OHx i-1 i-1 q0; 9 OHe"},
                        {.tid = 2, .cpus = -1, .events = "3600000000000 OHx i-1 i-1 q0; 3600000000001 OHe"}));
    assert_string_equal(within.rules, "");
    const struct shown later =
        show(MADE_TRACE({.tid = 1, .events = "0 OHx i-1 i-1 q0; 9 OHe"},
                        {.tid = 2, .cpus = -1, .events = "3600000000001 OHx i-1 i-1 q0; 3600000000002 OHe"}));
    assert_string_equal(later.rules, "ovni.clock-gap");
}

QUIPU_TESTS(cmocka_unit_test(test_system_rows_are_in_the_order_of_names_and_numbers),
            cmocka_unit_test(test_system_ranks_come_before_names),
            cmocka_unit_test(test_system_ranks_that_break_rules),
            cmocka_unit_test(test_system_cpus_are_numbered_without_gaps),
            cmocka_unit_test(test_system_models_that_are_required),
            cmocka_unit_test(test_system_marks_are_defined_in_one_way),
            cmocka_unit_test(test_system_hardware_counters_are_the_same_everywhere),
            cmocka_unit_test(test_system_clock_offsets_are_those_of_hosts),
            cmocka_unit_test(test_system_clock_offsets_that_break_rules),
            cmocka_unit_test(test_system_streams_begin_within_an_hour))
