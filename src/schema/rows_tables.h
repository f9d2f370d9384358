/* rows_tables.h: the tables of a format, included once after its records.h: labels, domains, fields and record types. Besides
 * the array that rows_structs.h declares it defines these names in the including file:
 *
 *     domains[], DOMAIN_process, DOMAIN_COUNT     the domains
 *     fields_of_Enter[] the fields of a record, then one of zeros labels_of_dtype[] names of values, then one of zeros */
#include <stddef.h>

#define LABELS_ROW(labels, first, below) static const struct quipu_label labels_of_##labels[] = {
#define LABEL(labels, value, text) {value, text},
#define LABELS_END(labels)                                                                                     \
    { INT64_MAX, NULL }                                                                                        \
    }                                                                                                          \
    ;
#include ROWS_DOMAINS
static const struct quipu_label labels_of_none[] = {{INT64_MAX, NULL}};

enum {
#define DOMAIN_ROW(name, storage, wire, role, word, labels, other) DOMAIN_##name,
#include ROWS_DOMAINS
    DOMAIN_COUNT
};

/* Structs that lists consist of, then a row of zeros. */
static const struct quipu_record_type elements[QUIPU__ROWS_NUMBER(_ELEMENT_COUNT) + 1];

static const struct quipu_domain domains[DOMAIN_COUNT] = {
#define DOMAIN_ROW(of, its_storage, its_wire, its_role, its_word, its_labels, other)                           \
    {.name = #of,                                                                                              \
     .storage = QUIPU_STORE_##its_storage,                                                                     \
     .wire = (uint8_t)(its_wire),                                                                              \
     .role = QUIPU_ROLE_##its_role,                                                                            \
     .word = (its_word),                                                                                       \
     .labels = labels_of_##its_labels,                                                                         \
     .label_count = sizeof labels_of_##its_labels / sizeof *labels_of_##its_labels - 1,                        \
     .other_label = (other)},
#include ROWS_DOMAINS
};

#define BEGIN(record) static const struct quipu_field fields_of_##record[] = {
#define FIELD_ROW(record, c_type, member, its_domain, its_key, its_key_long, presence, its_name, its_shape,    \
                  its_element, its_wire, bytes, its_count, left, right, its_since, its_until, its_doc)         \
    {.name = (its_name),                                                                                       \
     .doc = (its_doc),                                                                                         \
     .domain = &domains[DOMAIN_##its_domain],                                                                  \
     .element = (its_element),                                                                                 \
     .key = (its_key),                                                                                         \
     .key_long = (its_key_long),                                                                               \
     .offset = offsetof(struct QUIPU__ROWS_NAME(_##record), member),                                           \
     .storage = QUIPU__ROWS_NUMBER(_STORAGE_OF_##its_domain),                                                  \
     .wire = (its_wire),                                                                                       \
     .shape = (its_shape),                                                                                     \
     .optional = (its_since) != 0 || (its_until) != 0 || QUIPU__PRESENCE_IS_OPTIONAL(presence),                \
     .count = QUIPU__ROWS_NUMBER(_##record##_##its_count),                                                     \
     .when = QUIPU__ROWS_NUMBER(_##record##_##left),                                                           \
     .equals = QUIPU__ROWS_NUMBER(_##record##_##right),                                                        \
     .since = (its_since),                                                                                     \
     .until = (its_until)},
#define END(record)                                                                                            \
    { .count = -1, .when = -1, .equals = -1 }                                                                  \
    }                                                                                                          \
    ;
#define NUMBER(record, member) QUIPU__ROWS_NUMBER(_##record##_##member)
#define ORDER(record, ...) static const uint8_t record##_order[] = {__VA_ARGS__};
#include ROWS_RECORDS
#undef NUMBER

/* Bytes of the values that are in every record of a type. */
enum {
#define BEGIN(record) FIXED_BYTES_##record = 0
#define FIELD_ROW(record, c_type, member, domain, key, key_long, presence, name, shape, element, wire, bytes,  \
                  ...)                                                                                         \
    +(bytes)
#define END(record) ,
#include ROWS_RECORDS
};

#define QUIPU__ROWS_RECORD_TYPE(record, its_id, its_name, its_group, its_key, its_key_long, its_order,         \
                                its_doc)                                                                       \
    {.name = (its_name),                                                                                       \
     .doc = (its_doc),                                                                                         \
     .id = (its_id),                                                                                           \
     .key = (its_key),                                                                                         \
     .key_long = (its_key_long),                                                                               \
     .fields = fields_of_##record,                                                                             \
     .order = (its_order),                                                                                     \
     .field_count = QUIPU__ROWS_NUMBER(_##record##_FIELDS),                                                    \
     .size = sizeof(struct QUIPU__ROWS_NAME(_##record)),                                                       \
     .fixed_bytes = FIXED_BYTES_##record,                                                                      \
     .group = (its_group)},

static const struct quipu_record_type elements[QUIPU__ROWS_NUMBER(_ELEMENT_COUNT) + 1] = {
#define ELEMENT_ROW(record, name, order, doc)                                                                  \
    QUIPU__ROWS_RECORD_TYPE(record, QUIPU__ROWS_NUMBER(_ELEMENT_##record), name, 0, "", "", order, doc)
#include ROWS_RECORDS
    {.name = NULL},
};

const struct quipu_record_type QUIPU__ROWS_NAME(_types)[QUIPU__ROWS_NUMBER(_TYPE_COUNT)] = {
#define RECORD_ROW(record, id, name, group, key, key_long, order, doc)                                         \
    QUIPU__ROWS_RECORD_TYPE(record, id, name, ROWS_GROUP(group), key, key_long, order, doc)
#include ROWS_RECORDS
};
#undef QUIPU__ROWS_RECORD_TYPE
