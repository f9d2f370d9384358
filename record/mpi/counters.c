/* counters.c: see counters.h. Values that PAPI has are facts of its documented interface: a version is a number whose upper half tells what
 * programs must agree on; calls give 0, or an error below 0. */
#include "record/mpi/counters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAPI_OK 0
#define PAPI_NULL (-1)
#define PAPI_LIB_VERSION 21 /* the option of PAPI_get_opt that asks for it */
#define VERSION_MASK 0xffff0000u
#define LINE_BYTES 400

/* The functions that are needed. */
#define FUNCTIONS                                                                                              \
    FUNCTION(get_opt, int, (int option, void *out))                                                            \
    FUNCTION(library_init, int, (int version))                                                                 \
    FUNCTION(thread_init, int, (unsigned long (*number)(void)))                                                \
    FUNCTION(event_name_to_code, int, (const char *name, int *code))                                           \
    FUNCTION(create_eventset, int, (int *set))                                                                 \
    FUNCTION(add_event, int, (int set, int code))                                                              \
    FUNCTION(start, int, (int set))                                                                            \
    FUNCTION(read, int, (int set, long long *values))                                                          \
    FUNCTION(stop, int, (int set, long long *values))                                                          \
    FUNCTION(cleanup_eventset, int, (int set))                                                                 \
    FUNCTION(destroy_eventset, int, (int *set))                                                                \
    FUNCTION(strerror, char *, (int error))

static struct {
#define FUNCTION(name, type, parameters) type(*name) parameters;
    FUNCTIONS
#undef FUNCTION
} papi;

struct event {
    char name[QUIPU__MPI_COUNTER_NAME];
    int code;
};

static struct {
    struct event events[QUIPU__MPI_COUNTERS_MOST]; /* that are asked for; later those that can be counted */
    uint32_t count;
    pid_t process; /* a child cannot use the parent's library */
    pthread_once_t once;
} own = {.once = PTHREAD_ONCE_INIT};

/* ---- What is asked for ---- */

static void add_name(const char *name, size_t length) {
    if (length == 0 || length >= QUIPU__MPI_COUNTER_NAME || own.count == QUIPU__MPI_COUNTERS_MOST)
        return;
    struct event *event = &own.events[own.count++];
    memcpy(event->name, name, length);
    event->name[length] = '\0';
}

void quipu__mpi_counters_add(const char *name) {
    add_name(name, strlen(name));
}

void quipu__mpi_counters_add_list(const char *names) {
    while (names && *names) {
        const size_t length = strcspn(names, ", ");
        add_name(names, length);
        names += length + strspn(names + length, ", ");
    }
}

size_t quipu__mpi_counters_names(char out[QUIPU__MPI_COUNTERS_MOST * QUIPU__MPI_COUNTER_NAME]) {
    size_t size = 0;
    for (uint32_t i = 0; i < own.count; i++) {
        const size_t bytes = strlen(own.events[i].name) + 1;
        memcpy(out + size, own.events[i].name, bytes);
        size += bytes;
    }
    return size;
}

/* ---- What is missing ---- */

/* The first process of a job speaks for all. */
static bool is_first_process(void) {
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

static void say(const char *what, const char *reason) {
    char line[LINE_BYTES];
    const int length = snprintf(line, sizeof line, "quipu: %s: %s; recording goes on without\n", what, reason);
    const ssize_t written = is_first_process() && length > 0 ? write(STDERR_FILENO, line, (size_t)length) : 0;
    (void)written;
}

/* ---- The library ---- */

static void *open_library(void) {
    static const char *const names[] = {"libpapi.so",   "libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2",
                                        "libpapi.so.7", "libpapi.so.6.0", "libpapi.so.5"};
    const char *given = getenv("QUIPU_RECORD_PAPI_LIBRARY");
    void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !given && !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool find_functions(void *library) {
    bool is_found = library != NULL;
#define FUNCTION(name, type, parameters)                                                                       \
    is_found = is_found && (papi.name = (type(*) parameters)dlsym(library, "PAPI_" #name));
    FUNCTIONS
#undef FUNCTION
    return is_found;
}

static unsigned long thread_number(void) {
    return (unsigned long)pthread_self();
}

static bool begin_library(void) {
    if (!find_functions(open_library())) {
        say("libpapi.so", "not found, or not one of PAPI");
        return false;
    }
    const int version = (int)((unsigned)papi.get_opt(PAPI_LIB_VERSION, NULL) & VERSION_MASK);
    if (papi.library_init(version) == version && papi.thread_init(thread_number) == PAPI_OK)
        return true;
    say("libpapi.so", "PAPI cannot be initialised");
    return false;
}

static void end_set(int *set) {
    papi.cleanup_eventset(*set);
    papi.destroy_eventset(set);
    *set = PAPI_NULL;
}

static int add_event(int set, struct event *event) {
    const int found = papi.event_name_to_code(event->name, &event->code);
    return found == PAPI_OK ? papi.add_event(set, event->code) : found;
}

/* Keeps the events that can be counted together. */
static void select_events(void) {
    uint32_t count = 0;
    int set = PAPI_NULL;
    const int created = papi.create_eventset(&set);
    for (uint32_t i = 0; i < own.count; i++) {
        struct event event = own.events[i];
        const int error = created == PAPI_OK ? add_event(set, &event) : created;
        if (error == PAPI_OK)
            own.events[count++] = event;
        else
            say(event.name, papi.strerror(error));
    }
    own.count = count;
    if (created == PAPI_OK)
        end_set(&set);
}

static void begin(void) {
    own.process = getpid();
    if (own.count > 0 && begin_library())
        select_events();
    else
        own.count = 0;
}

/* ---- Threads ---- */

static bool begin_set(int *set) {
    if (papi.create_eventset(set) != PAPI_OK)
        return false;
    int error = PAPI_OK;
    for (uint32_t i = 0; i < own.count && error == PAPI_OK; i++)
        error = papi.add_event(*set, own.events[i].code);
    if (error == PAPI_OK)
        error = papi.start(*set);
    if (error == PAPI_OK)
        return true;
    say("counters of a thread", papi.strerror(error));
    end_set(set);
    return false;
}

void quipu__mpi_counters_start(struct quipu__mpi_counters *counters) {
    *counters = (struct quipu__mpi_counters){.set = PAPI_NULL};
    pthread_once(&own.once, begin);
    if (own.count > 0 && own.process == getpid() && begin_set(&counters->set))
        counters->count = own.count;
}

void quipu__mpi_counters_stop(struct quipu__mpi_counters *counters) {
    long long values[QUIPU__MPI_COUNTERS_MOST];
    if (counters->count == 0 || own.process != getpid())
        return;
    papi.stop(counters->set, values);
    end_set(&counters->set);
    counters->count = 0;
}

void quipu__mpi_counters_read(const struct quipu__mpi_counters *counters, uint8_t *out) {
    long long values[QUIPU__MPI_COUNTERS_MOST];
    _Static_assert(sizeof *values == 8, "values are stored in 8 bytes");
    memset(values, 0, counters->count * sizeof *values);
    papi.read(counters->set, values);
    memcpy(out, values, counters->count * sizeof *values);
}
