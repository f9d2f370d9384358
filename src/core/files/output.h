/* output.h: files that appear only when everything is written, as base.h promises ("How outputs appear"). A set holds all files
 * of one trace, or a single file. The first file that is added names the others: it appears last. commit completes, syncs
 * and names the files, discard removes them. The number of files open at a time is limited as for inputs. */
#ifndef QUIPU_CORE_FILES_OUTPUT_H
#define QUIPU_CORE_FILES_OUTPUT_H

#include "core/memory/memory.h"

struct quipu__outputs;
struct quipu__file; /* one file of a set */

/* guard may be NULL. */
enum quipu_status quipu__outputs_new(struct quipu__memory *memory, bool replace, uint32_t file_limit,
                                     struct quipu_guard *guard, struct quipu__outputs **out,
                                     struct quipu_error *err);

/* No file of the set may replace the file at path: adding one fails with QUIPU_MISUSE. */
enum quipu_status quipu__outputs_protect(struct quipu__outputs *outputs, const char *path,
                                         struct quipu_error *err);

/* The file at path may be replaced even though it is among the protected ones. */
void quipu__outputs_spare(struct quipu__outputs *outputs, const char *path);

/* The set is a folder: its files lie in it and below, and none of them names the others. Call it before the first file is added.
 * What killed writers have left in it is completed or removed. */
enum quipu_status quipu__outputs_begin_folder(struct quipu__outputs *outputs, const char *path,
                                              struct quipu_error *err);

/* Adds a file. compression 1 to 9 writes a zlib stream; 0 writes plain bytes. QUIPU_EXISTS when the final name exists and the set
 * does not replace; QUIPU_MISUSE when it is the name of a protected file or of another output. Owned by the set. */
enum quipu_status quipu__outputs_add(struct quipu__outputs *outputs, const char *path, int compression,
                                     struct quipu__file **out, struct quipu_error *err);

/* Makes a folder, and those above it, for files of the set; existing ones are used. Those that were made are removed again if
 * they are empty in the end. */
enum quipu_status quipu__outputs_make_folder(struct quipu__outputs *outputs, const char *path,
                                             struct quipu_error *err);

/* Whether quipu__outputs_add would succeed now. */
enum quipu_status quipu__outputs_check(const struct quipu__outputs *outputs, const char *path,
                                       struct quipu_error *err);

/* Removes, with the commit, a file of the older trace that the set replaces. Not when it is protected. */
enum quipu_status quipu__outputs_remove(struct quipu__outputs *outputs, const char *path,
                                        struct quipu_error *err);

/* Appends bytes. Buffered; an error may be reported by a later call. */
enum quipu_status quipu__file_write(struct quipu__file *file, const void *data, size_t size,
                                    struct quipu_error *err);

/* Overwrites bytes of a plain file from an offset on, which must have at least that many there. */
enum quipu_status quipu__file_overwrite(struct quipu__file *file, uint64_t offset, const void *data,
                                        size_t size, struct quipu_error *err);

/* Creates a plain file for a library that writes it by itself, and says where it lies until the commit; NULL for devices and pipes. */
enum quipu_status quipu__file_create(struct quipu__file *file, const char **temporary, struct quipu_error *err);

/* Bytes appended so far. */
uint64_t quipu__file_size(const struct quipu__file *file);

/* Completes all files, to which nothing is written afterwards: what may fail before they get their names. */
enum quipu_status quipu__outputs_complete(struct quipu__outputs *outputs, struct quipu_error *err);

/* Completes all files, names them and frees the set. On failure nothing is left of any of them, and older files are as they were. */
enum quipu_status quipu__outputs_commit(struct quipu__outputs *outputs, struct quipu_error *err);

/* Removes all files and frees the set. NULL is accepted. */
void quipu__outputs_discard(struct quipu__outputs *outputs);

/* For readers: QUIPU_CORRUPT when a process was killed while the files of a trace got their names, so that old and new files may
 * be mixed. path is that of the file that names the others, or of a trace that is a folder. */
enum quipu_status quipu__outputs_refuse_broken_off(const char *path, bool is_folder, struct quipu_error *err);

#endif
