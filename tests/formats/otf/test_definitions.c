/* test_definitions.c: definitions in any order, in any file, and said again. */
#include "texts.h"

static const char *name_of(const char *definitions, uint64_t function) {
    struct quipu_reader *reader = made_reader(text_trace(definitions, "a\n*1\nE1\n"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    const char *name = "none";
    for (size_t i = 0; i < d->regions.count; i++)
        if (d->regions.items[i].native_id == function)
            name = harness_text("%s in %s", d->regions.items[i].name, d->regions.items[i].group);
    quipu_reader_close(reader);
    return name;
}

/* A group may be defined behind its members. */
static void test_definitions_may_be_in_any_order(void **state) {
    (void)state;
    assert_string_equal(name_of("DF1G4NM\"f\"\nDFG4NM\"MPI\"\n", 1), "f in MPI");
    assert_string_equal(name_of("DFG4NM\"MPI\"\nDF1G4NM\"f\"\n", 1), "f in MPI");
    assert_string_equal(name_of("DEFFUNCTION 1 GROUP 4 NAME \"f\"\nDEFFUNCTIONGROUP 4 NAME \"MPI\"\n", 1),
                        "f in MPI");
}

/* The same again says nothing new; another meaning of a token is found, and the first one stays. */
static void test_definitions_said_again(void **state) {
    const char *same = "DF1G0NM\"f\"\nDF1G0NM\"f\"\n", *other = "DF1G0NM\"f\"\nDF1G0NM\"g\"\n";
    (void)state;
    assert_string_equal(rules_checked(text_trace(same, "a\n*1\nE1\n14\n*1\nL1\n14\n*2\nPB\n")), "");
    assert_string_equal(name_of(other, 1), "f in ");
    assert_string_equal(rules_checked(text_trace(other, "a\n*1\nE1\n14\n*1\nL1\n14\n*2\nPB\n")),
                        "otf.redefined");
}

/* Parents of processes, sources with lines, counters with groups and units. */
static void test_definitions_of_other_classes(void **state) {
    struct quipu_reader *reader = made_reader(
        text_trace("DP3NM\"t\"PT2\nDSF6NM\"main.c\"\nDS5F6LN2a\nDCG1NM\"perf\"\nDCNT8G1NM\"flops\"P1U\"#\"\n",
                   "a\n*3\nPB\n"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_string_equal(d->locations.items[2].name, "t");
    assert_string_equal(d->locations.items[d->locations.items[2].parent].name, "b");
    assert_string_equal(d->sources.items[0].file, "main.c");
    assert_int_equal(d->sources.items[0].line, 42);
    assert_string_equal(d->metrics.items[0].name, "flops");
    assert_string_equal(d->metrics.items[0].group, "perf");
    assert_string_equal(d->metrics.items[0].unit, "#");
    assert_int_equal(d->clock.ticks_per_second, 1000000000);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_definitions_may_be_in_any_order),
            cmocka_unit_test(test_definitions_said_again), cmocka_unit_test(test_definitions_of_other_classes))
