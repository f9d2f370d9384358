/* extents.c: a sorted list of extents in chunks, of which the one for an offset is found by bisection. */
#include "analysis/io/extents.h"

#include <string.h>
#include "core/bisect.h"

enum { FIRST_CAPACITY = 4 };

struct position {
    size_t chunk;
    uint32_t item;
};

static size_t chunk_bytes(uint32_t capacity) {
    return sizeof(struct quipu__extent_chunk) + capacity * sizeof(struct quipu__extent);
}

void quipu__extents_release(struct quipu__extents *extents, struct quipu__memory *memory) {
    for (size_t i = 0; i < extents->chunks.count; i++)
        quipu__release(memory, extents->chunks.items[i], chunk_bytes(extents->chunks.items[i]->capacity));
    QUIPU__VEC_RELEASE(memory, &extents->chunks);
}

/* ---- Places ---- */

static struct quipu__extent *extent_at(const struct quipu__extents *extents, struct position position) {
    return position.chunk < extents->chunks.count ? &extents->chunks.items[position.chunk]->items[position.item]
                                                  : NULL;
}

/* The first extent of a chunk that ends behind an offset, of which there is one. */
static uint32_t seek_in(const struct quipu__extent_chunk *chunk, int64_t offset) {
    size_t low = 0;
    QUIPU__BISECT(low, chunk->count - 1, i, chunk->items[i].to <= offset);
    return (uint32_t)low;
}

/* Whether what is looked for is in a chunk, and not its first extent, before which there might be another. */
static bool is_near(const struct quipu__extents *extents, size_t number, int64_t offset) {
    if (number >= extents->chunks.count)
        return false;
    const struct quipu__extent_chunk *chunk = extents->chunks.items[number];
    return chunk->items[0].to <= offset && chunk->items[chunk->count - 1].to > offset;
}

static bool is_behind_all(const struct quipu__extents *extents, int64_t offset) {
    if (extents->chunks.count == 0)
        return true;
    const struct quipu__extent_chunk *last = extents->chunks.items[extents->chunks.count - 1];
    return last->items[last->count - 1].to <= offset;
}

/* Whether the first extent that ends behind an offset is the one at a position of a chunk, which need not be there. */
static bool is_at(const struct quipu__extent_chunk *chunk, size_t item, int64_t offset) {
    return item > 0 && item < chunk->count && chunk->items[item - 1].to <= offset &&
           chunk->items[item].to > offset;
}

/* The first extent that ends behind an offset; behind the last one when there is none. It is mostly at a position that is known,
 * or right behind it, or at least in that chunk. */
static struct position seek(const struct quipu__extents *extents, int64_t offset, struct position near) {
    size_t low = 0, high = extents->chunks.count;
    if (is_near(extents, near.chunk, offset)) {
        const struct quipu__extent_chunk *chunk = extents->chunks.items[near.chunk];
        if (is_at(chunk, (size_t)near.item + 1, offset))
            near.item++;
        else if (!is_at(chunk, near.item, offset))
            near.item = seek_in(chunk, offset);
        return near;
    }
    if (is_behind_all(extents, offset))
        return (struct position){high, 0};
    const struct quipu__extent_chunk *last = extents->chunks.items[high - 1];
    if (last->items[last->count - 1].from <= offset) /* files mostly grow at their end */
        return (struct position){high - 1, last->count - 1};
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct quipu__extent_chunk *chunk = extents->chunks.items[middle];
        if (chunk->items[chunk->count - 1].to > offset)
            high = middle;
        else
            low = middle + 1;
    }
    const bool is_there = low < extents->chunks.count;
    return (struct position){low, is_there ? seek_in(extents->chunks.items[low], offset) : 0};
}

static struct quipu__extent *before(const struct quipu__extents *extents, struct position position) {
    if (position.item > 0)
        return extent_at(extents, (struct position){position.chunk, position.item - 1});
    if (position.chunk == 0)
        return NULL;
    struct quipu__extent_chunk *chunk = extents->chunks.items[position.chunk - 1];
    return &chunk->items[chunk->count - 1];
}

static const struct quipu__extent *after(const struct quipu__extents *extents, struct position position) {
    if (position.item + 1 < extents->chunks.items[position.chunk]->count)
        return extent_at(extents, (struct position){position.chunk, position.item + 1});
    return extent_at(extents, (struct position){position.chunk + 1, 0});
}

/* ---- Inserting and removing ---- */

static bool add_chunk(struct quipu__extents *extents, struct quipu__memory *memory, size_t index,
                      uint32_t capacity) {
    struct quipu__extent_chunk *chunk = quipu__alloc(memory, chunk_bytes(capacity));
    if (!chunk || !QUIPU__VEC_RESERVE(memory, &extents->chunks, 1)) {
        quipu__release(memory, chunk, chunk_bytes(capacity));
        return false;
    }
    chunk->count = 0;
    chunk->capacity = capacity;
    struct quipu__extent_chunk **items = extents->chunks.items;
    memmove(items + index + 1, items + index, (extents->chunks.count - index) * sizeof(*items));
    items[index] = chunk;
    extents->chunks.count++;
    return true;
}

/* Moves the upper half of a full chunk into a new one, and the position with it. */
static bool split_chunk(struct quipu__extents *extents, struct quipu__memory *memory,
                        struct position *position) {
    enum { HALF = QUIPU__EXTENT_CHUNK / 2 };
    if (!add_chunk(extents, memory, position->chunk + 1, QUIPU__EXTENT_CHUNK))
        return false;
    struct quipu__extent_chunk *lower = extents->chunks.items[position->chunk];
    struct quipu__extent_chunk *upper = extents->chunks.items[position->chunk + 1];
    memcpy(upper->items, lower->items + HALF, HALF * sizeof *upper->items);
    lower->count = upper->count = HALF;
    if (position->item > HALF)
        *position = (struct position){position->chunk + 1, position->item - HALF};
    return true;
}

/* Makes room for one more extent in the chunk of a position: most files have few, so chunks begin small. */
static bool make_room(struct quipu__extents *extents, struct quipu__memory *memory, struct position *position) {
    struct quipu__extent_chunk **chunk = &extents->chunks.items[position->chunk];
    const uint32_t capacity = (*chunk)->capacity;
    if ((*chunk)->count < capacity)
        return true;
    if (capacity == QUIPU__EXTENT_CHUNK)
        return split_chunk(extents, memory, position);
    struct quipu__extent_chunk *larger =
        quipu__resize(memory, *chunk, chunk_bytes(capacity), chunk_bytes(4 * capacity));
    if (!larger)
        return false;
    larger->capacity = 4 * capacity;
    *chunk = larger;
    return true;
}

/* Inserts in front of a position. */
static bool insert(struct quipu__extents *extents, struct quipu__memory *memory, struct position position,
                   const struct quipu__extent *extent) {
    if (position.chunk == extents->chunks.count) {
        if (position.chunk == 0 && !add_chunk(extents, memory, 0, FIRST_CAPACITY))
            return false;
        position.chunk = extents->chunks.count - 1;
        position.item = extents->chunks.items[position.chunk]->count;
    }
    if (!make_room(extents, memory, &position))
        return false;
    struct quipu__extent_chunk *chunk = extents->chunks.items[position.chunk];
    memmove(chunk->items + position.item + 1, chunk->items + position.item,
            (chunk->count - position.item) * sizeof *chunk->items);
    chunk->items[position.item] = *extent;
    chunk->count++;
    return true;
}

static void remove_at(struct quipu__extents *extents, struct quipu__memory *memory, struct position position) {
    struct quipu__extent_chunk *chunk = extents->chunks.items[position.chunk];
    chunk->count--;
    memmove(chunk->items + position.item, chunk->items + position.item + 1,
            (chunk->count - position.item) * sizeof *chunk->items);
    if (chunk->count > 0)
        return;
    struct quipu__extent_chunk **items = extents->chunks.items;
    extents->chunks.count--;
    memmove(items + position.chunk, items + position.chunk + 1,
            (extents->chunks.count - position.chunk) * sizeof(*items));
    quipu__release(memory, chunk, chunk_bytes(chunk->capacity));
}

/* ---- Touching ---- */

/* Joins the extent at a position with the one before it, when they touch and have one owner. */
static void join_before(struct quipu__extents *extents, struct quipu__memory *memory,
                        struct position position) {
    struct quipu__extent *left = before(extents, position);
    const struct quipu__extent *right = extent_at(extents, position);
    if (!left || !right || left->to != right->from || left->owner != right->owner)
        return;
    left->to = right->to;
    remove_at(extents, memory, position);
}

/* Fills a gap in front of a position. */
static bool fill(struct quipu__extents *extents, struct quipu__memory *memory, struct position position,
                 const struct quipu__extent *gap) {
    struct quipu__extent *left = before(extents, position);
    struct quipu__extent *right = extent_at(extents, position);
    if (left && left->to == gap->from && left->owner == gap->owner) {
        left->to = gap->to;
        join_before(extents, memory, position);
        return true;
    }
    if (right && right->from == gap->to && right->owner == gap->owner) {
        right->from = gap->from;
        return true;
    }
    return insert(extents, memory, position, gap);
}

/* Cuts the extent at a position in two. */
static bool cut(struct quipu__extents *extents, struct quipu__memory *memory, struct position position,
                int64_t offset) {
    struct quipu__extent *extent = extent_at(extents, position);
    const struct quipu__extent lower = {extent->from, offset, extent->owner};
    extent->from = offset;
    if (insert(extents, memory, position, &lower))
        return true;
    extent->from = lower.from;
    return false;
}

/* Bytes that are being touched: from is how far that has come, near where it goes on. */
struct touching {
    struct quipu__extents *extents;
    struct quipu__memory *memory;
    const struct quipu__extent *touched;
    int64_t from;
    struct position near;
};

/* Cuts the extent that goes on from an offset there; *position is then behind the cut or in front of it. */
static bool cut_at(struct touching *touching, struct position *position, int64_t offset) {
    if (!cut(touching->extents, touching->memory, *position, offset))
        return false;
    *position = seek(touching->extents, touching->from, *position);
    return true;
}

/* The bytes of an extent of another owner that are touched become shared. */
static bool share(struct touching *touching, struct position position) {
    struct quipu__extents *extents = touching->extents;
    const int64_t to = touching->touched->to;
    if (extent_at(extents, position)->from < touching->from && !cut_at(touching, &position, touching->from))
        return false;
    if (extent_at(extents, position)->to > to && !cut_at(touching, &position, to))
        return false;
    struct quipu__extent *extent = extent_at(extents, position);
    extent->owner = QUIPU__EXTENT_SHARED;
    touching->from = extent->to;
    join_before(extents, touching->memory, position);
    join_before(extents, touching->memory, seek(extents, touching->from, position));
    return true;
}

/* Touches the first bytes that are alike; from goes behind them. */
static bool touch_next(struct touching *touching) {
    const struct quipu__extent *touched = touching->touched;
    const struct position position = seek(touching->extents, touching->from, touching->near);
    const struct quipu__extent *extent = extent_at(touching->extents, position);
    touching->near = position;
    if (extent && extent->from <= touching->from) {
        if (extent->owner != touched->owner && extent->owner != QUIPU__EXTENT_SHARED)
            return share(touching, position);
        touching->from = extent->to;
        return true;
    }
    const int64_t to = extent && extent->from < touched->to ? extent->from : touched->to;
    const struct quipu__extent gap = {touching->from, to, touched->owner};
    touching->from = to;
    return fill(touching->extents, touching->memory, position, &gap);
}

/* Whether the extent that an owner touched last takes the bytes in, growing if need be. What is shared has nothing to gain from
 * one more touch. */
static bool grows(const struct quipu__extents *extents, const struct quipu__extent *touched,
                  const struct quipu__extent_hint *hint) {
    if (hint->chunk >= extents->chunks.count || hint->item >= extents->chunks.items[hint->chunk]->count)
        return false;
    struct quipu__extent_chunk *chunk = extents->chunks.items[hint->chunk];
    struct quipu__extent *extent = &chunk->items[hint->item];
    const bool is_own = extent->owner == touched->owner;
    if (touched->from < extent->from || touched->from > extent->to ||
        (!is_own && extent->owner != QUIPU__EXTENT_SHARED))
        return false;
    if (touched->to <= extent->to)
        return true;
    const struct quipu__extent *next = after(extents, (struct position){hint->chunk, hint->item});
    if (!is_own || (next && next->from <= touched->to))
        return false;
    extent->to = touched->to;
    return true;
}

bool quipu__extents_touch(struct quipu__extents *extents, struct quipu__memory *memory,
                          const struct quipu__extent *touched, struct quipu__extent_hint *hint) {
    if (grows(extents, touched, hint))
        return true;
    struct touching touching = {extents, memory, touched, touched->from, {hint->chunk, hint->item}};
    while (touching.from < touched->to)
        if (!touch_next(&touching))
            return false;
    if (touched->from < touched->to) {
        const struct position position = seek(extents, touched->to - 1, touching.near);
        *hint = (struct quipu__extent_hint){(uint32_t)position.chunk, position.item};
    }
    return true;
}

/* ---- Totals ---- */

/* The block that is being looked at. */
struct block {
    bool is_there, is_shared;
    int64_t number;
    uint32_t owner;
};

static void end_block(const struct block *block, struct quipu__extent_totals *totals) {
    totals->blocks += block->is_there;
    totals->blocks_shared += block->is_there && block->is_shared;
}

static void add_extent(const struct quipu__extent *extent, int64_t block_size, struct block *block,
                       struct quipu__extent_totals *totals) {
    const bool is_shared = extent->owner == QUIPU__EXTENT_SHARED;
    const uint64_t bytes = (uint64_t)extent->to - (uint64_t)extent->from;
    const int64_t first = quipu__floor_div(extent->from, block_size);
    const int64_t last = quipu__floor_div(extent->to - 1, block_size);
    totals->bytes += bytes;
    totals->bytes_shared += is_shared ? bytes : 0;
    if (block->is_there && block->number == first) {
        block->is_shared |= is_shared || block->owner != extent->owner;
    } else {
        end_block(block, totals);
        *block = (struct block){true, is_shared, first, extent->owner};
    }
    if (last == first)
        return;
    const uint64_t between = (uint64_t)last - (uint64_t)first - 1;
    end_block(block, totals);
    totals->blocks += between;
    totals->blocks_shared += is_shared ? between : 0;
    *block = (struct block){true, is_shared, last, extent->owner};
}

struct quipu__extent_totals quipu__extents_total(const struct quipu__extents *extents, int64_t block_size) {
    struct quipu__extent_totals totals = {0, 0, 0, 0};
    struct block block = {false, false, 0, QUIPU_NONE};
    for (size_t i = 0; i < extents->chunks.count; i++)
        for (uint32_t j = 0; j < extents->chunks.items[i]->count; j++)
            add_extent(&extents->chunks.items[i]->items[j], block_size, &block, &totals);
    end_block(&block, &totals);
    return totals;
}
