/* load.c: which MPI the program has, and the library for it. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choice {
    const char *library, *symbol; /* the symbol tells that the program has this MPI */
    const char *environment;      /* the variable, that its launcher has started it */
};

static const struct choice choices[] = {
    {"libpicl-openmpi.so", "ompi_mpi_comm_world", "OMPI_COMM_WORLD_SIZE"},
    {"libpicl-mpich.so", "MPIR_Err_create_code", "PMI_SIZE"},
};
enum { CHOICES = sizeof choices / sizeof *choices };

/* The libraries lie beside this one. */
static void *load(const struct choice *choice) {
    Dl_info own;
    char path[4096];
    const char *slash = dladdr(&picl_session, &own) ? strrchr(own.dli_fname, '/') : NULL;
    if (slash) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, choice->library);
        void *loaded = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (loaded)
            return loaded;
    }
    return dlopen(choice->library, RTLD_NOW | RTLD_GLOBAL);
}

static void *load_by(bool (*fits)(const struct choice *)) {
    for (size_t i = 0; i < CHOICES; i++) {
        void *loaded = fits(&choices[i]) ? load(&choices[i]) : NULL;
        if (loaded)
            return loaded;
    }
    return NULL;
}

static bool is_linked(const struct choice *choice) {
    return dlsym(RTLD_DEFAULT, choice->symbol) != NULL;
}

static bool has_started(const struct choice *choice) {
    return getenv(choice->environment) != NULL;
}

static bool is_any(const struct choice *choice) {
    (void)choice;
    return true;
}

const struct picl_transport *picl_load_transport(void) {
    bool (*const tests[])(const struct choice *) = {is_linked, has_started, is_any};
    void *loaded = NULL;
    for (size_t i = 0; i < sizeof tests / sizeof *tests && !loaded; i++)
        loaded = load_by(tests[i]);
    return loaded ? dlsym(loaded, "picl_transport") : NULL;
}
