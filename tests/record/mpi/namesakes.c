/* namesakes.c: a library with functions of its own under names that Fortran's of MPI have without underscores, as Rmpi has them, and a
 * table of these. With -DPROGRAM a program in C that calls them by the table. */
typedef long function(long);

#ifdef PROGRAM
#include <mpi.h>
#include <stdio.h>

extern function *const namesakes[2];

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%ld %ld\n", namesakes[0](1000L + rank), namesakes[1](2000L + rank));
    MPI_Finalize();
    return 0;
}
#else
long mpi_comm_rank(long number), mpi_bcast(long number);
long mpi_comm_rank(long number) {
    return number + (1L << 40);
}
long mpi_bcast(long number) {
    return number - (1L << 40);
}
extern function *const namesakes[2];
function *const namesakes[2] = {mpi_comm_rank, mpi_bcast};
#endif
