/* gettime.h: the clocks by which calls are timed. */
#ifndef DUMPI_COMMON_GETTIME_H
#define DUMPI_COMMON_GETTIME_H

#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CPU time of the process, and the time of a clock that is never set back. Each may be NULL. */
void dumpi_get_time(dumpi_clock *cpu, dumpi_clock *wall);

#ifdef __cplusplus
}
#endif
#endif
