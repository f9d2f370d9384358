/* records.c: the tables that records.def, types.def and older.def expand to. */
#include "formats/otf/records.h"

#include <stddef.h>

/* ---- Domains ---- */

#define DOMAIN(name, storage, role, word)
#define LABELED(name, storage, role, word) static const struct quipu_label name##_labels[] = {
#define LABEL(domain, value, text) {value, text},
#define LABEL_END(domain)                                                                                      \
    }                                                                                                          \
    ;
#include "formats/otf/types.def"
#undef DOMAIN
#undef LABELED
#undef LABEL
#undef LABEL_END

enum domain {
#define DOMAIN(name, storage, role, word) DOMAIN_##name,
#define LABELED(name, storage, role, word) DOMAIN_##name,
#define LABEL(domain, value, text)
#define LABEL_END(domain)
#include "formats/otf/types.def"
#undef DOMAIN
#undef LABELED
    DOMAIN_COUNT
};

static const struct quipu_domain domains[DOMAIN_COUNT] = {
#define DOMAIN(name, storage, role, word)                                                                      \
    {#name, QUIPU_STORE_##storage, 0, QUIPU_ROLE_##role, word, NULL, 0, NULL},
#define LABELED(name, storage, role, word)                                                                     \
    {#name,                                                                                                    \
     QUIPU_STORE_##storage,                                                                                    \
     0,                                                                                                        \
     QUIPU_ROLE_##role,                                                                                        \
     word,                                                                                                     \
     name##_labels,                                                                                            \
     sizeof name##_labels / sizeof *name##_labels,                                                             \
     NULL},
#include "formats/otf/types.def"
#undef DOMAIN
#undef LABELED
#undef LABEL
#undef LABEL_END
};

static const uint8_t classes[DOMAIN_COUNT] = {
#define DEFINES(domain, record, token, name, text, first, second, list)                                        \
    [DOMAIN_##domain] = QUIPU__OTF_CLASS_##domain + 1,
#include "formats/otf/definitions.def"
#undef DEFINES
};

enum quipu__otf_class quipu__otf_class_of(const struct quipu_field *field) {
    const unsigned class_of = classes[field->domain - domains];
    return class_of ? (enum quipu__otf_class)(class_of - 1) : QUIPU__OTF_CLASS_COUNT;
}

/* The storage of a domain as a constant: STORE_OF_process is QUIPU_STORE_U32. */
enum {
#define DOMAIN(name, storage, role, word) STORE_OF_##name = QUIPU_STORE_##storage,
#define LABELED(name, storage, role, word) STORE_OF_##name = QUIPU_STORE_##storage,
#define LABEL(domain, value, text)
#define LABEL_END(domain)
#include "formats/otf/types.def"
#undef DOMAIN
#undef LABELED
#undef LABEL
#undef LABEL_END
};

/* ---- Fields ---- */

#define FIELD_ROW(structure, member, of_shape, of_domain, short_key, long_key, of_when, text)                  \
    {.name = #member,                                                                                          \
     .doc = (text),                                                                                            \
     .domain = &domains[DOMAIN_##of_domain],                                                                   \
     .key = (short_key),                                                                                       \
     .key_long = (long_key),                                                                                   \
     .offset = offsetof(structure, member),                                                                    \
     .storage = STORE_OF_##of_domain,                                                                          \
     .wire = QUIPU__OTF_##of_when,                                                                             \
     .shape = (of_shape),                                                                                      \
     .optional = QUIPU__OTF_##of_when == QUIPU__OTF_NONZERO || QUIPU__OTF_##of_when == QUIPU__OTF_LOOSE,       \
     .count = -1,                                                                                              \
     .when = -1,                                                                                               \
     .equals = -1},

/* A row of zeros ends each array, so that records without fields have one too. */
#define RECORD(record, id, file, key, key_long, doc) static const struct quipu_field fields_of_##record[] = {
#define FIELD(record, name, domain, key, key_long, when, doc)                                                  \
    FIELD_ROW(struct quipu__otf_##record, name, QUIPU_ONE, domain, key, key_long, when, doc)
#define LIST(record, name, domain, key, key_long, when, doc)                                                   \
    FIELD_ROW(struct quipu__otf_##record, name, QUIPU_LIST, domain, key, key_long, when, doc)
#define END(record)                                                                                            \
    { .name = NULL }                                                                                           \
    }                                                                                                          \
    ;
#define NO_FIELDS(record)
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS

static const struct quipu_field fields_of_common[] = {
    FIELD_ROW(struct quipu__otf_common, time, QUIPU_ONE, time, "", "", NONZERO, "when")
        FIELD_ROW(struct quipu__otf_common, process, QUIPU_ONE, process, "*", "*", NONZERO, "where") FIELD_ROW(
            struct quipu__otf_common, keyvalues, QUIPU_ONE, values, "K", "KEY", NONZERO, "what else is known")};

static const struct quipu_record_type common_type = {.name = "common",
                                                     .doc = "state lines and key-values before a record",
                                                     .key = "",
                                                     .key_long = "",
                                                     .fields = fields_of_common,
                                                     .field_count = 3,
                                                     .size = sizeof(struct quipu__otf_common)};

/* ---- Record types ---- */

static const struct quipu_record_type types[QUIPU__OTF_TYPE_COUNT] = {
#define RECORD(record, number, file, short_key, long_key, text)                                                \
    {.name = #record,                                                                                          \
     .doc = (text),                                                                                            \
     .id = (number),                                                                                           \
     .key = (short_key),                                                                                       \
     .key_long = (long_key),                                                                                   \
     .fields = fields_of_##record,                                                                             \
     .field_count = QUIPU__OTF_##record##_FIELDS,                                                              \
     .size = sizeof(struct quipu__otf_##record),                                                               \
     .group = QUIPU__OTF_##file},
#define FIELD(record, name, domain, key, key_long, when, doc)
#define LIST(record, name, domain, key, key_long, when, doc)
#define END(record)
#define NO_FIELDS(record)
#include "formats/otf/records.def"
#undef RECORD
};

const struct quipu_schema quipu__otf_schema = {"otf", types, QUIPU__OTF_TYPE_COUNT, &common_type};

enum quipu__otf_type quipu__otf_type_of_id(uint32_t id) {
    uint32_t type = 0;
    while (type < QUIPU__OTF_TYPE_COUNT && types[type].id != id)
        type++;
    return (enum quipu__otf_type)type;
}

/* ---- Older spellings ---- */

const struct quipu__otf_older_key quipu__otf_older_keys[] = {
#define OLDER_KEY(record, field, key) {QUIPU__OTF_##record, offsetof(struct quipu__otf_##record, field), key},
#define OLDER_LINE(name, record, file, key, key_long)
#define OLDER_FIELD(record, field, key, key_long, when)
#define OLDER_END(name)
#include "formats/otf/older.def"
#undef OLDER_KEY
#undef OLDER_LINE
#undef OLDER_FIELD
#undef OLDER_END
};
const uint32_t quipu__otf_older_key_count = sizeof quipu__otf_older_keys / sizeof *quipu__otf_older_keys;

#define OLDER_STORAGE(record, field)                                                                           \
    _Generic(((struct quipu__otf_##record *)0)->field, uint32_t                                                \
             : QUIPU_STORE_U32, uint64_t                                                                       \
             : QUIPU_STORE_U64, const char *                                                                   \
             : QUIPU_STORE_STRING)
#define OLDER_KEY(record, field, key)
#define OLDER_LINE(line, record, file, key, key_long)                                                          \
    static const struct quipu_field older_fields_of_##line[] = {
#define OLDER_FIELD(record, field, short_key, long_key, when)                                                  \
    {.name = #field,                                                                                           \
     .key = (short_key),                                                                                       \
     .key_long = (long_key),                                                                                   \
     .offset = offsetof(struct quipu__otf_##record, field),                                                    \
     .storage = OLDER_STORAGE(record, field),                                                                  \
     .wire = QUIPU__OTF_##when},
#define OLDER_END(line)                                                                                        \
    }                                                                                                          \
    ;
#include "formats/otf/older.def"
#undef OLDER_LINE
#undef OLDER_FIELD
#undef OLDER_END

const struct quipu__otf_form quipu__otf_forms[] = {
#define OLDER_LINE(line, record, file, key, key_long)                                                          \
    {QUIPU__OTF_##record,                                                                                      \
     QUIPU__OTF_##file,                                                                                        \
     key,                                                                                                      \
     key_long,                                                                                                 \
     older_fields_of_##line,                                                                                   \
     sizeof older_fields_of_##line / sizeof *older_fields_of_##line},
#define OLDER_FIELD(record, field, key, key_long, when)
#define OLDER_END(line)
#include "formats/otf/older.def"
#define RECORD(record, id, file, key, key_long, doc)                                                           \
    {QUIPU__OTF_##record, QUIPU__OTF_##file, key, key_long, fields_of_##record, QUIPU__OTF_##record##_FIELDS},
#include "formats/otf/records.def"
};
const uint32_t quipu__otf_form_count = sizeof quipu__otf_forms / sizeof *quipu__otf_forms;
const uint32_t quipu__otf_older_form_count =
    sizeof quipu__otf_forms / sizeof *quipu__otf_forms - QUIPU__OTF_TYPE_COUNT;

static bool is_number(const struct quipu_field *field) {
    return field->shape == QUIPU_ONE &&
           (field->storage == QUIPU_STORE_U32 || field->storage == QUIPU_STORE_U64);
}

bool quipu__otf_is_plain(const struct quipu__otf_form *form) {
    uint32_t numbers = 0;
    while (numbers < form->field_count && is_number(&form->fields[numbers]))
        numbers++;
    return numbers == types[form->type].field_count;
}
