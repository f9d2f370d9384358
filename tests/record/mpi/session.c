/* session.c: MPI without MPI_Init: sessions, groups of them and communicators, whose processes send each other messages. */
#include <mpi.h>

static MPI_Comm communicator_of(MPI_Group group, const char *name) {
    MPI_Comm comm;
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    return comm;
}

/* 4 bytes times the number of the round to the next rank. */
static void pass_on(MPI_Comm comm, int round) {
    int rank, size, out[4] = {0}, in[4];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(out, round, MPI_INT, (rank + 1) % size, round, in, round, MPI_INT, (rank + size - 1) % size,
                 round, comm, MPI_STATUS_IGNORE);
}

int main(void) {
    MPI_Session session, other;
    MPI_Group group, first;
    int rank;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm comm = communicator_of(group, "quipu");
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    pass_on(comm, 1);
    MPI_Comm_free(&comm);
    MPI_Group_incl(group, 1, &(int){0}, &first);
    if (rank == 0) { /* may have the handle that is free again */
        MPI_Comm alone = communicator_of(first, "alone");
        MPI_Barrier(alone);
        MPI_Comm_free(&alone);
    }
    comm = communicator_of(group, "again");
    pass_on(comm, 2);
    MPI_Comm_free(&comm);
    MPI_Group_free(&first);
    MPI_Group_free(&group);
    MPI_Session_finalize(&other);
    MPI_Session_finalize(&session);
    return 0;
}
