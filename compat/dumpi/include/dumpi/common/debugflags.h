/* debugflags.h: what a program may ask to be told. The library keeps the mask for programs, and says nothing. */
#ifndef DUMPI_COMMON_DEBUGFLAGS
#define DUMPI_COMMON_DEBUGFLAGS

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DUMPI_DEBUG_NONE 0
#define DUMPI_DEBUG_TRACEIO 1
#define DUMPI_DEBUG_TRACEIO_VERBOSE 3
#define DUMPI_DEBUG_MPICALLS 4
#define DUMPI_DEBUG_LIBDUMPI 8
#define DUMPI_DEBUG_ALL (-1)

extern uint64_t dumpi_debug;

#ifdef __cplusplus
}
#endif
#endif
