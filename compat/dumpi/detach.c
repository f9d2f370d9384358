/* detach.c: gives a decoded call lists and strings of its own, each of which a program can free(). What they look like is
 * in the record tables. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

static bool has_texts(const struct quipu_field *field) {
    return quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_texts);
}

static bool has_ranges(const struct quipu_field *field) {
    return quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_range);
}

/* How a list is made of lists: of strings, of lists of strings, of rows of numbers. */
static unsigned depth_of(const struct quipu_field *field) {
    if (has_texts(field))
        return 3;
    return has_ranges(field) || (field->shape == QUIPU_LIST && field->storage == QUIPU_STORE_STRING) ? 2 : 1;
}

static size_t size_of(const struct quipu_field *field, unsigned depth) {
    if (depth > 1)
        return sizeof(void *);
    if (has_ranges(field))
        return sizeof(struct quipu__dumpi_range);
    if (field->storage == QUIPU_STORE_STRING || has_texts(field))
        return 1;
    return field->element ? field->element->size : quipu__storage_bytes((enum quipu_storage)field->storage);
}

static void free_copy(void *copy, uint32_t count, unsigned depth) {
    for (uint32_t i = 0; copy && depth > 1 && i < count; i++) {
        void *inner = ((void **)copy)[i];
        uint32_t inner_count = 0;
        while (depth > 2 && inner && ((void **)inner)[inner_count])
            inner_count++;
        free_copy(inner, inner_count, depth - 1);
    }
    free(copy);
}

/* A copy of a sized list with a zero behind it. Rows of numbers are 1 element each. An absent list inside of another is copied
 * as an empty one: programs take NULL for the end of the outer list, and would not free what follows. */
static void *copy_sized(const struct quipu_field *field, const void *list, unsigned depth) {
    const bool is_row = has_ranges(field) && depth == 1;
    const uint32_t count = is_row ? 1 : quipu_sized_count(list);
    const size_t size = size_of(field, depth);
    char *copy = calloc((size_t)count + 1, size);
    if (copy && list && depth == 1)
        memcpy(copy, list, count * size);
    for (uint32_t i = 0; copy && depth > 1 && i < count; i++) {
        void *inner = copy_sized(field, ((const void *const *)list)[i], depth - 1);
        if (!inner) {
            free_copy(copy, i, depth);
            return NULL;
        }
        ((void **)(void *)copy)[i] = inner;
    }
    return copy;
}

static bool is_pointer(const struct quipu_field *field) {
    return field->shape == QUIPU_LIST || field->storage == QUIPU_STORE_STRING;
}

/* Frees the copies in the first fields of a struct, whose lists of lists end with a NULL. */
static void free_fields(const struct quipu_record_type *type, void *val, size_t size, size_t fields) {
    for (size_t i = 0; i < fields; i++) {
        const struct quipu_field *field = &type->fields[i];
        uint32_t count = 0;
        void *copy;
        if (!is_pointer(field) || field->offset >= size)
            continue;
        memcpy(&copy, (char *)val + field->offset, sizeof copy);
        while (depth_of(field) > 1 && copy && ((void **)copy)[count])
            count++;
        free_copy(copy, count, depth_of(field));
    }
}

bool quipu__undumpi_detach(const struct quipu_record_type *type, void *val, size_t size) {
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        void *list;
        if (!is_pointer(field) || field->offset >= size)
            continue;
        memcpy(&list, (char *)val + field->offset, sizeof list);
        void *copy = list ? copy_sized(field, list, depth_of(field)) : NULL;
        if (list && !copy) {
            free_fields(type, val, size, i);
            memset(val, 0, size);
            return false;
        }
        memcpy((char *)val + field->offset, &copy, sizeof copy);
    }
    return true;
}
