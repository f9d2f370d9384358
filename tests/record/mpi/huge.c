/* huge.c: counts that need more than 32 bits, of a datatype without bytes, so that nothing is moved. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Datatype nothing;
    MPI_Status status;
    MPI_Count count = 0;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(0, MPI_BYTE, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Sendrecv_c(&count, 3000000000, nothing, 0, 1, &count, 5, nothing, 0, 1, MPI_COMM_SELF, &status);
    MPI_Send_c(&count, 2147483647, nothing, MPI_PROC_NULL, 2, MPI_COMM_SELF);
    MPI_Bcast_c(&count, 4294967297, nothing, 0, MPI_COMM_SELF);
    MPI_Type_free(&nothing);
    MPI_Finalize();
    return 0;
}
