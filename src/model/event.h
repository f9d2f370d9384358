/* event.h: what the numbers in an event's columns stand for. */
#ifndef QUIPU_MODEL_EVENT_H
#define QUIPU_MODEL_EVENT_H

#include <quipu/model.h>

/* Name of the definition or operation that a number refers to; NULL when it refers to nothing that has a name. */
const char *quipu__name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint64_t number);

/* Unknown numbers fill their column: 32 bits in the narrow ones, 64 in the wide ones. */
bool quipu__is_unknown(enum quipu_column column, uint64_t number);

#endif
