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

#endif
