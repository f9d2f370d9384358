/* messages.c: events of point-to-point communication. A message starts when the call begins and arrives when the call
 * ends that completes it; requests tie the two together. */
#include "formats/dumpi/events.h"

static void add_message(struct quipu__dumpi_now *call, enum quipu_kind kind, int64_t time, uint32_t group,
                        uint32_t peer, int32_t tag, uint64_t bytes, uint64_t id) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    batch->peer[i] = peer;
    batch->group[i] = group;
    batch->tag[i] = tag;
    batch->bytes[i] = bytes;
    batch->id[i] = id;
}

static void add_id(struct quipu__dumpi_now *call, enum quipu_kind kind, int64_t time, uint64_t id) {
    const uint32_t i = add(call, kind, time);
    if (i != QUIPU_NONE)
        call->batch->batch.id[i] = id;
}

/* ---- Messages ---- */

/* Ranks that a communicator does not have: MPI refuses such a call, and no message comes of it. */
static bool is_beyond(const struct quipu__dumpi_now *call, const struct quipu__dumpi_request *request) {
    if (request->rank < 0 || request->group == QUIPU_NONE)
        return false;
    const struct quipu_group *group = &call->events->groups->at[request->group];
    if (!group->remote_members)
        return (uint32_t)request->rank >= group->member_count;
    const bool is_known = group->remote_members[0] != QUIPU_NONE;
    return is_known && (uint32_t)request->rank >= group->remote_member_count;
}

/* A negative receiver is nobody. */
static void add_send(struct quipu__dumpi_now *call, const struct quipu__dumpi_request *request, uint64_t id) {
    if (request->rank >= 0 && !is_beyond(call, request))
        add_message(call, QUIPU_KIND_send, call->start, request->group,
                    quipu__dumpi_peer_of(call->events, request->group, request->rank), request->tag,
                    request->bytes, id);
}

/* What was received is what the status says, else what was asked for. A negative source of a status is nobody, one
 * of a call is anybody or nobody; only the former libraries number the two alike. */
static void add_recv(struct quipu__dumpi_now *call, const struct quipu__dumpi_request *request,
                     const struct quipu__dumpi_status *status, uint64_t id) {
    const int32_t rank = status ? status->source : request->rank;
    if (rank < (status ? 0 : QUIPU__DUMPI_ANY_SOURCE) || is_beyond(call, request))
        return;
    add_message(call, QUIPU_KIND_recv, call->stop, request->group,
                quipu__dumpi_peer_of(call->events, request->group, rank), status ? status->tag : request->tag,
                status ? (uint64_t)(status->bytes > 0 ? status->bytes : 0) : request->bytes, id);
}

static void add_recv_post(struct quipu__dumpi_now *call, const struct quipu__dumpi_request *request,
                          uint64_t id) {
    if (request->rank >= QUIPU__DUMPI_ANY_SOURCE && !is_beyond(call, request))
        add_message(call, QUIPU_KIND_recv_post, call->start, request->group,
                    quipu__dumpi_peer_of(call->events, request->group, request->rank), request->tag,
                    request->bytes, id);
}

static struct quipu__dumpi_request sending(const struct quipu__dumpi_now *call) {
    return (struct quipu__dumpi_request){
        .kind = QUIPU__DUMPI_SENDING,
        .group = quipu__dumpi_group_of(call->events, HANDLE(call, comm)),
        .rank = NUMBER(call, dest),
        .tag = NUMBER(call, tag),
        .bytes = HAS(call, count)
                     ? quipu__dumpi_bytes_of(call, NUMBER(call, count), HANDLE(call, datatype))
                     : quipu__dumpi_bytes_of(call, NUMBER(call, sendcount), HANDLE(call, sendtype)),
    };
}

static struct quipu__dumpi_request receiving(const struct quipu__dumpi_now *call) {
    return (struct quipu__dumpi_request){
        .kind = QUIPU__DUMPI_RECEIVING,
        .group = quipu__dumpi_group_of(call->events, HANDLE(call, comm)),
        .rank = NUMBER(call, source),
        .tag = HAS(call, recvtag) ? NUMBER(call, recvtag) : NUMBER(call, tag),
        .bytes = HAS(call, count)
                     ? quipu__dumpi_bytes_of(call, NUMBER(call, count), HANDLE(call, datatype))
                     : quipu__dumpi_bytes_of(call, NUMBER(call, recvcount), HANDLE(call, recvtype)),
    };
}

void quipu__dumpi_on_send(struct quipu__dumpi_now *call) {
    const struct quipu__dumpi_request request = sending(call);
    add_send(call, &request, QUIPU_UNKNOWN);
}

void quipu__dumpi_on_recv(struct quipu__dumpi_now *call) {
    const struct quipu__dumpi_request request = receiving(call);
    add_recv(call, &request, status_at(call, 0), QUIPU_UNKNOWN);
}

/* MPICH's number of nobody is the one that stands for any source; a receiver, who cannot be any, shows that nobody is
 * meant. */
static bool is_from_nobody(const struct quipu__dumpi_now *call) {
    return NUMBER(call, source) == QUIPU__DUMPI_ANY_SOURCE && NUMBER(call, dest) == QUIPU__DUMPI_ANY_SOURCE &&
           !status_at(call, 0);
}

void quipu__dumpi_on_sendrecv(struct quipu__dumpi_now *call) {
    quipu__dumpi_on_send(call);
    if (!is_from_nobody(call))
        quipu__dumpi_on_recv(call);
}

/* ---- Requests ---- */

static uint64_t id_of(int32_t request) {
    return (uint32_t)request;
}

/* Begins the operation of a request. */
static void begin(struct quipu__dumpi_now *call, struct quipu__dumpi_request *request, int32_t number) {
    request->active++;
    request->was_cancelled = false;
    if (request->kind == QUIPU__DUMPI_SENDING)
        add_send(call, request, id_of(number));
    else
        add_recv_post(call, request, id_of(number));
}

/* Sends that share a number are counted; anything else replaces what the number stood for. */
static void make_request(struct quipu__dumpi_now *call, struct quipu__dumpi_request made, bool is_persistent) {
    const int32_t number = NUMBER(call, request);
    struct quipu__dumpi_request *request = quipu__dumpi_request_at(&call->events->requests, number);
    if (!request)
        return;
    made.number = number;
    if (!is_persistent && request->kind == QUIPU__DUMPI_SENDING && made.kind == QUIPU__DUMPI_SENDING &&
        !request->is_persistent)
        made.active = request->active;
    made.is_persistent = is_persistent;
    *request = made;
    if (!is_persistent)
        begin(call, request, number);
}

void quipu__dumpi_on_isend(struct quipu__dumpi_now *call) {
    make_request(call, sending(call), false);
}
void quipu__dumpi_on_irecv(struct quipu__dumpi_now *call) {
    make_request(call, receiving(call), false);
}
void quipu__dumpi_on_send_init(struct quipu__dumpi_now *call) {
    make_request(call, sending(call), true);
}
void quipu__dumpi_on_recv_init(struct quipu__dumpi_now *call) {
    make_request(call, receiving(call), true);
}

static void start_one(struct quipu__dumpi_now *call, int32_t number) {
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(&call->events->requests, number);
    if (request)
        begin(call, request, number);
}

void quipu__dumpi_on_start(struct quipu__dumpi_now *call) {
    start_one(call, NUMBER(call, request));
}

void quipu__dumpi_on_startall(struct quipu__dumpi_now *call) {
    const int32_t *requests = LIST(call, requests);
    for (uint32_t i = 0; i < quipu_sized_count(requests); i++)
        start_one(call, requests[i]);
}

/* An operation of a request is over, and the request too unless it can be started again. */
static void finish(struct quipu__dumpi_request *request) {
    request->active--;
    if (request->active == 0 && !request->is_persistent)
        request->kind = QUIPU__DUMPI_NO_REQUEST;
}

/* The request is complete: what it stood for happens now. A request that no recorded call made, or that is over, may be
 * that of the oldest transfer of a file, which has another number where it began. */
static void complete(struct quipu__dumpi_now *call, int32_t number, const struct quipu__dumpi_status *status) {
    struct quipu__dumpi_requests *requests = &call->events->requests;
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(requests, number);
    if (number == QUIPU__DUMPI_REQUEST_NULL)
        return;
    if (!request) {
        struct quipu__dumpi_transfer *transfer = quipu__dumpi_transfer_oldest(requests);
        if (transfer)
            quipu__dumpi_end_transfer(call, transfer, status);
        return;
    }
    if (request->active == 0)
        return;
    const bool receives = request->kind == QUIPU__DUMPI_RECEIVING;
    finish(request);
    if (status ? status->cancelled != 0 && request->was_cancelled : request->was_cancelled)
        return;
    if (receives)
        add_recv(call, request, status, id_of(number));
    else if (request->rank >= 0)
        add_id(call, QUIPU_KIND_send_complete, call->stop, id_of(number));
}

void quipu__dumpi_on_wait(struct quipu__dumpi_now *call) {
    if (has_completed(call))
        complete(call, NUMBER(call, waited), status_at(call, 0));
}

void quipu__dumpi_on_waitany(struct quipu__dumpi_now *call) {
    const int32_t *requests = LIST(call, requests);
    const int32_t index = NUMBER(call, index);
    if (has_completed(call) && index >= 0 && (uint32_t)index < quipu_sized_count(requests))
        complete(call, requests[index], status_at(call, 0));
}

void quipu__dumpi_on_waitall(struct quipu__dumpi_now *call) {
    const int32_t *requests = LIST(call, requests);
    for (uint32_t i = 0; has_completed(call) && i < quipu_sized_count(requests); i++)
        complete(call, requests[i], status_at(call, i));
}

void quipu__dumpi_on_waitsome(struct quipu__dumpi_now *call) {
    const int32_t *requests = LIST(call, requests), *indices = LIST(call, indices);
    for (uint32_t i = 0; i < quipu_sized_count(indices); i++)
        if (indices[i] >= 0 && (uint32_t)indices[i] < quipu_sized_count(requests))
            complete(call, requests[indices[i]], status_at(call, i));
}

void quipu__dumpi_on_request_free(struct quipu__dumpi_now *call) {
    struct quipu__dumpi_request *request =
        quipu__dumpi_request_find(&call->events->requests, NUMBER(call, waited));
    if (request)
        request->kind = QUIPU__DUMPI_NO_REQUEST;
}

void quipu__dumpi_on_cancel(struct quipu__dumpi_now *call) {
    const int32_t number = NUMBER(call, request);
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(&call->events->requests, number);
    if (request)
        request->was_cancelled = true;
    add_id(call, QUIPU_KIND_cancel, call->start, id_of(number));
}
