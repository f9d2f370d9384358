/* requests.h: the active operations of one process, and its windows, by the numbers that the file gives them. A
 * number stands for the value of a handle, which MPI uses again, so a request lives from the call that starts it to
 * the one that completes it, a persistent one to the one that frees it; several sends that were complete at once may
 * even share a number. */
#ifndef QUIPU_DUMPI_REQUESTS_H
#define QUIPU_DUMPI_REQUESTS_H

#include "core/memory/vec.h"
#include "model/define.h"

#include <quipu/model.h>

enum quipu__dumpi_request_kind { QUIPU__DUMPI_NO_REQUEST, QUIPU__DUMPI_SENDING, QUIPU__DUMPI_RECEIVING };

struct quipu__dumpi_request {
    uint8_t kind; /* enum quipu__dumpi_request_kind; none: it is over, the number is free */
    bool is_persistent, was_cancelled;
    uint32_t active; /* operations under way */
    uint32_t group;
    int32_t number;
    int32_t rank, tag; /* of the other side; negative: any, or MPI_PROC_NULL */
    uint64_t bytes;
};

/* A transfer of a file that has begun. */
struct quipu__dumpi_transfer {
    bool is_active;
    bool is_split;  /* found by its file handle, else by a request */
    int32_t number; /* of the one or the other */
    uint32_t file, handle, operation;
    uint64_t offset, bytes, id;
};

struct quipu__dumpi_requests {
    struct quipu__memory *memory;
    struct quipu__tokens requests;                /* request number to index in list */
    struct quipu__tokens transfers;               /* I/O request number to index in transfer_list */
    struct quipu__tokens splits;                  /* file handle to index in transfer_list */
    QUIPU__VEC(struct quipu__dumpi_request) list; /* every number that was ever one */
    QUIPU__VEC(struct quipu__dumpi_transfer) transfer_list;
};

/* What the handles of windows stand for. */
struct quipu__dumpi_window {
    uint16_t handle;
    uint32_t group;
};
struct quipu__dumpi_windows {
    struct quipu__memory *memory;
    struct quipu__tokens handles; /* to index in list */
    QUIPU__VEC(struct quipu__dumpi_window) list;
};

void quipu__dumpi_windows_init(struct quipu__dumpi_windows *windows, struct quipu__memory *memory);
void quipu__dumpi_windows_release(struct quipu__dumpi_windows *windows);
QUIPU_CHECKED bool quipu__dumpi_windows_put(struct quipu__dumpi_windows *windows, uint16_t handle,
                                            uint32_t group);

static inline uint32_t quipu__dumpi_windows_get(const struct quipu__dumpi_windows *windows, uint16_t handle) {
    const uint32_t index = quipu__tokens_get(&windows->handles, handle);
    return index == QUIPU_NONE ? QUIPU_NONE : windows->list.items[index].group;
}

void quipu__dumpi_requests_init(struct quipu__dumpi_requests *requests, struct quipu__memory *memory);
void quipu__dumpi_requests_release(struct quipu__dumpi_requests *requests);

/* The request with a number; NULL when no recorded call made one that is not over yet. */
static inline struct quipu__dumpi_request *quipu__dumpi_request_find(
    const struct quipu__dumpi_requests *requests, int32_t number) {
    const uint32_t index = quipu__tokens_get(&requests->requests, (uint32_t)number);
    if (index == QUIPU_NONE || requests->list.items[index].kind == QUIPU__DUMPI_NO_REQUEST)
        return NULL;
    return &requests->list.items[index];
}

/* A slot for the request with a number that there has not been yet, of kind none; NULL when memory is out. */
struct quipu__dumpi_request *quipu__dumpi_request_add(struct quipu__dumpi_requests *requests, int32_t number);

/* The slot of the request with a number, of kind none when it is new or over; NULL when memory is out. */
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

/* The transfer that began first and is still under way, or NULL. */
struct quipu__dumpi_transfer *quipu__dumpi_transfer_oldest(struct quipu__dumpi_requests *requests);

#endif
