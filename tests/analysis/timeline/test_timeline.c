/* Timeline: equal bins of time, what each is spent on, the region with most of it, and what is counted in it. */
#include "analysis/programs.h"

#define SPENT "location bin from_ns to_ns useful_ns mpi_p2p_ns io_ns idle_ns absent_ns region region_ns"
#define COUNTS                                                                                                 \
    "location bin calls messages_sent messages_received collectives bytes_sent bytes_received bytes_read "     \
    "bytes_written"

static const struct program exchange = {
    .rows = {"0..40:work 40..50:MPI_Send/send,peer=1,bytes=8 50..100:idle",
             "0..20:work 20..60:MPI_Recv/recv,peer=0,bytes=8 "
             "60..80:read/io_begin,operation=3,bytes=16/io_end,operation=3,bytes=12"}};

/* Two bins of 50. Rank 0: work 40 and the send 10; idle 50. Rank 1: work 20, 30 of the receive; its other 10, reading 20, nothing from 80 on. */
static void test_timeline_of_two_ranks(void **state) {
    (void)state;
    assert_answer(&exchange, "timeline", "bins=2", "timeline", SPENT,
                  "0 0 0 50 40 10 0 0 0 work 40\n0 1 50 100 0 0 0 50 0 idle 50\n"
                  "1 0 0 50 20 30 0 0 0 MPI_Recv 30\n1 1 50 100 0 10 20 0 20 read 20\n");
}

/* What begins at 50 is of the second bin; the message arrives, and the read ends, there, too. */
static void test_timeline_counts_where_things_happen(void **state) {
    (void)state;
    assert_answer(&exchange, "timeline", "bins=2", "timeline", COUNTS,
                  "0 0 2 1 0 0 8 0 0 0\n0 1 1 0 0 0 0 0 0 0\n"
                  "1 0 2 0 0 0 0 0 0 0\n1 1 1 0 1 0 0 8 12 0\n");
}

/* Three bins of 100 begin at 0, 33 and 66: 100 / 3 and 200 / 3 rounded down. Both ranks: work 33 + 20, then 7 of work; MPI 13, 10 + 27; idle 16, then
 * 34; reading 6 up to 66, then 14; 20 absent. Of work and MPI_Recv in the second bin: 7, 27. */
static void test_timeline_of_all_together(void **state) {
    (void)state;
    assert_answer(
        &exchange, "timeline", "bins=3 by=all", "timeline", SPENT,
        "- 0 0 33 53 13 0 0 0 work 53\n- 1 33 66 7 37 6 16 0 MPI_Recv 27\n- 2 66 100 0 0 14 34 20 idle 34\n");
}

/* The window is cut into two bins of 15: the end of the receive and 5 of the read; 15 of the read. Idle all the time. The call of the read begins at 60, which
 * is of the first bin; in a window up to 60 it is not there. */
static void test_timeline_of_a_window(void **state) {
    (void)state;
    assert_answer(&exchange, "timeline", "bins=2 from=50 to=80", "timeline", SPENT,
                  "0 0 50 65 0 0 0 15 0 idle 15\n0 1 65 80 0 0 0 15 0 idle 15\n"
                  "1 0 50 65 0 10 5 0 0 MPI_Recv 10\n1 1 65 80 0 0 15 0 0 read 15\n");
    assert_answer(&exchange, "timeline", "bins=1 from=50 to=60", "timeline", COUNTS,
                  "0 0 1 0 0 0 0 0 0 0\n1 0 0 0 0 0 0 0 0 0\n");
}

/* What a library does inside of a send is sending, reading (5 to 15) as well; idleness inside of reading (30 to 34) is none; a function that receives is computing outside of the receive. The call that is never left lasts to the
 * last event of its location, at 40. */
static void test_timeline_of_calls_in_calls(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+MPI_Send 5+work 15- 20- 20+work 30+MPI_Recv 40/note"}};
    assert_answer(&program, "timeline", "bins=1", "timeline", SPENT, "0 0 0 40 10 30 0 0 0 work 20\n");
    const struct program inner = {.rows = {"0+MPI_Send 5+read 15- 20- 20+read 30+idle 34- 40-"}};
    assert_answer(&inner, "timeline", "bins=1", "timeline", SPENT, "0 0 0 40 0 20 16 4 0 read 26\n");
}

/* A location that only notes something is outside of any call from its first event to its last. */
static void test_timeline_of_a_location_without_calls(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..50:work", "20/note 100/note"}};
    assert_answer(&program, "timeline", "bins=1", "timeline", SPENT,
                  "0 0 0 100 50 0 0 0 50 work 50\n1 0 0 100 80 0 0 0 20 - 80\n");
    assert_answer(&program, "timeline", "bins=2 by=all", "timeline", SPENT,
                  "- 0 0 50 80 0 0 0 20 work 50\n- 1 50 100 50 0 0 0 50 - 50\n");
}

/* The thread works 30 of its 40 in "inner", and the process 25 in "outer", 15 in "inner": together 45, whichever location has more. */
static void test_timeline_of_a_process_with_a_thread(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..25:outer 25..40:inner", "@0 0..30:inner 30..40:other", "0..40:other"}, .hosts = "xxy"};
    assert_answer(&program, "timeline", "bins=1 by=process", "timeline", SPENT,
                  "0 0 0 40 80 0 0 0 0 inner 45\n2 0 0 40 40 0 0 0 0 other 40\n");
    assert_answer(&program, "timeline", "bins=1 by=host", "timeline", SPENT,
                  "x 0 0 40 80 0 0 0 0 inner 45\ny 0 0 40 40 0 0 0 0 other 40\n");
    assert_answer(&program, "timeline", "bins=1", "timeline", "location region region_ns",
                  "0 outer 25\n1 inner 30\n2 other 40\n");
}

/* A call whose region is not known, from 40 to 70, is in no region, as what is outside of any: 30 outside and 10 in it in the first bin, 20 in it and 30
 * outside in the second one. */
static void test_timeline_of_a_call_without_a_region(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:work 40/enter 70- 100/note"}};
    assert_answer(&program, "timeline", "bins=2", "timeline", SPENT,
                  "0 0 0 50 50 0 0 0 0 - 40\n0 1 50 100 50 0 0 0 0 - 50\n");
}

/* The receive waits from 20 to 40, when the send begins: 5 of the 25 in the first of four bins, 15 in the second, 20 % and 60 %; of the
 * halves only the first, which has 100 at both ranks together. Reading waits from 60 to 80. The window from 30 to 80 has 10 of the former, in the first of two bins of 25, and all of the latter. */
static void test_timeline_of_waits(void **state) {
    (void)state;
    static const char columns[] = "location bin from_ns to_ns pattern time_ns share_percent";
    assert_answer(&exchange, "timeline", "bins=4 waits=yes", "timeline_waits", columns,
                  "1 0 0 25 late-sender 5 20\n1 1 25 50 late-sender 15 60\n"
                  "1 2 50 75 io-wait 15 60\n1 3 75 100 io-wait 5 20\n");
    assert_answer(&exchange, "timeline", "bins=2 by=all waits=yes", "timeline_waits", columns,
                  "- 0 0 50 late-sender 20 20\n- 1 50 100 io-wait 20 20\n");
    assert_answer(&exchange, "timeline", "bins=2 waits=yes from=30 to=80", "timeline_waits", columns,
                  "1 0 30 55 late-sender 10 40\n1 1 55 80 io-wait 20 80\n");
    assert_answer(&exchange, "timeline", "bins=2 waits=yes", "timeline", SPENT,
                  "0 0 0 50 40 10 0 0 0 work 40\n0 1 50 100 0 0 0 50 0 idle 50\n"
                  "1 0 0 50 20 30 0 0 0 MPI_Recv 30\n1 1 50 100 0 10 20 0 20 read 20\n");
}

/* Bins are no shorter than a nanosecond, of a trace without length there is one. */
static void test_timeline_of_less_than_its_bins(void **state) {
    (void)state;
    const struct program program = {.rows = {"7..9:work"}}, instant = {.rows = {"5..5:work"}};
    assert_answer(&program, "timeline", "bins=80", "timeline", SPENT,
                  "0 0 7 8 1 0 0 0 0 work 1\n0 1 8 9 1 0 0 0 0 work 1\n");
    assert_answer(&instant, "timeline", "bins=80", "timeline", "bin from_ns to_ns useful_ns region calls",
                  "0 5 5 0 - 1\n");
    assert_refusal(&program, "timeline", "bins=0", "there are 1 to 1048576 bins");
}

/* Outside: 10 before a, 10 and 15 between a and b (z, at 60, takes no time), 15 between b and a, 20 after b; in the first of two bins 10 of each but the last,
 * so what begins with the first region comes first; in the other one 5, 15 and 20. A call that is never left is one, unless it takes no time. */
static void test_timeline_names_time_outside_by_the_calls_around_it(void **state) {
    (void)state;
    static const char columns[] = "bin region region_ns between";
    const struct program program = {.rows = {"0/note 10..20:a 30..40:b 55..60:a 60..60:z 75..80:b 100/note"}};
    for (size_t i = 0; i < 2; i++) {
        const char *const by[] = {"", " by=all"};
        char settings[2][32];
        snprintf(settings[0], sizeof settings[0], "bins=1%s", by[i]);
        snprintf(settings[1], sizeof settings[1], "bins=2%s", by[i]);
        assert_answer(&program, "timeline", settings[0], "timeline", columns, "0 - 70 between a and b\n");
        assert_answer(&program, "timeline", settings[1], "timeline", columns,
                      "0 - 30 between a and b\n1 - 40 after b\n");
    }
    const struct program open = {.rows = {"0..1:a 50+b 51/note", "0/note 50+b"}};
    assert_answer(&open, "timeline", "bins=1", "timeline", "location between", "0 between a and b\n1 -\n");
}

/* Four bins of 10. Rank 0 counts 100 up to 20 and 60 up to 40. Rank 1 counts 7 up to 5 and 20 up to 15, half of it before 10; and 3 at the end, in no
 * time, which is of the last bin. A window from 5 to 15 has 25 + 10 and 25 + 10. */
static void test_timeline_of_counters(void **state) {
    (void)state;
    const struct program counters = {
        .rows = {"0/metric,object=ins,value=0 0..40:work 20/metric,object=ins,value=100 "
                 "40/metric,object=ins,value=160",
                 "0/metric,object=ins,value=0 5/metric,object=ins,value=7 15/metric,object=ins,value=27 "
                 "40/metric,object=ins,value=27 40/metric,object=ins,value=30"}};
    assert_answer(&counters, "timeline", "bins=4 counters=yes", "timeline_counters",
                  "location bin from_ns to_ns counter total per_second",
                  "0 0 0 10 ins 50 5e+09\n0 1 10 20 ins 50 5e+09\n0 2 20 30 ins 30 3e+09\n"
                  "0 3 30 40 ins 30 3e+09\n1 0 0 10 ins 17 1.7e+09\n1 1 10 20 ins 10 1e+09\n"
                  "1 3 30 40 ins 3 3e+08\n");
    assert_answer(&counters, "timeline", "bins=4 by=all counters=yes", "timeline_counters",
                  "location bin total", "- 0 67\n- 1 60\n- 2 30\n- 3 33\n");
    assert_answer(&counters, "timeline", "bins=2 from=5 to=15 by=all counters=yes", "timeline_counters",
                  "bin total", "0 35\n1 35\n");
}

QUIPU_TESTS(cmocka_unit_test(test_timeline_of_counters), cmocka_unit_test(test_timeline_of_two_ranks),
            cmocka_unit_test(test_timeline_names_time_outside_by_the_calls_around_it),
            cmocka_unit_test(test_timeline_counts_where_things_happen),
            cmocka_unit_test(test_timeline_of_all_together), cmocka_unit_test(test_timeline_of_a_window),
            cmocka_unit_test(test_timeline_of_a_location_without_calls),
            cmocka_unit_test(test_timeline_of_calls_in_calls),
            cmocka_unit_test(test_timeline_of_a_process_with_a_thread),
            cmocka_unit_test(test_timeline_of_a_call_without_a_region),
            cmocka_unit_test(test_timeline_of_waits), cmocka_unit_test(test_timeline_of_less_than_its_bins))
