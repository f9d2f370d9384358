/* What a program loses time to: the account of lost time and what it is made of, by arithmetic. */
#include "analysis/programs.h"

#define ACCOUNT "part time_ns percent"
#define SPENT "kind location path time_ns percent certain_ns"
#define FINDINGS "rank kind location region time_ns percent"

/* Rank 1 waits from 10 to 1000 for rank 0, which works 1000 against 10: 990. Of 2 * 1020 1010 + 18 are useful, so 1012 are lost; to imbalance
 * 2 * 1010 - 1028. On an ideal network rank 0 ends at 1010, rank 1 at 1008: nothing to serialisation, 2 * 10 to transfer. Of MPI_Recv 12 are no waiting. */
static const struct program late = {
    .rows = {"0..1000:work 1000..1010:MPI_Send/send,peer=1,bytes=8 1010..1020:other",
             "0..10:work 10..1012:MPI_Recv/recv,peer=0,bytes=8 1012..1020:other"}};

static void test_why_accounts_for_lost_time(void **state) {
    (void)state;
    assert_answer(&late, "why", "", "account", ACCOUNT,
                  "lost 1012 49.61\nimbalance 992 48.63\nserialisation 0 0\ntransfer 20 0.98\n");
    assert_answer(&late, "why", "", "spent", SPENT,
                  "waiting 0 work 990 48.53 990\nunexplained 1 MPI_Recv 12 0.59 12\n"
                  "unexplained 0 MPI_Send 10 0.49 10\n");
    assert_answer(&late, "why", "", "findings", FINDINGS " command",
                  "1 waiting 0 work 990 48.53 quipu calls TRACE --region 'work' --location 0\n"
                  "2 unexplained - MPI_Recv 12 0.59 quipu calls TRACE --region 'MPI_Recv'\n"
                  "3 unexplained - MPI_Send 10 0.49 quipu calls TRACE --region 'MPI_Send'\n");
    assert_answer(&late, "why", "", "why",
                  "locations roi_begin_ns roi_end_ns runtime_ns trace_ns host off_processor_ns "
                  "clock_violations contradictions unknown_clocks",
                  "2 0 1020 1020 1020 - - 0 0 1\n");
}

/* Of the wait 500 are in this time; nothing else is lost in it. A call that began before it does not happen on an ideal network. */
static void test_why_is_about_the_time_that_counts(void **state) {
    (void)state;
    assert_answer(&late, "why", "since=100 until=600", "account", ACCOUNT,
                  "lost 500 50\nimbalance 500 50\nserialisation 0 0\ntransfer 0 0\n");
    assert_answer(&late, "why", "since=100 until=600", "spent", SPENT, "waiting 0 work 500 50 500\n");
    assert_answer(&late, "why", "roi=other", "spent", SPENT, "unexplained 1 MPI_Recv 2 10 2\n");
    assert_answer(&late, "why", "roi=all", "account", ACCOUNT,
                  "lost 1012 49.61\nimbalance 992 48.63\nserialisation 0 0\ntransfer 20 0.98\n");
}

/* Both send, and then post what the other one has sent: no network makes that possible unless the sends, which end as the receives are posted, were
 * eager, which a further reading of the replay assumes: then nothing waits, and both need the 10 of their work. Waits are those of one reading: each
 * send 10 for the other one, which waits itself, so all 20 fall on the latter of both; 20 of each receive are explained by nothing. */
static void test_why_of_sends_that_were_eager_after_all(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..10:MPI_Send/send,peer=1,bytes=8 10..30:MPI_Recv/recv,peer=1,bytes=8 30..40:work",
                 "0..10:MPI_Send/send,peer=0,bytes=8 10..30:MPI_Recv/recv,peer=0,bytes=8 30..40:work"}};
    assert_answer(&program, "why", "eager-limit=0", "account", ACCOUNT,
                  "lost 60 75\nimbalance 0 0\nserialisation 0 0\ntransfer 60 75\n");
    assert_answer(&program, "why", "eager-limit=0", "spent", "kind location path time_ns",
                  "unexplained 0 MPI_Recv 20\nunexplained 1 MPI_Recv 20\nwaiting 1 MPI_Send 20\n");
}

/* Rank 0 is useful for 60, rank 1 for 50, of 100. Without communication rank 0 needs its 100 on any network: 2 * (100 - 60) are serialisation. */
static void test_why_of_time_in_other_regions(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..20:read 20..23:runtime 23..30:sync 30..40:idle 40..100:work", "50..100:work"}};
    assert_answer(&program, "why", "", "account", ACCOUNT,
                  "lost 90 45\nimbalance 10 5\nserialisation 80 40\ntransfer 0 0\n");
    assert_answer(&program, "why", "", "spent", "kind location path time_ns",
                  "not there 1  50\nio 0 read 20\nidle 0 idle 10\nsync 0 sync 7\nruntime 0 runtime 3\n");
    assert_answer(&program, "why", "", "findings", "kind location region time_ns command",
                  "not there - - 50 quipu profile TRACE --by location\nio - read 20 quipu io TRACE\n"
                  "idle - idle 10 quipu calls TRACE --region 'idle'\n"
                  "sync - sync 7 quipu calls TRACE --region 'sync'\n"
                  "runtime - runtime 3 quipu calls TRACE --region 'runtime'\n");
}

/* The innermost communication call decides, also around and inside of other regions; then the innermost one of no use. */
static void test_why_counts_time_for_the_innermost_call_of_no_use(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0+work 5+read 10+MPI_Send 20+work 25+write 30- 35- 40- 50+write 60+work 65- 70- 80- 100-"}};
    /* work 25: 0..5 and 80..100. read 15: 5..10, 40..50 and 70..80 less the 10 of no call there: 5 + 10 + 10. */
    assert_answer(&program, "why", "", "spent", "kind path time_ns",
                  "unexplained work > read > MPI_Send 30\nio work > read 25\nio work > read > write 20\n");
}

/* Waiting for files is for no other location: 60; the rest of the call is files all the same. */
/* Rank 1 waits from 8 to 10 for rank 0; then the end of the program takes both 10, which no wait explains: it is no I/O. */
static void test_why_of_the_end_of_the_program(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:work 10..20:MPI_Finalize", "0..8:work 8..20:MPI_Finalize"}};
    assert_answer(&program, "why", "", "spent", "kind location path time_ns",
                  "unexplained 0 MPI_Finalize 10\nunexplained 1 MPI_Finalize 10\nwaiting 0 work 2\n");
}

static void test_why_of_waiting_for_files(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+read 10/io_begin,operation=read,object=f,id=1 "
                                             "70/io_end,operation=read,object=f,id=1 80- 80..100:work"}};
    assert_answer(&program, "why", "", "spent", SPENT, "io-wait 0 read 60 60 60\nio 0 read 20 20 20\n");
    assert_answer(&program, "why", "since=40 until=100", "spent", "kind time_ns", "io-wait 30\nio 10\n");
}

/* Rank 0 waits 20 in the barrier for rank 1, which ends it 3 after rank 0: completion. 2 of both are neither; rank 0 is not there for 3. */
static void test_why_of_the_end_of_a_barrier(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..10:work 10..32:MPI_Barrier/barrier", "0..30:work 30..35:MPI_Barrier/barrier"}};
    assert_answer(&program, "why", "", "account", ACCOUNT,
                  "lost 30 42.86\nimbalance 20 28.57\nserialisation 0 0\ntransfer 10 14.29\n");
    assert_answer(&program, "why", "", "spent", "kind location path time_ns",
                  "waiting 1 work 20\ncompletion 1 MPI_Barrier 3\nnot there 0  3\nunexplained 0 MPI_Barrier 2\n"
                  "unexplained 1 MPI_Barrier 2\n");
    assert_answer(&program, "why", "", "findings", "rank kind location region time_ns",
                  "1 waiting 1 work 20\n2 unexplained - MPI_Barrier 4\n3 completion - MPI_Barrier 3\n"
                  "4 not there - - 3\n");
}

/* Rank 0's work makes rank 1 wait 80 from 20 on, and by that 80 of the 120 that rank 2 waits for rank 1; 30 of these are rank 1's work, 10 its
 * receiving. From 60 on: 40 of the 80; of the 70 of rank 2 from then on two thirds, 46 2/3, are carried on, 17.5 and 5 5/6 are rank 1's: 47, 17, 6. */
static void test_why_of_a_chain(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                             "0..20:work 20..110:MPI_Recv/recv,peer=0,bytes=8 110..130:work "
                                             "130..132:MPI_Send/send,peer=2,bytes=8",
                                             "0..10:work 10..140:MPI_Recv/recv,peer=1,bytes=8"}};
    assert_answer(&program, "why", "", "spent", "kind location path time_ns",
                  "waiting 0 work 160\nnot there 0  38\nwaiting 1 work 30\nunexplained 1 MPI_Recv 10\n"
                  "unexplained 2 MPI_Recv 10\nwaiting 1 MPI_Recv 10\nnot there 1  8\nunexplained 0 MPI_Send 2\n"
                  "unexplained 1 MPI_Send 2\n");
    assert_answer(&program, "why", "since=60 until=end", "findings", "kind location region time_ns",
                  "waiting 0 work 87\nnot there - - 46\nunexplained - MPI_Recv 20\nwaiting 1 work 17\n"
                  "waiting 1 MPI_Recv 6\nunexplained - MPI_Send 4\n");
}

/* ---- Clocks ---- */

/* Messages there take 100, those back 310: the clocks leave 410 open. A wait of 300 is not more than that, unless one host has them both. */
static void test_why_blames_no_location_for_what_the_clocks_leave_open(void **state) {
    (void)state;
    struct program program = {.rows = {"0..400:work 400..410:MPI_Send/send,peer=1,bytes=8 "
                                       "410..1000:work 1000..1010:MPI_Recv/recv,peer=1,bytes=8",
                                       "0..100:work 100..500:MPI_Recv/recv,peer=0,bytes=8 500..700:work "
                                       "700..710:MPI_Send/send,peer=0,bytes=8 710..1010:work"}};
    assert_answer(&program, "why", "", "spent", "kind location path time_ns certain_ns",
                  "waiting 0 work 300 0\nunexplained 1 MPI_Recv 100 100\nunexplained 0 MPI_Recv 10 10\n"
                  "unexplained 0 MPI_Send 10 10\nunexplained 1 MPI_Send 10 10\n");
    assert_answer(&program, "why", "", "findings", "kind location region time_ns command",
                  "uncertain - - 300 quipu clock TRACE\n"
                  "unexplained - MPI_Recv 110 quipu calls TRACE --region 'MPI_Recv'\n"
                  "unexplained - MPI_Send 20 quipu calls TRACE --region 'MPI_Send'\n");
    program.hosts = "aa";
    assert_answer(&program, "why", "", "findings", "kind location region time_ns",
                  "waiting 0 work 300\nunexplained - MPI_Recv 110\nunexplained - MPI_Send 20\n");
}

/* A message arrives 50 before it is sent, one back takes 20: no offset helps, and rank 1's wait of 30 is no location's fault. Useful are 195 and 170
 * of 210. On an ideal network rank 1 receives at 100, sends at 240 and ends at 250: 40 after the trace does. */
static void test_why_blames_no_location_when_messages_contradict_each_other(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..110:MPI_Send/send,peer=1,bytes=8 110..205:work "
                                             "205..210:MPI_Recv/recv,peer=1,bytes=8",
                                             "0..20:work 20..50:MPI_Recv/recv,peer=0,bytes=8 50..190:work "
                                             "190..200:MPI_Send/send,peer=0,bytes=8 200..210:work"}};
    assert_answer(&program, "why", "", "account", ACCOUNT,
                  "lost 55 13.1\nimbalance 25 5.95\nserialisation 110 26.19\ntransfer -80 -19.05\n");
    assert_answer(&program, "why", "", "findings", "kind location region time_ns",
                  "uncertain - - 30\nunexplained - MPI_Send 20\nunexplained - MPI_Recv 5\n");
    assert_answer(&program, "why", "", "why", "clock_violations worst_ns contradictions unknown_clocks",
                  "1 50 1 0\n");
}

/* Both receive what the other one sends only after that: no network makes that possible. Each waits 10 for the other, which waits itself. The latter
 * of both waits, that of rank 1, is carried on by the former, whose 20 fall on rank 1's receiving. */
static void test_why_of_calls_that_wait_in_a_circle(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..10:MPI_Recv/recv,peer=1,bytes=8 10..20:MPI_Send/send,peer=1,bytes=8",
                 "0..10:MPI_Recv/recv,peer=0,bytes=8 10..20:MPI_Send/send,peer=0,bytes=8"}};
    assert_answer(&program, "why", "", "account", ACCOUNT,
                  "lost 40 100\nimbalance 0 0\ncommunication 40 100\n");
    assert_answer(&program, "why", "", "spent", "kind location path time_ns",
                  "waiting 1 MPI_Recv 20\nunexplained 0 MPI_Send 10\nunexplained 1 MPI_Send 10\n");
}

/* ---- What may be wrong with all of it ---- */

/* Two processes with events and one core on host a, one of each on host b. */
static void test_why_finds_hosts_with_more_processes_than_processors(void **state) {
    (void)state;
    struct program program = {.rows = {"0..10:work", "0..10:work", "@core", "0..10:work", "@core"},
                              .hosts = "aaabb"};
    assert_answer(&program, "why", "", "why", "host processes processors", "a 2 1\n");
    program.hosts = "abacb"; /* of c no processor is known */
    assert_answer(&program, "why", "", "why", "host processes processors", "- - -\n");
}

/* Two locations that communicate for 190 years each: together no number of 64 bits. Alone they are. */
static void test_why_of_sums_beyond_64_bits(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..6000000000000000000:MPI_Send", "0..6000000000000000000:MPI_Send"}};
    assert_answer(&program, "why", "", "account", ACCOUNT,
                  "lost - -\nimbalance 0 0\nserialisation 0 0\ntransfer - -\n");
    assert_answer(&program, "why", "", "spent", "location time_ns percent",
                  "0 6000000000000000000 50\n1 6000000000000000000 50\n");
    assert_answer(&program, "why", "", "findings", "kind region time_ns", "unexplained MPI_Send -\n");
}

/* Nothing is lost where all are useful, nor where there is nothing. */
static void test_why_of_nothing_lost(void **state) {
    (void)state;
    const struct program useful = {.rows = {"0..10:work", "0..10:work"}}, nothing = {.rows = {""}};
    assert_answer(&useful, "why", "", "account", ACCOUNT,
                  "lost 0 0\nimbalance 0 0\nserialisation 0 0\ntransfer 0 0\n");
    assert_answer(&useful, "why", "", "spent", "kind", "");
    assert_answer(&nothing, "why", "", "account", ACCOUNT,
                  "lost 0 -\nimbalance 0 -\nserialisation 0 -\ntransfer 0 -\n");
    assert_answer(&nothing, "why", "", "findings", "kind", "");
}

QUIPU_TESTS(cmocka_unit_test(test_why_of_sends_that_were_eager_after_all),
            cmocka_unit_test(test_why_accounts_for_lost_time),
            cmocka_unit_test(test_why_is_about_the_time_that_counts),
            cmocka_unit_test(test_why_of_time_in_other_regions),
            cmocka_unit_test(test_why_counts_time_for_the_innermost_call_of_no_use),
            cmocka_unit_test(test_why_of_the_end_of_the_program),
            cmocka_unit_test(test_why_of_waiting_for_files), cmocka_unit_test(test_why_of_the_end_of_a_barrier),
            cmocka_unit_test(test_why_of_a_chain),
            cmocka_unit_test(test_why_blames_no_location_for_what_the_clocks_leave_open),
            cmocka_unit_test(test_why_blames_no_location_when_messages_contradict_each_other),
            cmocka_unit_test(test_why_of_calls_that_wait_in_a_circle),
            cmocka_unit_test(test_why_finds_hosts_with_more_processes_than_processors),
            cmocka_unit_test(test_why_of_sums_beyond_64_bits), cmocka_unit_test(test_why_of_nothing_lost))
