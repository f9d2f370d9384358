/* transport.c: see transport.h. Built once for each MPI. */
#include "transport.h"

#include <mpi.h>
#include <stdlib.h>

struct picl_request {
    MPI_Request request;
};

static MPI_Comm messages, control;
static bool is_ours; /* MPI was started here */

static int tag_of(int type) {
    return type < 0 ? MPI_ANY_TAG : type;
}

static void describe(MPI_Status *status, struct picl_message *out) {
    out->type = status->MPI_TAG;
    out->node = status->MPI_SOURCE;
    MPI_Get_count(status, MPI_BYTE, &out->bytes);
}

static bool start(int *nodes, int *me, int *largest_type) {
    int is_started, is_over, has_bound, *bound;
    MPI_Initialized(&is_started);
    MPI_Finalized(&is_over);
    if (is_over)
        return false;
    is_ours = !is_started;
    if (!is_started && MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return false;
    MPI_Comm_dup(MPI_COMM_WORLD, &messages);
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    MPI_Comm_size(messages, nodes);
    MPI_Comm_rank(messages, me);
    MPI_Comm_get_attr(messages, MPI_TAG_UB, &bound, &has_bound);
    *largest_type = has_bound ? *bound : 32767;
    return true;
}

static void stop(void) {
    MPI_Comm_free(&messages);
    MPI_Comm_free(&control);
    if (is_ours)
        MPI_Finalize();
}

static void send(const void *data, int bytes, int type, int node) {
    MPI_Send(data, bytes, MPI_BYTE, node, type, messages);
}

static void receive(void *data, int bytes, int type, struct picl_message *out) {
    MPI_Status status;
    MPI_Recv(data, bytes, MPI_BYTE, MPI_ANY_SOURCE, tag_of(type), messages, &status);
    describe(&status, out);
}

static bool probe(int type, struct picl_message *out) {
    MPI_Status status;
    int is_there;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_of(type), messages, &is_there, &status);
    if (is_there)
        describe(&status, out);
    return is_there != 0;
}

static void wait_for(int type, struct picl_message *out) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, tag_of(type), messages, &status);
    describe(&status, out);
}

static struct picl_request *begin_send(const void *data, int bytes, int type, int node) {
    struct picl_request *request = malloc(sizeof *request);
    if (request)
        MPI_Isend(data, bytes, MPI_BYTE, node, type, messages, &request->request);
    return request;
}

static struct picl_request *begin_receive(void *data, int bytes, int type) {
    struct picl_request *request = malloc(sizeof *request);
    if (request)
        MPI_Irecv(data, bytes, MPI_BYTE, MPI_ANY_SOURCE, tag_of(type), messages, &request->request);
    return request;
}

static bool complete(struct picl_request *request, struct picl_message *out) {
    MPI_Status status;
    int is_complete;
    MPI_Test(&request->request, &is_complete, &status);
    if (!is_complete)
        return false;
    describe(&status, out);
    free(request);
    return true;
}

static void wait_until_complete(struct picl_request *request, struct picl_message *out) {
    MPI_Status status;
    MPI_Wait(&request->request, &status);
    describe(&status, out);
    free(request);
}

static void barrier(void) {
    MPI_Barrier(control);
}

static void broadcast(void *data, int bytes, int root) {
    MPI_Bcast(data, bytes, MPI_BYTE, root, control);
}

static void send_to(const void *data, int bytes, int node) {
    MPI_Send(data, bytes, MPI_BYTE, node, 0, control);
}

static void receive_from(void *data, int bytes, int node) {
    MPI_Recv(data, bytes, MPI_BYTE, node, 0, control, MPI_STATUS_IGNORE);
}

static void end_program(void) {
    MPI_Abort(MPI_COMM_WORLD, 1);
}

const struct picl_transport picl_transport = {
    .start = start,
    .stop = stop,
    .send = send,
    .receive = receive,
    .probe = probe,
    .wait_for = wait_for,
    .begin_send = begin_send,
    .begin_receive = begin_receive,
    .complete = complete,
    .wait = wait_until_complete,
    .barrier = barrier,
    .broadcast = broadcast,
    .send_to = send_to,
    .receive_from = receive_from,
    .abort = end_program,
};
