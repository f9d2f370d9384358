/* records.h: what records.def, types.def and wires.def make: numbers of types and fields, the C structs of all records and
 * their tables. The number of a type in the schema is its number in a file, except for COMP_RW, whose number is in the
 * profile. */
#ifndef QUIPU_CHARISMA_RECORDS_H
#define QUIPU_CHARISMA_RECORDS_H

#include "formats/charisma/layout.h"
#include "schema/binary.h"

/* The machine's types, QUIPU__CHARISMA_WIRE_BigInt and so on, after those that are the same on every machine. */
enum quipu__charisma_wire {
    QUIPU__CHARISMA_WIRE_NONE = QUIPU__WIRE_COUNT - 1,
#define WIRE(name) QUIPU__CHARISMA_WIRE_##name,
#include "formats/charisma/wires.def"
#undef WIRE
    QUIPU__CHARISMA_WIRE_COUNT
};
#define QUIPU__CHARISMA_WIRE_FIRST (QUIPU__CHARISMA_WIRE_NONE + 1)

#define ROWS_RECORDS "formats/charisma/records.def"
#define ROWS_DOMAINS "formats/charisma/types.def"
#define ROWS_PREFIX quipu__charisma
#define ROWS_NUMBERS QUIPU__CHARISMA
#define ROWS_TYPES QUIPU__CHARISMA_TYPE
#define ROWS_GROUP(group) 0
#include "schema/rows_structs.h"

extern const struct quipu_schema quipu__charisma_schema;

#endif
