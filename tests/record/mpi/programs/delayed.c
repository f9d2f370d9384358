/* Steps of computing and communication, in one of which one rank is late: delayed EXCHANGE STEPS RANK STEP REGION MILLISECONDS KIND. */
#include <mpi.h>
#include <quipu/region.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const regions[] = {"assemble", "solve"};
static int rank, size;

/* ---- Exchanges ---- */

static void ring(void) {
    int there = rank, here;
    MPI_Request request;
    MPI_Isend(&there, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(&here, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void neighbours(void) {
    int there[2] = {rank, rank}, here[2];
    MPI_Request requests[4];
    for (int side = 0; side < 2; side++) {
        const int peer = (rank + (side ? 1 : size - 1)) % size;
        MPI_Irecv(&here[side], 1, MPI_INT, peer, 1 - side, MPI_COMM_WORLD, &requests[side]);
        MPI_Isend(&there[side], 1, MPI_INT, peer, side, MPI_COMM_WORLD, &requests[2 + side]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void) {
    int mine = rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void (*const exchanges[])(void) = {ring, neighbours, barrier, allreduce};

/* ---- Time ---- */

static long milliseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Processor time, however many others want it. */
static void compute(long milliseconds) {
    const long end = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) + milliseconds;
    while (milliseconds_of(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

static void delay(const char *kind, long milliseconds) {
    const struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    if (strcmp(kind, "computes") == 0)
        compute(milliseconds);
    else
        nanosleep(&length, NULL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 8)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int step = 0; step < atoi(argv[2]); step++) {
        for (int region = 0; region < 2; region++) {
            quipu_region_begin(regions[region]);
            compute(1);
            if (rank == atoi(argv[3]) && step == atoi(argv[4]) && strcmp(regions[region], argv[5]) == 0)
                delay(argv[7], atol(argv[6]));
            quipu_region_end(regions[region]);
        }
        exchanges[atoi(argv[1])]();
    }
    MPI_Finalize();
    return 0;
}
