/* zlib_memory.h: zlib takes its memory from a gate. */
#ifndef QUIPU_CORE_MEMORY_ZLIB_MEMORY_H
#define QUIPU_CORE_MEMORY_ZLIB_MEMORY_H

#include "core/memory/memory.h"

#include <zlib.h>

/* Before the stream is initialised. */
void quipu__zlib_memory(z_stream *stream, struct quipu__memory *memory);

#endif
