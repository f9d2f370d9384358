/* Collective operations: all, blocking, immediate, of neighbours; vectors, in place, operations of the program's own. */
#include "seen.h"

#define ROOM 64
static int out[ROOM], in[ROOM], counts[8], offsets[8];

static void begin(int salt) {
    for (int i = 0; i < ROOM; i++)
        out[i] = rank * 1000 + salt * 100 + i;
    for (int i = 0; i < 8; i++) {
        counts[i] = i + 1;
        offsets[i] = i * 5;
    }
    untouched(in, sizeof in);
}

static void see_result(const char *what) {
    see_ints(what, in, ROOM);
}

static void add_twice(void *from, void *to, int *count, MPI_Datatype *type) {
    int bytes = -9;
    MPI_Type_size(*type, &bytes); /* a call within a call */
    for (int i = 0; i < *count * (bytes / 4); i++)
        ((int *)to)[i] += 2 * ((int *)from)[i];
}

static void rooted(int root) {
    begin(1);
    CALL(MPI_Bcast(out, 5, MPI_INT, root, MPI_COMM_WORLD));
    see_ints("bcast", out, ROOM);
    begin(2);
    CALL(MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, root, MPI_COMM_WORLD));
    see_result("gather");
    begin(3);
    CALL(MPI_Gatherv(out, rank + 1, MPI_INT, in, counts, offsets, MPI_INT, root, MPI_COMM_WORLD));
    see_result("gatherv");
    begin(4);
    CALL(MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, root, MPI_COMM_WORLD));
    see_result("scatter");
    begin(5);
    CALL(MPI_Scatterv(out, counts, offsets, MPI_INT, in, rank + 1, MPI_INT, root, MPI_COMM_WORLD));
    see_result("scatterv");
    begin(6);
    CALL(MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    see_result("reduce");
    /* what is for the root alone need not mean anything elsewhere */
    begin(7);
    if (rank == root)
        CALL(MPI_Gatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, counts, offsets, MPI_INT, root,
                         MPI_COMM_WORLD));
    else
        CALL(MPI_Gatherv(out, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD));
    see_result("gatherv in place");
    begin(8);
    if (rank == root)
        CALL(MPI_Scatterv(out, counts, offsets, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root,
                          MPI_COMM_WORLD));
    else
        CALL(MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, in, rank + 1, MPI_INT, root, MPI_COMM_WORLD));
    see_result("scatterv in place");
}

static void symmetric(void) {
    MPI_Datatype types[8];
    int same[8], bytes_at[8];
    for (int i = 0; i < 8; i++) {
        types[i] = i % 2 ? MPI_INT : MPI_FLOAT;
        same[i] = 2;
        bytes_at[i] = i * 20;
    }
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
    begin(1);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD));
    see_result("allgather");
    begin(2);
    CALL(MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD));
    see_result("allgatherv");
    begin(3);
    CALL(MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD));
    see_result("alltoall");
    begin(4);
    CALL(MPI_Alltoallv(out, same, offsets, MPI_INT, in, same, offsets, MPI_INT, MPI_COMM_WORLD));
    see_result("alltoallv");
    begin(5);
    CALL(MPI_Alltoallw(out, same, bytes_at, types, in, same, bytes_at, types, MPI_COMM_WORLD));
    see_result("alltoallw");
    begin(6);
    CALL(MPI_Allreduce(out, in, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    see_result("allreduce");
    CALL(MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    see_result("allreduce in place");
    begin(7);
    CALL(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    see_result("reduce_scatter");
    begin(8);
    CALL(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    see_result("reduce_scatter_block");
    begin(9);
    CALL(MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    see_result("scan");
    begin(10);
    CALL(MPI_Exscan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    see_result("exscan");
    begin(11);
    CALL(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, MPI_COMM_WORLD));
    CALL(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, MPI_COMM_WORLD));
    see_ints("in place", out, ROOM);
    see_result("in place");
}

/* The order of additions would show in the last bits. */
static void reals(void) {
    double values[16], results[16];
    for (int i = 0; i < 16; i++)
        values[i] = 1.0 / (3 + rank * 16 + i);
    CALL(MPI_Allreduce(values, results, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    see_bytes("allreduce", results, sizeof results);
    CALL(MPI_Reduce(values, results, 16, MPI_DOUBLE, MPI_PROD, 1, MPI_COMM_WORLD));
    see_bytes("reduce", results, sizeof results);
    CALL(MPI_Scan(values, results, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    see_bytes("scan", results, sizeof results);
}

static void operations(void) {
    MPI_Op op;
    MPI_Datatype pair;
    int commutes = -9;
    CALL(MPI_Type_contiguous(2, MPI_INT, &pair));
    CALL(MPI_Type_commit(&pair));
    CALL(MPI_Op_create(add_twice, 0, &op));
    see_handle("operation", MPI_Op, op);
    CALL(MPI_Op_commutative(op, &commutes));
    see("commutes %d\n", commutes);
    begin(1);
    CALL(MPI_Allreduce(out, in, 3, pair, op, MPI_COMM_WORLD));
    see_result("own operation");
    CALL(MPI_Scan(out, in, 3, pair, op, MPI_COMM_WORLD));
    see_result("own operation");
    CALL(MPI_Reduce_local(out, in, 3, pair, op));
    see_result("own operation");
    CALL(MPI_Op_free(&op));
    see("null %d\n", op == MPI_OP_NULL);
    struct {
        double value;
        int owner;
    } mine = {rank * 3 % 4, rank}, best = {-1, -1};
    CALL(MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    see("best %d %d\n", (int)best.value, best.owner);
    CALL(MPI_Type_free(&pair));
}

static void immediate(void) {
    MPI_Request request;
    MPI_Status status;
#define IMMEDIATE(call)                                                                                        \
    begin(__LINE__ % 50);                                                                                      \
    CALL(call);                                                                                                \
    untouched(&status, sizeof status);                                                                         \
    CALL(MPI_Wait(&request, &status));                                                                         \
    see("null %d\n", request == MPI_REQUEST_NULL);                                                             \
    see_result("result");                                                                                      \
    see_ints("data", out, ROOM)
    IMMEDIATE(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Ibcast(out, 4, MPI_INT, 1, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Igather(out, 2, MPI_INT, in, 2, MPI_INT, 2, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Igatherv(out, rank + 1, MPI_INT, in, counts, offsets, MPI_INT, 0, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iscatter(out, 2, MPI_INT, in, 2, MPI_INT, 3, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iscatterv(out, counts, offsets, MPI_INT, in, rank + 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iallgatherv(out, rank + 1, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Ialltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD, &request));
    const int same[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    const MPI_Datatype types[8] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT, MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    const int bytes_at[8] = {0, 20, 40, 60, 80, 100, 120, 140};
    IMMEDIATE(
        MPI_Ialltoallv(out, same, offsets, MPI_INT, in, same, offsets, MPI_INT, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Ialltoallw(out, same, bytes_at, types, in, same, bytes_at, types, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iallreduce(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Ireduce(out, in, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iscan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    IMMEDIATE(MPI_Iexscan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
}

static void neighbours(void) {
    MPI_Comm ring;
    MPI_Request request;
    MPI_Status status;
    const int same[2] = {2, 2}, both[2] = {0, 10};
    const MPI_Aint bytes_at[2] = {0, 40};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    CALL(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring));
    begin(1);
    CALL(MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, ring));
    see_result("allgather");
    begin(2);
    CALL(MPI_Neighbor_allgatherv(out, 2, MPI_INT, in, same, both, MPI_INT, ring));
    see_result("allgatherv");
    begin(3);
    CALL(MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, ring));
    see_result("alltoall");
    begin(4);
    CALL(MPI_Neighbor_alltoallv(out, same, both, MPI_INT, in, same, both, MPI_INT, ring));
    see_result("alltoallv");
    begin(5);
    CALL(MPI_Neighbor_alltoallw(out, same, bytes_at, types, in, same, bytes_at, types, ring));
    see_result("alltoallw");
    IMMEDIATE(MPI_Ineighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, ring, &request));
    IMMEDIATE(MPI_Ineighbor_allgatherv(out, 2, MPI_INT, in, same, both, MPI_INT, ring, &request));
    IMMEDIATE(MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, ring, &request));
    IMMEDIATE(MPI_Ineighbor_alltoallv(out, same, both, MPI_INT, in, same, both, MPI_INT, ring, &request));
    IMMEDIATE(MPI_Ineighbor_alltoallw(out, same, bytes_at, types, in, same, bytes_at, types, ring, &request));
    CALL(MPI_Comm_free(&ring));
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "collectives");
    rooted(0);
    rooted(2);
    symmetric();
    reals();
    operations();
    immediate();
    neighbours();
    return seen_finalize(0);
}
