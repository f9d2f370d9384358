/* stuck.c: process 0 is killed while the others wait for it, each in another call: one in MPI_Recv, one in MPI_Barrier, one in MPI_Mprobe. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, data;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        sleep(1); /* the others have begun their calls */
        raise(SIGKILL);
    }
    if (rank == 1)
        MPI_Recv(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    return 0;
}
