/* test_overlap.c: how far operations that do not block overlap with computing, and what their completion waits for, by arithmetic. */
#include "analysis/programs.h"

#define OVERLAP                                                                                                \
    "location operation region overlap_percent in_flight_ns computing_ns blocked_ns late_partner_ns "          \
    "late_transfer_ns operations"

static void assert_overlap(const struct program *program, const char *settings, const char *expected) {
    assert_answer(program, "waits", harness_text("overlap=yes %s", settings), "overlap", OVERLAP, expected);
}

/* In flight from 10 to 110, of which rank 1 works 28 and reads 2. MPI_Wait blocks 68: until the send is called, at 100, 58. A receive that blocks does not
 * count. */
static void test_overlap_of_a_receive(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"100..102:MPI_Send/send,peer=1,bytes=8 102..104:MPI_Send/send,peer=1,bytes=8",
                 "10..12:MPI_Irecv/recv_post,peer=0,bytes=8,tag=0,id=7 12..40:work 40..42:read "
                 "42..110:MPI_Wait/recv,peer=0,bytes=8,id=7 110..120:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_overlap(&program, "", "1 receive MPI_Irecv 28 100 28 68 58 10 1\n");
    assert_overlap(&program, "until=110", "");
    assert_overlap(&program, "since=110", "1 receive MPI_Irecv 28 100 28 68 58 10 1\n");
    assert_overlap(&program, "location=0", "");
}

/* In flight from 100 to 112, of which rank 0 works 3; MPI_Wait blocks 7, until the receive is posted, at 108, 3. A send that is eager waits for no receive. */
static void test_overlap_of_a_send(void **state) {
    (void)state;
    const struct program program = {
        .rows = {
            "100..102:MPI_Isend/send,peer=1,bytes=8,id=1 102..105:work 105..112:MPI_Wait/send_complete,id=1",
            "108..112:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_overlap(&program, "", "0 send MPI_Isend 25 12 3 7 3 4 1\n");
    assert_overlap(&program, "eager-limit=9", "0 send MPI_Isend 25 12 3 7 0 7 1\n");
}

/* Two receives in flight from 0 and 2 to 30, which rank 1 works 10 of, and MPI_Waitall blocks both for 16; the sends are called at 20 and 40: 6 and 16,
 * since nothing lasts longer than the wait. */
static void test_overlap_counts_each_of_several(void **state) {
    (void)state;
    const struct program program = {
        .rows = {
            "20..22:MPI_Send/send,peer=1,bytes=8 40..42:MPI_Send/send,tag=1,peer=1,bytes=8",
            "0..2:MPI_Irecv/recv_post,peer=0,tag=0,id=1 2..4:MPI_Irecv/recv_post,peer=0,tag=1,id=2 4..14:work "
            "14..30:MPI_Waitall/recv,peer=0,bytes=8,id=1/recv,peer=0,tag=1,bytes=8,id=2"}};
    assert_overlap(&program, "", "1 receive MPI_Irecv 34.48 58 20 32 22 10 2\n");
}

/* Begun at 0 and 10, ended at 30: rank 0 works 18 and waits for 10 from 20 on; when it has come, at 10, no location waits any more. */
static void test_overlap_of_a_collective_operation(void **state) {
    (void)state;
    const struct program
        program =
            {.rows =
                 {"0..2:MPI_Ibarrier/collective_begin,operation=1 2..20:work 20..30:MPI_Wait/collective_end",
                  "10..12:MPI_Ibarrier/collective_begin,operation=1 12..25:work "
                  "25..30:MPI_Wait/collective_end"}},
        late = {
            .rows = {
                "0..2:MPI_Ibarrier/collective_begin,operation=1 2..5:work 5..30:MPI_Wait/collective_end",
                "10..12:MPI_Ibarrier/collective_begin,operation=1 12..25:work 25..30:MPI_Wait/collective_end"}};
    assert_overlap(&program, "",
                   "0 collective MPI_Ibarrier 60 30 18 10 0 10 1\n"
                   "1 collective MPI_Ibarrier 65 20 13 5 0 5 1\n");
    assert_overlap(&late, "",
                   "0 collective MPI_Ibarrier 10 30 3 25 5 20 1\n"
                   "1 collective MPI_Ibarrier 65 20 13 5 0 5 1\n");
}

static void test_overlap_excludes_other_answers(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..1:work"}};
    assert_refusal(&program, "waits", "overlap=yes causes=yes", "--causes and --overlap exclude each other");
    assert_refusal(&program, "waits", "overlap=yes list=yes", "--list and --overlap exclude each other");
    assert_refusal(&program, "waits", "overlap=yes by=peer", "--by means nothing with --overlap");
}

QUIPU_TESTS(cmocka_unit_test(test_overlap_of_a_receive), cmocka_unit_test(test_overlap_of_a_send),
            cmocka_unit_test(test_overlap_counts_each_of_several),
            cmocka_unit_test(test_overlap_of_a_collective_operation),
            cmocka_unit_test(test_overlap_excludes_other_answers))
