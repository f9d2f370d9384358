/* messages.c: events of point-to-point communication. A message starts when the call begins and arrives when the call
 * ends that completes it; requests tie the two together. */
#include "formats/dumpi/events.h"

/* Of a kind that is wanted. */
QUIPU__INLINE void add_message(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time,
                               const struct quipu__dumpi_request *request, uint32_t peer, int32_t tag,
                               uint64_t bytes, uint64_t id) {
    const uint32_t i = add_wanted(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    batch->peer[i] = peer;
    batch->group[i] = request->group;
    batch->tag[i] = tag;
    batch->bytes[i] = bytes;
    batch->id[i] = id;
}

static void add_id(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time, uint64_t id) {
    const uint32_t i = add(call, kind, time);
    if (i != QUIPU_NONE)
        call->batch->batch.id[i] = id;
}

/* The other side of a request, QUIPU_NONE when it is not known. False when its communicator does not have the rank: MPI
 * refuses such a call, and no message comes of it. */
static inline bool find_peer(const struct quipu__dumpi_current_call *call,
                             const struct quipu__dumpi_request *request, uint32_t *peer) {
    *peer = QUIPU_NONE;
    if (request->rank < 0 || request->group == QUIPU_NONE)
        return true;
    const struct quipu_group *group = &call->events->groups->items[request->group];
    const uint32_t rank = (uint32_t)request->rank;
    if (QUIPU__UNLIKELY(group->remote_members != NULL)) {
        *peer = rank < group->remote_member_count ? group->remote_members[rank] : QUIPU_NONE;
        return rank < group->remote_member_count || group->remote_members[0] == QUIPU_NONE;
    }
    if (rank >= group->member_count)
        return false;
    *peer = group->members[rank];
    return true;
}

/* A negative receiver is MPI_PROC_NULL. */
static inline void add_send(struct quipu__dumpi_current_call *call, const struct quipu__dumpi_request *request,
                            uint64_t id) {
    uint32_t peer;
    if (wants(call, QUIPU_KIND_send) && request->rank >= 0 && find_peer(call, request, &peer))
        add_message(call, QUIPU_KIND_send, call->start, request, peer, request->tag, request->bytes, id);
}

static inline void add_recv_post(struct quipu__dumpi_current_call *call,
                                 const struct quipu__dumpi_request *request, uint64_t id) {
    uint32_t peer;
    if (wants(call, QUIPU_KIND_recv_post) && request->rank >= QUIPU__DUMPI_ANY_SOURCE &&
        find_peer(call, request, &peer))
        add_message(call, QUIPU_KIND_recv_post, call->start, request, peer, request->tag, request->bytes, id);
}

/* What was received is what the status says, else what was asked for. A negative source of a status is MPI_PROC_NULL, one
 * of a call is MPI_ANY_SOURCE or MPI_PROC_NULL; only the former libraries number the two alike. */
static inline void add_recv(struct quipu__dumpi_current_call *call, const struct quipu__dumpi_request *request,
                            const struct quipu__dumpi_status *status, uint64_t id) {
    const int32_t rank = status ? status->source : request->rank;
    uint32_t peer;
    if (!wants(call, QUIPU_KIND_recv) || rank < (status ? 0 : QUIPU__DUMPI_ANY_SOURCE) ||
        !find_peer(call, request, &peer))
        return;
    if (rank != request->rank)
        peer = quipu__dumpi_peer_of(call->events, request->group, rank);
    const int32_t tag = status ? status->tag : request->tag;
    uint64_t bytes = request->bytes;
    if (status)
        bytes = status->bytes > 0 ? (uint64_t)status->bytes : 0;
    add_message(call, QUIPU_KIND_recv, call->stop, request, peer, tag, bytes, id);
}

/* ---- Messages ---- */

static inline uint64_t bytes_of(const struct quipu__dumpi_current_call *call, enum quipu__dumpi_use count,
                                enum quipu__dumpi_use datatype) {
    return quipu__dumpi_bytes_of(call, number_at(call, count), handle_at(call, datatype));
}

static inline void set_sending(const struct quipu__dumpi_current_call *call,
                               struct quipu__dumpi_request *request) {
    request->kind = QUIPU__DUMPI_SENDING;
    request->group = quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    request->rank = NUMBER(call, dest);
    request->tag = NUMBER(call, tag);
    request->bytes = HAS(call, count) ? bytes_of(call, QUIPU__DUMPI_USE_count, QUIPU__DUMPI_USE_datatype)
                                      : bytes_of(call, QUIPU__DUMPI_USE_sendcount, QUIPU__DUMPI_USE_sendtype);
}

static inline void set_receiving(const struct quipu__dumpi_current_call *call,
                                 struct quipu__dumpi_request *request) {
    request->kind = QUIPU__DUMPI_RECEIVING;
    request->group = quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    request->rank = NUMBER(call, source);
    request->tag = HAS(call, recvtag) ? NUMBER(call, recvtag) : NUMBER(call, tag);
    request->bytes = HAS(call, count) ? bytes_of(call, QUIPU__DUMPI_USE_count, QUIPU__DUMPI_USE_datatype)
                                      : bytes_of(call, QUIPU__DUMPI_USE_recvcount, QUIPU__DUMPI_USE_recvtype);
}

void quipu__dumpi_on_send(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request request;
    set_sending(call, &request);
    add_send(call, &request, QUIPU_UNKNOWN);
}

void quipu__dumpi_on_recv(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request request;
    set_receiving(call, &request);
    add_recv(call, &request, status_at(call, 0), QUIPU_UNKNOWN);
}

/* MPICH stores MPI_PROC_NULL as the number of any source; the receiver, which cannot be any, shows which of the two it is. */
static bool is_from_proc_null(struct quipu__dumpi_current_call *call) {
    return NUMBER(call, source) == QUIPU__DUMPI_ANY_SOURCE && NUMBER(call, dest) == QUIPU__DUMPI_ANY_SOURCE &&
           !status_at(call, 0);
}

void quipu__dumpi_on_sendrecv(struct quipu__dumpi_current_call *call) {
    quipu__dumpi_on_send(call);
    if (!is_from_proc_null(call))
        quipu__dumpi_on_recv(call);
}

/* ---- Requests ---- */

static uint64_t id_of(int32_t request) {
    return (uint32_t)request;
}

/* Begins the operation of a request. */
static inline void begin(struct quipu__dumpi_current_call *call, struct quipu__dumpi_request *request) {
    request->active++;
    request->was_cancelled = false;
    if (request->kind == QUIPU__DUMPI_SENDING)
        add_send(call, request, id_of(request->number));
    else
        add_recv_post(call, request, id_of(request->number));
}

/* The place of the request that a call makes. Sends that share a number are counted; anything else replaces what the
 * number stood for. NULL when memory is out. */
static inline struct quipu__dumpi_request *make_request(struct quipu__dumpi_current_call *call, bool adds_up) {
    struct quipu__dumpi_request *request =
        quipu__dumpi_request_at(&call->events->requests, NUMBER(call, request));
    if (!request)
        return NULL;
    if (!adds_up || request->kind != QUIPU__DUMPI_SENDING || request->is_persistent)
        request->active = 0;
    request->is_persistent = false;
    return request;
}

void quipu__dumpi_on_isend(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, true);
    if (!request)
        return;
    set_sending(call, request);
    begin(call, request);
}

void quipu__dumpi_on_irecv(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, false);
    if (!request)
        return;
    set_receiving(call, request);
    begin(call, request);
}

void quipu__dumpi_on_send_init(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, false);
    if (!request)
        return;
    set_sending(call, request);
    request->is_persistent = true;
}

void quipu__dumpi_on_recv_init(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, false);
    if (!request)
        return;
    set_receiving(call, request);
    request->is_persistent = true;
}

static void start_one(struct quipu__dumpi_current_call *call, int32_t number) {
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(&call->events->requests, number);
    if (request)
        begin(call, request);
}

void quipu__dumpi_on_start(struct quipu__dumpi_current_call *call) {
    start_one(call, NUMBER(call, request));
}

void quipu__dumpi_on_startall(struct quipu__dumpi_current_call *call) {
    for (uint32_t i = 0; i < request_count(call); i++)
        start_one(call, request_at(call, i));
}

/* An operation of a request is over, and the request too unless it can be started again. */
static void finish(struct quipu__dumpi_request *request) {
    request->active--;
    if (request->active == 0 && !request->is_persistent)
        request->kind = QUIPU__DUMPI_NO_REQUEST;
}

/* A request is complete that no recorded call made, or that is over: it may be that of the oldest transfer of a file, which
 * has another number where it began. */
static void complete_unknown(struct quipu__dumpi_current_call *call, uint32_t index) {
    struct quipu__dumpi_transfer *transfer = quipu__dumpi_transfer_oldest(&call->events->requests);
    if (transfer)
        quipu__dumpi_end_transfer(call, transfer, status_at(call, index));
}

/* Whether a request that was to be cancelled was. Where no status says, it is believed. */
static bool is_cancelled(struct quipu__dumpi_current_call *call, uint32_t index) {
    const struct quipu__dumpi_status *status = status_at(call, index);
    return !status || status->cancelled != 0;
}

/* A request is complete: what it stood for happens now. index is that of its status. */
static inline void complete(struct quipu__dumpi_current_call *call, int32_t number, uint32_t index) {
    if (number == QUIPU__DUMPI_REQUEST_NULL)
        return;
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(&call->events->requests, number);
    if (!request) {
        complete_unknown(call, index);
        return;
    }
    if (request->active == 0)
        return;
    const bool receives = request->kind == QUIPU__DUMPI_RECEIVING;
    finish(request);
    if (QUIPU__UNLIKELY(request->was_cancelled) && is_cancelled(call, index))
        return;
    if (receives)
        add_recv(call, request, status_at(call, index), id_of(number));
    else if (request->rank >= 0)
        add_id(call, QUIPU_KIND_send_complete, call->stop, id_of(number));
}

void quipu__dumpi_on_wait(struct quipu__dumpi_current_call *call) {
    complete_one(call, complete);
}

void quipu__dumpi_on_waitany(struct quipu__dumpi_current_call *call) {
    complete_any(call, complete);
}

void quipu__dumpi_on_waitall(struct quipu__dumpi_current_call *call) {
    complete_all(call, complete);
}

void quipu__dumpi_on_waitsome(struct quipu__dumpi_current_call *call) {
    complete_some(call, complete);
}

void quipu__dumpi_on_request_free(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request =
        quipu__dumpi_request_find(&call->events->requests, NUMBER(call, waited));
    if (request)
        request->kind = QUIPU__DUMPI_NO_REQUEST;
}

void quipu__dumpi_on_cancel(struct quipu__dumpi_current_call *call) {
    const int32_t number = NUMBER(call, request);
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(&call->events->requests, number);
    if (request)
        request->was_cancelled = true;
    add_id(call, QUIPU_KIND_cancel, call->start, id_of(number));
}
