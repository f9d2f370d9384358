/* capabilities.c: questions about what a writer can represent. */
#include "formats/descriptor.h"

quipu_kinds quipu__capable_kinds(const struct quipu__capabilities *capabilities) {
    quipu_kinds kinds = capabilities->everything ? QUIPU_ALL_KINDS : 0;
    for (size_t i = 0; i < capabilities->kind_count; i++)
        kinds |= QUIPU_KIND_BIT(capabilities->kinds[i].kind);
    return kinds;
}

bool quipu__keeps_column(const struct quipu__capabilities *capabilities, quipu_kinds kinds,
                         enum quipu_column column) {
    for (size_t i = 0; i < capabilities->kind_count; i++)
        if ((kinds & QUIPU_KIND_BIT(capabilities->kinds[i].kind)) != 0 &&
            (capabilities->kinds[i].columns >> column & 1) != 0)
            return true;
    return capabilities->everything;
}

bool quipu__keeps_statistic(const struct quipu__capabilities *capabilities, uint32_t statistics) {
    return statistics == 0 || capabilities->everything || (capabilities->statistics & statistics) != 0;
}

bool quipu__keeps_definitions(const struct quipu__capabilities *capabilities, uint32_t definitions) {
    return definitions == 0 || capabilities->everything || capabilities->definitions == 0 ||
           (capabilities->definitions & definitions) != 0;
}
