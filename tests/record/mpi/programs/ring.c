/* Messages around a ring of ranks and calls of all: each rank sends 4 bytes to the next one twice, even ranks three times. Nothing is left to
 * chance. */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, size, in, total;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Isend(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 6, &in, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
    if (rank % 2 == 0)
        MPI_Send(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(&in, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
