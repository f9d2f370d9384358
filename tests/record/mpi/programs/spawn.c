/* Processes that a program spawns, and a port by which halves of it connect. Started as spawn, spawns itself as spawn child. */
#include "seen.h"

static void child(MPI_Comm parent) {
    int value = -9, own = -9;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Bcast(&value, 1, MPI_INT, 0, parent);
    value = value * 10 + own;
    MPI_Gather(&value, 1, MPI_INT, NULL, 0, MPI_INT, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
}

int main(int argc, char **argv) {
    MPI_Comm parent, children;
    int codes[2] = {-9, -9}, got[2] = {-9, -9}, value = 7;
    char *arguments[] = {"child", NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        child(parent);
        return 0;
    }
    seen_begin("spawn");
    CALL(MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes));
    see_ints("codes", codes, 2);
    const int root = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    CALL(MPI_Bcast(&value, 1, MPI_INT, root, children));
    CALL(MPI_Gather(NULL, 0, MPI_INT, got, 1, MPI_INT, root, children));
    see_ints("got", got, 2);
    CALL(MPI_Comm_disconnect(&children));
    return seen_finalize(0);
}
