/* events.h: converting one call to events: shared by the files that make events. */
#ifndef QUIPU_DUMPI_EVENTS_H
#define QUIPU_DUMPI_EVENTS_H

#include <quipu/model.h>
#include "model/define.h"
#include "core/memory/vec.h"
#include "formats/dumpi/pass.h"
#include "formats/dumpi/wall_clock.h"

/* ---- Requests ---- */

/* The active operations of one process, and its windows, by the numbers that the file gives them. A number stands for
 * the value of a handle, which MPI reuses, so a request lives from the call that starts it to the one that completes it,
 * a persistent one to the one that frees it; several sends that were complete at once may even share a number. */

enum quipu__dumpi_request_kind {
    QUIPU__DUMPI_NO_REQUEST,
    QUIPU__DUMPI_SENDING,
    QUIPU__DUMPI_RECEIVING,
    QUIPU__DUMPI_TOGETHER /* a collective operation: rank is the root's, the tag says which call */
};

struct quipu__dumpi_request {
    uint8_t kind; /* enum quipu__dumpi_request_kind; none: it has ended, the number is free */
    bool is_persistent, was_cancelled;
    uint32_t active; /* operations under way */
    uint32_t group;
    int32_t number;
    int32_t rank, tag; /* of the other side; negative: any, or MPI_PROC_NULL */
    uint64_t bytes;
    uint64_t received, id; /* of a collective operation, whose bytes are those sent */
};

/* A transfer of a file that has begun. */
struct quipu__dumpi_transfer {
    bool is_active;
    bool is_split;  /* found by its file handle, else by a request */
    int32_t number; /* of the handle or request */
    uint32_t file, handle, operation;
    uint64_t offset, bytes, id;
};

struct quipu__dumpi_requests {
    struct quipu__memory *memory;
    struct quipu__tokens requests;                /* request number to index in list */
    struct quipu__tokens transfers;               /* I/O request number to index in transfer_list */
    struct quipu__tokens splits;                  /* file handle to index in transfer_list */
    QUIPU__VEC(struct quipu__dumpi_request) list; /* every number used so far */
    QUIPU__VEC(struct quipu__dumpi_transfer) transfer_list;
};

/* The communicators of windows and, from QUIPU__DUMPI_OF_FILE on, of files, by their handles. */
enum { QUIPU__DUMPI_OF_FILE = 1 << 16, QUIPU__DUMPI_HANDLES_MOST = 1 << 17 };
struct quipu__dumpi_window {
    uint32_t handle;
    uint32_t group;
};
struct quipu__dumpi_windows {
    struct quipu__memory *memory;
    struct quipu__tokens handles; /* to index in list */
    QUIPU__VEC(struct quipu__dumpi_window) list;
};

void quipu__dumpi_windows_init(struct quipu__dumpi_windows *windows, struct quipu__memory *memory);
void quipu__dumpi_windows_release(struct quipu__dumpi_windows *windows);
QUIPU_CHECKED bool quipu__dumpi_windows_put(struct quipu__dumpi_windows *windows, uint32_t handle,
                                            uint32_t group);

static inline uint32_t quipu__dumpi_windows_get(const struct quipu__dumpi_windows *windows, uint32_t handle) {
    const uint32_t index = quipu__tokens_get(&windows->handles, handle);
    return index == QUIPU_NONE ? QUIPU_NONE : windows->list.items[index].group;
}

void quipu__dumpi_requests_init(struct quipu__dumpi_requests *requests, struct quipu__memory *memory);
void quipu__dumpi_requests_release(struct quipu__dumpi_requests *requests);

/* The request with a number; NULL when no recorded call made one that is still active. */
static inline struct quipu__dumpi_request *quipu__dumpi_request_find(
    const struct quipu__dumpi_requests *requests, int32_t number) {
    const uint32_t index = quipu__tokens_get(&requests->requests, (uint32_t)number);
    if (index == QUIPU_NONE || requests->list.items[index].kind == QUIPU__DUMPI_NO_REQUEST)
        return NULL;
    return &requests->list.items[index];
}

/* Adds a slot of kind none for a request with a new number; NULL when memory is out. */
struct quipu__dumpi_request *quipu__dumpi_request_add(struct quipu__dumpi_requests *requests, int32_t number);

/* The slot of the request with a number, of kind none when it is new or has ended; NULL when memory is out. */
static inline struct quipu__dumpi_request *quipu__dumpi_request_at(struct quipu__dumpi_requests *requests,
                                                                   int32_t number) {
    const uint32_t index = quipu__tokens_get(&requests->requests, (uint32_t)number);
    return index == QUIPU_NONE ? quipu__dumpi_request_add(requests, number) : &requests->list.items[index];
}

/* The transfer under an I/O request, or under a file handle when it is split; NULL when there is none. */
struct quipu__dumpi_transfer *quipu__dumpi_transfer_find(const struct quipu__dumpi_requests *requests,
                                                         bool is_split, int32_t number);
struct quipu__dumpi_transfer *quipu__dumpi_transfer_at(struct quipu__dumpi_requests *requests, bool is_split,
                                                       int32_t number);

/* The oldest transfer that is still active, or NULL. */
struct quipu__dumpi_transfer *quipu__dumpi_transfer_oldest(struct quipu__dumpi_requests *requests);

struct quipu__dumpi_events;

/* One call being converted to events: decoded, or read directly from the bytes of the file. */
struct quipu__dumpi_current_call {
    struct quipu__dumpi_events *events;
    struct quipu__batch *batch;
    const struct quipu__dumpi_call_row *row;
    const struct quipu__dumpi_fast_layout *layout; /* of a call read from the file's bytes, else NULL */
    const struct quipu__dumpi_call *common;        /* of a decoded call, else NULL */
    const uint8_t *data;                /* the struct of a decoded call, else the numbers in the file */
    const uint8_t *requests, *statuses; /* in the file */
    uint32_t request_count, status_count;
    struct quipu__dumpi_status status; /* the status being read */
    uint32_t type;
    bool is_shown;     /* its thread is selected */
    quipu_kinds kinds; /* of requested events */
    int64_t start, stop;
    uint64_t offset;
};

/* State of a thread while another one is current, in a pass over all threads. */
struct quipu__dumpi_thread {
    int64_t last_time;
    bool is_inside;
    bool is_wanted; /* and not over yet */
};

/* A cached JSON text of a status, by its bytes in the file: first and last overlap, so all but the two in the middle
 * count twice. */
enum { QUIPU__DUMPI_STATUS_TEXT_BITS = 6, QUIPU__DUMPI_STATUS_TEXT_MOST = 128 };
struct quipu__dumpi_status_text {
    uint64_t first, last; /* eight bytes each */
    uint32_t size;        /* 0: none yet */
    char text[108];       /* the longest has 99, and writing digits may overwrite 8 more */
};

/* The CPU times of a call: at its beginning and its end. */
enum { QUIPU__DUMPI_CPU_TIMES = 2 };

/* State of a pass over the events of one thread, or of all. Requests and handles belong to the process, so it follows
 * the calls of all threads in either case. */
struct quipu__dumpi_events {
    struct quipu__memory *memory;
    struct quipu__dumpi_trace *own;
    const struct quipu__dumpi_file *file;
    const struct quipu_groups *groups;
    const struct quipu__filter *filter;
    uint32_t substream, location;        /* of the current thread; QUIPU_NONE: none yet */
    struct quipu__dumpi_thread *threads; /* in a pass over all of them, else NULL */
    uint32_t threads_wanted;
    bool wants_attributes;
    bool has_window;     /* of time: not all events are wanted */
    bool uses_fast_path; /* calls that can be */
    bool is_inside;      /* of a call without a record: records say what it does */
    bool waits_for_room; /* the call has found no room */
    bool is_over;        /* nothing that follows is wanted, of the thread at hand or, in the end, of any */
    struct quipu__dumpi_wall_clock wall;
    int64_t last_time; /* in the substream, where times do not go back */
    uint64_t next_id;
    struct quipu__dumpi_requests requests;
    struct quipu__tokens communicators, files; /* current meaning of handles */
    struct quipu__dumpi_windows windows;
    uint32_t next_change;
    struct quipu__buffer text;                                /* of attributes */
    struct quipu_attribute cpu_times[QUIPU__DUMPI_CPU_TIMES]; /* attributes without event and value */
    int64_t cpu_bias_ns;
    struct quipu__dumpi_status_text statuses[1 << QUIPU__DUMPI_STATUS_TEXT_BITS];
    struct quipu__dumpi_current_call current;
};

/* ---- Values of a call ---- */

static inline int32_t number_at(const struct quipu__dumpi_current_call *call, enum quipu__dumpi_use use) {
    return call->layout ? (int32_t)quipu__load_be32(call->data + call->layout->offsets[use])
                        : *(const int32_t *)(const void *)(call->data + call->row->offsets[use]);
}
static inline int16_t handle_at(const struct quipu__dumpi_current_call *call, enum quipu__dumpi_use use) {
    return call->layout ? (int16_t)quipu__load_be16(call->data + call->layout->offsets[use])
                        : *(const int16_t *)(const void *)(call->data + call->row->offsets[use]);
}
static inline uint64_t wide_at(const struct quipu__dumpi_current_call *call, enum quipu__dumpi_use use) {
    uint64_t wide;
    if (call->layout)
        return quipu__load_be64(call->data + call->layout->offsets[use]);
    memcpy(&wide, call->data + call->row->offsets[use], sizeof wide);
    return wide;
}

/* Only decoded calls have lists other than those of requests and statuses. */
static inline const void *list_at(const struct quipu__dumpi_current_call *call, enum quipu__dumpi_use use) {
    const void *list;
    memcpy(&list, call->data + call->row->offsets[use], sizeof list);
    return list;
}

#define NUMBER(call, use) number_at(call, QUIPU__DUMPI_USE_##use)
#define HANDLE(call, use) handle_at(call, QUIPU__DUMPI_USE_##use)
#define WIDE(call, use) wide_at(call, QUIPU__DUMPI_USE_##use)
#define LIST(call, use) list_at(call, QUIPU__DUMPI_USE_##use)
#define HAS(call, use) QUIPU__DUMPI_HAS((call)->row, use)

/* The requests of a call that has several. */
static inline uint32_t request_count(const struct quipu__dumpi_current_call *call) {
    return call->layout ? call->request_count : quipu_sized_count(LIST(call, requests));
}
static inline int32_t request_at(const struct quipu__dumpi_current_call *call, uint32_t index) {
    return call->layout ? (int32_t)quipu__load_be32(call->requests + (size_t)index * 4)
                        : ((const int32_t *)LIST(call, requests))[index];
}

/* A status from its bytes in the file. */
static inline struct quipu__dumpi_status load_status(const uint8_t *at) {
    return (struct quipu__dumpi_status){.bytes = (int32_t)quipu__load_be32(at),
                                        .source = (int32_t)quipu__load_be32(at + 4),
                                        .cancelled = (int8_t)at[8],
                                        .error = (int8_t)at[9],
                                        .tag = (int32_t)quipu__load_be32(at + 10)};
}

/* A status, or NULL when it was ignored. */
static inline const struct quipu__dumpi_status *status_at(struct quipu__dumpi_current_call *call,
                                                          uint32_t index) {
    if (call->layout) {
        if (index >= call->status_count)
            return NULL;
        call->status = load_status(call->statuses + (size_t)index * QUIPU__DUMPI_STATUS_BYTES);
        return &call->status;
    }
    const struct quipu__dumpi_status *statuses = HAS(call, status) ? LIST(call, status) : NULL;
    return index < quipu_sized_count(statuses) ? &statuses[index] : NULL;
}

/* Calls with a flag complete something only when it is set. */
static inline bool has_completed(const struct quipu__dumpi_current_call *call) {
    return !HAS(call, flag) || NUMBER(call, flag) != 0;
}

/* ---- Completions: which requests of a Wait or Test are complete ---- */

typedef void quipu__dumpi_complete_fn(struct quipu__dumpi_current_call *call, int32_t request, uint32_t status);

/* complete is a constant, so that each becomes one loop. */
QUIPU__INLINE void complete_one(struct quipu__dumpi_current_call *call, quipu__dumpi_complete_fn *complete) {
    if (has_completed(call))
        complete(call, NUMBER(call, waited), 0);
}
QUIPU__INLINE void complete_any(struct quipu__dumpi_current_call *call, quipu__dumpi_complete_fn *complete) {
    const int32_t index = NUMBER(call, index);
    if (has_completed(call) && index >= 0 && (uint32_t)index < request_count(call))
        complete(call, request_at(call, (uint32_t)index), 0);
}
QUIPU__INLINE void complete_all(struct quipu__dumpi_current_call *call, quipu__dumpi_complete_fn *complete) {
    for (uint32_t i = 0; has_completed(call) && i < request_count(call); i++)
        complete(call, request_at(call, i), i);
}
QUIPU__INLINE void complete_some(struct quipu__dumpi_current_call *call, quipu__dumpi_complete_fn *complete) {
    const int32_t *indices = LIST(call, indices);
    for (uint32_t i = 0; i < quipu_sized_count(indices); i++)
        if (indices[i] >= 0 && (uint32_t)indices[i] < request_count(call))
            complete(call, request_at(call, (uint32_t)indices[i]), i);
}

/* ---- Adding events ---- */

static inline bool wants(const struct quipu__dumpi_current_call *call, enum quipu_kind kind) {
    return (call->kinds >> kind & 1) != 0;
}

/* Index of the new event in the batch. */
QUIPU__INLINE uint32_t add_wanted(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time) {
    return quipu__batch_add(&call->batch->batch, time, kind, call->events->location, call->offset);
}

/* The same, or QUIPU_NONE when the event is not requested. */
QUIPU__INLINE uint32_t add(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time) {
    return wants(call, kind) ? add_wanted(call, kind, time) : QUIPU_NONE;
}

/* ---- Sizes ---- */

static inline uint64_t quipu__dumpi_size_of(const struct quipu__dumpi_file *file, int16_t datatype) {
    const uint32_t number = (uint16_t)datatype;
    if (number < file->size_count && file->sizes[number] > 0)
        return (uint64_t)file->sizes[number];
    return (uint64_t)quipu__dumpi_default_size(number);
}

static inline uint64_t quipu__dumpi_bytes_of(const struct quipu__dumpi_current_call *call, int32_t count,
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

/* Ranks in an intercommunicator are those of the other side. */
static inline uint32_t quipu__dumpi_peer_of(const struct quipu__dumpi_events *events, uint32_t group,
                                            int32_t rank) {
    if (group == QUIPU_NONE || rank < 0)
        return QUIPU_NONE;
    const struct quipu_group *it = &events->groups->items[group];
    if (it->remote_members)
        return (uint32_t)rank < it->remote_member_count ? it->remote_members[rank] : QUIPU_NONE;
    return (uint32_t)rank < it->member_count ? it->members[rank] : QUIPU_NONE;
}

/* With how many a member of a group exchanges data: those of the other side, where there is one. */
static inline uint32_t quipu__dumpi_partner_count(const struct quipu__dumpi_events *events, uint32_t group) {
    const struct quipu_group *it = group == QUIPU_NONE ? NULL : &events->groups->items[group];
    if (!it)
        return 0;
    return it->remote_members ? it->remote_member_count : it->member_count;
}

/* ---- Attributes ---- */

/* Prepares what is the same in the attributes of all calls. */
void quipu__dumpi_prepare_attributes(struct quipu__dumpi_events *events);

/* Add attributes to the enter event, which was added last: of a decoded call, and of one that is read from the bytes of
 * the file. */
void quipu__dumpi_add_attributes(struct quipu__dumpi_current_call *call);

/* Adds where it was made, to the enter at the end of the batch; nothing for keys without a label. */
void quipu__dumpi_add_call_site(struct quipu__dumpi_current_call *call);
void quipu__dumpi_add_fast_attributes(struct quipu__dumpi_current_call *call);

/* ---- What each class of calls does ---- */

/* The request of a transfer is complete. */
void quipu__dumpi_end_transfer(struct quipu__dumpi_current_call *call, struct quipu__dumpi_transfer *transfer,
                               const struct quipu__dumpi_status *status);

typedef void quipu__dumpi_event_fn(struct quipu__dumpi_current_call *call);

/* transfers.c: the classes of windows and files, from WIN_CREATE to IO_WAITSOME. */
extern quipu__dumpi_event_fn *const quipu__dumpi_transfer_classes[];

#endif
