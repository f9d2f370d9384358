/* ovniver.c: where the loader looks for libraries, and the version of libovni that a program gets: that of the library which
 * the loader finds, and of the header that this was made with. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION "1.14.0"
#define COMMIT "unknown"

typedef void version_function(const char **version, const char **commit);

/* What the library says when it is there. */
static void ask_library(const char **version, const char **commit) {
    void *library = dlopen("libovni.so.1", RTLD_NOW);
    version_function *get = NULL;
    if (library)
        *(void **)&get = dlsym(library, "ovni_version_get");
    if (get)
        get(version, commit);
}

int main(void) {
    const char *path = getenv("LD_LIBRARY_PATH"), *version = VERSION, *commit = COMMIT;
    if (path)
        printf("LD_LIBRARY_PATH set to %s\n", path);
    else
        printf("LD_LIBRARY_PATH not set\n");
    ask_library(&version, &commit);
    printf("libovni: build v" VERSION " (" COMMIT "), dynamic v%s (%s)\n", version, commit);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
