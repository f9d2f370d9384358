/* records.h: what records.def, elements.def, types.def and constants.def make: numbers of types and fields, the C
 * structs of all records, and their tables. The struct of a call has the members of the argument struct of DUMPI's
 * own reading library, in the same order and with the same types, so that one can stand for the other. */
#ifndef QUIPU_DUMPI_RECORDS_H
#define QUIPU_DUMPI_RECORDS_H

#include "formats/dumpi/layout.h"
#include "schema/schema.h"

/* Forms in the file beside those of all formats. */
enum quipu__dumpi_wire {
    QUIPU__DUMPI_WIRE_COMMON = QUIPU__WIRE_CUSTOM, /* at the beginning of a call, as its mask says */
    QUIPU__DUMPI_WIRE_ELEMENTS,                    /* i32 number of structs, structs */
    QUIPU__DUMPI_WIRE_STATUSES,                    /* the same, if the mask says so */
    QUIPU__DUMPI_WIRE_ROWS,                        /* the same, each preceded by its number of values */
    QUIPU__DUMPI_WIRE_STRINGS,                     /* strings, as many as another field says */
    QUIPU__DUMPI_WIRE_BARE,  /* one value without a number, as a list; since a version a list */
    QUIPU__DUMPI_WIRE_SLOTS, /* QUIPU__DUMPI_SLOTS values without a number */
    QUIPU__DUMPI_WIRE_RAW    /* all bytes up to the end of the section */
};

/* Forms and widths of the domains: QUIPU__DUMPI_WIRE_OF_i32 and so on. */
enum {
#define QUIPU__DUMPI_IS_I8 QUIPU__WIRE_I8
#define QUIPU__DUMPI_IS_U8 QUIPU__WIRE_U8
#define QUIPU__DUMPI_IS_I16 QUIPU__WIRE_I16
#define QUIPU__DUMPI_IS_U16 QUIPU__WIRE_U16
#define QUIPU__DUMPI_IS_I32 QUIPU__WIRE_I32
#define QUIPU__DUMPI_IS_U32 QUIPU__WIRE_U32
#define QUIPU__DUMPI_IS_64 QUIPU__WIRE_64
#define QUIPU__DUMPI_IS_STRING16 QUIPU__WIRE_STRING16
#define QUIPU__DUMPI_IS_STRING32 QUIPU__WIRE_STRING32
#define QUIPU__DUMPI_IS_COMMON QUIPU__DUMPI_WIRE_COMMON
#define QUIPU__DUMPI_IS_ELEMENTS QUIPU__DUMPI_WIRE_ELEMENTS
#define QUIPU__DUMPI_IS_STATUSES QUIPU__DUMPI_WIRE_STATUSES
#define QUIPU__DUMPI_IS_ROWS QUIPU__DUMPI_WIRE_ROWS
#define QUIPU__DUMPI_IS_RAW QUIPU__DUMPI_WIRE_RAW
#define TYPE(name, storage, wire, role, word, labels, other)                                                   \
    QUIPU__DUMPI_WIRE_OF_##name = QUIPU__DUMPI_IS_##wire,
#include "formats/dumpi/types.def"
};

enum {
#define TYPE(name, storage, wire, role, word, labels, other)                                                   \
    QUIPU__DUMPI_STORAGE_OF_##name = QUIPU_STORE_##storage,
#include "formats/dumpi/types.def"
};

/* Bytes in the file of a value of a domain, 0 for those with a length of their own. */
enum {
#define QUIPU__DUMPI_BYTES_I8 1
#define QUIPU__DUMPI_BYTES_U8 1
#define QUIPU__DUMPI_BYTES_I16 2
#define QUIPU__DUMPI_BYTES_U16 2
#define QUIPU__DUMPI_BYTES_I32 4
#define QUIPU__DUMPI_BYTES_U32 4
#define QUIPU__DUMPI_BYTES_64 8
#define QUIPU__DUMPI_BYTES_STRING16 0
#define QUIPU__DUMPI_BYTES_STRING32 0
#define QUIPU__DUMPI_BYTES_COMMON 0
#define QUIPU__DUMPI_BYTES_ELEMENTS 0
#define QUIPU__DUMPI_BYTES_STATUSES 0
#define QUIPU__DUMPI_BYTES_ROWS 0
#define QUIPU__DUMPI_BYTES_RAW 0
#define TYPE(name, storage, wire, role, word, labels, other)                                                   \
    QUIPU__DUMPI_WIDTH_OF_##name = QUIPU__DUMPI_BYTES_##wire,
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
