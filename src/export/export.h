/* export.h: the exporters as targets of writing. */
#ifndef QUIPU_EXPORT_EXPORT_H
#define QUIPU_EXPORT_EXPORT_H

#include "formats/descriptor.h"

/* The writing half of an exporter by name, or NULL. */
const struct quipu__format *quipu__exporter_target(const char *name);

/* What every exporter holds: everything that events say, in one way or another. */
extern const struct quipu__capabilities quipu__export_capabilities;

#endif
