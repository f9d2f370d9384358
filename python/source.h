/* source.h: an Arrow stream that owns all that it reads: readers, the database of a query, tables. So a consumer may release it in any thread, without
 * Python, long after the objects of Python are gone. */
#ifndef QUIPU_PYTHON_SOURCE_H
#define QUIPU_PYTHON_SOURCE_H

#include <quipu/reader.h>
#include <quipu/relation.h>
#include <quipu/sql.h>

#include <stdatomic.h>
#include <time.h>

enum { SOURCE_DAMAGE_BYTES = 1024 };

struct source {
    atomic_int owners;
    struct quipu_reader *readers[QUIPU_SQL_TRACES];
    size_t reader_count;
    struct quipu_sql *sql;
    struct quipu_tables *tables;
    struct quipu_table *table;
    struct ArrowArrayStream inner; /* the library's */

    /* Whether Python waits for what is read, so that an interrupt may end it; and when that was last looked for. Where a library reads for Python, the
     * interrupt waits here until that has given up. */
    bool asks, is_borrowed;
    struct timespec asked;
    void *interrupt; /* a PyObject */

    struct quipu_error err; /* why the last rows could not be read; of status QUIPU_OK: they could */

    /* What was wrong with the traces, once the last rows have been read. */
    atomic_bool is_damaged;
    char damage[SOURCE_DAMAGE_BYTES];
};

/* NULL when memory is out. It has one owner, and frees itself when it has none. */
struct source *source_new(void);
void source_share(struct source *source);
void source_release(struct source *source);

/* Opens a trace and adds its reader, which asks for interrupts. */
enum quipu_status source_open(struct source *source, const char *path,
                              const struct quipu_reader_options *options, struct quipu_error *err);

/* A stream of the inner one's rows, which takes a share in the source. */
void source_stream(struct source *source, struct ArrowArrayStream *out);

/* Of progress: false when Python has an interrupt to raise. */
bool source_goes_on(void *source, uint64_t done, uint64_t total, uint64_t events);

#endif
