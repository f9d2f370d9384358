/* mapping.h: the rows of mapping.def. */
#ifndef QUIPU_OTF2_MAPPING_H
#define QUIPU_OTF2_MAPPING_H

#include "formats/otf2/format.h"

enum quipu__otf2_meaning {
    QUIPU__OTF2_IS_number,
    QUIPU__OTF2_IS_region,
    QUIPU__OTF2_IS_context,
    QUIPU__OTF2_IS_comm,
    QUIPU__OTF2_IS_window,
    QUIPU__OTF2_IS_peer,
    QUIPU__OTF2_IS_handle_file,
    QUIPU__OTF2_IS_io_file,
    QUIPU__OTF2_IS_marker,
    QUIPU__OTF2_IS_collective,
    QUIPU__OTF2_IS_io_operation
};

struct quipu__otf2_column {
    uint8_t field, column, meaning;
};

struct quipu__otf2_row {
    uint8_t kind, operation;                  /* plus 1; 0: none */
    uint16_t has;                             /* bits of the fields that are no attributes */
    const struct quipu__otf2_column *columns; /* one with the field FIELDS_MOST behind them */
};
extern const struct quipu__otf2_row quipu__otf2_rows[QUIPU__OTF2_TYPE_COUNT];

/* Whether of a beginning, given by its number, it is known that its end is far, or that there is none: then it has what the end says. */
static inline bool quipu__otf2_begin_far(struct quipu__otf2_pass *pass, uint32_t event, uint64_t number) {
    while (pass->next_far < pass->far.count && pass->far.items[pass->next_far].number < number)
        pass->next_far++;
    if (pass->next_far >= pass->far.count || pass->far.items[pass->next_far].number != number)
        return false;
    struct quipu__otf2_far *far = &pass->far.items[pass->next_far];
    far->region = pass->batch->batch.object[event];
    quipu__otf2_set_end(&pass->batch->batch, event, far);
    pass->has_failed |= !quipu__map_put(&pass->far_of, far->id, (uint32_t)pass->next_far);
    return true;
}

#endif
