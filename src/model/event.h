/* event.h: what the numbers of an event stand for. */
#ifndef QUIPU_MODEL_EVENT_H
#define QUIPU_MODEL_EVENT_H

#include <quipu/model.h>

/* Name of the definition or operation that a number refers to; NULL when it refers to nothing that has a name. */
const char *quipu__name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint64_t number);

/* The number that the format's files use for such a definition; QUIPU_UNKNOWN when it refers to none. */
uint64_t quipu__native_id_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                             uint64_t number);

/* How many definitions or operations there are of the kind that a field refers to; QUIPU_UNKNOWN when it refers to
 * nothing. */
uint64_t quipu__count_of(const struct quipu_definitions *definitions, enum quipu_refers refers);

/* No tree of locations is deeper; a loop in a damaged one ends here. */
enum { QUIPU__LOCATIONS_DEEP_MOST = 16 };

/* The nearest location of a kind among a location and those that it is part of; QUIPU_NONE when there is none. */
uint32_t quipu__location_above(const struct quipu_definitions *definitions, uint32_t location,
                               enum quipu_location_kind kind);

/* The process that a location is part of; the location itself when it is part of none. */
uint32_t quipu__process_of(const struct quipu_definitions *definitions, uint32_t location);

/* The text of a role, NULL for other numbers; and the role with a text, QUIPU_REGION_ROLE_COUNT for other texts. */
const char *quipu__region_role_text(enum quipu_region_role role);
enum quipu_region_role quipu__region_role_find(const char *text);

/* Unknown numbers fill their column: 32 bits in the narrow ones, 64 in the wide ones. */
bool quipu__is_unknown(enum quipu_column column, uint64_t number);

/* Whether the numbers of a field have a sign. */
static inline bool quipu__is_signed(enum quipu_refers refers) {
    return refers == QUIPU_REFERS_SIGNED || refers == QUIPU_REFERS_CHANNEL_VALUE;
}

/* Whether an end of a collective operation says which one it is. */
static inline bool quipu__says_collective(uint32_t operation, uint32_t group) {
    return group != QUIPU_NONE || (operation < QUIPU_COLLECTIVE_COUNT && operation != QUIPU_COLLECTIVE_OTHER);
}

#endif
