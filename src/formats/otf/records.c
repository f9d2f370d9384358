/* records.c: the tables that records.def, types.def, older.def and keyvalue.def expand to. */
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
     .wire = QUIPU__KEYED_##of_when,                                                                           \
     .shape = (of_shape),                                                                                      \
     .optional =                                                                                               \
         QUIPU__KEYED_##of_when == QUIPU__KEYED_NONZERO || QUIPU__KEYED_##of_when == QUIPU__KEYED_LOOSE,       \
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

static const struct quipu__keyed_older_key older_keys[] = {
#define OLDER_KEY(record, field, key) {QUIPU__OTF_##record, offsetof(struct quipu__otf_##record, field), key},
#define OLDER_LINE(name, record, file, key, key_long)
#define OLDER_FIELD(record, field, key, key_long, when)
#define OLDER_END(name)
#define SKIPS_WORDS(record)
#include "formats/otf/older.def"
#undef OLDER_KEY
#undef OLDER_LINE
#undef OLDER_FIELD
#undef OLDER_END
};

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
     .wire = QUIPU__KEYED_##when},
#define OLDER_END(line)                                                                                        \
    }                                                                                                          \
    ;
#include "formats/otf/older.def"
#undef OLDER_LINE
#undef OLDER_FIELD
#undef OLDER_END

static const struct quipu__keyed_form forms[] = {
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
#undef RECORD
#undef OLDER_LINE
#undef OLDER_FIELD
#undef OLDER_END

enum { FORM_COUNT = sizeof forms / sizeof *forms, OLDER_FORM_COUNT = FORM_COUNT - QUIPU__OTF_TYPE_COUNT };

const struct quipu__keyed_form *quipu__otf_older_form(enum quipu__otf_type type) {
    for (uint32_t i = 0; i < OLDER_FORM_COUNT; i++)
        if (forms[i].type == type)
            return &forms[i];
    return NULL;
}

const struct quipu__keyed_form *quipu__otf_current_form(enum quipu__otf_type type) {
    return &forms[OLDER_FORM_COUNT + type];
}

static const bool skips_words[QUIPU__OTF_TYPE_COUNT] = {
#define OLDER_LINE(line, record, file, key, key_long)
#define OLDER_FIELD(record, field, short_key, long_key, when)
#define OLDER_END(line)
#undef SKIPS_WORDS
#define SKIPS_WORDS(record) [QUIPU__OTF_##record] = true,
#include "formats/otf/older.def"
};

/* ---- Kinds of files ---- */

const struct quipu__keyed_spelling quipu__otf_value_keys[QUIPU__OTF_VALUE_PARTS] = {
#define PART(name, key, key_long) {key, key_long},
#include "formats/otf/keyvalue.def"
#undef PART
};

static const struct quipu__keyed_kind kinds[] = {
    [QUIPU__OTF_DEFINITIONS] = {"D", "DEF", QUIPU__KEYED_NO_KIND, false},
    [QUIPU__OTF_EVENTS] = {"", "", QUIPU__OTF_SNAPSHOTS, false},
    [QUIPU__OTF_SNAPSHOTS] = {"T", "T", QUIPU__KEYED_NO_KIND, false},
    [QUIPU__OTF_STATISTICS] = {"S", "SUM", QUIPU__KEYED_NO_KIND, false},
    [QUIPU__OTF_MARKERS] = {"M", "MARKER", QUIPU__KEYED_NO_KIND, true},
    [QUIPU__OTF_MASTER] = {"", "", QUIPU__KEYED_NO_KIND, false},
    [QUIPU__OTF_ANY] = {"", "", QUIPU__KEYED_NO_KIND, false}};

const struct quipu__keyed_grammar quipu__otf_grammar = {
    .schema = &quipu__otf_schema,
    .forms = forms,
    .form_count = FORM_COUNT,
    .older_keys = older_keys,
    .older_key_count = sizeof older_keys / sizeof *older_keys,
    .kinds = kinds,
    .skips_words = skips_words,
    .comment_mark = '#',
    .process_mark = QUIPU__OTF_PROCESS_MARK,
    .value = &quipu__otf_value_keys[QUIPU__OTF_VALUE_PART_key]};
