/* counts.c: calls with large counts, of MPI-4; two processes. */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, in[4], out[4] = {0};
    MPI_Status status;
    MPI_Count count, counts[2] = {1, 3};
    MPI_Aint offsets[2] = {0, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv_c(out, 2, MPI_INT, 1 - rank, 1, in, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_INT, &count);
    MPI_Allgatherv_c(out, counts[rank], MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
