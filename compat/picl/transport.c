/* transport.c: see transport.h. Built once for each MPI.
 *
 * PICL's send0 returns as soon as the program may change the message, as the system of its machines had buffers; MPI_Send may wait for the
 * receive. So a message is copied and sent from the copy, which is freed when it has been taken; what is under way is looked after in each
 * call. There are BUFFERED_MOST bytes of copies at most: then a send waits for earlier ones to be taken. */
#include "transport.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERED_MOST = PICL_BUFFER_BYTES, LOOKED_AT = 16 };
static const double patience_seconds = 1e-3, patience_per_byte = 1e-9;

struct picl_request {
    MPI_Request request;
};

/* A message that was sent and may not have been taken yet. */
struct copy {
    struct copy *next;
    MPI_Request request;
    int bytes;
    bool is_own; /* to the node itself */
    char data[];
};

static MPI_Comm messages, control;
static int me_there;
static bool is_ours; /* MPI was started here */

/* The copies in the order in which they are looked at, and the bytes of all of them and of those to the node itself. */
static struct {
    struct copy *first, *last;
    size_t bytes, own_bytes;
} copies;

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
    me_there = *me;
    MPI_Comm_get_attr(messages, MPI_TAG_UB, &bound, &has_bound);
    *largest_type = has_bound ? *bound : 32767;
    return true;
}

/* ---- Messages that are sent from a copy ---- */

static void append(struct copy *copy) {
    copy->next = NULL;
    if (copies.last)
        copies.last->next = copy;
    else
        copies.first = copy;
    copies.last = copy;
}

static struct copy *take_first(void) {
    struct copy *copy = copies.first;
    copies.first = copy->next;
    if (!copies.first)
        copies.last = NULL;
    return copy;
}

static void count(const struct copy *copy, int sign) {
    const size_t bytes = (size_t)copy->bytes;
    copies.bytes = sign > 0 ? copies.bytes + bytes : copies.bytes - bytes;
    if (copy->is_own)
        copies.own_bytes = sign > 0 ? copies.own_bytes + bytes : copies.own_bytes - bytes;
}

/* Lets MPI move what is under way, and frees what has been taken. A few are looked at each time, so that a call costs little however
 * many there are. */
static void look_after_copies(void) {
    for (int i = 0; i < LOOKED_AT && copies.first; i++) {
        struct copy *copy = take_first();
        int is_taken;
        MPI_Test(&copy->request, &is_taken, MPI_STATUS_IGNORE);
        if (!is_taken) {
            append(copy);
            continue;
        }
        count(copy, -1);
        free(copy);
    }
}

/* A receive that waits already gets the message now and not when the program next calls, which may be long after. */
static bool is_taken_soon(struct copy *copy) {
    int is_taken = 0;
    MPI_Test(&copy->request, &is_taken, MPI_STATUS_IGNORE);
    if (is_taken || copy->is_own)
        return is_taken != 0;
    const double end = MPI_Wtime() + patience_seconds + patience_per_byte * copy->bytes;
    while (!is_taken && MPI_Wtime() < end) {
        sched_yield();
        MPI_Test(&copy->request, &is_taken, MPI_STATUS_IGNORE);
    }
    return is_taken != 0;
}

static bool send(const void *data, int bytes, int type, int node) {
    const size_t size = bytes > 0 ? (size_t)bytes : 0;
    look_after_copies();
    const bool is_own = node == me_there, is_large = size > BUFFERED_MOST - copies.own_bytes;
    if (is_own && is_large)
        return false;
    for (; !is_large && copies.bytes + size > BUFFERED_MOST; look_after_copies())
        sched_yield();
    struct copy *copy = is_large ? NULL : malloc(sizeof *copy + size);
    if (!copy && is_own)
        return false;
    if (!copy) {
        MPI_Send(data, bytes, MPI_BYTE, node, type, messages);
        return true;
    }
    copy->bytes = bytes;
    copy->is_own = is_own;
    if (size > 0)
        memcpy(copy->data, data, size);
    MPI_Isend(copy->data, bytes, MPI_BYTE, node, type, messages, &copy->request);
    if (is_taken_soon(copy)) {
        free(copy);
        return true;
    }
    append(copy);
    count(copy, 1);
    return true;
}

/* A message that no receive was made for is lost. */
static void discard_arrived(void) {
    MPI_Status status;
    int is_there, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, messages, &is_there, &status);
    if (!is_there)
        return;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    void *data = malloc(bytes > 0 ? (size_t)bytes : 1);
    if (!data)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, messages, MPI_STATUS_IGNORE);
    free(data);
}

/* All nodes have received what they will: until the copies of each of them have been taken, all of them take what is left. */
static void finish_copies(void) {
    MPI_Request others = MPI_REQUEST_NULL;
    bool has_entered = false;
    for (int is_over = 0; !is_over;) {
        discard_arrived();
        look_after_copies();
        if (!has_entered && !copies.first) {
            MPI_Ibarrier(control, &others);
            has_entered = true;
        }
        if (has_entered)
            MPI_Test(&others, &is_over, MPI_STATUS_IGNORE);
    }
}

static void stop(void) {
    finish_copies();
    MPI_Comm_free(&messages);
    MPI_Comm_free(&control);
    if (is_ours)
        MPI_Finalize();
}

/* ---- Others ---- */

static void receive(void *data, int bytes, int type, struct picl_message *out) {
    MPI_Status status;
    look_after_copies();
    MPI_Recv(data, bytes, MPI_BYTE, MPI_ANY_SOURCE, tag_of(type), messages, &status);
    describe(&status, out);
}

static bool probe(int type, struct picl_message *out) {
    MPI_Status status;
    int is_there;
    look_after_copies();
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

/* Returns when what this process has written to a pipe has been read from it, or five seconds later: a launcher that learns of the end of a
 * program before it has read what a node said may drop that (MPICH's does under load). */
static void wait_until_read(int descriptor) {
    struct stat status;
    int waiting = 0;
    if (fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode))
        return;
    for (int i = 0; i < 500 && ioctl(descriptor, FIONREAD, &waiting) == 0 && waiting > 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static void end_program(void) {
    wait_until_read(STDOUT_FILENO);
    wait_until_read(STDERR_FILENO);
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
