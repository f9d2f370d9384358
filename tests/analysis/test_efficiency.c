/* Efficiencies: useful time, the longest of it and the run time on an ideal network, of the time of all locations. */
#include "analysis/programs.h"

#define TIMES "locations roi_begin_ns roi_end_ns runtime_ns useful_sum_ns useful_max_ns ideal_runtime_ns"
#define RATIOS                                                                                                 \
    "parallel_efficiency load_balance communication_efficiency serialisation_efficiency transfer_efficiency"
#define ADDITIVE "load_balance_additive serialisation_additive transfer_additive"

static void assert_efficiency(const struct program *program, const char *settings, const char *columns,
                              const char *expected) {
    assert_answer(program, "efficiency", settings, "efficiency", columns, expected);
}

/* From the end of MPI_Init at 10 to MPI_Finalize at 120: T = 110. Useful 100 and 50. Ideal: both leave the barrier at 100. */
static const struct program balance = {
    .rows = {"0..10:MPI_Init 10..110:work 110..120:MPI_Barrier/barrier 120..130:MPI_Finalize",
             "0..10:MPI_Init 10..60:work 60..120:MPI_Barrier/barrier 120..130:MPI_Finalize"}};

/* LB = 150/200, CommE = 100/110, PE = 150/220, SerE = 100/100, TE = 100/110. Additive: 1 - (100 - 75)/110, 1, 100/110. */
static void test_efficiency_of_an_imbalance(void **state) {
    (void)state;
    assert_efficiency(&balance, "", TIMES, "2 10 120 110 150 100 100\n");
    assert_efficiency(&balance, "", RATIOS, "0.681818 0.75 0.909091 1 0.909091\n");
    assert_efficiency(&balance, "", ADDITIVE, "0.772727 1 0.909091\n");
}

/* T = 140, useful 100, 20 + 20 and 10. Ideal: rank 1 receives at 100, sends at 120, rank 2 receives at once: T* = 120. PE = 150/420, LB =
 * 150/300, CommE = 100/140, SerE = 100/120, TE = 120/140. Additive: 1 - 50/140, 1 - 20/140, 120/140. */
static void test_efficiency_of_a_chain(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                             "0..20:work 20..110:MPI_Recv/recv,peer=0,bytes=8 110..130:work "
                                             "130..132:MPI_Send/send,peer=2,bytes=8",
                                             "0..10:work 10..140:MPI_Recv/recv,peer=1,bytes=8"}};
    assert_efficiency(&program, "", TIMES, "3 0 140 140 150 100 120\n");
    assert_efficiency(&program, "", RATIOS, "0.357143 0.5 0.714286 0.833333 0.857143\n");
    assert_efficiency(&program, "", ADDITIVE, "0.642857 0.857143 0.857143\n");
}

/* Ideal: the probe ends when the send begins, at 100; 20 of work follow: T* = 120, of 132. */
static void test_efficiency_of_a_probe(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                             "0..20:work 20..110:MPI_Probe/probe,peer=0,bytes=8 110..130:work "
                                             "130..132:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_efficiency(&program, "", TIMES, "2 0 132 132 140 100 120\n");
}

/* Rank 0 is ready at 10, rank 1 at 20; rank 1 is done at 50, rank 0 at 100: from 10 to 100. Useful 90 and 30: being in MPI_Init is not. */
static void test_efficiency_from_the_first_that_is_ready_to_the_last_that_is_done(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:MPI_Init 10..100:work 100..130:MPI_Finalize",
                                             "0..20:MPI_Init 20..50:work 50..130:MPI_Finalize"}};
    assert_efficiency(&program, "", TIMES, "2 10 100 90 120 90 90\n");
}

/* The whole trace of the first program: T = 130; the time in MPI_Init and MPI_Finalize is not useful. Between 20 and 70: 50 and 40, of
 * 2 * 50. */
static void test_efficiency_of_another_region_of_interest(void **state) {
    (void)state;
    assert_efficiency(&balance, "roi=all", "roi_begin_ns roi_end_ns useful_sum_ns useful_max_ns",
                      "0 130 150 100\n");
    assert_efficiency(&balance, "roi=work", "roi_begin_ns roi_end_ns useful_sum_ns useful_max_ns",
                      "10 110 150 100\n");
    assert_efficiency(&balance, "since=20 until=70", "runtime_ns useful_sum_ns parallel_efficiency",
                      "50 90 0.9\n");
    assert_efficiency(&balance, "since=20", "roi_begin_ns useful_sum_ns useful_max_ns", "20 130 90\n");
    assert_refusal(&balance, "efficiency", "roi=nowhere", "the trace has no region \"nowhere\"");
}

/* File I/O, idling, synchronising, the runtime and MPI-IO are not useful; time outside of calls and in user blocks is: 10 + 10 + 5
 * of 75. */
static void test_efficiency_counts_what_is_useful(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..10:read 10..20:idle 20..30:sync 30..40:runtime 40..50:work 50..60:MPI_File_read "
                 "65+user 65..75:work 75-user"}};
    assert_efficiency(&program, "", TIMES, "1 0 75 75 25 25 75\n");
    assert_efficiency(&program, "", RATIOS, "0.333333 1 0.333333 0.333333 1\n");
}

/* Work inside of a call that is not useful is not useful either. */
static void test_efficiency_of_work_within_communication(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+MPI_Send 10..20:work 30- 30..40:work"}};
    assert_efficiency(&program, "", "useful_sum_ns runtime_ns", "10 40\n");
}

/* Of the first program (T = 110, S = 150, P = 2) and one of a rank that works 100: speedup 110/100, computation 150/100, global 1 * 1.5;
 * weak: 75/100, global 1 * 0.75. The other way round: 100/110, 100/150, 150/220 * 100/150 = 100/220. */
static void test_efficiency_of_several_traces(void **state) {
    (void)state;
    const struct program single = {.rows = {"0..100:work"}};
    static const struct {
        const char *name, *value, *expected;
    } rows[] = {{"reference", "1", "a 1 1 0.681818\nb 1.1 1.5 1.5\n"},
                {"weak", "yes", "a 1 1 0.681818\nb 1.1 0.75 0.75\n"},
                {"reference", "2", "a 0.909091 0.666667 0.454545\nb 1 1 1\n"}};
    for (size_t i = 0; i < 3; i++) {
        struct quipu_reader *readers[] = {program_reader(&balance, 1), program_reader(&single, 1)};
        const struct quipu_setting setting = {rows[i].name, rows[i].value};
        struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
        struct quipu_tables *tables;
        options.settings = &setting;
        options.setting_count = 1;
        assert_int_equal(quipu_analysis_relate(readers, (const char *const[]){"a", "b"}, 2, "efficiency",
                                               &options, &tables, NULL),
                         QUIPU_OK);
        assert_string_equal(
            program_rows(tables, "efficiency", "trace speedup computation_scaling global_efficiency"),
            rows[i].expected);
        quipu_tables_free(tables);
        quipu_reader_close(readers[0]);
        quipu_reader_close(readers[1]);
    }
}

/* Counted in useful time alone: rank 0 from 0 to 100, 1000 instructions in 500 cycles, and in the other one 2000 in 800, in 200 ns. Instructions 1000/2000; per
 * cycle (2000/800)/(1000/500); cycles per ns (800/200)/(500/100). */
static void test_efficiency_of_counters(void **state) {
    (void)state;
    const struct program one = {
        .rows = {"0+work 0/metric,object=PAPI_TOT_INS,value=0 0/metric,object=PAPI_TOT_CYC,value=0 "
                 "100/metric,object=PAPI_TOT_INS,value=1000 100/metric,object=PAPI_TOT_CYC,value=500 100-"}};
    const struct program other = {
        .rows = {"0+work 0/metric,object=PAPI_TOT_INS,value=0 0/metric,object=PAPI_TOT_CYC,value=0 "
                 "200/metric,object=PAPI_TOT_INS,value=2000 200/metric,object=PAPI_TOT_CYC,value=800 200-"}};
    const struct program none = {.rows = {"0..100:work"}};
    assert_efficiency(&one, "", "instructions cycles", "1000 500\n");
    struct quipu_reader *readers[] = {program_reader(&one, 1), program_reader(&other, 1),
                                      program_reader(&none, 1)};
    struct quipu_tables *tables;
    assert_int_equal(quipu_analysis_relate(readers, (const char *const[]){"a", "b", "c"}, 3, "efficiency", NULL,
                                           &tables, NULL),
                     QUIPU_OK);
    assert_string_equal(
        program_rows(tables, "efficiency", "trace instruction_scaling ipc_scaling frequency_scaling"),
        "a 1 1 1\nb 0.5 1.25 0.8\nc - - -\n");
    quipu_tables_free(tables);
    for (size_t i = 0; i < 3; i++)
        quipu_reader_close(readers[i]);
}

/* Of 3 in 4 ns 3 * 2 / 4 rounded down have come by 2, the other 2 come later. Of 7 in 10 ns, of which 2 are a call of MPI, 7 * 8 / 10 rounded down are useful;
 * by 5 7 * 3 / 10 of them have come, by 2 and by 4 1, by 3, in the call, nothing more. */
static void test_efficiency_of_counters_in_windows_that_touch_adds_up(void **state) {
    (void)state;
    const struct program half = {.rows = {"0+work 0/metric,object=PAPI_TOT_INS,value=0 "
                                          "4/metric,object=PAPI_TOT_INS,value=3 4-"}};
    const struct program call = {.rows = {"0+work 0/metric,object=PAPI_TOT_INS,value=0 2..4:MPI_Wait "
                                          "10/metric,object=PAPI_TOT_INS,value=7 10-"}};
    assert_efficiency(&half, "", "instructions", "3\n");
    assert_efficiency(&half, "until=2", "instructions", "1\n");
    assert_efficiency(&half, "since=2", "instructions", "2\n");
    assert_efficiency(&call, "", "instructions", "5\n");
    assert_efficiency(&call, "until=5", "instructions", "2\n");
    assert_efficiency(&call, "since=5", "instructions", "3\n");
    assert_efficiency(&call, "until=3", "instructions", "1\n");
    assert_efficiency(&call, "since=3", "instructions", "4\n");
    assert_efficiency(&call, "since=2 until=4", "instructions", "0\n");
}

static void test_efficiency_refuses_a_reference_that_is_none(void **state) {
    (void)state;
    static const char *const numbers[] = {"0", "2"};
    for (size_t i = 0; i < 2; i++) {
        struct quipu_reader *reader = program_reader(&balance, 1);
        struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
        const struct quipu_setting setting = {"reference", numbers[i]};
        struct quipu_tables *tables;
        struct quipu_error err = QUIPU_ERROR_INIT;
        options.settings = &setting;
        options.setting_count = 1;
        assert_int_equal(quipu_analysis_relate(&reader, (const char *const[]){"a"}, 1, "efficiency", &options,
                                               &tables, &err),
                         QUIPU_MISUSE);
        quipu_reader_close(reader);
    }
}

/* ---- Sections ---- */

#define SECTION "from_ns to_ns useful_sum_ns useful_max_ns ideal_runtime_ns"

/* Two bins of 55. Rank 0 works 55 and 45; rank 1 works 50, and is in the barrier from there on. Ideal: 55; then rank 1 waits from the beginning
 * of the bin until rank 0 comes at 45. PE = 105/110, 45/110; LB = 105/110, 45/90; CommE = 1, 45/55; SerE = 1; TE = 1, 45/55. */
static void test_efficiency_of_bins(void **state) {
    (void)state;
    assert_answer(&balance, "efficiency", "over=time bins=2", "efficiency_bins", "bin " SECTION,
                  "0 10 65 105 55 55\n1 65 120 45 45 45\n");
    assert_answer(&balance, "efficiency", "over=time bins=2", "efficiency_bins", RATIOS,
                  "0.954545 0.954545 1 1 1\n0.409091 0.5 0.818182 1 0.818182\n");
    assert_answer(&balance, "efficiency", "over=time bins=1", "efficiency_bins", "bin " SECTION,
                  "0 10 120 150 100 100\n");
    assert_answer(&balance, "efficiency", "over=time bins=1 since=20 until=70", "efficiency_bins",
                  "bin " SECTION, "0 20 70 90 50 50\n");
    assert_refusal(&balance, "efficiency", "over=time bins=0", "there are 1 to 1048576 bins");
}

/* Two bins of 70. In the first one ranks work 70, 20 and 10. In the second one rank 0 works 30 and sends; rank 1, which has been waiting, receives at
 * 30, works 20 and sends at 50, when rank 2 receives. PE = 100/210, 50/210; LB = 100/210, 50/90; CommE = 1, 30/70; SerE = 1, 30/50; TE = 1, 50/70. */
static void test_efficiency_of_calls_in_several_bins(void **state) {
    (void)state;
    const struct program chain = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                           "0..20:work 20..110:MPI_Recv/recv,peer=0,bytes=8 110..130:work "
                                           "130..132:MPI_Send/send,peer=2,bytes=8",
                                           "0..10:work 10..140:MPI_Recv/recv,peer=1,bytes=8"}};
    assert_answer(&chain, "efficiency", "over=time bins=2", "efficiency_bins", "bin " SECTION,
                  "0 0 70 100 70 70\n1 70 140 50 30 50\n");
    assert_answer(&chain, "efficiency", "over=time bins=2", "efficiency_bins", RATIOS,
                  "0.47619 0.47619 1 1 1\n0.238095 0.555556 0.428571 0.6 0.714286\n");
    assert_answer(&chain, "efficiency", "over=time bins=2 location=1", "efficiency_bins", "bin " SECTION,
                  "0 0 70 20 20 20\n1 70 140 20 20 50\n");
}

/* Of 60 in bins of 20 rank 1 waits in a Waitall from 5 on: for rank 0, which sends at 10 and, in the next bin, at 30: at 10 of that bin. Both then work, 10 and 20 (18 and 20 up to 60). */
static void test_efficiency_of_a_call_that_waits_in_several_bins(void **state) {
    (void)state;
    const struct program program = {
        .rows = {
            "0..10:work 10..12:MPI_Send/send,peer=1,bytes=8 12..30:work 30..32:MPI_Send/send,peer=1,bytes=8 "
            "32..60:work",
            "0..5:work 5+MPI_Waitall 14/recv,peer=0,bytes=8 34/recv,peer=0,bytes=8 40- 40..60:work"}};
    assert_answer(&program, "efficiency", "over=time bins=3", "efficiency_bins", "bin " SECTION,
                  "0 0 20 23 18 18\n1 20 40 18 18 18\n2 40 60 40 20 20\n");
    assert_answer(&program, "efficiency", "over=time bins=1", "efficiency_bins", "bin " SECTION,
                  "0 0 60 81 56 56\n");
}

/* Three steps of work and a barrier, of 30, 30 and 40; rank 1 works 10 in each. Iterations end when the last one leaves the barrier. Ideal: 20, 20 and 30. */
static void test_efficiency_of_iterations(void **state) {
    (void)state;
    const struct program steps = {
        .rows = {"0..20:work 20..30:MPI_Barrier/barrier 30..50:work 50..60:MPI_Barrier/barrier "
                 "60..90:work 90..100:MPI_Barrier/barrier",
                 "0..10:work 10..30:MPI_Barrier/barrier 30..40:work 40..60:MPI_Barrier/barrier "
                 "60..70:work 70..100:MPI_Barrier/barrier"}};
    assert_answer(&steps, "efficiency", "over=phase", "efficiency_iterations", "phase iteration " SECTION,
                  "1 1 0 30 30 20 20\n1 2 30 60 30 20 20\n1 3 60 100 40 30 30\n");
    assert_answer(&steps, "efficiency", "over=phase", "efficiency_iterations", RATIOS,
                  "0.5 0.75 0.666667 1 0.666667\n0.5 0.75 0.666667 1 0.666667\n0.5 0.666667 0.75 1 0.75\n");
    assert_answer(&steps, "efficiency", "over=phase since=20 until=60", "efficiency_iterations",
                  "phase iteration " SECTION, "1 2 30 60 30 20 20\n");
}

/* An iteration ends with what is completed at its end: the last rank receives at 30, when rank 0 has worked 20: ideal 20. */
static void test_efficiency_of_iterations_that_end_with_a_message(void **state) {
    (void)state;
    const struct program steps = {
        .rows = {
            "0..20:work 20..25:MPI_Send/send,peer=1,bytes=8 30..50:work 50..55:MPI_Send/send,peer=1,bytes=8 "
            "60..80:work 80..85:MPI_Send/send,peer=1,bytes=8 90/note",
            "0..30:MPI_Recv/recv,peer=0,bytes=8 30..60:MPI_Recv/recv,peer=0,bytes=8 "
            "60..90:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_answer(&steps, "efficiency", "over=phase location=1", "efficiency_iterations",
                  "phase iteration " SECTION, "1 1 0 30 0 0 20\n1 2 30 60 0 0 20\n1 3 60 90 0 0 20\n");
}

/* A file operation that begins in one bin and ends in the other has waited (10 to 18) in neither: rank 0 takes 10 of work and 10 of the file, then 20; rank 1 18 and 2, then 20.
 * In one bin it waits up to 18, and 22 of its 30 are left. */
static void test_efficiency_of_file_operations_in_several_bins(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:work 10..40:MPI_File_write_all/barrier",
                                             "0..18:work 18..40:MPI_File_write_all/barrier"}};
    assert_answer(&program, "efficiency", "over=time bins=2", "efficiency_bins", "bin " SECTION,
                  "0 0 20 28 18 20\n1 20 40 0 0 20\n");
    assert_answer(&program, "efficiency", "over=time bins=1", "efficiency_bins", "bin " SECTION,
                  "0 0 40 28 18 40\n");
}

QUIPU_TESTS(cmocka_unit_test(test_efficiency_of_an_imbalance), cmocka_unit_test(test_efficiency_of_a_chain),
            cmocka_unit_test(test_efficiency_of_a_probe),
            cmocka_unit_test(test_efficiency_from_the_first_that_is_ready_to_the_last_that_is_done),
            cmocka_unit_test(test_efficiency_of_another_region_of_interest),
            cmocka_unit_test(test_efficiency_counts_what_is_useful),
            cmocka_unit_test(test_efficiency_of_work_within_communication),
            cmocka_unit_test(test_efficiency_of_several_traces), cmocka_unit_test(test_efficiency_of_counters),
            cmocka_unit_test(test_efficiency_of_counters_in_windows_that_touch_adds_up),
            cmocka_unit_test(test_efficiency_refuses_a_reference_that_is_none),
            cmocka_unit_test(test_efficiency_of_bins),
            cmocka_unit_test(test_efficiency_of_calls_in_several_bins),
            cmocka_unit_test(test_efficiency_of_a_call_that_waits_in_several_bins),
            cmocka_unit_test(test_efficiency_of_iterations),
            cmocka_unit_test(test_efficiency_of_file_operations_in_several_bins),
            cmocka_unit_test(test_efficiency_of_iterations_that_end_with_a_message))
