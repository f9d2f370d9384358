/* capture.h: what happens around every intercepted call.
 *
 *     struct quipu__mpi_frame frame;
 *     frame.caller = __builtin_return_address(0);
 *     quipu__mpi_begin(&frame, row, words, QUIPU__MPI_C);
 *     result = ...the call with these words...
 *     quipu__mpi_end(&frame, result);
 *
 * Only the outermost call of a thread is recorded; others are counted. */
#ifndef QUIPU_RECORD_MPI_CAPTURE_H
#define QUIPU_RECORD_MPI_CAPTURE_H

#include "record/mpi/real.h"

/* In mpi_f08 with descriptors, a buffer's argument points to a description of the buffer, which begins with its address. */
enum quipu__mpi_language { QUIPU__MPI_C, QUIPU__MPI_FORTRAN, QUIPU__MPI_FORTRAN08, QUIPU__MPI_DESCRIPTORS };

struct quipu__mpi_thread;

struct quipu__mpi_frame {
    const struct quipu__mpi_call *call;
    word *words;        /* the call is made with */
    const void *caller; /* where the call returns to: the wrapper says it */
    struct quipu__mpi_thread *thread;
    uint16_t row;
    uint8_t language;
    bool is_recorded, is_remote;        /* the communicator is an inter-communicator */
    bool is_leaving_session;            /* frees what stands for MPI_COMM_WORLD in a program of sessions */
    int64_t answers[QUIPU__MPI_TOKENS]; /* to the questions of the call */
};

void quipu__mpi_begin(struct quipu__mpi_frame *frame, enum quipu__mpi_row row, word *words,
                      enum quipu__mpi_language language);
void quipu__mpi_end(struct quipu__mpi_frame *frame, int result);

/* values.c: bytes of the values of a stage, and their storing; both look at memory of the program. */
size_t quipu__mpi_entry_bytes(const struct quipu__mpi_frame *frame);
size_t quipu__mpi_exit_bytes(const struct quipu__mpi_frame *frame, int result);
uint8_t *quipu__mpi_put_entry(const struct quipu__mpi_frame *frame, uint8_t *at);
uint8_t *quipu__mpi_put_exit(const struct quipu__mpi_frame *frame, int result, uint8_t *at);

/* Has MPI fill in statuses that the program ignores, so that it is known what was received. */
void quipu__mpi_fill_statuses(struct quipu__mpi_frame *frame);

/* questions.c: asks MPI what the call's questions are; after it has succeeded. */
void quipu__mpi_answer(struct quipu__mpi_frame *frame);

/* A scalar argument, wherever it is: its present value. */
int64_t quipu__mpi_scalar(const struct quipu__mpi_frame *frame, const struct quipu__mpi_token *token);

#endif
