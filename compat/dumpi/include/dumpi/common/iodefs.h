/* iodefs.h: numbers, strings and lists of a file one by one, for programs that read or write calls themselves:
 *
 *     int read_send(dumpi_send *val, DUMPI_READARGS) {
 *         STARTREAD(profile, DUMPI_Send);
 *         val->count = GET_INT(profile);
 *         ...
 *         ENDREAD(profile);
 *     }
 *     int write_send(const dumpi_send *val, DUMPI_WRITEARGS) {
 *         STARTWRITE(profile, DUMPI_Send);
 *         PUT_INT(profile, val->count);
 *         ...
 *         ENDWRITE(profile);
 *     }
 *
 * get functions read at the position of profile->file, put functions append to what the profile writes. What cannot be read
 * is 0. Lists and strings that were read are the caller's to free(); empty ones are NULL.
 */
#ifndef DUMPI_COMMON_IODEFS_H
#define DUMPI_COMMON_IODEFS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dumpi/common/dumpiio.h>
#include <dumpi/common/funcs.h>
#include <dumpi/common/settings.h>
#include <dumpi/common/types.h>
#include <dumpi/libundumpi/freedefs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Bytes ---- */

/* Appends to the memory buffer, which goes to profile->file when it is full; writes it now; reads at the position of
 * profile->file; tells the offset of the next byte; frees the buffer. */
void dumpi_membuf_write(dumpi_profile *profile, const void *ptr, size_t size, size_t nmemb);
void dumpi_membuf_flush(dumpi_profile *profile);
void dumpi_membuf_read(dumpi_profile *profile, void *ptr, size_t size, size_t nmemb);
off_t dumpi_membuf_tell(dumpi_profile *profile);
void dumpi_free_membuf(struct dumpi_memory_buffer *buf);

#define DUMPI_FWRITE(PROFILE, PTR, SIZ, NMB) dumpi_membuf_write((PROFILE), (PTR), (SIZ), (NMB))
#define DUMPI_FLUSH(PROFILE) dumpi_membuf_flush(PROFILE)
#define DUMPI_FREAD(PROFILE, PTR, SIZ, NMB) dumpi_membuf_read((PROFILE), (PTR), (SIZ), (NMB))
#define DUMPI_GETC(FILE) getc(FILE)
#define DUMPI_READ_TELL(PROFILE) dumpi_membuf_tell(PROFILE)
#define DUMPI_WRITE_TELL(PROFILE) dumpi_membuf_tell(PROFILE)
#define DUMPI_SEEK(PROFILE, OFFSET, WHENCE) fseek((PROFILE)->file, (long)(OFFSET), (WHENCE))

/* What a mask says that a call has. */
#define DO_TIME_CPU(MASK) (((MASK)&DUMPI_CPUTIME_MASK) != 0)
#define DO_TIME_WALL(MASK) (((MASK)&DUMPI_WALLTIME_MASK) != 0)
#define DO_PERFINFO(MASK) (((MASK)&DUMPI_PERFINFO_MASK) != 0)

/* ---- Numbers: high bytes first ---- */

static inline uint8_t get8(dumpi_profile *fp) {
    const int byte = fp && fp->file ? getc(fp->file) : EOF;
    if (byte == EOF)
        return 0;
    fp->pos++;
    return (uint8_t)byte;
}

static inline uint16_t get16(dumpi_profile *fp) {
    const uint16_t high = get8(fp);
    return (uint16_t)(high << 8 | get8(fp));
}

static inline uint32_t get32(dumpi_profile *fp) {
    const uint32_t high = get16(fp);
    return high << 16 | get16(fp);
}

static inline uint64_t get64(dumpi_profile *fp) {
    const uint64_t high = get32(fp);
    return high << 32 | get32(fp);
}

static inline void put8(dumpi_profile *fp, uint8_t value) {
    DUMPI_FWRITE(fp, &value, 1, 1);
}

static inline void put16(dumpi_profile *fp, uint16_t value) {
    put8(fp, (uint8_t)(value >> 8));
    put8(fp, (uint8_t)value);
}

static inline void put32(dumpi_profile *fp, uint32_t value) {
    put16(fp, (uint16_t)(value >> 16));
    put16(fp, (uint16_t)value);
}

static inline void put64(dumpi_profile *fp, uint64_t value) {
    put32(fp, (uint32_t)(value >> 32));
    put32(fp, (uint32_t)value);
}

/* ---- Lists ---- */

/* LEN, a variable, becomes the number of elements, and VALUE the list. A list whose memory cannot be had is NULL, and its
 * elements are read all the same. */
#define DUMPI_GET_LIST(GET, PROFILE, LEN, VALUE)                                                               \
    do {                                                                                                       \
        int32_t dumpi_i, dumpi_n = (int32_t)get32(PROFILE);                                                    \
        dumpi_n = dumpi_n > 0 ? dumpi_n : 0;                                                                   \
        void *dumpi_list = dumpi_n > 0 ? calloc((size_t)dumpi_n + 1, sizeof *(VALUE)) : NULL;                  \
        memcpy(&(VALUE), &dumpi_list, sizeof dumpi_list);                                                      \
        for (dumpi_i = 0; (VALUE) && dumpi_i < dumpi_n && !feof((PROFILE)->file); dumpi_i++)                   \
            (VALUE)[dumpi_i] = GET(PROFILE);                                                                   \
        (LEN) = (VALUE) ? dumpi_n : 0;                                                                         \
    } while (0)
#define DUMPI_PUT_LIST(PUT, PROFILE, TERM, VALUE)                                                              \
    do {                                                                                                       \
        const int32_t dumpi_n = (VALUE) && (TERM) > 0 ? (int32_t)(TERM) : 0;                                   \
        int32_t dumpi_i;                                                                                       \
        put32((PROFILE), (uint32_t)dumpi_n);                                                                   \
        for (dumpi_i = 0; dumpi_i < dumpi_n; dumpi_i++)                                                        \
            PUT((PROFILE), (VALUE)[dumpi_i]);                                                                  \
    } while (0)

static inline void get32arr(dumpi_profile *fp, int32_t *count, int32_t **arr) {
    DUMPI_GET_LIST((int32_t)get32, fp, *count, *arr);
}

static inline void put32arr(dumpi_profile *fp, int32_t count, const int32_t *arr) {
    DUMPI_PUT_LIST(put32, fp, count, (const uint32_t *)arr);
}

static inline void get_requests(dumpi_profile *fp, int *count, dumpi_request **req) {
    get32arr(fp, count, req);
}

static inline void put_requests(dumpi_profile *fp, int count, dumpi_request *req) {
    put32arr(fp, count, req);
}

static inline dumpi_request get_single_request(dumpi_profile *fp) {
    return (dumpi_request)get32(fp);
}

static inline void put_single_request(dumpi_profile *fp, dumpi_request request) {
    put32(fp, (uint32_t)request);
}

/* ---- Strings ---- */

/* As long as count says; memory grows as bytes are there. */
static inline char *dumpi_get_text(dumpi_profile *fp, uint32_t count) {
    uint32_t room = count < 65536u ? count : 65536u, filled = 0;
    char *text = (char *)calloc((size_t)room + 1, 1), *more;
    while (text && filled < count) {
        if (filled == room) {
            room = count - room < room ? count : room * 2;
            more = (char *)realloc(text, (size_t)room + 1);
            if (!more) {
                free(text);
                return NULL;
            }
            text = more;
        }
        text[filled++] = (char)get8(fp);
        if (feof(fp->file))
            break;
    }
    if (text)
        text[filled] = '\0';
    return text;
}

/* Characters of an argument: 32 bits of length. */
static inline void getchararr(dumpi_profile *fp, int32_t *count, char **arr) {
    const int32_t stored = (int32_t)get32(fp);
    *arr = stored > 0 ? dumpi_get_text(fp, (uint32_t)stored) : NULL;
    *count = *arr ? stored : 0;
}

/* A countarg of DUMPI_NULLTERM takes all characters up to the first NUL. */
static inline size_t dumpi_chars(int64_t countarg, const char *arr) {
    if (!arr)
        return 0;
    if (countarg == DUMPI_NULLTERM)
        return strlen(arr);
    return countarg > 0 ? (size_t)countarg : 0;
}

static inline void putchararr(dumpi_profile *fp, int64_t countarg, const char *arr) {
    const size_t count = dumpi_chars(countarg, arr);
    put32(fp, (uint32_t)count);
    if (count > 0)
        DUMPI_FWRITE(fp, arr, 1, count);
}

/* A list of such strings, with a NULL behind it. *len1 becomes DUMPI_NULLTERM, as each has a length of its own. */
static inline void do_get_char_array_2(dumpi_profile *profile, int *len0, int *len1, char ***value) {
    const int32_t stored = (int32_t)get32(profile);
    int32_t i, ignored, count = stored > 0 && stored < (INT32_MAX >> 4) ? stored : 0;
    *value = count > 0 ? (char **)calloc((size_t)count + 1, sizeof **value) : NULL;
    for (i = 0; *value && i < count && !feof(profile->file); i++)
        getchararr(profile, &ignored, &(*value)[i]);
    *len0 = *value ? count : 0;
    *len1 = DUMPI_NULLTERM;
}

/* Strings of sections: 16 bits of length. */
static inline char *get_string(dumpi_profile *fp) {
    return dumpi_get_text(fp, get16(fp));
}

static inline void put_string(dumpi_profile *profile, const char *str) {
    const size_t length = str ? strlen(str) : 0;
    const uint16_t count = (uint16_t)(length < 65535 ? length : 65535);
    put16(profile, count);
    if (count > 0)
        DUMPI_FWRITE(profile, str, 1, count);
}

/* What does not fit into maxsize bytes is cut. */
static inline void get_fix_string(dumpi_profile *fp, char *dest, size_t maxsize) {
    const size_t count = get16(fp);
    size_t i;
    for (i = 0; i < count; i++) {
        const char byte = (char)get8(fp);
        if (i + 1 < maxsize)
            dest[i] = byte;
    }
    if (maxsize > 0)
        dest[count < maxsize ? count : maxsize - 1] = '\0';
}

static inline void get_string_arr(dumpi_profile *fp, int *count, char ***arr) {
    DUMPI_GET_LIST(get_string, fp, *count, *arr);
}

static inline void put_string_arr(dumpi_profile *fp, int count, char **arr) {
    DUMPI_PUT_LIST(put_string, fp, count, arr);
}

/* ---- What precedes the arguments of a call ---- */

/* The number of the next call, DUMPI_END_OF_STREAM at the end. */
static inline dumpi_function get_function_label(dumpi_profile *profile) {
    const uint16_t number = get16(profile);
    return !profile || !profile->file || feof(profile->file) ? DUMPI_END_OF_STREAM : (dumpi_function)number;
}

static inline dumpi_function dumpi_read_next_function(dumpi_profile *profile) {
    return get_function_label(profile);
}

static inline void put_function_label(dumpi_profile *profile, dumpi_function fun) {
    put16(profile, (uint16_t)fun);
}

static inline uint8_t get_config_mask(dumpi_profile *profile) {
    return get8(profile);
}

static inline uint8_t dumpi_config_mask(const dumpi_perfinfo *perf, const dumpi_outputs *output) {
    const int counts = output->perfinfo && perf && perf->count > 0;
    return (uint8_t)((uint8_t)output->timestamps | (uint8_t)output->statuses | DUMPI_THREADID_MASK |
                     (counts ? DUMPI_PERFINFO_MASK : 0));
}

static inline void put_config_mask(dumpi_profile *profile, const dumpi_perfinfo *perf,
                                   const dumpi_outputs *output) {
    put8(profile, dumpi_config_mask(perf, output));
}

static inline void dumpi_get_clock(dumpi_profile *profile, dumpi_clock *clock, int32_t offset) {
    clock->sec = (int32_t)get16(profile) + offset;
    clock->nsec = (int32_t)get32(profile);
}

static inline void dumpi_put_clock(dumpi_profile *profile, const dumpi_clock *clock, int32_t offset) {
    put16(profile, (uint16_t)(clock->sec - offset));
    put32(profile, (uint32_t)clock->nsec);
}

static inline void get_times(dumpi_profile *profile, dumpi_time *cpu, dumpi_time *wall, uint8_t config_mask) {
    memset(cpu, 0, sizeof *cpu);
    memset(wall, 0, sizeof *wall);
    if (DO_TIME_CPU(config_mask)) {
        dumpi_get_clock(profile, &cpu->start, profile->cpu_time_offset);
        dumpi_get_clock(profile, &cpu->stop, profile->cpu_time_offset);
    }
    if (DO_TIME_WALL(config_mask)) {
        dumpi_get_clock(profile, &wall->start, profile->wall_time_offset);
        dumpi_get_clock(profile, &wall->stop, profile->wall_time_offset);
    }
}

static inline void put_times(dumpi_profile *profile, const dumpi_time *cpu, const dumpi_time *wall,
                             uint8_t config_mask) {
    if (DO_TIME_CPU(config_mask)) {
        dumpi_put_clock(profile, &cpu->start, profile->cpu_time_offset);
        dumpi_put_clock(profile, &cpu->stop, profile->cpu_time_offset);
    }
    if (DO_TIME_WALL(config_mask)) {
        dumpi_put_clock(profile, &wall->start, profile->wall_time_offset);
        dumpi_put_clock(profile, &wall->stop, profile->wall_time_offset);
    }
}

static inline void get_perfinfo(dumpi_profile *profile, dumpi_perfinfo *perf, uint8_t config_mask) {
    const int32_t count = DO_PERFINFO(config_mask) ? get8(profile) : 0;
    int32_t i;
    perf->count = count < DUMPI_MAX_PERFCTRS ? count : DUMPI_MAX_PERFCTRS;
    for (i = 0; i < count; i++) {
        const int64_t in = (int64_t)get64(profile), out = (int64_t)get64(profile);
        if (i < DUMPI_MAX_PERFCTRS) {
            perf->invalue[i] = in;
            perf->outvalue[i] = out;
        }
    }
}

static inline void put_perfinfo(dumpi_profile *profile, const dumpi_perfinfo *perf,
                                const dumpi_outputs *output) {
    int32_t i;
    if (!DO_PERFINFO(dumpi_config_mask(perf, output)))
        return;
    put8(profile, (uint8_t)perf->count);
    for (i = 0; i < perf->count; i++) {
        put64(profile, (uint64_t)perf->invalue[i]);
        put64(profile, (uint64_t)perf->outvalue[i]);
    }
}

/* ---- Statuses ---- */

static inline dumpi_status dumpi_get_status(dumpi_profile *profile) {
    dumpi_status status;
    status.bytes = (int32_t)get32(profile);
    status.source = (int32_t)get32(profile);
    status.cancelled = (int8_t)get8(profile);
    status.error = (int8_t)get8(profile);
    status.tag = dumpi_have_version(profile->version, 0, 6, 3) ? (int32_t)get32(profile) : -1;
    return status;
}

static inline void dumpi_put_status(dumpi_profile *profile, dumpi_status status) {
    put32(profile, (uint32_t)status.bytes);
    put32(profile, (uint32_t)status.source);
    put8(profile, (uint8_t)status.cancelled);
    put8(profile, (uint8_t)status.error);
    if (dumpi_have_version(profile->version, 0, 6, 3))
        put32(profile, (uint32_t)status.tag);
}

static inline dumpi_status *get_statuses(dumpi_profile *profile, uint8_t config_mask) {
    dumpi_status *statuses = NULL;
    int32_t count;
    if (config_mask & DUMPI_ENABLE_STATUS_MASK)
        DUMPI_GET_LIST(dumpi_get_status, profile, count, statuses);
    (void)count;
    return statuses;
}

static inline void put_statuses(dumpi_profile *profile, int count, const dumpi_status *statuses,
                                const dumpi_outputs *output) {
    if (output->statuses & DUMPI_ENABLE_STATUS_MASK)
        DUMPI_PUT_LIST(dumpi_put_status, profile, count, statuses);
}

/* ---- Calls: in functions with DUMPI_READARGS or DUMPI_WRITEARGS ---- */

#define STARTREAD(PROFILE, LABEL)                                                                              \
    const uint8_t config_mask = get_config_mask(PROFILE);                                                      \
    (void)(LABEL);                                                                                             \
    *thread = config_mask & DUMPI_THREADID_MASK ? get16(PROFILE) : 0;                                          \
    get_times((PROFILE), cpu, wall, config_mask);                                                              \
    get_perfinfo((PROFILE), perf, config_mask)
#define ENDREAD(PROFILE) return (PROFILE)->file && !feof((PROFILE)->file) && !ferror((PROFILE)->file)
#define STARTWRITE(PROFILE, LABEL)                                                                             \
    if (!output->function[LABEL])                                                                              \
        return 1;                                                                                              \
    put_function_label((PROFILE), (LABEL));                                                                    \
    put_config_mask((PROFILE), perf, output);                                                                  \
    put16((PROFILE), thread);                                                                                  \
    put_times((PROFILE), cpu, wall, (uint8_t)output->timestamps);                                              \
    put_perfinfo((PROFILE), perf, output)
#define ENDWRITE(PROFILE) return (PROFILE)->membuf != NULL

#define GET_INT8(PROFILE) ((int8_t)get8(PROFILE))
#define PUT_INT8(PROFILE, VAR) put8((PROFILE), (uint8_t)(VAR))
#define GET_INT16(PROFILE) ((int16_t)get16(PROFILE))
#define PUT_INT16(PROFILE, VAR) put16((PROFILE), (uint16_t)(VAR))

#define GET_DUMPI_STATUS(PROFILE) get_statuses((PROFILE), config_mask)
#define PUT_DUMPI_STATUS(PROFILE, VALUE) put_statuses((PROFILE), 1, (VALUE), output)
#define GET_DUMPI_STATUS_ARRAY_1(PROFILE, LEN, VALUE) ((VALUE) = get_statuses((PROFILE), config_mask))
#define PUT_DUMPI_STATUS_ARRAY_1(PROFILE, TERM0, VALUE) put_statuses((PROFILE), (TERM0), (VALUE), output)

/* Rows of numbers: lists of lists. */
static inline int *dumpi_get_row(dumpi_profile *profile) {
    int32_t count, *row;
    get32arr(profile, &count, &row);
    return row;
}
#define GET_INT_ARRAY_2(PROFILE, LEN0, LEN1, VALUE) DUMPI_GET_LIST(dumpi_get_row, PROFILE, LEN0, VALUE)
#define PUT_INT_ARRAY_2(PROFILE, TERM0, TERM1, VALUE)                                                          \
    do {                                                                                                       \
        const int32_t dumpi_rows = (VALUE) && (TERM0) > 0 ? (int32_t)(TERM0) : 0;                              \
        int32_t dumpi_row;                                                                                     \
        put32((PROFILE), (uint32_t)dumpi_rows);                                                                \
        for (dumpi_row = 0; dumpi_row < dumpi_rows; dumpi_row++)                                               \
            put32arr((PROFILE), (TERM1), (VALUE)[dumpi_row]);                                                  \
    } while (0)
#define PUT_INT_ARRAY_2B(PROFILE, LEN0, LEN1, VALUE) PUT_INT_ARRAY_2(PROFILE, LEN0, LEN1, VALUE)

/* Strings, lists of them, and lists of these. Lists that end with a NULL have DUMPI_NULLTERM for a length. */
#define GET_CHAR_ARRAY_1(PROFILE, LEN, VALUE)                                                                  \
    do {                                                                                                       \
        int32_t dumpi_length;                                                                                  \
        getchararr((PROFILE), &dumpi_length, &(VALUE));                                                        \
        (LEN) = dumpi_length;                                                                                  \
    } while (0)
#define GET_CHAR_ARRAY_2(PROFILE, LEN0, LEN1, VALUE)                                                           \
    do {                                                                                                       \
        int dumpi_length0, dumpi_length1;                                                                      \
        do_get_char_array_2((PROFILE), &dumpi_length0, &dumpi_length1, &(VALUE));                              \
        (LEN0) = dumpi_length0;                                                                                \
        (LEN1) = dumpi_length1;                                                                                \
    } while (0)
static inline char **dumpi_get_texts(dumpi_profile *profile) {
    int count, length;
    char **texts;
    do_get_char_array_2(profile, &count, &length, &texts);
    return texts;
}
#define GET_CHAR_ARRAY_3(PROFILE, LEN0, LEN1, LEN2, VALUE)                                                     \
    do {                                                                                                       \
        DUMPI_GET_LIST(dumpi_get_texts, PROFILE, LEN0, VALUE);                                                 \
        (LEN1) = DUMPI_NULLTERM;                                                                               \
        (LEN2) = DUMPI_NULLTERM;                                                                               \
    } while (0)

static inline void dumpi_put_texts(dumpi_profile *profile, int count, int length, const char *const *texts) {
    int i;
    if (!texts)
        count = 0;
    else if (count == DUMPI_NULLTERM)
        for (count = 0; texts[count];)
            count++;
    put32(profile, (uint32_t)(count > 0 ? count : 0));
    for (i = 0; i < count; i++)
        putchararr(profile, length, texts[i]);
}
#define PUT_CHAR_ARRAY_1(PROFILE, TERM, VALUE) putchararr((PROFILE), (TERM), (VALUE))
#define PUT_CHAR_ARRAY_2(PROFILE, TERM0, TERM1, VALUE)                                                         \
    dumpi_put_texts((PROFILE), (TERM0), (TERM1), (const char *const *)(VALUE))
#define PUT_CHAR_ARRAY_3(PROFILE, TERM0, TERM1, TERM2, VALUE)                                                  \
    do {                                                                                                       \
        const int32_t dumpi_lists = (VALUE) && (TERM0) > 0 ? (int32_t)(TERM0) : 0;                             \
        int32_t dumpi_list;                                                                                    \
        put32((PROFILE), (uint32_t)dumpi_lists);                                                               \
        for (dumpi_list = 0; dumpi_list < dumpi_lists; dumpi_list++)                                           \
            PUT_CHAR_ARRAY_2(PROFILE, TERM1, TERM2, (VALUE)[dumpi_list]);                                      \
    } while (0)

/* Made by tools/dumpi-headers from the record tables: */
/* clang-format off */
#define GET_DUMPIO_REQUEST(PROFILE) ((dumpio_request)get32(PROFILE))
#define PUT_DUMPIO_REQUEST(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_DUMPI_COMBINER(PROFILE) ((dumpi_combiner)get8(PROFILE))
#define PUT_DUMPI_COMBINER(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_COMM(PROFILE) ((dumpi_comm)get16(PROFILE))
#define PUT_DUMPI_COMM(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_COMM_KEYVAL(PROFILE) ((dumpi_comm_keyval)get16(PROFILE))
#define PUT_DUMPI_COMM_KEYVAL(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_COMPARISON(PROFILE) ((dumpi_comparison)get8(PROFILE))
#define PUT_DUMPI_COMPARISON(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_DATATYPE(PROFILE) ((dumpi_datatype)get16(PROFILE))
#define PUT_DUMPI_DATATYPE(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_DEST(PROFILE) ((dumpi_dest)get32(PROFILE))
#define PUT_DUMPI_DEST(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_DUMPI_DISTRIBUTION(PROFILE) ((dumpi_distribution)get8(PROFILE))
#define PUT_DUMPI_DISTRIBUTION(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_ERRCODE(PROFILE) ((dumpi_errcode)get32(PROFILE))
#define PUT_DUMPI_ERRCODE(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_DUMPI_ERRHANDLER(PROFILE) ((dumpi_errhandler)get16(PROFILE))
#define PUT_DUMPI_ERRHANDLER(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_FILE(PROFILE) ((dumpi_file)get16(PROFILE))
#define PUT_DUMPI_FILE(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_FILEMODE(PROFILE) ((dumpi_filemode)get8(PROFILE))
#define PUT_DUMPI_FILEMODE(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_GROUP(PROFILE) ((dumpi_group)get16(PROFILE))
#define PUT_DUMPI_GROUP(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_INFO(PROFILE) ((dumpi_info)get16(PROFILE))
#define PUT_DUMPI_INFO(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_KEYVAL(PROFILE) ((dumpi_keyval)get16(PROFILE))
#define PUT_DUMPI_KEYVAL(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_LOCKTYPE(PROFILE) ((dumpi_locktype)get8(PROFILE))
#define PUT_DUMPI_LOCKTYPE(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_OP(PROFILE) ((dumpi_op)get8(PROFILE))
#define PUT_DUMPI_OP(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_ORDERING(PROFILE) ((dumpi_ordering)get8(PROFILE))
#define PUT_DUMPI_ORDERING(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_REQUEST(PROFILE) ((dumpi_request)get32(PROFILE))
#define PUT_DUMPI_REQUEST(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_DUMPI_SOURCE(PROFILE) ((dumpi_source)get32(PROFILE))
#define PUT_DUMPI_SOURCE(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_DUMPI_TAG(PROFILE) ((dumpi_tag)get32(PROFILE))
#define PUT_DUMPI_TAG(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_DUMPI_THREADLEVEL(PROFILE) ((dumpi_threadlevel)get8(PROFILE))
#define PUT_DUMPI_THREADLEVEL(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_TOPOLOGY(PROFILE) ((dumpi_topology)get8(PROFILE))
#define PUT_DUMPI_TOPOLOGY(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_TYPECLASS(PROFILE) ((dumpi_typeclass)get8(PROFILE))
#define PUT_DUMPI_TYPECLASS(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_TYPE_KEYVAL(PROFILE) ((dumpi_type_keyval)get16(PROFILE))
#define PUT_DUMPI_TYPE_KEYVAL(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_WHENCE(PROFILE) ((dumpi_whence)get8(PROFILE))
#define PUT_DUMPI_WHENCE(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_WIN(PROFILE) ((dumpi_win)get16(PROFILE))
#define PUT_DUMPI_WIN(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_DUMPI_WIN_ASSERT(PROFILE) ((dumpi_win_assert)get8(PROFILE))
#define PUT_DUMPI_WIN_ASSERT(PROFILE, VALUE) put8((PROFILE), (uint8_t)(VALUE))
#define GET_DUMPI_WIN_KEYVAL(PROFILE) ((dumpi_win_keyval)get16(PROFILE))
#define PUT_DUMPI_WIN_KEYVAL(PROFILE, VALUE) put16((PROFILE), (uint16_t)(VALUE))
#define GET_INT(PROFILE) ((int)get32(PROFILE))
#define PUT_INT(PROFILE, VALUE) put32((PROFILE), (uint32_t)(VALUE))
#define GET_INT64_T(PROFILE) ((int64_t)get64(PROFILE))
#define PUT_INT64_T(PROFILE, VALUE) put64((PROFILE), (uint64_t)(VALUE))
#define GET_INT_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_INT, PROFILE, LEN, VALUE)
#define PUT_INT_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_INT, PROFILE, TERM, VALUE)
#define GET_DUMPI_ERRCODE_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_DUMPI_ERRCODE, PROFILE, LEN, VALUE)
#define PUT_DUMPI_ERRCODE_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_DUMPI_ERRCODE, PROFILE, TERM, VALUE)
#define GET_DUMPI_REQUEST_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_DUMPI_REQUEST, PROFILE, LEN, VALUE)
#define PUT_DUMPI_REQUEST_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_DUMPI_REQUEST, PROFILE, TERM, VALUE)
#define GET_DUMPIO_REQUEST_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_DUMPIO_REQUEST, PROFILE, LEN, VALUE)
#define PUT_DUMPIO_REQUEST_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_DUMPIO_REQUEST, PROFILE, TERM, VALUE)
#define GET_DUMPI_DATATYPE_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_DUMPI_DATATYPE, PROFILE, LEN, VALUE)
#define PUT_DUMPI_DATATYPE_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_DUMPI_DATATYPE, PROFILE, TERM, VALUE)
#define GET_DUMPI_DISTRIBUTION_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_DUMPI_DISTRIBUTION, PROFILE, LEN, VALUE)
#define PUT_DUMPI_DISTRIBUTION_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_DUMPI_DISTRIBUTION, PROFILE, TERM, VALUE)
#define GET_DUMPI_INFO_ARRAY_1(PROFILE, LEN, VALUE) DUMPI_GET_LIST(GET_DUMPI_INFO, PROFILE, LEN, VALUE)
#define PUT_DUMPI_INFO_ARRAY_1(PROFILE, TERM, VALUE) DUMPI_PUT_LIST(PUT_DUMPI_INFO, PROFILE, TERM, VALUE)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
