/* Receives from any source or with any tag whose statuses are ignored: rank 0 hears of all others, 4 · rank bytes, with all calls that complete a
 * receive; who was heard is in the data. At last messages that are too long, for which an error is returned. */
#include "seen.h"

#define VARIANTS 9
#define MOST 8

static int in[MOST][4];
static MPI_Request requests[MOST];

static void post(int variant) {
    for (int i = 0; i < size - 1; i++)
        MPI_Irecv(in[i], 4, MPI_INT, MPI_ANY_SOURCE, variant, MPI_COMM_WORLD, &requests[i]);
}

static void some(int is_test) {
    int count = 0, done = 0, indices[MOST];
    while (done < size - 1) {
        is_test ? MPI_Testsome(size - 1, requests, &count, indices, MPI_STATUSES_IGNORE)
                : MPI_Waitsome(size - 1, requests, &count, indices, MPI_STATUSES_IGNORE);
        done += count > 0 ? count : 0;
    }
}

static void one_by_one(int variant) {
    for (int i = 0, flag = 0, index = 0; i < size - 1; i++, flag = 0) {
        if (variant == 0)
            MPI_Recv(in[i], 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (variant == 1)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        while (variant == 2 && !flag)
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        if (variant == 3)
            MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
        while (variant == 4 && !flag)
            MPI_Testany(size - 1, requests, &index, &flag, MPI_STATUS_IGNORE);
    }
}

static void hear(int variant) {
    int flag = 0;
    if (variant > 0)
        post(variant);
    if (variant < 5)
        one_by_one(variant);
    if (variant == 5)
        MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
    while (variant == 6 && !flag)
        MPI_Testall(size - 1, requests, &flag, MPI_STATUSES_IGNORE);
    if (variant > 6)
        some(variant == 8);
    int heard = 0;
    for (int i = 0; i < size - 1; i++)
        heard += in[i][0];
    see("%d: %d\n", variant, heard);
}

static void complain(void) {
    int out[4] = {0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int variant = 0; variant < 3; variant++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(out, 4, MPI_INT, 0, variant, MPI_COMM_WORLD);
        if (rank > 0)
            continue;
        int error_class = -1, code = 0;
        if (variant == 0)
            code = MPI_Recv(in, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Irecv(in, 1, MPI_INT, 1, variant, MPI_COMM_WORLD, &requests[0]);
        if (variant == 1)
            code = MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        if (variant == 2)
            code = MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        MPI_Error_class(code, &error_class);
        see("%d: error %d\n", variant, error_class);
    }
}

int main(int argc, char **argv) {
    int out[4];
    seen_init(&argc, &argv, "wildcards");
    for (int i = 0; i < 4; i++)
        out[i] = rank;
    for (int variant = 0; variant < VARIANTS; variant++) {
        if (rank == 0)
            hear(variant);
        else
            MPI_Send(out, rank, MPI_INT, 0, variant, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    complain();
    return seen_finalize(0);
}
