/* to_model.c: calls to events, by the rows of mapping.def.
 *
 * Every call enters and leaves a region; what else happens depends on its class (below, and transfers.c). The events of one
 * call never straddle two batches. */
#include "core/error.h"
#include "formats/dumpi/communicators.h"
#include "formats/dumpi/events.h"

/* ==== Messages ==== */

/* Events of point-to-point communication. A message starts when its call begins and arrives when the call that completes it
 * ends; requests tie the two together. */

/* The kind is requested. */
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
 * refuses such a call, and there is no message. */
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
QUIPU__INLINE void add_received(struct quipu__dumpi_current_call *call, enum quipu_kind kind,
                                const struct quipu__dumpi_request *request,
                                const struct quipu__dumpi_status *status, uint64_t id) {
    const int32_t rank = status ? status->source : request->rank;
    uint32_t peer;
    if (!wants(call, kind) || rank < (status ? 0 : QUIPU__DUMPI_ANY_SOURCE) || !find_peer(call, request, &peer))
        return;
    if (rank != request->rank)
        peer = quipu__dumpi_peer_of(call->events, request->group, rank);
    const int32_t tag = status ? status->tag : request->tag;
    uint64_t bytes = request->bytes;
    if (status)
        bytes = status->bytes > 0 ? (uint64_t)status->bytes : 0;
    add_message(call, kind, call->stop, request, peer, tag, bytes, id);
}

static inline void add_recv(struct quipu__dumpi_current_call *call, const struct quipu__dumpi_request *request,
                            const struct quipu__dumpi_status *status, uint64_t id) {
    add_received(call, QUIPU_KIND_recv, request, status, id);
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

static void on_send(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request request;
    set_sending(call, &request);
    add_send(call, &request, QUIPU_UNKNOWN);
}

static void on_recv(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request request;
    set_receiving(call, &request);
    add_recv(call, &request, status_at(call, 0), QUIPU_UNKNOWN);
}

/* MPI_Probe waits; MPI_Iprobe is a plain call, since nothing has waited for what it finds. */
static void on_probe(struct quipu__dumpi_current_call *call) {
    const struct quipu__dumpi_request request = {.group =
                                                     quipu__dumpi_group_of(call->events, HANDLE(call, comm)),
                                                 .rank = NUMBER(call, source),
                                                 .tag = NUMBER(call, tag),
                                                 .bytes = QUIPU_UNKNOWN};
    add_received(call, QUIPU_KIND_probe, &request, status_at(call, 0), QUIPU_UNKNOWN);
}

/* MPICH stores MPI_PROC_NULL as the number of any source; the receiver, which cannot be any, shows which of the two it is. */
static bool is_from_proc_null(struct quipu__dumpi_current_call *call) {
    return NUMBER(call, source) == QUIPU__DUMPI_ANY_SOURCE && NUMBER(call, dest) == QUIPU__DUMPI_ANY_SOURCE &&
           !status_at(call, 0);
}

static void on_sendrecv(struct quipu__dumpi_current_call *call) {
    on_send(call);
    if (!is_from_proc_null(call))
        on_recv(call);
}

/* ---- Requests ---- */

static uint64_t id_of(int32_t request) {
    return (uint32_t)request;
}

/* The row of later_calls.def that a tag says; QUIPU__DUMPI_LATER_CALLS for tags of messages. */
static inline uint32_t later_call_of(int32_t tag) {
    const int64_t row = QUIPU__DUMPI_FIRST_LATER_TAG - (int64_t)tag;
    return row >= 0 && row < QUIPU__DUMPI_LATER_CALLS ? (uint32_t)row : QUIPU__DUMPI_LATER_CALLS;
}

/* The beginning or end of a collective operation that has a request, or that DUMPI has no record for. */
QUIPU__RARELY void add_later(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time,
                             const struct quipu__dumpi_request *request) {
    const uint32_t row = later_call_of(request->tag), i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE || row == QUIPU__DUMPI_LATER_CALLS)
        return;
    const struct quipu__dumpi_call_row *like = &quipu__dumpi_calls[quipu__dumpi_later_calls[row].like];
    const bool has_root = QUIPU__DUMPI_HAS(like, root);
    batch->object[i] = call->events->own->later_regions[row];
    batch->operation[i] = quipu__dumpi_later_calls[row].operation;
    batch->peer[i] = has_root ? quipu__dumpi_peer_of(call->events, request->group, request->rank) : QUIPU_NONE;
    batch->group[i] = request->group;
    batch->bytes[i] = request->bytes;
    batch->value[i] = request->received;
    batch->id[i] = request->id;
}

/* Begins the operation of a request. */
static inline void begin(struct quipu__dumpi_current_call *call, struct quipu__dumpi_request *request) {
    request->active++;
    request->was_cancelled = false;
    if (QUIPU__UNLIKELY(request->kind == QUIPU__DUMPI_TOGETHER)) {
        request->id = call->events->next_id++;
        add_later(call, QUIPU_KIND_collective_begin, call->start, request);
        return;
    }
    if (request->kind == QUIPU__DUMPI_SENDING)
        add_send(call, request, id_of(request->number));
    else
        add_recv_post(call, request, id_of(request->number));
}

/* The slot of the request that a call makes. Sends that share a number are counted; anything else replaces the number's
 * previous meaning. NULL when memory is out. */
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

static void on_isend(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, true);
    if (!request)
        return;
    set_sending(call, request);
    begin(call, request);
}

static void on_irecv(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, false);
    if (!request)
        return;
    set_receiving(call, request);
    begin(call, request);
}

static void on_send_init(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request = make_request(call, false);
    if (!request)
        return;
    set_sending(call, request);
    request->is_persistent = true;
}

static void on_recv_init(struct quipu__dumpi_current_call *call) {
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

static void on_start(struct quipu__dumpi_current_call *call) {
    start_one(call, NUMBER(call, request));
}

static void on_startall(struct quipu__dumpi_current_call *call) {
    for (uint32_t i = 0; i < request_count(call); i++)
        start_one(call, request_at(call, i));
}

/* An operation of a request has ended, and so has the request unless it can be started again. */
static void finish(struct quipu__dumpi_request *request) {
    request->active--;
    if (request->active == 0 && !request->is_persistent)
        request->kind = QUIPU__DUMPI_NO_REQUEST;
}

/* A request completes that no recorded call made, or that has ended: it may be that of the oldest transfer of a file, which
 * had another number at its beginning. */
static void complete_unknown(struct quipu__dumpi_current_call *call, uint32_t index) {
    struct quipu__dumpi_transfer *transfer = quipu__dumpi_transfer_oldest(&call->events->requests);
    if (transfer)
        quipu__dumpi_end_transfer(call, transfer, status_at(call, index));
}

/* Whether cancelling a request succeeded. Without a status, that is assumed. */
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
    if (QUIPU__UNLIKELY(request->kind == QUIPU__DUMPI_TOGETHER)) {
        add_later(call, QUIPU_KIND_collective_end, call->stop, request);
        finish(request);
        return;
    }
    finish(request);
    if (QUIPU__UNLIKELY(request->was_cancelled) && is_cancelled(call, index))
        return;
    if (receives)
        add_recv(call, request, status_at(call, index), id_of(number));
    else if (request->rank >= 0)
        add_id(call, QUIPU_KIND_send_complete, call->stop, id_of(number));
}

static void on_wait(struct quipu__dumpi_current_call *call) {
    complete_one(call, complete);
}

static void on_waitany(struct quipu__dumpi_current_call *call) {
    complete_any(call, complete);
}

static void on_waitall(struct quipu__dumpi_current_call *call) {
    complete_all(call, complete);
}

static void on_waitsome(struct quipu__dumpi_current_call *call) {
    complete_some(call, complete);
}

static void on_request_free(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_request *request =
        quipu__dumpi_request_find(&call->events->requests, NUMBER(call, waited));
    if (request)
        request->kind = QUIPU__DUMPI_NO_REQUEST;
}

static void on_cancel(struct quipu__dumpi_current_call *call) {
    const int32_t number = NUMBER(call, request);
    struct quipu__dumpi_request *request = quipu__dumpi_request_find(&call->events->requests, number);
    if (request)
        request->was_cancelled = true;
    add_id(call, QUIPU_KIND_cancel, call->start, id_of(number));
}

/* ==== Collective operations ==== */

/* Events of collective and one-sided communication. mapping.def says who sends how many blocks; this file
 * turns that into bytes. */

/* ---- Collectives ---- */

static uint32_t member_count(const struct quipu__dumpi_current_call *call, uint32_t group) {
    return group == QUIPU_NONE ? 0 : call->events->groups->items[group].member_count;
}

/* The caller's rank, or -1. */
static int64_t own_rank(const struct quipu__dumpi_current_call *call, uint32_t group) {
    const struct quipu_group *it = group == QUIPU_NONE ? NULL : &call->events->groups->items[group];
    for (uint32_t i = 0; it && i < it->member_count; i++)
        if (it->members[i] == call->events->file->location)
            return i;
    return -1;
}

/* root: the number that is passed; between two groups the root passes MPI_ROOT, and the rest of its side, which has no part in it, MPI_PROC_NULL. */
static bool participates(const struct quipu__dumpi_current_call *call, uint8_t who, uint32_t group,
                         int32_t root) {
    const bool is_between = group != QUIPU_NONE && call->events->groups->items[group].remote_members;
    const bool is_root = is_between
                             ? QUIPU__DUMPI_IS_ROOT(root)
                             : quipu__dumpi_peer_of(call->events, group, root) == call->events->file->location;
    switch ((enum quipu__dumpi_who)who) {
    case QUIPU__DUMPI_ALL:
        return !is_between || root >= 0;
    case QUIPU__DUMPI_ROOT:
        return is_root;
    case QUIPU__DUMPI_OTHERS:
        return is_between ? root >= 0 : !is_root;
    case QUIPU__DUMPI_NOT_FIRST:
        return own_rank(call, group) != 0;
    case QUIPU__DUMPI_NOT_LAST:
        return own_rank(call, group) + 1 != member_count(call, group);
    case QUIPU__DUMPI_NO_MEMBER:
        break;
    }
    return false;
}

/* One side of a collective: where its counts and datatypes are. */
struct side {
    uint8_t who, blocks;
    enum quipu__dumpi_use count, datatype, counts, datatypes;
};

static uint64_t vector_bytes(const struct quipu__dumpi_current_call *call, const struct side *side,
                             uint32_t first, uint32_t past) {
    const int32_t *counts = list_at(call, side->counts);
    const bool has_types = (call->row->has >> side->datatypes & 1) != 0;
    const int16_t *types = has_types ? list_at(call, side->datatypes) : NULL;
    uint64_t bytes = 0;
    for (uint32_t i = first; i < past && i < quipu_sized_count(counts); i++) {
        if (has_types && i >= quipu_sized_count(types))
            break;
        bytes += quipu__dumpi_bytes_of(call, counts[i], has_types ? types[i] : handle_at(call, side->datatype));
    }
    return bytes;
}

static uint64_t side_bytes(const struct quipu__dumpi_current_call *call, const struct side *side,
                           uint32_t group, int32_t root) {
    if (!participates(call, side->who, group, root))
        return 0;
    const int64_t rank = side->blocks == QUIPU__DUMPI_BLOCKS_OWN ? own_rank(call, group) : 0;
    switch ((enum quipu__dumpi_blocks)side->blocks) {
    case QUIPU__DUMPI_BLOCKS_1:
        return quipu__dumpi_bytes_of(call, number_at(call, side->count), handle_at(call, side->datatype));
    case QUIPU__DUMPI_BLOCKS_MEMBERS:
        return quipu__dumpi_partner_count(call->events, group) *
               quipu__dumpi_bytes_of(call, number_at(call, side->count), handle_at(call, side->datatype));
    case QUIPU__DUMPI_BLOCKS_VECTOR:
        return vector_bytes(call, side, 0, UINT32_MAX);
    case QUIPU__DUMPI_BLOCKS_OWN:
        return rank < 0 ? 0 : vector_bytes(call, side, (uint32_t)rank, (uint32_t)rank + 1);
    case QUIPU__DUMPI_BLOCKS_0:
        break;
    }
    return 0;
}

static void add_collective(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time,
                           uint32_t group, uint32_t root, uint64_t sent, uint64_t received) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    batch->object[i] = call->events->own->regions[call->type];
    batch->operation[i] = call->row->operation;
    batch->peer[i] = root;
    batch->group[i] = group;
    batch->bytes[i] = sent;
    batch->value[i] = received;
    batch->id[i] = call->events->next_id;
}

static void on_collective(struct quipu__dumpi_current_call *call) {
    const struct side sent = {call->row->sent_by,          call->row->sent_blocks,
                              QUIPU__DUMPI_USE_sendcount,  QUIPU__DUMPI_USE_sendtype,
                              QUIPU__DUMPI_USE_sendcounts, QUIPU__DUMPI_USE_sendtypes};
    const struct side received = {call->row->received_by,      call->row->received_blocks,
                                  QUIPU__DUMPI_USE_recvcount,  QUIPU__DUMPI_USE_recvtype,
                                  QUIPU__DUMPI_USE_recvcounts, QUIPU__DUMPI_USE_recvtypes};
    const uint32_t group = quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    const int32_t rank = HAS(call, root) ? NUMBER(call, root) : 0;
    const uint32_t root = HAS(call, root) ? quipu__dumpi_peer_of(call->events, group, rank) : QUIPU_NONE;
    const uint64_t out = side_bytes(call, &sent, group, rank);
    const uint64_t in = side_bytes(call, &received, group, rank);
    add_collective(call, QUIPU_KIND_collective_begin, call->start, group, root, out, in);
    add_collective(call, QUIPU_KIND_collective_end, call->stop, group, root, out, in);
    call->events->next_id++;
}

/* ---- Collective calls without a record ---- */

/* Bytes of one side of such a call. Vectors have been added up; of a reduction that is scattered it is the block of one member. */
static uint64_t later_bytes(const struct quipu__dumpi_current_call *call,
                            const struct quipu__dumpi_call_row *like, bool is_sent, uint64_t bytes,
                            const struct quipu__dumpi_request *request) {
    const uint8_t who = is_sent ? like->sent_by : like->received_by;
    const uint8_t blocks = is_sent ? like->sent_blocks : like->received_blocks;
    const bool is_scattered = is_sent && like->received_blocks == QUIPU__DUMPI_BLOCKS_OWN;
    if (!participates(call, who, request->group, QUIPU__DUMPI_HAS(like, root) ? request->rank : 0))
        return 0;
    if (blocks == QUIPU__DUMPI_BLOCKS_MEMBERS)
        return bytes * quipu__dumpi_partner_count(call->events, request->group);
    return is_scattered ? bytes * member_count(call, request->group) : bytes;
}

/* A record of MPI_Send_init that says the arguments of such a call, behind one of MPI_Recv_init where more or less is received than is
 * sent. They are no calls. */
QUIPU__RARELY void convert_later(struct quipu__dumpi_current_call *call, uint32_t row) {
    const struct quipu__dumpi_later_call *later = &quipu__dumpi_later_calls[row];
    const struct quipu__dumpi_call_row *like = &quipu__dumpi_calls[later->like];
    const bool is_sent = call->row->call_class == QUIPU__DUMPI_CALL_CLASS_SEND_INIT;
    const bool is_known = later->operation != QUIPU_COLLECTIVE_OTHER;
    const uint64_t bytes = bytes_of(call, QUIPU__DUMPI_USE_count, QUIPU__DUMPI_USE_datatype);
    struct quipu__dumpi_request *request =
        quipu__dumpi_request_at(&call->events->requests, NUMBER(call, request));
    if (!request)
        return;
    const bool has_received = request->kind == QUIPU__DUMPI_RECEIVING && request->tag == NUMBER(call, tag);
    const uint64_t received = is_sent && has_received ? request->bytes : bytes;
    *request = (struct quipu__dumpi_request){.number = request->number,
                                             .kind = QUIPU__DUMPI_RECEIVING,
                                             .tag = NUMBER(call, tag),
                                             .rank = is_sent ? NUMBER(call, dest) : NUMBER(call, source),
                                             .group = quipu__dumpi_group_of(call->events, HANDLE(call, comm)),
                                             .bytes = bytes};
    if (!is_sent)
        return;
    request->kind = QUIPU__DUMPI_TOGETHER;
    request->is_persistent = later->mode == QUIPU__DUMPI_PERSISTENT;
    request->bytes = is_known ? later_bytes(call, like, true, bytes, request) : 0;
    request->received = is_known ? later_bytes(call, like, false, received, request) : 0;
    if (!request->is_persistent)
        begin(call, request);
    if (later->mode == QUIPU__DUMPI_BLOCKING) {
        add_later(call, QUIPU_KIND_collective_end, call->stop, request);
        finish(request);
    }
}

/* ---- Joint calls: collective, but no communication ---- */

/* The communicator of the participants. */
static uint32_t joint_group(const struct quipu__dumpi_current_call *call) {
    const struct quipu__dumpi_windows *windows = &call->events->windows;
    const uint32_t made = HAS(call, made) && HANDLE(call, scope) == QUIPU__DUMPI_COMM_SELF
                              ? quipu__dumpi_group_of(call->events, HANDLE(call, made))
                              : QUIPU_NONE;
    if (made != QUIPU_NONE) /* only its members make it */
        return made;
    if (HAS(call, comm))
        return quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    if ((call->row->joint & QUIPU__DUMPI_JOINT_ON_WINDOW) != 0)
        return quipu__dumpi_windows_get(windows, (uint16_t)HANDLE(call, scope));
    if ((call->row->joint & QUIPU__DUMPI_JOINT_ON_FILE) != 0)
        return quipu__dumpi_windows_get(windows, QUIPU__DUMPI_OF_FILE | (uint16_t)HANDLE(call, scope));
    if (HAS(call, scope))
        return quipu__dumpi_group_of(call->events, HANDLE(call, scope));
    return quipu__dumpi_windows_get(windows, QUIPU__DUMPI_OF_FILE | (uint16_t)HANDLE(call, file));
}

static void add_joint(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time, uint64_t id) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    batch->object[i] = call->events->own->regions[call->type];
    batch->operation[i] = QUIPU_COLLECTIVE_OTHER;
    batch->peer[i] = QUIPU_NONE;
    batch->group[i] = joint_group(call);
    batch->bytes[i] = batch->value[i] = 0;
    batch->id[i] = id;
}

/* To the event that was added last: that a call is entered, or what it does where it is not. */
QUIPU__INLINE void add_attributes(struct quipu__dumpi_current_call *call) {
    if (call->events->wants_attributes)
        (call->layout ? quipu__dumpi_add_fast_attributes : quipu__dumpi_add_attributes)(call);
}

/* Begins and ends with the call. A split transfer has one number in both of its calls: the one that comes next at the first, that of the transfer under
 * way on the file at the second. */
QUIPU__RARELY void convert_joint(struct quipu__dumpi_current_call *call, quipu__dumpi_event_fn *class_of_call) {
    const bool begins = (call->row->joint & QUIPU__DUMPI_JOINT_BEGIN) != 0;
    const bool ends = (call->row->joint & QUIPU__DUMPI_JOINT_END) != 0;
    uint64_t id = call->events->next_id;
    if (!begins) {
        const struct quipu__dumpi_transfer *transfer =
            quipu__dumpi_transfer_find(&call->events->requests, true, HANDLE(call, file));
        id = transfer ? transfer->id : QUIPU_UNKNOWN;
    } else if (ends) {
        call->events->next_id++;
    }
    if (begins)
        add_joint(call, QUIPU_KIND_collective_begin, call->start, id);
    if (begins && call->events->is_inside && wants(call, QUIPU_KIND_collective_begin))
        add_attributes(call);
    if (class_of_call)
        class_of_call(call);
    if (ends && id != QUIPU_UNKNOWN)
        add_joint(call, QUIPU_KIND_collective_end, call->stop, id);
}

/* ==== Calls ==== */

/* Events of a call apart from those per request and per counter. */
#define EVENTS_OF_A_CALL 8

/* Events of a batch with attributes. */
#define EVENTS_WITH_ATTRIBUTES 256

/* ---- Regions ---- */

QUIPU__INLINE void add_region(struct quipu__dumpi_current_call *call, enum quipu_kind kind, uint32_t region,
                              int64_t time) {
    if (wants(call, kind))
        call->batch->batch.object[add_wanted(call, kind, time)] = region;
}

/* ---- What each class does ---- */

static quipu__dumpi_event_fn *const call_classes[] = {
    [QUIPU__DUMPI_CALL_CLASS_SEND] = on_send,
    [QUIPU__DUMPI_CALL_CLASS_RECV] = on_recv,
    [QUIPU__DUMPI_CALL_CLASS_PROBE] = on_probe,
    [QUIPU__DUMPI_CALL_CLASS_ISEND] = on_isend,
    [QUIPU__DUMPI_CALL_CLASS_IRECV] = on_irecv,
    [QUIPU__DUMPI_CALL_CLASS_SEND_INIT] = on_send_init,
    [QUIPU__DUMPI_CALL_CLASS_RECV_INIT] = on_recv_init,
    [QUIPU__DUMPI_CALL_CLASS_START] = on_start,
    [QUIPU__DUMPI_CALL_CLASS_STARTALL] = on_startall,
    [QUIPU__DUMPI_CALL_CLASS_SENDRECV] = on_sendrecv,
    [QUIPU__DUMPI_CALL_CLASS_WAIT] = on_wait,
    [QUIPU__DUMPI_CALL_CLASS_WAITANY] = on_waitany,
    [QUIPU__DUMPI_CALL_CLASS_WAITALL] = on_waitall,
    [QUIPU__DUMPI_CALL_CLASS_WAITSOME] = on_waitsome,
    [QUIPU__DUMPI_CALL_CLASS_REQUEST_FREE] = on_request_free,
    [QUIPU__DUMPI_CALL_CLASS_CANCEL] = on_cancel,
    [QUIPU__DUMPI_CALL_CLASS_COLLECTIVE] = on_collective,
    [QUIPU__DUMPI_CALL_CLASS_LEAVE] = NULL,
};

/* NULL: only enter and leave. */
QUIPU__INLINE quipu__dumpi_event_fn *event_fn_of(const struct quipu__dumpi_current_call *call) {
    const enum quipu__dumpi_call_class call_class = call->row->call_class;
    return QUIPU__LIKELY(call_classes[call_class] != NULL) ? call_classes[call_class]
                                                           : quipu__dumpi_transfer_classes[call_class];
}

/* ---- Time ---- */

/* Turns start and end of a call into ticks of the model. */
QUIPU__INLINE void set_times(struct quipu__dumpi_events *events, int64_t *start, int64_t *stop) {
    quipu__dumpi_unroll(&events->wall, start, stop);
    *start -= events->own->origin_ns;
    *stop -= events->own->origin_ns;
}

/* Time does not go back in a substream, whatever the clock did. */
QUIPU__INLINE int64_t in_order(struct quipu__dumpi_events *events, int64_t time) {
    if (QUIPU__LIKELY(time > events->last_time))
        events->last_time = time;
    return events->last_time;
}

/* ---- Calls ---- */

static void add_counters(struct quipu__dumpi_current_call *call, bool at_end) {
    const struct quipu__dumpi_file *file = call->events->file;
    const struct quipu__dumpi_counter *counters = call->common->counters;
    for (uint32_t i = 0; i < quipu_sized_count(counters) && i < file->metric_count; i++) {
        const int64_t value = at_end ? counters[i].out : counters[i].in;
        if (i + 1 == file->call_sites || (i + 1 == file->run_delay && value < 0))
            continue;
        const uint32_t event = add(call, QUIPU_KIND_metric, at_end ? call->stop : call->start);
        if (event == QUIPU_NONE)
            return;
        call->batch->batch.object[event] = file->metrics[i];
        call->batch->batch.value[event] = (uint64_t)value;
    }
}

/* Region of a function by its address or key. */
static uint32_t label_region(const struct quipu__dumpi_current_call *call) {
    return quipu__map_get(&call->events->file->regions, WIDE(call, fn));
}

/* Of all functions, only calls that DUMPI has no record for are known to be nested (define.c). */
static bool is_later_call(const struct quipu__dumpi_trace *own, uint32_t region) {
    const struct quipu_regions *regions = &own->trace->define->definitions.regions;
    return region < regions->count && regions->items[region].nesting != QUIPU_NESTING_FREE;
}

/* Records of functions are points of their own: entered at the start of the one, left at the end of the other. */
static void add_function(struct quipu__dumpi_current_call *call) {
    const bool enters = call->row->call_class == QUIPU__DUMPI_CALL_CLASS_ENTER;
    const uint32_t region = label_region(call);
    if (!enters && call->common)
        add_counters(call, true);
    add_region(call, enters ? QUIPU_KIND_enter : QUIPU_KIND_leave, region, call->start);
    if (enters && call->common && wants(call, QUIPU_KIND_enter))
        quipu__dumpi_add_call_site(call);
    if (call->is_shown)
        call->events->is_inside = enters && is_later_call(call->events->own, region);
    if (enters && call->common)
        add_counters(call, false);
}

QUIPU__INLINE void add_call(struct quipu__dumpi_current_call *call) {
    const uint32_t region = call->events->own->regions[call->type];
    if (wants(call, QUIPU_KIND_enter)) {
        call->batch->batch.object[add_wanted(call, QUIPU_KIND_enter, call->start)] = region;
        add_attributes(call);
    }
    if (QUIPU__UNLIKELY(call->common != NULL))
        add_counters(call, false);
    if (QUIPU__UNLIKELY(call->row->joint != 0))
        convert_joint(call, event_fn_of(call));
    else if (event_fn_of(call))
        event_fn_of(call)(call);
    if (QUIPU__UNLIKELY(call->common != NULL))
        add_counters(call, true);
    add_region(call, QUIPU_KIND_leave, region, call->stop);
}

/* What a record says that is no call, but inside of one without a record. */
static void add_inner(struct quipu__dumpi_current_call *call) {
    if (call->row->joint != 0)
        convert_joint(call, event_fn_of(call));
    else if (event_fn_of(call))
        event_fn_of(call)(call);
}

/* A function, a record that may stand for a call that has none, or one inside of such a call. */
static void convert_special(struct quipu__dumpi_current_call *call) {
    if (call->row->call_class >= QUIPU__DUMPI_CALL_CLASS_ENTER) {
        add_function(call);
        return;
    }
    const uint32_t later = call->row->call_class >= QUIPU__DUMPI_CALL_CLASS_SEND_INIT
                               ? later_call_of(NUMBER(call, tag))
                               : QUIPU__DUMPI_LATER_CALLS;
    if (later < QUIPU__DUMPI_LATER_CALLS)
        convert_later(call, later);
    else if (call->is_shown && call->events->is_inside)
        add_inner(call);
    else
        add_call(call);
}

/* What handles stand for from this call on. */
static void apply_changes(struct quipu__dumpi_events *events, uint64_t offset) {
    const struct quipu__dumpi_file *file = events->file;
    for (; events->next_change < file->change_count && file->changes[events->next_change].offset <= offset;
         events->next_change++) {
        const struct quipu__dumpi_change *change = &file->changes[events->next_change];
        quipu__gate_knows(quipu__tokens_put(change->is_file ? &events->files : &events->communicators,
                                            (uint16_t)change->handle, change->number));
    }
}

static void count_record(struct quipu__pass *common, uint32_t type) {
    common->records++;
    if (common->records_of)
        common->records_of[type]++;
}

/* Kinds of events requested from a call of the current thread, by its times. */
QUIPU__INLINE quipu_kinds wanted_kinds(struct quipu__dumpi_events *events, int64_t start, int64_t stop) {
    const struct quipu__filter *filter = events->filter;
    if (QUIPU__LIKELY(!events->has_window))
        return filter->kinds;
    if (start >= filter->to && filter->to != INT64_MAX)
        events->is_over = true;
    return stop >= filter->from && !events->is_over ? filter->kinds : 0;
}

/* A call of a thread that is not selected changes what handles and requests stand for, but makes no events. */
static void convert(struct quipu__dumpi_pass *pass, struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_events *events = pass->events;
    const uint8_t call_class = call->row->call_class;
    int64_t start = call->start, stop = call->stop;
    if (QUIPU__UNLIKELY(events->next_change < events->file->change_count))
        apply_changes(events, call->offset);
    set_times(events, &start, &stop);
    if (QUIPU__UNLIKELY(call_class >= QUIPU__DUMPI_CALL_CLASS_ENTER))
        start = stop = call_class == QUIPU__DUMPI_CALL_CLASS_ENTER ? start : stop;
    call->kinds = 0;
    if (QUIPU__LIKELY(call->is_shown)) {
        count_record(&pass->common, call->type);
        start = in_order(events, start);
        stop = in_order(events, stop);
        call->kinds = wanted_kinds(events, start, stop);
    }
    call->start = start;
    call->stop = stop;
    if (QUIPU__UNLIKELY(call_class >= QUIPU__DUMPI_CALL_CLASS_SEND_INIT || events->is_inside))
        convert_special(call);
    else
        add_call(call);
}

/* ---- The next call ---- */

/* Switches from the current thread to another one; false when nothing of that is needed. */
QUIPU__RARELY bool change_thread(struct quipu__dumpi_events *events, uint32_t substream) {
    if (!events->threads[substream].is_wanted)
        return false;
    if (events->substream != QUIPU_NONE)
        events->threads[events->substream] = (struct quipu__dumpi_thread){
            events->last_time, events->is_inside, events->threads[events->substream].is_wanted};
    events->last_time = events->threads[substream].last_time;
    events->is_inside = events->threads[substream].is_inside;
    events->substream = substream;
    events->location = events->file->threads[substream];
    return true;
}

/* Whether a call of that thread is needed; the thread is then current. */
QUIPU__INLINE bool choose_thread(struct quipu__dumpi_events *events, uint32_t thread) {
    const struct quipu__dumpi_file *file = events->file;
    const uint32_t substream = thread < file->thread_limit ? file->substream_of[thread] : 0;
    if (QUIPU__LIKELY(substream == events->substream))
        return true;
    return events->threads && change_thread(events, substream);
}

/* Nothing more of the current thread is needed. True when a pass over all threads continues for others. */
QUIPU__RARELY bool goes_on(struct quipu__dumpi_events *events) {
    if (events->threads_wanted == 0 || --events->threads_wanted == 0)
        return false;
    events->threads[events->substream].is_wanted = false;
    events->substream = QUIPU_NONE;
    events->is_over = false;
    return true;
}

/* The call that was decoded last. */
static void take_decoded(const struct quipu__dumpi_pass *pass, struct quipu__dumpi_current_call *call) {
    const struct quipu__dumpi_decoder *decoder = &pass->walk.decoder;
    const bool wall = pass->events->own->clock == QUIPU__DUMPI_CLOCK_WALL;
    call->layout = NULL;
    call->common = &decoder->common;
    call->data = (const uint8_t *)&decoder->data;
    call->type = decoder->type;
    call->row = &quipu__dumpi_calls[decoder->type];
    call->offset = pass->walk.offset;
    call->start = wall ? decoder->common.wall_start : decoder->common.cpu_start;
    call->stop = wall ? decoder->common.wall_stop : decoder->common.cpu_stop;
    call->is_shown = choose_thread(pass->events, decoder->common.thread);
}

/* Finds the lists after the numbers; the byte after them, or NULL when they are not completely in the window. */
static const uint8_t *take_lists(struct quipu__dumpi_current_call *call, const uint8_t *at, const uint8_t *end,
                                 bool has_statuses) {
    if (call->layout->has_requests) {
        if (end - at < 4 || quipu__load_be32(at) > (size_t)(end - at - 4) / 4)
            return NULL;
        call->request_count = quipu__load_be32(at);
        call->requests = at + 4;
        at += 4 + (size_t)call->request_count * 4;
    }
    if (call->layout->has_statuses && has_statuses) {
        if (end - at < 4 || quipu__load_be32(at) > (size_t)(end - at - 4) / QUIPU__DUMPI_STATUS_BYTES)
            return NULL;
        call->status_count = quipu__load_be32(at);
        call->statuses = at + 4;
        at += 4 + (size_t)call->status_count * QUIPU__DUMPI_STATUS_BYTES;
    }
    return at;
}

/* Reads the next call directly from the window. False: it must be decoded, or there is none. */
QUIPU__INLINE bool take_fast(struct quipu__dumpi_pass *pass, struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_walk *walk = &pass->walk;
    const uint8_t *const begin = walk->input->at, *const end = walk->end;
    const size_t left = (size_t)(end - begin);
    if (left < QUIPU__DUMPI_CANONICAL_HEAD ||
        (begin[2] & ~QUIPU__DUMPI_MASK_STATUS) != QUIPU__DUMPI_CANONICAL_MASK)
        return false;
    const uint32_t id = quipu__load_be16(begin);
    if (id >= QUIPU__DUMPI_ID_LIMIT || left < walk->file->layouts[id].need)
        return false;
    const struct quipu__dumpi_fast_layout *const layout = call->layout = &walk->file->layouts[id];
    const uint8_t *next = begin + layout->need;
    call->request_count = call->status_count = 0;
    if (layout->has_requests || layout->has_statuses)
        next = take_lists(call, next, end, (begin[2] & QUIPU__DUMPI_MASK_STATUS) != 0);
    if (QUIPU__UNLIKELY(!next))
        return false;
    call->common = NULL;
    call->data = begin + QUIPU__DUMPI_CANONICAL_HEAD;
    call->type = layout->type;
    call->row = layout->row;
    call->offset = quipu__input_offset(walk->input);
    call->start = quipu__dumpi_load_time(begin + QUIPU__DUMPI_CANONICAL_WALL, walk->decoder.wall_bias_ns);
    call->stop = quipu__dumpi_load_time(begin + QUIPU__DUMPI_CANONICAL_WALL + 6, walk->decoder.wall_bias_ns);
    call->is_shown = choose_thread(pass->events, quipu__load_be16(begin + QUIPU__DUMPI_RECORD_LEAST));
    walk->last_wall = call->stop;
    walk->index++;
    walk->input->at = next;
    return true;
}

static enum quipu_status next_call(struct quipu__dumpi_pass *pass, struct quipu_error *err) {
    struct quipu__dumpi_events *events = pass->events;
    if (QUIPU__LIKELY(events->uses_fast_path) && take_fast(pass, &events->current))
        return QUIPU_OK;
    const enum quipu_status status = quipu__dumpi_walk_next(&pass->walk, err);
    if (status == QUIPU_OK)
        take_decoded(pass, &events->current);
    return status;
}

/* ---- Passes ---- */

/* Where a pass begins: at its thread, or with the state of all. */
static bool begin_threads(struct quipu__dumpi_events *events, uint32_t substream) {
    const struct quipu__dumpi_file *file = events->file;
    events->substream = substream;
    if (substream != QUIPU__ALL_SUBSTREAMS) {
        events->location = file->threads[substream < file->thread_count ? substream : 0];
        return true;
    }
    events->substream = events->location = QUIPU_NONE;
    events->threads = quipu__alloc(events->memory, file->thread_count * sizeof *events->threads);
    for (uint32_t i = 0; events->threads && i < file->thread_count; i++) {
        const bool is_wanted = quipu__filter_location(events->filter, file->threads[i]);
        events->threads[i] = (struct quipu__dumpi_thread){events->last_time, false, is_wanted};
        events->threads_wanted += is_wanted;
    }
    events->is_over = events->threads_wanted == 0;
    return events->threads != NULL;
}

enum quipu_status quipu__dumpi_events_new(struct quipu__dumpi_pass *pass, struct quipu_error *err) {
    struct quipu__dumpi_trace *own = pass->walk.own;
    struct quipu__dumpi_events *events = quipu__alloc_zero(own->memory, sizeof *events);
    if (!events)
        return quipu__no_memory(err, sizeof *events);
    const struct quipu__dumpi_file *file = pass->walk.file;
    pass->events = events;
    events->memory = own->memory;
    events->own = own;
    events->file = file;
    events->groups = &own->trace->define->definitions.groups;
    events->filter = pass->common.filter;
    events->wants_attributes =
        !events->filter->without_attributes && quipu__filter_kind(events->filter, QUIPU_KIND_enter);
    events->has_window = events->filter->from > INT64_MIN || events->filter->to != INT64_MAX;
    events->uses_fast_path = own->clock == QUIPU__DUMPI_CLOCK_WALL;
    events->current.events = events;
    if (events->wants_attributes)
        quipu__dumpi_prepare_attributes(events);
    events->wall = (struct quipu__dumpi_wall_clock)QUIPU__DUMPI_WALL_CLOCK_INIT;
    events->last_time = INT64_MIN / 2;
    quipu__dumpi_requests_init(&events->requests, own->memory);
    quipu__tokens_init(&events->communicators, own->memory);
    quipu__tokens_init(&events->files, own->memory);
    quipu__dumpi_windows_init(&events->windows, own->memory);
    quipu__buffer_init(&events->text, own->memory, 0);
    return begin_threads(events, pass->common.substream)
               ? QUIPU_OK
               : quipu__no_memory(err, file->thread_count * sizeof *events->threads);
}

void quipu__dumpi_events_free(struct quipu__dumpi_pass *pass) {
    struct quipu__dumpi_events *events = pass->events;
    if (!events)
        return;
    quipu__dumpi_requests_release(&events->requests);
    quipu__tokens_release(&events->communicators);
    quipu__tokens_release(&events->files);
    quipu__dumpi_windows_release(&events->windows);
    quipu__buffer_release(&events->text);
    quipu__release(events->memory, events->threads, events->file->thread_count * sizeof *events->threads);
    quipu__release(events->memory, events, sizeof *events);
    pass->events = NULL;
}

/* The most events that a call makes. */
static uint32_t events_limit_of_decoded(const struct quipu__dumpi_current_call *call) {
    const uint32_t requests = HAS(call, requests) ? request_count(call) : 0;
    return EVENTS_OF_A_CALL + requests + 2 * quipu_sized_count(call->common->counters);
}
QUIPU__INLINE uint32_t events_limit(const struct quipu__dumpi_current_call *call) {
    return QUIPU__LIKELY(call->layout != NULL) ? EVENTS_OF_A_CALL + call->request_count
                                               : events_limit_of_decoded(call);
}

/* How many events a batch gets: fewer with attributes, so that they are still in the cache when they are used. */
static uint32_t events_most(const struct quipu__dumpi_events *events, const struct quipu__batch *batch) {
    const uint32_t capacity = batch->batch.capacity;
    return events->wants_attributes && capacity > EVENTS_WITH_ATTRIBUTES ? EVENTS_WITH_ATTRIBUTES : capacity;
}

/* Makes sure that there is room for the call in a batch of that many events; QUIPU_END: in the next batch. */
static enum quipu_status make_room(const struct quipu__dumpi_current_call *call, uint32_t most,
                                   struct quipu__batch *batch, struct quipu_error *err) {
    const uint64_t limit = events_limit(call);
    if (QUIPU__LIKELY(batch->batch.count + limit <= most))
        return QUIPU_OK;
    return batch->batch.count > 0 ? QUIPU_END : quipu__batch_grow(batch, (uint32_t)limit, err);
}

/* Whether a pass counts, at its end, what belongs to no thread: the one that has the events of the first. */
static bool has_first_thread(const struct quipu__dumpi_events *events) {
    return events->threads ? events->threads[0].is_wanted : events->substream == 0;
}

enum quipu_status quipu__dumpi_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                          struct quipu_error *err) {
    struct quipu__dumpi_pass *pass = (struct quipu__dumpi_pass *)common;
    struct quipu__dumpi_events *events = pass->events;
    enum quipu_status status = QUIPU_OK;
    if (!events->threads && !quipu__filter_location(events->filter, events->location))
        return QUIPU_END;
    events->current.batch = batch;
    const uint32_t most = events_most(events, batch);
    while (QUIPU__LIKELY(!events->is_over) || goes_on(events)) {
        if (!events->waits_for_room)
            status = next_call(pass, err);
        if (status == QUIPU_OK) {
            status = make_room(&events->current, most, batch, err);
            events->waits_for_room = status != QUIPU_OK;
        }
        if (status != QUIPU_OK)
            break;
        convert(pass, &events->current);
    }
    common->bytes = quipu__input_offset(pass->walk.input);
    batch->is_selected = quipu__filter_is_of_kinds(events->filter); /* add leaves out the others */
    if (batch->batch.count > 0 && (status == QUIPU_END || events->is_over))
        return QUIPU_OK;
    if (events->is_over)
        return QUIPU_END;
    return status == QUIPU_END && has_first_thread(events) ? quipu__dumpi_count_rest(pass, err) : status;
}
