/* spellings.c: the names that compilers of Fortran give to MPI's functions: with underscores, without, in capitals. One process. */
#include <mpi.h>

#define BARRIERS SPELLED(mpi_barrier) SPELLED(mpi_barrier_) SPELLED(mpi_barrier__) SPELLED(MPI_BARRIER)
#define SPELLED(name) void name(int *communicator, int *error);
BARRIERS
#undef SPELLED
void MPI_INIT(int *error);
double MPI_WTIME(void);
void MPI_FINALIZE(int *error);

int main(void) {
    int error, communicator;
    MPI_INIT(&error);
    communicator = MPI_Comm_c2f(MPI_COMM_WORLD);
#define SPELLED(name) name(&communicator, &error);
    BARRIERS
    MPI_WTIME();
    MPI_FINALIZE(&error);
    return error;
}
