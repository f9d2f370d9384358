/* settings.h: what can be chosen about a file that is written. */
#ifndef DUMPI_COMMON_SETTINGS_H
#define DUMPI_COMMON_SETTINGS_H

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

/* Bits of the mask that each call has in a file: what it has. */
#define DUMPI_ENABLE_STATUS_MASK 3
#define DUMPI_CPUTIME_MASK 4
#define DUMPI_WALLTIME_MASK 8
#define DUMPI_THREADID_MASK 64
#define DUMPI_PERFINFO_MASK 128

#ifdef __cplusplus
}
#endif
#endif
