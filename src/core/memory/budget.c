/* budget.c: one ceiling for several gates: an allocator that counts. Gates of different threads ask it at the same
 * time. */
#include "core/error.h"
#include "core/memory/memory.h"
#include "core/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ==== Memory in a file ==== */

/* Memory that lies in a temporary file: what a budget holds beyond its limit.
 *
 *     in memory:    head | block                                                          small ones have no head
 *     in the file:  |.. head | block ..|    room to grow    |.. head | block ..|    room to grow    | ...
 *
 * Only a few large arrays grow with what a trace leaves in flight: messages without a partner, calls that wait for them, logs of waits.
 * An array that does not fit when it grows moves to the file without its owner noticing: the file is mapped, so a block is read and
 * written like any other memory, and no access costs an extra instruction. Arrays are used from their ends, or along links in time order,
 * so the pages in use lie together. Matching by parts of the keys, in several passes, would not be less work, since matching needs
 * messages in time order.
 *
 * The file has no name, so that it vanishes with the process, and its disk space is reserved before a block is mapped: a full disk
 * refuses a block, and no access to one fails. Mapped pages may stay in the system's memory as long as that has room, but a thread
 * removes them from the memory of the process whenever they exceed a share of the limit. */

struct quipu__spill;

/* Smaller blocks stay in memory. Blocks in the file have whole pages, whatever the system's page size, and may grow in place to a
 * multiple of their size. */
enum { LEAST = 64 << 10, PAGE = 64 << 10, GROWTH = 32, HEAD = 64 };

/* Interval between counts of resident pages. */
enum { TRIM_NS = 250000 };

/* Precedes each large block. */
struct head {
    struct head *previous, *next; /* of those in the file */
    uint64_t offset, room;        /* in the file */
    size_t size;                  /* with the head, in the file in whole pages */
    bool is_in_file;
};

struct quipu__spill {
    struct quipu_allocator below;
    struct quipu__lock *lock;
    struct quipu__thread *trimmer;    /* NULL before there is something in the file */
    struct head *first;               /* of the blocks in the file */
    size_t in_memory, most_in_memory; /* of large blocks */
    size_t limit_below;               /* of all memory, */
    const atomic_size_t *used_below;  /* and how much of it is used */
    size_t most_mapped;               /* of the blocks in the file, in the memory of the process */
    uint64_t mapped_before;           /* other mapped memory */
    void *reserve;                    /* counts as memory for mapped pages, and is never touched */
    uint64_t end, used, peak, limit;  /* of the file */
    int fd;                           /* -1 before the first block */
    const char *folder;
    bool is_full; /* the limit has been reached */
    int failure;  /* errno of a failed call, 0: none */
    bool is_ending;
};

_Static_assert(sizeof(struct head) <= HEAD, "the block behind a head is aligned");

static void *below(const struct quipu__spill *spill, void *block, size_t old_size, size_t size) {
    return spill->below.resize(spill->below.context, block, old_size, size);
}

static void end_trimmer(struct quipu__spill *spill) {
    if (!spill->trimmer)
        return;
    quipu__lock_take(spill->lock);
    spill->is_ending = true;
    quipu__lock_wake(spill->lock);
    quipu__lock_give(spill->lock);
    quipu__thread_join(spill->trimmer);
}

/* When all blocks are freed. */
static void spill_free(struct quipu__spill *spill) {
    if (!spill)
        return;
    end_trimmer(spill);
    if (spill->fd >= 0)
        quipu__os_close(spill->fd);
    if (spill->reserve)
        below(spill, spill->reserve, spill->most_mapped, 0);
    quipu__lock_free(spill->lock);
    const struct quipu_allocator allocator = spill->below;
    allocator.resize(allocator.context, spill, sizeof *spill, 0);
}

/* memory_limit is the limit of below, which has used so much; file_limit 0: half of the free space where the file lies. NULL when there is no
 * memory. */
static struct quipu__spill *spill_new(const struct quipu_allocator *allocator, size_t memory_limit,
                                      const atomic_size_t *used, uint64_t file_limit) {
    enum { MAPPED_LEAST = 1 << 20 };
    struct quipu__spill *spill = allocator->resize(allocator->context, NULL, 0, sizeof *spill);
    if (!spill)
        return NULL;
    *spill =
        (struct quipu__spill){.below = *allocator,
                              .lock = quipu__lock_new(),
                              .most_in_memory = memory_limit / 8 * 5,
                              .limit_below = memory_limit,
                              .used_below = used,
                              .most_mapped = memory_limit / 8 > MAPPED_LEAST ? memory_limit / 8 : MAPPED_LEAST,
                              .limit = file_limit,
                              .fd = -1};
    if (spill->lock)
        return spill;
    spill_free(spill);
    return NULL;
}

/* ---- What stays in memory ---- */

/* Removes the file's pages from the memory of the process when there are too many. */
static void trim(const struct quipu__spill *spill) {
    if (quipu__os_mapped_bytes() < spill->mapped_before + spill->most_mapped)
        return;
    for (struct head *head = spill->first, *next; head; head = next) {
        next = head->next;
        quipu__os_unload(head, head->size);
    }
}

static void trim_again_and_again(void *context) {
    struct quipu__spill *spill = context;
    quipu__lock_take(spill->lock);
    while (!spill->is_ending) {
        trim(spill);
        quipu__lock_wait(spill->lock, TRIM_NS);
    }
    quipu__lock_give(spill->lock);
}

/* Copies a block while the lock is held, so that the thread cannot trim. */
static void copy(const struct quipu__spill *spill, void *to, const void *from, size_t size) {
    enum { STEP = 1 << 20 };
    for (size_t i = 0; i < size; i += STEP) {
        memcpy((char *)to + i, (const char *)from + i, size - i < STEP ? size - i : STEP);
        if (spill->first)
            trim(spill);
    }
}

/* ---- The file ---- */

static bool fail(struct quipu__spill *spill, int reason) {
    spill->failure = reason;
    return false;
}

/* Answers are the same without the thread, or without the memory reserved for pages. */
static bool make_file(struct quipu__spill *spill) {
    if (spill->fd >= 0)
        return true;
    spill->fd = quipu__os_open_temporary(&spill->folder);
    if (spill->fd < 0)
        return fail(spill, errno);
    if (spill->limit == 0)
        spill->limit = quipu__os_free_bytes(spill->fd) / 2;
    spill->reserve = below(spill, NULL, 0, spill->most_mapped);
    spill->mapped_before = quipu__os_mapped_bytes();
    spill->trimmer = quipu__thread_start(trim_again_and_again, spill);
    return true;
}

/* Takes room on the disk. */
static bool take_room(struct quipu__spill *spill, uint64_t offset, size_t size) {
    if (size > spill->limit - spill->used) {
        spill->is_full = true;
        return false;
    }
    if (!quipu__os_reserve(spill->fd, offset, size))
        return fail(spill, errno);
    spill->used += size;
    spill->peak = spill->used > spill->peak ? spill->used : spill->peak;
    return true;
}

static void give_room(struct quipu__spill *spill, uint64_t offset, size_t size) {
    quipu__os_give_back(spill->fd, offset, size);
    spill->used -= size;
}

static void link_head(struct quipu__spill *spill, struct head *head) {
    head->previous = NULL;
    head->next = spill->first;
    if (head->next)
        head->next->previous = head;
    spill->first = head;
}

static void unlink_head(struct quipu__spill *spill, const struct head *head) {
    *(head->previous ? &head->previous->next : &spill->first) = head->next;
    if (head->next)
        head->next->previous = head->previous;
}

static size_t in_pages(size_t size) {
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* Maps room bytes of the file from an offset for a block. NULL when the system refuses. */
static struct head *map_block(struct quipu__spill *spill, uint64_t offset, uint64_t room, size_t size) {
    struct head *head = quipu__os_map(spill->fd, offset, size);
    if (!head) {
        fail(spill, errno);
        return NULL;
    }
    head->offset = offset;
    head->room = room;
    head->size = size;
    head->is_in_file = true;
    return head;
}

static struct head *add_block(struct quipu__spill *spill, size_t size) {
    const uint64_t offset = spill->first ? spill->end : 0, room = (uint64_t)size * GROWTH;
    if (!make_file(spill) || !take_room(spill, offset, size))
        return NULL;
    struct head *head = map_block(spill, offset, room, size);
    if (!head) {
        give_room(spill, offset, size);
        return NULL;
    }
    spill->end = offset + room;
    link_head(spill, head);
    return head;
}

/* The block is mapped again, longer. */
static struct head *lengthen(struct quipu__spill *spill, struct head *head, size_t size) {
    const uint64_t offset = head->offset, end = offset + head->size;
    const size_t more = size - head->size;
    if (size > head->room || !take_room(spill, end, more))
        return NULL;
    struct head *longer = quipu__os_map(spill->fd, offset, size);
    if (!longer) {
        fail(spill, errno);
        give_room(spill, end, more);
        return NULL;
    }
    unlink_head(spill, head);
    quipu__os_unmap(head, head->size);
    longer->size = size;
    link_head(spill, longer);
    return longer;
}

static void remove_block(struct quipu__spill *spill, struct head *head) {
    const uint64_t offset = head->offset;
    const size_t size = head->size;
    if (offset + head->room == spill->end)
        spill->end = offset;
    unlink_head(spill, head);
    quipu__os_unmap(head, size);
    give_room(spill, offset, size);
}

/* ---- Large blocks, in memory or in the file ---- */

static struct head *head_of(void *block) {
    return (struct head *)((uint8_t *)block - HEAD);
}

static void *block_of(struct head *head) {
    return head ? (uint8_t *)head + HEAD : NULL;
}

/* How much large blocks may still grow in memory. Small blocks, which cannot lie in the file, may have taken what was for large ones, and an eighth stays
 * free for more of them: those of thousands of streams are not little. */
static size_t room_in_memory(const struct quipu__spill *spill) {
    const size_t room = spill->most_in_memory - spill->in_memory;
    const size_t used = atomic_load(spill->used_below);
    const size_t most = spill->limit_below / 8 * (spill->reserve ? 7 : 6); /* one is for pages of the file */
    const size_t left = most > used ? most - used : 0;
    return left < room ? left : room;
}

/* Makes a block in memory longer or shorter, or a new one; NULL when there is no memory for it. */
static struct head *hold(struct quipu__spill *spill, struct head *head, size_t size) {
    const size_t before = head ? head->size : 0;
    if (size > before && size - before > room_in_memory(spill))
        return NULL;
    struct head *held = below(spill, head, before, size);
    if (!held)
        return NULL;
    spill->in_memory += size - before;
    held->size = size;
    held->is_in_file = false;
    return held;
}

/* Resizes a block in place; NULL when it cannot stay there. */
static struct head *resize_there(struct quipu__spill *spill, struct head *head, size_t size) {
    if (!head->is_in_file)
        return hold(spill, head, size);
    return in_pages(size) <= head->size ? head : lengthen(spill, head, in_pages(size));
}

static void *add_large(struct quipu__spill *spill, size_t size) {
    struct head *head = hold(spill, NULL, size + HEAD);
    return block_of(head ? head : add_block(spill, in_pages(size + HEAD)));
}

static void remove_large(struct quipu__spill *spill, struct head *head) {
    if (head->is_in_file) {
        remove_block(spill, head);
        return;
    }
    spill->in_memory -= head->size;
    below(spill, head, head->size, 0);
}

static void *resize_large(struct quipu__spill *spill, void *block, size_t old_size, size_t size) {
    const bool was_large = old_size >= LEAST, is_large = size >= LEAST;
    struct head *grown = was_large && is_large ? resize_there(spill, head_of(block), size + HEAD) : NULL;
    if (grown)
        return block_of(grown);
    void *made = is_large ? add_large(spill, size) : below(spill, NULL, 0, size);
    if (!made && size > 0)
        return NULL;
    if (block && made)
        copy(spill, made, block, old_size < size ? old_size : size);
    if (was_large)
        remove_large(spill, head_of(block));
    else if (block)
        below(spill, block, old_size, 0);
    return made;
}

/* Works like the function of an allocator. Several threads may call it. */
static void *spill_resize(struct quipu__spill *spill, void *block, size_t old_size, size_t size) {
    if (!block)
        old_size = 0;
    if (old_size < LEAST && size < LEAST)
        return below(spill, block, old_size, size);
    if (size > SIZE_MAX / 4 / GROWTH)
        return NULL;
    quipu__lock_take(spill->lock);
    if (spill->first)
        trim(spill);
    void *resized = resize_large(spill, block, old_size, size);
    quipu__lock_give(spill->lock);
    return resized;
}

/* The most bytes that were in the file. */
static uint64_t spill_peak(const struct quipu__spill *spill) {
    quipu__lock_take(spill->lock);
    const uint64_t peak = spill->peak;
    quipu__lock_give(spill->lock);
    return peak;
}

/* QUIPU_OK, or QUIPU_LIMIT with the reason why a block could not be put into the file. */
static enum quipu_status spill_status(const struct quipu__spill *spill, struct quipu_error *err) {
    quipu__lock_take(spill->lock);
    const bool is_full = spill->is_full;
    const int failure = spill->failure;
    quipu__lock_give(spill->lock);
    if (!is_full && !failure)
        return QUIPU_OK;
    if (failure)
        quipu__fail_errno(err, QUIPU_LIMIT, failure, "the temporary file in %s cannot hold more",
                          spill->folder);
    else
        quipu__fail(err, QUIPU_LIMIT, "the temporary file in %s would need more than %" PRIu64 " bytes",
                    spill->folder, spill->limit);
    quipu__advise(err,
                  "set TMPDIR to a folder with more space, or raise the limit of memory or of temporary files");
    return QUIPU_LIMIT;
}

/* ==== The budget ==== */

struct quipu_budget {
    struct quipu__memory memory; /* passes requests on; its own count is not used */
    size_t limit;
    atomic_size_t used, peak;
    atomic_size_t high;         /* the most that was used since what is free went back to the system */
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
    spill_free(budget->spill);
    struct quipu__memory last = budget->memory;
    quipu__release(&last, budget, sizeof *budget);
}

static void raise(atomic_size_t *most, size_t used) {
    size_t known = atomic_load(most);
    while (known < used && !atomic_compare_exchange_weak(most, &known, used))
        continue;
}

/* Subtracts bytes from what is left; false when there are too few. */
static bool reserve(struct quipu_budget *budget, size_t size) {
    size_t used = atomic_load(&budget->used);
    do
        if (size > budget->limit - used)
            return false;
    while (!atomic_compare_exchange_weak(&budget->used, &used, used + size));
    raise(&budget->peak, used + size);
    raise(&budget->high, used + size);
    return true;
}

/* The C library keeps what is freed. An analysis that frees much, such as between two readings, would then hold that beside what it takes next, of which large
 * blocks find no place in it. */
static void give_back(struct quipu_budget *budget, size_t size) {
    const size_t used = size > 0 ? atomic_fetch_sub(&budget->used, size) - size : SIZE_MAX;
    size_t high = atomic_load(&budget->high);
    if (high > used && high - used > budget->limit / 4 &&
        atomic_compare_exchange_strong(&budget->high, &high, used))
        quipu__os_give_back_memory();
}

static void *resize_counted(void *context, void *block, size_t old_size, size_t size) {
    struct quipu_budget *budget = context;
    const size_t more = size > old_size ? size - old_size : 0, less = old_size > size ? old_size - size : 0;
    if (more > 0 && !reserve(budget, more))
        return NULL;
    void *resized = quipu__resize_block(&budget->memory, block, old_size, size);
    give_back(budget, resized || size == 0 ? less : more);
    return resized;
}

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct quipu_budget *budget = context;
    return budget->spill ? spill_resize(budget->spill, block, old_size, size)
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
        budget->spill = spill_new(&counted, budget->limit, &budget->used, limit);
    return budget->spill ? QUIPU_OK : quipu__no_memory(err, 0);
}

uint64_t quipu_budget_spilled(const struct quipu_budget *budget) {
    return budget->spill ? spill_peak(budget->spill) : 0;
}

enum quipu_status quipu_budget_status(const struct quipu_budget *budget, struct quipu_error *err) {
    return budget->spill ? spill_status(budget->spill, err) : QUIPU_OK;
}

bool quipu__budget_is_ceiling(const struct quipu_allocator *allocator) {
    return allocator->resize == resize && ((const struct quipu_budget *)allocator->context)->spill;
}
