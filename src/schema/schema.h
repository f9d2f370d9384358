/* schema.h: the engine that interprets record tables, and the macros that build them.
 *
 * A format's records.def expands several times, always into data: an enum of types, an enum of field indexes per
 * type, the C structs, the const field arrays and the const type array. rows.h has the dialect of its rows,
 * rows_structs.h and rows_tables.h expand them; the results are the public structs of quipu/schema.h, and one engine
 * reads them.
 */
#ifndef QUIPU_SCHEMA_ENGINE_H
#define QUIPU_SCHEMA_ENGINE_H

#include "core/memory/buffer.h"
#include "core/memory/memory.h"
#include "core/slice.h"

#include <quipu/model.h>
#include <quipu/schema.h>

/* QUIPU__C_I32 is int32_t and so on: the C types of storage kinds, for building structs and typedefs. */
#define QUIPU__C_I8 int8_t
#define QUIPU__C_U8 uint8_t
#define QUIPU__C_I16 int16_t
#define QUIPU__C_U16 uint16_t
#define QUIPU__C_I32 int32_t
#define QUIPU__C_U32 uint32_t
#define QUIPU__C_I64 int64_t
#define QUIPU__C_U64 uint64_t
#define QUIPU__C_F64 double
#define QUIPU__C_NUMBER struct quipu_number
#define QUIPU__C_VALUE struct quipu_value
#define QUIPU__C_STRING const char *
#define QUIPU__C_BYTES const uint8_t *
#define QUIPU__C_RECORD const void *
#define QUIPU__C_VALUES const struct quipu_value *

/* Whether a keyed part of a line of text is there: quipu_field.wire of such fields. */
enum quipu__presence {
    QUIPU__PRESENCE_ALWAYS,
    QUIPU__PRESENCE_NONZERO, /* left out when the value is 0 or NULL */
    QUIPU__PRESENCE_LOOSE,   /* the same, and anything else may be in its place and is ignored */
    QUIPU__PRESENCE_MISSING  /* always written, but a reader accepts its absence */
};
#define QUIPU__PRESENCE_IS_OPTIONAL(presence)                                                                  \
    (QUIPU__PRESENCE_##presence == QUIPU__PRESENCE_NONZERO ||                                                  \
     QUIPU__PRESENCE_##presence == QUIPU__PRESENCE_LOOSE)

/* ---- Scratch: where lists and strings of the current record live ---- */

/* Sized memory for count elements of size bytes each, aligned to 8; reset per record. NULL when memory is out. */
struct quipu__scratch {
    struct quipu__memory *memory;
    uint8_t *data;
    size_t used, capacity;
    struct quipu__scratch_block *full; /* older blocks of the current record, freed at reset */
};
static inline void quipu__scratch_init(struct quipu__scratch *scratch, struct quipu__memory *memory) {
    *scratch = (struct quipu__scratch){.memory = memory};
}
void quipu__scratch_release(struct quipu__scratch *scratch);
void *quipu__scratch_sized_slow(struct quipu__scratch *scratch, uint32_t count, size_t size);
void quipu__scratch_reset_slow(struct quipu__scratch *scratch);

static inline void quipu__scratch_reset(struct quipu__scratch *scratch) {
    scratch->used = 0;
    if (scratch->full)
        quipu__scratch_reset_slow(scratch);
}

/* Sized memory for count elements of size bytes, with one zero byte after them. */
static inline void *quipu__scratch_sized(struct quipu__scratch *scratch, uint32_t count, size_t size) {
    const size_t bytes = (sizeof(struct quipu_sized) + (size_t)count * size + 1 + 7) & ~(size_t)7;
    if (size == 0 || count > (SIZE_MAX / 2) / size || scratch->capacity - scratch->used < bytes)
        return quipu__scratch_sized_slow(scratch, count, size);
    struct quipu_sized *head = (struct quipu_sized *)(void *)(scratch->data + scratch->used);
    scratch->used += bytes;
    head->count = count;
    head->reserved = 0;
    uint8_t *elements = (uint8_t *)(head + 1);
    elements[(size_t)count * size] = 0;
    return elements;
}

/* A sized, NUL-terminated copy of text. */
char *quipu__scratch_text(struct quipu__scratch *scratch, const char *text, size_t len);

/* ---- Stores: one value into its member of the C struct, whatever the storage ---- */

/* Reads the integer of a storage; false and 0 when the storage holds none. */
bool quipu__load_integer(enum quipu_storage storage, const void *at, int64_t *out);

/* Stores an integer, cut to size, in a member of that many bytes. */
QUIPU__INLINE void quipu__store_bits(void *member, size_t bytes, uint64_t value) {
    switch (bytes) {
    case 1:
        *(uint8_t *)member = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)member = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)member = (uint32_t)value;
        break;
    default:
        *(uint64_t *)member = value;
        break;
    }
}

/* The same in a storage of integers or reals; no other storage is touched. */
void quipu__store_integer(enum quipu_storage storage, void *member, int64_t value);

void quipu__store_i64(const struct quipu_field *field, void *data, int64_t value);
static inline void *quipu__member(const struct quipu_field *field, void *data) {
    return (uint8_t *)data + field->offset;
}
static inline const void *quipu__member_const(const struct quipu_field *field, const void *data) {
    return (const uint8_t *)data + field->offset;
}

/* Size in bytes of one element in memory of a field's storage. */
size_t quipu__storage_bytes(enum quipu_storage storage);

/* Reads element index of a list field as a number; false when it is not a number. */
bool quipu__element_i64(const struct quipu_field *field, const void *list, uint32_t index, int64_t *out);

/* ---- Printing: values, by role and domain ---- */

/* A value as JSON: numbers as integers, lists as arrays, NULL lists and strings as null. */
void quipu__print_json_value(const struct quipu_field *field, const void *data, struct quipu__buffer *out);

/* The "fields" object of a record, common fields first. Absent optional fields are left out. */
void quipu__print_json_fields(const struct quipu_schema *schema, const struct quipu_record *record,
                              struct quipu__buffer *out);

/* A typed value as JSON, or as text. */
void quipu__print_value(const struct quipu_value *value, struct quipu__buffer *out, bool json);

#endif
