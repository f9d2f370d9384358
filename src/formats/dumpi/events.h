/* events.h: one call on its way to events: what the files that make events share. */
#ifndef QUIPU_DUMPI_EVENTS_H
#define QUIPU_DUMPI_EVENTS_H

#include "formats/dumpi/calls.h"
#include "formats/dumpi/pass.h"
#include "formats/dumpi/requests.h"

/* What a pass over the events of one thread keeps in mind. Requests and handles belong to the process, so it follows
 * the calls of all threads. */
struct quipu__dumpi_events {
    struct quipu__memory *memory;
    struct quipu__dumpi_trace *own;
    const struct quipu__dumpi_file *file;
    const struct quipu_groups *groups;
    const struct quipu__filter *filter;
    uint32_t lane, location;
    bool wants_attributes;
    bool is_pending; /* the decoder holds a call that found no room */
    int64_t rollover_ns, last_stop;
    int64_t last_time; /* in the lane: there it does not go back */
    uint64_t next_id;
    struct quipu__dumpi_requests requests;
    struct quipu__tokens communicators, files; /* what handles stand for now */
    struct quipu__dumpi_windows windows;
    uint32_t next_change;
    struct quipu__buffer text; /* of attributes */
};

/* One call on its way to events. */
struct quipu__dumpi_now {
    struct quipu__dumpi_events *events;
    struct quipu__batch *batch;
    const struct quipu__dumpi_call_row *row;
    const uint8_t *data;
    uint32_t type;
    bool is_shown; /* its thread is the lane's */
    int64_t start, stop;
    uint64_t at;
};

/* ---- Values of a call ---- */

static inline int32_t number_at(const struct quipu__dumpi_now *call, enum quipu__dumpi_use use) {
    return *(const int32_t *)(const void *)(call->data + call->row->at[use]);
}
static inline int16_t handle_at(const struct quipu__dumpi_now *call, enum quipu__dumpi_use use) {
    return *(const int16_t *)(const void *)(call->data + call->row->at[use]);
}
static inline const void *list_at(const struct quipu__dumpi_now *call, enum quipu__dumpi_use use) {
    const void *list;
    memcpy(&list, call->data + call->row->at[use], sizeof list);
    return list;
}

#define NUMBER(call, use) number_at(call, QUIPU__DUMPI_USE_##use)
#define HANDLE(call, use) handle_at(call, QUIPU__DUMPI_USE_##use)
#define LIST(call, use) list_at(call, QUIPU__DUMPI_USE_##use)
#define HAS(call, use) QUIPU__DUMPI_HAS((call)->row, use)

/* What a status says, or NULL when it was ignored. */
static inline const struct quipu__dumpi_status *status_at(const struct quipu__dumpi_now *call, uint32_t index) {
    const struct quipu__dumpi_status *statuses = HAS(call, status) ? LIST(call, status) : NULL;
    return index < quipu_sized_count(statuses) ? &statuses[index] : NULL;
}

/* Calls with a flag complete something only when it is set. */
static inline bool has_completed(const struct quipu__dumpi_now *call) {
    return !HAS(call, flag) || NUMBER(call, flag) != 0;
}

/* ---- Time ---- */

/* 16-bit seconds: a clock that falls back by more than half of their range rolled over. More roll-overs than 72 years have
 * are damage; times, their sums and differences stay in range. */
#define QUIPU__DUMPI_ROLLOVER_NS (INT64_C(65536) * 1000000000)
#define QUIPU__DUMPI_ROLLOVERS 35000

/* ---- Adding events ---- */

/* Index of the new event in the batch, or QUIPU_NONE when it is not wanted. */
static inline uint32_t add(struct quipu__dumpi_now *call, enum quipu_kind kind, int64_t time) {
    struct quipu__dumpi_events *events = call->events;
    if (!call->is_shown || !quipu__filter_kind(events->filter, kind))
        return QUIPU_NONE;
    return quipu__batch_add(&call->batch->batch, time, kind, events->location, call->at);
}

/* ---- Sizes ---- */

static inline uint64_t quipu__dumpi_size_of(const struct quipu__dumpi_file *file, int16_t datatype) {
    const uint32_t number = (uint16_t)datatype;
    if (number < file->size_count && file->sizes[number] > 0)
        return (uint64_t)file->sizes[number];
    return (uint64_t)quipu__dumpi_usual_size(number);
}

static inline uint64_t quipu__dumpi_bytes_of(const struct quipu__dumpi_now *call, int32_t count,
                                             int16_t datatype) {
    return count > 0 ? (uint64_t)count * quipu__dumpi_size_of(call->events->file, datatype) : 0;
}

/* ---- Groups and peers ---- */

static inline uint32_t quipu__dumpi_group_of(const struct quipu__dumpi_events *events, int16_t comm) {
    if (comm == QUIPU__DUMPI_COMM_WORLD)
        return events->own->world;
    if (comm == QUIPU__DUMPI_COMM_SELF)
        return events->file->self;
    return quipu__tokens_get(&events->communicators, (uint16_t)comm);
}

/* Ranks of an intercommunicator are those of the other side. */
static inline uint32_t quipu__dumpi_peer_of(const struct quipu__dumpi_events *events, uint32_t group,
                                            int32_t rank) {
    if (group == QUIPU_NONE || rank < 0)
        return QUIPU_NONE;
    const struct quipu_group *it = &events->groups->at[group];
    if (it->remote_members)
        return (uint32_t)rank < it->remote_member_count ? it->remote_members[rank] : QUIPU_NONE;
    return (uint32_t)rank < it->member_count ? it->members[rank] : QUIPU_NONE;
}

/* ---- What each class of calls does ---- */

/* The request of a transfer is complete. */
void quipu__dumpi_end_transfer(struct quipu__dumpi_now *call, struct quipu__dumpi_transfer *transfer,
                               const struct quipu__dumpi_status *status);

typedef void quipu__dumpi_event_fn(struct quipu__dumpi_now *call);
quipu__dumpi_event_fn quipu__dumpi_on_send, quipu__dumpi_on_recv, quipu__dumpi_on_isend, quipu__dumpi_on_irecv,
    quipu__dumpi_on_send_init, quipu__dumpi_on_recv_init, quipu__dumpi_on_start, quipu__dumpi_on_startall,
    quipu__dumpi_on_sendrecv, quipu__dumpi_on_wait, quipu__dumpi_on_waitany, quipu__dumpi_on_waitall,
    quipu__dumpi_on_waitsome, quipu__dumpi_on_request_free, quipu__dumpi_on_cancel, quipu__dumpi_on_collective,
    quipu__dumpi_on_win_create, quipu__dumpi_on_rma, quipu__dumpi_on_io_open, quipu__dumpi_on_io_close,
    quipu__dumpi_on_io_unlink, quipu__dumpi_on_io_resize, quipu__dumpi_on_io, quipu__dumpi_on_io_start,
    quipu__dumpi_on_io_begin, quipu__dumpi_on_io_end, quipu__dumpi_on_io_wait, quipu__dumpi_on_io_waitany,
    quipu__dumpi_on_io_waitall, quipu__dumpi_on_io_waitsome;

#endif
