/* messages.c: sending and receiving. The event that a call is recorded as says how it went, so an entry is recorded when that is
 * known, with the time of the call. */
#include "library.h"

#include <stdlib.h>

static struct picl_data about_sent(int bytes, int type, int node) {
    return (struct picl_data){3, {bytes, type, node}};
}

static struct picl_data about_received(const struct picl_message *message) {
    return (struct picl_data){3, {message->bytes, message->type, message->node}};
}

static struct picl_data one(int value) {
    return (struct picl_data){1, {value}};
}

/* ---- At once ---- */

static void send_to(void *buf, int bytes, int type, int node) {
    picl_entry(EVENT_SEND, picl_now(), about_sent(bytes, type, node), bytes);
    if (!picl_session.transport->send(buf, bytes, type, node))
        picl_fail("send0: no room for %d bytes to the node itself, of %d", bytes, PICL_BUFFER_BYTES);
    picl_exit(EVENT_SEND, picl_now(), PICL_NO_DATA, -1);
}

void send0(void *buf, int bytes, int type, int node) {
    picl_check_buffer("send0", buf, bytes);
    picl_check_type("send0", type);
    if (node != -1) {
        picl_check_node("send0", node);
        send_to(buf, bytes, type, node);
        return;
    }
    for (int other = 0; other < picl_session.nodes; other++)
        if (other != picl_session.me)
            send_to(buf, bytes, type, other);
}

void recv0(void *buf, int bytes, int type) {
    struct picl_session *session = &picl_session;
    picl_check_buffer("recv0", buf, bytes);
    const uint64_t now = picl_now();
    const int event = session->transport->probe(type, &session->last) ? EVENT_RECV_NOWAIT : EVENT_RECV_WAIT;
    picl_entry(event, now, one(type), -1);
    if (event == EVENT_RECV_WAIT)
        session->transport->wait_for(type, &session->last);
    if (session->last.bytes > bytes)
        picl_fail("recv0: a message of %d bytes from node %d does not fit into %d", session->last.bytes,
                  session->last.node, bytes);
    session->transport->receive(buf, bytes, type, &session->last);
    picl_exit(event, picl_now(), about_received(&session->last), session->last.bytes);
}

int probe0(int type) {
    picl_check_buffer("probe0", NULL, 0);
    const uint64_t now = picl_now();
    const bool found = picl_session.transport->probe(type, &picl_session.last);
    picl_count(found ? EVENT_PROBE_FOUND : EVENT_PROBE_NOTFOUND, now, picl_now());
    return found;
}

void wait0(int type) {
    struct picl_session *session = &picl_session;
    picl_check_buffer("wait0", NULL, 0);
    const uint64_t now = picl_now();
    if (session->transport->probe(type, &session->last)) {
        picl_count(EVENT_WAIT_NOWAIT, now, picl_now());
        return;
    }
    picl_entry(EVENT_WAIT_BLOCKED, now, one(type), -1);
    session->transport->wait_for(type, &session->last);
    picl_exit(EVENT_WAIT_BLOCKED, picl_now(), about_received(&session->last), session->last.bytes);
}

void recvinfo0(int *bytes, int *type, int *node) {
    const uint64_t now = picl_now();
    if (bytes)
        *bytes = picl_session.last.bytes;
    if (type)
        *type = picl_session.last.type;
    if (node)
        *node = picl_session.last.node;
    picl_count(EVENT_RECVINFO, now, picl_now());
}

/* ---- Under way ---- */

/* A message under way, in the order in which they began. */
struct transfer {
    struct transfer *next;
    struct picl_request *request;
    int type, number;
};

/* Messages of one direction, and what the outcomes of ending one are recorded as. */
struct direction {
    struct transfer *first;
    int next_number;
    bool receives;
    int done, notdone, nowait, wait;
};
static struct direction sends = {
    NULL, 0, false, EVENT_SENDSTATUS_DONE, EVENT_SENDSTATUS_NOTDONE, EVENT_SENDEND_NOWAIT, EVENT_SENDEND_WAIT};
static struct direction receives = {
    NULL, 0, true, EVENT_RECVSTATUS_DONE, EVENT_RECVSTATUS_NOTDONE, EVENT_RECVEND_NOWAIT, EVENT_RECVEND_WAIT};

static int add(struct direction *direction, int type, struct picl_request *request) {
    struct transfer *transfer = malloc(sizeof *transfer), **last = &direction->first;
    if (!transfer || !request)
        picl_fail("no memory for a message under way");
    while (*last)
        last = &(*last)->next;
    *transfer = (struct transfer){NULL, request, type, direction->next_number++};
    *last = transfer;
    return transfer->number;
}

static struct transfer **find(struct direction *direction, const char *call, int type) {
    for (struct transfer **transfer = &direction->first; *transfer; transfer = &(*transfer)->next)
        if ((*transfer)->type == type)
            return transfer;
    picl_fail("%s: no message of type %d is under way", call, type);
}

static void remove_transfer(struct transfer **transfer) {
    struct transfer *gone = *transfer;
    *transfer = gone->next;
    free(gone);
}

static void end(struct direction *direction, struct transfer **transfer, int event,
                const struct picl_message *message) {
    if (direction->receives)
        picl_session.last = *message;
    remove_transfer(transfer);
    picl_exit(event, picl_now(), direction->receives ? about_received(message) : PICL_NO_DATA,
              direction->receives ? message->bytes : -1);
}

static int status(struct direction *direction, const char *call, int type) {
    struct transfer **transfer = find(direction, call, type);
    const uint64_t now = picl_now();
    const int number = (*transfer)->number;
    struct picl_message message;
    if (!picl_session.transport->complete((*transfer)->request, &message)) {
        picl_count(direction->notdone, now, picl_now());
        return 0;
    }
    picl_entry(direction->done, now, one(number), -1);
    end(direction, transfer, direction->done, &message);
    return 1;
}

static void finish(struct direction *direction, const char *call, int type) {
    struct transfer **transfer = find(direction, call, type);
    const uint64_t now = picl_now();
    struct picl_request *request = (*transfer)->request;
    struct picl_message message;
    const bool is_complete = picl_session.transport->complete(request, &message);
    const int event = is_complete ? direction->nowait : direction->wait;
    picl_entry(event, now, one((*transfer)->number), -1);
    if (!is_complete)
        picl_session.transport->wait(request, &message);
    end(direction, transfer, event, &message);
}

void sendbegin0(void *buf, int bytes, int type, int node) {
    picl_check_buffer("sendbegin0", buf, bytes);
    picl_check_type("sendbegin0", type);
    picl_check_node("sendbegin0", node);
    picl_entry(EVENT_SENDBEGIN, picl_now(), about_sent(bytes, type, node), bytes);
    const int number = add(&sends, type, picl_session.transport->begin_send(buf, bytes, type, node));
    picl_exit(EVENT_SENDBEGIN, picl_now(), one(number), -1);
}

void recvbegin0(void *buf, int bytes, int type) {
    picl_check_buffer("recvbegin0", buf, bytes);
    picl_entry(EVENT_RECVBEGIN, picl_now(), one(type), -1);
    const int number = add(&receives, type, picl_session.transport->begin_receive(buf, bytes, type));
    picl_exit(EVENT_RECVBEGIN, picl_now(), one(number), -1);
}

void sendend0(int type) {
    finish(&sends, "sendend0", type);
}

void recvend0(int type) {
    finish(&receives, "recvend0", type);
}

int sendstatus0(int type) {
    return status(&sends, "sendstatus0", type);
}

int recvstatus0(int type) {
    return status(&receives, "recvstatus0", type);
}
