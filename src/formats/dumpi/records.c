/* records.c: the tables that records.def and types.def make. Data only, except for two look-ups. */
#include "formats/dumpi/records.h"
#include "schema/rows_tables.h"

#include <string.h>

const struct quipu_schema quipu__dumpi_schema = {
    .name = "dumpi",
    .types = quipu__dumpi_types,
    .type_count = QUIPU__DUMPI_TYPE_COUNT,
    .common = &elements[QUIPU__DUMPI_ELEMENT_call],
};

/* ---- Labels ---- */

/* Special properties of the values of handles. */
static const struct {
    const struct quipu_label *labels;
    int64_t first_user;
    const char *below;
} handles[] = {
#define LABELS_ROW(labels, first, below) {labels_of_##labels, first, below},
#include "formats/dumpi/types.def"
};

static const struct quipu_domain *domain_find(const char *name) {
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (strcmp(domains[i].name, name) == 0)
            return &domains[i];
    return NULL;
}

const char *quipu__dumpi_label_of(const char *name, int64_t value) {
    const struct quipu_domain *domain = domain_find(name);
    if (!domain)
        return NULL;
    const char *label = quipu_label_find(domain, value);
    for (size_t h = 0; label == domain->other_label && h < sizeof handles / sizeof *handles; h++)
        if (handles[h].labels == domain->labels && handles[h].below && value < handles[h].first_user)
            return handles[h].below;
    return label;
}

/* ---- Sizes ---- */

/* Bytes of the predefined datatypes, for files that do not list them. */
static const uint8_t default_sizes[] = {
    [2] = 1,  [3] = 1,  [4] = 1,  [5] = 1,   [6] = 2,   [7] = 2,   [8] = 2,  [9] = 4,
    [10] = 4, [11] = 8, [12] = 8, [13] = 4,  [14] = 8,  [15] = 16, [16] = 8, [17] = 8,
    [18] = 8, [19] = 1, [22] = 8, [23] = 12, [24] = 12, [25] = 6,  [26] = 8, [27] = 20,
};

int32_t quipu__dumpi_default_size(uint32_t datatype) {
    return datatype < sizeof default_sizes ? default_sizes[datatype] : 0;
}
