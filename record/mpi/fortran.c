/* fortran.c: the functions of MPI that Fortran programs call, by the names that compilers and the modules mpi and mpi_f08 give them. All
 * arguments are pointers, which are passed on as they are. Where a library's own functions for Fortran call those for C, both are
 * one call. */
#include "record/mpi/capture.h"
#include "record/mpi/parameters.h"

#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

/* The error code is the last argument in front of the lengths of strings; in mpi_f08 it may be left out, and then errors do not come
 * back. */
static int result_of(enum quipu__mpi_row row, const word *words) {
    const struct quipu__mpi_call *call = &quipu__mpi_calls[row];
    unsigned strings = 0;
    for (unsigned i = 0; i < call->token_count; i++)
        strings += quipu__mpi_is_text(call->tokens[i].kind);
    const int *error = (const int *)words[call->fortran_words - strings - 1];
    return error ? *error : 0;
}

/* Where the call of another name returns to, which goes on in the function of the usual one; else NULL. */
static _Thread_local const void *caller_of_other;

static void begin(struct quipu__mpi_frame *frame, enum quipu__mpi_row row, enum quipu__mpi_family family,
                  word *words) {
    static const enum quipu__mpi_language languages[QUIPU__MPI_FAMILIES] = {
        [QUIPU__MPI_PLAIN] = QUIPU__MPI_FORTRAN,
        [QUIPU__MPI_F08] = QUIPU__MPI_FORTRAN08,
        [QUIPU__MPI_F08TS] = QUIPU__MPI_DESCRIPTORS,
        [QUIPU__MPI_CPTR] = QUIPU__MPI_FORTRAN};
    if (__builtin_expect(caller_of_other != NULL, 0))
        frame->caller = caller_of_other;
    caller_of_other = NULL;
    quipu__mpi_begin(frame, row, words, languages[family]);
}

static void end(struct quipu__mpi_frame *frame, enum quipu__mpi_row row, const word *words) {
    if (frame->thread)
        quipu__mpi_end(frame, result_of(row, words));
}

#define WRAPPER(symbol, row, family, words)                                                                    \
    EXPORT void symbol(PARAMETERS_##words);                                                                    \
    EXPORT void symbol(PARAMETERS_##words) {                                                                   \
        const quipu__mpi_function real = quipu__mpi_fortran(family, row);                                      \
        word passed[] = {VALUES_##words};                                                                      \
        struct quipu__mpi_frame frame;                                                                         \
        frame.caller = __builtin_return_address(0);                                                            \
        begin(&frame, row, family, passed);                                                                    \
        ((void (*)(PARAMETERS_##words))real)(PASSED_##words);                                                  \
        end(&frame, row, passed);                                                                              \
    }
#define RESULT_WRAPPER(result_type, symbol, row, family, words)                                                \
    EXPORT result_type symbol(PARAMETERS_##words);                                                             \
    EXPORT result_type symbol(PARAMETERS_##words) {                                                            \
        const quipu__mpi_function real = quipu__mpi_fortran(family, row);                                      \
        word passed[] = {VALUES_##words};                                                                      \
        struct quipu__mpi_frame frame;                                                                         \
        frame.caller = __builtin_return_address(0);                                                            \
        begin(&frame, row, family, passed);                                                                    \
        const result_type result = ((result_type(*)(PARAMETERS_##words))real)(PASSED_##words);                 \
        if (frame.thread)                                                                                      \
            quipu__mpi_end(&frame, 0);                                                                         \
        return result;                                                                                         \
    }

/* Names without underscores may be a program's own: Rmpi has C functions that are called mpi_comm_rank. Where the program is
 * not linked with MPI for Fortran, that is what was meant. */
static quipu__mpi_function find_namesake(_Atomic(quipu__mpi_function) *known, const char *name,
                                         quipu__mpi_function own, enum quipu__mpi_row row) {
    quipu__mpi_find();
    if (quipu__mpi_real.fortran[QUIPU__MPI_PLAIN][row] && !quipu__mpi_real.is_fortran_opened)
        return NULL;
    quipu__mpi_function namesake = atomic_load(known);
    if (!namesake) {
        namesake = quipu__mpi_namesake(name, own);
        atomic_store(known, namesake);
    }
    return namesake;
}

#define WRAPPER_OR_NAMESAKE(symbol, of, row, words)                                                            \
    EXPORT word symbol(PARAMETERS_##words);                                                                    \
    EXPORT word symbol(PARAMETERS_##words) {                                                                   \
        static _Atomic(quipu__mpi_function) known;                                                             \
        const quipu__mpi_function namesake = find_namesake(&known, #symbol, (quipu__mpi_function)symbol, row); \
        if (namesake)                                                                                          \
            return ((word(*)(PARAMETERS_##words))namesake)(VALUES_##words);                                    \
        caller_of_other = __builtin_return_address(0);                                                         \
        of(VALUES_##words);                                                                                    \
        return 0;                                                                                              \
    }
#define ALIAS(symbol, of) EXPORT __typeof__(of) symbol __attribute__((alias(#of)));

#define CALL(number, name, lower, upper, c_words, words, signature)                                            \
    WRAPPER(mpi_##lower##_, QUIPU__MPI_##name, QUIPU__MPI_PLAIN, words)                                        \
    WRAPPER_OR_NAMESAKE(mpi_##lower, mpi_##lower##_, QUIPU__MPI_##name, words)                                 \
    ALIAS(mpi_##lower##__, mpi_##lower##_)                                                                     \
    ALIAS(MPI_##upper, mpi_##lower##_)                                                                         \
    WRAPPER(mpi_##lower##_f08_, QUIPU__MPI_##name, QUIPU__MPI_F08, words)                                      \
    WRAPPER(mpi_##lower##_f08ts_, QUIPU__MPI_##name, QUIPU__MPI_F08TS, words)
#define RESULT_CALL(result_type, name, lower, upper, words)                                                    \
    RESULT_WRAPPER(result_type, mpi_##lower##_, QUIPU__MPI_##name, QUIPU__MPI_PLAIN, words)                    \
    ALIAS(mpi_##lower, mpi_##lower##_)                                                                         \
    ALIAS(mpi_##lower##__, mpi_##lower##_)                                                                     \
    ALIAS(MPI_##upper, mpi_##lower##_)                                                                         \
    RESULT_WRAPPER(result_type, mpi_##lower##_f08_, QUIPU__MPI_##name, QUIPU__MPI_F08, words)
#define TIME_CALL(number, name, lower, upper) RESULT_CALL(double, name, lower, upper, 0)
#define ADDRESS_CALL(number, name, lower, upper) RESULT_CALL(word, name, lower, upper, 2)
#define LARGE_CALL(number, name, words, signature)
#include "record/mpi/calls.def"

WRAPPER(mpi_alloc_mem_cptr_, QUIPU__MPI_Alloc_mem, QUIPU__MPI_CPTR, 4)
WRAPPER(mpi_win_allocate_cptr_, QUIPU__MPI_Win_allocate, QUIPU__MPI_CPTR, 7)
WRAPPER(mpi_win_allocate_shared_cptr_, QUIPU__MPI_Win_allocate_shared, QUIPU__MPI_CPTR, 7)
WRAPPER(mpi_win_shared_query_cptr_, QUIPU__MPI_Win_shared_query, QUIPU__MPI_CPTR, 6)

#define EXTENSION(name, lower) ALIAS(mpix_##lower##_, mpi_##lower##_)
#include "record/mpi/extensions.def"
