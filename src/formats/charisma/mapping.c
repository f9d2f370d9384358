/* mapping.c: mapping.def as data: for the conversion report and for to_model.c. */
#include "formats/charisma/format.h"

#define MAPPING(record, kinds) static const struct quipu__field_outcome outcomes_of_##record[] = {
#define TO(record, member, column)                                                                             \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_##column, "", 0},
#define BY(record, member)                                                                                     \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
#define AS(record, member, phrase)                                                                             \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_APPROXIMATED, QUIPU_COLUMN_COUNT, phrase, 0},
#define LEFT(record, member, why)                                                                              \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_DROPPED, QUIPU_COLUMN_COUNT, why, 0},
#define MAPPING_END(record)                                                                                    \
    }                                                                                                          \
    ;
#include "formats/charisma/mapping.def"
#undef MAPPING
#undef TO
#undef BY
#undef AS
#undef LEFT
#undef MAPPING_END

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
#define TO(record, member, column)
#define BY(record, member)
#define AS(record, member, phrase)
#define LEFT(record, member, why)
#define MAPPING_END(record)
static const struct quipu__mapping mappings[QUIPU__CHARISMA_TYPE_COUNT] = {
    [QUIPU__CHARISMA_TYPE_header] = {.is_definition = true},
#define MAPPING(record, its_kinds)                                                                             \
    [QUIPU__CHARISMA_TYPE_##                                                                                   \
        record] = {.kinds = (its_kinds),                                                                       \
                   .fields = outcomes_of_##record,                                                             \
                   .field_count = sizeof outcomes_of_##record / sizeof *outcomes_of_##record},
#include "formats/charisma/mapping.def"
#undef MAPPING
};

const struct quipu__mapping *quipu__charisma_mapping(uint32_t type) {
    return &mappings[type];
}
