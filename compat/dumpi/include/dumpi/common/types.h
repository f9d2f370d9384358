/* types.h: what the sections of a DUMPI file and the frame of a call look like in memory. */
#ifndef DUMPI_COMMON_TYPES_H
#define DUMPI_COMMON_TYPES_H

#include <stdint.h>

#include <dumpi/common/constants.h>
#include <dumpi/common/funcs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A point in time; the origin is the clock's own. */
typedef struct dumpi_clock {
    int32_t sec, nsec;
} dumpi_clock;

/* When a call began and ended. */
typedef struct dumpi_time {
    dumpi_clock start, stop;
} dumpi_time;

/* A message status. */
typedef struct dumpi_status {
    int32_t bytes;
    int32_t source;
    int32_t tag; /* -1 in files before 0.6.3 */
    int8_t cancelled;
    int8_t error; /* low byte of the error code */
} dumpi_status;

/* Hardware counters: their names, and their values when a call began and ended. */
#define DUMPI_MAX_PERFCTRS 128
#define DUMPI_MAX_PERFCTR_LABEL 80
typedef char dumpi_perflabel_t[DUMPI_MAX_PERFCTR_LABEL];
typedef struct dumpi_perfinfo {
    int32_t count;
    char counter_tag[DUMPI_MAX_PERFCTRS][DUMPI_MAX_PERFCTR_LABEL];
    int64_t invalue[DUMPI_MAX_PERFCTRS];
    int64_t outvalue[DUMPI_MAX_PERFCTRS];
} dumpi_perfinfo;

/* Who wrote a file, where and when. */
typedef struct dumpi_header {
    char version[3];
    uint64_t starttime; /* seconds since 1970 */
    char *hostname;
    char *username;
    int meshdim;
    int *meshcrd;  /* meshdim values */
    int *meshsize; /* meshdim values */
} dumpi_header;

/* How often each call was made, and how often it left no record; the last is for totals. */
typedef struct dumpi_footer {
    uint32_t call_count[DUMPI_ALL_FUNCTIONS + 1];
    uint32_t ignored_count[DUMPI_ALL_FUNCTIONS + 1];
} dumpi_footer;

/* Keys with values about the run, in the order of the file. */
typedef struct dumpi_keyval_entry {
    char *key;
    char *val;
    struct dumpi_keyval_entry *next;
} dumpi_keyval_entry;
typedef struct dumpi_keyval_record {
    int count;
    dumpi_keyval_entry *head;
    dumpi_keyval_entry *tail;
} dumpi_keyval_record;

/* Sizes in bytes of the datatypes 0, 1, 2, ...; 0 for those that were never seen. */
typedef struct dumpi_sizeof {
    int16_t count;
    int *size;
} dumpi_sizeof;

#ifdef __cplusplus
}
#endif
#endif
