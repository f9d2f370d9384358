/* region.h: marks parts of your program in the trace that "quipu record" makes of it.
 *
 *     #include <quipu/region.h>
 *
 *     quipu_region_begin("solve");
 *     ...
 *     quipu_region_end("solve");
 *
 * The region that began last ends first. Programs need not be linked with anything: without a recorder both functions
 * do nothing. In Fortran:
 *
 *     call quipu_region_begin('solve')
 *     call quipu_region_end('solve')
 *
 * and link the program with what "quipu record --flags" prints. Functions compiled with -finstrument-functions become
 * regions by themselves.
 */
#ifndef QUIPU_REGION_H
#define QUIPU_REGION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the recorder; NULL without one. */
#pragma weak quipu_recorder_region_begin
#pragma weak quipu_recorder_region_end
void quipu_recorder_region_begin(const char *name);
void quipu_recorder_region_end(const char *name);

/* A name has at most 255 bytes and is the same at both ends. */
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
