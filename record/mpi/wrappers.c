/* wrappers.c: the functions of MPI that C programs call. Each takes and passes on words (real.h), whatever it is that they hold.
 *
 * Compiled twice: with QUIPU_MPI_LARGE_COUNTS it has only the calls with large counts. A program that asks the dynamic linker
 * for them must not find them where its MPI has none. */
#include "record/mpi/capture.h"
#include "record/mpi/parameters.h"

#define EXPORT __attribute__((visibility("default")))

/* What the program's MPI does not have, the program does not call, or it would not have been linked. */
#define WRAPPER(name, words)                                                                                   \
    EXPORT word MPI_##name(PARAMETERS_##words);                                                                \
    EXPORT word MPI_##name(PARAMETERS_##words) {                                                               \
        word passed[] = {VALUES_##words};                                                                      \
        struct quipu__mpi_frame frame;                                                                         \
        frame.caller = __builtin_return_address(0);                                                            \
        quipu__mpi_begin(&frame, QUIPU__MPI_##name, passed, QUIPU__MPI_C);                                     \
        const word result =                                                                                    \
            ((word(*)(PARAMETERS_##words))quipu__mpi_real.next[QUIPU__MPI_##name])(PASSED_##words);            \
        quipu__mpi_end(&frame, (int)result);                                                                   \
        return result;                                                                                         \
    }
/* Functions whose result is no error code. */
#define RESULT_CALL(result_type, name, words)                                                                  \
    EXPORT result_type MPI_##name(PARAMETERS_##words);                                                         \
    EXPORT result_type MPI_##name(PARAMETERS_##words) {                                                        \
        word passed[] = {VALUES_##words};                                                                      \
        struct quipu__mpi_frame frame;                                                                         \
        frame.caller = __builtin_return_address(0);                                                            \
        quipu__mpi_begin(&frame, QUIPU__MPI_##name, passed, QUIPU__MPI_C);                                     \
        const result_type result =                                                                             \
            ((result_type(*)(PARAMETERS_##words))quipu__mpi_real.next[QUIPU__MPI_##name])(PASSED_##words);     \
        quipu__mpi_end(&frame, 0);                                                                             \
        return result;                                                                                         \
    }
#ifdef QUIPU_MPI_LARGE_COUNTS
#define LARGE_CALL(number, name, words, signature) WRAPPER(name, words)
#define CALL(number, name, lower, upper, words, fortran_words, signature)
#define TIME_CALL(number, name, lower, upper)
#define ADDRESS_CALL(number, name, lower, upper)
#else
#define LARGE_CALL(number, name, words, signature)
#define CALL(number, name, lower, upper, words, fortran_words, signature) WRAPPER(name, words)
#define TIME_CALL(number, name, lower, upper) RESULT_CALL(double, name, 0)
#define ADDRESS_CALL(number, name, lower, upper) RESULT_CALL(word, name, 2)
#endif
#include "record/mpi/calls.def"

#ifndef QUIPU_MPI_LARGE_COUNTS
#define EXTENSION(name, lower) EXPORT __typeof__(MPI_##name) MPIX_##name __attribute__((alias("MPI_" #name)));
#include "record/mpi/extensions.def"
#endif
