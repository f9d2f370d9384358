/* test_state.c: what a state of libotfaux keeps, in which order it tells it, and when it gives event data back.
 *
 * All callbacks write lines into one log, which the tests compare with text worked out by hand. The walk over processes,
 * communicators and counters follows lookup3: processes 8, 4, 5, 1, 6, 3, 2, 7 fall into the buckets 4, 48, 78, 319, 379,
 * 483, 953, 960 of 1024 and 2527 into that of 1; communicators 3, 6, 1 into 79, 126, 155 of 256 and 812 into that of 1;
 * counters 4, 5, 2, 1 into 1, 6, 10, 11 of 16 and 7 into that of 2. */
#include "harness.h"

#include <otfaux.h>

#include <inttypes.h>

static char logged[65536];
static size_t logged_size;
static int lines_allowed;

/* Adds a line to the log. Returns 0 when it is the last one allowed, for a callback to return. */
static int log_line(const char *format, ...) QUIPU_PRINTF(1, 2);
static int log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    logged_size += (size_t)vsnprintf(logged + logged_size, sizeof logged - logged_size, format, arguments);
    va_end(arguments);
    return --lines_allowed != 0;
}

/* What was logged since the last time. */
static const char *take_log(void) {
    char *text = harness_text("%s", logged);
    logged_size = 0;
    logged[0] = '\0';
    return text;
}

static void release(void *user, void *data) {
    log_line("%s %s\n", (const char *)user, (const char *)data);
}

static int write_enter(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t function,
                       uint32_t scl, void *data) {
    (void)user;
    return log_line("%" PRIu64 " enter t%" PRIu64 " p%" PRIu64 " f%u scl%u %s\n", offset, time, process,
                    function, scl, data ? (const char *)data : "-");
}

static int write_send(void *user, uint64_t offset, uint64_t time, uint64_t sender, uint64_t receiver,
                      uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl, uint64_t recv_time,
                      uint32_t recv_length, uint32_t recv_scl, void *data) {
    (void)user;
    return log_line("%" PRIu64 " send t%" PRIu64 " %" PRIu64 "->%" PRIu64 " comm%u tag%u len%u scl%u t%" PRIu64
                    " len%u scl%u %s\n",
                    offset, time, sender, receiver, comm, tag, length, scl, recv_time, recv_length, recv_scl,
                    data ? (const char *)data : "-");
}

static int write_file(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t file,
                      uint64_t handle, uint32_t scl, void *data) {
    (void)user;
    return log_line("%" PRIu64 " file t%" PRIu64 " p%" PRIu64 " f%u h%" PRIx64 " scl%u %s\n", offset, time,
                    process, file, handle, scl, data ? (const char *)data : "-");
}

static int write_collop(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t type,
                        uint64_t id, uint32_t comm, uint32_t root, uint64_t sent, uint64_t received,
                        uint32_t scl, void *data) {
    (void)user;
    return log_line("%" PRIu64 " collop t%" PRIu64 " p%" PRIu64 " op%u id%" PRIx64 " comm%u root%u %" PRIu64
                    "/%" PRIu64 " scl%u %s\n",
                    offset, time, process, type, id, comm, root, sent, received, scl,
                    data ? (const char *)data : "-");
}

static int write_file_op(void *user, uint64_t offset, uint64_t time, uint64_t process, uint64_t id,
                         uint32_t scl, void *data) {
    (void)user;
    return log_line("%" PRIu64 " fileop t%" PRIu64 " p%" PRIu64 " id%" PRIx64 " scl%u %s\n", offset, time,
                    process, id, scl, data ? (const char *)data : "-");
}

static int write_count(void *user, uint64_t offset, uint64_t process, uint32_t comm, uint64_t count) {
    (void)user;
    return log_line("%" PRIu64 " count p%" PRIu64 " comm%u %" PRIu64 "\n", offset, process, comm, count);
}

static int write_counter(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t counter,
                         uint64_t value, void *data) {
    (void)user;
    return log_line("%" PRIu64 " counter t%" PRIu64 " p%" PRIu64 " c%u %" PRIu64 " %s\n", offset, time, process,
                    counter, value, data ? (const char *)data : "-");
}

static OTFAUX_State *bare_state(void) {
    take_log();
    lines_allowed = -1;
    OTFAUX_State *state = OTFAUX_State_create();
    assert_non_null(state);
    assert_int_equal(1, OTFAUX_State_setReleaseEventDataCallback(state, release, "release"));
    return state;
}

static OTFAUX_State *new_state(void) {
    OTFAUX_State *state = bare_state();
    assert_int_equal(1, OTFAUX_State_setWriteEnterSnapshotCallback(state, write_enter));
    assert_int_equal(1, OTFAUX_State_setWriteSendSnapshotCallback(state, write_send));
    assert_int_equal(1, OTFAUX_State_setWriteOpenFileSnapshotCallback(state, write_file));
    assert_int_equal(1, OTFAUX_State_setWriteBeginCollopSnapshotCallback(state, write_collop));
    assert_int_equal(1, OTFAUX_State_setWriteBeginFileOpSnapshotCallback(state, write_file_op));
    assert_int_equal(1, OTFAUX_State_setWriteCollopCountSnapshotCallback(state, write_count));
    assert_int_equal(1, OTFAUX_State_setWriteCounterSnapshotCallback(state, write_counter));
    return state;
}

static int send(OTFAUX_State *state, uint64_t time, uint64_t sender, uint64_t receiver, uint32_t tag,
                void *data) {
    return OTFAUX_State_processSendMsg(state, time, sender, receiver, 9, tag, 100, 3, NULL, NULL, NULL, data);
}

static const char *snapshot(OTFAUX_State *state, uint64_t time) {
    assert_int_equal(1, OTFAUX_State_writeSnapshot(state, time, NULL));
    return take_log();
}

/* ---- Functions ---- */

static void test_state_stack_is_told_outermost_first(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    assert_int_equal(1, OTFAUX_State_processEnter(state, 10, 1, 5, 21, "outer"));
    assert_int_equal(1, OTFAUX_State_processEnter(state, 11, 1, 6, 0, NULL));
    assert_int_equal(1, OTFAUX_State_processEnter(state, 12, 1, 7, 0, "inner"));
    assert_int_equal(1, OTFAUX_State_processLeave(state, 13, 1, 5)); /* whatever the function */
    assert_string_equal("release inner\n", take_log());
    assert_string_equal("20 enter t10 p1 f5 scl21 outer\n20 enter t11 p1 f6 scl0 -\n", snapshot(state, 20));
    assert_int_equal(1, OTFAUX_State_processLeave(state, 21, 1, 6));
    assert_int_equal(1, OTFAUX_State_processLeave(state, 22, 1, 5));
    assert_int_equal(0, OTFAUX_State_processLeave(state, 23, 1, 5));
    assert_int_equal(0, OTFAUX_State_processLeave(state, 23, 2, 5));
    assert_string_equal("release outer\n", take_log());
    assert_string_equal("", snapshot(state, 24));
    OTFAUX_State_destroy(state);
}

static void test_state_processes_are_walked_by_the_hash_of_their_id_newest_first(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    for (uint64_t process = 1; process <= 8; process++)
        OTFAUX_State_processEnter(state, 1, process, 0, 0, NULL);
    OTFAUX_State_processEnter(state, 1, 2527, 0, 0, NULL);
    assert_string_equal("2 enter t1 p8 f0 scl0 -\n2 enter t1 p4 f0 scl0 -\n2 enter t1 p5 f0 scl0 -\n"
                        "2 enter t1 p2527 f0 scl0 -\n2 enter t1 p1 f0 scl0 -\n2 enter t1 p6 f0 scl0 -\n"
                        "2 enter t1 p3 f0 scl0 -\n2 enter t1 p2 f0 scl0 -\n2 enter t1 p7 f0 scl0 -\n",
                        snapshot(state, 2));
    OTFAUX_State_destroy(state);
}

/* ---- Messages ---- */

static void test_state_sends_take_the_oldest_receive_of_their_route(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    uint64_t time = 0;
    uint32_t length = 0, scl = 0;
    assert_int_equal(1, OTFAUX_State_enqueueRecvMsg(state, 50, 2, 1, 9, 5, 100, 31));
    assert_int_equal(1, OTFAUX_State_enqueueRecvMsg(state, 40, 2, 1, 9, 5, 101, 32));
    assert_int_equal(1, OTFAUX_State_processSendMsg(state, 10, 1, 2, 9, 5, 100, 3, &time, &length, &scl, NULL));
    assert_int_equal(50, time);
    assert_int_equal(100, length);
    assert_int_equal(31, scl);
    assert_int_equal(2, OTFAUX_State_processSendMsg(state, 10, 2, 1, 9, 5, 1, 3, &time, &length, &scl, NULL));
    assert_int_equal(2, OTFAUX_State_processSendMsg(state, 10, 1, 3, 9, 5, 1, 3, &time, &length, &scl, NULL));
    assert_int_equal(2, OTFAUX_State_processSendMsg(state, 10, 1, 2, 8, 5, 1, 3, &time, &length, &scl, NULL));
    assert_int_equal(2, OTFAUX_State_processSendMsg(state, 10, 1, 2, 9, 4, 1, 3, &time, &length, &scl, NULL));
    assert_int_equal(50, time); /* untouched */
    assert_int_equal(1, OTFAUX_State_processSendMsg(state, 11, 1, 2, 9, 5, 100, 3, &time, &length, &scl, NULL));
    assert_int_equal(40, time);
    assert_int_equal(2, OTFAUX_State_processSendMsg(state, 12, 1, 2, 9, 5, 1, 3, &time, &length, &scl, NULL));
    OTFAUX_State_destroy(state);
}

static void test_state_messages_are_pending_until_the_first_snapshot_after_their_receive(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    OTFAUX_State_enqueueRecvMsg(state, 60, 2, 1, 9, 5, 101, 32);
    OTFAUX_State_enqueueRecvMsg(state, 50, 2, 1, 9, 6, 102, 33);
    assert_int_equal(1, send(state, 10, 1, 2, 5, "a"));
    assert_int_equal(1, send(state, 11, 1, 2, 6, "b"));
    assert_int_equal(2, send(state, 12, 1, 2, 5, "without receive"));
    assert_string_equal("50 send t10 1->2 comm9 tag5 len100 scl3 t60 len101 scl32 a\n"
                        "50 send t11 1->2 comm9 tag6 len100 scl3 t50 len102 scl33 b\n",
                        snapshot(state, 50));
    assert_string_equal("release b\n51 send t10 1->2 comm9 tag5 len100 scl3 t60 len101 scl32 a\n",
                        snapshot(state, 51));
    assert_string_equal("release a\n", snapshot(state, 61));
    OTFAUX_State_destroy(state);
    assert_string_equal("", take_log()); /* what was not kept stays the caller's */
}

static void test_state_messages_are_not_kept_without_a_callback(void **unused) {
    (void)unused;
    OTFAUX_State *state = bare_state();
    OTFAUX_State_enqueueRecvMsg(state, 60, 2, 1, 9, 5, 101, 32);
    assert_int_equal(1, send(state, 10, 1, 2, 5, "a"));
    assert_string_equal("release a\n", take_log());
    OTFAUX_State_setWriteSendSnapshotCallback(state, write_send);
    assert_string_equal("", snapshot(state, 20));
    OTFAUX_State_destroy(state);
}

static void test_state_routes_are_told_apart_by_ids_of_64_bits(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    OTFAUX_State_enqueueRecvMsg(state, 60, UINT64_C(0x100000002), 1, 9, 5, 101, 32);
    assert_int_equal(2, send(state, 10, 1, 2, 5, NULL));
    assert_int_equal(1, send(state, 10, 1, UINT64_C(0x100000002), 5, NULL));
    OTFAUX_State_destroy(state);
}

/* ---- What is open under a number ---- */

static void test_state_open_files_keep_the_order_of_opening(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    assert_int_equal(1, OTFAUX_State_processFileOpen(state, 1, 7, 4, UINT64_MAX, 5, "a"));
    assert_int_equal(1, OTFAUX_State_processFileOpen(state, 2, 7, 5, 0, 0, "b"));
    assert_int_equal(1, OTFAUX_State_processFileOpen(state, 3, 7, 6, 16, 0, NULL));
    assert_int_equal(1, OTFAUX_State_processFileOpen(state, 4, 7, 8, UINT64_MAX, 0, "again"));
    assert_string_equal("release a\n", take_log());
    assert_int_equal(1, OTFAUX_State_processFileClose(state, 5, 7, 16));
    assert_int_equal(0, OTFAUX_State_processFileClose(state, 5, 7, 16));
    assert_int_equal(0, OTFAUX_State_processFileClose(state, 5, 8, 0));
    assert_string_equal("9 file t2 p7 f5 h0 scl0 b\n9 file t4 p7 f8 hffffffffffffffff scl0 again\n",
                        snapshot(state, 9));
    OTFAUX_State_destroy(state);
    assert_string_equal("release b\nrelease again\n", take_log());
}

static void test_state_collective_operations_are_counted_when_they_end(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    assert_int_equal(1, OTFAUX_State_processCollectiveOperation(state, 1, 1, 1, 0, 2, 3, 4, 5));
    assert_int_equal(1, OTFAUX_State_processCollectiveOperation(state, 1, 1, 812, 0, 2, 3, 4, 5));
    assert_int_equal(1, OTFAUX_State_processCollectiveOperation(state, 1, 1, 6, 0, 2, 3, 4, 5));
    assert_int_equal(1, OTFAUX_State_processBeginCollectiveOperation(state, 2, 1, 3, 4, 5, 77, 6, 7, 8, "a"));
    assert_int_equal(1, OTFAUX_State_processBeginCollectiveOperation(state, 3, 1, 1, 4, 5, 78, 6, 7, 8, "b"));
    assert_int_equal(1, OTFAUX_State_processBeginCollectiveOperation(state, 4, 1, 2, 9, 5, 77, 6, 7, 8, "c"));
    assert_string_equal(
        "release a\n"
        "5 collop t3 p1 op5 id4e comm1 root4 6/7 scl8 b\n5 collop t4 p1 op5 id4d comm2 root9 6/7 scl8 c\n"
        "5 count p1 comm6 1\n5 count p1 comm812 1\n5 count p1 comm1 1\n",
        snapshot(state, 5));
    assert_int_equal(1, OTFAUX_State_processEndCollectiveOperation(state, 6, 1, 78));
    assert_int_equal(0, OTFAUX_State_processEndCollectiveOperation(state, 6, 1, 78));
    assert_string_equal("release b\n7 collop t4 p1 op5 id4d comm2 root9 6/7 scl8 c\n"
                        "7 count p1 comm6 1\n7 count p1 comm812 1\n7 count p1 comm1 2\n",
                        snapshot(state, 7));
    OTFAUX_State_destroy(state);
}

static void test_state_file_operations_are_open_until_they_end(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    assert_int_equal(1, OTFAUX_State_processBeginFileOperation(state, 1, 1, 10, 4, "a"));
    assert_int_equal(1, OTFAUX_State_processBeginFileOperation(state, 2, 1, 11, 4, "b"));
    assert_int_equal(1, OTFAUX_State_processBeginFileOperation(state, 3, 1, 10, 4, "c"));
    assert_int_equal(0, OTFAUX_State_processEndFileOperation(state, 3, 1, 12));
    assert_string_equal("release a\n4 fileop t2 p1 idb scl4 b\n4 fileop t3 p1 ida scl4 c\n",
                        snapshot(state, 4));
    assert_int_equal(1, OTFAUX_State_processEndFileOperation(state, 5, 1, 11));
    assert_string_equal("release b\n6 fileop t3 p1 ida scl4 c\n", snapshot(state, 6));
    OTFAUX_State_destroy(state);
}

static void test_state_counters_keep_their_place_and_tell_their_latest_value(void **unused) {
    (void)unused;
    OTFAUX_State *state = new_state();
    static const uint32_t counters[] = {1, 2, 7, 5, 4};
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(1, OTFAUX_State_processCounter(state, i, 1, counters[i], 100 + i, NULL));
    assert_int_equal(1, OTFAUX_State_processCounter(state, 6, 1, 2, UINT64_MAX, "a"));
    assert_int_equal(1, OTFAUX_State_processCounter(state, 7, 1, 2, 8, "b"));
    assert_string_equal(
        "release a\n9 counter t4 p1 c4 104 -\n9 counter t3 p1 c5 103 -\n9 counter t2 p1 c7 102 -\n"
        "9 counter t7 p1 c2 8 b\n9 counter t0 p1 c1 100 -\n",
        snapshot(state, 9));
    OTFAUX_State_destroy(state);
}

/* ---- The whole ---- */

/* A process in which something of each kind is open: seven lines in a snapshot. */
static OTFAUX_State *state_with_all_kinds(void) {
    OTFAUX_State *state = new_state();
    OTFAUX_State_processCounter(state, 7, 1, 4, 70, "counter");
    OTFAUX_State_processBeginFileOperation(state, 6, 1, 6, 4, "file op");
    OTFAUX_State_processCollectiveOperation(state, 5, 1, 2, 0, 0, 0, 0, 0);
    OTFAUX_State_processBeginCollectiveOperation(state, 4, 1, 2, 0, 1, 4, 0, 0, 0, "collop");
    OTFAUX_State_processFileOpen(state, 3, 1, 3, 3, 0, "file");
    OTFAUX_State_enqueueRecvMsg(state, 90, 2, 1, 9, 5, 100, 0);
    send(state, 2, 1, 2, 5, "message");
    OTFAUX_State_processEnter(state, 1, 1, 1, 0, "call");
    OTFAUX_State_processEnter(state, 1, 1, 2, 0, "inner call");
    OTFAUX_State_processLeave(state, 1, 1, 2);
    take_log();
    return state;
}

static const char all_kinds[] = "80 enter t1 p1 f1 scl0 call\n"
                                "80 send t2 1->2 comm9 tag5 len100 scl3 t90 len100 scl0 message\n"
                                "80 file t3 p1 f3 h3 scl0 file\n"
                                "80 collop t4 p1 op1 id4 comm2 root0 0/0 scl0 collop\n"
                                "80 count p1 comm2 1\n"
                                "80 fileop t6 p1 id6 scl4 file op\n"
                                "80 counter t7 p1 c4 70 counter\n";

static void test_state_snapshot_tells_the_kinds_in_order(void **unused) {
    (void)unused;
    OTFAUX_State *state = state_with_all_kinds();
    assert_string_equal(all_kinds, snapshot(state, 80));
    assert_string_equal(all_kinds, snapshot(state, 80)); /* it changes nothing */
    OTFAUX_State_destroy(state);
}

static void test_state_snapshot_ends_with_the_first_callback_that_returns_0(void **unused) {
    (void)unused;
    OTFAUX_State *state = state_with_all_kinds();
    const char *end = all_kinds;
    for (int lines = 1; lines <= 7; lines++) {
        end = strchr(end, '\n') + 1;
        lines_allowed = lines;
        assert_int_equal(0, OTFAUX_State_writeSnapshot(state, 80, NULL));
        assert_string_equal(harness_text("%.*s", (int)(end - all_kinds), all_kinds), take_log());
    }
    OTFAUX_State_destroy(state);
}

static void test_state_snapshot_leaves_out_kinds_without_callback(void **unused) {
    (void)unused;
    OTFAUX_State *state = state_with_all_kinds();
    OTFAUX_State_setWriteEnterSnapshotCallback(state, NULL);
    OTFAUX_State_setWriteSendSnapshotCallback(state, NULL);
    OTFAUX_State_setWriteOpenFileSnapshotCallback(state, NULL);
    OTFAUX_State_setWriteBeginCollopSnapshotCallback(state, NULL);
    OTFAUX_State_setWriteBeginFileOpSnapshotCallback(state, NULL);
    OTFAUX_State_setWriteCounterSnapshotCallback(state, NULL);
    assert_string_equal("80 count p1 comm2 1\n", snapshot(state, 80));
    OTFAUX_State_setWriteCollopCountSnapshotCallback(state, NULL);
    assert_string_equal("", snapshot(state, 80));
    OTFAUX_State_destroy(state);
}

static void test_state_destroy_gives_all_event_data_back(void **unused) {
    (void)unused;
    OTFAUX_State_destroy(state_with_all_kinds());
    assert_string_equal(
        "release call\nrelease message\nrelease file\nrelease collop\nrelease file op\nrelease counter\n",
        take_log());
}

static void test_state_null_is_refused(void **unused) {
    (void)unused;
    uint64_t time;
    uint32_t length, scl;
    assert_int_equal(0, OTFAUX_State_setReleaseEventDataCallback(NULL, release, NULL));
    assert_int_equal(0, OTFAUX_State_setWriteEnterSnapshotCallback(NULL, write_enter));
    assert_int_equal(0, OTFAUX_State_setWriteSendSnapshotCallback(NULL, write_send));
    assert_int_equal(0, OTFAUX_State_setWriteOpenFileSnapshotCallback(NULL, write_file));
    assert_int_equal(0, OTFAUX_State_setWriteBeginCollopSnapshotCallback(NULL, write_collop));
    assert_int_equal(0, OTFAUX_State_setWriteBeginFileOpSnapshotCallback(NULL, write_file_op));
    assert_int_equal(0, OTFAUX_State_setWriteCollopCountSnapshotCallback(NULL, write_count));
    assert_int_equal(0, OTFAUX_State_setWriteCounterSnapshotCallback(NULL, write_counter));
    assert_int_equal(0, OTFAUX_State_declareProcess(NULL, 1, 0));
    assert_int_equal(0, OTFAUX_State_enqueueRecvMsg(NULL, 1, 2, 3, 4, 5, 6, 7));
    assert_int_equal(0, OTFAUX_State_processSendMsg(NULL, 1, 2, 3, 4, 5, 6, 7, &time, &length, &scl, NULL));
    assert_int_equal(0, OTFAUX_State_processEnter(NULL, 1, 2, 3, 4, NULL));
    assert_int_equal(0, OTFAUX_State_processLeave(NULL, 1, 2, 3));
    assert_int_equal(0, OTFAUX_State_processFileOpen(NULL, 1, 2, 3, 4, 5, NULL));
    assert_int_equal(0, OTFAUX_State_processFileClose(NULL, 1, 2, 3));
    assert_int_equal(0, OTFAUX_State_processCollectiveOperation(NULL, 1, 2, 3, 4, 5, 6, 7, 8));
    assert_int_equal(0, OTFAUX_State_processBeginCollectiveOperation(NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, NULL));
    assert_int_equal(0, OTFAUX_State_processEndCollectiveOperation(NULL, 1, 2, 3));
    assert_int_equal(0, OTFAUX_State_processBeginFileOperation(NULL, 1, 2, 3, 4, NULL));
    assert_int_equal(0, OTFAUX_State_processEndFileOperation(NULL, 1, 2, 3));
    assert_int_equal(0, OTFAUX_State_processCounter(NULL, 1, 2, 3, 4, NULL));
    assert_int_equal(0, OTFAUX_State_writeSnapshot(NULL, 1, NULL));
    OTFAUX_State_destroy(NULL);
}

/* ---- Many ---- */

static uint64_t told;

static int count_file(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t file,
                      uint64_t handle, uint32_t scl, void *data) {
    (void)user, (void)offset, (void)process, (void)file, (void)scl, (void)data;
    assert_int_equal(told * 2 + 1, time);
    assert_int_equal(told * 2 + 1, handle);
    told++;
    return 1;
}

/* With a search through a list this would take hours. */
static void test_state_holds_a_million_open_files(void **unused) {
    (void)unused;
    enum { FILES = 1000000 };
    OTFAUX_State *state = bare_state();
    OTFAUX_State_setWriteOpenFileSnapshotCallback(state, count_file);
    for (uint64_t i = 0; i < FILES; i++)
        assert_true(OTFAUX_State_processFileOpen(state, i, 1, 1, i, 0, NULL));
    for (uint64_t i = 0; i < FILES; i += 2)
        assert_true(OTFAUX_State_processFileClose(state, FILES, 1, i));
    told = 0;
    assert_true(OTFAUX_State_writeSnapshot(state, FILES, NULL));
    assert_int_equal(FILES / 2, told);
    OTFAUX_State_destroy(state);
}

static void test_state_matches_a_million_messages_of_one_route(void **unused) {
    (void)unused;
    enum { MESSAGES = 1000000 };
    OTFAUX_MsgMatching_Context *matcher = OTFAUX_MsgMatching_create();
    for (uint64_t i = 0; i < MESSAGES; i++)
        OTFAUX_MsgMatching_enqueueRecv(matcher, 1, 2, 3, 4, i, 5, 6);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        uint64_t time = 0;
        assert_true(OTFAUX_MsgMatching_matchSend(matcher, 1, 2, 3, 4, &time, NULL, NULL));
        assert_true(time == i);
    }
    OTFAUX_MsgMatching_destroy(matcher);
}

/* ---- Under the name of a matcher ---- */

static void test_state_matcher_gives_each_receive_once(void **unused) {
    (void)unused;
    OTFAUX_MsgMatching_Context *matcher = OTFAUX_MsgMatching_create();
    uint64_t time = 0;
    uint32_t size = 0, scl = 0;
    OTFAUX_MsgMatching_enqueueRecv(matcher, 1, 2, 3, 4, 50, 60, 70);
    assert_int_equal(0, OTFAUX_MsgMatching_matchSend(matcher, 2, 1, 3, 4, &time, &size, &scl));
    assert_int_equal(0, OTFAUX_MsgMatching_matchSend(matcher, 1, 2, 4, 3, &time, &size, &scl));
    assert_int_equal(1, OTFAUX_MsgMatching_matchSend(matcher, 1, 2, 3, 4, &time, &size, &scl));
    assert_int_equal(50, time);
    assert_int_equal(60, size);
    assert_int_equal(70, scl);
    OTFAUX_MsgMatching_releaseMemory(matcher);
    assert_int_equal(0, OTFAUX_MsgMatching_matchSend(matcher, 1, 2, 3, 4, &time, &size, &scl));
    OTFAUX_MsgMatching_destroy(matcher);
    OTFAUX_MsgMatching_enqueueRecv(NULL, 1, 2, 3, 4, 50, 60, 70);
    assert_int_equal(0, OTFAUX_MsgMatching_matchSend(NULL, 1, 2, 3, 4, &time, &size, &scl));
}

QUIPU_TESTS(cmocka_unit_test(test_state_stack_is_told_outermost_first),
            cmocka_unit_test(test_state_processes_are_walked_by_the_hash_of_their_id_newest_first),
            cmocka_unit_test(test_state_sends_take_the_oldest_receive_of_their_route),
            cmocka_unit_test(test_state_messages_are_pending_until_the_first_snapshot_after_their_receive),
            cmocka_unit_test(test_state_messages_are_not_kept_without_a_callback),
            cmocka_unit_test(test_state_routes_are_told_apart_by_ids_of_64_bits),
            cmocka_unit_test(test_state_open_files_keep_the_order_of_opening),
            cmocka_unit_test(test_state_collective_operations_are_counted_when_they_end),
            cmocka_unit_test(test_state_file_operations_are_open_until_they_end),
            cmocka_unit_test(test_state_counters_keep_their_place_and_tell_their_latest_value),
            cmocka_unit_test(test_state_snapshot_tells_the_kinds_in_order),
            cmocka_unit_test(test_state_snapshot_ends_with_the_first_callback_that_returns_0),
            cmocka_unit_test(test_state_snapshot_leaves_out_kinds_without_callback),
            cmocka_unit_test(test_state_destroy_gives_all_event_data_back),
            cmocka_unit_test(test_state_null_is_refused),
            cmocka_unit_test(test_state_holds_a_million_open_files),
            cmocka_unit_test(test_state_matches_a_million_messages_of_one_route),
            cmocka_unit_test(test_state_matcher_gives_each_receive_once))
