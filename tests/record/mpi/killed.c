/* killed.c: processes exchange messages until they are killed, and each keeps count of its calls in a mapped file, progress.RANK, which
 * outlives it: how many it had started, and how many it had ended. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t (*progress)[2];

#define CALL(call) ((*progress)[0]++, (call), (*progress)[1]++)

static void keep_count(int rank) {
    char name[32];
    snprintf(name, sizeof name, "progress.%d", rank);
    const int file = open(name, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof *progress) != 0)
        _exit(1);
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    (*progress)[0] = (*progress)[1] = 2; /* MPI_Init and MPI_Comm_rank */
}

static void exchange(int rank, int size, long i) {
    double data[300] = {0}, received[300];
    const int count = (int)(i % 300), next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request requests[2];
    CALL(MPI_Irecv(received, 300, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &requests[0]));
    CALL(MPI_Isend(data, count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]));
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CALL(MPI_Sendrecv(data, 1, MPI_DOUBLE, previous, 2, received, 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    if (i % 16 == 0)
        CALL(MPI_Allreduce(data, received, 300, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    keep_count(rank);
    CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (long i = 0;; i++)
        exchange(rank, size, i);
}
