/* records.h: what records.def and types.def make. */
#ifndef QUIPU_PICL_RECORDS_H
#define QUIPU_PICL_RECORDS_H

#include "formats/picl/layout.h"

#include <quipu/model.h>
#include <quipu/schema.h>

/* A record as the file has it, without the end of its line; NULL when it does not come from a file. Borrowed like the record. */
struct quipu__picl_spelling {
    const uint8_t *text;
    size_t len;
};

enum { QUIPU__PICL_GROUP_NEW, QUIPU__PICL_GROUP_OLD };

#define ROWS_RECORDS "formats/picl/records.def"
#define ROWS_DOMAINS "formats/picl/types.def"
#define ROWS_PREFIX quipu__picl_record
#define ROWS_NUMBERS QUIPU__PICL
#define ROWS_TYPES QUIPU__PICL_TYPE
#define ROWS_GROUP(group) QUIPU__PICL_GROUP_##group
#include "schema/rows_structs.h"

extern const struct quipu_schema quipu__picl_schema;

/* The structs of all records of the new and of the old format. */
#define quipu__picl_new quipu__picl_record_user
#define quipu__picl_old quipu__picl_record_trace_start

/* Type of the schema for a record type of the new format, and for a key of the old one from 1 to 24. */
enum quipu__picl_record_type quipu__picl_type_of(int64_t record_type);
static inline enum quipu__picl_record_type quipu__picl_type_of_key(int64_t key) {
    return (enum quipu__picl_record_type)(QUIPU__PICL_TYPE_trace_start + key - 1);
}

#endif
