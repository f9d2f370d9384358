/* charge.c: see charge.h. */
#include "core/memory/charge.h"

#define BLOCK_LEAST ((size_t)4 << 10)
#define BLOCK_MOST ((size_t)48 << 10)

struct quipu__charge_block {
    struct quipu__charge_block *older;
    size_t size;
};

static bool add_block(struct quipu__charge *charge) {
    const size_t grown = charge->blocks ? charge->blocks->size * 2 : BLOCK_LEAST;
    const size_t size = grown < BLOCK_MOST ? grown : BLOCK_MOST;
    struct quipu__charge_block *block = quipu__alloc(charge->memory, size);
    if (!block)
        return false;
    *block = (struct quipu__charge_block){charge->blocks, size};
    charge->blocks = block;
    charge->room += size;
    return true;
}

bool quipu__charge_add(struct quipu__charge *charge, size_t bytes) {
    while (charge->room < bytes)
        if (!add_block(charge))
            return false;
    charge->room -= bytes;
    charge->bytes += bytes;
    return true;
}

void quipu__charge_give(struct quipu__charge *charge, size_t bytes) {
    charge->room += bytes;
    charge->bytes -= bytes;
}

void quipu__charge_release(struct quipu__charge *charge) {
    while (charge->blocks) {
        struct quipu__charge_block *block = charge->blocks;
        charge->blocks = block->older;
        quipu__release(charge->memory, block, block->size);
    }
    *charge = (struct quipu__charge){.memory = charge->memory};
}
