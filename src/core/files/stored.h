/* stored.h: files stored under their own name, or under NAME.gz or NAME.zst after "gzip *" or "zstd --rm *".
 *
 * Formats know the names of their files; these functions find the files that stand for them. quipu__input_open does the same
 * with a path that does not exist. */
#ifndef QUIPU_CORE_FILES_STORED_H
#define QUIPU_CORE_FILES_STORED_H

#include "core/memory/memory.h"
#include "core/os.h"

/* Length of a name or path without the suffix of a compressor, if it has one. */
size_t quipu__stored_len(const char *path);

/* Systems do not open longer paths. */
#define QUIPU__STORED_PATH_BYTES 4112

/* What kind of file path is or, if it does not exist, the compressed file that stands for it, whose path is written to found.
 * Both out parameters may be NULL; size is that on disk. */
enum quipu__path_kind quipu__stored_find(const char *path, char found[QUIPU__STORED_PATH_BYTES],
                                         uint64_t *size);

/* As quipu__directory_visit, with the names that such files stand for, each once. */
enum quipu_status quipu__stored_visit(struct quipu__memory *memory, const char *path,
                                      enum quipu_status (*visit)(void *context, const char *name),
                                      void *context, struct quipu_error *err);

/* The path of that file: path itself, or one in arena. NULL when memory is out. */
const char *quipu__stored_path(struct quipu__arena *arena, const char *path);

#endif
