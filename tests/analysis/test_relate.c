/* test_relate.c: several traces, each asked by itself. */
#include "analysis/programs.h"

static enum quipu_status related(size_t count, const char *analysis, struct quipu_error *err) {
    struct program program = {0};
    struct quipu_reader *readers[2] = {program_reader(&program, 1), program_reader(&program, 1)};
    const char *const names[] = {"first", "second"};
    struct quipu_tables *tables = (struct quipu_tables *)(void *)&program;
    const enum quipu_status status = quipu_analysis_relate(readers, names, count, analysis, NULL, &tables, err);
    assert_int_equal(tables != NULL, status == QUIPU_OK);
    quipu_tables_free(tables);
    quipu_reader_close(readers[0]);
    quipu_reader_close(readers[1]);
    return status;
}

static void test_relate_refuses_what_does_not_relate_traces(void **state) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    assert_int_equal(related(2, "painting", &err), QUIPU_NOT_FOUND);
    assert_string_equal(err.message, "no analysis \"painting\"");
    assert_int_equal(related(2, "comm", &err), QUIPU_UNSUPPORTED);
    assert_string_equal(err.message, "comm does not relate 2 traces");
    assert_int_equal(related(0, "efficiency", &err), QUIPU_UNSUPPORTED);
}

/* A trace beside itself: the times are the same, and the global efficiency is that of the trace, useful 150 of 2 * 110. */
static void test_relate_a_trace_with_itself(void **state) {
    const struct program program = {
        .rows = {"0..10:MPI_Init 10..110:work 110..120:MPI_Barrier/barrier 120..130:MPI_Finalize",
                 "0..10:MPI_Init 10..60:work 60..120:MPI_Barrier/barrier 120..130:MPI_Finalize"}};
    struct quipu_reader *readers[2] = {program_reader(&program, 1), program_reader(&program, 1)};
    const char *const names[] = {"first", "second"};
    struct quipu_tables *tables;
    (void)state;
    assert_int_equal(quipu_analysis_relate(readers, names, 2, "efficiency", NULL, &tables, NULL), QUIPU_OK);
    assert_string_equal(
        program_rows(tables, "efficiency", "trace speedup computation_scaling global_efficiency"),
        "first 1 1 0.681818\nsecond 1 1 0.681818\n");
    quipu_tables_free(tables);
    quipu_reader_close(readers[0]);
    quipu_reader_close(readers[1]);
}

QUIPU_TESTS(cmocka_unit_test(test_relate_a_trace_with_itself),
            cmocka_unit_test(test_relate_refuses_what_does_not_relate_traces))
