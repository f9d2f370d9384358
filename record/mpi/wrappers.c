/* wrappers.c: the functions of MPI that C programs call. Each takes and passes on words (real.h), whatever it is that they hold. */
#include "record/mpi/capture.h"

#define EXPORT __attribute__((visibility("default")))

#define PARAMETERS_0 void
#define PARAMETERS_1 word a
#define PARAMETERS_2 PARAMETERS_1, word b
#define PARAMETERS_3 PARAMETERS_2, word c
#define PARAMETERS_4 PARAMETERS_3, word d
#define PARAMETERS_5 PARAMETERS_4, word e
#define PARAMETERS_6 PARAMETERS_5, word f
#define PARAMETERS_7 PARAMETERS_6, word g
#define PARAMETERS_8 PARAMETERS_7, word h
#define PARAMETERS_9 PARAMETERS_8, word i
#define PARAMETERS_10 PARAMETERS_9, word j
#define PARAMETERS_11 PARAMETERS_10, word k
#define PARAMETERS_12 PARAMETERS_11, word l
#define PARAMETERS_13 PARAMETERS_12, word m
#define ARGUMENTS_0
#define ARGUMENTS_1 a
#define ARGUMENTS_2 ARGUMENTS_1, b
#define ARGUMENTS_3 ARGUMENTS_2, c
#define ARGUMENTS_4 ARGUMENTS_3, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l
#define ARGUMENTS_13 ARGUMENTS_12, m

/* A list may not be empty. */
#define VALUES_0 0
#define VALUES_1 ARGUMENTS_1
#define VALUES_2 ARGUMENTS_2
#define VALUES_3 ARGUMENTS_3
#define VALUES_4 ARGUMENTS_4
#define VALUES_5 ARGUMENTS_5
#define VALUES_6 ARGUMENTS_6
#define VALUES_7 ARGUMENTS_7
#define VALUES_8 ARGUMENTS_8
#define VALUES_9 ARGUMENTS_9
#define VALUES_10 ARGUMENTS_10
#define VALUES_11 ARGUMENTS_11
#define VALUES_12 ARGUMENTS_12
#define VALUES_13 ARGUMENTS_13

/* What the program's MPI does not have, the program does not call, or it would not have been linked. */
#define CALL(number, name, lower, words, fortran_words, signature)                                             \
    EXPORT word MPI_##name(PARAMETERS_##words);                                                                \
    EXPORT word MPI_##name(PARAMETERS_##words) {                                                               \
        const word passed[] = {VALUES_##words};                                                                \
        struct quipu__mpi_frame frame;                                                                         \
        quipu__mpi_begin(&frame, QUIPU__MPI_##name, passed, QUIPU__MPI_C);                                     \
        const word result =                                                                                    \
            ((word(*)(PARAMETERS_##words))quipu__mpi_real.c[QUIPU__MPI_##name])(ARGUMENTS_##words);            \
        quipu__mpi_end(&frame, (int)result);                                                                   \
        return result;                                                                                         \
    }
#define TIME_CALL(number, name, lower)                                                                         \
    EXPORT double MPI_##name(void);                                                                            \
    EXPORT double MPI_##name(void) {                                                                           \
        const word passed[] = {0};                                                                             \
        struct quipu__mpi_frame frame;                                                                         \
        quipu__mpi_begin(&frame, QUIPU__MPI_##name, passed, QUIPU__MPI_C);                                     \
        const double result = ((double (*)(void))quipu__mpi_real.c[QUIPU__MPI_##name])();                      \
        quipu__mpi_end(&frame, 0);                                                                             \
        return result;                                                                                         \
    }
#include "record/mpi/calls.def"
