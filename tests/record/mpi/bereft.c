/* bereft.c: rank 1 has all its descriptors in use when a thread of its own calls MPI for the first time; then the ranks meet in 5 barriers. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/resource.h>

static void *send_to_oneself(void *unused) {
    int sent = 1, received;
    for (int i = 0; i < 50; i++)
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 7, &received, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv) {
    const struct rlimit few = {300, 300};
    int level, rank;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && setrlimit(RLIMIT_NOFILE, &few) == 0)
        while (open("/dev/null", O_RDONLY) >= 0)
            ;
    pthread_create(&thread, NULL, send_to_oneself, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
