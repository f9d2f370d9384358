/* records.c: the tables that records.def and types.def make. Data only. */
#include "formats/ovni/records.h"
#include "schema/rows_tables.h"

const struct quipu_schema quipu__ovni_schema = {
    .name = "ovni", .types = quipu__ovni_record_types, .type_count = QUIPU__OVNI_RECORD_TYPE_COUNT};
