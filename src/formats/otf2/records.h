/* records.h: what records.def and types.def make: numbers of types and fields, the C structs of all records and their tables. */
#ifndef QUIPU_OTF2_RECORDS_H
#define QUIPU_OTF2_RECORDS_H

#include "schema/binary.h"

/* Where a record type lies: files of events, the global definitions, definitions of a location, markers. */
enum quipu__otf2_group {
    QUIPU__OTF2_GROUP_EVENT,
    QUIPU__OTF2_GROUP_DEFINITION,
    QUIPU__OTF2_GROUP_LOCAL,
    QUIPU__OTF2_GROUP_MARKER
};

#define ROWS_RECORDS "formats/otf2/records.def"
#define ROWS_DOMAINS "formats/otf2/types.def"
#define ROWS_PREFIX quipu__otf2
#define ROWS_NUMBERS QUIPU__OTF2
#define ROWS_TYPES QUIPU__OTF2_TYPE
#define ROWS_GROUP(group) QUIPU__OTF2_GROUP_##group
#include "schema/rows_structs.h"

extern const struct quipu_schema quipu__otf2_schema;

#endif
