/* zstd_memory.h: zstd takes its memory from a gate. */
#ifndef QUIPU_CORE_MEMORY_ZSTD_MEMORY_H
#define QUIPU_CORE_MEMORY_ZSTD_MEMORY_H

#include "core/memory/memory.h"

#define ZSTD_STATIC_LINKING_ONLY /* for the allocator, unchanged since version 1.0 */
#include <zstd.h>
#include <zstd_errors.h>

/* NULL when memory is out. */
ZSTD_DStream *quipu__zstd_decoder(struct quipu__memory *memory);
ZSTD_CCtx *quipu__zstd_encoder(struct quipu__memory *memory);

#endif
