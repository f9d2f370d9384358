/* probe.h: finding the format of a path. */
#ifndef QUIPU_TRACE_PROBE_H
#define QUIPU_TRACE_PROBE_H

#include "core/files/input.h"
#include "formats/descriptor.h"

/* Sets *out to path or, when nothing has this name, to the only file that has it with a suffix of the format, or of some
 * format when it is NULL. Path again when there is none; it is in arena otherwise. */
enum quipu_status quipu__probe_path(struct quipu__arena *arena, const char *path,
                                    const struct quipu__format *format, const char **out,
                                    struct quipu_error *err);

/* The format that is surest of path and how sure it is; QUIPU_UNKNOWN_FORMAT when none is, or when two are. */
enum quipu_status quipu__probe(struct quipu__files *files, const char *path,
                               const struct quipu__format **format, enum quipu_score *score,
                               struct quipu_error *err);

#endif
