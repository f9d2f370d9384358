/* records.c: the tables that records.def, elements.def, types.def and constants.def make. Data only, but for two
 * look-ups. */
#include "formats/dumpi/records.h"

#include <string.h>

/* ---- Labels ---- */

#define KIND(name, first, below) static const struct quipu_label name##_labels[] = {
#define LABEL(name, value, text) {value, text},
#define KIND_END(name)                                                                                         \
    { INT64_MAX, NULL }                                                                                        \
    }                                                                                                          \
    ;
#include "formats/dumpi/constants.def"

#define LABEL_COUNT(name) (sizeof name##_labels / sizeof *name##_labels - 1)

/* What is special about the values of a kind. */
static const struct {
    const struct quipu_label *labels;
    int64_t first_user;
    const char *below;
} kinds[] = {
#define KIND(name, first, below) {name##_labels, first, below},
#define LABEL(name, value, text)
#define KIND_END(name)
#include "formats/dumpi/constants.def"
};

/* ---- Domains ---- */

enum {
#define TYPE(name, storage, wire, role, word, labels, other) DOMAIN_##name,
#include "formats/dumpi/types.def"
    DOMAIN_COUNT
};

static const struct quipu_domain domains[DOMAIN_COUNT] = {
#define TYPE(name, storage, wire, role, word, labels, other)                                                   \
    {#name, QUIPU_STORE_##storage, QUIPU__DUMPI_WIRE_OF_##name, QUIPU_ROLE_##role,                             \
     word,  labels##_labels,       LABEL_COUNT(labels),         other},
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
    for (size_t k = 0; label == domain->other_label && k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].labels == domain->labels && kinds[k].below && value < kinds[k].first_user)
            return kinds[k].below;
    return label;
}

/* ---- Sizes ---- */

/* Bytes of the predefined datatypes, for files that do not list them. */
static const uint8_t usual_sizes[] = {
    [2] = 1,  [3] = 1,  [4] = 1,  [5] = 1,   [6] = 2,   [7] = 2,   [8] = 2,  [9] = 4,
    [10] = 4, [11] = 8, [12] = 8, [13] = 4,  [14] = 8,  [15] = 16, [16] = 8, [17] = 8,
    [18] = 8, [19] = 1, [22] = 8, [23] = 12, [24] = 12, [25] = 6,  [26] = 8, [27] = 20,
};

int32_t quipu__dumpi_usual_size(uint32_t datatype) {
    return datatype < sizeof usual_sizes ? usual_sizes[datatype] : 0;
}

/* ---- Fields ---- */

#define BEGIN(record, id, title, role, order, doc) static const struct quipu_field record##_rows[] = {
#define ROW(record, c_type, member, name, domain, element, shape, wire, width, count, left, right, since,      \
            until, doc)                                                                                        \
    {name,                                                                                                     \
     doc,                                                                                                      \
     &domains[DOMAIN_##domain],                                                                                \
     element,                                                                                                  \
     NULL,                                                                                                     \
     NULL,                                                                                                     \
     offsetof(struct quipu__dumpi_##record, member),                                                           \
     QUIPU__DUMPI_STORAGE_OF_##domain,                                                                         \
     wire,                                                                                                     \
     shape,                                                                                                    \
     (since) != 0 || (until) != 0,                                                                             \
     QUIPU__DUMPI_##record##_##count,                                                                          \
     QUIPU__DUMPI_##record##_##left,                                                                           \
     QUIPU__DUMPI_##record##_##right,                                                                          \
     since,                                                                                                    \
     until},
#define END(record)                                                                                            \
    { .count = -1 }                                                                                            \
    }                                                                                                          \
    ;
#define AT(record, member) QUIPU__DUMPI_##record##_##member
#define ORDER(record, ...) static const uint8_t record##_order[] = {__VA_ARGS__};
#include "formats/dumpi/rows.h"
#include "formats/dumpi/elements.def"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"

/* ---- Types ---- */

/* Bytes of the values that are always there. */
enum {
#define BEGIN(record, id, title, role, order, doc) FIXED_##record = 0
#define ROW(record, c_type, member, name, domain, element, shape, wire, width, count, left, right, since,      \
            until, doc)                                                                                        \
    +(width)
#define END(record) ,
#include "formats/dumpi/rows.h"
#include "formats/dumpi/elements.def"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"
};

#define TYPE_ROW(record, id, title, role, order, doc)                                                          \
    {title,                                                                                                    \
     doc,                                                                                                      \
     id,                                                                                                       \
     NULL,                                                                                                     \
     NULL,                                                                                                     \
     record##_rows,                                                                                            \
     order,                                                                                                    \
     QUIPU__DUMPI_##record##_fields,                                                                           \
     sizeof(struct quipu__dumpi_##record),                                                                     \
     FIXED_##record,                                                                                           \
     0},

const struct quipu_record_type quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_COUNT] = {
#define BEGIN TYPE_ROW
#include "formats/dumpi/rows.h"
#include "formats/dumpi/elements.def"
#include "formats/dumpi/rows_end.h"
};

const struct quipu_record_type quipu__dumpi_types[QUIPU__DUMPI_TYPE_COUNT] = {
#define BEGIN TYPE_ROW
#include "formats/dumpi/rows.h"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"
};

#define BEGIN(record, id, title, role, order, doc) QUIPU_REGION_##role,
const uint8_t quipu__dumpi_roles[QUIPU__DUMPI_TYPE_COUNT] = {
#include "formats/dumpi/rows.h"
#include "formats/dumpi/records.def"
#include "formats/dumpi/rows_end.h"
};

const struct quipu_schema quipu__dumpi_schema = {
    .name = "dumpi",
    .types = quipu__dumpi_types,
    .type_count = QUIPU__DUMPI_TYPE_COUNT,
    .common = &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_call],
};
