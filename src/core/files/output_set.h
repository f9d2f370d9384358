/* output_set.h: the inside of a set of outputs and of a guard (base.h), for output.c, which writes the files, commit.c, which gives
 * them their names, and guard.c. */
#ifndef QUIPU_CORE_FILES_OUTPUT_SET_H
#define QUIPU_CORE_FILES_OUTPUT_SET_H

#include "core/memory/map.h"
#include "core/os.h"
#include "core/files/output.h"
#include "core/memory/vec.h"

#include <stdatomic.h>
#include <zlib.h>

/* ---- What must not be replaced, and what a signal removes ----
 *
 * The handler of a signal interrupts the thread that writes, so each change of these lists is one store, in an order that keeps them
 * consistent at any time. */

/* A temporary file, or a folder that was made for some, first in the list of its set. */
struct quipu__temporary {
    const char *path; /* NULL: none */
    bool is_folder;
    struct quipu__temporary *next;
};

/* The temporary files and folders of a set of outputs. */
struct quipu__temporaries {
    _Atomic(struct quipu__temporary *) first;
    struct quipu__temporaries *next;
};

struct quipu_guard {
    struct quipu__memory memory;
    struct quipu__map taken; /* what must not be replaced */
    _Atomic(struct quipu__temporaries *) sets;
    atomic_int completing; /* sets whose files are getting their names */
};

/* guard may be NULL in all of these. */
void quipu__guard_begin(struct quipu_guard *guard, struct quipu__temporaries *set);
void quipu__guard_end(struct quipu_guard *guard, const struct quipu__temporaries *set);
void quipu__guard_complete(struct quipu_guard *guard, bool is_begin);

/* Before the file is made; a folder after it. */
void quipu__temporaries_add(struct quipu__temporaries *set, struct quipu__temporary *temporary);

/* Adds the regular file at path, if there is one; adds a name that need not exist yet, or takes it out. False when memory is out. */
bool quipu__taken_add_file(struct quipu__map *taken, const char *path);
bool quipu__taken_set_name(struct quipu__map *taken, const char *path, bool is_taken);

/* Whether the file at path, or the name, is taken: "-" is standard output. */
bool quipu__taken_has_file(const struct quipu__map *taken, const char *path);
bool quipu__taken_has_name(const struct quipu__map *taken, const char *path);

/* ---- A set ---- */

struct quipu__file {
    struct quipu__outputs *set;
    struct quipu__temporary temporary; /* path NULL for devices, pipes and standard output */
    const char *path;
    int fd;
    int close_failure; /* errno of closing it before it was complete, or 0 */
    bool created;      /* exists under its temporary name */
    uint8_t *buffer;
    size_t len, capacity;
    uint64_t size;
    int compression;
    z_stream zlib;
};

struct quipu__outputs {
    struct quipu__memory *memory;
    struct quipu__arena arena; /* names */
    bool replace, keeps_temporaries, is_complete;
    uint64_t id; /* in the names of temporary files */
    struct quipu_guard *guard;
    struct quipu__temporaries temporaries;
    struct quipu__map taken;      /* what it must not replace: inputs, and its own names */
    struct quipu__identity spare; /* except this one */
    uint32_t file_limit, open;
    size_t to_close;   /* the next candidate when a file has to be closed */
    size_t buffered;   /* bytes of all buffers */
    size_t to_release; /* the next candidate when a file needs the buffer of another */
    QUIPU__VEC(struct quipu__file *)
    files;                         /* the first names the others; it is open and locked once it is made */
    QUIPU__VEC(const char *) gone; /* files of the older trace that the new one lacks */
    QUIPU__VEC(struct quipu__temporary *) folders; /* to remove when they are empty, the outer ones first */
    const char
        *root; /* of a set that is a folder; NULL: all files are beside the first one, which names the others */
};

/* The name, in the root of a set that is a folder, from which hidden names are made. The set's first file has only the temporary form of it,
 * and its lock says that the writer lives. No file gets the name itself. */
#define QUIPU__FOLDER_NAME "trace"

#define QUIPU__TEMPORARY_SUFFIX ".part"

/* The path of a hidden file ".NAME.ID" with a suffix beside NAME. NULL when memory is out. */
const char *quipu__hidden_name(struct quipu__arena *arena, const char *path, uint64_t id, const char *suffix);

/* The error of a failed call of the system. */
enum quipu_status quipu__output_error(const char *path, struct quipu_error *err, const char *what);

/* Gives the files their names. They are complete and on the disk. */
enum quipu_status quipu__commit(struct quipu__outputs *outputs, struct quipu_error *err);

/* Cleans up after killed writers of a trace or file, identified by the file that names the others, or anywhere in a set that is a folder:
 * completes a set that was getting its names, else removes temporary files. Living writers are left alone. */
enum quipu_status quipu__leftovers_complete(struct quipu__outputs *outputs, const char *path,
                                            struct quipu_error *err);

#endif
