/* next.c: a library that asks for what comes behind itself, as those do that stand in front of others; with -DPROGRAM, a program of two such
 * libraries, which prints the order in which they answer. */
#ifdef PROGRAM
#include <mpi.h>
#include <stdio.h>

int answer(int number);

int main(int argc, char **argv) {
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%d of %d\n", answer(1), size);
    return MPI_Finalize();
}
#else
#include <dlfcn.h>
#include <stddef.h>

int answer(int number) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "answer");
    return next ? next(10 * number + DIGIT) : 10 * number + DIGIT;
}
#endif
