/* sites.h: addresses that calls return to, as places in source code. A program's file is asked once an address. */
#ifndef QUIPU_RECORD_MPI_SITES_H
#define QUIPU_RECORD_MPI_SITES_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "record/mpi/stream.h"

/* A place: the text of its label in DUMPI (formats/dumpi/layout.h), and the number of the one that led there, QUIPU_NONE: none. */
struct quipu__mpi_site {
    const char *text;
    uint32_t caller;
};

struct quipu__mpi_program_file;

struct quipu__mpi_frames; /* frames.h */

struct quipu__mpi_sites {
    struct quipu__memory *memory;
    const struct quipu__mpi_frames *frames;
    struct quipu__arena arena;
    QUIPU__VEC(struct quipu__mpi_site) items;
    struct quipu__map numbers; /* of texts, by their hashes */
    QUIPU__VEC(struct quipu__mpi_program_file) files;
    uint64_t unresolved; /* addresses that no line is known of */
};

/* The modules of a process, and the places of its addresses that are known. */
struct quipu__mpi_modules {
    QUIPU__VEC(struct quipu__mpi_module) items;
    QUIPU__VEC(uint32_t) files; /* of the modules: numbers in files */
    struct quipu__map known;    /* number of the place by address */
};

void quipu__mpi_sites_init(struct quipu__mpi_sites *sites, const struct quipu__mpi_frames *frames,
                           struct quipu__memory *memory);
void quipu__mpi_sites_release(struct quipu__mpi_sites *sites);

void quipu__mpi_modules_init(struct quipu__mpi_modules *modules, struct quipu__memory *memory);
void quipu__mpi_modules_release(struct quipu__mpi_modules *modules, struct quipu__memory *memory);

/* Adds what a record MODULE says. False when memory is out. */
QUIPU_CHECKED bool quipu__mpi_modules_add(struct quipu__mpi_modules *modules, struct quipu__mpi_sites *sites,
                                          const uint8_t *data, size_t size);

/* The number of the place that a call which returns there was made at; QUIPU_NONE when memory is out. */
uint32_t quipu__mpi_site_of(struct quipu__mpi_sites *sites, struct quipu__mpi_modules *modules,
                            uint64_t address);

#endif
