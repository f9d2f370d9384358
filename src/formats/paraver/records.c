/* records.c: the tables that records.def and domains.def make. Data only. */
#include "formats/paraver/records.h"
#include "schema/rows_tables.h"

const struct quipu_schema quipu__paraver_schema = {
    .name = "paraver",
    .types = quipu__prv_record_types,
    .type_count = QUIPU__PRV_TYPE_COUNT,
};
