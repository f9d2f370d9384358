/* output_set.h: the inside of a set of outputs, for output.c, which writes the files, and commit.c, which gives them their
 * names. */
#ifndef QUIPU_CORE_OUTPUT_SET_H
#define QUIPU_CORE_OUTPUT_SET_H

#include "core/guard.h"
#include "core/output.h"

#include <zlib.h>

struct quipu__file {
    struct quipu__outputs *set;
    struct quipu__temporary temporary; /* path NULL for devices, pipes and standard output */
    const char *path;
    int fd;
    int close_failure; /* errno of closing it before its end, or 0 */
    struct quipu__file *used_after,
        *used_before; /* in the order of use, when it can be closed and opened again */
    bool created;     /* under its temporary name */
    uint8_t *buffer;
    size_t len, capacity;
    uint64_t size;
    int compression;
    z_stream zlib;
};

struct quipu__outputs {
    struct quipu__memory *memory;
    struct quipu__arena arena; /* names */
    bool replace, keeps_temporaries;
    uint64_t id; /* in the names of temporary files */
    struct quipu_guard *guard;
    struct quipu__temporaries temporaries;
    struct quipu__taken taken;    /* what it must not replace: inputs, and its own names */
    struct quipu__identity spare; /* except this one */
    uint32_t file_limit, open;
    struct quipu__file *newest, *oldest; /* by use, of those that can be closed */
    size_t buffered;                     /* bytes of all buffers */
    QUIPU__VEC(struct quipu__file *)
    files;                         /* the first names the others; it is open and locked once it is made */
    QUIPU__VEC(const char *) gone; /* files of the older trace that the new one has not */
    QUIPU__VEC(struct quipu__temporary *) folders; /* that go when they are empty, the outer ones first */
    const char
        *root; /* of a set that is a folder; NULL: all files are beside the first one, which names the others */
};

/* The name, in the root of a set that is a folder, that its hidden files are made from. Its first file has it, but only ever as a
 * temporary one, whose lock says that the writer lives. No file gets the name itself. */
#define QUIPU__FOLDER_NAME "trace"

#define QUIPU__TEMPORARY_SUFFIX ".part"

/* The path of a hidden file ".NAME.ID" with a suffix beside NAME. NULL when memory is out. */
const char *quipu__hidden_name(struct quipu__arena *arena, const char *path, uint64_t id, const char *suffix);

/* The error of a failed call of the system. */
enum quipu_status quipu__output_error(const char *path, struct quipu_error *err, const char *what);

/* Gives the files their names. They are complete and on the disk. */
enum quipu_status quipu__commit(struct quipu__outputs *outputs, struct quipu_error *err);

/* Deals with what killed writers have left of a trace or file, named by the file that names the others, or, of a set that is a
 * folder, anywhere in it: completes it when it was getting its names, else removes temporary files. Writers that are alive are left alone. */
enum quipu_status quipu__leftovers_complete(struct quipu__outputs *outputs, const char *path,
                                            struct quipu_error *err);

#endif
