/* One-sided communication: windows of all kinds, epochs of all kinds, all operations. */
#include "seen.h"

#define ROOM 16
static int *memory, origin[ROOM], result[ROOM];

static void fill(void) {
    for (int i = 0; i < ROOM; i++) {
        memory[i] = rank * 100 + i;
        origin[i] = rank * 1000 + i;
    }
    untouched(result, sizeof result);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void see_window(const char *what) {
    MPI_Barrier(MPI_COMM_WORLD);
    see_ints(what, memory, ROOM);
    see_ints("  result", result, ROOM);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fences(MPI_Win window) {
    const int to = (rank + 1) % size;
    fill();
    CALL(MPI_Win_fence(MPI_MODE_NOPRECEDE, window));
    CALL(MPI_Put(origin, 3, MPI_INT, to, 1, 3, MPI_INT, window));
    CALL(MPI_Win_fence(0, window));
    CALL(MPI_Get(result, 3, MPI_INT, to, 4, 3, MPI_INT, window));
    CALL(MPI_Accumulate(origin + 4, 2, MPI_INT, to, 8, 2, MPI_INT, MPI_SUM, window));
    CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
    see_window("fence");
}

static void post_and_start(MPI_Win window) {
    MPI_Group world, to, from;
    int done = 0;
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CALL(MPI_Group_incl(world, 1, (int[]){(rank + 1) % size}, &to));
    CALL(MPI_Group_incl(world, 1, (int[]){(rank + size - 1) % size}, &from));
    for (int tests = 0; tests < 2; tests++) {
        fill();
        CALL(MPI_Win_post(from, 0, window));
        CALL(MPI_Win_start(to, 0, window));
        CALL(MPI_Put(origin + tests, 4, MPI_INT, (rank + 1) % size, 2, 4, MPI_INT, window));
        CALL(MPI_Win_complete(window));
        if (!tests)
            CALL(MPI_Win_wait(window));
        for (done = 0; tests && !done;)
            MPI_Win_test(window, &done);
        see_window("post and start");
    }
    CALL(MPI_Win_get_group(window, &from));
    CALL(MPI_Group_size(from, &done));
    see("members %d\n", done);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&world);
}

static void locks(MPI_Win window) {
    MPI_Request requests[4];
    int compare = 0, to = (rank + 1) % size, fetched = -9;
    fill();
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window));
    CALL(MPI_Put(origin, 2, MPI_INT, to, 0, 2, MPI_INT, window));
    CALL(MPI_Win_flush(to, window));
    CALL(MPI_Win_flush_local(to, window));
    CALL(MPI_Get(result, 2, MPI_INT, to, 0, 2, MPI_INT, window));
    CALL(MPI_Win_unlock(to, window));
    see_window("lock");
    fill();
    CALL(MPI_Win_lock_all(0, window));
    CALL(MPI_Fetch_and_op(origin, &fetched, MPI_INT, to, 3, MPI_SUM, window));
    CALL(MPI_Win_flush_all(window));
    see("fetched %d\n", fetched);
    compare = to * 100 + 4;
    CALL(MPI_Compare_and_swap(origin + 1, &compare, &fetched, MPI_INT, to, 4, window));
    CALL(MPI_Win_flush_local_all(window));
    see("fetched %d\n", fetched);
    CALL(MPI_Get_accumulate(origin, 2, MPI_INT, result, 2, MPI_INT, to, 6, 2, MPI_INT, MPI_REPLACE, window));
    CALL(MPI_Rput(origin + 5, 1, MPI_INT, to, 9, 1, MPI_INT, window, &requests[0]));
    CALL(MPI_Rget(result + 4, 1, MPI_INT, to, 10, 1, MPI_INT, window, &requests[1]));
    CALL(MPI_Raccumulate(origin + 6, 1, MPI_INT, to, 11, 1, MPI_INT, MPI_SUM, window, &requests[2]));
    CALL(MPI_Rget_accumulate(origin + 7, 1, MPI_INT, result + 6, 1, MPI_INT, to, 12, 1, MPI_INT, MPI_SUM,
                             window, &requests[3]));
    CALL(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CALL(MPI_Win_sync(window));
    CALL(MPI_Win_unlock_all(window));
    see_window("lock all");
}

static int copy(MPI_Win window, int key, void *extra, void *value, void *out, int *flag) {
    (void)window, (void)key, (void)extra;
    *(void **)out = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int discard(MPI_Win window, int key, void *value, void *extra) {
    (void)window, (void)key;
    see("delete %d %d\n", *(int *)value, *(int *)extra);
    return MPI_SUCCESS;
}

static void attributes(MPI_Win window) {
    int key = -9, value = 3, extra = 4, flag = -9, len = -9, *found = NULL;
    MPI_Aint *bytes = NULL;
    char name[MPI_MAX_OBJECT_NAME] = "";
    CALL(MPI_Win_get_attr(window, MPI_WIN_SIZE, &bytes, &flag));
    see("%d %ld\n", flag, flag ? (long)*bytes : -1);
    CALL(MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &found, &flag));
    see("%d %d\n", flag, flag ? *found : -1);
    CALL(MPI_Win_create_keyval(copy, discard, &key, &extra));
    CALL(MPI_Win_set_attr(window, key, &value));
    CALL(MPI_Win_get_attr(window, key, &found, &flag));
    see("%d %d\n", flag, found == &value);
    CALL(MPI_Win_delete_attr(window, key));
    CALL(MPI_Win_free_keyval(&key));
    CALL(MPI_Win_set_name(window, "my window"));
    CALL(MPI_Win_get_name(window, name, &len));
    see("%s %d\n", name, len);
    MPI_Info info;
    CALL(MPI_Win_get_info(window, &info));
    CALL(MPI_Win_set_info(window, info));
    CALL(MPI_Info_free(&info));
}

int main(int argc, char **argv) {
    MPI_Win window;
    MPI_Aint bytes = -9;
    int unit = -9, *base = NULL;
    seen_init(&argc, &argv, "windows");
    CALL(MPI_Alloc_mem(ROOM * sizeof(int), MPI_INFO_NULL, &memory));
    CALL(MPI_Win_create(memory, ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    see_handle("window", MPI_Win, window);
    fences(window);
    post_and_start(window);
    locks(window);
    attributes(window);
    CALL(MPI_Win_free(&window));
    see("null %d\n", window == MPI_WIN_NULL);
    CALL(MPI_Free_mem(memory));
    CALL(MPI_Win_allocate(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
    fences(window);
    CALL(MPI_Win_free(&window));
    CALL(MPI_Win_allocate_shared(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                                 &window));
    CALL(MPI_Win_shared_query(window, rank, &bytes, &unit, &base));
    see("%ld %d %d\n", (long)bytes, unit, base == memory);
    fences(window);
    CALL(MPI_Win_free(&window));
    CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    CALL(MPI_Win_attach(window, origin, sizeof origin));
    CALL(MPI_Win_detach(window, origin));
    CALL(MPI_Win_free(&window));
    return seen_finalize(0);
}
