/* records.h: the record table of OTF as C: enums of types (QUIPU__OTF_Enter) and fields
 * (QUIPU__OTF_Enter_function), one struct per type (struct quipu__otf_Enter), and the schema. Time and process of struct
 * quipu__otf_common are QUIPU__KEYED_NO_TIME and QUIPU__KEYED_NO_PROCESS in files without state lines. */
#ifndef QUIPU_OTF_RECORDS_H
#define QUIPU_OTF_RECORDS_H

#include "formats/otf/layout.h"
#include "schema/keyed_text.h"

#define ROWS_RECORDS "formats/otf/records.def"
#define ROWS_DOMAINS "formats/otf/types.def"
#define ROWS_PREFIX quipu__otf
#define ROWS_NUMBERS QUIPU__OTF
#define ROWS_TYPES QUIPU__OTF
#define ROWS_GROUP(file) QUIPU__OTF_##file
#include "schema/rows_structs.h"

/* Classes of definitions that tokens stand for: QUIPU__OTF_CLASS_process and so on. */
enum quipu__otf_class {
#define DEFINES(domain, record, token, name, text, first, second, list) QUIPU__OTF_CLASS_##domain,
#include "formats/otf/definitions.def"
#undef DEFINES
    QUIPU__OTF_CLASS_COUNT
};

/* The class that a field's values are tokens of, or QUIPU__OTF_CLASS_COUNT. */
enum quipu__otf_class quipu__otf_class_of(const struct quipu_field *field);

extern const struct quipu_schema quipu__otf_schema;

/* The complete grammar of lines; its kinds are those of enum quipu__otf_file. */
extern const struct quipu__keyed_grammar quipu__otf_grammar;

/* The form of an older line of a type, NULL when there is none; see older.def. */
const struct quipu__keyed_form *quipu__otf_older_form(enum quipu__otf_type type);

/* The form of a type's current line. */
const struct quipu__keyed_form *quipu__otf_current_form(enum quipu__otf_type type);

/* The keywords of a key-value line. */
enum quipu__otf_value_field {
#define VALUE_FIELD(name, key, key_long) QUIPU__OTF_VALUE_FIELD_##name,
#include "formats/otf/keyvalue.def"
#undef VALUE_FIELD
    QUIPU__OTF_VALUE_FIELD_COUNT
};
extern const struct quipu__keyed_spelling quipu__otf_value_keys[QUIPU__OTF_VALUE_FIELD_COUNT];

/* The type with OTF's own number (OTF_ENTER_RECORD is 2), or QUIPU__OTF_TYPE_COUNT. */
enum quipu__otf_type quipu__otf_type_of_id(uint32_t id);

#endif
