/* libdumpi.h: what a program may tell libdumpi, which records its calls of MPI. The library is linked ahead of the MPI, or preloaded; no
 * program has to call any of this. */
#ifndef DUMPI_LIBDUMPI_LIBDUMPI_H
#define DUMPI_LIBDUMPI_LIBDUMPI_H

#include <dumpi/common/funclabels.h>
#include <dumpi/common/settings.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls are recorded, as they are from the beginning, or counted only. */
void libdumpi_enable_profiling(void);
void libdumpi_disable_profiling(void);

/* The same of one function: DUMPI_DISABLE, or any other setting. */
void libdumpi_set_profiling(dumpi_function function, dumpi_setting setting);

/* How names of files begin, instead of the fileroot of dumpi.conf; before MPI_Init. */
void libdumpi_set_output(const char *root);

/* Whether calls from now on have their statuses. */
void libdumpi_set_status_output(dumpi_setting setting);

/* Calls so far by the numbers of functions, DUMPI_ALL_FUNCTIONS being that of their sum; the numbers go on as the program does. */
const uint32_t *libdumpi_call_counts(void);

#ifdef __cplusplus
}
#endif
#endif
