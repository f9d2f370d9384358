/* Ways to complete requests: any, some and all, waiting and testing, with and without statuses; cancelled, inactive, null and
 * generalized requests. */
#include "seen.h"

#define COUNT 6

static void see_requests(const MPI_Request *requests) {
    see("null:");
    for (int i = 0; i < COUNT; i++)
        see(" %d", requests[i] == MPI_REQUEST_NULL);
    see("\n");
}

/* Rank 1 has COUNT receives posted, of which those in arrived have come: a message from rank 0 behind them says so. */
static void post(MPI_Request *requests, int *values, const int *arrived, int count) {
    for (int i = 0; rank == 1 && i < COUNT; i++) {
        values[i] = -1;
        MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < count; i++) {
        const int value = 100 + arrived[i];
        MPI_Ssend(&value, 1, MPI_INT, 1, arrived[i], MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 1 && i < count; i++)
        for (int done = 0; !done;)
            MPI_Request_get_status(requests[arrived[i]], &done, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The rest is cancelled, so that each case begins alike. */
static void clean_up(MPI_Request *requests) {
    for (int i = 0; rank == 1 && i < COUNT; i++) {
        MPI_Status status;
        int cancelled = -1;
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        CALL(MPI_Cancel(&requests[i]));
        CALL(MPI_Wait(&requests[i], &status));
        CALL(MPI_Test_cancelled(&status, &cancelled));
        see("cancelled %d\n", cancelled);
    }
}

static void some(int with_statuses, int waits) {
    MPI_Request requests[COUNT];
    MPI_Status statuses[COUNT];
    int values[COUNT], indices[COUNT], count = -9;
    post(requests, values, (const int[]){4, 1, 3}, 3);
    if (rank != 1)
        return;
    untouched(statuses, sizeof statuses);
    untouched(indices, sizeof indices);
    MPI_Status *given = with_statuses ? statuses : MPI_STATUSES_IGNORE;
    if (waits)
        CALL(MPI_Waitsome(COUNT, requests, &count, indices, given));
    else
        CALL(MPI_Testsome(COUNT, requests, &count, indices, given));
    see("count %d\n", count);
    see_ints("indices", indices, COUNT);
    see_ints("values", values, COUNT);
    see_requests(requests);
    for (int i = 0; i < COUNT; i++)
        see_status("status", &statuses[i]);
    clean_up(requests);
}

static void any(int with_status, int waits) {
    MPI_Request requests[COUNT];
    MPI_Status status;
    int values[COUNT], index = -9, done = -9;
    post(requests, values, (const int[]){3}, 1);
    if (rank != 1)
        return;
    untouched(&status, sizeof status);
    MPI_Status *given = with_status ? &status : MPI_STATUS_IGNORE;
    if (waits)
        CALL(MPI_Waitany(COUNT, requests, &index, given));
    else
        CALL(MPI_Testany(COUNT, requests, &index, &done, given));
    see("index %d done %d\n", index, done);
    see_ints("values", values, COUNT);
    see_requests(requests);
    see_status("status", &status);
    untouched(&status, sizeof status);
    CALL(MPI_Testany(COUNT, requests, &index, &done, given)); /* nothing has come */
    see("index %d done %d\n", index, done);
    see_status("status", &status);
    clean_up(requests);
}

static void all(int with_statuses) {
    MPI_Request requests[COUNT];
    MPI_Status statuses[COUNT];
    int values[COUNT], done = -9;
    MPI_Status *given = with_statuses ? statuses : MPI_STATUSES_IGNORE;
    post(requests, values, (const int[]){0, 5}, 2);
    untouched(statuses, sizeof statuses);
    if (rank == 1) {
        CALL(MPI_Testall(COUNT, requests, &done, given));
        see("done %d\n", done);
        see_requests(requests);
        clean_up(requests);
    }
    post(requests, values, (const int[]){5, 0, 2, 1, 4, 3}, 6);
    if (rank != 1)
        return;
    untouched(statuses, sizeof statuses);
    if (with_statuses)
        CALL(MPI_Waitall(COUNT, requests, given));
    else
        CALL(MPI_Testall(COUNT, requests, &done, given));
    see("done %d\n", done);
    see_ints("values", values, COUNT);
    see_requests(requests);
    for (int i = 0; i < COUNT; i++)
        see_status("status", &statuses[i]);
}

static void one(int with_status) {
    MPI_Request requests[COUNT];
    MPI_Status status;
    int values[COUNT], done = -9;
    MPI_Status *given = with_status ? &status : MPI_STATUS_IGNORE;
    post(requests, values, (const int[]){2}, 1);
    if (rank != 1)
        return;
    untouched(&status, sizeof status);
    CALL(MPI_Test(&requests[1], &done, given));
    see("done %d\n", done);
    see_status("status", &status);
    CALL(MPI_Request_get_status(requests[2], &done, given));
    see("done %d\n", done);
    see_status("status", &status);
    CALL(MPI_Test(&requests[2], &done, given));
    see("done %d\n", done);
    see_status("status", &status);
    see_requests(requests);
    clean_up(requests);
}

/* No requests, null ones, inactive ones. */
static void nothing_to_do(void) {
    MPI_Request requests[COUNT];
    MPI_Status statuses[COUNT];
    int indices[COUNT], index = -9, count = -9, done = -9, value = 3;
    for (int i = 0; i < COUNT; i++)
        requests[i] = MPI_REQUEST_NULL;
    for (int round = 0; round < 2; round++) {
        untouched(statuses, sizeof statuses);
        untouched(indices, sizeof indices);
        CALL(MPI_Waitany(COUNT, requests, &index, statuses));
        CALL(MPI_Testany(COUNT, requests, &index, &done, statuses + 1));
        see("index %d is undefined %d done %d\n", index, index == MPI_UNDEFINED, done);
        CALL(MPI_Waitsome(COUNT, requests, &count, indices, statuses + 2));
        see("count %d\n", count);
        CALL(MPI_Testsome(COUNT, requests, &count, indices, statuses + 2));
        see("count %d\n", count);
        CALL(MPI_Testall(3, requests, &done, statuses + 2));
        see("done %d\n", done);
        CALL(MPI_Wait(&requests[0], statuses + 5));
        CALL(MPI_Test(&requests[0], &done, statuses + 5));
        see_ints("indices", indices, COUNT);
        for (int i = 0; i < COUNT; i++)
            see_status("status", &statuses[i]);
        see_requests(requests);
        if (round == 0)
            CALL(MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_SELF, &requests[0]));
    }
    CALL(MPI_Request_free(&requests[0]));
    CALL(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    CALL(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE));
    see("index %d\n", index);
}

static void cancelled(void) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int values[2] = {1, 2}, is_cancelled = -9;
    CALL(MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 71, MPI_COMM_SELF, &requests[0]));
    CALL(MPI_Recv_init(&values[1], 1, MPI_INT, 0, 72, MPI_COMM_SELF, &requests[1]));
    CALL(MPI_Start(&requests[1]));
    CALL(MPI_Cancel(&requests[0]));
    CALL(MPI_Cancel(&requests[1]));
    CALL(MPI_Waitall(2, requests, statuses));
    for (int i = 0; i < 2; i++) {
        CALL(MPI_Test_cancelled(&statuses[i], &is_cancelled));
        see("cancelled %d null %d\n", is_cancelled, requests[i] == MPI_REQUEST_NULL);
    }
    CALL(MPI_Request_free(&requests[1]));
}

static int query(void *state, MPI_Status *status) {
    see("query %d\n", *(int *)state);
    MPI_Status_set_elements(status, MPI_INT, 5);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int release(void *state) {
    see("release %d\n", *(int *)state);
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete) {
    see("cancel %d %d\n", *(int *)state, is_complete);
    return MPI_SUCCESS;
}

static void generalized(void) {
    MPI_Request request;
    MPI_Status status;
    int state = 17, done = -9, elements = -9;
    CALL(MPI_Grequest_start(query, release, cancel, &state, &request));
    CALL(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    CALL(MPI_Cancel(&request));
    CALL(MPI_Grequest_complete(request));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_Get_elements(&status, MPI_INT, &elements));
    see("done %d source %d tag %d elements %d null %d\n", done, status.MPI_SOURCE, status.MPI_TAG, elements,
        request == MPI_REQUEST_NULL);
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "completion");
    for (int with = 0; with < 2; with++) {
        for (int waits = 0; waits < 2; waits++) {
            some(with, waits);
            any(with, waits);
        }
        all(with);
        one(with);
    }
    nothing_to_do();
    cancelled();
    generalized();
    return seen_finalize(0);
}
