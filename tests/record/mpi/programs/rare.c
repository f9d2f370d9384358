/* Calls that few programs make: distributed graphs, persistent collectives, partitioned messages, groups without a communicator, all kinds of
 * one-sided operations, MPI's tool interface, names, errors that are returned. What an MPI has not is left out. */
#include "seen.h"

#include <stdlib.h>

static void graphs(void) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size, weights[] = {3, 4};
    const int around[] = {before, next};
    int in, out, is_weighted, sources[2], from[2], targets[2], to[2], got[2] = {-1, -1};
    MPI_Comm graph, same;
    CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, weights, 2, around, weights, MPI_INFO_NULL,
                                        0, &graph));
    CALL(MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted));
    CALL(MPI_Dist_graph_neighbors(graph, 2, sources, from, 2, targets, to));
    see("%d %d %d: %d %d %d\n", in, out, is_weighted, sources[0], from[0], targets[1]);
    const int sent[] = {rank, rank};
    CALL(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, graph));
    see("neighbours %d %d\n", got[0], got[1]);
    CALL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &(int){1}, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                               &same));
    MPI_Comm_free(&same);
    MPI_Comm_free(&graph);
}

static void windows(void) {
    int *base, value = rank + 1, old = -1, compared = 0, memory[4] = {0};
    MPI_Win window, dynamic;
    MPI_Request request;
    MPI_Aint address;
    CALL(MPI_Win_allocate(8 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
    for (int i = 0; i < 8; i++)
        base[i] = 0;
    CALL(MPI_Win_fence(0, window));
    CALL(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
    CALL(MPI_Win_fence(0, window));
    CALL(MPI_Win_lock_all(0, window));
    CALL(MPI_Rput(&value, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, window, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Win_flush((rank + 1) % size, window));
    CALL(MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 2, MPI_SUM, window));
    CALL(MPI_Win_flush_local(0, window));
    CALL(MPI_Compare_and_swap(&value, &(int){0}, &compared, MPI_INT, rank, 3, window));
    CALL(MPI_Get_accumulate(&value, 1, MPI_INT, memory, 1, MPI_INT, rank, 4, 1, MPI_INT, MPI_REPLACE, window));
    CALL(MPI_Rget(memory + 1, 1, MPI_INT, rank, 4, 1, MPI_INT, window, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Win_unlock_all(window));
    MPI_Barrier(MPI_COMM_WORLD);
    see("window %d %d %d %d\n", base[0], base[1], base[3], memory[1]);
    CALL(MPI_Win_free(&window));
    CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    CALL(MPI_Win_attach(dynamic, memory, sizeof memory));
    CALL(MPI_Get_address(memory, &address));
    CALL(MPI_Win_detach(dynamic, memory));
    CALL(MPI_Win_free(&dynamic));
}

static void tools(void) {
    int provided, variables = 0, length = 0, level;
    char name[256];
    length = sizeof name;
    CALL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CALL(MPI_T_cvar_get_num(&variables));
    see("variables %d\n", variables > 0);
    if (variables > 0)
        CALL(MPI_T_cvar_get_info(0, name, &length, &level, NULL, NULL, NULL, NULL, NULL, NULL));
    CALL(MPI_T_finalize());
}

static void called_back(MPI_Comm *comm, int *code, ...) {
    int length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_get_name(*comm, name, &length); /* a call inside of a call */
    see("handler %d %s\n", *code != MPI_SUCCESS, name);
}

static void errors(void) {
    MPI_Errhandler handler;
    MPI_Comm own;
    int error_class;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_set_name(own, "own");
    CALL(MPI_Comm_create_errhandler(called_back, &handler));
    CALL(MPI_Comm_set_errhandler(own, handler));
    MPI_Error_class(MPI_Send(&rank, 1, MPI_INT, size + 5, 0, own),
                    &error_class); /* codes of MPICH tell runs apart */
    see("class %d\n", error_class == MPI_ERR_RANK);
    CALL(MPI_Add_error_class(&error_class));
    CALL(MPI_Comm_call_errhandler(own, MPI_ERR_OTHER));
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&own);
}

static void reduce_locally(void) {
    int in[2] = {1, 2}, out[2] = {3, 4};
    CALL(MPI_Reduce_local(in, out, 2, MPI_INT, MPI_SUM));
    see("%d %d\n", out[0], out[1]);
    MPI_Comm near;
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near));
    MPI_Comm_free(&near);
    MPI_Request request;
    MPI_Comm later;
    CALL(MPI_Comm_idup(MPI_COMM_WORLD, &later, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Barrier(later));
    MPI_Comm_free(&later);
}

#if MPI_VERSION >= 4
static void persistent_collectives(void) {
    int total = 0, value = rank + 1;
    MPI_Request request;
    CALL(MPI_Allreduce_init(&value, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Start(&request));
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        see("total %d\n", total);
    }
    CALL(MPI_Request_free(&request));
}

static void partitioned(void) {
    int data[8] = {0}, is_there = 0;
    MPI_Request request;
    if (rank == 0) {
        CALL(MPI_Psend_init(data, 4, 2, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CALL(MPI_Start(&request));
        for (int i = 0; i < 4; i++) {
            data[2 * i] = data[2 * i + 1] = i;
            CALL(MPI_Pready(i, request));
        }
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CALL(MPI_Request_free(&request));
    } else if (rank == 1) {
        CALL(MPI_Precv_init(data, 4, 2, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CALL(MPI_Start(&request));
        MPI_Parrived(request, 0, &is_there);
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        see("partition %d\n", data[7]);
        CALL(MPI_Request_free(&request));
    }
}

static void groups_and_large_counts(void) {
    MPI_Group group;
    MPI_Comm comm;
    MPI_Count bytes = 0;
    int out = rank, in = -1;
    MPI_Status status;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    CALL(MPI_Comm_create_from_group(group, "rare", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
    CALL(MPI_Sendrecv_c(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                        comm, &status));
    CALL(MPI_Get_count_c(&status, MPI_BYTE, &bytes));
    see("large %d %d\n", in, (int)bytes);
    CALL(MPI_Bcast_c(&out, 1, MPI_INT, 0, comm));
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
}
#endif

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "rare");
    graphs();
    windows();
    tools();
    errors();
    reduce_locally();
#if MPI_VERSION >= 4
    persistent_collectives();
    partitioned();
    groups_and_large_counts();
#endif
    return seen_finalize(0);
}
