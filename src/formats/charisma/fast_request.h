/* fast_request.h: the fast path for what traces mostly consist of: an RW record with one request. Where its numbers lie is taken from
 * the machine's plans once, so that each is one load of eight bytes and two shifts; everything else is decoded by the plans. */
#ifndef QUIPU_CHARISMA_FAST_REQUEST_H
#define QUIPU_CHARISMA_FAST_REQUEST_H

#include "formats/charisma/check.h"

enum quipu__charisma_fast_field {
    QUIPU__CHARISMA_FAST_STARTTIME,
    QUIPU__CHARISMA_FAST_ENDTIME,
    QUIPU__CHARISMA_FAST_FILE_DESC,
    QUIPU__CHARISMA_FAST_OPERATION_TYPE,
    QUIPU__CHARISMA_FAST_ASYNC_ID,
    QUIPU__CHARISMA_FAST_APPL_ID,
    QUIPU__CHARISMA_FAST_NUM_CLIENTS,
    QUIPU__CHARISMA_FAST_OFFSET, /* from here on of the request */
    QUIPU__CHARISMA_FAST_MEMORY_OFFSET,
    QUIPU__CHARISMA_FAST_IO_SIZE,
    QUIPU__CHARISMA_FAST_CLIENT_ID,
    QUIPU__CHARISMA_FAST_FIELDS
};

struct quipu__charisma_fast_number {
    uint16_t offset; /* in the record */
    uint8_t shift;   /* of the bits that are not its own */
    uint64_t sign;   /* its highest bit, when it is signed */
};

struct quipu__charisma_fast_request {
    uint32_t bytes;  /* of a record with one request; 0: the machine has numbers that are not for this */
    uint32_t window; /* that must be readable */
    uint8_t type[2]; /* the first bytes of a record of type RW */
    bool is_time_real, is_time_signed;
    struct quipu__charisma_fast_number numbers[QUIPU__CHARISMA_FAST_FIELDS];
    const struct quipu__charisma_fast_loops *loops; /* for the machine's byte order and lengths */
};

/* Bytes, and how many records of them are wanted. */
struct quipu__charisma_span {
    const uint8_t *at, *end;
    uint32_t most;
};

/* A synchronous request of one client on a route, which is good until a record without one is checked. Stamps are bits, as in
 * quipu_number. */
struct quipu__charisma_routed {
    const struct quipu__charisma_route *route;
    int64_t starttime, endtime, offset, IO_size;
    uint64_t memory_offset;
    uint8_t operation_type;
};

/* What the fast path does, for one kind of machine. Records may begin where they are said to, by the function below. */
struct quipu__charisma_fast_loops {
    /* Decodes a record. The list is the caller's. False when it has not one request. */
    bool (*decode)(const struct quipu__charisma_fast_request *fast, const uint8_t *record,
                   struct quipu__charisma_rw *out, struct quipu__charisma_single_request *list);

    /* Decodes and checks a record. offset: its own in the file. */
    bool (*next)(const struct quipu__charisma_fast_request *fast, struct quipu__charisma_check *check,
                 uint64_t offset, const uint8_t *record, union quipu__charisma_any *out,
                 struct quipu__charisma_single_request *list);

    /* Passes over the requests on known routes that the bytes of a span begin with, of which no more is checked; returns how many.
     * offset: of the span in the file. */
    uint32_t (*skip_requests)(const struct quipu__charisma_fast_request *fast,
                              struct quipu__charisma_check *check, uint64_t offset,
                              const struct quipu__charisma_span *span);

    /* The same of synchronous ones, which it checks; says what they are. */
    uint32_t (*next_requests)(const struct quipu__charisma_fast_request *fast,
                              struct quipu__charisma_check *check, uint64_t offset,
                              const struct quipu__charisma_span *span, struct quipu__charisma_routed *out);
};

/* list: where the list of requests begins; bytes: of a record with one request. */
void quipu__charisma_fast_init(struct quipu__charisma_fast_request *fast,
                               const struct quipu__binary_codec *codec, uint32_t list, uint32_t bytes);

/* Whether a record with one request may begin here: all that the fast path looks at can be read. */
QUIPU__INLINE bool quipu__charisma_fast_begins(const struct quipu__charisma_fast_request *fast,
                                               const uint8_t *at, const uint8_t *end) {
    return (size_t)(end - at) >= fast->window && at[0] == fast->type[0] && at[1] == fast->type[1];
}

#endif
