/* collectives.c: events of collective and one-sided communication. mapping.def says who sends how many blocks; this file
 * turns that into bytes. */
#include "formats/dumpi/events.h"

/* ---- Collectives ---- */

static uint32_t member_count(const struct quipu__dumpi_current_call *call, uint32_t group) {
    return group == QUIPU_NONE ? 0 : call->events->groups->items[group].member_count;
}

/* The own rank, or -1. */
static int64_t own_rank(const struct quipu__dumpi_current_call *call, uint32_t group) {
    const struct quipu_group *it = group == QUIPU_NONE ? NULL : &call->events->groups->items[group];
    for (uint32_t i = 0; it && i < it->member_count; i++)
        if (it->members[i] == call->events->file->location)
            return i;
    return -1;
}

static bool participates(const struct quipu__dumpi_current_call *call, uint8_t who, uint32_t group,
                         uint32_t root) {
    const bool is_root = root == call->events->file->location;
    switch ((enum quipu__dumpi_who)who) {
    case QUIPU__DUMPI_ALL:
        return true;
    case QUIPU__DUMPI_ROOT:
        return is_root;
    case QUIPU__DUMPI_OTHERS:
        return !is_root;
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
                           uint32_t group, uint32_t root) {
    if (!participates(call, side->who, group, root))
        return 0;
    const int64_t rank = side->blocks == QUIPU__DUMPI_BLOCKS_OWN ? own_rank(call, group) : 0;
    switch ((enum quipu__dumpi_blocks)side->blocks) {
    case QUIPU__DUMPI_BLOCKS_1:
        return quipu__dumpi_bytes_of(call, number_at(call, side->count), handle_at(call, side->datatype));
    case QUIPU__DUMPI_BLOCKS_MEMBERS:
        return member_count(call, group) *
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

/* Of an intercommunicator, the root passes a negative number of its MPI library for "I am the root", and the rest of
 * its side another one for "not me": they cannot be told apart. */
static uint32_t root_of(const struct quipu__dumpi_current_call *call, uint32_t group) {
    return HAS(call, root) ? quipu__dumpi_peer_of(call->events, group, NUMBER(call, root)) : QUIPU_NONE;
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

void quipu__dumpi_on_collective(struct quipu__dumpi_current_call *call) {
    const struct side sent = {call->row->sent_by,          call->row->sent_blocks,
                              QUIPU__DUMPI_USE_sendcount,  QUIPU__DUMPI_USE_sendtype,
                              QUIPU__DUMPI_USE_sendcounts, QUIPU__DUMPI_USE_sendtypes};
    const struct side received = {call->row->received_by,      call->row->received_blocks,
                                  QUIPU__DUMPI_USE_recvcount,  QUIPU__DUMPI_USE_recvtype,
                                  QUIPU__DUMPI_USE_recvcounts, QUIPU__DUMPI_USE_recvtypes};
    const uint32_t group = quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    const uint32_t root = root_of(call, group);
    const uint64_t out = side_bytes(call, &sent, group, root);
    const uint64_t in = side_bytes(call, &received, group, root);
    add_collective(call, QUIPU_KIND_collective_begin, call->start, group, root, out, in);
    add_collective(call, QUIPU_KIND_collective_end, call->stop, group, root, out, in);
    call->events->next_id++;
}

/* ---- One-sided communication ---- */

void quipu__dumpi_on_win_create(struct quipu__dumpi_current_call *call) {
    const uint32_t group = quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    quipu__gate_knows(quipu__dumpi_windows_put(&call->events->windows, (uint16_t)HANDLE(call, win), group));
}

static void add_rma(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    const uint32_t group = quipu__dumpi_windows_get(&call->events->windows, (uint16_t)HANDLE(call, win));
    batch->operation[i] = call->row->operation;
    batch->peer[i] = quipu__dumpi_peer_of(call->events, group, NUMBER(call, dest));
    batch->group[i] = group;
    batch->tag[i] = 0;
    batch->bytes[i] = quipu__dumpi_bytes_of(call, NUMBER(call, count), HANDLE(call, datatype));
    batch->value[i] = QUIPU_UNKNOWN;
}

void quipu__dumpi_on_rma(struct quipu__dumpi_current_call *call) {
    add_rma(call, QUIPU_KIND_rma_begin, call->start);
    add_rma(call, QUIPU_KIND_rma_end, call->stop);
}
