/* random_calls.c: drives a state with calls in an order that a seed decides and prints all that can be seen from outside:
 * results, callbacks, released data, the thumbnail. Two libraries that behave alike print the same; test_original.py
 * compares. Usage: random_calls SEED CALLS THUMBNAIL-STUB. */
#include <otfaux.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint64_t below(uint64_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

/* Data of an event: a number of its own as text, sometimes none. */
static void *new_data(void) {
    static unsigned count;
    char *data = below(8) > 0 ? malloc(16) : NULL;
    if (data)
        snprintf(data, 16, "data%u", ++count);
    return data;
}

static const char *shown(const void *data) {
    return data ? data : "-";
}

/* ---- Callbacks: now and then one of them ends the snapshot ---- */

static int patience = 1000000;

static int proceed(void) {
    return patience-- != 0;
}

static void release(void *user, void *data) {
    printf("  release %s %s\n", (char *)user, shown(data));
    free(data);
}

static int write_enter(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t function,
                       uint32_t scl, void *data) {
    printf("  %s enter %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %s\n", (char *)user, offset, time, process,
           function, scl, shown(data));
    return proceed();
}

static int write_send(void *user, uint64_t offset, uint64_t time, uint64_t sender, uint64_t receiver,
                      uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl, uint64_t recv_time,
                      uint32_t recv_length, uint32_t recv_scl, void *data) {
    printf("  %s send %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %u %u %" PRIu64 " %u %u %s\n",
           (char *)user, offset, time, sender, receiver, comm, tag, length, scl, recv_time, recv_length,
           recv_scl, shown(data));
    return proceed();
}

static int write_file(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t file,
                      uint64_t handle, uint32_t scl, void *data) {
    printf("  %s file %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %u %s\n", (char *)user, offset, time,
           process, file, handle, scl, shown(data));
    return proceed();
}

static int write_collop(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t type,
                        uint64_t id, uint32_t comm, uint32_t root, uint64_t sent, uint64_t received,
                        uint32_t scl, void *data) {
    printf("  %s collop %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %u %u %" PRIu64 " %" PRIu64
           " %u %s\n",
           (char *)user, offset, time, process, type, id, comm, root, sent, received, scl, shown(data));
    return proceed();
}

static int write_file_op(void *user, uint64_t offset, uint64_t time, uint64_t process, uint64_t id,
                         uint32_t scl, void *data) {
    printf("  %s fileop %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %s\n", (char *)user, offset, time,
           process, id, scl, shown(data));
    return proceed();
}

static int write_count(void *user, uint64_t offset, uint64_t process, uint32_t comm, uint64_t count) {
    printf("  %s count %" PRIu64 " %" PRIu64 " %u %" PRIu64 "\n", (char *)user, offset, process, comm, count);
    return proceed();
}

static int write_counter(void *user, uint64_t offset, uint64_t time, uint64_t process, uint32_t counter,
                         uint64_t value, void *data) {
    printf("  %s counter %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %s\n", (char *)user, offset, time,
           process, counter, value, shown(data));
    return proceed();
}

/* ---- Calls ---- */

static OTFAUX_State *new_state(uint64_t end) {
    OTFAUX_State *state = OTFAUX_State_create();
    if (!state)
        exit(0);
    OTFAUX_State_setReleaseEventDataCallback(state, release, "mine");
    OTFAUX_State_setWriteEnterSnapshotCallback(state, write_enter);
    OTFAUX_State_setWriteSendSnapshotCallback(state, write_send);
    OTFAUX_State_setWriteOpenFileSnapshotCallback(state, write_file);
    OTFAUX_State_setWriteBeginCollopSnapshotCallback(state, write_collop);
    OTFAUX_State_setWriteBeginFileOpSnapshotCallback(state, write_file_op);
    OTFAUX_State_setWriteCollopCountSnapshotCallback(state, write_count);
    OTFAUX_State_setWriteCounterSnapshotCallback(state, write_counter);
    printf("setup %d\n", OTFAUX_State_setupThumbnail(state, below(end / 2), end, 37));
    for (uint64_t process = 0; process < 40; process++)
        OTFAUX_State_declareProcess(state, process, below(3) > 0);
    return state;
}

static void enqueue_receives(OTFAUX_State *state, uint64_t end) {
    for (uint64_t i = 0; i < end / 4; i++)
        OTFAUX_State_enqueueRecvMsg(state, below(end), below(6), below(60), (uint32_t)below(2),
                                    (uint32_t)below(2), (uint32_t)i, (uint32_t)below(9));
}

static int send(OTFAUX_State *state, uint64_t time, uint64_t process, void *data) {
    uint64_t recv_time = 0;
    uint32_t recv_length = 0, recv_scl = 0;
    const uint64_t receiver = below(6);
    const uint32_t comm = (uint32_t)below(2), tag = (uint32_t)below(2);
    const int result = OTFAUX_State_processSendMsg(state, time, process, receiver, comm, tag, 7, 8, &recv_time,
                                                   &recv_length, &recv_scl, data);
    printf("received %" PRIu64 " %u %u\n", recv_time, recv_length, recv_scl);
    return result;
}

static int snapshot(OTFAUX_State *state, uint64_t time) {
    if (below(4) == 0)
        patience = (int)below(60);
    const int result = OTFAUX_State_writeSnapshot(state, time, "user");
    patience = 1000000;
    return result;
}

/* Events that have data. */
static int begin(OTFAUX_State *state, unsigned which, uint64_t time, uint64_t process, void *data) {
    const uint64_t id = below(12);
    const uint32_t token = (uint32_t)below(50);
    switch (which) {
    case 0:
        return OTFAUX_State_processFileOpen(state, time, process, token, id, 4, data);
    case 1:
        return OTFAUX_State_processBeginCollectiveOperation(state, time, process, token, 1, 2, id, 3, 4, 5,
                                                            data);
    case 2:
        return OTFAUX_State_processBeginFileOperation(state, time, process, id, 6, data);
    case 3:
        return OTFAUX_State_processCounter(state, time, process, token, time * 3, data);
    case 4:
        return send(state, time, process, data);
    default:
        return OTFAUX_State_processEnter(state, time, process, token, 3, data);
    }
}

/* The others. */
static int end(OTFAUX_State *state, unsigned which, uint64_t time, uint64_t process) {
    const uint64_t id = below(12);
    const uint32_t token = (uint32_t)below(50);
    switch (which) {
    case 0:
        return OTFAUX_State_processFileClose(state, time, process, id);
    case 1:
        return OTFAUX_State_processEndCollectiveOperation(state, time, process, id);
    case 2:
        return OTFAUX_State_processEndFileOperation(state, time, process, id);
    case 3:
        return OTFAUX_State_processCollectiveOperation(state, time, process, token, 1, 2, 3, 4, 5);
    case 4:
        return below(40) == 0 ? snapshot(state, time) : OTFAUX_State_declareProcess(state, process, 0);
    default:
        return OTFAUX_State_processLeave(state, time, process, token);
    }
}

static void call(OTFAUX_State *state, uint64_t time) {
    const unsigned which = (unsigned)below(8);
    const uint64_t process = below(60);
    if (below(2) == 0) {
        printf("end %u: %d\n", which, end(state, which, time, process));
        return;
    }
    void *data = new_data();
    const int result = begin(state, which, time, process, data);
    printf("begin %u: %d\n", which, result);
    if (result != 1)
        free(data); /* it was not kept */
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    seed = strtoull(argv[1], NULL, 10);
    const uint64_t calls = strtoull(argv[2], NULL, 10);
    OTFAUX_State *state = new_state(calls);
    enqueue_receives(state, calls);
    for (uint64_t time = 0; time < calls; time++)
        call(state, time);
    printf("thumbnail %d\n", OTFAUX_State_writeThumbnail(state, argv[3], 1, (uint32_t)40));
    OTFAUX_State_destroy(state);
    return 0;
}
