/* delaying.c: preloaded ahead of the recorder: one rank of a real program computes for DELAY_US microseconds more before each of its
 * broadcasts and reductions to all. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int bcast(void *, int, MPI_Datatype, int, MPI_Comm);

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void delay(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != atoi(getenv("DELAY_RANK")))
        return;
    for (const double end = now_us() + atof(getenv("DELAY_US")); now_us() < end;)
        ;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    allreduce *next = (allreduce *)dlsym(RTLD_NEXT, "MPI_Allreduce");
    delay();
    return next(from, to, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    bcast *next = (bcast *)dlsym(RTLD_NEXT, "MPI_Bcast");
    delay();
    return next(data, count, type, root, comm);
}
