/* index_make.c: see index_make.h. */
#include "trace/index_make.h"

#include "core/error.h"
#include "core/zstd_memory.h"

enum { PACKED_LEAST = 64, PACK_LEVEL = 3 }; /* smaller sections stay as they are */

/* ---- Beginning and end ---- */

enum quipu_status quipu__index_making_init(struct quipu__index_making *making, const struct quipu__trace *trace,
                                           struct quipu_error *err) {
    *making = (struct quipu__index_making){.trace = trace, .most = quipu__index_most(trace)};
    for (unsigned i = 0; i < QUIPU__INDEX_SECTIONS_MOST; i++)
        quipu__buffer_init(&making->last[i], trace->memory, 0);
    quipu__buffer_init(&making->packed, trace->memory, 0);
    making->packer = quipu__zstd_encoder(trace->memory);
    const enum quipu_status status = quipu__index_init(&making->index, trace, err);
    return status == QUIPU_OK && !making->packer ? quipu__no_memory(err, sizeof *making) : status;
}

void quipu__index_making_release(struct quipu__index_making *making) {
    ZSTD_freeCCtx(making->packer);
    for (unsigned i = 0; i < QUIPU__INDEX_SECTIONS_MOST; i++)
        quipu__buffer_release(&making->last[i]);
    quipu__buffer_release(&making->packed);
    quipu__index_release(&making->index);
}

void quipu__index_making_name(struct quipu__index_making *making, const char *name) {
    making->index.names[making->index.section_count++] = quipu__slice_of(name, strlen(name));
}

enum quipu_status quipu__index_making_point(struct quipu__index_making *making, int64_t time,
                                            struct quipu_error *err) {
    int64_t *added = QUIPU__VEC_ADD(making->index.memory, &making->index.times);
    if (!added)
        return quipu__no_memory(err, sizeof *added);
    *added = time;
    return QUIPU_OK;
}

bool quipu__index_making_next(const struct quipu__index_making *making, uint32_t lane, int64_t *time) {
    if (lane != making->lane || making->index.times.count == 0)
        return false;
    *time = making->index.times.at[making->point];
    return true;
}

/* ---- Dropping points ---- */

/* Every second one, so that the last one stays. */
static bool is_kept(const struct quipu__index *index, size_t point) {
    return (index->times.count - 1 - point) % 2 == 0;
}

static bool is_same(const struct quipu__index_entry *left, const struct quipu__index_entry *right) {
    return left->at == right->at && left->size == right->size;
}

/* Moves the entry of a point that stays, and copies its section unless the point before has the same. */
static void keep_entry(struct quipu__index *index, size_t from, size_t to, const uint8_t *old,
                       struct quipu__index_entry *before) {
    struct quipu__index_entry entry = index->entries.at[from];
    const struct quipu__index_entry was = entry;
    if (entry.at != QUIPU_NONE && is_same(&was, before))
        entry = index->entries.at[to - index->section_count];
    else if (entry.at != QUIPU_NONE) {
        entry.at = (uint32_t)index->bytes.len;
        quipu__put(&index->bytes, old + was.at, was.size);
    }
    *before = was;
    index->entries.at[to] = entry;
}

static size_t keep_entries(struct quipu__index *index, const uint8_t *old) {
    struct quipu__index_entry before[QUIPU__INDEX_SECTIONS_MOST];
    size_t kept = 0;
    for (size_t i = 0; i < index->entries.count; i++) {
        const size_t section = i % index->section_count, point = i / index->section_count % index->times.count;
        if (point <= 1 && is_kept(index, point) && (point == 0 || !is_kept(index, 0)))
            before[section].at = QUIPU_NONE; /* the first that stays of a lane */
        if (is_kept(index, point))
            keep_entry(index, i, kept++, old, &before[section]);
    }
    return kept;
}

static void keep_times(struct quipu__index *index) {
    size_t kept = 0;
    const size_t count = index->times.count;
    for (size_t i = 0; i < count; i++)
        if (is_kept(index, i))
            index->times.at[kept++] = index->times.at[i];
    index->times.count = kept;
}

static enum quipu_status drop_points(struct quipu__index_making *making, struct quipu_error *err) {
    struct quipu__index *index = &making->index;
    struct quipu__buffer old = index->bytes;
    uint32_t kept_points = 0;
    if (index->times.count < 2) {
        quipu__fail(err, QUIPU_LIMIT, "the smallest index of this trace is larger than %zu bytes",
                    making->most);
        quipu__advise(err, "an index may have 3 %% of the trace's size and a quarter of the memory");
        return QUIPU_LIMIT;
    }
    for (uint32_t i = 0; i < making->point; i++)
        kept_points += is_kept(index, i);
    quipu__buffer_init(&index->bytes, index->memory, 0);
    index->entries.count = keep_entries(index, old.data);
    quipu__buffer_release(&old);
    keep_times(index);
    making->point = kept_points;
    making->has_last = false;
    return index->bytes.failed ? quipu__no_memory(err, making->most) : QUIPU_OK;
}

/* Each entry takes a byte at least in the file, and more in memory. */
static bool is_too_large(const struct quipu__index_making *making) {
    const struct quipu__index *index = &making->index;
    const size_t in_memory = index->bytes.len + index->entries.count * sizeof *index->entries.at;
    return index->bytes.len + index->entries.count > making->most || in_memory > index->memory->limit / 4;
}

/* ---- Adding ---- */

/* Appends a section as it takes less room. */
static void put_section(struct quipu__index_making *making, const struct quipu__buffer *section,
                        struct quipu__index_entry *entry) {
    struct quipu__index *index = &making->index;
    *entry = (struct quipu__index_entry){.at = (uint32_t)index->bytes.len, .size = (uint32_t)section->len};
    const size_t bound = section->len < PACKED_LEAST ? 0 : ZSTD_compressBound(section->len);
    making->packed.len = 0;
    uint8_t *to = bound > 0 ? quipu__buffer_room(&making->packed, bound) : NULL;
    const size_t packed =
        to ? ZSTD_compressCCtx(making->packer, to, bound, section->data, section->len, PACK_LEVEL) : 0;
    entry->is_packed = to && !ZSTD_isError(packed) && packed < section->len;
    if (entry->is_packed)
        entry->size = (uint32_t)packed;
    quipu__put(&index->bytes, entry->is_packed ? to : section->data, entry->size);
}

static bool repeats(const struct quipu__index_making *making, unsigned section,
                    const struct quipu__buffer *now) {
    const struct quipu__buffer *last = &making->last[section];
    return making->has_last && making->point > 0 && last->len == now->len &&
           (now->len == 0 || memcmp(last->data, now->data, now->len) == 0);
}

static enum quipu_status add_section(struct quipu__index_making *making, unsigned section,
                                     const struct quipu__buffer *now, struct quipu_error *err) {
    struct quipu__index *index = &making->index;
    const bool is_repeated = repeats(making, section, now);
    struct quipu__index_entry *entry = QUIPU__VEC_ADD(index->memory, &index->entries);
    if (!entry || now->len > making->most * 64)
        return entry ? quipu__fail(err, QUIPU_LIMIT, "an index of this trace would be too large")
                     : quipu__no_memory(err, sizeof *entry);
    if (is_repeated) {
        *entry = entry[-(ptrdiff_t)index->section_count];
        return QUIPU_OK;
    }
    put_section(making, now, entry);
    making->last[section].len = 0;
    quipu__put(&making->last[section], now->data, now->len);
    return index->bytes.failed || making->last[section].failed ? quipu__no_memory(err, index->bytes.len)
                                                               : QUIPU_OK;
}

enum quipu_status quipu__index_making_add(struct quipu__index_making *making,
                                          const struct quipu__buffer *sections, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < making->index.section_count && status == QUIPU_OK; i++)
        status = add_section(making, i, &sections[i], err);
    if (status != QUIPU_OK)
        return status;
    making->has_last = true;
    making->point++;
    while (status == QUIPU_OK && is_too_large(making))
        status = drop_points(making, err);
    if (making->point == making->index.times.count) {
        making->lane++;
        making->point = 0;
    }
    return status;
}

/* ---- Writing ---- */

enum quipu_status quipu__index_making_write(struct quipu__index_making *making, struct quipu__file *file,
                                            uint64_t *out_bytes, struct quipu_error *err) {
    struct quipu__buffer head;
    enum quipu_status status;
    *out_bytes = 0;
    for (;;) {
        quipu__buffer_init(&head, making->trace->memory, 0);
        status = quipu__index_write_head(&making->index, making->trace, &head, err);
        if (status != QUIPU_OK || head.len + making->index.bytes.len <= making->most)
            break;
        quipu__buffer_release(&head);
        status = drop_points(making, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (status == QUIPU_OK)
        status = quipu__file_write(file, head.data, head.len, err);
    if (status == QUIPU_OK)
        status = quipu__file_write(file, making->index.bytes.data, making->index.bytes.len, err);
    if (status == QUIPU_OK)
        *out_bytes = head.len + making->index.bytes.len;
    quipu__buffer_release(&head);
    return status;
}
