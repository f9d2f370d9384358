/* sqlite.h: SQLite, whose functions are found when they are needed. */
#ifndef QUIPU_RELATION_SQLITE_H
#define QUIPU_RELATION_SQLITE_H

#include <quipu/quipu.h>

#define sqlite3_api quipu__sqlite /* where SQLite's header for extensions looks for the functions */
#include <sqlite3ext.h>

/* NULL until SQLite is loaded, or has loaded us as an extension; then the same for as long as the process lives. */
extern const sqlite3_api_routines *quipu__sqlite;

/* Loads SQLite, unless it is there; any thread may. QUIPU_UNSUPPORTED, with advice, when it is not installed or too old. */
enum quipu_status quipu__sqlite_load(struct quipu_error *err);

/* Whether SQLite has all that is called here. */
static inline bool quipu__sqlite_is_recent(void) {
    enum { OLDEST = 3038000 };
    return sqlite3_libversion_number() >= OLDEST;
}

#endif
