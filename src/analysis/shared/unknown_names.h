/* unknown_names.h: refusing names of options that nothing in a trace has, with those that may have been meant. */
#ifndef QUIPU_ANALYSIS_SHARED_UNKNOWN_NAMES_H
#define QUIPU_ANALYSIS_SHARED_UNKNOWN_NAMES_H

#include <quipu/model.h>

/* QUIPU_MISUSE. */
enum quipu_status quipu__no_region(const struct quipu_definitions *definitions, const char *name,
                                   struct quipu_error *err);

/* The same for markers and regions that users mark. */
enum quipu_status quipu__no_annotation(const struct quipu_definitions *definitions, const char *name,
                                       struct quipu_error *err);

#endif
