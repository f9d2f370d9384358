/* rows_structs.h: the C types of a format's tables: numbers of types and fields, structs, and a union of them. A format's
 * records.h says where its rows are and how its names begin, and includes this file once:
 *
 *     #define ROWS_RECORDS "formats/name/records.def"
 *     #define ROWS_DOMAINS "formats/name/types.def"
 *     #define ROWS_PREFIX quipu__name                  struct quipu__name_Enter, union quipu__name_any, quipu__name_c_process
 *     #define ROWS_NUMBERS QUIPU__NAME                 QUIPU__NAME_Enter_function, QUIPU__NAME_Enter_FIELDS, ..._none is -1
 *     #define ROWS_TYPES QUIPU__NAME_TYPE              QUIPU__NAME_TYPE_Enter, QUIPU__NAME_TYPE_COUNT
 *     #define ROWS_GROUP(group) QUIPU__NAME_##group    the group of a record type as a number
 *
 * They stay defined: rows_tables.h, and other code that expands the rows, need them too. */
#include "schema/binary.h"

#define QUIPU__ROWS_JOIN(left, right) QUIPU__ROWS_JOIN_EXPANDED(left, right)
#define QUIPU__ROWS_JOIN_EXPANDED(left, right) left##right
#define QUIPU__ROWS_NAME(suffix) QUIPU__ROWS_JOIN(ROWS_PREFIX, suffix)
#define QUIPU__ROWS_NUMBER(suffix) QUIPU__ROWS_JOIN(ROWS_NUMBERS, suffix)
#define QUIPU__ROWS_TYPE(suffix) QUIPU__ROWS_JOIN(ROWS_TYPES, suffix)

/* The C type of a domain's values, and of lists of them. */
#define QUIPU__ROWS_C(domain) QUIPU__ROWS_NAME(_c_##domain)
#define QUIPU__ROWS_C_LIST(domain) const QUIPU__ROWS_NAME(_c_##domain) *
#define QUIPU__ROWS_STRUCT_LIST(element) const struct QUIPU__ROWS_NAME(_##element) *
#define QUIPU__ROWS_ELEMENT(element) (&elements[QUIPU__ROWS_NUMBER(_ELEMENT_##element)])
#define QUIPU__ROWS_WIRE_OF(domain) QUIPU__ROWS_NUMBER(_WIRE_OF_##domain)
#define QUIPU__ROWS_BYTES_OF(domain) QUIPU__ROWS_NUMBER(_BYTES_OF_##domain)

/* Form in the file and storage of the domains, and the bytes of a value in every file: 0 for variable length. */
enum {
#define DOMAIN_ROW(name, storage, wire, role, word, labels, other)                                             \
    QUIPU__ROWS_NUMBER(_WIRE_OF_##name) = (int)wire,                                                           \
    QUIPU__ROWS_NUMBER(_STORAGE_OF_##name) = (int)QUIPU_STORE_##storage,                                       \
    QUIPU__ROWS_NUMBER(_BYTES_OF_##name) = QUIPU__WIRE_BYTES((int)wire),
#include ROWS_DOMAINS
};

/* The C type of each domain. */
#define DOMAIN_ROW(name, storage, wire, role, word, labels, other)                                             \
    typedef QUIPU__C_##storage QUIPU__ROWS_NAME(_c_##name);
#include ROWS_DOMAINS

/* Numbers of the elements of lists. */
enum QUIPU__ROWS_NAME(_element) {
#define ELEMENT_ROW(record, name, order, doc) QUIPU__ROWS_NUMBER(_ELEMENT_##record),
#include ROWS_RECORDS
    QUIPU__ROWS_NUMBER(_ELEMENT_COUNT)
};

/* Numbers of the record types in the schema. */
enum QUIPU__ROWS_NAME(_type) {
#define RECORD_ROW(record, id, name, group, key, key_long, order, doc) QUIPU__ROWS_TYPE(_##record),
#include ROWS_RECORDS
    QUIPU__ROWS_NUMBER(_TYPE_COUNT)
};

/* Numbers of the fields of each record, and how many there are. */
#define BEGIN(record) enum { QUIPU__ROWS_NUMBER(_##record##_none) = -1,
#define FIELD_ROW(record, c_type, member, ...) QUIPU__ROWS_NUMBER(_##record##_##member),
#define END(record)                                                                                            \
    QUIPU__ROWS_NUMBER(_##record##_FIELDS)                                                                     \
    }                                                                                                          \
    ;
#include ROWS_RECORDS

/* The structs. Lists and strings are sized memory. */
#define BEGIN(record) struct QUIPU__ROWS_NAME(_##record) {
#define FIELD_ROW(record, c_type, member, ...) c_type member;
#define HIDDEN(record, member, c_type) c_type member;
#define END(record)                                                                                            \
    }                                                                                                          \
    ;
#include ROWS_RECORDS

/* Room for the struct of any record. */
union QUIPU__ROWS_NAME(_any) {
#define RECORD_ROW(record, id, name, group, key, key_long, order, doc)                                         \
    struct QUIPU__ROWS_NAME(_##record) record;
#include ROWS_RECORDS
};

/* The table that rows_tables.h makes. */
extern const struct quipu_record_type QUIPU__ROWS_NAME(_types)[QUIPU__ROWS_NUMBER(_TYPE_COUNT)];
