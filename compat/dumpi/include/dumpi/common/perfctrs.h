/* perfctrs.h: hardware counters of this process. The library is made without PAPI, so none is ever active. */
#ifndef DUMPI_COMMON_PERFCTRS_H
#define DUMPI_COMMON_PERFCTRS_H

#include <stddef.h>

#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a counter. */
typedef char dumpi_perflabel_t[DUMPI_MAX_PERFCTR_NAME];

/* Whether values are taken at the begin or at the end of a call. */
typedef enum dumpi_perfinfo_direction { DUMPI_PERFCTR_IN = 0, DUMPI_PERFCTR_OUT = 1 } dumpi_perfinfo_direction;

/* Gets the counters that ctrs names ready: none. 1, or 0 without ctrs. */
int dumpi_init_perfctrs(dumpi_perfinfo *ctrs);

/* How many are active, and what they are called. */
size_t dumpi_active_perfctrs(void);
dumpi_perflabel_t *dumpi_perfctr_labels(void);

/* Takes their values. */
void dumpi_get_perfctrs(const dumpi_profile *profile, dumpi_perfinfo *perf, dumpi_perfinfo_direction direction);

#ifdef __cplusplus
}
#endif
#endif
