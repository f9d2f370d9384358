/* sql_extension.c: libquipu-sqlite.so, an extension that any SQLite can load:
 *
 *     .load libquipu-sqlite
 *     CREATE VIRTUAL TABLE m USING quipu('run.trace', 'messages');
 *
 * It is the module of virtual tables and the functions of "quipu sql", which call the SQLite that loads them. */
#include "relation/sql.h"

static void release(void *pointer) {
    sqlite3_free(pointer);
}

QUIPU_API int sqlite3_extension_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *routines);

int sqlite3_extension_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *routines) {
    quipu__sqlite = routines;
    if (!quipu__sqlite_is_recent()) {
        *message = sqlite3_mprintf("quipu needs SQLite 3.38, this is %s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    struct quipu_sql *sql = sqlite3_malloc64(sizeof *sql);
    if (!sql)
        return SQLITE_NOMEM;
    *sql = (struct quipu_sql){.db = db, .err = QUIPU_ERROR_INIT};
    const int code = sqlite3_create_module_v2(db, "quipu", &quipu__sql_module, sql, release);
    return code == SQLITE_OK ? quipu__sql_functions_create(sql) : code;
}
