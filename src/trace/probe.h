/* probe.h: finding the format of a path. */
#ifndef QUIPU_TRACE_PROBE_H
#define QUIPU_TRACE_PROBE_H

#include "core/input.h"
#include "formats/descriptor.h"

/* The format that is surest of path and how sure it is; QUIPU_UNKNOWN_FORMAT when none is, or when two are. */
enum quipu_status quipu__probe(struct quipu__files *files, const char *path,
                               const struct quipu__format **format, enum quipu_score *score,
                               struct quipu_error *err);

#endif
