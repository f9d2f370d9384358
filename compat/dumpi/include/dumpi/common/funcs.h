/* funcs.h: names of the calls by number, and versions. */
#ifndef DUMPI_COMMON_FUNCS_H
#define DUMPI_COMMON_FUNCS_H

#include <stdint.h>

#include <dumpi/common/funclabels.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version that the library writes. */
extern const int8_t dumpi_version;
extern const int8_t dumpi_subversion;
extern const int8_t dumpi_subsubversion;

/* "MPI_Send" at DUMPI_Send and so on. */
extern const char *dumpi_function_names[];

/* The same; "DUMPI_NO_SUCH_FUNCTION" for a number that is no call's. */
const char *dumpi_get_function_name(int funcid);

/* Whether a version is a certain one or newer. */
static inline int dumpi_have_version(const char version_array[3], int min_version, int min_subversion,
                                     int min_subsubversion) {
    const int have[3] = {(unsigned char)version_array[0], (unsigned char)version_array[1],
                         (unsigned char)version_array[2]};
    if (have[0] != min_version)
        return have[0] > min_version;
    if (have[1] != min_subversion)
        return have[1] > min_subversion;
    return have[2] >= min_subsubversion;
}

#ifdef __cplusplus
}
#endif
#endif
