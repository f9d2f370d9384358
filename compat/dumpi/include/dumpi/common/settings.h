/* settings.h: what a writer stores. */
#ifndef DUMPI_COMMON_SETTINGS_H
#define DUMPI_COMMON_SETTINGS_H

#include <stdint.h>

#include <dumpi/common/funcs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a call or its statuses are stored. */
typedef enum dumpi_setting {
    DUMPI_DISABLE = 0,
    DUMPI_SUCCESS = 1,
    DUMPI_ALWAYS = 2,
    DUMPI_ENABLE = 3
} dumpi_setting;

/* Which clocks are stored. */
typedef enum dumpi_timestamps {
    DUMPI_TIME_NONE = 0,
    DUMPI_TIME_CPU = 4,
    DUMPI_TIME_WALL = 8,
    DUMPI_TIME_FULL = 12
} dumpi_timestamps;

/* Everything a writer stores: a dumpi_timestamps, a dumpi_setting, whether counters are stored, and for each call by
 * its number whether it is. */
typedef struct dumpi_outputs {
    int8_t timestamps;
    int8_t statuses;
    int8_t perfinfo;
    int8_t function[DUMPI_END_OF_STREAM];
} dumpi_outputs;

#ifdef __cplusplus
}
#endif
#endif
