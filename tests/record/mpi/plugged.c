/* plugged.c: calls MPI, and then what is in a library of Fortran (plugin.F90) that it opens: plugged LIBRARY */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank = 0, answer = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void (*const plugin)(int *) = library ? (void (*)(int *))dlsym(library, "plugin") : NULL;
    if (plugin)
        plugin(&answer);
    else
        fprintf(stderr, "%s\n", dlerror());
    printf("%d %d\n", rank, answer);
    MPI_Finalize();
    return 0;
}
