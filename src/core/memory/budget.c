/* budget.c: one ceiling for several gates: an allocator that counts. Gates of different threads ask it at the same
 * time. */
#include "core/error.h"
#include "core/memory/memory.h"
#include "core/memory/spill.h"

#include <stdlib.h>

struct quipu_budget {
    struct quipu__memory memory; /* passes requests on; its own count is not looked at */
    size_t limit;
    atomic_size_t used, peak;
    struct quipu__spill *spill; /* NULL: what does not fit is refused */
};

enum quipu_status quipu_budget_new(size_t limit, const struct quipu_allocator *allocator,
                                   struct quipu_budget **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, allocator, SIZE_MAX);
    struct quipu_budget *budget = *out = quipu__alloc_zero(&memory, sizeof *budget);
    if (!budget)
        return quipu__no_memory(err, sizeof *budget);
    budget->memory = memory;
    budget->limit = limit ? limit : QUIPU_MEMORY_LIMIT;
    return QUIPU_OK;
}

void quipu_budget_free(struct quipu_budget *budget) {
    if (!budget)
        return;
    quipu__spill_free(budget->spill);
    struct quipu__memory last = budget->memory;
    quipu__release(&last, budget, sizeof *budget);
}

/* Takes so many bytes off what is left; false when there are not so many. */
static bool reserve(struct quipu_budget *budget, size_t size) {
    size_t used = atomic_load(&budget->used);
    do
        if (size > budget->limit - used)
            return false;
    while (!atomic_compare_exchange_weak(&budget->used, &used, used + size));
    size_t peak = atomic_load(&budget->peak);
    while (peak < used + size && !atomic_compare_exchange_weak(&budget->peak, &peak, used + size))
        continue;
    return true;
}

static void *resize_counted(void *context, void *block, size_t old_size, size_t size) {
    struct quipu_budget *budget = context;
    const size_t more = size > old_size ? size - old_size : 0, less = old_size > size ? old_size - size : 0;
    if (more > 0 && !reserve(budget, more))
        return NULL;
    void *resized = quipu__resize_block(&budget->memory, block, old_size, size);
    if (resized || size == 0)
        atomic_fetch_sub(&budget->used, less);
    else
        atomic_fetch_sub(&budget->used, more);
    return resized;
}

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct quipu_budget *budget = context;
    return budget->spill ? quipu__spill_resize(budget->spill, block, old_size, size)
                         : resize_counted(budget, block, old_size, size);
}

struct quipu_allocator quipu_budget_allocator(struct quipu_budget *budget) {
    return (struct quipu_allocator){resize, budget};
}

size_t quipu_budget_used(const struct quipu_budget *budget) {
    return atomic_load(&budget->used);
}

size_t quipu_budget_peak(const struct quipu_budget *budget) {
    return atomic_load(&budget->peak);
}

/* ---- Beyond the limit ---- */

enum quipu_status quipu_budget_spill(struct quipu_budget *budget, uint64_t limit, struct quipu_error *err) {
    const struct quipu_allocator counted = {resize_counted, budget};
    if (!budget->spill)
        budget->spill = quipu__spill_new(&counted, budget->limit, limit);
    return budget->spill ? QUIPU_OK : quipu__no_memory(err, 0);
}

uint64_t quipu_budget_spilled(const struct quipu_budget *budget) {
    return budget->spill ? quipu__spill_peak(budget->spill) : 0;
}

enum quipu_status quipu_budget_status(const struct quipu_budget *budget, struct quipu_error *err) {
    return budget->spill ? quipu__spill_status(budget->spill, err) : QUIPU_OK;
}

bool quipu__budget_is_ceiling(const struct quipu_allocator *allocator) {
    return allocator->resize == resize && ((const struct quipu_budget *)allocator->context)->spill;
}
