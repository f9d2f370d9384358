/* frames.h: what a program's file says of an address: the function, the line, and what the function is inlined into. */
#ifndef QUIPU_RECORD_MPI_FRAMES_H
#define QUIPU_RECORD_MPI_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUIPU__MPI_FRAMES_MOST 32
#define QUIPU__MPI_FRAME_TEXT 1024

/* A place: file "" where it is not known. */
struct quipu__mpi_source {
    char function[QUIPU__MPI_FRAME_TEXT], file[QUIPU__MPI_FRAME_TEXT];
    uint32_t line;
};

struct quipu__mpi_debug;

/* How debugging information is read. */
struct quipu__mpi_frames {
    /* That of a program or library, which must have this build ID if it has any; NULL: it cannot be had. */
    struct quipu__mpi_debug *(*open)(const char *path, const uint8_t *build_id, size_t build_id_bytes);
    void (*close)(struct quipu__mpi_debug *debug);

    /* The place of an address of the file, then the calls of inlined functions that led to it, from the inside out. Returns how many
     * there are; 0: nothing is known. */
    size_t (*find)(const struct quipu__mpi_debug *debug, uint64_t address,
                   struct quipu__mpi_source out[QUIPU__MPI_FRAMES_MOST]);
    bool has_lines; /* else nothing is ever found */
};

/* With libdw, where the collector is built with it. */
extern const struct quipu__mpi_frames quipu__mpi_frames;

#endif
