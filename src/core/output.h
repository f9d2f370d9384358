/* output.h: files that appear only when everything is written. A set holds all files of one trace: each has a
 * temporary name beside its final one; commit flushes, syncs and renames them in the order in which they were added,
 * discard removes them. The number of files open at a time is limited as for inputs. */
#ifndef QUIPU_CORE_OUTPUT_H
#define QUIPU_CORE_OUTPUT_H

#include "core/memory.h"

struct quipu__outputs;
struct quipu__file; /* one file of a set */

enum quipu_status quipu__outputs_new(struct quipu__memory *memory, bool replace, uint32_t file_limit,
                                     struct quipu__outputs **out, struct quipu_error *err);

/* Adds a file. compression 1 to 9 writes a zlib stream; 0 writes plain bytes. QUIPU_EXISTS when the final name
 * exists and the set does not replace. Owned by the set. */
enum quipu_status quipu__outputs_add(struct quipu__outputs *outputs, const char *path, int compression,
                                     struct quipu__file **out, struct quipu_error *err);

/* Appends bytes. Buffered; an error may be reported by a later call. */
enum quipu_status quipu__file_write(struct quipu__file *file, const void *data, size_t size,
                                    struct quipu_error *err);

/* Bytes appended so far. */
uint64_t quipu__file_size(const struct quipu__file *file);

/* Completes all files and frees the set. On failure nothing is left of any of them. */
enum quipu_status quipu__outputs_commit(struct quipu__outputs *outputs, struct quipu_error *err);

/* Removes all files and frees the set. NULL is accepted. */
void quipu__outputs_discard(struct quipu__outputs *outputs);

#endif
