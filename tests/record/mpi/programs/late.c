/* One rank of four is late where a scenario says: late SCENARIO RANK MILLISECONDS. It sleeps in the region "late". Each rank prints when it
 * was ready to go on, on the clock that all share: so a test knows how long others have to wait, however busy the machine is. */
#include <mpi.h>
#include <quipu/region.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS = 4, COUNT = 4 };
static int rank, late_rank;
static long milliseconds;
static int there[RANKS * COUNT], here[RANKS * COUNT];
static MPI_Request request;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* When all were ready to begin. */
static long long start;

/* Until those that sleep longest are there: no rank waits for others any more. */
static void sleep_until_all_are_there(void) {
    const long long end = start + 2 * milliseconds * 1000000;
    const struct timespec time = {end / 1000000000, end % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void sleep_if(int who, long length_ms) {
    const struct timespec length = {length_ms / 1000, length_ms % 1000 * 1000000};
    if (rank != who)
        return;
    quipu_region_begin("late");
    nanosleep(&length, NULL);
    quipu_region_end("late");
}

static long long ready;

static void delay(void) {
    sleep_if(late_rank, milliseconds);
    ready = now();
}

/* Later than the late rank, where that must not matter. */
static void delay_more(int who) {
    sleep_if(who, 2 * milliseconds);
    ready = rank == who ? now() : ready;
}

static int next(void) {
    return (rank + 1) % RANKS;
}
static int last(void) {
    return (rank + RANKS - 1) % RANKS;
}

/* The late rank sends to the one behind it. */
static void send(void) {
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (last() == late_rank)
        MPI_Recv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void isend(void) {
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (last() == late_rank) {
        MPI_Irecv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void persistent(void) {
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (last() != late_rank)
        return;
    MPI_Recv_init(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Of two receives only one has a sender. */
static void wait_for_one_of_two(int has_one) {
    MPI_Request requests[2];
    int number, count, done = 0;
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (last() != late_rank)
        return;
    MPI_Irecv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(here + COUNT, COUNT, MPI_INT, last(), 2, MPI_COMM_WORLD, &requests[1]);
    if (has_one)
        MPI_Waitany(2, requests, &number, MPI_STATUS_IGNORE);
    else
        MPI_Waitsome(2, requests, &count, &done, MPI_STATUSES_IGNORE);
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void waitany(void) {
    wait_for_one_of_two(1);
}

static void waitsome(void) {
    wait_for_one_of_two(0);
}

/* Each sends to the next one. */
static void sendrecv(void) {
    delay();
    MPI_Sendrecv(there, COUNT, MPI_INT, next(), 1, here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* The rank behind the late one could have received what that sent before. */
static void same_order(void) {
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 2, MPI_COMM_WORLD);
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    for (int tag = 1; tag <= 2 && last() == late_rank; tag++)
        MPI_Recv(here, COUNT, MPI_INT, last(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Or what another rank has sent. */
static void other_order(void) {
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (next() == late_rank)
        MPI_Send(there, COUNT, MPI_INT, (late_rank + 1) % RANKS, 2, MPI_COMM_WORLD);
    if (last() != late_rank)
        return;
    MPI_Recv(here, COUNT, MPI_INT, late_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(here, COUNT, MPI_INT, (late_rank + RANKS - 1) % RANKS, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The rank before the late one has to wait for it. */
static void ssend(void) {
    delay();
    if (rank == late_rank)
        MPI_Recv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (next() == late_rank)
        MPI_Ssend(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
}

/* A message goes from rank to rank; the first one is late. */
static void chain(void) {
    delay();
    if (rank != late_rank)
        MPI_Recv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (next() != late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
}

static void barrier(void) {
    delay();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void) {
    delay();
    MPI_Allreduce(there, here, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(void) {
    delay();
    MPI_Alltoall(there, COUNT, MPI_INT, here, COUNT, MPI_INT, MPI_COMM_WORLD);
}

static void bcast(void) {
    delay();
    MPI_Bcast(there, COUNT, MPI_INT, late_rank, MPI_COMM_WORLD);
}

/* The root is the rank behind the late one. */
static int root(void) {
    return (late_rank + 1) % RANKS;
}

static void reduce(void) {
    delay();
    MPI_Reduce(there, here, COUNT, MPI_INT, MPI_SUM, root(), MPI_COMM_WORLD);
}

static void gather(void) {
    delay();
    MPI_Gather(there, COUNT, MPI_INT, here, COUNT, MPI_INT, root(), MPI_COMM_WORLD);
}

/* The rank two behind the late one is later still, but has nothing to give. */
static const int *zero_counts(const int **out_starts) {
    static int counts[RANKS], starts[RANKS];
    for (int i = 0; i < RANKS; i++) {
        counts[i] = i == (late_rank + 2) % RANKS ? 0 : COUNT;
        starts[i] = i * COUNT;
    }
    *out_starts = starts;
    return counts;
}

static void gatherv(void) {
    const int *starts, *counts = zero_counts(&starts);
    delay();
    delay_more((late_rank + 2) % RANKS);
    MPI_Gatherv(there, counts[rank], MPI_INT, here, counts, starts, MPI_INT, root(), MPI_COMM_WORLD);
    sleep_until_all_are_there();
}

/* The root is late, and has nothing for the last rank. */
static void scatterv(void) {
    int counts[RANKS], starts[RANKS];
    for (int i = 0; i < RANKS; i++) {
        counts[i] = i == (late_rank + 3) % RANKS ? 0 : COUNT;
        starts[i] = i * COUNT;
    }
    delay();
    MPI_Scatterv(there, counts, starts, MPI_INT, here, counts[rank], MPI_INT, late_rank, MPI_COMM_WORLD);
}

/* No rank waits for a root that is late to get something, but in what comes then. */
static void reduce_late_root(void) {
    delay();
    MPI_Reduce(there, here, COUNT, MPI_INT, MPI_SUM, late_rank, MPI_COMM_WORLD);
    ready = now();
}

static void gather_late_root(void) {
    delay();
    MPI_Gather(there, COUNT, MPI_INT, here, COUNT, MPI_INT, late_rank, MPI_COMM_WORLD);
    ready = now();
}

static void scan(void) {
    delay();
    MPI_Scan(there, here, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan(void) {
    delay();
    MPI_Exscan(there, here, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void scatter(void) {
    delay();
    MPI_Scatter(there, COUNT, MPI_INT, here, COUNT, MPI_INT, late_rank, MPI_COMM_WORLD);
}

static void fence(void) {
    MPI_Win window;
    MPI_Win_create(there, sizeof there, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    delay();
    MPI_Put(&rank, 1, MPI_INT, next(), 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void split(void) {
    MPI_Comm made;
    delay();
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &made);
    MPI_Comm_free(&made);
}

static void comm_dup(void) {
    MPI_Comm made;
    delay();
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void cart(void) {
    const int size = RANKS, is_periodic = 1;
    MPI_Comm made;
    delay();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &made);
    MPI_Comm_free(&made);
}

static void win_create(void) {
    MPI_Win window;
    delay();
    MPI_Win_create(there, sizeof there, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
}

static void file_open(void) {
    MPI_File file;
    delay();
    MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

static void dup_with_info(void) {
    MPI_Comm made;
    delay();
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made);
    MPI_Comm_free(&made);
}

/* A communicator of all but one rank, in the opposite order: it is known what MPI makes, so the barrier in it is complete. */
static void split_type(void) {
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == (late_rank + 3) % RANKS ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED,
                        -rank, MPI_INFO_NULL, &node);
    if (node == MPI_COMM_NULL)
        return;
    delay();
    MPI_Barrier(node);
    MPI_Comm_free(&node);
}

/* All but one rank make a communicator, in the opposite order; the other one makes no call. */
static MPI_Comm without_one(void) {
    const int one = (late_rank + 3) % RANKS;
    int ranks[RANKS - 1];
    MPI_Group world, group;
    MPI_Comm made = MPI_COMM_NULL;
    for (int i = 0, count = 0; i < RANKS; i++)
        if (RANKS - 1 - i != one)
            ranks[count++] = RANKS - 1 - i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, RANKS - 1, ranks, &group);
    if (rank != one)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &made);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return made;
}

static void create_group(void) {
    MPI_Comm made;
    if (rank != (late_rank + 3) % RANKS)
        delay();
    made = without_one();
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
}

/* The second one of the same ranks is another communicator. */
static void group_barrier(void) {
    MPI_Comm first = without_one(), made = without_one();
    if (made == MPI_COMM_NULL)
        return;
    delay();
    MPI_Barrier(made);
    MPI_Comm_free(&first);
    MPI_Comm_free(&made);
}

/* Ranks in the order in which they are, each with an edge to the next one. */
static void graph(void) {
    MPI_Comm made;
    const int here_is = rank, degree = 1, to = next();
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &here_is, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    MPI_Neighbor_allgather(there, COUNT, MPI_INT, here, COUNT, MPI_INT, made);
    delay();
    MPI_Bcast(there, COUNT, MPI_INT, late_rank, made);
    MPI_Comm_free(&made);
}

/* All write to one file, each in turn: what two-phase I/O is made for. */
static void write_all(void) {
    MPI_File file;
    MPI_Datatype type;
    MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_Type_vector(COUNT, 1, RANKS, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, type, "native", MPI_INFO_NULL);
    delay();
    MPI_File_write_all(file, there, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

/* ---- Without blocking ---- */

static void wait_for_request(void) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ibarrier(void) {
    delay();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_for_request();
}

static void ibcast(void) {
    delay();
    MPI_Ibcast(there, COUNT, MPI_INT, late_rank, MPI_COMM_WORLD, &request);
    wait_for_request();
}

static void ireduce(void) {
    delay();
    MPI_Ireduce(there, here, COUNT, MPI_INT, MPI_SUM, root(), MPI_COMM_WORLD, &request);
    wait_for_request();
}

static void iallreduce(void) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    delay();
    MPI_Iallreduce(there, here, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void ialltoallv(void) {
    int counts[RANKS], starts[RANKS];
    for (int i = 0; i < RANKS; i++) {
        counts[i] = COUNT;
        starts[i] = i * COUNT;
    }
    delay();
    MPI_Ialltoallv(there, counts, starts, MPI_INT, here, counts, starts, MPI_INT, MPI_COMM_WORLD, &request);
    wait_for_request();
}

static void igatherv(void) {
    const int *starts, *counts = zero_counts(&starts);
    delay();
    delay_more((late_rank + 2) % RANKS);
    MPI_Igatherv(there, counts[rank], MPI_INT, here, counts, starts, MPI_INT, root(), MPI_COMM_WORLD, &request);
    wait_for_request();
    sleep_until_all_are_there();
}

static void iscatter(void) {
    delay();
    MPI_Iscatter(there, COUNT, MPI_INT, here, COUNT, MPI_INT, late_rank, MPI_COMM_WORLD, &request);
    wait_for_request();
}

static void iallgather(void) {
    delay();
    MPI_Iallgather(there, COUNT, MPI_INT, here, COUNT, MPI_INT, MPI_COMM_WORLD, &request);
    wait_for_request();
}

static void iwrite_all(void) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    delay();
    MPI_File_iwrite_at_all(file, rank * (MPI_Offset)sizeof there, there, COUNT, MPI_INT, &request);
    wait_for_request();
    MPI_File_close(&file);
}

/* ---- One-sided, without a fence ---- */

/* The rank before the late one puts into its memory, once the late one has posted the window. */
static void post(void) {
    MPI_Win window;
    MPI_Group world, group;
    const int origin = (late_rank + RANKS - 1) % RANKS;
    MPI_Win_create(there, sizeof there, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, rank == late_rank ? &origin : &late_rank, &group);
    delay();
    if (rank == late_rank) {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    } else if (rank == origin) {
        MPI_Win_start(group, 0, window);
        MPI_Put(&rank, 1, MPI_INT, late_rank, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* The late rank is late with unlocking what the one before it asks for. */
static void lock(void) {
    MPI_Win window;
    MPI_Win_create(there, sizeof there, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == late_rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    delay();
    if (rank == late_rank || next() == late_rank) {
        if (rank != late_rank)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

static void reduce_scatter_block(void) {
    delay();
    MPI_Reduce_scatter_block(there, here, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* ---- Probes ---- */

static void probe(void) {
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (last() == late_rank) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A second message is received between the probe that has taken the first one and its receive. */
static void mprobe(void) {
    MPI_Message message;
    delay();
    if (rank == late_rank) {
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
        MPI_Send(there, COUNT / 2, MPI_INT, next(), 1, MPI_COMM_WORLD);
    }
    if (last() == late_rank) {
        MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(here, COUNT, MPI_INT, last(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mrecv(here, COUNT, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

static void imrecv(void) {
    MPI_Message message;
    delay();
    if (rank == late_rank)
        MPI_Send(there, COUNT, MPI_INT, next(), 1, MPI_COMM_WORLD);
    if (last() == late_rank) {
        MPI_Mprobe(last(), MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(here, COUNT, MPI_INT, &message, &request);
        wait_for_request();
    }
}

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"send", send},
    {"isend", isend},
    {"persistent", persistent},
    {"waitany", waitany},
    {"waitsome", waitsome},
    {"sendrecv", sendrecv},
    {"same_order", same_order},
    {"other_order", other_order},
    {"ssend", ssend},
    {"chain", chain},
    {"barrier", barrier},
    {"allreduce", allreduce},
    {"alltoall", alltoall},
    {"bcast", bcast},
    {"reduce", reduce},
    {"gather", gather},
    {"gatherv", gatherv},
    {"scatterv", scatterv},
    {"reduce_late_root", reduce_late_root},
    {"gather_late_root", gather_late_root},
    {"comm_dup", comm_dup},
    {"cart", cart},
    {"win_create", win_create},
    {"file_open", file_open},
    {"iscatter", iscatter},
    {"iallgather", iallgather},
    {"scan", scan},
    {"exscan", exscan},
    {"scatter", scatter},
    {"fence", fence},
    {"split", split},
    {"dup", dup_with_info},
    {"write_all", write_all},
    {"split_type", split_type},
    {"create_group", create_group},
    {"group_barrier", group_barrier},
    {"graph", graph},
    {"ibarrier", ibarrier},
    {"ibcast", ibcast},
    {"ireduce", ireduce},
    {"iallreduce", iallreduce},
    {"ialltoallv", ialltoallv},
    {"igatherv", igatherv},
    {"iwrite_all", iwrite_all},
    {"post", post},
    {"lock", lock},
    {"reduce_scatter_block", reduce_scatter_block},
    {"probe", probe},
    {"mprobe", mprobe},
    {"imrecv", imrecv},
    {"finalize", delay},
};

/* Not followed by a barrier, in which others would wait for the late rank. */
static int is_last(const char *name) {
    static const char *const names[] = {"finalize", "split_type", "create_group", "group_barrier"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    late_rank = argc > 3 ? atoi(argv[2]) : 0;
    milliseconds = argc > 3 ? atol(argv[3]) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    for (size_t i = 0; argc > 3 && i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(scenarios[i].name, argv[1]) == 0)
            scenarios[i].run();
    if (argc > 3 && !is_last(argv[1]))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("%d %lld\n", rank, ready);
    return 0;
}
