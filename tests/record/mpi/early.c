/* early.c: a library that asks MPI something before main, as libpnetcdf does. */
#include <mpi.h>

__attribute__((constructor)) static void ask(void) {
    int is_initialized;
    MPI_Initialized(&is_initialized);
}
