/* records.h: what records.def and types.def make: numbers of types and fields, the C structs of all records and their tables. */
#ifndef QUIPU_OVNI_RECORDS_H
#define QUIPU_OVNI_RECORDS_H

#include "schema/binary.h"

#define ROWS_RECORDS "formats/ovni/records.def"
#define ROWS_DOMAINS "formats/ovni/types.def"
#define ROWS_PREFIX quipu__ovni_record
#define ROWS_NUMBERS QUIPU__OVNI_RECORD
#define ROWS_TYPES QUIPU__OVNI_RECORD_TYPE
#define ROWS_GROUP(group) 0
#include "schema/rows_structs.h"

extern const struct quipu_schema quipu__ovni_schema;

#endif
