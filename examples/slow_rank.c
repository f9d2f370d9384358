/* slow_rank.c: an MPI program with something to find, for the demo. All ranks compute and then sum up a number, twenty times;
 * rank 1 computes three times as long as the others, which wait for it.
 *
 *     mpicc slow_rank.c -o slow_rank
 *     quipu record -- mpiexec -n 3 ./slow_rank
 *     quipu why slow_rank.quipu */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 20, SLOW_RANK = 1, WORK = 1000000 };

static double compute(int work) {
    double sum = 0;
    for (int i = 1; i <= work; i++)
        sum += 1.0 / i;
    return sum;
}

int main(int argc, char **argv) {
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        const double part = compute(rank == SLOW_RANK ? 3 * WORK : WORK);
        MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("the sum is %g\n", sum);
    MPI_Finalize();
    return 0;
}
