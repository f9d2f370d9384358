/* basics.c: messages, collective operations, a communicator and a datatype, on four processes; ends with 3. */
#include <mpi.h>
#include <stdio.h>

static void messages(int rank, int size) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int out = rank, in = -1;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Isend(&out, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank % 2 == 0)
        MPI_Send(&out, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(&in, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Isend(&out, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv(&in, 1, MPI_INT, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], &status);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int collectives(int rank, int size) {
    int total = 0, all[4], counts[4] = {1, 1, 1, 1}, offsets[4] = {0, 1, 2, 3};
    MPI_Request request;
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(&rank, 1, MPI_INT, all, counts, offsets, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return total;
}

static void definitions(int rank) {
    double data[8] = {0};
    MPI_Comm half;
    MPI_Datatype every_other;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Bcast(data, 1, every_other, 0, half);
    MPI_Bcast(data, 1, MPI_INT32_T, 1, half);
    MPI_Type_free(&every_other);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    messages(rank, size);
    const int total = collectives(rank, size);
    definitions(rank);
    if (rank == 0)
        printf("total %d\n", total);
    MPI_Finalize();
    return 0; /* another code would make mpirun end the others in the middle of MPI_Finalize */
}
