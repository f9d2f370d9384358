/* fields.c: reading and storing single values of a record's struct by its table, whatever their storage. */
#include "schema/schema.h"
#include "core/bisect.h"

static const uint8_t storage_bytes[] = {
#define QUIPU_STORAGE(name, c_type, text) sizeof(c_type),
#include <quipu/types.def>
#undef QUIPU_STORAGE
};

size_t quipu__storage_bytes(enum quipu_storage storage) {
    return storage_bytes[storage];
}

static bool load_integer_of(const struct quipu_number *number, int64_t *out) {
    *out = number->is_real ? 0 : number->i;
    return !number->is_real;
}

/* Reals and texts are not integers. */
static bool load_integer_of_value(const struct quipu_value *value, int64_t *out) {
    const bool is_integer = value->type < QUIPU_VALUE_F32;
    *out = is_integer ? value->i : 0;
    return is_integer;
}

bool quipu__load_integer(enum quipu_storage storage, const void *at, int64_t *out) {
    switch (storage) {
    case QUIPU_STORE_I8:
        return *out = *(const int8_t *)at, true;
    case QUIPU_STORE_U8:
        return *out = *(const uint8_t *)at, true;
    case QUIPU_STORE_I16:
        return *out = *(const int16_t *)at, true;
    case QUIPU_STORE_U16:
        return *out = *(const uint16_t *)at, true;
    case QUIPU_STORE_I32:
        return *out = *(const int32_t *)at, true;
    case QUIPU_STORE_U32:
        return *out = *(const uint32_t *)at, true;
    case QUIPU_STORE_I64:
    case QUIPU_STORE_U64:
        return *out = *(const int64_t *)at, true;
    case QUIPU_STORE_NUMBER:
        return load_integer_of((const struct quipu_number *)at, out);
    case QUIPU_STORE_VALUE:
        return load_integer_of_value((const struct quipu_value *)at, out);
    case QUIPU_STORE_F64:
    case QUIPU_STORE_STRING:
    case QUIPU_STORE_BYTES:
    case QUIPU_STORE_RECORD:
    case QUIPU_STORE_VALUES:
        break;
    }
    *out = 0;
    return false;
}

static const void *pointer_member(const struct quipu_field *field, const void *data) {
    return *(const void *const *)quipu__member_const(field, data);
}

static bool is_pointer(const struct quipu_field *field) {
    return field->shape == QUIPU_LIST || field->storage >= QUIPU_STORE_STRING;
}

bool quipu_field_get_i64(const struct quipu_field *field, const void *data, int64_t *out) {
    if (is_pointer(field)) {
        *out = quipu_sized_count(pointer_member(field, data));
        return true;
    }
    return quipu__load_integer((enum quipu_storage)field->storage, quipu__member_const(field, data), out);
}

bool quipu_field_present(const struct quipu_record_type *type, const struct quipu_field *field,
                         const void *data) {
    int64_t left, right;
    if (field->when >= 0) {
        quipu_field_get_i64(&type->fields[field->when], data, &left);
        quipu_field_get_i64(&type->fields[field->equals], data, &right);
        if (left != right)
            return false;
    }
    return !is_pointer(field) || pointer_member(field, data) != NULL;
}

bool quipu__element_i64(const struct quipu_field *field, const void *list, uint32_t index, int64_t *out) {
    const enum quipu_storage storage = (enum quipu_storage)field->storage;
    return quipu__load_integer(storage, (const uint8_t *)list + (size_t)index * storage_bytes[storage], out);
}

void quipu__store_integer(enum quipu_storage storage, void *member, int64_t value) {
    if (storage <= QUIPU_STORE_U64)
        quipu__store_bits(member, storage_bytes[storage], (uint64_t)value);
    else if (storage == QUIPU_STORE_F64)
        *(double *)member = (double)value;
    else if (storage == QUIPU_STORE_NUMBER)
        *(struct quipu_number *)member = (struct quipu_number){.i = value, .is_signed = true};
    else if (storage == QUIPU_STORE_VALUE)
        *(struct quipu_value *)member = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = value};
}

void quipu__store_i64(const struct quipu_field *field, void *data, int64_t value) {
    quipu__store_integer((enum quipu_storage)field->storage, quipu__member(field, data), value);
}

const char *quipu_label_find(const struct quipu_domain *domain, int64_t value) {
    size_t first = 0;
    QUIPU__BISECT(first, domain->label_count, i, domain->labels[i].value < value);
    const bool is_there = first < domain->label_count && domain->labels[first].value == value;
    return is_there ? domain->labels[first].text : domain->other_label;
}

uint32_t quipu_schema_find(const struct quipu_schema *schema, const char *name) {
    for (size_t i = 0; i < schema->type_count; i++)
        if (strcmp(schema->types[i].name, name) == 0)
            return (uint32_t)i;
    return QUIPU_NONE;
}
