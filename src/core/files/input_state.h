/* input_state.h: the inside of an input, for the files that read from the disk (input.c), decode (input_coding.c), and
 * copy and show the window (input.c). */
#ifndef QUIPU_CORE_FILES_INPUT_STATE_H
#define QUIPU_CORE_FILES_INPUT_STATE_H

#include "core/memory/vec.h"
#include "core/memory/map.h"
#include "core/files/inflate.h"
#include "core/files/input.h"
#include "core/os.h"

#include <zstd.h>

/* ---- Copies ---- */

/* Copies of what can be read only once, or only from its beginning: a pipe, and files that gzip or zstd has compressed.
 *
 *     |.. copy of a.bin.gz ..|.... copy of b.bin.gz ....|.. copy that is being made
 *
 * All copies of a pool of files lie in one temporary file without a name, so that they vanish with the process and need one
 * descriptor however many there are. It lies in the folder that TMPDIR names, else in /var/tmp or /tmp, and may take half of
 * the space that is free there when it is made, or as much as its owner says. Any failure to write it is QUIPU_LIMIT: the trace
 * may be intact. */

struct quipu__lock;

struct quipu__copy {
    const char *path; /* of the original */
    bool is_decoded;  /* holds the decompressed contents, not the original's bytes */
    bool is_complete;
    bool is_damaged; /* the compressed data are truncated or damaged */
    uint64_t offset, size;
    uint32_t older; /* an older copy with the same hash, or QUIPU_NONE */
};

struct quipu__spool {
    struct quipu__memory *memory;
    struct quipu__arena arena;
    struct quipu__map map; /* hash of the path -> its newest copy */
    QUIPU__VEC(struct quipu__copy) copies;
    struct quipu__lock *lock; /* held while looking for a copy or making one */
    int fd;                   /* -1 before the first byte */
    uint64_t limit;           /* of all copies together */
    const char *folder;
};

/* limit 0: half of the free space. NULL when memory is out. */
struct quipu__spool *quipu__spool_new(struct quipu__memory *memory, uint64_t limit);
void quipu__spool_free(struct quipu__spool *spool);

/* An existing copy, even if incomplete, or QUIPU_NONE. */
uint32_t quipu__spool_find(const struct quipu__spool *spool, const char *path, bool is_decoded);

/* Begins a copy; the one before must be complete. QUIPU_NONE when memory is out. */
uint32_t quipu__spool_begin(struct quipu__spool *spool, const char *path, bool is_decoded);

/* Adds to the last copy. */
enum quipu_status quipu__spool_add(struct quipu__spool *spool, const void *data, size_t size,
                                   struct quipu_error *err);

/* Reads what has been added to a copy, from an offset in it on: bytes, 0 at its end, -1 with errno. Needs no lock. */
int64_t quipu__spool_read(const struct quipu__spool *spool, const struct quipu__copy *copy, uint64_t offset,
                          void *data, size_t size);

/* Bytes read from the disk at a time, of compressed files. */
#define QUIPU__COMPRESSED_BYTES ((size_t)64 << 10)

enum quipu__coding { QUIPU__CODING_PLAIN, QUIPU__CODING_DEFLATE, QUIPU__CODING_ZSTD };

struct quipu__input_state {
    struct quipu__files *files;
    struct quipu__input *newer, *older; /* in the pool, when the file is open */
    char *path;
    size_t path_len;
    int fd; /* -1 when not open */
    bool is_memory, is_copy, started;
    struct quipu__copy copy; /* is_copy: what is read instead of the file */
    enum quipu__codec wanted;
    enum quipu__coding coding;
    uint64_t file_offset; /* of the next byte to read from the disk */
    uint8_t *buffer;
    size_t buffer_size;
    uint8_t *tail; /* what follows the file's first tail_offset bytes; NULL: there is only the file */
    size_t tail_size;
    uint64_t tail_offset;
    /* compressed files */
    uint8_t *packed; /* bytes from the disk that are not decoded yet: packed[packed_at, packed_end) */
    size_t packed_at, packed_end;
    bool packed_ended;
    struct quipu__inflate inflate;
    uint64_t stream_start; /* offset on the disk */
    bool stream_over;
    bool stream_bare;  /* resumed inside a stream, whose checksum is then skipped */
    size_t check_sum;  /* bytes after a stream's last block */
    size_t left_of_it; /* how many of these remain to be skipped */
    ZSTD_DStream *zstd;
    bool zstd_is_unfinished; /* inside a frame */
};

static inline void quipu__files_lock(const struct quipu__files *files) {
    if (files->lock)
        quipu__lock_take(files->lock);
}

static inline void quipu__files_unlock(const struct quipu__files *files) {
    if (files->lock)
        quipu__lock_give(files->lock);
}

/* Where the next byte to decode comes from. */
static inline uint64_t quipu__packed_offset(const struct quipu__input_state *state) {
    return state->file_offset - (state->packed_end - state->packed_at);
}

/* ---- input.c: reading from the disk ---- */

/* Reads up to size bytes of the file, or of the copy that is read instead; *got is 0 at its end. */
enum quipu_status quipu__input_read_disk(struct quipu__input *input, void *data, size_t size, size_t *got,
                                         struct quipu_error *err);

/* Makes sure that packed holds something, unless the file has ended. */
enum quipu_status quipu__input_fill_packed(struct quipu__input *input, struct quipu_error *err);

/* Continues at an offset of the file on disk; restart also empties the window. */
enum quipu_status quipu__input_seek_packed(struct quipu__input *input, uint64_t offset,
                                           struct quipu_error *err);
enum quipu_status quipu__input_restart(struct quipu__input *input, uint64_t offset, struct quipu_error *err);

/* ---- input_coding.c ---- */

/* The coding that the first bytes of a file show. zlib's own header is no magic number (text may look the same), so zlib
 * files are only read as such when the caller asks for it. */
enum quipu__coding quipu__coding_of(const uint8_t *head, size_t size);

/* Looks at the first bytes and chooses the coding. */
enum quipu_status quipu__input_start(struct quipu__input *input, struct quipu_error *err);

/* Decodes into data and sets *got; 0 means the end. */
enum quipu_status quipu__input_decode(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                      struct quipu_error *err);

#endif
