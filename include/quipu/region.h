/* region.h: parts of a program of one's own, in the trace that "quipu record" makes of it.
 *
 *     #include <quipu/region.h>
 *
 *     quipu_region_begin("solve");
 *     ...
 *     quipu_region_end("solve");
 *
 * Regions end in the opposite order. Programs need not be linked with anything: without a recorder both do nothing. In Fortran:
 *
 *     call quipu_region_begin('solve')
 *     call quipu_region_end('solve')
 *
 * for which a program is linked with what "quipu record --flags" prints. Functions that are compiled with -finstrument-functions are
 * regions by themselves.
 */
#ifndef QUIPU_REGION_H
#define QUIPU_REGION_H

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder's; NULL without one. */
#pragma weak quipu_recorder_region_begin
#pragma weak quipu_recorder_region_end
void quipu_recorder_region_begin(const char *name);
void quipu_recorder_region_end(const char *name);

/* A name is at most 255 bytes long, and the same at both ends. */
static inline void quipu_region_begin(const char *name) {
    if (quipu_recorder_region_begin)
        quipu_recorder_region_begin(name);
}

static inline void quipu_region_end(const char *name) {
    if (quipu_recorder_region_end)
        quipu_recorder_region_end(name);
}

#ifdef __cplusplus
}
#endif

#endif
