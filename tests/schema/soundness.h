/* soundness.h: whether the tables of a schema are sound: names are unique and spelled well, each field has a sentence, lies in its struct
 * and depends on earlier fields only. */
#ifndef QUIPU_TESTS_SCHEMA_SOUNDNESS_H
#define QUIPU_TESTS_SCHEMA_SOUNDNESS_H

#include "schema/schema.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_spelled_well(const char *name) {
    if (!name || !name[0])
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.')
            return false;
    return true;
}

/* The position of field number index in the file. */
static size_t position_of(const struct quipu_record_type *type, size_t index) {
    for (size_t i = 0; type->order && i < type->field_count; i++)
        if (type->order[i] == index)
            return i;
    return index;
}

/* Bytes of a field's member in the struct. */
static size_t member_bytes(const struct quipu_field *field) {
    if (field->shape == QUIPU_LIST)
        return sizeof(void *);
    if (field->storage == QUIPU_STORE_RECORD)
        return field->element ? field->element->size : 0;
    return quipu__storage_bytes((enum quipu_storage)field->storage);
}

static const char *field_fault(const struct quipu_record_type *type, size_t index) {
    const struct quipu_field *field = &type->fields[index];
    const size_t bytes = member_bytes(field);
    if (!is_spelled_well(field->name))
        return "has a name that is spelled badly";
    if (!field->doc || !field->doc[0])
        return "has no sentence";
    if (field->offset + bytes > type->size)
        return "lies outside its struct";
    if (field->storage == QUIPU_STORE_RECORD && !field->element)
        return "does not say what its elements are";
    if (field->storage != field->domain->storage)
        return "differs from its domain in storage";
    if (field->when >= 0 && (position_of(type, (size_t)field->when) > position_of(type, index) ||
                             position_of(type, (size_t)field->equals) > position_of(type, index)))
        return "depends on fields that come later";
    for (size_t i = 0; i < index; i++)
        if (strcmp(type->fields[i].name, field->name) == 0)
            return "has a name that is there twice";
    return NULL;
}

static const char *type_fault(const struct quipu_record_type *type, char *said, size_t size) {
    if (!is_spelled_well(type->name) || !type->doc || !type->doc[0]) {
        snprintf(said, size, "a record type has no good name or no sentence: %s", type->name ? type->name : "");
        return said;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        const char *fault = field_fault(type, i);
        if (fault) {
            snprintf(said, size, "%s.%s %s", type->name, type->fields[i].name, fault);
            return said;
        }
    }
    return NULL;
}

/* NULL, or a sentence that says what is wrong. */
static const char *schema_fault(const struct quipu_schema *all, char *said, size_t size) {
    const char *fault = all->common ? type_fault(all->common, said, size) : NULL;
    for (size_t i = 0; !fault && i < all->type_count; i++) {
        fault = type_fault(&all->types[i], said, size);
        if (!fault && quipu_schema_find(all, all->types[i].name) != i) {
            snprintf(said, size, "%s is there twice", all->types[i].name);
            fault = said;
        }
    }
    return fault;
}

#endif
