/* token_numbers.c: the meaning of tokens: which record defines a class of them, and their numbers in the model. What is used
 * without being defined gets a number when it is met ("late"). Token tables do not change after opening, so passes in several
 * threads read them without a lock; late tokens are protected by one. */
#include "formats/otf/format.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- What defines what ---- */

#define QUIPU__OTF_FIELD_OF(record, field) QUIPU__OTF_##record##_##field
enum { /* what NONE means in definitions.def, for each record of it */
#define DEFINES(domain, record, token, name, text, first, second, list)                                        \
    QUIPU__OTF_##record##_NONE = QUIPU__OTF_NO_FIELD,
#include "formats/otf/definitions.def"
#undef DEFINES
};
const struct quipu__otf_definer quipu__otf_definers[QUIPU__OTF_CLASS_COUNT] = {
#define DEFINES(domain, record, token, name, text, first, second, list)                                        \
    {#domain,                                                                                                  \
     QUIPU__OTF_##record,                                                                                      \
     QUIPU__OTF_FIELD_OF(record, token),                                                                       \
     QUIPU__OTF_FIELD_OF(record, name),                                                                        \
     QUIPU__OTF_FIELD_OF(record, text),                                                                        \
     QUIPU__OTF_FIELD_OF(record, first),                                                                       \
     QUIPU__OTF_FIELD_OF(record, second),                                                                      \
     QUIPU__OTF_FIELD_OF(record, list)},
#include "formats/otf/definitions.def"
#undef DEFINES
};

/* ---- Late definitions ---- */

static uint32_t add_late(struct quipu__otf_trace *own, enum quipu__otf_class class_of, uint32_t token) {
    struct quipu__define *define = own->trace->define;
    char name[64];
    snprintf(name, sizeof name, "%s %" PRIu32, quipu__otf_definers[class_of].domain, token);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    switch (class_of) {
    case QUIPU__OTF_CLASS_process:
        return quipu__add_location(define, &(struct quipu_location){.native_id = token,
                                                                    .name = name,
                                                                    .kind = QUIPU_LOCATION_PROCESS,
                                                                    .parent = QUIPU_NONE,
                                                                    .rank = -1,
                                                                    .pid = -1,
                                                                    .tid = -1,
                                                                    .host = ""});
    case QUIPU__OTF_CLASS_function:
    case QUIPU__OTF_CLASS_collop:
        return quipu__add_region(define, &(struct quipu_region){.native_id = token,
                                                                .name = name,
                                                                .group = "",
                                                                .role = class_of == QUIPU__OTF_CLASS_collop
                                                                            ? QUIPU_REGION_MPI_COLLECTIVE
                                                                            : QUIPU_REGION_FUNCTION,
                                                                .source = QUIPU_NONE});
    case QUIPU__OTF_CLASS_process_group:
        return quipu__add_group(
            define, &(struct quipu_group){.native_id = token, .name = name, .is_communicator = true});
    case QUIPU__OTF_CLASS_counter:
        return quipu__add_metric(
            define, &(struct quipu_metric){
                        .native_id = token, .name = name, .group = "", .unit = "", .mode = QUIPU_METRIC_POINT});
    case QUIPU__OTF_CLASS_source:
        return quipu__add_source(
            define,
            &(struct quipu_source){.native_id = token, .file = "", .function = "", .caller = QUIPU_NONE});
    case QUIPU__OTF_CLASS_file:
        return quipu__add_file(define, &(struct quipu_file){.native_id = token, .name = name, .group = ""});
    case QUIPU__OTF_CLASS_marker:
        return quipu__add_marker(define, &(struct quipu_marker){.native_id = token, .name = name});
    case QUIPU__OTF_CLASS_key:
        return quipu__add_attribute_key(
            define, &(struct quipu_attribute_key){.native_id = token, .name = name, .doc = ""});
    default:
        return QUIPU_NONE;
    }
}

static uint32_t index_to_number(const struct quipu__otf_trace *own, enum quipu__otf_class class_of,
                                uint32_t index) {
    return class_of == QUIPU__OTF_CLASS_collop ? own->first_collop + index : index;
}

uint32_t quipu__otf_number(struct quipu__otf_trace *own, enum quipu__otf_class class_of, uint32_t token) {
    struct quipu__otf_class_list *list = &own->definition_classes[class_of];
    const uint32_t index = quipu__otf_defined(own, class_of, token);
    if (index != QUIPU_NONE)
        return index_to_number(own, class_of, index);
    quipu__lock_take(own->late_lock);
    uint32_t number = quipu__tokens_get(&list->late, token);
    if (number == QUIPU_NONE) {
        number = add_late(own, class_of, token);
        if (number != QUIPU_NONE && !quipu__tokens_put(&list->late, token, number))
            number = QUIPU_NONE;
    }
    quipu__lock_give(own->late_lock);
    return number;
}

uint32_t quipu__otf_field_key(struct quipu__otf_trace *own, enum quipu__otf_type type, uint32_t field) {
    const struct quipu_field *row = &quipu__otf_schema.types[type].fields[field];
    quipu__lock_take(own->late_lock);
    uint32_t *key = &own->field_keys[type][field];
    /* Fields of the same name share a key, whatever their records. */
    for (uint32_t t = 0; t < QUIPU__OTF_TYPE_COUNT && !*key; t++)
        for (uint32_t f = 0; f < quipu__otf_schema.types[t].field_count && !*key; f++)
            if (own->field_keys[t][f] && strcmp(quipu__otf_schema.types[t].fields[f].name, row->name) == 0)
                *key = own->field_keys[t][f];
    if (!*key) {
        const struct quipu_attribute_key definition = {
            .native_id = QUIPU_UNKNOWN,
            .name = row->name,
            .doc = row->doc,
            .type = row->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_U32};
        *key = quipu__add_attribute_key(own->trace->define, &definition) + 1;
    }
    const uint32_t number = *key - 1;
    quipu__lock_give(own->late_lock);
    return number;
}
