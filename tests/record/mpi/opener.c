/* opener.c: a program without MPI that opens a library that has it, whose main it runs: opener LIBRARY ARGUMENT... */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*opened)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "opened_main") : NULL;
    if (!opened) {
        fprintf(stderr, "%s\n", dlerror());
        return 9;
    }
    return opened(argc - 1, argv + 1);
}
