/* types.h: handles and numbers, what the sections of a DUMPI file and the frame of a call look like in memory, and open
 * files. */
#ifndef DUMPI_COMMON_TYPES_H
#define DUMPI_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <dumpi/common/funclabels.h>
#include <dumpi/common/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Handles and numbers, as wide as a call has them ---- */

typedef int32_t dumpi_source;
typedef int32_t dumpi_dest;
typedef int32_t dumpi_tag;
typedef int32_t dumpi_errcode;
typedef int32_t dumpi_request;
typedef int32_t dumpio_request;
typedef int16_t dumpi_datatype;
typedef int16_t dumpi_comm;
typedef int16_t dumpi_group;
typedef int16_t dumpi_info;
typedef int16_t dumpi_file;
typedef int16_t dumpi_win;
typedef int16_t dumpi_errhandler;
typedef int16_t dumpi_keyval;
typedef int16_t dumpi_comm_keyval;
typedef int16_t dumpi_type_keyval;
typedef int16_t dumpi_win_keyval;
typedef int16_t dumpi_op;
typedef int16_t dumpi_combiner;
typedef int16_t dumpi_topology;
typedef int16_t dumpi_distribution;
typedef int16_t dumpi_locktype;
typedef int16_t dumpi_whence;
typedef int16_t dumpi_win_assert;
typedef int16_t dumpi_filemode;
typedef int16_t dumpi_typeclass;
typedef int16_t dumpi_threadlevel;
typedef int8_t dumpi_comparison;
typedef int8_t dumpi_ordering;

/* ---- Times ---- */

/* A point in time; the origin is the clock's own. */
typedef struct dumpi_clock {
    int32_t sec, nsec;
} dumpi_clock;

/* When a call began and ended. */
typedef struct dumpi_time {
    dumpi_clock start, stop;
} dumpi_time;

/* Seconds and nanoseconds, of which there may be more than a second's. */
static inline dumpi_clock dumpi_clock_init_time(int64_t tsec, int64_t tnsec) {
    const int64_t rest = tnsec % 1000000000;
    const int64_t nsec = rest < 0 ? rest + 1000000000 : rest;
    dumpi_clock clock;
    clock.sec = (int32_t)(tsec + (tnsec - nsec) / 1000000000);
    clock.nsec = (int32_t)nsec;
    return clock;
}

/* A time t in ticks of which a second has scale, at most 1000000000. */
static inline dumpi_clock dumpi_clock_init_scale(int64_t t, int64_t scale) {
    return scale > 0 ? dumpi_clock_init_time(t / scale, t % scale * (1000000000 / scale))
                     : dumpi_clock_init_time(0, 0);
}

/* ---- Parts of a call ---- */

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
#define DUMPI_MAX_PERFCTR_NAME 80
typedef struct dumpi_perfinfo {
    int32_t count;
    char counter_tag[DUMPI_MAX_PERFCTRS][DUMPI_MAX_PERFCTR_NAME];
    int64_t invalue[DUMPI_MAX_PERFCTRS];
    int64_t outvalue[DUMPI_MAX_PERFCTRS];
} dumpi_perfinfo;

/* Everything a writer stores: a dumpi_timestamps, a dumpi_setting, whether counters are stored, and for each call by
 * its number whether it is. */
typedef struct dumpi_outputs {
    int8_t timestamps;
    int8_t statuses;
    int8_t perfinfo;
    int8_t function[DUMPI_END_OF_STREAM];
} dumpi_outputs;

/* ---- Sections ---- */

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

/* The header of a file that this process would begin now, without a mesh. NULL when memory is out. */
dumpi_header *dumpi_build_header(void);
void dumpi_free_header(dumpi_header *header);

/* How often each call was made, and how often it left no record; the last is for totals. */
typedef struct dumpi_footer {
    uint32_t call_count[DUMPI_ALL_FUNCTIONS + 1];
    uint32_t ignored_count[DUMPI_ALL_FUNCTIONS + 1];
} dumpi_footer;

void dumpi_free_footer(dumpi_footer *footer);

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

/* An empty record, NULL when memory is out; adding copies of a key and a value at the end; taking an entry out of it: 1, or 0
 * when it is not there; taking out all of them; freeing it, too. */
dumpi_keyval_record *dumpi_alloc_keyval_record(void);
void dumpi_push_keyval_entry(dumpi_keyval_record *record, const char *key, const char *value);
int dumpi_erase_keyval_entry(dumpi_keyval_record *record, dumpi_keyval_entry *entry);
void dumpi_clear_keyval_record(dumpi_keyval_record *keyval);
void dumpi_free_keyval_record(dumpi_keyval_record *keyval);

/* Sizes in bytes of the datatypes 0, 1, 2, ...; 0 for those that were never seen. */
typedef struct dumpi_sizeof {
    int16_t count;
    int *size;
} dumpi_sizeof;

/* ---- Files ---- */

#define DUMPIFILE FILE *
#define DUMPI_FPOS off_t
#define DUMPI_FOPEN(FP, MODE) fopen((FP), (MODE))
#define DUMPI_FCLOSE(FP) fclose(FP)

struct dumpi_memory_buffer;

/* A file that is open for reading or writing. Reading goes on wherever file is: a program may seek in it and read from it
 * between two calls of the library. Sections are looked for at the offsets here, which are 0 for those that are absent. */
typedef struct dumpi_profile {
    DUMPIFILE file;
    int32_t cpu_time_offset;  /* seconds that are added to all CPU times */
    int32_t wall_time_offset; /* seconds that are added to all wall times */
    long header, body, footer, keyval, perflbl, addrlbl, sizelbl;
    char version[3];
    struct dumpi_memory_buffer *membuf; /* the library's own */
    size_t target_membuf_size;          /* writing: bytes that are held before some are written */
    uint64_t total_file_size;
    uint64_t pos;           /* of the next byte, as the library left it */
    uint64_t terminate_pos; /* undumpi_read_stream ends after the first call that ends here or later */
} dumpi_profile;

#ifdef __cplusplus
}
#endif
#endif
