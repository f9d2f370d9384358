/* fast_request.h: the fast path for what traces mostly consist of: an RW record with one request. Where its numbers lie is taken from
 * the machine's plans once, so that each is one load of eight bytes and two shifts; everything else is decoded by the plans. */
#ifndef QUIPU_CHARISMA_FAST_REQUEST_H
#define QUIPU_CHARISMA_FAST_REQUEST_H

#include "formats/charisma/compressed_rw.h"

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
    bool is_big_endian;
    bool
        is_wide; /* stamps, offsets, sizes and numbers of asynchronous requests have eight bytes, other numbers four */
    uint8_t time_kind; /* enum quipu__number_kind */
    struct quipu__charisma_fast_number numbers[QUIPU__CHARISMA_FAST_FIELDS];
};

/* list: where the list of requests begins; bytes: of a record with one request. */
void quipu__charisma_fast_init(struct quipu__charisma_fast_request *fast,
                               const struct quipu__binary_codec *codec, uint32_t list, uint32_t bytes);

/* Decodes a record of type RW. The list is the caller's. False when it has not one request. */
bool quipu__charisma_fast_decode(const struct quipu__charisma_fast_request *fast, const uint8_t *record,
                                 struct quipu__charisma_rw *out, struct quipu__charisma_single_request *list);

#endif
