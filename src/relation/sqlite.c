/* sqlite.c: finds the functions of SQLite.
 *
 * SQLite gives an extension all its functions in a structure, and everything here calls them by that. Without an extension, an extension of our own asks
 * for it: one that is started for a database that is opened just for that. So the library is loaded when SQL is asked for: binding
 * it at each start would take a third of the time of a small command. A build that is linked with SQLite (QUIPU_SQLITE_LINKED, for wheels, which bring
 * it) goes the same way. */
#include "relation/sqlite.h"

#include "core/error.h"

#include <pthread.h>

const sqlite3_api_routines *quipu__sqlite;

typedef int extension_fn(sqlite3 *db, char **message, const sqlite3_api_routines *routines);

/* What is called before the structure is there. */
struct entrances {
    int (*auto_extension)(void (*entry)(void));
    int (*cancel_auto_extension)(void (*entry)(void));
    int (*open)(const char *path, sqlite3 **db);
    int (*close)(sqlite3 *db);
};

static extension_fn set_functions;

static int set_functions(sqlite3 *db, char **message, const sqlite3_api_routines *routines) {
    (void)db;
    (void)message;
    quipu__sqlite = routines;
    return SQLITE_OK;
}

static enum quipu_status no_memory(struct quipu_error *err) {
    return quipu__fail(err, QUIPU_NO_MEMORY, "there is not enough memory for SQLite to start");
}

/* Finds the entrances. */
#ifdef QUIPU_SQLITE_LINKED
#undef sqlite3_auto_extension
#undef sqlite3_cancel_auto_extension
#undef sqlite3_open
#undef sqlite3_close

static enum quipu_status find(struct entrances *entrances, struct quipu_error *err) {
    (void)err;
    *entrances =
        (struct entrances){sqlite3_auto_extension, sqlite3_cancel_auto_extension, sqlite3_open, sqlite3_close};
    return QUIPU_OK;
}
#else
#include <dlfcn.h>
#include <errno.h>

static enum quipu_status find(struct entrances *entrances, struct quipu_error *err) {
    static const char *const names[] = {"sqlite3_auto_extension", "sqlite3_cancel_auto_extension",
                                        "sqlite3_open", "sqlite3_close"};
    void **const functions[] = {(void **)&entrances->auto_extension, (void **)&entrances->cancel_auto_extension,
                                (void **)&entrances->open, (void **)&entrances->close};
    errno = 0;
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    bool is_found = library != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && is_found; i++)
        is_found = (*functions[i] = dlsym(library, names[i])) != NULL;
    if (is_found)
        return QUIPU_OK;
    if (errno == ENOMEM)
        return no_memory(err);
    const char *reason = dlerror();
    quipu__fail(err, QUIPU_UNSUPPORTED, "there is no SQL without SQLite: %s",
                reason ? reason : "it cannot be loaded");
    quipu__advise(err, "install SQLite, on Debian libsqlite3-0");
    return QUIPU_UNSUPPORTED;
}
#endif

/* Where it fails, memory is out: the database has no file. */
static enum quipu_status load_functions(const struct entrances *entrances, struct quipu_error *err) {
    sqlite3 *db = NULL;
    if (entrances->auto_extension((void (*)(void))set_functions) == SQLITE_OK) {
        (void)entrances->open(":memory:", &db);
        (void)entrances->cancel_auto_extension((void (*)(void))set_functions);
    }
    (void)entrances->close(db);
    return quipu__sqlite ? QUIPU_OK : no_memory(err);
}

enum quipu_status quipu__sqlite_load(struct quipu_error *err) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct entrances entrances;
    enum quipu_status status = QUIPU_OK;
    pthread_mutex_lock(&lock);
    if (!quipu__sqlite) {
        status = find(&entrances, err);
        status = status == QUIPU_OK ? load_functions(&entrances, err) : status;
    }
    pthread_mutex_unlock(&lock);
    if (status != QUIPU_OK || quipu__sqlite_is_recent())
        return status;
    quipu__fail(err, QUIPU_UNSUPPORTED, "SQL needs SQLite 3.38, this is %s", sqlite3_libversion());
    return QUIPU_UNSUPPORTED;
}
