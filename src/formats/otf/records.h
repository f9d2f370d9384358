/* records.h: the record table of OTF as C: enums of types and fields, one struct per type, and the schema. */
#ifndef QUIPU_OTF_RECORDS_H
#define QUIPU_OTF_RECORDS_H

#include "formats/otf/layout.h"
#include "schema/keyed_text.h"

/* Indexes of the record types in the schema: QUIPU__OTF_Enter and so on. */
enum quipu__otf_type {
#define RECORD(name, id, file, key, key_long, doc) QUIPU__OTF_##name,
#define FIELD(record, name, domain, key, key_long, when, doc)
#define LIST(record, name, domain, key, key_long, when, doc)
#define END(record)
#define NO_FIELDS(record)
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS
    QUIPU__OTF_TYPE_COUNT
};

/* Indexes of the fields of a type: QUIPU__OTF_Enter_function and so on. */
#define RECORD(name, id, file, key, key_long, doc) enum quipu__otf_##name##_field {
#define FIELD(record, name, domain, key, key_long, when, doc) QUIPU__OTF_##record##_##name,
#define LIST(record, name, domain, key, key_long, when, doc) QUIPU__OTF_##record##_##name,
#define END(record)                                                                                            \
    QUIPU__OTF_##record##_FIELDS                                                                               \
    }                                                                                                          \
    ;
#define NO_FIELDS(record)
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS

/* The C types of the domains. */
#define DOMAIN(name, storage, role, word) typedef QUIPU__C_##storage quipu__otf_c_##name;
#define LABELED(name, storage, role, word) DOMAIN(name, storage, role, word)
#define LABEL(domain, value, text)
#define LABEL_END(domain)
#include "formats/otf/types.def"
#undef DOMAIN
#undef LABELED
#undef LABEL
#undef LABEL_END

/* struct quipu__otf_Enter and so on. Lists and strings are sized memory. */
#define RECORD(name, id, file, key, key_long, doc) struct quipu__otf_##name {
#define FIELD(record, name, domain, key, key_long, when, doc) quipu__otf_c_##domain name;
#define LIST(record, name, domain, key, key_long, when, doc) const quipu__otf_c_##domain *name;
#define END(record)                                                                                            \
    }                                                                                                          \
    ;
#define NO_FIELDS(record) uint8_t nothing;
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS

/* Room for any record. */
union quipu__otf_any {
#define RECORD(name, id, file, key, key_long, doc) struct quipu__otf_##name name;
#define FIELD(record, name, domain, key, key_long, when, doc)
#define LIST(record, name, domain, key, key_long, when, doc)
#define END(record)
#define NO_FIELDS(record)
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS
};

/* What precedes a record: the state lines and the key-value lines. */
struct quipu__otf_common {
    uint64_t time;                       /* QUIPU__KEYED_NO_TIME in files without state lines */
    uint32_t process;                    /* QUIPU__KEYED_NO_PROCESS in files without state lines */
    const struct quipu_value *keyvalues; /* sized; NULL when there are none */
};

/* Classes of things that tokens stand for: QUIPU__OTF_CLASS_process and so on. */
enum quipu__otf_class {
#define DEFINES(domain, record, token, name, text, first, second, list) QUIPU__OTF_CLASS_##domain,
#include "formats/otf/definitions.def"
#undef DEFINES
    QUIPU__OTF_CLASS_COUNT
};

/* The class that a field's values are tokens of, or QUIPU__OTF_CLASS_COUNT. */
enum quipu__otf_class quipu__otf_class_of(const struct quipu_field *field);

extern const struct quipu_schema quipu__otf_schema;

/* Everything that lines are spelled with; its kinds are those of enum quipu__otf_file. */
extern const struct quipu__keyed_grammar quipu__otf_grammar;

/* The form of an older line of a type, NULL when there is none; see older.def. */
const struct quipu__keyed_form *quipu__otf_older_form(enum quipu__otf_type type);

/* The form of a type's current line. */
const struct quipu__keyed_form *quipu__otf_current_form(enum quipu__otf_type type);

/* The keywords of a key-value line. */
enum quipu__otf_value_part {
#define PART(name, key, key_long) QUIPU__OTF_VALUE_PART_##name,
#include "formats/otf/keyvalue.def"
#undef PART
    QUIPU__OTF_VALUE_PARTS
};
extern const struct quipu__keyed_spelling quipu__otf_value_keys[QUIPU__OTF_VALUE_PARTS];

/* The type with OTF's own number (OTF_ENTER_RECORD is 2), or QUIPU__OTF_TYPE_COUNT. */
enum quipu__otf_type quipu__otf_type_of_id(uint32_t id);

#endif
