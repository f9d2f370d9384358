/* records.c: the tables that records.def and types.def make. Data only. */
#include "formats/charisma/records.h"
#include "schema/rows_tables.h"

const struct quipu_schema quipu__charisma_schema = {
    .name = "charisma", .types = quipu__charisma_types, .type_count = QUIPU__CHARISMA_TYPE_COUNT};
