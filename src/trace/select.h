/* select.h: preparing a user's selection for fast use. */
#ifndef QUIPU_TRACE_SELECT_H
#define QUIPU_TRACE_SELECT_H

#include "model/filter.h"

#include <quipu/reader.h>

/* QUIPU_MISUSE when a selection ends before it begins. */
enum quipu_status quipu__selection_check(const struct quipu_selection *selection, struct quipu_error *err);

/* Replaces the contents of the filter, which must be zeroed or set before. On failure the filter passes all. */
enum quipu_status quipu__filter_set(struct quipu__filter *filter, struct quipu__memory *memory,
                                    const struct quipu_selection *selection,
                                    const struct quipu_definitions *definitions, struct quipu_error *err);

void quipu__filter_release(struct quipu__filter *filter, struct quipu__memory *memory);

#endif
