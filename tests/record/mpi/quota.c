/* quota.c: lets files grow to that many bytes only, as a quota does, and goes on calling MPI; ends with 0. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
    int flag;
    MPI_Init(&argc, &argv);
    const struct rlimit limit = {(rlim_t)atol(argv[1]), (rlim_t)atol(argv[1])};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    for (int i = 0; i < 20000; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
