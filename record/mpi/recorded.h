/* recorded.h: reading a stream that the recorder has written, also one of a killed program. */
#ifndef QUIPU_RECORD_MPI_RECORDED_H
#define QUIPU_RECORD_MPI_RECORDED_H

#include "core/files/input.h"
#include "core/memory/vec.h"
#include "record/mpi/calls.h"
#include "record/mpi/stream.h"

#include <quipu/base.h>

enum quipu__mpi_happening {
    QUIPU__MPI_NO_MORE,
    QUIPU__MPI_CALL,         /* a call that has ended */
    QUIPU__MPI_CALL_STARTED, /* one without a DUMPI record: it begins */
    QUIPU__MPI_CALL_LEFT,    /* the last of a killed program, which never ended */
    QUIPU__MPI_ENTERED,
    QUIPU__MPI_LEFT,
    QUIPU__MPI_ABOUT /* a record about the process */
};

/* A stream and what happens next in it. Pointers hold until the following call of quipu__mpi_next. */
struct quipu__mpi_recorded {
    struct quipu__memory *memory;
    struct quipu__input *input;
    struct quipu__mpi_stream_head head;
    bool is_damaged;

    enum quipu__mpi_happening happening;
    struct quipu__mpi_head record; /* of it; of a call its end */
    const uint8_t *data;           /* what follows the head; NULL where a call has not ended */
    size_t size;
    struct quipu__mpi_head start; /* the beginning of a call */
    QUIPU__VEC(uint8_t) begin;    /* what followed its head */
    bool is_active;
    size_t taken; /* bytes of the record that the input stands before */
};

/* Opens a stream and reads its head. QUIPU_END: it holds none, or one of another version; then it is closed. */
enum quipu_status quipu__mpi_recorded_open(struct quipu__mpi_recorded *recorded, struct quipu__files *files,
                                           const char *path, struct quipu_error *err);
void quipu__mpi_recorded_close(struct quipu__mpi_recorded *recorded);

enum quipu_status quipu__mpi_next(struct quipu__mpi_recorded *recorded, struct quipu_error *err);

#endif
