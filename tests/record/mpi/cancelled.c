/* cancelled.c: where threads end that are to be cancelled: for each call below a thread of its own with a cancellation that is due says
 * "done" or "cancelled". None of these calls is a point of cancellation, whether a recorder begins a stream in it, writes one out, or has
 * a record that no buffer holds. Ends with the number of open descriptors. */
#define _GNU_SOURCE
#include <dirent.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 5000, BLOCKS = 20000 };

static int lengths[BLOCKS], displacements[BLOCKS];

static void first_call(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void many_calls(void) {
    int rank, size;
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Wtime();
    }
}

/* Lists of 20,000 elements. */
static void large_call(void) {
    MPI_Datatype type;
    MPI_Type_indexed(BLOCKS, lengths, displacements, MPI_INT, &type);
    MPI_Type_free(&type);
}

static void objects(void) {
    MPI_Group group;
    MPI_Info info;
    MPI_Datatype type;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_free(&group);
    MPI_Info_create(&info);
    MPI_Info_free(&info);
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
    MPI_Get_address(&type, &(MPI_Aint){0});
}

static void *run_cancelled(void *number) {
    static void (*const calls[])(void) = {first_call, many_calls, large_call, objects};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    calls[(size_t)number]();
    return NULL;
}

static int descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = 1;
        displacements[i] = 2 * i;
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, run_cancelled, (void *)i);
        pthread_join(thread, &result);
        printf("%zu %s\n", i, result == PTHREAD_CANCELED ? "cancelled" : "done");
    }
    printf("descriptors %d\n", descriptors());
    MPI_Finalize();
    return 0;
}
