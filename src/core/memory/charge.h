/* charge.h: counts memory at a gate that a library takes directly from the system.
 *
 * Some libraries have one allocator for the whole process, which is not ours to set. What they hold for us is counted by blocks of the
 * gate that are never touched, so they cost addresses and hardly any memory: a ceiling or budget refuses them as it would refuse the
 * memory itself. The blocks are small, since a budget may put large ones into a file (core/memory/budget.c), but not the library's memory.
 *
 *     struct quipu__charge charge = {.memory = memory};
 *     if (!quipu__charge_add(&charge, bytes)) …          the gate knows
 *     quipu__charge_release(&charge);
 */
#ifndef QUIPU_CORE_MEMORY_CHARGE_H
#define QUIPU_CORE_MEMORY_CHARGE_H

#include "core/memory/memory.h"

struct quipu__charge_block;

struct quipu__charge {
    struct quipu__memory *memory;
    struct quipu__charge_block *blocks;
    size_t bytes; /* charged */
    size_t room;  /* of the blocks, not yet charged */
};

/* False when the gate refuses them. */
QUIPU_CHECKED bool quipu__charge_add(struct quipu__charge *charge, size_t bytes);

/* Call it when the library has freed memory; the blocks stay for later charges. */
void quipu__charge_give(struct quipu__charge *charge, size_t bytes);

void quipu__charge_release(struct quipu__charge *charge);

#endif
