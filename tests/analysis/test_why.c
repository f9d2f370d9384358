/* What a program loses time to: the figures of other analyses, joined. */
#include "analysis/programs.h"

static struct quipu_tables *why(const struct program *program) {
    struct quipu_reader *reader = program_reader(program, 1);
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_why(reader, &tables, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_reader_close(reader);
    return tables;
}

#define WHY                                                                                                    \
    "locations runtime_ns losses uncertain_losses small_losses unmatched_sends unmatched_receives incomplete " \
    "unfinished_calls clock_violations worst_ns unknown_clocks roi_begin_ns roi_ns covered_ns"
#define LOSSES                                                                                                 \
    "loss_ns share_percent kind location region indirect_ns path_ns waiters victim victim_region "             \
    "victim_pattern victim_ns"

/* Rank 1 waits from 10 to 1000 for rank 0, which works 1000 against 10: 990 of 2 * 1020, 48.53 %; on the critical path are the 1000. Useful
 * 1000 + 10 and 10 + 8: PE = 1028/2040, LB = 1028/2020, CommE = 1010/1020; ideal: rank 0 ends at 1010, rank 1 at 1008: SerE = 1, TE = 1010/1020. A
 * message in one direction tells nothing of rank 1's clock. */
static void test_why_names_who_makes_others_wait(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..1000:work 1000..1010:MPI_Send/send,peer=1,bytes=8 1010..1020:other",
                 "0..10:work 10..1012:MPI_Recv/recv,peer=0,bytes=8 1012..1020:other"}};
    struct quipu_tables *tables = why(&program);
    assert_string_equal(program_rows(tables, "why", WHY), "2 1020 1 0 0 0 0 0 0 0 0 1 0 1020 1020\n");
    assert_string_equal(program_rows(tables, "efficiency", "metric part_of value"),
                        "parallel_efficiency - 0.503922\nload_balance parallel_efficiency 0.508911\n"
                        "communication_efficiency parallel_efficiency 0.990196\n"
                        "serialisation_efficiency communication_efficiency 1\n"
                        "transfer_efficiency communication_efficiency 0.990196\n");
    assert_string_equal(program_rows(tables, "losses", LOSSES),
                        "990 48.53 delay 0 work 0 1000 1 1 MPI_Recv late-sender 990\n");
    quipu_tables_free(tables);
}

/* Rank 0's work makes rank 1 wait 80 from 20 on, and by that, indirectly, 80 of the 120 that rank 2 waits for rank 1; 30 of these are rank 1's work, 10
 * its receiving. Only the clock of rank 0 is known. */
static void test_why_of_a_chain(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                             "0..20:work 20..110:MPI_Recv/recv,peer=0,bytes=8 110..130:work "
                                             "130..132:MPI_Send/send,peer=2,bytes=8",
                                             "0..10:work 10..140:MPI_Recv/recv,peer=1,bytes=8"}};
    struct quipu_tables *tables = why(&program);
    /* Of 3 * 140: 160, 30, 10. */
    assert_string_equal(
        program_rows(tables, "losses",
                     "loss_ns share_percent kind location region indirect_ns path_ns waiters victim victim_ns"),
        "160 38.1 delay 0 work 80 100 1 1 80\n30 7.14 delay 1 work 0 20 1 2 120\n10 2.38 delay 1 MPI_Recv 0 10 "
        "1 2 120\n");
    assert_string_equal(program_rows(tables, "why", "losses small_losses unknown_clocks"), "3 0 2\n");
    quipu_tables_free(tables);
}

/* A call that is never left, a send that is never received and a barrier that rank 1 does not enter are counted. */
static void test_why_counts_what_is_missing(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..1:MPI_Send/send,peer=1,bytes=8 2..4:MPI_Barrier/barrier 5+work 9/note",
                 "0..1:work 2/recv,peer=0,tag=7"}};
    struct quipu_tables *tables = why(&program);
    assert_string_equal(program_rows(tables, "why", WHY), "2 9 0 0 0 1 1 1 1 0 0 1 0 9 9\n");
    assert_string_equal(program_rows(tables, "losses", "kind"), "");
    quipu_tables_free(tables);
}

/* Waiting of 1 of 2 * 1010 is below 0.1 % and only counted. */
static void test_why_leaves_small_losses_out(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..1000:work 1000..1010:MPI_Send/send,peer=1,bytes=8",
                                             "0..999:work 999..1010:MPI_Recv/recv,peer=0,bytes=8"}};
    struct quipu_tables *tables = why(&program);
    assert_string_equal(program_rows(tables, "why", "losses small_losses"), "1 1\n");
    assert_string_equal(program_rows(tables, "losses", "kind"), "");
    quipu_tables_free(tables);
}

/* Messages there take 100, those back 310: the clocks leave 410 open. A wait of 300 is not more than that. */
static void test_why_leaves_uncertain_losses_out(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..400:work 400..410:MPI_Send/send,peer=1,bytes=8 "
                                             "410..1000:work 1000..1010:MPI_Recv/recv,peer=1,bytes=8",
                                             "0..100:work 100..500:MPI_Recv/recv,peer=0,bytes=8 500..700:work "
                                             "700..710:MPI_Send/send,peer=0,bytes=8 710..1010:work"}};
    struct quipu_tables *tables = why(&program);
    assert_string_equal(program_rows(tables, "why", "losses uncertain_losses corridor_ns unknown_clocks"),
                        "0 1 410 0\n");
    quipu_tables_free(tables);
}

/* Waiting for files is for no other location: 60 of 100. */
static void test_why_of_waiting_for_files(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+read 10/io_begin,operation=read,object=f,id=1 "
                                             "70/io_end,operation=read,object=f,id=1 80- 80..100:work"}};
    struct quipu_tables *tables = why(&program);
    assert_string_equal(program_rows(tables, "losses", "loss_ns share_percent kind location region waiters"),
                        "60 60 io-wait 0 read 0\n");
    quipu_tables_free(tables);
}

QUIPU_TESTS(cmocka_unit_test(test_why_names_who_makes_others_wait), cmocka_unit_test(test_why_of_a_chain),
            cmocka_unit_test(test_why_counts_what_is_missing),
            cmocka_unit_test(test_why_leaves_small_losses_out),
            cmocka_unit_test(test_why_leaves_uncertain_losses_out),
            cmocka_unit_test(test_why_of_waiting_for_files))
