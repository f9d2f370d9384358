/* fast_calls.h: which calls can be read where they lie. In most records the numbers have fixed offsets, and at most a list of
 * requests and the statuses follow: events can be made of such a call without a struct of its arguments. */
#ifndef QUIPU_DUMPI_FAST_CALLS_H
#define QUIPU_DUMPI_FAST_CALLS_H

#include "formats/dumpi/mapping.h"
#include "formats/dumpi/codec.h"

#define QUIPU__DUMPI_STATUS_BYTES 14

/* An argument as an attribute: all that is the same in every call is made beforehand. Behind the last one of a call comes one
 * of the last form. */
enum quipu__dumpi_argument_form {
    QUIPU__DUMPI_ARGUMENT_NUMBER,
    QUIPU__DUMPI_ARGUMENT_REQUESTS,
    QUIPU__DUMPI_ARGUMENT_STATUSES,
    QUIPU__DUMPI_ARGUMENTS_END
};
struct quipu__dumpi_fast_argument {
    struct quipu_attribute made; /* but for its event and its value */
    uint64_t mask, sign;         /* which bits the number has; its sign bit, 0: it has none */
    uint16_t end;                /* of the number, from the beginning of the numbers */
    uint8_t form;                /* enum quipu__dumpi_argument_form */
    uint8_t numbers;             /* that follow one another from here on, this one included */
};

struct quipu__dumpi_fast_layout {
    uint32_t need; /* bytes of the head and the numbers; QUIPU_NONE: the call has to be decoded */
    uint32_t type;
    const struct quipu__dumpi_call_row *row;
    bool has_requests, has_statuses;          /* which follow in this order */
    uint16_t offsets[QUIPU__DUMPI_USE_COUNT]; /* of the numbers, from their beginning */

    /* In the order of the record's fields: all arguments, and those that the events never carry. */
    const struct quipu__dumpi_fast_argument *arguments, *uncarried;
};

/* The most arguments that a layout has. */
#define QUIPU__DUMPI_ARGUMENTS_MOST 32

/* Makes the layouts of the calls by their number in the file. keys are the attribute keys of the fields of each type, NULL for
 * types without attributes. False when memory is out. */
QUIPU_CHECKED bool quipu__dumpi_fast_layouts_make(
    const struct quipu__binary_codec *codec, uint32_t *const keys[QUIPU__DUMPI_TYPE_COUNT],
    struct quipu__arena *arena, struct quipu__dumpi_fast_layout layouts[QUIPU__DUMPI_ID_LIMIT]);

#endif
