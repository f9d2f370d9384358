/* check.c: rules about an OTF trace as a whole: tokens in definitions that are undefined.
 *
 * Everything else is found while reading: malformed lines, times that go back, undefined tokens in events.
 */
#include "formats/otf/format.h"

#include "core/error.h"

#include <inttypes.h>

static void check_token(const struct quipu__otf_trace *own, const char *type, const struct quipu_field *field,
                        uint32_t token) {
    const enum quipu__otf_class class_of = quipu__otf_class_of(field);
    if (class_of == QUIPU__OTF_CLASS_COUNT || token == 0 ||
        quipu__otf_defined(own, class_of, token) != QUIPU_NONE)
        return;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.type = type;
    where.field = field->name;
    quipu__find(own->trace->findings, &quipu__otf_rules[QUIPU__OTF_RULE_UNDEFINED], &where, "a definition",
                "%s %" PRIu32, field->domain->word, token);
}

/* The numbers and list members of a definition that refer to others. */
static void check_definition(const struct quipu__otf_trace *own, const struct quipu__otf_definer *row,
                             const struct quipu__otf_definition *definition) {
    const struct quipu_record_type *type = &quipu__otf_schema.types[row->type];
    if (row->first != QUIPU__OTF_NO_FIELD)
        check_token(own, type->name, &type->fields[row->first], definition->first);
    if (row->second != QUIPU__OTF_NO_FIELD)
        check_token(own, type->name, &type->fields[row->second], definition->second);
    for (uint32_t i = 0; row->list != QUIPU__OTF_NO_FIELD && i < definition->list_count; i++)
        check_token(own, type->name, &type->fields[row->list], definition->list[i]);
}

enum quipu_status quipu__otf_check(struct quipu__trace *trace, struct quipu_error *err) {
    const struct quipu__otf_trace *own = trace->own;
    (void)err;
    for (unsigned class_of = 0; class_of < QUIPU__OTF_CLASS_COUNT; class_of++)
        for (size_t i = 0; i < own->definition_classes[class_of].definitions.count; i++)
            check_definition(own, &quipu__otf_definers[class_of],
                             &own->definition_classes[class_of].definitions.items[i]);
    return QUIPU_OK;
}
