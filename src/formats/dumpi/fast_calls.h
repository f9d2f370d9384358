/* fast_calls.h: which calls can be read where they lie. In most records the numbers have fixed offsets, and at most a list of
 * requests and the statuses follow: events can be made of such a call without a struct of its arguments. */
#ifndef QUIPU_DUMPI_FAST_CALLS_H
#define QUIPU_DUMPI_FAST_CALLS_H

#include "formats/dumpi/mapping.h"
#include "formats/dumpi/codec.h"

#define QUIPU__DUMPI_STATUS_BYTES 14

struct quipu__dumpi_fast_layout {
    uint32_t need; /* bytes of the head and the numbers; QUIPU_NONE: the call has to be decoded */
    uint32_t type;
    const struct quipu__dumpi_call_row *row;
    bool has_requests, has_statuses;          /* which follow in this order */
    uint16_t offsets[QUIPU__DUMPI_USE_COUNT]; /* of the numbers, from their beginning */
};

/* The layouts of the calls by their number in the file. */
void quipu__dumpi_fast_layouts_make(const struct quipu__binary_codec *codec,
                                    struct quipu__dumpi_fast_layout layouts[QUIPU__DUMPI_ID_LIMIT]);

#endif
