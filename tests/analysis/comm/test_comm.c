/* Communication: who sends how much to whom, how large messages are, and which pattern that is. */
#include "analysis/programs.h"

#define COLUMNS "sender sender_id receiver receiver_id messages bytes min_ns max_ns mean_ns"

static void assert_comm(const struct program *program, const char *settings, const char *table,
                        const char *columns, const char *expected) {
    assert_answer(program, "comm", settings, table, columns, expected);
}

/* 0 to 1: 20 and 31 on the way, 25.5 in the mean, which is 26; 1 to 0: received 10 before it was sent, and one to itself; one is never
 * received. */
static const struct program few = {
    .rows = {"100/send,peer=1,bytes=8 130/send,peer=1,bytes=1000 140/recv,peer=1,bytes=0 "
             "200/send,peer=1,bytes=7,tag=9",
             "120/recv,peer=0,bytes=8 150/send,peer=0,bytes=0 161/recv,peer=0,bytes=1000 "
             "170/send,peer=1,bytes=15,tag=3 175/recv,peer=1,bytes=15,tag=3"}};

static void test_comm_adds_up_pairs(void **state) {
    (void)state;
    assert_comm(&few, "", "pairs", COLUMNS,
                "0 10 1 11 2 1008 20 31 26\n1 11 1 11 1 15 5 5 5\n1 11 0 10 1 0 -10 -10 -10\n");
}

/* Classes from a power of two to one below the next: 8 and 15 are of one, 0 has its own. */
static void test_comm_classes_of_length(void **state) {
    (void)state;
    assert_comm(&few, "", "sizes", "from_bytes to_bytes messages bytes",
                "0 0 1 0\n8 15 2 23\n512 1023 1 1000\n");
    const struct program edges = {
        .rows = {"1/send,peer=1,bytes=1 2/send,peer=1,bytes=2 3/send,peer=1,bytes=3 4/send,peer=1,bytes=4",
                 "1/recv,peer=0 2/recv,peer=0 3/recv,peer=0 4/recv,peer=0"}};
    assert_comm(&edges, "", "sizes", "from_bytes to_bytes messages bytes", "1 1 1 1\n2 3 2 5\n4 7 1 4\n");
}

/* Ranks a, b on the host x, c, d on y: inside of x 5, from x to y 7 + 9 and back 3. */
static void test_comm_by_node(void **state) {
    (void)state;
    const struct program program = {.rows = {"1/send,peer=1,bytes=5 2/send,peer=2,bytes=7",
                                             "2/recv,peer=0 3/send,peer=3,bytes=9 9/recv,peer=2",
                                             "5/recv,peer=0 6/send,peer=1,bytes=3", "7/recv,peer=1"},
                                    .hosts = "xxyy"};
    assert_comm(&program, "by=node", "pairs", "sender receiver messages bytes min_ns max_ns mean_ns",
                "x y 2 16 3 4 4\nx x 1 5 1 1 1\ny x 1 3 3 3 3\n");
    assert_comm(&program, "where=bytes>4", "pairs", "sender receiver bytes", "1 3 9\n0 2 7\n0 1 5\n");
}

/* A program in which each two numbers is a message; ranks are single digits. */
static struct program pattern_of(uint32_t ranks, const char *edges) {
    struct program program = {.rows = {NULL}};
    for (uint32_t i = 0; i < ranks; i++)
        program.rows[i] = "0/note";
    for (const char *at = edges; *at; at += 2 + (at[2] == ' ')) {
        const uint32_t from = (uint32_t)(at[0] - '0'), to = (uint32_t)(at[1] - '0');
        program.rows[from] = harness_text("%s 5/send,peer=%u,bytes=1", program.rows[from], to);
        program.rows[to] = harness_text("%s 6/recv,peer=%u", program.rows[to], from);
    }
    return program;
}

static void test_comm_names_the_pattern(void **state) {
    (void)state;
    static const struct {
        uint32_t ranks;
        const char *edges, *expected;
    } rows[] = {
        {4, "01 12 23 30", "ring  1\n"},
        {4, "01 12 23 30 10 21 32 03", "ring-both-ways  1\n"},
        {4, "01 12 23", "chain  1\n"},
        {3, "01 12 10 21", "stencil-1d 3 1\n"},
        {6, "01 10 12 21 34 43 45 54 03 30 14 41 25 52", "stencil-2d 2x3 1\n"},
        {6, "01 10 23 32 45 54 02 20 24 42 13 31 35 53", "stencil-2d 3x2 1\n"},
        {4, "12 21", "transpose 2x2 1\n"},
        {8, "01 02 13 04 15 26 37", "tree binomial from 0 1\n"},
        {8, "10 20 31 40 51 62 73", "tree binomial to 0 1\n"},
        {5, "01 02 03 04 10 20 30 40", "master-worker master 0 1\n"},
        {5, "01 02 03 04 10 12 13 14 20 21 23 24 30 31 32 34 40 41 42 43", "all-to-all  1\n"},
        /* Four of the five of a ring: 4/5 are just enough; a chain has them all. */
        {5, "01 12 23 40", "ring  0.8\n"},
        /* Three of a ring of 4, and one that is of no ring: 3 of 5. */
        {4, "01 12 23 20", "irregular  0.75\n"},
        {2, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct program program = pattern_of(rows[i].ranks, rows[i].edges);
        assert_comm(&program, "", "pattern", "pattern detail fit", rows[i].expected);
    }
}

/* Three ranks in a chain: of the three messages of the ring two, of both ways' six two, of the open stencil's four two; a tree of three is
 * 0 to 1, 0 to 2: one of three; master and worker 01, 10, 02, 20: one of five; all to all two of six. */
static void test_comm_shows_all_patterns(void **state) {
    (void)state;
    const struct program program = pattern_of(3, "01 12");
    assert_comm(&program, "patterns=yes", "models", "pattern detail fit",
                "ring  0.666667\nring-both-ways  0.333333\nchain  1\nstencil-1d 3 0.5\nstencil-1d 3 periodic "
                "0.333333\ntree binomial from 0 0.333333\n"
                "tree binomial to 0 0\nmaster-worker master 0 0.2\nall-to-all  0.333333\n");
}

/* A broadcast of 10 from rank 1: 10 to each other; a reduction of 4 to rank 0: 4 from each; an alltoall in which each sends 30: 10 to each, and
 * a scan of 6: from each to the next. Barriers move nothing. */
static void test_comm_of_collectives(void **state) {
    (void)state;
    const char *row = "0..1:MPI_Bcast/bcast,peer=1,bytes=%d,value=%d 2..3:MPI_Barrier/barrier,bytes=0,value=0";
    const struct program bcast = {
        .rows = {harness_text(row, 0, 10), harness_text(row, 10, 0), harness_text(row, 0, 10)}};
    assert_comm(&bcast, "collectives=yes", "pairs", "sender receiver messages bytes mean_ns",
                "1 0 1 10 -\n1 2 1 10 -\n");
    assert_comm(&bcast, "", "pairs", "sender", "");
    const char *reduce = "0..1:MPI_Reduce/reduce,peer=0,bytes=4,value=4";
    const struct program total = {.rows = {reduce, reduce, reduce}};
    assert_comm(&total, "collectives=yes", "pairs", "sender receiver messages bytes", "1 0 1 4\n2 0 1 4\n");
    const char *alltoall = "0..1:MPI_Alltoall/alltoall,bytes=30,value=30";
    const struct program all = {.rows = {alltoall, alltoall, alltoall}};
    assert_comm(&all, "collectives=yes", "pairs", "sender receiver bytes",
                "0 1 10\n0 2 10\n1 0 10\n1 2 10\n2 0 10\n2 1 10\n");
    const char *scan = "0..1:MPI_Scan/scan,bytes=6,value=6";
    const struct program scans = {.rows = {scan, scan, scan}};
    assert_comm(&scans, "collectives=yes", "pairs", "sender receiver bytes", "0 1 6\n1 2 6\n");
}

QUIPU_TESTS(cmocka_unit_test(test_comm_adds_up_pairs), cmocka_unit_test(test_comm_classes_of_length),
            cmocka_unit_test(test_comm_by_node), cmocka_unit_test(test_comm_names_the_pattern),
            cmocka_unit_test(test_comm_shows_all_patterns), cmocka_unit_test(test_comm_of_collectives))
