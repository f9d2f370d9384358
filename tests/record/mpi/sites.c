/* sites.c: calls of MPI from several places: inlined functions, a function that is not, and a library that is opened. sites [LIBRARY] */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static inline __attribute__((always_inline)) void pack(int rank, double *value) {
    if (rank == 0)
        MPI_Send(value, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(value, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline __attribute__((always_inline)) void step(int rank, double *value) {
    pack(rank, value);
}

static __attribute__((noinline)) int exchange(int rank, double *value) {
    int flag;
    step(rank, value);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Initialized(&flag);
    return flag + 1;
}

int main(int argc, char **argv) {
    int rank, total = 0;
    double value = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        total += exchange(rank, &value);
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* DUMPI has no record for it */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (argc > 1) {
        void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        int (*const opened)(void) = library ? (int (*)(void))dlsym(library, "opened") : NULL;
        total += opened ? opened() : -1;
    }
    MPI_Finalize();
    return total > 0 ? 0 : 1;
}
