/* Messages in all modes: blocking, immediate, persistent, matched; wildcards, null processes, probes. */
#include "seen.h"

#define COUNT 40
static int out[COUNT], in[4 * COUNT];

static void fill(int value) {
    for (int i = 0; i < COUNT; i++)
        out[i] = value * 1000 + i + rank * 100000;
    untouched(in, sizeof in);
}

static void see_received(const char *what, MPI_Status *status) {
    see_message(what, status);
    see_bytes("  data", in, sizeof in);
}

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int rsend_when_posted(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    MPI_Recv(NULL, 0, MPI_BYTE, to, 99, comm, MPI_STATUS_IGNORE);
    return MPI_Rsend(data, count, type, to, tag, comm);
}

static void blocking_modes(void) {
    send_function *const modes[] = {MPI_Send, MPI_Bsend, MPI_Ssend, rsend_when_posted};
    for (int mode = 0; mode < 4; mode++) {
        MPI_Status status;
        untouched(&status, sizeof status);
        fill(mode);
        if (rank == 0)
            see("mode %d = %d\n", mode, modes[mode](out, COUNT - mode, MPI_INT, 1, mode, MPI_COMM_WORLD));
        if (rank == 1 && mode < 3)
            CALL(MPI_Recv(in, 4 * COUNT, MPI_INT, 0, mode, MPI_COMM_WORLD, &status));
        if (rank == 1 && mode == 3) {
            MPI_Request request;
            CALL(MPI_Irecv(in, 4 * COUNT, MPI_INT, 0, mode, MPI_COMM_WORLD, &request));
            MPI_Send(NULL, 0, MPI_BYTE, 0, 99, MPI_COMM_WORLD);
            CALL(MPI_Wait(&request, &status));
            see("request is null %d\n", request == MPI_REQUEST_NULL);
        }
        if (rank == 1)
            see_received("blocking", &status);
    }
}

static void immediate_modes(void) {
    isend_function *const modes[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
    for (int mode = 0; mode < 4; mode++) {
        MPI_Status status;
        MPI_Request request = MPI_REQUEST_NULL;
        untouched(&status, sizeof status);
        fill(10 + mode);
        if (rank == 1)
            CALL(MPI_Irecv(in, 4 * COUNT, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
        MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs its receive */
        if (rank == 0)
            see("mode %d = %d\n", mode,
                modes[mode](out, COUNT - mode, MPI_INT, 1, mode, MPI_COMM_WORLD, &request));
        CALL(MPI_Wait(&request, &status));
        see("request is null %d\n", request == MPI_REQUEST_NULL);
        if (rank == 1)
            see_received("immediate", &status);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void persistent(void) {
    MPI_Request requests[5];
    MPI_Status statuses[5];
    int values[5] = {0};
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    CALL(MPI_Send_init(out, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]));
    CALL(MPI_Bsend_init(out + 1, 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[1]));
    CALL(MPI_Ssend_init(out + 2, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[2]));
    CALL(MPI_Recv_init(values, 2, MPI_INT, from, 1, MPI_COMM_WORLD, &requests[3]));
    CALL(MPI_Recv_init(values + 2, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[4]));
    for (int round = 0; round < 3; round++) {
        MPI_Request third;
        fill(20 + round);
        CALL(MPI_Start(&requests[3]));
        CALL(MPI_Startall(3, requests));
        CALL(MPI_Start(&requests[4]));
        CALL(MPI_Irecv(values + 3, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &third));
        untouched(statuses, sizeof statuses);
        CALL(MPI_Waitall(5, requests, statuses));
        CALL(MPI_Wait(&third, MPI_STATUS_IGNORE));
        see_ints("received", values, 5);
        see_message("first", &statuses[3]);
        see_message("second", &statuses[4]);
        for (int i = 0; i < 5; i++)
            see("active request stays %d\n", requests[i] != MPI_REQUEST_NULL);
        untouched(statuses, sizeof statuses);
        CALL(MPI_Waitall(5, requests, statuses)); /* all inactive */
        for (int i = 0; i < 5; i++)
            see_message("inactive", &statuses[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++) {
        CALL(MPI_Request_free(&requests[i]));
        see("freed %d\n", requests[i] == MPI_REQUEST_NULL);
    }
    MPI_Request ready;
    int value = -1;
    if (rank == 1) {
        CALL(MPI_Recv_init(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &ready));
        CALL(MPI_Start(&ready));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CALL(MPI_Rsend_init(out, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &ready));
        CALL(MPI_Start(&ready));
    }
    if (rank < 2) {
        CALL(MPI_Wait(&ready, MPI_STATUS_IGNORE));
        CALL(MPI_Request_free(&ready));
        see("value %d\n", value);
    }
}

static void exchanges(void) {
    MPI_Status status;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    fill(30);
    untouched(&status, sizeof status);
    CALL(MPI_Sendrecv(out, 7, MPI_INT, to, rank, in, COUNT, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD,
                      &status));
    see_received("sendrecv", &status);
    CALL(MPI_Sendrecv(out, 7, MPI_INT, to, 5, in, 28, MPI_BYTE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    see_bytes("ignored", in, sizeof in);
    untouched(&status, sizeof status);
    CALL(MPI_Sendrecv_replace(out, 9, MPI_INT, to, 6, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status));
    see_message("replaced", &status);
    see_ints("replaced", out, COUNT);
}

static void null_processes(void) {
    MPI_Status status;
    MPI_Request request;
    fill(40);
    untouched(&status, sizeof status);
    CALL(MPI_Send(out, 3, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
    CALL(MPI_Recv(in, 3, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    see_received("from no process", &status);
    CALL(MPI_Irecv(in, 3, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    untouched(&status, sizeof status);
    CALL(MPI_Wait(&request, &status));
    see_message("waited", &status);
    untouched(&status, sizeof status);
    CALL(MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    see_message("probed", &status);
    int is_there = -3;
    untouched(&status, sizeof status);
    CALL(MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &is_there, &status));
    see("there %d\n", is_there);
    see_message("iprobed", &status);
    MPI_Message message;
    CALL(MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status));
    see("no process's message %d\n", message == MPI_MESSAGE_NO_PROC);
    CALL(MPI_Mrecv(in, 3, MPI_INT, &message, &status));
    see("message is null %d\n", message == MPI_MESSAGE_NULL);
}

static void probes(void) {
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int is_there = -3;
    fill(50);
    untouched(&status, sizeof status);
    CALL(MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &is_there, &status));
    see("there %d\n", is_there);
    see_status("untouched", &status);
    message = MPI_MESSAGE_NULL;
    CALL(MPI_Improbe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &is_there, &message, &status));
    see("there %d message %d\n", is_there, message == MPI_MESSAGE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        for (int i = 1; i <= 4; i++)
            CALL(MPI_Send(out, i, MPI_INT, 3, i, MPI_COMM_WORLD));
    if (rank != 3)
        return;
    CALL(MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status));
    see_message("probe", &status);
    CALL(MPI_Mprobe(2, 3, MPI_COMM_WORLD, &message, &status));
    see_message("mprobe", &status);
    CALL(MPI_Mrecv(in, COUNT, MPI_INT, &message, &status));
    see_received("mrecv", &status);
    while (is_there = 0,
           MPI_Improbe(2, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &message, &status) == 0 && !is_there)
        ;
    see_message("improbe", &status);
    CALL(MPI_Imrecv(in, COUNT, MPI_INT, &message, &request));
    CALL(MPI_Wait(&request, &status));
    see_received("imrecv", &status);
    while (is_there = 0, MPI_Iprobe(2, 2, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE) == 0 && !is_there)
        ;
    CALL(MPI_Recv(in, COUNT, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Recv(in, COUNT, MPI_INT, 2, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    see_received("last", &status);
}

int main(int argc, char **argv) {
    static char room[100000];
    seen_init(&argc, &argv, "messages");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CALL(MPI_Buffer_attach(room, sizeof room));
    blocking_modes();
    immediate_modes();
    persistent();
    exchanges();
    null_processes();
    probes();
    void *detached = NULL;
    int detached_size = -1;
    CALL(MPI_Buffer_detach(&detached, &detached_size));
    see("detached %d %d\n", detached == room, detached_size);
    return seen_finalize(0);
}
