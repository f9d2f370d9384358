/* records.h: what records.def, elements.def, types.def and constants.def make: numbers of types and fields, the C
 * structs of all records, and their tables. The struct of a call has the members of the argument struct of DUMPI's
 * own reading library, in the same order and with the same types, so that one can stand for the other. */
#ifndef QUIPU_DUMPI_RECORDS_H
#define QUIPU_DUMPI_RECORDS_H

#include "formats/dumpi/layout.h"
#include "schema/binary.h"

/* Form in the file, storage and width of the domains: QUIPU__DUMPI_WIRE_OF_i32 and so on. The width is 0 for those with a
 * length of their own. */
enum {
#define TYPE(name, storage, wire, role, word, labels, other)                                                   \
    QUIPU__DUMPI_WIRE_OF_##name = (int)QUIPU__##wire,                                                          \
    QUIPU__DUMPI_STORAGE_OF_##name = (int)QUIPU_STORE_##storage,                                               \
    QUIPU__DUMPI_WIDTH_OF_##name = QUIPU__WIRE_BYTES((int)QUIPU__##wire),
#include "formats/dumpi/types.def"
};

/* The C type of each domain: quipu__dumpi_i32 and so on. */
#define TYPE(name, storage, wire, role, word, labels, other) typedef QUIPU__C_##storage quipu__dumpi_##name;
#include "formats/dumpi/types.def"

/* Numbers of the elements: QUIPU__DUMPI_ELEMENT_status. */
enum quipu__dumpi_element {
#define BEGIN(record, id, title, role, order, doc) QUIPU__DUMPI_ELEMENT_##record,
#include "formats/dumpi/rows.h"
#include "formats/dumpi/elements.def"
#include "formats/dumpi/rows_end.h"
    QUIPU__DUMPI_ELEMENT_COUNT
};

/* Numbers of the record types in the schema: QUIPU__DUMPI_TYPE_send. */
enum quipu__dumpi_type {
#define BEGIN(record, id, title, role, order, doc) QUIPU__DUMPI_TYPE_##record,
#include "formats/dumpi/rows.h"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"
    QUIPU__DUMPI_TYPE_COUNT
};

/* Numbers of the fields: QUIPU__DUMPI_send_count, and how many there are: QUIPU__DUMPI_send_fields. */
#define BEGIN(record, id, title, role, order, doc) enum { QUIPU__DUMPI_##record##_none = -1,
#define ROW(record, c_type, member, name, domain, element, shape, wire, width, count, left, right, since,      \
            until, doc)                                                                                        \
    QUIPU__DUMPI_##record##_##member,
#define END(record)                                                                                            \
    QUIPU__DUMPI_##record##_fields                                                                             \
    }                                                                                                          \
    ;
#include "formats/dumpi/rows.h"
#include "formats/dumpi/elements.def"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"

/* The structs: struct quipu__dumpi_send. */
#define BEGIN(record, id, title, role, order, doc) struct quipu__dumpi_##record {
#define ROW(record, c_type, member, name, domain, element, shape, wire, width, count, left, right, since,      \
            until, doc)                                                                                        \
    c_type member;
#define HIDDEN(record, c_type, member) c_type member;
#define END(record)                                                                                            \
    }                                                                                                          \
    ;
#include "formats/dumpi/rows.h"
#include "formats/dumpi/elements.def"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"

/* Room for the struct of any record. */
union quipu__dumpi_any {
#define BEGIN(record, id, title, role, order, doc) struct quipu__dumpi_##record record;
#include "formats/dumpi/rows.h"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"
};

extern const struct quipu_record_type quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_COUNT];
extern const struct quipu_record_type quipu__dumpi_types[QUIPU__DUMPI_TYPE_COUNT];
extern const struct quipu_schema quipu__dumpi_schema;

/* Role of the region that calls of a type make. */
extern const uint8_t quipu__dumpi_roles[QUIPU__DUMPI_TYPE_COUNT];

/* Type of a call by its number in the file, or QUIPU_NONE. The rows of calls are in the order of their numbers, which
 * leave out 128 and 290. */
static inline uint32_t quipu__dumpi_type_of(uint32_t id) {
    if (id >= QUIPU__DUMPI_ID_LIMIT || id == QUIPU__DUMPI_PCONTROL || id == QUIPU__DUMPI_OLD_END)
        return QUIPU_NONE;
    return id - (id > QUIPU__DUMPI_PCONTROL) - (id > QUIPU__DUMPI_OLD_END);
}

/* What the text tools print for a value of a domain, by its name ("dtype"); NULL when they print the number only. */
const char *quipu__dumpi_label_of(const char *domain, int64_t value);

/* Bytes of a predefined datatype on usual machines, 0 for others. */
int32_t quipu__dumpi_usual_size(uint32_t datatype);

#endif
