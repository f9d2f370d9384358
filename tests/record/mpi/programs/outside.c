/* What may be asked before MPI_Init and after MPI_Finalize, a different number of times each; and once more when the process ends. */
#include "seen.h"

static void ask(FILE *file, int initialized, int finalized, int versions) {
    int is_initialized = -9, is_finalized = -9, version = -9, subversion = -9, len = -9;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    for (int i = 0; i < initialized; i++)
        MPI_Initialized(&is_initialized);
    for (int i = 0; i < finalized; i++)
        MPI_Finalized(&is_finalized);
    for (int i = 0; i < versions; i++)
        MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &len);
    if (file)
        fprintf(file, "%d %d %d.%d %d %s\n", is_initialized, is_finalized, version, subversion, len, text);
}

static void ask_last(void) {
    int is_finalized;
    MPI_Finalized(&is_finalized);
}

int main(int argc, char **argv) {
    atexit(ask_last);
    ask(NULL, 2, 3, 1);
    seen_init(&argc, &argv, "outside");
    ask(seen, 1, 1, 1);
    see("finalize %d\n", MPI_Finalize());
    ask(seen, 4, 5, 2);
    fclose(seen);
    return 0;
}
