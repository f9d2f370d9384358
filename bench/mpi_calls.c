/* mpi_calls.c: what a call of MPI takes, in one pair of processes: CPU nanoseconds of MPI_Wtime and of an MPI_Iprobe that finds
 * nothing, and nanoseconds of an MPI_Send and MPI_Recv of 8 bytes that goes there or back: of the shortest of many short exchanges, in which
 * no other program ran in between. With -DWRAPPERS it is a library instead, whose wrappers do
 * nothing, to compare a recorder with.
 *
 *     mpiexec -n 2 mpi_calls        "NAME NANOSECONDS" a line
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#ifdef WRAPPERS

double MPI_Wtime(void) {
    return PMPI_Wtime();
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    return PMPI_Recv(data, count, type, from, tag, comm, status);
}

#else

#define CALLS 100000
#define ROUNDS 7
#define EXCHANGE 100 /* messages */
#define EXCHANGES 2000

static int rank;

static void wtime(int calls) {
    volatile double last;
    for (int i = 0; i < calls; i++)
        last = MPI_Wtime();
    (void)last;
}

static void iprobe(int calls) {
    int flag;
    for (int i = 0; i < calls; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void message(int calls) {
    long long value = 0;
    for (int i = 0; i < calls / 2; i++) {
        if (rank == 0)
            MPI_Send(&value, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&value, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void measure(const char *name, void (*work)(int calls), clockid_t clock, int calls, int rounds) {
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = seconds(clock);
        work(calls);
        const double taken = seconds(clock) - begin;
        best = taken < best ? taken : best;
    }
    if (rank == 0)
        printf("%s %.1f\n", name, best / calls * 1e9);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure("wtime", wtime, CLOCK_PROCESS_CPUTIME_ID, CALLS, ROUNDS);
    measure("iprobe", iprobe, CLOCK_PROCESS_CPUTIME_ID, CALLS, ROUNDS);
    measure("message", message, CLOCK_MONOTONIC, EXCHANGE, EXCHANGES); /* waiting is part of it */
    MPI_Finalize();
    return 0;
}

#endif
