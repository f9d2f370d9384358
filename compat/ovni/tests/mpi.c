/* mpi.c: an MPI program, two ranks a loom, each on a CPU of its own; its calls are events of the model mpi. The ranks pass a number around
 * a ring and meet in a barrier. */
#include "common.h"

#include <mpi.h>
#include <stdio.h>

#define ROUNDS 100
#define RANKS_PER_NODE 2

static void begin_process(int rank, int ranks) {
    char loom[32];
    snprintf(loom, sizeof loom, "node%d.0", rank / RANKS_PER_NODE);
    ovni_proc_init(1, loom, 1000 + rank);
    ovni_thread_init(1000 + rank);
    ovni_proc_set_rank(rank, ranks);
    ovni_thread_require("mpi", "1.0.0");
    if (rank % RANKS_PER_NODE == 0)
        for (int cpu = 0; cpu < RANKS_PER_NODE; cpu++)
            ovni_add_cpu(cpu, cpu);
    execute(rank % RANKS_PER_NODE, -1, 0);
}

static void go_around(int rank, int ranks) {
    int token = rank;
    emit("MRo");
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    emit("MRO");
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    begin_process(rank, ranks);
    for (int i = 0; i < ROUNDS; i++)
        go_around(rank, ranks);
    emit("MCb");
    MPI_Barrier(MPI_COMM_WORLD);
    emit("MCB");
    leave();
    ovni_proc_fini();
    MPI_Finalize();
    return 0;
}
