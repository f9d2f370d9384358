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

/* Where it fails, memory is out: the database has no file. */
static bool load_functions(const struct entrances *entrances) {
    sqlite3 *db = NULL;
    if (entrances->auto_extension((void (*)(void))set_functions) == SQLITE_OK) {
        (void)entrances->open(":memory:", &db);
        (void)entrances->cancel_auto_extension((void (*)(void))set_functions);
    }
    (void)entrances->close(db);
    return quipu__sqlite != NULL;
}

/* Finds the entrances; why they are not there, or NULL. */
#ifdef QUIPU_SQLITE_LINKED
#undef sqlite3_auto_extension
#undef sqlite3_cancel_auto_extension
#undef sqlite3_open
#undef sqlite3_close

static const char *find(struct entrances *entrances) {
    *entrances =
        (struct entrances){sqlite3_auto_extension, sqlite3_cancel_auto_extension, sqlite3_open, sqlite3_close};
    return NULL;
}
#else
#include <dlfcn.h>

static const char *find(struct entrances *entrances) {
    static const char *const names[] = {"sqlite3_auto_extension", "sqlite3_cancel_auto_extension",
                                        "sqlite3_open", "sqlite3_close"};
    void **const functions[] = {(void **)&entrances->auto_extension, (void **)&entrances->cancel_auto_extension,
                                (void **)&entrances->open, (void **)&entrances->close};
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    bool is_found = library != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && is_found; i++)
        is_found = (*functions[i] = dlsym(library, names[i])) != NULL;
    const char *reason = is_found ? NULL : dlerror();
    return is_found || reason ? reason : "it cannot be loaded";
}
#endif

enum quipu_status quipu__sqlite_load(struct quipu_error *err) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct entrances entrances;
    const char *reason = NULL;
    pthread_mutex_lock(&lock);
    const bool is_loaded = quipu__sqlite || ((reason = find(&entrances)) == NULL && load_functions(&entrances));
    pthread_mutex_unlock(&lock);
    if (reason) {
        quipu__fail(err, QUIPU_UNSUPPORTED, "there is no SQL without SQLite: %s", reason);
        quipu__advise(err, "install SQLite, on Debian libsqlite3-0");
        return QUIPU_UNSUPPORTED;
    }
    if (!is_loaded)
        return quipu__fail(err, QUIPU_NO_MEMORY, "there is not enough memory for SQLite to start");
    if (quipu__sqlite_is_recent())
        return QUIPU_OK;
    quipu__fail(err, QUIPU_UNSUPPORTED, "SQL needs SQLite 3.38, this is %s", sqlite3_libversion());
    return QUIPU_UNSUPPORTED;
}
