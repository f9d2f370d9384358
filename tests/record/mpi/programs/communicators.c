/* Groups, communicators, intercommunicators, topologies, attributes, info, names. */
#include "seen.h"

static void see_group(const char *what, MPI_Group group) {
    int members = -9, own = -9, theirs[16], ours[16];
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    see_handle(what, MPI_Group, group);
    CALL(MPI_Group_size(group, &members));
    CALL(MPI_Group_rank(group, &own));
    for (int i = 0; i < members; i++)
        ours[i] = i;
    CALL(MPI_Group_translate_ranks(group, members, ours, world, theirs));
    see("  %d %d\n", members, own);
    see_ints("  members", theirs, members);
    MPI_Group_free(&world);
}

static void see_comm(const char *what, MPI_Comm comm) {
    see_handle(what, MPI_Comm, comm);
    if (comm == MPI_COMM_NULL)
        return;
    int own = -9, members = -9, is_inter = -9, relation = -9, topology = -9;
    MPI_Group group;
    CALL(MPI_Comm_rank(comm, &own));
    CALL(MPI_Comm_size(comm, &members));
    CALL(MPI_Comm_test_inter(comm, &is_inter));
    CALL(MPI_Comm_compare(comm, MPI_COMM_WORLD, &relation));
    CALL(MPI_Topo_test(comm, &topology));
    see("  %d %d %d %d %d\n", own, members, is_inter, relation, topology);
    CALL(MPI_Comm_group(comm, &group));
    see_group("  group", group);
    CALL(MPI_Group_free(&group));
}

static void groups(void) {
    MPI_Group world, first, second, made;
    int relation = -9;
    int ranges[2][3] = {{0, 2, 2}, {3, 3, 1}};
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CALL(MPI_Group_incl(world, 3, (int[]){2, 0, 1}, &first));
    CALL(MPI_Group_excl(world, 2, (int[]){0, 1}, &second));
    see_group("incl", first);
    see_group("excl", second);
    CALL(MPI_Group_union(first, second, &made));
    see_group("union", made);
    CALL(MPI_Group_free(&made));
    CALL(MPI_Group_intersection(first, second, &made));
    see_group("intersection", made);
    CALL(MPI_Group_free(&made));
    CALL(MPI_Group_difference(first, second, &made));
    see_group("difference", made);
    CALL(MPI_Group_compare(first, made, &relation));
    see("relation %d\n", relation);
    CALL(MPI_Group_free(&made));
    CALL(MPI_Group_range_incl(world, 2, ranges, &made));
    see_group("range incl", made);
    CALL(MPI_Group_free(&made));
    CALL(MPI_Group_range_excl(world, 2, ranges, &made));
    see_group("range excl", made);
    MPI_Comm comm;
    CALL(MPI_Comm_create(MPI_COMM_WORLD, first, &comm));
    see_comm("create", comm);
    if (comm != MPI_COMM_NULL)
        CALL(MPI_Comm_free(&comm));
    if (rank >= 2) {
        CALL(MPI_Comm_create_group(MPI_COMM_WORLD, second, 5, &comm));
        see_comm("create group", comm);
        CALL(MPI_Comm_free(&comm));
    }
    MPI_Group_free(&made);
    MPI_Group_free(&first);
    MPI_Group_free(&second);
    MPI_Group_free(&world);
}

static void communicators(void) {
    MPI_Comm half, twin, copy, later, typed;
    MPI_Request request;
    char name[MPI_MAX_OBJECT_NAME];
    int len = -9;
    CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    see_comm("split", half);
    CALL(MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, 0, &copy));
    see_comm("split but one", copy);
    if (copy != MPI_COMM_NULL)
        CALL(MPI_Comm_free(&copy));
    CALL(MPI_Comm_dup(half, &twin));
    see_comm("dup", twin);
    CALL(MPI_Comm_dup_with_info(half, MPI_INFO_NULL, &copy));
    CALL(MPI_Comm_idup(half, &later, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    see_comm("idup", later);
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &typed));
    see_comm("shared", typed);
    CALL(MPI_Comm_get_name(MPI_COMM_WORLD, name, &len));
    see("name %s %d\n", name, len);
    CALL(MPI_Comm_set_name(twin, "my communicator"));
    CALL(MPI_Comm_get_name(twin, name, &len));
    see("name %s %d\n", name, len);
    CALL(MPI_Comm_free(&twin));
    CALL(MPI_Comm_free(&copy));
    CALL(MPI_Comm_disconnect(&later));
    CALL(MPI_Comm_free(&typed));
    CALL(MPI_Comm_free(&half));
    see("null %d\n", half == MPI_COMM_NULL);
    MPI_Comm parent;
    CALL(MPI_Comm_get_parent(&parent));
    see_handle("parent", MPI_Comm, parent);
}

static void intercommunicators(void) {
    MPI_Comm half, across, merged, twin, split;
    MPI_Group remote;
    int members = -9, value = rank * 10, got[8];
    MPI_Status status;
    CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    CALL(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, (rank + 1) % 2, 12, &across));
    see_comm("across", across);
    CALL(MPI_Comm_remote_size(across, &members));
    CALL(MPI_Comm_remote_group(across, &remote));
    see("remote %d\n", members);
    see_group("remote", remote);
    CALL(MPI_Group_free(&remote));
    untouched(got, sizeof got);
    untouched(&status, sizeof status);
    CALL(MPI_Sendrecv(&value, 1, MPI_INT, rank / 2, 1, got, 1, MPI_INT, rank / 2, 1, across, &status));
    see_message("across", &status);
    CALL(MPI_Allgather(&value, 1, MPI_INT, got, 1, MPI_INT, across));
    see_ints("allgather", got, 8);
    untouched(got, sizeof got);
    const int of_even = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    const int root = rank % 2 ? 0 : of_even;
    CALL(MPI_Bcast(&value, 1, MPI_INT, root, across));
    CALL(MPI_Gather(&value, 1, MPI_INT, got, 1, MPI_INT, root, across));
    CALL(MPI_Reduce(&value, got + 4, 1, MPI_INT, MPI_SUM, root, across));
    CALL(MPI_Allreduce(&value, got + 5, 1, MPI_INT, MPI_MAX, across));
    CALL(MPI_Scatter(got, 1, MPI_INT, got + 6, 1, MPI_INT, root, across));
    CALL(MPI_Barrier(across));
    see_ints("from the other side", got, 8);
    see("value %d\n", value);
    CALL(MPI_Comm_dup(across, &twin));
    see_comm("twin", twin);
    CALL(MPI_Comm_split(across, rank / 2, 0, &split));
    see_comm("split", split);
    CALL(MPI_Intercomm_merge(across, rank % 2, &merged));
    see_comm("merged", merged);
    CALL(MPI_Comm_free(&split));
    CALL(MPI_Comm_free(&twin));
    CALL(MPI_Comm_free(&merged));
    CALL(MPI_Comm_free(&across));
    CALL(MPI_Comm_free(&half));
}

static void cartesian(void) {
    MPI_Comm grid, row;
    int dims[3] = {2, 0, 0}, periods[3] = {1, 0, 9}, coords[3] = {7, 7, 7}, got = -9, from = -9, to = -9;
    CALL(MPI_Dims_create(4, 2, dims));
    see_ints("dims", dims, 3);
    CALL(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    see_comm("grid", grid);
    CALL(MPI_Cartdim_get(grid, &got));
    see("%d\n", got);
    untouched(dims, sizeof dims);
    untouched(periods, sizeof periods);
    CALL(MPI_Cart_get(grid, 2, dims, periods, coords));
    see_ints("dims", dims, 3);
    see_ints("periods", periods, 3);
    see_ints("coords", coords, 3);
    CALL(MPI_Cart_rank(grid, coords, &got));
    see("%d\n", got);
    CALL(MPI_Cart_coords(grid, 3 - rank, 2, coords));
    see_ints("coords", coords, 3);
    CALL(MPI_Cart_shift(grid, 0, 1, &from, &to));
    CALL(MPI_Cart_shift(grid, 1, 1, &got, &to));
    see("%d %d %d\n", from, got, to);
    CALL(MPI_Cart_sub(grid, (int[]){0, 1}, &row));
    see_comm("row", row);
    CALL(MPI_Cart_map(MPI_COMM_WORLD, 2, (int[]){2, 1}, (int[]){0, 0}, &got));
    see("%d\n", got);
    CALL(MPI_Comm_free(&row));
    CALL(MPI_Comm_free(&grid));
}

static void graphs(void) {
    MPI_Comm graph;
    const int index[] = {2, 3, 4, 6}, edges[] = {1, 3, 0, 3, 0, 2};
    int nodes = -9, edge_count = -9, found[8], others[8], count = -9;
    CALL(MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph));
    see_comm("graph", graph);
    CALL(MPI_Graphdims_get(graph, &nodes, &edge_count));
    see("%d %d\n", nodes, edge_count);
    untouched(found, sizeof found);
    untouched(others, sizeof others);
    CALL(MPI_Graph_get(graph, 4, 6, found, others));
    see_ints("index", found, 8);
    see_ints("edges", others, 8);
    CALL(MPI_Graph_neighbors_count(graph, 0, &count));
    CALL(MPI_Graph_neighbors(graph, 0, count, found));
    see("%d\n", count);
    see_ints("neighbours", found, 8);
    CALL(MPI_Graph_map(MPI_COMM_WORLD, 4, index, edges, &count));
    see("%d\n", count);
    CALL(MPI_Comm_free(&graph));
    const int one = 1, next = (rank + 1) % size, before = (rank + size - 1) % size, weight = rank + 5;
    CALL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, &weight, MPI_INFO_NULL, 0, &graph));
    int in = -9, out = -9, weighted = -9, from[4], from_weight[4], to[4], to_weight[4];
    untouched(from, sizeof from);
    untouched(to, sizeof to);
    untouched(from_weight, sizeof from_weight);
    untouched(to_weight, sizeof to_weight);
    CALL(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    see("%d %d %d\n", in, out, weighted);
    CALL(MPI_Dist_graph_neighbors(graph, in, from, from_weight, out, to, to_weight));
    see_ints("from", from, 4);
    see_ints("weights", from_weight, 4);
    see_ints("to", to, 4);
    see_ints("weights", to_weight, 4);
    CALL(MPI_Comm_free(&graph));
    CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, 0, &graph));
    CALL(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    see("%d %d %d\n", in, out, weighted);
    CALL(MPI_Comm_free(&graph));
}

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag) {
    int members = -9;
    (void)key;
    MPI_Comm_size(comm, &members); /* a call within a call */
    see("copy %d %d %d\n", *(int *)extra, *(int *)value, members);
    *(void **)out = value;
    *flag = *(int *)value != 2;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key;
    see("delete %d %d\n", *(int *)extra, *(int *)value);
    return MPI_SUCCESS;
}

static void attributes(void) {
    int extra = 9, values[] = {1, 2}, keys[3] = {-9, -9, -9}, flag = -9, *found = NULL;
    MPI_Comm comm, twin;
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CALL(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keys[0], &extra));
    CALL(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keys[1], &extra));
    CALL(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[2], NULL));
    see_ints("keys", keys, 3);
    for (int i = 0; i < 2; i++)
        CALL(MPI_Comm_set_attr(comm, keys[i], &values[i]));
    CALL(MPI_Comm_set_attr(comm, keys[2], &extra));
    CALL(MPI_Comm_dup(comm, &twin));
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Comm_get_attr(twin, keys[i], &found, &flag));
        see("%d %d\n", flag, flag ? *found : -1);
    }
    CALL(MPI_Comm_delete_attr(comm, keys[0]));
    CALL(MPI_Comm_free(&twin));
    CALL(MPI_Comm_free(&comm));
    for (int i = 0; i < 3; i++)
        CALL(MPI_Comm_free_keyval(&keys[i]));
    const int predefined[] = {MPI_TAG_UB, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE};
    for (int i = 0; i < 5; i++) {
        flag = -9;
        CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, predefined[i], &found, &flag));
        see("%d %d\n", flag, flag ? *found : -1);
    }
}

static void info(void) {
    MPI_Info made, twin;
    char value[64] = "", key[MPI_MAX_INFO_KEY] = "";
    int flag = -9, count = -9, len = -9;
    CALL(MPI_Info_create(&made));
    see_handle("info", MPI_Info, made);
    CALL(MPI_Info_set(made, "first", "one"));
    CALL(MPI_Info_set(made, "second", "a longer value"));
    CALL(MPI_Info_dup(made, &twin));
    CALL(MPI_Info_delete(made, "first"));
    CALL(MPI_Info_get_nkeys(twin, &count));
    CALL(MPI_Info_get_nthkey(twin, 1, key));
    CALL(MPI_Info_get_valuelen(twin, "second", &len, &flag));
    see("%d %s %d %d\n", count, key, len, flag);
    CALL(MPI_Info_get(twin, "second", 60, value, &flag));
    see("%d %s\n", flag, value);
    CALL(MPI_Info_get(made, "first", 60, value, &flag));
    see("%d\n", flag);
    CALL(MPI_Comm_set_info(MPI_COMM_SELF, made));
    CALL(MPI_Info_free(&made));
    CALL(MPI_Info_free(&twin));
    see("null %d\n", twin == MPI_INFO_NULL);
    CALL(MPI_Comm_get_info(MPI_COMM_SELF, &made));
    CALL(MPI_Info_free(&made));
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "communicators");
    groups();
    communicators();
    intercommunicators();
    cartesian();
    graphs();
    attributes();
    info();
    return seen_finalize(0);
}
