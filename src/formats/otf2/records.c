/* records.c: the tables that records.def and types.def make. Data only. */
#include "formats/otf2/records.h"
#include "schema/rows_tables.h"

const struct quipu_schema quipu__otf2_schema = {
    .name = "otf2", .types = quipu__otf2_types, .type_count = QUIPU__OTF2_TYPE_COUNT};
