/* spill.h: memory that lies in a temporary file: what a budget holds beyond its limit.
 *
 *     in memory:    head | block                                                          small ones have no head
 *     in the file:  |.. head | block ..|    room to grow    |.. head | block ..|    room to grow    | ...
 *
 * Whatever grows with what a trace leaves in flight is a few large arrays: messages without a partner, calls that wait for them, logs of
 * waits. An array that does not fit when it grows moves to the file, and its owner never knows: the file is mapped, so a block is read
 * and written as any other memory, and no access costs an instruction more. Arrays are used from their ends, or along links in
 * the order of time, so the pages that are needed lie together. Matching by parts of the keys, in several passes, would not be less work:
 * who matches is told of messages in the order of time.
 *
 * The file has no name, so that it vanishes with the process, and its room on the disk is taken before a block is mapped: a full disk
 * refuses a block, and no access to one fails. What is mapped may stay in the memory of the system as long as that has room, but a
 * thread takes it out of the memory of the process whenever that is more than a share of the limit. */
#ifndef QUIPU_CORE_MEMORY_SPILL_H
#define QUIPU_CORE_MEMORY_SPILL_H

#include "core/memory/memory.h"

struct quipu__spill;

/* memory_limit is what below gives; file_limit 0: half of the free space where the file lies. NULL when there is no memory. */
struct quipu__spill *quipu__spill_new(const struct quipu_allocator *below, size_t memory_limit,
                                      uint64_t file_limit);

/* When all blocks are freed. */
void quipu__spill_free(struct quipu__spill *spill);

/* Works like the function of an allocator. Several threads may call it. */
void *quipu__spill_resize(struct quipu__spill *spill, void *block, size_t old_size, size_t size);

/* Bytes that the file has had at most. */
uint64_t quipu__spill_peak(const struct quipu__spill *spill);

/* QUIPU_OK, or QUIPU_LIMIT with what has hindered a block from getting into the file. */
enum quipu_status quipu__spill_status(const struct quipu__spill *spill, struct quipu_error *err);

#endif
