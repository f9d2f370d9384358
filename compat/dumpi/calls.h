/* calls.h: the one function behind all dumpi_write_... functions of calls. */
#ifndef COMPAT_DUMPI_CALLS_H
#define COMPAT_DUMPI_CALLS_H

#include <stdint.h>

#include <dumpi/common/dumpiio.h>

int quipu__undumpi_write(uint32_t type, const void *arguments, uint16_t thread, const dumpi_time *cpu,
                         const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output,
                         dumpi_profile *profile);

#endif
