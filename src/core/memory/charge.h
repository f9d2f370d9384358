/* charge.h: memory that a library takes from the system by itself, counted at a gate all the same.
 *
 * Some libraries have one allocator for the whole process, which is not ours to set. What they hold for us is counted by blocks of the
 * gate that are never touched, so that they cost addresses and hardly any memory: a ceiling or budget refuses them as it would refuse the
 * memory itself. They are small, since large ones of a budget may lie in a file (core/memory/budget.c), and what a library holds does not.
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
    size_t bytes; /* that are charged */
    size_t room;  /* of the blocks, for more */
};

/* False when the gate refuses so many more. */
QUIPU_CHECKED bool quipu__charge_add(struct quipu__charge *charge, size_t bytes);

/* The library has freed so many; the blocks stay for what is charged next. */
void quipu__charge_give(struct quipu__charge *charge, size_t bytes);

void quipu__charge_release(struct quipu__charge *charge);

#endif
