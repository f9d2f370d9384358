/* zlib_memory.c: see zlib_memory.h. */
#include "core/memory/zlib_memory.h"

static voidpf allocate(voidpf memory, uInt count, uInt size) {
    return quipu__alloc_sized(memory, (size_t)count * size);
}

static void release(voidpf memory, voidpf block) {
    quipu__release_sized(memory, block);
}

void quipu__zlib_memory(z_stream *stream, struct quipu__memory *memory) {
    stream->zalloc = allocate;
    stream->zfree = release;
    stream->opaque = memory;
}
