/* probe.h: finding the format of a path. */
#ifndef QUIPU_TRACE_PROBE_H
#define QUIPU_TRACE_PROBE_H

#include "core/files/input.h"
#include "formats/descriptor.h"

/* Sets *out to path or, if path does not exist, to the only file that is path with a suffix of the format, or of any
 * format if that is NULL. Otherwise to path. A new path is in arena. */
enum quipu_status quipu__probe_path(struct quipu__arena *arena, const char *path,
                                    const struct quipu__format *format, const char **out,
                                    struct quipu_error *err);

/* The format that is most certain of path, and how certain; QUIPU_UNKNOWN_FORMAT when no format recognises it, or when
 * two are equally certain. */
enum quipu_status quipu__probe(struct quipu__files *files, const char *path,
                               const struct quipu__format **format, enum quipu_score *score,
                               struct quipu_error *err);

#endif
