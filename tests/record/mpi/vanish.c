/* vanish.c: removes the folder that its argument names, and goes on calling MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    char command[4096];
    int size;
    MPI_Init(&argc, &argv);
    snprintf(command, sizeof command, "rm -rf '%s'", argv[1]);
    if (system(command) != 0)
        return 1;
    for (int i = 0; i < 100000; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    return 0;
}
