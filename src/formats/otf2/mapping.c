/* mapping.c: mapping.def as data. */
#include "formats/otf2/mapping.h"

/* Fields that are no attributes, as bits. */
enum {
#define EVENT(record, kind) HAS_##record = 0
#define COLUMN(record, field, column, meaning) | 1 << QUIPU__OTF2_##record##_##field
#define HANDLED(record, field) | 1 << QUIPU__OTF2_##record##_##field
#define EVENT_END(record) ,
#include "formats/otf2/mapping.def"
};

/* ---- Rows by record ---- */

#define EVENT(record, kind) static const struct quipu__otf2_column columns_##record[] = {
#define COLUMN(record, field, column, meaning)                                                                 \
    {QUIPU__OTF2_##record##_##field, QUIPU_COLUMN_##column, QUIPU__OTF2_IS_##meaning},
#define EVENT_END(record)                                                                                      \
    { QUIPU__OTF2_FIELDS_MOST, QUIPU_COLUMN_COUNT, QUIPU__OTF2_IS_number }                                     \
    }                                                                                                          \
    ;
#include "formats/otf2/mapping.def"

const struct quipu__otf2_row quipu__otf2_rows[QUIPU__OTF2_TYPE_COUNT] = {
#define EVENT(record, its_kind)                                                                                \
    [QUIPU__OTF2_TYPE_##                                                                                       \
        record] = {.kind = QUIPU_KIND_##its_kind + 1, .has = HAS_##record, .columns = columns_##record,
#define OPERATION(record, value) .operation = (value) + 1,
#define EVENT_END(record)                                                                                      \
    }                                                                                                          \
    ,
#include "formats/otf2/mapping.def"
};

/* ---- For the conversion report ---- */

#define EVENT(record, kind) static const struct quipu__field_outcome outcomes_##record[] = {
#define COLUMN(record, field, its_column, meaning)                                                             \
    {QUIPU__OTF2_##record##_##field, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_##its_column, "", 0},
#define HANDLED(record, field)                                                                                 \
    {QUIPU__OTF2_##record##_##field, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
#define EVENT_END(record)                                                                                      \
    {0, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0}, {                                                    \
        1, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0                                                     \
    }                                                                                                          \
    }                                                                                                          \
    ;
#include "formats/otf2/mapping.def"

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)

#define DEFINES(record, plural)                                                                                \
    [QUIPU__OTF2_TYPE_##record] = {.is_definition = true, .definitions = QUIPU__DEFINES(plural)}
#define DEFINES_NOTHING(record)                                                                                \
    [QUIPU__OTF2_TYPE_##record] = {.is_definition = true, .definitions = QUIPU__DEFINES_NOTHING}
#define DESCRIBES(record) [QUIPU__OTF2_TYPE_##record] = {.is_definition = true}

static const struct quipu__mapping definitions[QUIPU__OTF2_TYPE_COUNT] = {
    DESCRIBES(CLOCK_PROPERTIES),
    DESCRIBES(PARADIGM),
    DESCRIBES(IO_PARADIGM),
    DESCRIBES(STRING),
    DESCRIBES(MAPPING_TABLE),
    DESCRIBES(CLOCK_OFFSET),
    DEFINES(ATTRIBUTE, attribute_keys),
    DEFINES(PARAMETER, attribute_keys),
    DEFINES(SYSTEM_TREE_NODE, locations),
    DEFINES(LOCATION_GROUP, locations),
    DEFINES(LOCATION, locations),
    DEFINES(REGION, regions),
    DEFINES(GROUP, groups),
    DEFINES(COMM, groups),
    DEFINES(INTER_COMM, groups),
    DEFINES(RMA_WIN, groups),
    DEFINES(METRIC_MEMBER, metrics),
    DEFINES(METRIC_CLASS, metrics),
    DEFINES(METRIC_INSTANCE, metrics),
    DEFINES(SOURCE_CODE_LOCATION, sources),
    DEFINES(CALLING_CONTEXT, sources),
    DEFINES(IO_REGULAR_FILE, files),
    DEFINES(IO_DIRECTORY, files),
    DEFINES(IO_HANDLE, files),
    DEFINES(DEF_MARKER, markers),
    DEFINES_NOTHING(PARADIGM_PROPERTY),
    DEFINES_NOTHING(CALLSITE),
    DEFINES_NOTHING(CALLPATH),
    DEFINES_NOTHING(CALLPATH_PARAMETER),
    DEFINES_NOTHING(METRIC_CLASS_RECORDER),
    DEFINES_NOTHING(SYSTEM_TREE_NODE_PROPERTY),
    DEFINES_NOTHING(SYSTEM_TREE_NODE_DOMAIN),
    DEFINES_NOTHING(LOCATION_GROUP_PROPERTY),
    DEFINES_NOTHING(LOCATION_PROPERTY),
    DEFINES_NOTHING(CART_DIMENSION),
    DEFINES_NOTHING(CART_TOPOLOGY),
    DEFINES_NOTHING(CART_COORDINATE),
    DEFINES_NOTHING(CALLING_CONTEXT_PROPERTY),
    DEFINES_NOTHING(INTERRUPT_GENERATOR),
    DEFINES_NOTHING(IO_FILE_PROPERTY),
    DEFINES_NOTHING(IO_PRE_CREATED_HANDLE_STATE),
};

const struct quipu__mapping *quipu__otf2_mapping(uint32_t type) {
    static const struct quipu__field_outcome common[] = {{0, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
                                                         {1, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0}};
    static const struct quipu__mapping note = {KIND(note), false, common, 2, 0};
    static const struct quipu__mapping mappings[QUIPU__OTF2_TYPE_COUNT] = {
#define EVENT(record, its_kind)                                                                                \
    [QUIPU__OTF2_TYPE_##record] = {.fields = outcomes_##record,                                                \
                                   .field_count = sizeof outcomes_##record / sizeof *outcomes_##record,        \
                                   .kinds = KIND(its_kind)
#define ALSO(record, kind) | KIND(kind)
#define EVENT_END(record)                                                                                      \
    }                                                                                                          \
    ,
#include "formats/otf2/mapping.def"
    };
    if (mappings[type].kinds)
        return &mappings[type];
    return quipu__otf2_types[type].group == QUIPU__OTF2_GROUP_EVENT ? &note : &definitions[type];
}

bool quipu__otf2_is_attribute(uint32_t type, uint32_t field) {
    const struct quipu_record_type *row = &quipu__otf2_types[type];
    const bool is_event = row->group == QUIPU__OTF2_GROUP_EVENT;
    if (!is_event && type != QUIPU__OTF2_TYPE_MARKER)
        return false;
    return field >= (is_event ? 2u : 0u) && field + is_event < row->field_count &&
           (quipu__otf2_rows[type].has >> field & 1) == 0;
}
