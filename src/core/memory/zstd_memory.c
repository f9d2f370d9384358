/* zstd_memory.c: see zstd_memory.h. */
#include "core/memory/zstd_memory.h"

static void *allocate(void *memory, size_t size) {
    return quipu__alloc_sized(memory, size);
}

static void release(void *memory, void *block) {
    quipu__release_sized(memory, block);
}

ZSTD_DStream *quipu__zstd_decoder(struct quipu__memory *memory) {
    return ZSTD_createDStream_advanced((ZSTD_customMem){allocate, release, memory});
}

ZSTD_CCtx *quipu__zstd_encoder(struct quipu__memory *memory) {
    return ZSTD_createCCtx_advanced((ZSTD_customMem){allocate, release, memory});
}
