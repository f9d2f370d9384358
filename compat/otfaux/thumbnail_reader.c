/* thumbnail_reader.c: reads thumbnails:
 *
 *     0:<width>,<processes>\n
 *     <process>:<function>,<function>,...,\n
 *
 * All numbers are hexadecimal and may follow white space; digits beyond the size of a number count for nothing. Samples
 * are kept as they are read, so a header that promises too much costs nothing. */
#include "process.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct OTFAUX_ThumbnailReader {
    FILE *file;
    uint32_t width, process_count;
    uint32_t *samples; /* of the present line */
    size_t room;
};

char *OTFAUX_Thumbnail_getFilename(const char *namestub) {
    static const char suffix[] = ".thumb";
    const size_t length = namestub ? strlen(namestub) : 0;
    char *name = namestub ? malloc(length + sizeof suffix) : NULL;
    if (!name)
        return NULL;
    memcpy(name, namestub, length);
    memcpy(name + length, suffix, sizeof suffix);
    return name;
}

/* ---- Text ---- */

static int digit_value(int c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Reads a number; what follows it stays. */
static bool read_number(FILE *file, uint64_t *out_number) {
    int c = getc(file);
    while (isspace(c))
        c = getc(file);
    const bool is_number = digit_value(c) >= 0;
    for (*out_number = 0; digit_value(c) >= 0; c = getc(file))
        *out_number = *out_number << 4 | (uint64_t)digit_value(c);
    ungetc(c, file);
    return is_number;
}

static bool read_number32(FILE *file, uint32_t *out_number) {
    uint64_t number;
    const bool is_number = read_number(file, &number);
    *out_number = (uint32_t)number;
    return is_number;
}

static bool read_character(FILE *file, int c) {
    return getc(file) == c;
}

/* ---- Lines ---- */

static bool read_header(OTFAUX_ThumbnailReader *reader) {
    FILE *file = reader->file;
    return read_character(file, '0') && read_character(file, ':') && read_number32(file, &reader->width) &&
           read_character(file, ',') && read_number32(file, &reader->process_count);
}

/* Room for one sample more than count. */
static bool make_room(OTFAUX_ThumbnailReader *reader, size_t count) {
    if (count < reader->room)
        return true;
    const size_t more = reader->room > 0 ? reader->room * 2 : 512;
    uint32_t *samples =
        more <= SIZE_MAX / sizeof *samples ? realloc(reader->samples, more * sizeof *samples) : NULL;
    if (!samples)
        return false;
    reader->samples = samples;
    reader->room = more;
    return true;
}

static bool read_line(OTFAUX_ThumbnailReader *reader, uint64_t *out_process) {
    FILE *file = reader->file;
    if (!read_number(file, out_process) || !read_character(file, ':'))
        return false;
    for (uint32_t i = 0; i < reader->width; i++)
        if (!make_room(reader, i) || !read_number32(file, &reader->samples[i]) || !read_character(file, ','))
            return false;
    return true;
}

/* ---- What the outside uses ---- */

OTFAUX_ThumbnailReader *OTFAUX_ThumbnailReader_open(const char *namestub) {
    OTFAUX_ThumbnailReader *reader = calloc(1, sizeof *reader);
    char *name = OTFAUX_Thumbnail_getFilename(namestub);
    if (reader && name)
        reader->file = fopen(name, "r");
    free(name);
    if (reader && reader->file && read_header(reader))
        return reader;
    OTFAUX_ThumbnailReader_close(reader);
    return NULL;
}

int OTFAUX_ThumbnailReader_close(OTFAUX_ThumbnailReader *tn_reader) {
    if (!tn_reader)
        return 0;
    if (tn_reader->file)
        fclose(tn_reader->file);
    free(tn_reader->samples);
    free(tn_reader);
    return 1;
}

int OTFAUX_ThumbnailReader_getNumberOfProcs(const OTFAUX_ThumbnailReader *tn_reader, uint32_t *nprocs) {
    if (!tn_reader || !nprocs)
        return 0;
    *nprocs = tn_reader->process_count;
    return 1;
}

int OTFAUX_ThumbnailReader_getWidth(const OTFAUX_ThumbnailReader *tn_reader, uint32_t *width) {
    if (!tn_reader || !width)
        return 0;
    *width = tn_reader->width;
    return 1;
}

int OTFAUX_ThumbnailReader_read(OTFAUX_ThumbnailReader *tn_reader,
                                void (*process_handler)(void *, uint64_t, const uint32_t *), void *data) {
    if (!tn_reader)
        return 0;
    bool is_good = read_character(tn_reader->file, '\n');
    for (uint32_t i = 0; is_good && i < tn_reader->process_count; i++) {
        uint64_t process;
        if (!read_line(tn_reader, &process))
            return 0;
        if (process_handler)
            process_handler(data, process, tn_reader->samples);
        is_good = read_character(tn_reader->file, '\n');
    }
    return is_good && read_character(tn_reader->file, EOF);
}
