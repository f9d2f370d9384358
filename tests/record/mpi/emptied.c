/* emptied.c: calls MPI, cuts short the buffers of the recorder in the folder of the argument, and goes on calling MPI; ends with 0. */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void probe_often(void) {
    int flag;
    for (int i = 0; i < 5000; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    probe_often();
    MPI_Barrier(MPI_COMM_WORLD);
    DIR *folder = opendir(argv[1]);
    for (const struct dirent *found; folder && (found = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], found->d_name);
        if (strstr(found->d_name, ".ring") && truncate(path, 0) != 0)
            return 1;
    }
    closedir(folder);
    MPI_Barrier(MPI_COMM_WORLD);
    probe_often();
    MPI_Finalize();
    return 0;
}
