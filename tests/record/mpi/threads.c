/* threads.c: four threads of two processes exchange messages at the same time, each in a communicator of its own. */
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, MESSAGES = 50 };

struct task {
    MPI_Comm comm;
    int rank;
};

static void *exchange(void *argument) {
    const struct task *task = argument;
    int in = 0, out = 0;
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, 1 - task->rank, i, task->comm, &request);
        MPI_Send(&out, 1, MPI_INT, 1 - task->rank, i, task->comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct task tasks[THREADS];
    pthread_t threads[THREADS];
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < THREADS; i++) {
        tasks[i].rank = rank;
        MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, exchange, &tasks[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&tasks[i].comm);
    MPI_Finalize();
    return provided == MPI_THREAD_MULTIPLE ? 0 : 1;
}
