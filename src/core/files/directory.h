/* directory.h: what a directory holds. */
#ifndef QUIPU_CORE_FILES_DIRECTORY_H
#define QUIPU_CORE_FILES_DIRECTORY_H

#include "core/memory/memory.h"

#include <quipu/base.h>

/* Calls visit with each name in a directory, in ascending order of bytes, without "." and "..". Stops and returns
 * its status when visit does not return QUIPU_OK. The names are held in memory meanwhile. */
enum quipu_status quipu__directory_visit(struct quipu__memory *memory, const char *path,
                                         enum quipu_status (*visit)(void *context, const char *name),
                                         void *context, struct quipu_error *err);

#endif
