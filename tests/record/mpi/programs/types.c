/* Datatypes that are made and freed again and again, so that those of different sizes have the same handle: rank 0 sends one element of each to
 * rank 1, ROUNDS times 4, 8, 12 … 32 bytes, and nothing of an empty type. */
#include "seen.h"

#define ROUNDS 3

static void send_one(int count) {
    int data[8] = {0};
    MPI_Datatype type;
    CALL(MPI_Type_contiguous(count, MPI_INT, &type));
    CALL(MPI_Type_commit(&type));
    if (rank == 0)
        CALL(MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD));
    else
        CALL(MPI_Recv(data, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Type_free(&type));
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "types");
    for (int round = 0; round < ROUNDS && rank < 2; round++)
        for (int count = 0; count <= 8; count++)
            send_one(count);
    return seen_finalize(0);
}
