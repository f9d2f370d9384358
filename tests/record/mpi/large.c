/* large.c: more requests in one call than a buffer holds; a call that fails; one inside of another. */
#include <mpi.h>
#include <stdio.h>

enum { REQUESTS = 10000 };

static int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
    int rank;
    (void)keyval;
    (void)extra;
    MPI_Comm_rank(comm, &rank); /* a call inside of MPI_Comm_dup */
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    static MPI_Request requests[REQUESTS];
    static int in[REQUESTS];
    int rank, keyval, out = 1;
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < REQUESTS; i += 2) {
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
        requests[i + 1] = MPI_REQUEST_NULL;
        MPI_Send(&out, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    }
    MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &out);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int code = MPI_Send(&out, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    printf("%d\n", error_class == MPI_ERR_RANK);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
