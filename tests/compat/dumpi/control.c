/* control.c: what a program may tell libdumpi: settings, pauses, annotations; prints how many calls of MPI_Comm_rank and of all it
 * has counted. With an argument it ends by "exit", "abort" or "kill" instead. */
#include <dumpi/libdumpi/libdumpi.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static void receive_own(void) {
    MPI_Status status;
    int in, out = rank;
    MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &status);
}

static void settings(void) {
    receive_own();
    libdumpi_set_status_output(DUMPI_DISABLE);
    receive_own();
    libdumpi_set_status_output(DUMPI_SUCCESS);
    receive_own();
    libdumpi_disable_profiling();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    libdumpi_enable_profiling();
    libdumpi_set_profiling(DUMPI_Barrier, DUMPI_DISABLE);
    MPI_Barrier(MPI_COMM_WORLD);
    libdumpi_set_profiling(DUMPI_Barrier, DUMPI_ENABLE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void annotations(void) {
    MPI_Pcontrol(2, "phase %d of %s", 1, "two");
    MPI_Pcontrol(3, (uint64_t)7, "mark %s", "a");
    MPI_Pcontrol(3, (uint64_t)7, "mark %s", "b");
    MPI_Pcontrol(0);
    MPI_Pcontrol(2, "while nothing is recorded");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Pcontrol(9);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int flag;
    libdumpi_set_output("named");
    MPI_Initialized(&flag);
    MPI_Init(&argc, &argv);
    libdumpi_set_output("too-late");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "exit") == 0)
        exit(3);
    if (strcmp(mode, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
    settings();
    annotations();
    const uint32_t *counts = libdumpi_call_counts();
    printf("%u %u\n", (unsigned)counts[DUMPI_Comm_rank], (unsigned)counts[DUMPI_ALL_FUNCTIONS]);
    MPI_Finalize();
    return 0;
}
