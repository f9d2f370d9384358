/* input.h: reading files of any size through a window.
 *
 *     .....consumed|at ........ end|..... not read yet .....
 *
 * An input shows a window of bytes, [at, end). A decoder moves at forward; when it needs more than the window holds it asks
 * quipu__input_more, which moves the rest to the front of the buffer and reads on. Works for plain files, pipes and (by their first bytes)
 * gzip, zlib and zstd files. The number of files that are open at a time is limited by the files pool: an input that has not been used for
 * long closes its descriptor and opens the file again when needed.
 *
 * A file that ends before the size that it had when the pool first saw it has shrunk: data is lost, which is a finding, or a failure if
 * the pool has no findings. It is not mistaken for the end of the trace.
 *
 * What comes from a pipe, and what is compressed but must be read out of order, is copied into the pool's temporary file
 * first (core/files/spool.c): all inputs of a path share the copy.
 */
#ifndef QUIPU_CORE_FILES_INPUT_H
#define QUIPU_CORE_FILES_INPUT_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

#include <assert.h>

struct quipu__input;

struct quipu_findings;
struct quipu__lock;
struct quipu__spool;

/* Which files a trace may refer to. What the user has named is opened wherever it is; what files of the trace, or links in its folder,
 * refer to is opened only inside that folder, so a foreign trace cannot make us read other files. */
struct quipu__fence {
    const char *trace, *index; /* named by the user; index may be NULL */
    const char *folder_index;  /* the index beside the folder of the trace; may be NULL */
    const char *variant;       /* what the reader's options name, which may be a file; may be NULL */
    bool is_folder;            /* the trace is a folder */
};

/* Limits how many files are open; zlib streams count too. */
struct quipu__files {
    struct quipu__memory *memory;
    uint32_t limit;
    uint32_t open;
    struct quipu__input *newest, *oldest; /* open inputs by last use, except those being read */
    struct quipu__lock *lock;             /* while several threads read, else NULL */
    const struct quipu__fence *fence;     /* which files may be opened; NULL: all */
    struct quipu_findings
        *findings; /* receives findings about truncated compressed data and shrunk files; may be NULL */
    struct quipu__map size_of;  /* index into sizes, by the hash of the path */
    QUIPU__VEC(uint64_t) sizes; /* of the files when they were first opened */
    struct quipu__spool *spool; /* NULL before anything was copied */
    uint64_t temporary_limit;   /* of the copies, in bytes; 0: half of the free space */
};

void quipu__files_init(struct quipu__files *files, struct quipu__memory *memory, uint32_t limit);

/* Forgets sizes and removes the copies. All inputs must be closed. */
void quipu__files_release(struct quipu__files *files);

/* Zero bytes behind the end of a file, in the window: what reads words instead of bytes needs no other way for the last lines. */
#define QUIPU__INPUT_ZEROS 1024

struct quipu__input {
    const uint8_t *at, *end; /* the window */
    size_t zeros; /* QUIPU__INPUT_ZEROS after the last byte of a file; 0 before, and in memory of the caller */
    uint64_t end_offset; /* offset of end in the uncompressed data */
    bool ended;          /* nothing comes after end */
    bool damaged;        /* a compressed file is truncated or damaged: what could be read is there */
    uint64_t size;       /* of the file on disk, or of its copy; QUIPU_UNKNOWN for a pipe being peeked at */
    struct quipu__input_state *state;
};

enum quipu__codec {
    QUIPU__CODEC_DETECT, /* by the first bytes: plain, or decompressed as it is read */
    QUIPU__CODEC_PEEK,   /* the same for a look at the beginning: no more is read from a pipe */
    QUIPU__CODEC_SEEK,   /* the same, and seekable: a compressed file is copied when it is opened */
    QUIPU__CODEC_ZLIB,   /* zlib data whatever the first bytes are; also unterminated, several streams, gzip */
    QUIPU__CODEC_NONE,   /* the bytes of the file */
};

/* Opens path ("-" is standard input), or the compressed file that stands for it (core/files/stored.h). window is the size of the buffer, which is
 * smaller for a smaller file and grows when more asks for more, up to 64 MiB. The path is copied. Nothing has been read from the file yet; QUIPU_LIMIT when there is
 * no room for a copy. */
enum quipu_status quipu__input_open(struct quipu__files *files, const char *path, enum quipu__codec codec,
                                    size_t window, struct quipu__input **out, struct quipu_error *err);

/* An input over memory that the caller keeps. */
enum quipu_status quipu__input_memory(struct quipu__files *files, const void *data, size_t size,
                                      struct quipu__input **out, struct quipu_error *err);

/* For an input on an uncompressed file (CODEC_NONE) from which nothing has been read: replaces its bytes from offset on, which lies in the
 * file or at its end. The data are copied. */
enum quipu_status quipu__input_splice(struct quipu__input *input, uint64_t offset, const void *data,
                                      size_t size, struct quipu_error *err);

void quipu__input_close(struct quipu__input *input);

/* Makes the window hold at least need bytes when that many are left, else all that are left, with ended set.
 * QUIPU_LIMIT when need is beyond 64 MiB; QUIPU_IO on a read error, QUIPU_NOT_FOUND when the file does not exist. */
enum quipu_status quipu__input_more(struct quipu__input *input, size_t need, struct quipu_error *err);

/* Makes the window hold twice as much when that much is left: for a record of unknown length that does not fit, so that examining it
 * repeatedly takes work in proportion to its length. QUIPU_LIMIT when 64 MiB are not enough. */
enum quipu_status quipu__input_widen(struct quipu__input *input, struct quipu_error *err);

/* Up to which place so many bytes can be read, those behind the end of the file being 0; at most the end of the window, and before it
 * when more must be read first. */
static inline const uint8_t *quipu__input_limit(const struct quipu__input *input, size_t bytes) {
    const size_t left = (size_t)(input->end - input->at);
    if (input->zeros >= bytes)
        return input->end;
    return left > bytes ? input->end - bytes : input->at;
}

/* Offset of at in the uncompressed data. */
static inline uint64_t quipu__input_offset(const struct quipu__input *input) {
    assert(input->at <= input->end && (uint64_t)(input->end - input->at) <= input->end_offset);
    return input->end_offset - (uint64_t)(input->end - input->at);
}

/* Bytes read from the disk so far. */
uint64_t quipu__input_consumed(const struct quipu__input *input);

/* Goes to an offset of the uncompressed data. Plain files, copies and memory only; QUIPU_UNSUPPORTED else, except for
 * offset 0. */
enum quipu_status quipu__input_seek(struct quipu__input *input, uint64_t offset, struct quipu_error *err);

/* For zlib and gzip files: goes to the first full flush point that ends after an offset of the file on disk and not after limit; decoding
 * from there needs nothing before it. QUIPU_END when there is none, or when the file has another coding; then call quipu__input_seek.
 * Offsets afterwards count from the flush point's own offset on disk: those of the uncompressed data are not known. */
enum quipu_status quipu__input_resume(struct quipu__input *input, uint64_t offset, uint64_t limit,
                                      struct quipu_error *err);

/* True when quipu__input_seek works for any offset. */
bool quipu__input_can_seek(const struct quipu__input *input);

#endif
