/* behind.c: a tool that counts calls of MPI_Send, whose own functions it looks up in the library of MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int sends;

static void *in_mpi(const char *name) {
    Dl_info info;
    dladdr(dlsym(RTLD_NEXT, "PMPI_Init"), &info);
    return dlsym(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD), name);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    int (*const send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) =
        (int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm))in_mpi("MPI_Send");
    sends++;
    return send(data, count, type, to, tag, comm);
}

int MPI_Finalize(void) {
    printf("behind: %d sends\n", sends);
    return ((int (*)(void))in_mpi("MPI_Finalize"))();
}
