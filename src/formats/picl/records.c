/* records.c: the tables that records.def and types.def make. Data only, except for one look-up. */
#include "formats/picl/records.h"
#include "schema/rows_tables.h"

const struct quipu_schema quipu__picl_schema = {
    .name = "picl",
    .types = quipu__picl_record_types,
    .type_count = QUIPU__PICL_TYPE_COUNT,
};

enum quipu__picl_record_type quipu__picl_type_of(int64_t record_type) {
    if (record_type >= 0)
        return QUIPU__PICL_TYPE_user;
    for (unsigned type = QUIPU__PICL_TYPE_mark; type < QUIPU__PICL_TYPE_unassigned; type++)
        if (record_type == -(int64_t)quipu__picl_record_types[type].id)
            return (enum quipu__picl_record_type)type;
    return QUIPU__PICL_TYPE_unassigned;
}
