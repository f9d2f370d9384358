/* spool.h: copies of what can be read only once, or only from its beginning: a pipe, and files that gzip or zstd has compressed.
 *
 *     |.. copy of a.bin.gz ..|.... copy of b.bin.gz ....|.. copy that is being made
 *
 * All copies of a pool of files lie in one temporary file without a name, so that they vanish with the process and take one
 * descriptor however many there are. It lies in the folder that TMPDIR names, else in /var/tmp or /tmp, and takes half of the
 * space that is free there when it is made, or as much as its owner says. Whatever hinders writing it is QUIPU_LIMIT: the trace
 * may be whole. */
#ifndef QUIPU_CORE_FILES_SPOOL_H
#define QUIPU_CORE_FILES_SPOOL_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

struct quipu__lock;

struct quipu__copy {
    const char *path; /* of the original */
    bool is_decoded;  /* what the original decompresses to, not its own bytes */
    bool is_complete;
    bool is_damaged; /* the compressed data breaks off */
    uint64_t offset, size;
    uint32_t older; /* of the same hash, or QUIPU_NONE */
};

struct quipu__spool {
    struct quipu__memory *memory;
    struct quipu__arena arena;
    struct quipu__map map; /* hash of the path -> its newest copy */
    QUIPU__VEC(struct quipu__copy) copies;
    struct quipu__lock *lock; /* whoever looks for a copy or makes one holds it */
    int fd;                   /* -1 before the first byte */
    uint64_t limit;           /* of all copies together */
    const char *folder;
};

/* limit 0: half of the free space. NULL when memory is out. */
struct quipu__spool *quipu__spool_new(struct quipu__memory *memory, uint64_t limit);
void quipu__spool_free(struct quipu__spool *spool);

/* A copy that was begun, or QUIPU_NONE. */
uint32_t quipu__spool_find(const struct quipu__spool *spool, const char *path, bool is_decoded);

/* Begins a copy; the one before must be complete. QUIPU_NONE when memory is out. */
uint32_t quipu__spool_begin(struct quipu__spool *spool, const char *path, bool is_decoded);

/* Adds to the last copy. */
enum quipu_status quipu__spool_add(struct quipu__spool *spool, const void *data, size_t size,
                                   struct quipu_error *err);

/* Reads what has been added to a copy, from an offset in it on: bytes, 0 at its end, -1 with errno. Needs no lock. */
int64_t quipu__spool_read(const struct quipu__spool *spool, const struct quipu__copy *copy, uint64_t offset,
                          void *data, size_t size);

#endif
