/* test_replay.c: small programs of two or three ranks on each network, with run times that are worked out in the comments. Times are ns.
 *
 * loggops: L = 100, o = 10, g = 5, G = 1, O = 0. A message of s bytes that is sent at b takes its sender's processor until b + 10 and its
 * interface until b + 5 + (s - 1), and arrives at b + 110; who receives it from r on has it at r + 10 + (s - 1), and can receive the next one
 * from r + 5 + (s - 1) on. dimemas: a sender is busy for 100, then a byte takes 1.
 * Messages of more than 64 bytes ask first.
 */
#include "harness.h"

#include "analysis/shared/fold.h"
#include "model/batch.h"

enum { EVENTS = 64, RANKS = 3, NEVER = -1 };
enum { WORK, SEND, RECV, ISEND, IRECV, WAIT, ALLREDUCE, BCAST, REGIONS };

static const struct quipu_location locations[RANKS] = {
    {.name = "0", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .host = ""},
    {.name = "1", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .host = ""},
    {.name = "2", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .host = ""},
};
static const uint32_t all[RANKS] = {0, 1, 2};
static const struct quipu_group world = {
    .name = "world", .is_communicator = true, .member_count = RANKS, .members = all};
static const struct quipu_region regions[REGIONS] = {
    {.name = "work", .group = "", .role = QUIPU_REGION_FUNCTION},
    {.name = "MPI_Send", .group = "", .role = QUIPU_REGION_MPI_P2P},
    {.name = "MPI_Recv", .group = "", .role = QUIPU_REGION_MPI_P2P},
    {.name = "MPI_Isend", .group = "", .role = QUIPU_REGION_MPI_P2P},
    {.name = "MPI_Irecv", .group = "", .role = QUIPU_REGION_MPI_P2P},
    {.name = "MPI_Wait", .group = "", .role = QUIPU_REGION_MPI_P2P},
    {.name = "MPI_Allreduce", .group = "", .role = QUIPU_REGION_MPI_COLLECTIVE},
    {.name = "MPI_Bcast", .group = "", .role = QUIPU_REGION_MPI_COLLECTIVE}};

/* ---- Programs ---- */

/* What the ranks do, one after the other; and where they are. */
struct program {
    struct quipu_event events[EVENTS];
    size_t count;
    uint32_t rank;
    int64_t origin; /* is added to all times */
};

/* In the order of time, then of ranks, then as they are added. */
static struct quipu_event *add(struct program *program, int64_t time, enum quipu_kind kind) {
    size_t i = program->count++;
    assert_true(i < EVENTS);
    time += program->origin;
    for (; i > 0 && (program->events[i - 1].time > time ||
                     (program->events[i - 1].time == time && program->events[i - 1].location > program->rank));
         i--)
        program->events[i] = program->events[i - 1];
    program->events[i] = (struct quipu_event){.time = time,
                                              .kind = (uint8_t)kind,
                                              .location = program->rank,
                                              .object = QUIPU_NONE,
                                              .peer = QUIPU_NONE,
                                              .operation = QUIPU_NONE,
                                              .id = QUIPU_UNKNOWN};
    return &program->events[i];
}

static void enter(struct program *program, int64_t time, uint32_t region) {
    add(program, time, QUIPU_KIND_enter)->object = region;
}

static void leave(struct program *program, int64_t time, uint32_t region) {
    add(program, time, QUIPU_KIND_leave)->object = region;
}

static void work(struct program *program, int64_t from, int64_t to) {
    enter(program, from, WORK);
    leave(program, to, WORK);
}

static void message(struct program *program, int64_t time, enum quipu_kind kind, uint32_t peer, uint64_t bytes,
                    uint64_t request) {
    struct quipu_event *event = add(program, time, kind);
    event->peer = peer;
    event->bytes = bytes;
    event->id = request;
}

/* A message is sent when its call begins, and received when its call ends. */
static void send(struct program *program, int64_t from, int64_t to, uint32_t peer, uint64_t bytes) {
    enter(program, from, SEND);
    message(program, from, QUIPU_KIND_send, peer, bytes, QUIPU_UNKNOWN);
    leave(program, to, SEND);
}

static void receive(struct program *program, int64_t from, int64_t to, uint32_t peer, uint64_t bytes) {
    enter(program, from, RECV);
    message(program, to, QUIPU_KIND_recv, peer, bytes, QUIPU_UNKNOWN);
    leave(program, to, RECV);
}

/* The same with requests: from is in a call of no length, to in a Wait that begins before. */
static void begin_request(struct program *program, int64_t time, uint32_t region, enum quipu_kind kind,
                          uint64_t bytes) {
    enter(program, time, region);
    message(program, time, kind, 1 - program->rank, bytes, 7);
    leave(program, time, region);
}

static void end_request(struct program *program, int64_t from, int64_t to, enum quipu_kind kind,
                        uint64_t bytes) {
    enter(program, from, WAIT);
    message(program, to, kind, 1 - program->rank, bytes, 7);
    leave(program, to, WAIT);
}

static void collective(struct program *program, int64_t from, int64_t to, uint32_t region, uint32_t operation,
                       uint32_t root) {
    enter(program, from, region);
    struct quipu_event *begin = add(program, from, QUIPU_KIND_collective_begin);
    begin->operation = operation;
    begin->peer = root;
    begin->bytes = begin->value = 8;
    begin->id = 1;
    struct quipu_event *end = add(program, to, QUIPU_KIND_collective_end);
    end->operation = operation;
    end->peer = root;
    end->id = 1;
    leave(program, to, region);
}

/* ---- Replays ---- */

static const struct quipu_setting measured[] = {{"network", "measured"}},
                                  slower[] = {{"network", "measured"}, {"cpu-factor", "2"}},
                                  ideal[] = {{"network", "ideal"}},
                                  loggops[] = {{"network", "loggops"}, {"latency", "100"},
                                               {"overhead", "10"},     {"gap", "5"},
                                               {"gap-per-byte", "1"},  {"eager", "64"}},
                                  dimemas[] = {{"network", "dimemas"},
                                               {"latency", "100"},
                                               {"bandwidth", "1000000000"},
                                               {"eager", "64"}},
                                  linked[] = {{"network", "dimemas"},
                                              {"latency", "100"},
                                              {"bandwidth", "1000000000"},
                                              {"eager", "64"},
                                              {"links", "1"}};

/* A cell of the answer. */
static struct quipu_cell cell(const struct quipu_tables *tables, const char *column) {
    const struct quipu_table *table = quipu_tables_at(tables, 0);
    const size_t index = quipu_table_column_find(table, column);
    assert_true(index < quipu_table_column_count(table));
    return *quipu_table_at(table, 0, index);
}

/* The answer for a program that is read in batches of so many events. The caller frees it. */
static struct quipu_tables *replay(const struct program *program, const struct quipu_setting *settings,
                                   size_t setting_count, size_t batch_size) {
    const struct quipu_definitions definitions = {.clock = {.ticks_per_second = 1000000000},
                                                  .locations = {locations, RANKS},
                                                  .regions = {regions, REGIONS},
                                                  .groups = {&world, 1}};
    const struct quipu__fold *fold = quipu__fold_find("replay");
    struct quipu__fold_start start = {.definitions = &definitions};
    struct quipu__memory memory;
    struct quipu__batch *batch;
    struct quipu_tables *tables;
    void *state;
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__fold_settings(fold, settings, setting_count, &start.settings, NULL), QUIPU_OK);
    assert_int_equal(fold->begin(&start, &state, NULL), QUIPU_OK);
    assert_int_equal(quipu__batch_new(&memory, EVENTS, &batch, NULL), QUIPU_OK);
    for (size_t i = 0; i < program->count; i++) {
        quipu__batch_add_row(&batch->batch, &program->events[i]);
        if (batch->batch.count < batch_size && i + 1 < program->count)
            continue;
        assert_int_equal(fold->consume(state, &batch->batch, NULL), QUIPU_OK);
        quipu__batch_clear(batch);
    }
    assert_int_equal(quipu__tables_new(NULL, &tables, NULL), QUIPU_OK);
    assert_int_equal(fold->finish(state, tables, NULL), QUIPU_OK);
    fold->release(state);
    quipu__batch_free(batch);
    return tables;
}

/* However a program is read, it takes what it takes; NEVER: it cannot go on. */
static void assert_time(const struct program *program, const struct quipu_setting *settings,
                        size_t setting_count, int64_t expected) {
    static const size_t batch_sizes[] = {EVENTS, 1, 5};
    for (size_t i = 0; i < sizeof batch_sizes / sizeof *batch_sizes; i++) {
        struct quipu_tables *tables = replay(program, settings, setting_count, batch_sizes[i]);
        const struct quipu_cell replayed = cell(tables, "replayed_ns");
        const int64_t found = replayed.is_null ? NEVER : replayed.i;
        if (found != expected)
            fail_msg("%s in batches of %zu: want %lld got %lld", settings->value, batch_sizes[i],
                     (long long)expected, (long long)found);
        quipu_tables_free(tables);
    }
}
#define ASSERT_TIME(program, network, expected)                                                                \
    assert_time(program, network, sizeof(network) / sizeof *(network), expected)

static void assert_counts(const struct program *program, uint64_t matched, uint64_t eager,
                          uint64_t rendezvous) {
    struct quipu_tables *tables = replay(program, loggops, sizeof loggops / sizeof *loggops, EVENTS);
    assert_int_equal(cell(tables, "messages").u, matched);
    assert_int_equal(cell(tables, "eager").u, eager);
    assert_int_equal(cell(tables, "rendezvous").u, rendezvous);
    quipu_tables_free(tables);
}

/* ---- Messages ---- */

/* Rank 0 computes 50, sends 9 bytes, computes 40; rank 1 computes 20, receives, computes 60. */
static struct program eager_program(int64_t origin) {
    struct program program = {.origin = origin};
    work(&program, 0, 50);
    send(&program, 50, 60, 1, 9);
    work(&program, 60, 100);
    program.rank = 1;
    work(&program, 0, 20);
    receive(&program, 20, 70, 0, 9);
    work(&program, 70, 130);
    return program;
}

/* measured: the trace. ideal: 0 ends at 50 + 40; 1 receives at 50, ends at 50 + 60. loggops: it arrives at 50 + 110, is there at 160 + 10 + 8;
 * 178 + 60. dimemas: it is transferred from 150 to 159; 159 + 60, and 0 ends at 150 + 40. */
static void assert_eager_times(const struct program *program) {
    ASSERT_TIME(program, measured, 130);
    ASSERT_TIME(program, ideal, 110);
    ASSERT_TIME(program, loggops, 238);
    ASSERT_TIME(program, dimemas, 219);
}

static void test_replay_a_small_message_leaves_at_once(void **state) {
    const struct program program = eager_program(0);
    (void)state;
    assert_eager_times(&program);
    assert_counts(&program, 1, 1, 0);
}

/* A clock may begin anywhere. */
static void test_replay_takes_as_long_before_the_origin_of_time(void **state) {
    const struct program before = eager_program(-1000), across = eager_program(-60);
    (void)state;
    assert_eager_times(&before);
    assert_eager_times(&across);
}

/* Rank 1 computes 300 before it receives, and 20 behind. measured: the trace; what is left of the call is 10. ideal: 300 + 20. loggops: it
 * is there long before; 300 + 10 + 8 + 20. dimemas: 300 + 20. */
static void test_replay_a_late_receiver_finds_its_message(void **state) {
    struct program program = {0};
    (void)state;
    work(&program, 0, 50);
    send(&program, 50, 60, 1, 9);
    work(&program, 60, 100);
    program.rank = 1;
    work(&program, 0, 300);
    receive(&program, 300, 310, 0, 9);
    work(&program, 310, 330);
    ASSERT_TIME(&program, measured, 330);
    ASSERT_TIME(&program, ideal, 320);
    ASSERT_TIME(&program, loggops, 338);
    ASSERT_TIME(&program, dimemas, 320);
}

/* 100 bytes wait for a receiver that computes 200. measured: the trace. With half as fast processors the receive is posted at 400; there the
 * sender goes on for what was left of its call, 10, and computes 20: 430; the receiver 2 and 20. ideal: 200 + 10.
 * loggops: the request, sent at 50, is there at 160; the answer leaves at 200 and is there at 310; the data leave until 320 and arrive at 420, are
 * there at 420 + 10 + 99; 529 + 10. The sender ends at 320 + 10. dimemas: from 200 to 300 they are transferred; both end 10 behind. */
static void test_replay_a_large_message_waits_for_its_receive(void **state) {
    struct program program = {0};
    (void)state;
    work(&program, 0, 50);
    send(&program, 50, 210, 1, 100);
    work(&program, 210, 220);
    program.rank = 1;
    work(&program, 0, 200);
    receive(&program, 200, 202, 0, 100);
    work(&program, 202, 212);
    ASSERT_TIME(&program, measured, 220);
    ASSERT_TIME(&program, slower, 430);
    ASSERT_TIME(&program, ideal, 210);
    ASSERT_TIME(&program, loggops, 539);
    ASSERT_TIME(&program, dimemas, 310);
    assert_counts(&program, 1, 0, 1);
}

/* Rank 1 posts at 0, computes 40, waits, computes 10. Rank 0 computes 10, sends, computes 88, waits, computes 10. */
static struct program pair_program(uint64_t bytes) {
    struct program program = {0};
    work(&program, 0, 10);
    begin_request(&program, 10, ISEND, QUIPU_KIND_send, bytes);
    work(&program, 10, 98);
    end_request(&program, 98, 105, QUIPU_KIND_send_complete, bytes);
    work(&program, 105, 115);
    program.rank = 1;
    begin_request(&program, 0, IRECV, QUIPU_KIND_recv_post, bytes);
    work(&program, 0, 40);
    end_request(&program, 40, 70, QUIPU_KIND_recv, bytes);
    work(&program, 70, 80);
    return program;
}

/* 9 bytes. measured: the trace. ideal: 0 ends at 10 + 88 + 10. loggops: 0 is at 20 when it has sent, and ends at 20 + 88 + 10; the message
 * arrives at 120, is there at 138, and 1 ends at 148. dimemas: 0 is at 110, and ends at 110 + 88 + 10; 1 at 119 + 10. */
static void test_replay_requests_are_waited_for_in_wait(void **state) {
    const struct program program = pair_program(9);
    (void)state;
    ASSERT_TIME(&program, measured, 115);
    ASSERT_TIME(&program, ideal, 108);
    ASSERT_TIME(&program, loggops, 148);
    ASSERT_TIME(&program, dimemas, 208);
}

/* 200 bytes. loggops: the request arrives at 120, its answer at 230; the data leave until 240, where the Wait ends that began at 108; they
 * arrive at 340, are there at 340 + 10 + 199, and 1 ends at 559. dimemas: from 110 to 310 they are transferred, where both Waits end. */
static void test_replay_a_wait_lasts_until_a_large_message_has_left(void **state) {
    const struct program program = pair_program(200);
    (void)state;
    ASSERT_TIME(&program, measured, 115);
    ASSERT_TIME(&program, ideal, 108);
    ASSERT_TIME(&program, loggops, 559);
    ASSERT_TIME(&program, dimemas, 320);
    assert_counts(&program, 1, 0, 1);
}

/* ---- What is shared ---- */

/* Two messages of 9 bytes from one rank to another, which waits for both. measured: the trace. ideal: both have begun to be sent at 0. loggops:
 * they leave at 0 and, when the interface is free again, at 13, so arrive at 110 and 123; the first is there at 128, when the other has come and
 * the interface, until 123, is free: 128 + 18. dimemas: they are transferred from 100 to 109 and from 200 to 209. */
static void test_replay_messages_share_an_interface(void **state) {
    struct program program = {0};
    (void)state;
    send(&program, 0, 5, 1, 9);
    send(&program, 5, 10, 1, 9);
    program.rank = 1;
    receive(&program, 0, 20, 0, 9);
    receive(&program, 20, 30, 0, 9);
    ASSERT_TIME(&program, measured, 30);
    ASSERT_TIME(&program, ideal, 0);
    ASSERT_TIME(&program, loggops, 146);
    ASSERT_TIME(&program, dimemas, 209);
}

/* Two ranks send 40 bytes each to a third one. dimemas: they are transferred from 100 to 140 at the same time, unless the receiver has one link:
 * then the second waits until 140. */
static void test_replay_messages_wait_for_links(void **state) {
    struct program program = {0};
    (void)state;
    send(&program, 0, 10, 2, 40);
    program.rank = 1;
    send(&program, 0, 10, 2, 40);
    program.rank = 2;
    receive(&program, 0, 20, 0, 40);
    receive(&program, 20, 30, 1, 40);
    ASSERT_TIME(&program, dimemas, 140);
    ASSERT_TIME(&program, linked, 180);
}

/* ---- Collective operations ---- */

/* Ranks come at 30, 60 and 90, leave at 100, and compute 10, 20 and 30. */
static struct program collective_program(uint32_t region, uint32_t operation, uint32_t root) {
    struct program program = {0};
    for (program.rank = 0; program.rank < RANKS; program.rank++) {
        const int64_t tail = 10 * ((int64_t)program.rank + 1);
        work(&program, 0, 3 * tail);
        collective(&program, 3 * tail, 100, region, operation, root);
        work(&program, 100, 100 + tail);
    }
    return program;
}

/* measured: the trace. ideal: 90 + 30. 3 ranks take 2 + 2 steps for 8 bytes: loggops 4 (100 + 20 + 8) = 512, dimemas 4 (100 + 8) = 432. */
static void test_replay_all_wait_for_all_in_allreduce(void **state) {
    const struct program program = collective_program(ALLREDUCE, QUIPU_COLLECTIVE_ALLREDUCE, QUIPU_NONE);
    (void)state;
    ASSERT_TIME(&program, measured, 130);
    ASSERT_TIME(&program, ideal, 120);
    ASSERT_TIME(&program, loggops, 90 + 512 + 30);
    ASSERT_TIME(&program, dimemas, 90 + 432 + 30);
}

/* The root is the last to come, and takes the longest behind; measured: 130, with half as fast processors it comes at 180, and after 10
 * computes 60. ideal: 90 + 30. Two steps: loggops 256, dimemas 216. */
static void test_replay_all_wait_for_the_root_of_bcast(void **state) {
    const struct program program = collective_program(BCAST, QUIPU_COLLECTIVE_BCAST, 2);
    (void)state;
    ASSERT_TIME(&program, measured, 130);
    ASSERT_TIME(&program, slower, 180 + 10 + 60);
    ASSERT_TIME(&program, ideal, 120);
    ASSERT_TIME(&program, loggops, 90 + 256 + 30);
    ASSERT_TIME(&program, dimemas, 90 + 216 + 30);
}

/* ---- What cannot be, and what is missing ---- */

/* Each receives before it sends what the other one receives. */
static void test_replay_does_not_go_on_in_a_circle(void **state) {
    struct program program = {0};
    (void)state;
    for (program.rank = 0; program.rank < 2; program.rank++) {
        receive(&program, 0, 10, 1 - program.rank, 9);
        send(&program, 10, 20, 1 - program.rank, 9);
    }
    ASSERT_TIME(&program, measured, NEVER);
    ASSERT_TIME(&program, ideal, NEVER);
    ASSERT_TIME(&program, loggops, NEVER);
    ASSERT_TIME(&program, dimemas, NEVER);
}

/* A send of 100 bytes without a receive and a receive without a send: no rank waits for them. measured: the trace. ideal: 10 + 10 of rank
 * 0. loggops: 10 + 10 + 10. dimemas: 10 + 100 + 10. */
static void test_replay_waits_for_no_partner_that_is_not_there(void **state) {
    struct program program = {0};
    (void)state;
    work(&program, 0, 10);
    send(&program, 10, 15, 1, 100);
    work(&program, 15, 25);
    program.rank = 1;
    receive(&program, 0, 30, 2, 9);
    work(&program, 30, 40);
    ASSERT_TIME(&program, measured, 40);
    ASSERT_TIME(&program, ideal, 20);
    ASSERT_TIME(&program, loggops, 30);
    ASSERT_TIME(&program, dimemas, 120);
    assert_counts(&program, 0, 1, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_replay_a_small_message_leaves_at_once),
            cmocka_unit_test(test_replay_takes_as_long_before_the_origin_of_time),
            cmocka_unit_test(test_replay_a_late_receiver_finds_its_message),
            cmocka_unit_test(test_replay_a_large_message_waits_for_its_receive),
            cmocka_unit_test(test_replay_requests_are_waited_for_in_wait),
            cmocka_unit_test(test_replay_a_wait_lasts_until_a_large_message_has_left),
            cmocka_unit_test(test_replay_messages_share_an_interface),
            cmocka_unit_test(test_replay_messages_wait_for_links),
            cmocka_unit_test(test_replay_all_wait_for_all_in_allreduce),
            cmocka_unit_test(test_replay_all_wait_for_the_root_of_bcast),
            cmocka_unit_test(test_replay_does_not_go_on_in_a_circle),
            cmocka_unit_test(test_replay_waits_for_no_partner_that_is_not_there))
