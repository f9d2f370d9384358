/* endless.c: two processes or more exchange messages until they are killed; or, with an argument, that many times, and then
 * end with the exit code of the second one. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const long times = argc > 1 ? atol(argv[1]) : -1;
    int rank, size, in = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long i = 0; i != times; i++) {
        MPI_Request request;
        MPI_Status status;
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
    }
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 5;
}
