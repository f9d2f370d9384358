/* records.h: what records.def and types.def make: numbers of types and fields, the C structs of all records, and their tables.
 * The struct of a call has the members of the argument struct of DUMPI's own reading library, in the same order and with the
 * same types, so that one can be used as the other. */
#ifndef QUIPU_DUMPI_RECORDS_H
#define QUIPU_DUMPI_RECORDS_H

#include "formats/dumpi/layout.h"

#define ROWS_RECORDS "formats/dumpi/records.def"
#define ROWS_DOMAINS "formats/dumpi/types.def"
#define ROWS_PREFIX quipu__dumpi
#define ROWS_NUMBERS QUIPU__DUMPI
#define ROWS_TYPES QUIPU__DUMPI_TYPE
#define ROWS_GROUP(role) QUIPU_REGION_##role
#include "schema/rows_structs.h"

extern const struct quipu_schema quipu__dumpi_schema;

/* Type of a call by its number in the file, or QUIPU_NONE. The rows of calls are in the order of their numbers, which
 * leave out 128 and 290. */
static inline uint32_t quipu__dumpi_type_of(uint32_t id) {
    if (id >= QUIPU__DUMPI_ID_LIMIT || id == QUIPU__DUMPI_PCONTROL || id == QUIPU__DUMPI_OLD_END)
        return QUIPU_NONE;
    return id - (id > QUIPU__DUMPI_PCONTROL) - (id > QUIPU__DUMPI_OLD_END);
}

/* Whether a field is a list of structs of that number (QUIPU__DUMPI_ELEMENT_range …). */
static inline bool quipu__dumpi_is_list_of(const struct quipu_field *field, uint32_t element) {
    return field->element && field->element->id == element;
}

/* What the text tools print for a value of a domain, by its name ("dtype"); NULL when they print only the number. */
const char *quipu__dumpi_label_of(const char *domain, int64_t value);

/* Bytes of a predefined datatype on common machines, 0 for others. */
int32_t quipu__dumpi_default_size(uint32_t datatype);

#endif
