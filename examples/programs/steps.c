/* steps.c: a program of MPI that marks its steps as regions.
 *
 *     quipu record -o steps.otf -- mpiexec -n 2 ./steps
 *     quipu profile steps.otf --within step */
#include <mpi.h>

#include <quipu/region.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 3; step++) {
        quipu_region_begin("step");
        MPI_Barrier(MPI_COMM_WORLD);
        quipu_region_end("step");
    }
    MPI_Finalize();
    return 0;
}
