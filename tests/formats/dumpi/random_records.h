/* random_records.h: records of any type with random values that their forms in a file can hold. */
#ifndef QUIPU_TESTS_DUMPI_RANDOM_RECORDS_H
#define QUIPU_TESTS_DUMPI_RANDOM_RECORDS_H

#include "traces.h"

static uint64_t seed;

static inline uint64_t draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 33;
}

static inline const char *draw_text(uint8_t wire) {
    char value[9];
    const uint32_t len = (uint32_t)(draw() % sizeof value);
    for (uint32_t i = 0; i < len; i++)
        value[i] = (char)draw();
    (void)wire;
    return sized(value, len, 1);
}

static inline void draw_struct(const struct quipu_record_type *type, uint8_t *data, uint32_t version);

/* A value that its form in the file can hold. */
static inline void draw_number(const struct quipu_field *field, uint8_t *data) {
    int64_t value = (int64_t)(draw() << 32 | draw());
    if (field->domain->wire == QUIPU__WIRE_U8)
        value = (uint8_t)value;
    quipu__store_i64(field, data, value);
}

static inline const void *draw_list(const struct quipu_field *field, uint32_t count, uint32_t version) {
    const size_t size =
        field->element ? field->element->size : quipu__storage_bytes((enum quipu_storage)field->storage);
    uint8_t *list = count ? sized(NULL, 0, size * (count + 1)) : NULL;
    struct quipu_field one = *field;
    one.offset = 0;
    one.shape = QUIPU_ONE;
    if (list)
        ((struct quipu_sized *)(void *)list)[-1].count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *slot = list + i * size;
        if (field->element) {
            draw_struct(field->element, slot, version);
        } else if (field->storage == QUIPU_STORE_STRING) {
            const char *value = draw_text(field->domain->wire);
            memcpy(slot, &value, sizeof value);
        } else {
            draw_number(&one, slot);
        }
    }
    return list;
}

static inline uint32_t draw_count(const struct quipu_field *field, const struct quipu_record_type *type,
                                  const uint8_t *data, uint32_t version) {
    int64_t count = 0;
    if (field->wire == QUIPU__FORM_SLOTS)
        return QUIPU__DUMPI_SLOTS;
    if (field->wire == QUIPU__FORM_ONE && (field->since == 0 || version < field->since))
        return field->until != 0 && version >= field->until ? 0 : 1;
    if (field->wire != QUIPU__FORM_FROM_FIELD)
        return (uint32_t)(draw() % 5);
    quipu_field_get_i64(&type->fields[field->count], data, &count);
    return (uint32_t)count;
}

static inline bool is_absent(const struct quipu_field *field, uint32_t version) {
    return field->wire != QUIPU__FORM_ONE &&
           (version < field->since || (field->until && version >= field->until));
}

/* Fields that others depend on come first, with small values so that conditions sometimes hold. */
static inline void draw_struct(const struct quipu_record_type *type, uint8_t *data, uint32_t version) {
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[type->order ? type->order[i] : i];
        const void *pointer;
        if (is_absent(field, version)) {
            if (strcmp(field->name, "tag") == 0)
                quipu__store_i64(field, data, -1);
            continue;
        }
        if (field->when >= 0) {
            int64_t left, right;
            quipu_field_get_i64(&type->fields[field->when], data, &left);
            quipu_field_get_i64(&type->fields[field->equals], data, &right);
            if (left != right)
                continue;
        }
        if (field->shape == QUIPU_LIST)
            pointer = draw_list(field, draw_count(field, type, data, version), version);
        else if (field->storage == QUIPU_STORE_STRING || field->storage == QUIPU_STORE_BYTES)
            pointer = draw_text(field->domain->wire);
        else if (field->domain->role == QUIPU_ROLE_RANK || strcmp(field->name, "argc") == 0) {
            quipu__store_i64(field, data, (int64_t)(draw() % 3));
            continue;
        } else {
            draw_number(field, data);
            continue;
        }
        memcpy(data + field->offset, &pointer, sizeof pointer);
    }
}

#endif
