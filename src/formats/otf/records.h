/* records.h: the record table of OTF as C: enums of types and fields, one struct per type, and the schema. */
#ifndef QUIPU_OTF_RECORDS_H
#define QUIPU_OTF_RECORDS_H

#include "formats/otf/layout.h"
#include "schema/schema.h"

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
    uint64_t time;                       /* QUIPU__OTF_NO_TIME in files without state lines */
    uint32_t process;                    /* QUIPU__OTF_NO_PROCESS in files without state lines */
    const struct quipu_value *keyvalues; /* sized; NULL when there are none */
};

/* When a part of a line is there; see records.def. It lies in quipu_field.wire. */
enum quipu__otf_when { QUIPU__OTF_ALWAYS, QUIPU__OTF_NONZERO, QUIPU__OTF_LOOSE, QUIPU__OTF_MISSING };

/* Classes of things that tokens stand for: QUIPU__OTF_CLASS_process and so on. */
enum quipu__otf_class {
#define DEFINES(domain, record, token, name, text, first, second, list) QUIPU__OTF_CLASS_##domain,
#include "formats/otf/definitions.def"
#undef DEFINES
    QUIPU__OTF_CLASS_COUNT
};

/* The class that a field's values are tokens of, or QUIPU__OTF_CLASS_COUNT. */
enum quipu__otf_class quipu__otf_class_of(const struct quipu_field *field);

/* A line that gives a record: the current one of each type, and the older ones. */
struct quipu__otf_form {
    enum quipu__otf_type type;
    enum quipu__otf_file file;
    const char *key, *key_long;
    const struct quipu_field *fields;
    uint32_t field_count;
};

/* A further keyword of a field. */
struct quipu__otf_older_key {
    enum quipu__otf_type type;
    uint16_t offset; /* of the field's member */
    const char *key;
};

extern const struct quipu_schema quipu__otf_schema;

/* Older lines come first, so that one that extends a current line is found before it. */
extern const struct quipu__otf_form quipu__otf_forms[];
extern const uint32_t quipu__otf_form_count;
extern const uint32_t quipu__otf_older_form_count; /* the form of type t is at this place plus t */
extern const struct quipu__otf_older_key quipu__otf_older_keys[];
extern const uint32_t quipu__otf_older_key_count;

/* Whether a form consists of numbers only, and gives all that its record has: the older ones may not. */
bool quipu__otf_is_plain(const struct quipu__otf_form *form);

/* The type with OTF's own number (OTF_ENTER_RECORD is 2), or QUIPU__OTF_TYPE_COUNT. */
enum quipu__otf_type quipu__otf_type_of_id(uint32_t id);

#endif
