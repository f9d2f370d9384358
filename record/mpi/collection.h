/* collection.h: what the recorder's streams are of: programs, which are the processes, ranks of worlds. */
#ifndef QUIPU_RECORD_MPI_COLLECTION_H
#define QUIPU_RECORD_MPI_COLLECTION_H

#include "core/memory/vec.h"
#include "record/mpi/collect.h"
#include "record/mpi/convert.h"
#include "record/mpi/sites.h"

#include <quipu/writer.h>

#define QUIPU__MPI_SECOND INT64_C(1000000000)
#define QUIPU__MPI_NO_RANK (-1)

/* A stream. */
struct quipu__mpi_path {
    const char *text;
    struct quipu__mpi_stream_head head;
};

/* Offsets to the clock of rank 0 at two times, between which they are on a line. */
struct quipu__mpi_clock_line {
    int samples;
    int64_t first_time, first_offset, last_time, last_offset;
};

struct quipu__mpi_program {
    uint32_t first, count; /* its streams, which lie together */
    int32_t rank, size, world;
    struct quipu__mpi_world launched; /* what its launcher has said */
    bool is_initializing;             /* it was killed in MPI_Init */
    struct quipu__mpi_clock_line clock;
};

struct quipu__mpi_collection {
    const struct quipu__mpi_collecting *options;
    struct quipu__mpi_collected *out;
    struct quipu__memory memory;
    struct quipu__arena arena;
    struct quipu__files files;
    QUIPU__VEC(struct quipu__mpi_path) paths;
    QUIPU__VEC(struct quipu__mpi_program) programs;
    struct quipu__mpi_converter converter;
    struct quipu_writer *writer;
    struct quipu__mpi_sites sites;
};

/* Of the first stream of a program, whose process all its streams are of. */
static inline const struct quipu__mpi_stream_head *quipu__mpi_head_of(
    const struct quipu__mpi_collection *all, const struct quipu__mpi_program *program) {
    return &all->paths.items[program->first].head;
}

/* Fills paths with the streams in the folders of the options, programs with the processes that they are of, and says which world and
 * rank each of these is, and what its clock was compared with. */
enum quipu_status quipu__mpi_find_programs(struct quipu__mpi_collection *all, struct quipu_error *err);

/* Writes the file of a rank: the calls of its threads in the order in which they ended, and the sections behind them. */
enum quipu_status quipu__mpi_write_rank(struct quipu__mpi_collection *all,
                                        const struct quipu__mpi_program *program, struct quipu_error *err);

#endif
