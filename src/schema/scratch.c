/* scratch.c: memory for the lists and strings of one record. The common case, room in the block, is inline in
 * schema.h; this file grows the block. A full block stays alive until the next record, since the record's members
 * point into it. */
#include "schema/schema.h"

#define SCRATCH_LEAST ((size_t)8 << 10) /* many passes are open together, and few records need more */

struct quipu__scratch_block {
    struct quipu__scratch_block *older;
    uint8_t *data;
    size_t capacity;
};

void quipu__scratch_reset_slow(struct quipu__scratch *scratch) {
    while (scratch->full) {
        struct quipu__scratch_block *block = scratch->full;
        scratch->full = block->older;
        quipu__release(scratch->memory, block->data, block->capacity);
        quipu__release(scratch->memory, block, sizeof *block);
    }
}

void quipu__scratch_release(struct quipu__scratch *scratch) {
    quipu__scratch_reset_slow(scratch);
    quipu__release(scratch->memory, scratch->data, scratch->capacity);
    scratch->data = NULL;
    scratch->used = scratch->capacity = 0;
}

static bool retire(struct quipu__scratch *scratch) {
    if (!scratch->data)
        return true;
    struct quipu__scratch_block *block = quipu__alloc(scratch->memory, sizeof *block);
    if (!block)
        return false;
    *block = (struct quipu__scratch_block){scratch->full, scratch->data, scratch->capacity};
    scratch->full = block;
    scratch->data = NULL;
    scratch->used = scratch->capacity = 0;
    return true;
}

void *quipu__scratch_sized_slow(struct quipu__scratch *scratch, uint32_t count, size_t size) {
    if (size == 0 || count > (SIZE_MAX / 8) / size)
        return NULL;
    const size_t bytes = sizeof(struct quipu_sized) + (size_t)count * size + 16;
    const size_t wanted = bytes > scratch->capacity * 2 ? bytes : scratch->capacity * 2;
    const size_t capacity = wanted < SCRATCH_LEAST ? SCRATCH_LEAST : wanted;
    if (!retire(scratch))
        return NULL;
    scratch->data = quipu__alloc(scratch->memory, capacity);
    if (!scratch->data)
        return NULL;
    scratch->capacity = capacity;
    scratch->used = 0;
    return quipu__scratch_sized(scratch, count, size);
}

char *quipu__scratch_text(struct quipu__scratch *scratch, const char *text, size_t len) {
    char *copy = len < UINT32_MAX ? quipu__scratch_sized(scratch, (uint32_t)len, 1) : NULL;
    if (copy && len)
        memcpy(copy, text, len);
    return copy;
}
