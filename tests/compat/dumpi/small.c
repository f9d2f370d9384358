/* small.c: a few calls of each sort, on two processes. */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, size, flag, in[4], out[4] = {0}, all[4];
    MPI_Request request;
    MPI_Status status = {0}; /* MPI leaves the error of one request alone */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int other = 1 - rank;
    MPI_Irecv(in, 4, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Iprobe(other, 555, MPI_COMM_WORLD, &flag, &status);
    MPI_Test(&request, &flag, &status);
    MPI_Send(out, 4, MPI_INT, other, 1, MPI_COMM_WORLD);
    if (!flag)
        MPI_Wait(&request, &status);
    MPI_Sendrecv(out, 4, MPI_INT, other, 2, in, 4, MPI_INT, other, 2, MPI_COMM_WORLD, &status);
    MPI_Allreduce(out, all, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
