/* schema.h: the record tables: what record types a format has and what fields they hold.
 *
 * A record is what a file really holds: a plain C struct that one row of the format's records.def describes.
 * Decoding, encoding, printing, checking, conversion and the reference page all read that row.
 *
 * Sized memory: a list or string member of a record's struct is a pointer to its elements, which follow a struct
 * quipu_sized with their number; strings also end in a NUL. A NULL pointer means that the value is absent. So a record
 * keeps both the value of a count field and the number of stored elements, which may differ in malformed files.
 */
#ifndef QUIPU_SCHEMA_H
#define QUIPU_SCHEMA_H

#include <quipu/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a value lies in the C struct. */
enum quipu_storage {
#define QUIPU_STORAGE(name, c_type, text) QUIPU_STORE_##name,
#include <quipu/types.def>
#undef QUIPU_STORAGE
};

/* A number that is an integer in some files of a format and a fraction in others. */
struct quipu_number {
    union {
        int64_t i; /* integers; unsigned ones by their bits */
        double f;
    };
    bool is_real, is_signed;
};

/* What a value means. One role serves printing, checking, conversion and fuzzing. */
enum quipu_role {
#define QUIPU_ROLE(name, text) QUIPU_ROLE_##name,
#include <quipu/roles.def>
#undef QUIPU_ROLE
};

/* The head that precedes the elements of every list and string. */
struct quipu_sized {
    uint32_t count;    /* elements, bytes of a string without its NUL */
    uint32_t reserved; /* keeps the elements aligned to 8 bytes */
};

/* Number of elements or bytes of sized memory; 0 for NULL. */
static inline uint32_t quipu_sized_count(const void *elements) {
    return elements ? ((const struct quipu_sized *)elements)[-1].count : 0;
}

/* The name of one value of a domain, such as 9 = "MPI_INT". */
struct quipu_label {
    int64_t value;
    const char *text;
};

/* What the values of a field are: one row of a format's types table. */
struct quipu_domain {
    const char *name;
    enum quipu_storage storage;
    uint8_t wire; /* how the format's codec stores it; see the codec */
    enum quipu_role role;
    const char *word;                 /* name of the C or MPI type that text tools print, may be "" */
    const struct quipu_label *labels; /* ascending by value, NULL when values have no names */
    size_t label_count;
    const char *other_label; /* label of a value without a row, NULL when it has none */
};

/* One value, or a list with its own stored number of elements. */
enum quipu_shape { QUIPU_ONE, QUIPU_LIST };

/* One field of a record type. */
struct quipu_field {
    const char *name; /* as in the format's specification; also the key in JSON */
    const char *doc;  /* one sentence */
    const struct quipu_domain *domain;
    const struct quipu_record_type *element; /* storage RECORD: type of the elements; else NULL */
    const char *key;                         /* keyed text formats: keyword before the value, short form */
    const char *key_long;                    /* the same, long form */
    uint16_t offset;                         /* of the member in the C struct */
    uint8_t storage;                         /* copy of domain->storage */
    uint8_t wire;                            /* copy of domain->wire, or the field's own */
    uint8_t shape;                           /* enum quipu_shape */
    bool optional;                           /* may be missing in a file; then zero or NULL */
    int8_t count;                            /* index of the field that holds the length of a list, or -1 */
    int8_t when, equals;   /* indexes of two fields; present only when they are equal; -1: always */
    uint32_t since, until; /* variants of the format that have it; until 0: no end */
};

/* One record type. */
struct quipu_record_type {
    const char *name; /* as in the format's specification; "type" in JSON */
    const char *doc;
    uint32_t id; /* number in the file, or the format's own number */
    const char *key;
    const char *key_long;
    const struct quipu_field *fields;
    const uint8_t *order; /* order of the fields in the file, NULL when as declared */
    uint16_t field_count;
    uint16_t size;        /* of the C struct */
    uint16_t fixed_bytes; /* binary formats: bytes of the values that are always present */
    uint8_t group;        /* the format's own grouping, for example the kind of file */
};

/* All record types of a format. */
struct quipu_schema {
    const char *name;
    const struct quipu_record_type *types;
    size_t type_count;
    const struct quipu_record_type *common; /* fields that precede every record, NULL when there are none */
};

/* Index of the type with that name, or QUIPU_NONE. */
QUIPU_API uint32_t quipu_schema_find(const struct quipu_schema *schema, const char *name);

/* A native record as a reader delivers it. Everything is borrowed until the next record. */
struct quipu_record {
    const struct quipu_record_type *type;
    const void *data;     /* the C struct of the type */
    const void *common;   /* the C struct of schema->common, NULL when the format has none */
    uint32_t stream;      /* index of the stream */
    uint64_t byte_offset; /* in the (uncompressed) file */
    uint64_t line;        /* text formats: from 1; QUIPU_UNKNOWN in binary formats */
    uint64_t index;       /* of the record in its stream */
};

/* Reads one integer field of a struct; lists and strings give their number of elements. Returns false for storage that
 * is not an integer (then *out is 0). */
QUIPU_API bool quipu_field_get_i64(const struct quipu_field *field, const void *data, int64_t *out);

/* True when the field is present in this record: its condition holds and it is not a NULL list or string. */
QUIPU_API bool quipu_field_present(const struct quipu_record_type *type, const struct quipu_field *field,
                                   const void *data);

/* Label of a value in its domain; NULL when it has none. */
QUIPU_API const char *quipu_label_find(const struct quipu_domain *domain, int64_t value);

/* Writes a record as one JSON object, {"stream", "at", "line", "record", "type", "fields"}, and a newline. */
QUIPU_API enum quipu_status quipu_record_write_json(const struct quipu_schema *schema,
                                                    const struct quipu_record *record, struct quipu_sink sink,
                                                    struct quipu_error *err);

/* Writes a record as one line of text: place, type and name=value pairs with labels. */
QUIPU_API enum quipu_status quipu_record_write_text(const struct quipu_schema *schema,
                                                    const struct quipu_record *record, struct quipu_sink sink,
                                                    struct quipu_error *err);

/* Writes the reference page of a schema: as Markdown, or as JSON when json is true. */
QUIPU_API enum quipu_status quipu_schema_write(const struct quipu_schema *schema, bool json,
                                               struct quipu_sink sink, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
