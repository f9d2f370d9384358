/* real.c: looking up the functions and constants of the program's MPI. */
#include "record/mpi/real.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct quipu__mpi_real quipu__mpi_real;

static const struct quipu__mpi_library *const libraries[] = {
#ifdef QUIPU_HAVE_OPENMPI
    &quipu__mpi_openmpi,
#endif
#ifdef QUIPU_HAVE_MPICH
    &quipu__mpi_mpich,
#endif
    NULL};

/* Where symbols are looked up: behind this library, or in a library that the program has opened for itself. */
static void *scope = RTLD_NEXT;

/* Libraries of MPI for Fortran, which may be opened later than that for C, and by themselves. */
#define OPENED_MOST 8
static void *opened[OPENED_MOST];
static unsigned opened_count;

static void *symbol(const char *name) {
    void *found = dlsym(scope, name);
    if (!found && scope != RTLD_NEXT)
        found = dlsym(RTLD_NEXT, name);
    for (unsigned i = 0; i < opened_count && !found; i++)
        found = dlsym(opened[i], name);
    return found;
}

/* The linker may have moved a variable into the program itself. */
static void *variable(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : symbol(name);
}

static bool is_of_mpi(const struct dl_phdr_info *info) {
    const char *slash = strrchr(info->dlpi_name, '/');
    return strncmp(slash ? slash + 1 : info->dlpi_name, "libmpi", 6) == 0;
}

static int look_into(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    if (!is_of_mpi(info))
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return 0;
    if (dlsym(library, "PMPI_Init")) {
        *(void **)out = library;
        return 1;
    }
    dlclose(library);
    return 0;
}

struct namesake {
    const char *name;
    void *own, *found;
};

static int look_for_namesake(struct dl_phdr_info *info, size_t size, void *out) {
    struct namesake *wanted = out;
    void *library = is_of_mpi(info) ? NULL : dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    (void)size;
    if (!library)
        return 0;
    void *found = dlsym(library, wanted->name);
    wanted->found = found != wanted->own ? found : NULL;
    dlclose(library);
    return wanted->found != NULL;
}

quipu__mpi_function quipu__mpi_namesake(const char *name, quipu__mpi_function own) {
    struct namesake wanted = {.name = name};
    quipu__mpi_function function = NULL;
    memcpy(&wanted.own, &own, sizeof own);
    dl_iterate_phdr(look_for_namesake, &wanted);
    memcpy(&function, &wanted.found, sizeof function);
    return function;
}

static void find_scope(void) {
    void *library = NULL;
    if (dlsym(RTLD_NEXT, "PMPI_Init"))
        return;
    dl_iterate_phdr(look_into, &library);
    if (library)
        scope = library;
}

uint64_t quipu__mpi_value(const struct quipu__mpi_constant *constant) {
    return constant->symbol ? (uint64_t)(uintptr_t)variable(constant->symbol) : constant->value;
}

static quipu__mpi_function function_named(const char *prefix, const char *name, const char *suffix) {
    char text[96];
    snprintf(text, sizeof text, "%s%s%s", prefix, name, suffix);
    void *found = symbol(text);
    quipu__mpi_function function = NULL;
    memcpy(&function, &found, sizeof function);
    return function;
}

static const struct quipu__mpi_library *library_present(void) {
    for (size_t i = 0; libraries[i]; i++)
        if (symbol(libraries[i]->mark))
            return libraries[i];
    return NULL;
}

/* Names for profiling differ between the libraries. */
static quipu__mpi_function function_of(size_t family, const char *lower) {
    static const char *const suffixes[QUIPU__MPI_FAMILIES] = {[QUIPU__MPI_PLAIN] = "_",
                                                              [QUIPU__MPI_F08] = "_f08_",
                                                              [QUIPU__MPI_F08TS] = "_f08ts_",
                                                              [QUIPU__MPI_CPTR] = "_cptr_"};
    static const char *const prefixes[] = {"pmpi_", "pmpir_", "pmpix_"};
    quipu__mpi_function function = NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !function; i++)
        function = function_named(prefixes[i], lower, suffixes[family]);
    return function;
}

static bool has_family(size_t family) {
    static const char *const examples[QUIPU__MPI_FAMILIES] = {[QUIPU__MPI_PLAIN] = "init",
                                                              [QUIPU__MPI_F08] = "init",
                                                              [QUIPU__MPI_F08TS] = "send",
                                                              [QUIPU__MPI_CPTR] = "alloc_mem"};
    return function_of(family, examples[family]) != NULL;
}

static const struct {
    const char *name, *lower;
} functions[QUIPU__MPI_ROWS] = {
#define CALL(number, name, lower, upper, words, fortran_words, signature) {#name, #lower},
#define TIME_CALL(number, name, lower, upper) {#name, #lower},
#define ADDRESS_CALL(number, name, lower, upper) {#name, #lower},
#define LARGE_CALL(number, name, words, signature) {#name, ""},
#include "record/mpi/calls.def"
#undef CALL
#undef TIME_CALL
#undef ADDRESS_CALL
#undef LARGE_CALL
};

/* A tool that was loaded behind this one has the functions of MPI under their own names, as MPI itself has. Of a library that the program has
 * opened for itself those are looked up by the program (lookup.c). */
static quipu__mpi_function next_function(const char *name) {
    return scope == RTLD_NEXT ? function_named("MPI_", name, "") : NULL;
}

static void find_functions(void) {
    for (size_t i = 0; i < QUIPU__MPI_ROWS; i++) {
        quipu__mpi_real.c[i] = function_named("PMPI_", functions[i].name, "");
        if (!quipu__mpi_real.c[i])
            quipu__mpi_real.c[i] = function_named("PMPIX_", functions[i].name, "");
        const quipu__mpi_function next = next_function(functions[i].name);
        quipu__mpi_real.next[i] = next ? next : quipu__mpi_real.c[i];
    }
}

static void find_fortran_functions(void) {
    for (size_t family = 0; family < QUIPU__MPI_FAMILIES; family++)
        for (size_t i = 0; i < QUIPU__MPI_ROWS && has_family(family); i++)
            if (!quipu__mpi_real.fortran[family][i])
                quipu__mpi_real.fortran[family][i] = function_of(family, functions[i].lower);
}

/* Fortran's constants are variables under any of the usual names. */
static void find_sentinel(const char *name, const char *other, const char *pointer,
                          struct quipu__mpi_sentinel *out) {
    static const char *const suffixes[] = {"", "_", "__"};
    char text[64];
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(text, sizeof text, "%s%s", name, suffixes[i]);
        out->addresses[i] = (word)variable(text);
    }
    for (char *at = text; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    text[strlen(name)] = '\0';
    out->addresses[3] = (word)variable(text);
    out->addresses[4] = (word)variable(other);
    out->pointer = variable(pointer);
}

static void find_fortran(void) {
    static const char *const names[QUIPU__MPI_HANDLES] = {
        [QUIPU__MPI_COMM] = "Comm",       [QUIPU__MPI_DTYPE] = "Type",  [QUIPU__MPI_GROUP] = "Group",
        [QUIPU__MPI_OP] = "Op",           [QUIPU__MPI_REQ] = "Request", [QUIPU__MPI_INFO] = "Info",
        [QUIPU__MPI_FILE] = "File",       [QUIPU__MPI_WIN] = "Win",     [QUIPU__MPI_ERRH] = "Errhandler",
        [QUIPU__MPI_MESSAGE] = "Message", [QUIPU__MPI_SESSION] = NULL};
    for (size_t i = 0; i < QUIPU__MPI_HANDLES; i++) {
        const quipu__mpi_function function = names[i] ? function_named("PMPI_", names[i], "_f2c") : NULL;
        quipu__mpi_real.from_fortran[i] = (uint64_t(*)(int32_t))function;
    }
    struct quipu__mpi_real *real = &quipu__mpi_real;
    find_sentinel("mpi_fortran_status_ignore", "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPI_F_STATUS_IGNORE",
                  &real->status_ignore_fortran);
    find_sentinel("mpi_fortran_statuses_ignore", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", "MPI_F_STATUSES_IGNORE",
                  &real->statuses_ignore_fortran);
    find_sentinel("mpi_fortran_in_place", "MPIR_F08_MPI_IN_PLACE", "MPIR_F_MPI_IN_PLACE", &real->alias_fortran);
    find_sentinel("mpi_fortran_errcodes_ignore", "MPIR_F08_MPI_ERRCODES_IGNORE", "MPI_F_ERRCODES_IGNORE",
                  &real->errcodes_ignore_fortran);
}

static void find(void) {
    uint32_t row;
    if (!quipu__mpi_calls_init(&row))
        return;
    find_scope();
    struct quipu__mpi_real *real = &quipu__mpi_real;
    const struct quipu__mpi_library *library = library_present();
    find_functions();
    find_fortran_functions();
    if (!library)
        return;
    find_fortran();
    real->world = quipu__mpi_value(&library->world);
    real->bytes = quipu__mpi_value(&library->bytes);
    real->null_type = quipu__mpi_value(&library->null_type);
    real->null_comm = quipu__mpi_value(&library->null_comm);
    quipu__mpi_calls_set_pointers(library->pointer_handles);
    real->library = library;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void quipu__mpi_find(void) {
    static atomic_bool is_found;
    if (__builtin_expect(atomic_load_explicit(&is_found, memory_order_acquire), 1))
        return;
    pthread_mutex_lock(&mutex);
    if (!quipu__mpi_real.library)
        find();
    atomic_store(&is_found, quipu__mpi_real.library != NULL);
    pthread_mutex_unlock(&mutex);
}

/* Libraries that are known already are opened once more, which counts and does no harm. */
static int open_one(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    void *library = is_of_mpi(info) ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    bool is_known = !library || library == scope;
    for (unsigned i = 0; i < opened_count; i++)
        is_known |= library == opened[i];
    if (!is_known)
        opened[opened_count++] = library;
    return opened_count == OPENED_MOST;
}

quipu__mpi_function quipu__mpi_fortran(enum quipu__mpi_family family, enum quipu__mpi_row row) {
    struct quipu__mpi_real *real = &quipu__mpi_real;
    quipu__mpi_find();
    if (__builtin_expect(real->fortran[family][row] != NULL, 1))
        return real->fortran[family][row];
    pthread_mutex_lock(&mutex);
    if (real->library && !real->fortran[family][row] && opened_count < OPENED_MOST) {
        dl_iterate_phdr(open_one, NULL);
        real->is_fortran_opened = true;
        find_fortran();
        find_fortran_functions();
    }
    pthread_mutex_unlock(&mutex);
    return real->fortran[family][row];
}
