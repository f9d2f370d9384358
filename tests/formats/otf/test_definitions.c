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

/* Key-values of a source location say which function it lies in and what has called that; those of other definitions mean nothing. */
static void test_definitions_of_source_locations_have_key_values(void **state) {
    struct quipu_reader *reader = made_reader(
        text_trace("K7YbV7061636bL4\nK8Y6V3\nDSF2NM\"util.h\"\nK7YbV7061636bL4\nK8Y6V3\nDS2F2LNc\nDS3F2LN12c\n"
                   "K8Y6V9\nDS4F2LN1\nDK7YbNM\"function\"T\"\"\nDK8Y6NM\"caller\"T\"\"\nDF1G0NM\"f\"X4\n",
                   "a\n*1\nE1X2\n"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_int_equal(d->sources.count, 3);
    assert_string_equal(d->sources.items[0].function, "pack");
    assert_int_equal(d->sources.items[0].caller, 1);
    assert_string_equal(d->sources.items[1].function, "");
    assert_int_equal(d->sources.items[1].caller, QUIPU_NONE);
    assert_int_equal(d->sources.items[2].caller, QUIPU_NONE); /* of a token that nothing defines */
    assert_true(d->has_call_sites);
    quipu_reader_close(reader);
}

/* Where functions are defined, nothing is called. */
static void test_definitions_of_functions_are_no_call_sites(void **state) {
    struct quipu_reader *reader = made_reader(
        text_trace("DSF2NM\"util.h\"\nDS2F2LNc\nDS3F2LNd\nDF1G0NM\"f\"X2\nDF2G0NM\"g\"X3\nDF3G0NM\"h\"X2\n",
                   "a\n*1\nE1\n"));
    (void)state;
    assert_false(quipu_reader_definitions(reader)->has_call_sites);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_definitions_of_source_locations_have_key_values),
            cmocka_unit_test(test_definitions_of_functions_are_no_call_sites),
            cmocka_unit_test(test_definitions_may_be_in_any_order),
            cmocka_unit_test(test_definitions_said_again), cmocka_unit_test(test_definitions_of_other_classes))
