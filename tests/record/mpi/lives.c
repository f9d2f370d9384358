/* lives.c: programs that end, begin and branch in unusual ways; the first argument says which. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void exchange(void) {
    int in = 0;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void fork_child(void) {
    const pid_t child = fork();
    int flag = 0;
    if (child == 0) {
        MPI_Initialized(&flag);
        _exit(flag ? 0 : 1);
    }
    waitpid(child, NULL, 0);
}

static void run_program(void) {
    const pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

static void spawn(char *program) {
    char *arguments[] = {"child", "one two", NULL};
    int errors[2] = {-1, -1};
    MPI_Comm children;
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, errors);
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
}

static void be_child(void) {
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange();
    if (strcmp(mode, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(mode, "exit") == 0)
        exit(0);
    if (strcmp(mode, "_exit") == 0)
        _exit(0);
    if (strcmp(mode, "fork") == 0)
        fork_child();
    if (strcmp(mode, "run") == 0)
        run_program();
    if (strcmp(mode, "spawn") == 0)
        spawn(argv[0]);
    if (strcmp(mode, "child") == 0)
        be_child();
    if (strcmp(mode, "exec") == 0) {
        MPI_Finalize();
        execlp("true", "true", (char *)NULL);
    }
    exchange();
    MPI_Finalize();
    return 0;
}
