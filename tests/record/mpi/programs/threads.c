/* MPI_THREAD_MULTIPLE: each thread has a communicator and messages of its own; what it sees goes to the file in its turn. */
#include "seen.h"

#include <pthread.h>

#ifndef THREADS
#define THREADS 3
#endif
#define ROUNDS 200

struct worker {
    MPI_Comm comm;
    int number, main_thread, level;
    long long checksum;
    MPI_Status last;
};

static void *work(void *data) {
    struct worker *worker = data;
    int value = 0, total = 0;
    MPI_Request requests[2];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Is_thread_main(&worker->main_thread);
    MPI_Query_thread(&worker->level);
    for (int round = 0; round < ROUNDS; round++) {
        const int mine = rank + round * worker->number;
        MPI_Irecv(&value, 1, MPI_INT, from, round, worker->comm, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, to, round, worker->comm, &requests[1]);
        MPI_Status statuses[2];
        MPI_Waitall(2, requests, statuses);
        worker->last = statuses[0];
        worker->checksum = worker->checksum * 31 + value;
        if (round % 50 == 0) {
            MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, worker->comm);
            worker->checksum += total;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct worker workers[THREADS] = {{0}};
    pthread_t threads[THREADS];
    int level = -9;
    const int code = MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    seen_begin("threads");
    see("%d level %d\n", code, level);
    const int count = level == MPI_THREAD_MULTIPLE ? THREADS : 0;
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
        workers[i].number = i + 1;
    }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, &workers[i]);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        see("%d %d %d %lld %d %d\n", i, workers[i].main_thread, workers[i].level, workers[i].checksum,
            workers[i].last.MPI_SOURCE, workers[i].last.MPI_TAG);
        MPI_Comm_free(&workers[i].comm);
    }
    return seen_finalize(0);
}
