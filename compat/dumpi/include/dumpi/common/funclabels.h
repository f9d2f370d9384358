/* funclabels.h: the names of the calls. */
#ifndef DUMPI_COMMON_FUNCLABELS_H
#define DUMPI_COMMON_FUNCLABELS_H

#include <dumpi/common/funcs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "MPI_Send" for DUMPI_Send; "DUMPI_NO_SUCH_FUNCTION" for a number that is no call's. */
const char *dumpi_function_label(dumpi_function function);
const char *dumpi_get_function_name(int function);

#ifdef __cplusplus
}
#endif
#endif
