/* Regions of the program's own, twice within each other, and functions that the compiler marks (-finstrument-functions). */
#include <mpi.h>
#include <quipu/region.h>

void work(int depth) {
    if (depth > 0)
        work(depth - 1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        quipu_region_begin("step");
        quipu_region_begin("solve");
        MPI_Barrier(MPI_COMM_WORLD);
        quipu_region_end("solve");
        quipu_region_end("step");
    }
    work(1);
    MPI_Finalize();
    return 0;
}
