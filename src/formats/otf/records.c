/* records.c: the tables that records.def, types.def, older.def and keyvalue.def expand to. */
#include "formats/otf/records.h"

#include "schema/rows_tables.h"

/* ---- Domains ---- */

static const uint8_t class_of_domain[DOMAIN_COUNT] = {
#define DEFINES(domain, record, token, name, text, first, second, list)                                        \
    [DOMAIN_##domain] = QUIPU__OTF_CLASS_##domain + 1,
#include "formats/otf/definitions.def"
#undef DEFINES
};

enum quipu__otf_class quipu__otf_class_of(const struct quipu_field *field) {
    const unsigned class_of = class_of_domain[field->domain - domains];
    return class_of ? (enum quipu__otf_class)(class_of - 1) : QUIPU__OTF_CLASS_COUNT;
}

/* ---- Record types ---- */

const struct quipu_schema quipu__otf_schema = {"otf", quipu__otf_types, QUIPU__OTF_TYPE_COUNT,
                                               &elements[QUIPU__OTF_ELEMENT_common]};

enum quipu__otf_type quipu__otf_type_of_id(uint32_t id) {
    uint32_t type = 0;
    while (type < QUIPU__OTF_TYPE_COUNT && quipu__otf_types[type].id != id)
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
     .wire = QUIPU__PRESENCE_##when},
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
#define RECORD_ROW(record, id, name, file, key, key_long, order, doc)                                          \
    {QUIPU__OTF_##record, QUIPU__OTF_##file, key, key_long, fields_of_##record, QUIPU__OTF_##record##_FIELDS},
#include "formats/otf/records.def"
};
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

const struct quipu__keyed_spelling quipu__otf_value_keys[QUIPU__OTF_VALUE_FIELD_COUNT] = {
#define VALUE_FIELD(name, key, key_long) {key, key_long},
#include "formats/otf/keyvalue.def"
#undef VALUE_FIELD
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
    .value = &quipu__otf_value_keys[QUIPU__OTF_VALUE_FIELD_key]};
