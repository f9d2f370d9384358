/* looker.c: a program that is not linked with MPI: opens the library of its first argument for itself alone, and looks its functions up. The
 * second is how often it meets the others. */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(9);
    }
    return found;
}

static MPI_Comm world(void) {
#ifdef OPEN_MPI
    return (MPI_Comm)function("ompi_mpi_comm_world");
#else
    return MPI_COMM_WORLD;
#endif
}

int main(int argc, char **argv) {
    int rank = -1, is_finalized = -1;
    library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    ((int (*)(int *, char ***))function("MPI_Init"))(&argc, &argv);
    ((int (*)(MPI_Comm, int *))function("MPI_Comm_rank"))(world(), &rank);
    for (int i = 0; i < atoi(argv[2]); i++)
        ((int (*)(MPI_Comm))function("MPI_Barrier"))(world());
    ((int (*)(void))function("MPI_Finalize"))();
    ((int (*)(int *))function("MPI_Finalized"))(&is_finalized);
    printf("rank %d of a program that looks up, finalized %d\n", rank, is_finalized);
    return 0;
}
