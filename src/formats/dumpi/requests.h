/* requests.h: the pending operations of one process, by the numbers that the file gives them. A number stands for the
 * value of a handle, which MPI uses again, so a request lives from the call that starts it to the one that completes
 * it; several sends that were complete at once may even share a number. */
#ifndef QUIPU_DUMPI_REQUESTS_H
#define QUIPU_DUMPI_REQUESTS_H

#include "core/vec.h"
#include "model/define.h"

#include <quipu/model.h>

enum quipu__dumpi_request_kind { QUIPU__DUMPI_NO_REQUEST, QUIPU__DUMPI_SENDING, QUIPU__DUMPI_RECEIVING };

struct quipu__dumpi_request {
    uint8_t kind; /* enum quipu__dumpi_request_kind */
    bool is_persistent, was_cancelled;
    uint32_t active; /* operations under way */
    uint32_t group;
    int32_t rank, tag; /* of the other side; negative: any, or nobody */
    uint64_t bytes;
};

/* A transfer of a file that has begun. */
struct quipu__dumpi_transfer {
    bool is_active;
    uint32_t file, handle, operation;
    uint64_t offset, bytes, id;
};

struct quipu__dumpi_requests {
    struct quipu__memory *memory;
    struct quipu__tokens requests;  /* request number to index in list */
    struct quipu__tokens transfers; /* I/O request number to index in transfer_list */
    struct quipu__tokens splits;    /* file handle to index in transfer_list */
    QUIPU__VEC(struct quipu__dumpi_request) list;
    QUIPU__VEC(struct quipu__dumpi_transfer) transfer_list;
};

void quipu__dumpi_requests_init(struct quipu__dumpi_requests *requests, struct quipu__memory *memory);
void quipu__dumpi_requests_release(struct quipu__dumpi_requests *requests);

/* The request with a number; NULL when no recorded call made one. */
static inline struct quipu__dumpi_request *quipu__dumpi_request_find(
    const struct quipu__dumpi_requests *requests, int32_t number) {
    const uint32_t index = quipu__tokens_get(&requests->requests, (uint32_t)number);
    return index == QUIPU_NONE ? NULL : &requests->list.at[index];
}

/* The same, made when there is none; NULL when memory is out. */
struct quipu__dumpi_request *quipu__dumpi_request_at(struct quipu__dumpi_requests *requests, int32_t number);

/* The transfer under an I/O request or a file handle: the number is a token of the given list. */
struct quipu__dumpi_transfer *quipu__dumpi_transfer_find(struct quipu__dumpi_requests *requests,
                                                         const struct quipu__tokens *tokens, int32_t number);
struct quipu__dumpi_transfer *quipu__dumpi_transfer_at(struct quipu__dumpi_requests *requests,
                                                       struct quipu__tokens *tokens, int32_t number);

/* The transfer that began first and is still under way, or NULL. */
struct quipu__dumpi_transfer *quipu__dumpi_transfer_oldest(struct quipu__dumpi_requests *requests);

#endif
