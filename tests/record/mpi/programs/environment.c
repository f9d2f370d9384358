/* What is asked about MPI itself, before, between and after; how rank 1, or the only one, ends is an argument: none, abort N, exit N,
 * _exit N, return N without MPI_Finalize, signal N; or fork. */
#include "seen.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void questions(void) {
    int version = -9, subversion = -9, len = -9, level = -9, is_main = -9, flag = -9;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    CALL(MPI_Get_version(&version, &subversion));
    CALL(MPI_Get_library_version(text, &len));
    see("%d.%d %d %s\n", version, subversion, len, text);
    CALL(MPI_Get_processor_name(text, &len));
    see("%d %s\n", len, text);
    CALL(MPI_Query_thread(&level));
    CALL(MPI_Is_thread_main(&is_main));
    see("%d %d\n", level, is_main);
    const double first = MPI_Wtime(), second = MPI_Wtime();
    see("%d %.3g\n", second >= first, MPI_Wtick());
    CALL(MPI_Initialized(&flag));
    see("%d\n", flag);
    CALL(MPI_Finalized(&flag));
    see("%d\n", flag);
    for (int level_of_control = 0; level_of_control < 2; level_of_control++)
        CALL(MPI_Pcontrol(level_of_control));
    void *memory = NULL;
    CALL(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
    see("%d\n", memory != NULL);
    CALL(MPI_Free_mem(memory));
}

static void family(void) {
    int status = -9;
    fflush(seen);
    const pid_t child = fork();
    if (child == 0)
        execlp("sh", "sh", "-c", "exit 6", (char *)NULL);
    const pid_t quiet = fork();
    if (quiet == 0)
        _exit(5);
    waitpid(child, &status, 0);
    see("child %d\n", WEXITSTATUS(status));
    waitpid(quiet, &status, 0);
    see("child %d\n", WEXITSTATUS(status));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int before = -9, after = -9;
    const int a = MPI_Initialized(&before), b = MPI_Finalized(&after);
    seen_init(&argc, &argv, "environment");
    see("%d %d %d %d\n", a, before, b, after);
    see("arguments %d\n", argc);
    questions();
    const char *mode = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 0;
    fflush(seen);
    MPI_Barrier(MPI_COMM_WORLD); /* all have written: the first that ends may take the others along */
    if (mode[0] && strcmp(mode, "fork") != 0 && size > 1 && rank != 1) /* until the launcher ends them */
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, number);
    if (strcmp(mode, "exit") == 0)
        exit(number);
    if (strcmp(mode, "_exit") == 0)
        _exit(number);
    if (strcmp(mode, "return") == 0)
        return number;
    if (strcmp(mode, "signal") == 0)
        raise(number);
    if (strcmp(mode, "fork") == 0)
        family();
    MPI_Finalize();
    MPI_Initialized(&before);
    MPI_Finalized(&after);
    see("%d %d\n", before, after);
    fclose(seen);
    return number;
}
