/* Waits by their definitions, on programs of two to four ranks. Unless a test says otherwise 1 tick is 1 ns and "rank 1 waits 80" is
 * the enter of the partner's call less that of its own. */
#include "analysis/programs.h"

#define WAITS "pattern location path peer instances time_ns max_ns"

static void assert_waits(const struct program *program, const char *settings, const char *expected) {
    assert_answer(program, "waits", settings, "waits", WAITS, expected);
}

/* ---- Messages ---- */

/* Sent at 100, asked for at 20: 80. The second message was sent (130) before it was asked for (150). */
static void test_waits_late_sender(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..100:work 100..110:MPI_Send/send,peer=1,bytes=8 130..135:MPI_Send/send,peer=1,bytes=8",
                 "0+solve 20..120:MPI_Recv/recv,peer=0,bytes=8 150..160:MPI_Recv/recv,peer=0,bytes=8 170-"}};
    assert_waits(&program, "", "late-sender 1 solve > MPI_Recv 0 1 80 80\n");
    /* 110 + 35 ... of all locations 135 + 170 = 305: 80 of it are 26.23 %. */
    assert_answer(&program, "waits", "", "waits", "location_id region peer_id communicator share_percent",
                  "11 MPI_Recv 10 g0 26.23\n");
    assert_answer(&program, "waits", "", "matching",
                  "sends receives matched unmatched_sends unmatched_receives assumed self", "2 2 2 0 0 0 0\n");
}

/* The receive returns at 90, before the send is entered (100): the wait is cut to the call, 90 - 20. */
static void test_waits_are_cut_to_their_call(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"100..110:MPI_Send/send,peer=1,bytes=8", "0+a 20..90:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_waits(&program, "", "late-sender 1 a > MPI_Recv 0 1 70 70\n");
}

/* Entered in the same nanosecond: no rank waits. One nanosecond later, the receiver waits 1. */
static void test_waits_of_equal_times_are_none(void **state) {
    (void)state;
    const struct program equal = {
        .rows = {"20..30:MPI_Send/send,peer=1,bytes=8", "20..30:MPI_Recv/recv,peer=0,bytes=8"}};
    const struct program later = {
        .rows = {"21..30:MPI_Send/send,peer=1,bytes=8", "20..30:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_waits(&equal, "", "");
    assert_waits(&later, "", "late-sender 1 MPI_Recv 0 1 1 1\n");
}

/* The sender is in its call from 10 to 100, the receive begins at 80: 70. A send that is over at 79 did not wait; one that is over at
 * 80, as the receive begins, did. */
static void test_waits_late_receiver(void **state) {
    (void)state;
    const struct program late = {
        .rows = {"10..100:MPI_Send/send,peer=1,bytes=8", "0..80:work 80..105:MPI_Recv/recv,peer=0,bytes=8"}};
    const struct program before = {
        .rows = {"10..79:MPI_Send/send,peer=1,bytes=8", "80..105:MPI_Recv/recv,peer=0,bytes=8"}};
    const struct program at = {
        .rows = {"10..80:MPI_Send/send,peer=1,bytes=8", "80..105:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_waits(&late, "", "late-receiver 0 MPI_Send 1 1 70 70\n");
    assert_waits(&before, "", "");
    assert_waits(&at, "", "late-receiver 0 MPI_Send 1 1 70 70\n");
}

/* 999 bytes never wait with a limit of 1000, 1000 do: 180 - 110. A synchronous send of 8 bytes waits whatever the limit, 310 - 300; a buffered one of
 * 5000 never. */
static void test_waits_of_small_messages_are_the_senders_own(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"10..100:MPI_Send/send,peer=1,bytes=999 110..200:MPI_Send/send,peer=1,bytes=1000 "
                 "300..320:MPI_Ssend/send,peer=1,bytes=8 "
                 "400..450:MPI_Bsend/send,peer=1,bytes=5000",
                 "80..105:MPI_Recv/recv,peer=0,bytes=999 180..210:MPI_Recv/recv,peer=0,bytes=1000 "
                 "310..321:MPI_Recv/recv,peer=0,bytes=8 "
                 "440..460:MPI_Recv/recv,peer=0,bytes=5000"}};
    assert_waits(&program, "eager-limit=1000",
                 "late-receiver 0 MPI_Send 1 1 70 70\nlate-receiver 0 MPI_Ssend 1 1 10 10\n");
    assert_waits(&program, "", "late-receiver 0 MPI_Send 1 2 140 70\nlate-receiver 0 MPI_Ssend 1 1 10 10\n");
}

/* The probe of the second message (sent in a call from 100) waits from 60: 40; the first was received before, its receive from 10 waited 50 - 10. What the probe has found is
 * received without waiting. */
static void test_waits_of_a_probe(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"50..52:MPI_Send/send,peer=1,bytes=8 100..104:MPI_Send/send,peer=1,bytes=8",
                 "10..55:MPI_Recv/recv,peer=0,bytes=8 60..105:MPI_Probe/probe,peer=0,bytes=8 "
                 "106..112:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_waits(&program, "", "late-sender 1 MPI_Probe 0 1 40 40\nlate-sender 1 MPI_Recv 0 1 40 40\n");
    assert_answer(&program, "waits", "", "matching",
                  "sends receives matched unmatched_sends unmatched_receives", "2 2 2 0 0\n");
    /* Two probes find one message, which is never received: the first waits from 20 to 90, the second is entered at 96. */
    const struct program twice = {
        .rows = {"90..95:MPI_Send/send,peer=1,bytes=8",
                 "20..95:MPI_Probe/probe,peer=0,bytes=8 96..97:MPI_Probe/probe,peer=0,bytes=8"}};
    assert_waits(&twice, "", "late-sender 1 MPI_Probe 0 1 70 70\n");
    assert_answer(&twice, "waits", "", "matching", "sends receives matched unmatched_sends unmatched_receives",
                  "1 0 0 1 0\n");
    /* Nothing is found that is not sent, nor what the posted request gets: the post takes the send of 40, the probe that of 80. */
    const struct program posted = {
        .rows = {"40..41:MPI_Send/send,peer=1,bytes=8 80..81:MPI_Send/send,peer=1,bytes=8",
                 "0..1:MPI_Irecv/recv_post,peer=0,tag=0,id=3 10..85:MPI_Probe/probe,peer=0,bytes=8 "
                 "86..87:MPI_Recv/recv,peer=0,bytes=8 88..89:MPI_Wait/recv,peer=0,bytes=8,id=3 "
                 "90..99:MPI_Probe/probe,peer=0,bytes=8"}};
    assert_waits(&posted, "", "late-sender 1 MPI_Probe 0 1 70 70\n");
    /* A matched probe posts the receive that MPI_Mrecv completes: another receive between the two gets the next message,
     * while that of the first, which MPI_Mrecv takes later, was there. */
    const struct program matched = {
        .rows = {"40..41:MPI_Send/send,peer=1,bytes=8 80..81:MPI_Send/send,peer=1,bytes=8",
                 "10..45:MPI_Mprobe/probe,peer=0,bytes=8/recv_post,peer=0,tag=0,id=5 "
                 "50..85:MPI_Recv/recv,peer=0,bytes=8 "
                 "86..87:MPI_Mrecv/recv,peer=0,bytes=8,id=5"}};
    assert_waits(
        &matched, "",
        "late-sender 1 MPI_Mprobe 0 1 30 30\nlate-sender-wrong-order-same-source 1 MPI_Recv 0 1 30 30\n");
}

/* Posted at 10, waited for from 40: the send (100) costs 60. The sender's request: from MPI_Wait at 105 until the posting at
 * 10: nothing. The other way posted at 190 only: the sender waits from 120 to 190 in MPI_Wait. */
static void test_waits_of_requests_are_in_the_call_that_completes(void **state) {
    (void)state;
    const struct program program = {
        .rows = {
            "100..102:MPI_Isend/send,peer=1,bytes=8,id=1 105..112:MPI_Wait/send_complete,id=1 "
            "114..116:MPI_Isend/send,peer=1,bytes=8,id=2 120..200:MPI_Wait/send_complete,id=2",
            "10..12:MPI_Irecv/recv_post,peer=0,bytes=8,tag=0,id=7 40..110:MPI_Wait/recv,peer=0,bytes=8,id=7 "
            "190..192:MPI_Irecv/recv_post,peer=0,tag=0,id=8 195..199:MPI_Wait/recv,peer=0,bytes=8,id=8"}};
    assert_waits(&program, "", "late-receiver 0 MPI_Wait 1 1 70 70\nlate-sender 1 MPI_Wait 0 1 60 60\n");
}

/* One MPI_Waitall from 20 completes receives of sends at 60 and 110: 40 for rank 0, which came first, and 50 for rank 1. */
static void test_waits_of_one_call_are_shared_as_partners_come(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"60..62:MPI_Send/send,peer=2,bytes=8", "110..112:MPI_Send/send,peer=2,bytes=8",
                 "0..2:MPI_Irecv/recv_post,peer=1,tag=0,id=1 2..4:MPI_Irecv/recv_post,peer=0,tag=0,id=2 "
                 "20..120:MPI_Waitall/recv,peer=1,bytes=8,id=1/recv,peer=0,bytes=8,id=2"}};
    assert_waits(&program, "", "late-sender 2 MPI_Waitall 1 1 50 50\nlate-sender 2 MPI_Waitall 0 1 40 40\n");
}

/* Rank 1 waits from 20 to 100 for tag 2, while tag 1 of the same rank, sent at 10, could have been received. */
static void test_waits_in_the_wrong_order(void **state) {
    (void)state;
    const struct program same = {
        .rows = {"10..12:MPI_Send/send,peer=1,tag=1,bytes=8 100..102:MPI_Send/send,peer=1,tag=2,bytes=8",
                 "20..110:MPI_Recv/recv,peer=0,tag=2,bytes=8 120..122:MPI_Recv/recv,peer=0,tag=1,bytes=8"}};
    assert_waits(&same, "", "late-sender-wrong-order-same-source 1 MPI_Recv 0 1 80 80\n");
    /* The other message comes from rank 2. */
    const struct program different = {
        .rows = {"100..102:MPI_Send/send,peer=1,bytes=8",
                 "20..110:MPI_Recv/recv,peer=0,bytes=8 120..122:MPI_Recv/recv,peer=2,bytes=8",
                 "10..12:MPI_Send/send,peer=1,bytes=8"}};
    assert_waits(&different, "", "late-sender-wrong-order-different-source 1 MPI_Recv 0 1 80 80\n");
    /* Sent in the very instant: not earlier. */
    const struct program equal = {
        .rows = {"100..102:MPI_Send/send,peer=1,bytes=8",
                 "20..110:MPI_Recv/recv,peer=0,bytes=8 120..122:MPI_Recv/recv,peer=2,bytes=8",
                 "100..102:MPI_Send/send,peer=1,bytes=8"}};
    assert_waits(&equal, "", "late-sender 1 MPI_Recv 0 1 80 80\n");
    /* On another communicator it could not have been taken. */
    const struct program other = {
        .rows = {"100..102:MPI_Send/send,peer=1,bytes=8",
                 "20..110:MPI_Recv/recv,peer=0,bytes=8 120..122:MPI_Recv/recv,peer=2,bytes=8,group=1",
                 "10..12:MPI_Send/send,peer=1,bytes=8,group=1"},
        .groups = {"1 2"}};
    assert_waits(&other, "", "late-sender 1 MPI_Recv 0 1 80 80\n");
}

/* A send of tag 5, a receive of tag 6, a receive that was cancelled and a message to oneself: matched is the last one alone, and
 * no rank waits. */
static void test_waits_need_a_match(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"50..60:MPI_Send/send,peer=1,tag=5,bytes=8 61..62:MPI_Barrier/barrier",
                 "10..70:MPI_Recv/recv,peer=0,tag=6,bytes=8 71..72:MPI_Irecv/recv_post,peer=0,tag=5,id=3 "
                 "73..74:MPI_Cancel/cancel,id=3 "
                 "75..76:MPI_Irecv/recv_post,peer=1,tag=9,id=4 80..81:MPI_Send/send,peer=1,tag=9,bytes=8 "
                 "82..90:MPI_Wait/recv,peer=1,tag=9,bytes=8,id=4"}};
    assert_waits(&program, "", "");
    assert_answer(&program, "waits", "", "matching",
                  "sends receives matched unmatched_sends unmatched_receives assumed self collectives complete "
                  "incomplete mixed",
                  "2 2 1 1 1 0 1 1 0 1 0\n");
}

/* Any source, and no status: rank 0's only message (50) is needed by the receive that names it, so rank 2's (60) is assumed: 60 - 20. Rank
 * 0's, sent earlier and received later, makes it wrong order. */
static void test_waits_of_a_wildcard_are_assumed(void **state) {
    (void)state;
    const struct program program = {.rows = {"50..52:MPI_Send/send,peer=1,bytes=8",
                                             "20..70:MPI_Recv/recv,bytes=8 80..82:MPI_Recv/recv,peer=0,bytes=8",
                                             "60..62:MPI_Send/send,peer=1,bytes=8"}};
    assert_waits(&program, "", "late-sender-wrong-order-different-source 1 MPI_Recv 2 1 40 40\n");
    assert_answer(&program, "waits", "", "matching", "matched assumed unmatched_receives", "2 1 0\n");
}

/* Messages of threads are those of their processes, and the waits their own: thread 2 of rank 1 waits 100 - 30. */
static void test_waits_are_the_threads_own(void **state) {
    (void)state;
    const struct program program = {.rows = {"100..110:MPI_Send/send,peer=1,bytes=8", "0..200:work",
                                             "@1 30..120:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_waits(&program, "", "late-sender 2 MPI_Recv 0 1 70 70\n");
}

/* The receive is never left: it lasts to the last event of its rank, 130. Its message came. */
static void test_waits_of_a_call_that_stays_open(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"100..110:MPI_Send/send,peer=1,bytes=8", "20+MPI_Recv 130/recv,peer=0,bytes=8"}};
    assert_waits(&program, "", "late-sender 1 MPI_Recv 0 1 80 80\n");
}

/* Without regions an event is a call of no length: no rank waits. */
static void test_waits_of_events_outside_of_calls_are_none(void **state) {
    (void)state;
    const struct program program = {.rows = {"100/send,peer=1,bytes=8", "20/note 120/recv,peer=0,bytes=8"}};
    assert_waits(&program, "", "");
    assert_answer(&program, "waits", "", "matching", "matched", "1\n");
}

/* ---- Collectives ---- */

/* Entered at 10, 30 and 60: 50 and 30 for rank 2. Left at 72, 70, 75: after the first exit 2 and 5. */
static void test_waits_at_a_barrier(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:work 10..72:MPI_Barrier/barrier",
                                             "0..30:work 30..70:MPI_Barrier/barrier",
                                             "0..60:work 60..75:MPI_Barrier/barrier"}};
    assert_waits(&program, "",
                 "wait-at-barrier 0 MPI_Barrier 2 1 50 50\nwait-at-barrier 1 MPI_Barrier 2 1 30 30\n"
                 "barrier-completion 2 MPI_Barrier - 1 5 5\nbarrier-completion 0 MPI_Barrier - 1 2 2\n");
    /* By pattern: 80 and 7; by peer: 80 for rank 2, and 7 for no location. */
    assert_answer(&program, "waits", "by=pattern", "waits", "pattern instances time_ns max_ns",
                  "wait-at-barrier 2 80 50\nbarrier-completion 2 7 5\n");
    assert_answer(&program, "waits", "by=peer", "waits", "peer instances time_ns", "2 2 80\n- 2 7\n");
    assert_answer(&program, "waits", "by=location,region", "waits", "location region instances time_ns",
                  "0 MPI_Barrier 2 52\n1 MPI_Barrier 1 30\n2 MPI_Barrier 1 5\n");
    assert_answer(&program, "waits", "by=path,communicator", "waits", "path communicator time_ns",
                  "MPI_Barrier g0 87\n");
}

/* Ranks 0 and 1 come last together: the one with the lower number is waited for, and waits for no rank. */
static void test_waits_at_a_barrier_are_for_the_lower_of_two(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"40..60:MPI_Barrier/barrier", "40..60:MPI_Barrier/barrier", "10..60:MPI_Barrier/barrier"}};
    assert_waits(&program, "", "wait-at-barrier 2 MPI_Barrier 0 1 30 30\n");
}

/* Rank 0 leaves at 50, before rank 2 has come (60): its wait is cut to 40. Completion counts from 60: 5 and 10. */
static void test_waits_at_a_barrier_are_cut(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"10..50:MPI_Barrier/barrier", "60..65:MPI_Barrier/barrier", "60..70:MPI_Barrier/barrier"}};
    assert_waits(&program, "",
                 "wait-at-barrier 0 MPI_Barrier 1 1 40 40\nbarrier-completion 2 MPI_Barrier - 1 10 "
                 "10\nbarrier-completion 1 MPI_Barrier - 1 5 5\n");
}

/* All operations of N to N wait for the last one, at 60. */
static void test_waits_of_all_to_all_are_for_the_last(void **state) {
    (void)state;
    static const char *const names[] = {"allgather", "allgatherv", "alltoall",       "alltoallv",
                                        "alltoallw", "allreduce",  "reduce_scatter", "all_to_all"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct program program = {.rows = {harness_text("10..72:MPI_All/%s,bytes=8,value=8", names[i]),
                                                 harness_text("60..70:MPI_All/%s,bytes=8,value=8", names[i])}};
        assert_waits(&program, "", "wait-at-nxn 0 MPI_All 1 1 50 50\nnxn-completion 0 MPI_All - 1 2 2\n");
    }
}

/* The root, rank 1, comes at 50: 40 for rank 0, which leaves at 70, 15 for rank 2, which leaves at 45. */
static void test_waits_of_one_to_all_are_for_the_root(void **state) {
    (void)state;
    static const char *const names[] = {"bcast", "scatter", "scatterv", "one_to_all"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *call = harness_text("MPI_Bcast/%s,peer=1,bytes=8,value=8", names[i]);
        const struct program program = {.rows = {harness_text("10..70:%s", call),
                                                 harness_text("50..60:%s", call),
                                                 harness_text("30..45:%s", call)}};
        assert_waits(&program, "",
                     "late-broadcast 0 MPI_Bcast 1 1 40 40\nlate-broadcast 2 MPI_Bcast 1 1 15 15\n");
    }
}

/* Two ranks, of which the root, rank 1, comes at 10 and the other one at 40: 30; what it waits cannot be longer than it is there. */
static void test_waits_of_all_to_one_are_the_roots(void **state) {
    (void)state;
    static const char *const names[] = {"reduce", "gather", "gatherv", "all_to_one"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *call = harness_text("MPI_Reduce/%s,peer=1,bytes=8,value=8", names[i]);
        const struct program program = {
            .rows = {harness_text("40..70:%s", call), harness_text("10..60:%s", call)}};
        const struct program cut = {.rows = {harness_text("40..70:%s", call), harness_text("10..30:%s", call)}};
        const struct program late = {
            .rows = {harness_text("40..70:%s", call), harness_text("50..60:%s", call)}};
        assert_waits(&program, "", "early-reduce 1 MPI_Reduce 0 1 30 30\n");
        assert_waits(&cut, "", "early-reduce 1 MPI_Reduce 0 1 20 20\n");
        assert_waits(&late, "", "");
    }
}

/* Rank 1 waits for rank 0: 50 - 10. Rank 2 for the later of ranks 0 and 1: 50 - 30. No rank waits for the last one. */
static void test_waits_of_scans_are_for_those_before(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"50..60:MPI_Scan/scan,bytes=8,value=8", "10..62:MPI_Scan/scan,bytes=8,value=8",
                 "30..64:MPI_Scan/scan,bytes=8,value=8", "90..95:MPI_Scan/scan,bytes=8,value=8"}};
    assert_waits(&program, "", "early-scan 1 MPI_Scan 0 1 40 40\nearly-scan 2 MPI_Scan 0 1 20 20\n");
    const struct program second = {.rows = {"20..60:MPI_Exscan/exscan,bytes=8,value=8",
                                            "50..62:MPI_Exscan/exscan,bytes=8,value=8",
                                            "30..64:MPI_Exscan/exscan,bytes=8,value=8"}};
    assert_waits(&second, "", "early-scan 2 MPI_Exscan 1 1 20 20\n");
}

/* Ranks of a communicator are its order: in {2, 1} location 2 is the first, and location 1 waits for it, 50 - 20. */
static void test_waits_in_a_communicator_of_another_order(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work", "20..60:MPI_Scan/scan,group=1,bytes=8,value=8",
                                             "50..60:MPI_Scan/scan,group=1,bytes=8,value=8"},
                                    .groups = {"2 1"}};
    assert_waits(&program, "", "early-scan 1 MPI_Scan 2 1 30 30\n");
    assert_answer(&program, "waits", "", "waits", "communicator", "g1\n");
}

/* Begun at 10 and 70, ended in MPI_Wait from 50 and from 72 to 90: rank 0 waits from 50 to 70, in MPI_Wait. */
static void test_waits_of_a_barrier_that_does_not_block(void **state) {
    (void)state;
    const struct program program = {.rows = {"10..12:MPI_Ibarrier/collective_begin,operation=1,id=4 "
                                             "50..90:MPI_Wait/collective_end,operation=1,id=4",
                                             "70..71:MPI_Ibarrier/collective_begin,operation=1,id=4 "
                                             "72..90:MPI_Wait/collective_end,operation=1,id=4"}};
    assert_waits(&program, "", "wait-at-barrier 0 MPI_Wait 1 1 20 20\n");
}

/* The second barrier is a broadcast on rank 1: mixed; the third has one member of two: incomplete. Neither is waited for. */
static void test_waits_of_collectives_that_are_not_complete_are_none(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"10..40:MPI_Barrier/barrier 50..90:MPI_Barrier/barrier 95..99:MPI_Barrier/barrier",
                 "30..40:MPI_Barrier/barrier 80..90:MPI_Bcast/bcast,peer=0"}};
    assert_waits(&program, "", "wait-at-barrier 0 MPI_Barrier 1 1 20 20\n");
    assert_answer(&program, "waits", "", "matching", "collectives complete incomplete mixed", "3 1 1 1\n");
}

/* ---- Files ---- */

/* From begin to end: 50; two that overlap, 60 to 80 and 70 to 90, count once, and the earlier one keeps its time: 20 + 10. What ends in another
 * call than it began in counts from the enter of that: 115 - 110. */
static void test_waits_for_files(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0+read 2/io_begin,operation=read,object=f,id=1 52/io_end,operation=read,object=f,id=1 55- "
                 "58+write 60/io_begin,operation=write,object=f,id=2 70/io_begin,operation=write,object=f,id=3 "
                 "80/io_end,operation=write,object=f,id=2 90/io_end,operation=write,object=f,id=3 95- "
                 "100..102:aio/io_begin,operation=read,object=f,id=4 110+sync "
                 "115/io_end,operation=read,object=f,id=4 120-"}};
    assert_waits(&program, "", "io-wait 0 read - 1 50 50\nio-wait 0 write - 2 30 20\nio-wait 0 sync - 1 5 5\n");
}

/* Ended out of order: 20 to 30 ends first, then 5 to 40, which keeps what both have: 35. Those that touch, 50 to 60 and 60 to 70, both count. */
static void test_waits_for_files_that_end_out_of_order(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0+read 5/io_begin,operation=read,object=f,id=1 20/io_begin,operation=read,object=f,id=2 "
                 "30/io_end,operation=read,object=f,id=2 "
                 "40/io_end,operation=read,object=f,id=1 50/io_begin,operation=read,object=f,id=3 "
                 "60/io_end,operation=read,object=f,id=3 "
                 "60/io_begin,operation=read,object=f,id=4 70/io_end,operation=read,object=f,id=4 80-"}};
    assert_waits(&program, "", "io-wait 0 read - 3 55 35\n");
}

/* So many messages that what is decided is let go of while reading: each of 300 waits 3, from 10 k to 10 k + 3; rank 0 waits for no rank. The first message of
 * all, of another tag, is received last: the others, sent later, came first, and so were of wrong order. */
static void test_waits_of_many_messages(void **state) {
    (void)state;
    const char *send = "1..2:MPI_Send/send,peer=1,bytes=1,tag=7", *recv = "0..1:work";
    const char *rest[2] = {"", ""};
    for (int k = 1; k <= 300; k++) {
        rest[0] = harness_text("%s %d..%d:MPI_Send/send,peer=1,bytes=1", rest[0], 10 * k + 3, 10 * k + 4);
        rest[1] = harness_text("%s %d..%d:MPI_Recv/recv,peer=0,bytes=1", rest[1], 10 * k, 10 * k + 5);
    }
    const struct program right = {.rows = {rest[0] + 1, rest[1] + 1}};
    assert_waits(&right, "", "late-sender 1 MPI_Recv 0 300 900 3\n");
    const struct program wrong = {
        .rows = {harness_text("%s%s", send, rest[0]),
                 harness_text("%s%s 4000..4001:MPI_Recv/recv,peer=0,bytes=1,tag=7", recv, rest[1])}};
    assert_waits(&wrong, "", "late-sender-wrong-order-same-source 1 MPI_Recv 0 300 900 3\n");
}

/* ---- Windows and choices ---- */

/* Rank 1 waits from 20 to 100, rank 0 from 210 to 250. In [50, 230): 50 of the first, 20 of the second, which begin there. Two windows that touch have
 * what both have together: [0, 50) 30, [50, end) 50 + 40. */
static void test_waits_in_a_window(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"100..110:MPI_Send/send,peer=1,bytes=8 210..260:MPI_Recv/recv,peer=1,bytes=8",
                 "20..120:MPI_Recv/recv,peer=0,bytes=8 250..255:MPI_Send/send,peer=0,bytes=8"}};
    assert_answer(&program, "waits", "", "waits", "location time_ns", "1 80\n0 40\n");
    assert_answer(&program, "waits", "since=50 until=230", "waits", "location time_ns", "1 50\n0 20\n");
    assert_answer(&program, "waits", "until=50", "waits", "location time_ns", "1 30\n");
    assert_answer(&program, "waits", "since=50", "waits", "location time_ns", "1 50\n0 40\n");
    assert_answer(&program, "waits", "location=0", "waits", "location time_ns", "0 40\n");
    assert_answer(&program, "waits", "list=yes", "instances",
                  "from_ns to_ns time_ns pattern location region peer communicator",
                  "20 100 80 late-sender 1 MPI_Recv 0 g0\n210 250 40 late-sender 0 MPI_Recv 1 g0\n");
}

static void test_waits_refuse_what_they_do_not_know(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..1:work"}};
    assert_refusal(&program, "waits", "by=moon",
                   "--by takes pattern, location, path, region, callsite, communicator and peer, separated by "
                   "commas, not \"moon\"");
}

/* The inner call has 10 to 40 of rank 1; what is left of the outer one's 0 to 80, which waits for rank 2, begins there: 40. */
static void test_waits_of_an_inner_call_come_first(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0+MPI_Waitall 10..50:MPI_Recv/recv,peer=1,bytes=8 90/recv,peer=2,bytes=8 95-MPI_Waitall",
                 "40..41:MPI_Send/send,peer=0,bytes=8", "80..81:MPI_Send/send,peer=0,bytes=8"}};
    assert_answer(&program, "waits", "", "waits", WAITS,
                  "late-sender 0 MPI_Waitall 2 1 40 40\nlate-sender 0 MPI_Waitall > MPI_Recv 1 1 30 30\n");
}

/* Rank 1 waits from 20 to 100. A wait is of the window in which it begins, its time of both. */
static void test_waits_count_in_the_window_where_they_begin(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..100:work 100..101:MPI_Send/send,peer=1,bytes=8", "20..105:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_answer(&program, "waits", "until=50", "waits", "instances time_ns", "1 30\n");
    assert_answer(&program, "waits", "since=50", "waits", "instances time_ns", "0 50\n");
}

/* All are out of MPI_Finalize at 60; rank 2 comes at 50, the others at 10 and 20. With a process that never comes there is no end of the program. */
static void test_waits_at_the_end_of_the_program(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"10..60:MPI_Finalize", "20..60:MPI_Finalize", "0..50:work 50..60:MPI_Finalize"}};
    const struct program damaged = {.rows = {"10..60:MPI_Finalize", "20..60:MPI_Finalize", "0..50:work"}};
    assert_answer(&program, "waits", "", "waits", WAITS,
                  "wait-at-finalize 0 MPI_Finalize 2 1 40 40\nwait-at-finalize 1 MPI_Finalize 2 1 30 30\n");
    assert_answer(&damaged, "waits", "", "waits", WAITS, "");
}

QUIPU_TESTS(
    cmocka_unit_test(test_waits_late_sender), cmocka_unit_test(test_waits_are_cut_to_their_call),
    cmocka_unit_test(test_waits_of_equal_times_are_none), cmocka_unit_test(test_waits_late_receiver),
    cmocka_unit_test(test_waits_of_small_messages_are_the_senders_own), cmocka_unit_test(test_waits_of_a_probe),
    cmocka_unit_test(test_waits_of_requests_are_in_the_call_that_completes),
    cmocka_unit_test(test_waits_of_one_call_are_shared_as_partners_come),
    cmocka_unit_test(test_waits_in_the_wrong_order), cmocka_unit_test(test_waits_need_a_match),
    cmocka_unit_test(test_waits_of_a_wildcard_are_assumed), cmocka_unit_test(test_waits_are_the_threads_own),
    cmocka_unit_test(test_waits_of_a_call_that_stays_open),
    cmocka_unit_test(test_waits_of_events_outside_of_calls_are_none), cmocka_unit_test(test_waits_at_a_barrier),
    cmocka_unit_test(test_waits_at_a_barrier_are_for_the_lower_of_two),
    cmocka_unit_test(test_waits_at_a_barrier_are_cut),
    cmocka_unit_test(test_waits_of_all_to_all_are_for_the_last),
    cmocka_unit_test(test_waits_of_one_to_all_are_for_the_root),
    cmocka_unit_test(test_waits_of_all_to_one_are_the_roots),
    cmocka_unit_test(test_waits_of_scans_are_for_those_before),
    cmocka_unit_test(test_waits_in_a_communicator_of_another_order),
    cmocka_unit_test(test_waits_of_a_barrier_that_does_not_block),
    cmocka_unit_test(test_waits_of_collectives_that_are_not_complete_are_none),
    cmocka_unit_test(test_waits_for_files), cmocka_unit_test(test_waits_for_files_that_end_out_of_order),
    cmocka_unit_test(test_waits_of_many_messages), cmocka_unit_test(test_waits_in_a_window),
    cmocka_unit_test(test_waits_refuse_what_they_do_not_know),
    cmocka_unit_test(test_waits_of_an_inner_call_come_first),
    cmocka_unit_test(test_waits_count_in_the_window_where_they_begin),
    cmocka_unit_test(test_waits_at_the_end_of_the_program))
