/* Persistent collective operations, each started three times; Open MPI 4 has them under names of its own. */
#include "seen.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

#define ROUNDS 3
#define MOST 64

static int out[MOST], in[MOST], counts[MOST], offsets[MOST], bytes_apart[MOST];
static MPI_Datatype types[MOST];

static void run(const char *name, MPI_Request *request) {
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Status status;
        for (int i = 0; i < MOST; i++)
            out[i] = 1000 * round + 10 * rank + i;
        untouched(in, sizeof in);
        CALL(MPI_Start(request));
        CALL(MPI_Wait(request, &status));
        see_ints(name, in, 2 * size);
    }
    CALL(MPI_Request_free(request));
    see("%s: %d\n", name, *request == MPI_REQUEST_NULL);
}

/* The arguments behind the buffers, of the operation's own and of all. */
#define RUN(name, ...)                                                                                         \
    do {                                                                                                       \
        MPI_Request request = MPI_REQUEST_NULL;                                                                \
        see(#name " %d\n", INIT(name)(__VA_ARGS__, MPI_INFO_NULL, &request));                                  \
        run(#name, &request);                                                                                  \
    } while (0)

static void operations(MPI_Comm comm) {
    RUN(Barrier, comm);
    RUN(Bcast, rank == 1 ? out : in, 3, MPI_INT, 1, comm);
    RUN(Gather, out, 1, MPI_INT, in, 1, MPI_INT, 2, comm);
    RUN(Gatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, 2, comm);
#ifdef OPEN_MPI /* MPICH 4.0.2's fails when it is waited for */
    RUN(Scatter, out, 2, MPI_INT, in, 2, MPI_INT, 0, comm);
#endif
    RUN(Scatterv, out, counts, offsets, MPI_INT, in, 1, MPI_INT, 0, comm);
    RUN(Allgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    RUN(Allgatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, comm);
    RUN(Alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    RUN(Alltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, comm);
    RUN(Alltoallw, out, counts, bytes_apart, types, in, counts, bytes_apart, types, comm);
}

static void reductions(MPI_Comm comm) {
    RUN(Reduce, out, in, 2, MPI_INT, MPI_SUM, 1, comm);
    RUN(Allreduce, out, in, 2, MPI_INT, MPI_MAX, comm);
    RUN(Reduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
    RUN(Reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
    RUN(Scan, out, in, 2, MPI_INT, MPI_SUM, comm);
    RUN(Exscan, out, in, 2, MPI_INT, MPI_SUM, comm);
}

/* On a ring, where everyone has two neighbours. */
static void neighbours(void) {
    MPI_Comm ring;
    MPI_Aint apart[MOST];
    for (int i = 0; i < MOST; i++)
        apart[i] = bytes_apart[i];
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){1}, 0, &ring);
    RUN(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, ring);
    RUN(Neighbor_allgatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, ring);
    RUN(Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring);
    RUN(Neighbor_alltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, ring);
    RUN(Neighbor_alltoallw, out, counts, apart, types, in, counts, apart, types, ring);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "persistent");
    for (int i = 0; i < MOST; i++) {
        counts[i] = 1;
        offsets[i] = i;
        bytes_apart[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    operations(MPI_COMM_WORLD);
    reductions(MPI_COMM_WORLD);
    neighbours();
    return seen_finalize(0);
}
