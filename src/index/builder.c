/* builder.c: see builder.h. */
#include "index/builder.h"

#include "core/error.h"
#include "core/memory/zstd_memory.h"
#include "index/identity.h"

enum { PACKED_LEAST = 64, PACK_LEVEL = 3 }; /* smaller sections stay as they are */

/* ---- Size ---- */

#define MOST_PERCENT 3
#define ALWAYS_ALLOWED ((size_t)64 << 10)

/* Bytes of the largest index that a trace may have. */
static size_t bytes_most(const struct quipu__trace *trace) {
    const size_t memory = trace->memory->limit / 4;
    const size_t ceiling = memory < INT32_MAX ? memory : INT32_MAX;
    const uint64_t share = trace->bytes_total / 100 * MOST_PERCENT;
    const uint64_t most = share > ALWAYS_ALLOWED ? share : ALWAYS_ALLOWED;
    return most < ceiling ? (size_t)most : ceiling;
}

/* ---- Beginning and end ---- */

enum quipu_status quipu__index_builder_init(struct quipu__index_builder *builder,
                                            const struct quipu__trace *trace, struct quipu_error *err) {
    *builder = (struct quipu__index_builder){.trace = trace, .most = bytes_most(trace)};
    for (unsigned i = 0; i < QUIPU__INDEX_SECTIONS_MOST; i++)
        quipu__buffer_init(&builder->last[i], trace->memory, 0);
    quipu__buffer_init(&builder->packed, trace->memory, 0);
    quipu__buffer_init(&builder->stamps, trace->memory, 0);
    quipu__buffer_init(&builder->survey, trace->memory, 0);
    builder->packer = quipu__zstd_encoder(trace->memory);
    quipu__index_init(&builder->index, trace);
    enum quipu_status status = quipu__index_number_substreams(&builder->index, trace, err);
    if (status == QUIPU_OK)
        status = quipu__identity_put_stamps(trace, &builder->stamps, err);
    return status == QUIPU_OK && !builder->packer ? quipu__no_memory(err, sizeof *builder) : status;
}

void quipu__index_builder_release(struct quipu__index_builder *builder) {
    ZSTD_freeCCtx(builder->packer);
    for (unsigned i = 0; i < QUIPU__INDEX_SECTIONS_MOST; i++)
        quipu__buffer_release(&builder->last[i]);
    quipu__buffer_release(&builder->packed);
    quipu__buffer_release(&builder->stamps);
    quipu__buffer_release(&builder->survey);
    quipu__index_release(&builder->index);
}

/* ---- Dropping points ---- */

/* Every second one, so that the last one stays. */
static bool remains(const struct quipu__index *index, size_t point) {
    return (index->times.count - 1 - point) % 2 == 0;
}

static bool is_same(const struct quipu__index_entry *left, const struct quipu__index_entry *right) {
    return left->offset == right->offset && left->size == right->size;
}

/* Moves the entry of a point that stays, and copies its section unless the point before has the same. */
static void copy_entry(struct quipu__index *index, size_t from, size_t to, const uint8_t *old,
                       struct quipu__index_entry *before) {
    struct quipu__index_entry entry = index->entries.items[from];
    const struct quipu__index_entry was = entry;
    if (entry.offset != QUIPU_NONE && is_same(&was, before))
        entry = index->entries.items[to - index->section_count];
    else if (entry.offset != QUIPU_NONE) {
        entry.offset = (uint32_t)index->bytes.len;
        quipu__put(&index->bytes, old + was.offset, was.size);
    }
    *before = was;
    index->entries.items[to] = entry;
}

static size_t copy_entries(struct quipu__index *index, const uint8_t *old) {
    struct quipu__index_entry before[QUIPU__INDEX_SECTIONS_MOST];
    size_t remaining = 0;
    for (size_t i = 0; i < index->entries.count; i++) {
        const size_t section = i % index->section_count, point = i / index->section_count % index->times.count;
        if (point <= 1 && remains(index, point) && (point == 0 || !remains(index, 0)))
            before[section].offset = QUIPU_NONE; /* the first that stays of a substream */
        if (remains(index, point))
            copy_entry(index, i, remaining++, old, &before[section]);
    }
    return remaining;
}

static void thin_times(struct quipu__index *index) {
    size_t remaining = 0;
    const size_t count = index->times.count;
    for (size_t i = 0; i < count; i++)
        if (remains(index, i))
            index->times.items[remaining++] = index->times.items[i];
    index->times.count = remaining;
}

static enum quipu_status drop_points(struct quipu__index_builder *builder, struct quipu_error *err) {
    struct quipu__index *index = &builder->index;
    struct quipu__buffer old = index->bytes;
    uint32_t remaining = 0;
    if (index->times.count < 2) {
        quipu__fail(err, QUIPU_LIMIT, "the smallest index of this trace is larger than %zu bytes",
                    builder->most);
        quipu__advise(err, "an index may have 64 KiB or 3 %% of the trace's size, and a quarter of the memory");
        return QUIPU_LIMIT;
    }
    for (uint32_t i = 0; i < builder->point; i++)
        remaining += remains(index, i);
    quipu__buffer_init(&index->bytes, index->memory, 0);
    index->entries.count = copy_entries(index, old.data);
    quipu__buffer_release(&old);
    thin_times(index);
    builder->point = remaining;
    builder->has_last = false;
    return index->bytes.failed ? quipu__no_memory(err, builder->most) : QUIPU_OK;
}

/* Each entry takes a byte at least in the file, and more in memory. */
static bool is_too_large(const struct quipu__index_builder *builder) {
    const struct quipu__index *index = &builder->index;
    const size_t in_memory = index->bytes.len + index->entries.count * sizeof *index->entries.items;
    return index->bytes.len + index->entries.count > builder->most || in_memory > index->memory->limit / 4;
}

/* ---- Adding ---- */

/* Appends bytes as they take less room; true when that is packed. */
static bool put_packed(struct quipu__index_builder *builder, const struct quipu__buffer *from,
                       struct quipu__buffer *out) {
    const size_t bound = from->len < PACKED_LEAST ? 0 : ZSTD_compressBound(from->len);
    builder->packed.len = 0;
    uint8_t *to = bound > 0 ? quipu__buffer_room(&builder->packed, bound) : NULL;
    const size_t packed =
        to ? ZSTD_compressCCtx(builder->packer, to, bound, from->data, from->len, PACK_LEVEL) : 0;
    const bool is_packed = to && !ZSTD_isError(packed) && packed < from->len;
    quipu__put(out, is_packed ? to : from->data, is_packed ? packed : from->len);
    out->failed |= bound > 0 && (!to || ZSTD_isError(packed)); /* there is room: memory is out */
    return is_packed;
}

static void put_section(struct quipu__index_builder *builder, const struct quipu__buffer *section,
                        struct quipu__index_entry *entry) {
    struct quipu__buffer *bytes = &builder->index.bytes;
    entry->offset = (uint32_t)bytes->len;
    entry->is_packed = put_packed(builder, section, bytes);
    entry->size = (uint32_t)bytes->len - entry->offset;
}

enum quipu_status quipu__index_builder_survey(struct quipu__index_builder *builder, struct quipu_error *err) {
    const struct quipu__survey *survey = builder->trace->format->survey;
    struct quipu__buffer unpacked;
    quipu__buffer_init(&unpacked, builder->trace->memory, 0);
    enum quipu_status status = survey ? survey->save(builder->trace, &unpacked, err) : QUIPU_OK;
    if (status == QUIPU_OK && unpacked.len > 0)
        builder->index.is_survey_packed = put_packed(builder, &unpacked, &builder->survey);
    if (status == QUIPU_OK && (unpacked.failed || builder->survey.failed))
        status = quipu__no_memory(err, unpacked.len);
    if (status == QUIPU_OK && builder->survey.len > 0 && builder->survey.len <= builder->most / 4)
        builder->index.survey = quipu__slice_of(builder->survey.data, builder->survey.len);
    quipu__buffer_release(&unpacked);
    return status;
}

static bool repeats(const struct quipu__index_builder *builder, unsigned section,
                    const struct quipu__buffer *now) {
    const struct quipu__buffer *last = &builder->last[section];
    return builder->has_last && builder->point > 0 && last->len == now->len &&
           (now->len == 0 || memcmp(last->data, now->data, now->len) == 0);
}

static enum quipu_status add_section(struct quipu__index_builder *builder, unsigned section,
                                     const struct quipu__buffer *now, struct quipu_error *err) {
    struct quipu__index *index = &builder->index;
    const bool is_repeated = repeats(builder, section, now);
    struct quipu__index_entry *entry = QUIPU__VEC_ADD(index->memory, &index->entries);
    if (!entry || now->len > builder->most * 64)
        return entry ? quipu__fail(err, QUIPU_LIMIT, "an index of this trace would be too large")
                     : quipu__no_memory(err, sizeof *entry);
    if (is_repeated) {
        *entry = entry[-(ptrdiff_t)index->section_count];
        return QUIPU_OK;
    }
    put_section(builder, now, entry);
    builder->last[section].len = 0;
    quipu__put(&builder->last[section], now->data, now->len);
    return index->bytes.failed || builder->last[section].failed ? quipu__no_memory(err, index->bytes.len)
                                                                : QUIPU_OK;
}

enum quipu_status quipu__index_builder_add(struct quipu__index_builder *builder,
                                           const struct quipu__buffer *sections, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < builder->index.section_count && status == QUIPU_OK; i++)
        status = add_section(builder, i, &sections[i], err);
    if (status != QUIPU_OK)
        return status;
    builder->has_last = true;
    builder->point++;
    while (status == QUIPU_OK && is_too_large(builder))
        status = drop_points(builder, err);
    if (builder->point == builder->index.times.count) {
        builder->substream++;
        builder->point = 0;
    }
    return status;
}

/* ---- Writing ---- */

/* What was read is what the checksums are of. */
static enum quipu_status identify(const struct quipu__index_builder *builder, struct quipu__buffer *out,
                                  struct quipu_error *err) {
    struct quipu__buffer now;
    quipu__buffer_init(&now, builder->trace->memory, 0);
    enum quipu_status status = quipu__identity_put(builder->trace, out, err);
    if (status == QUIPU_OK)
        status = quipu__identity_put_stamps(builder->trace, &now, err);
    if (status == QUIPU_OK && (now.len != builder->stamps.len ||
                               (now.len > 0 && memcmp(now.data, builder->stamps.data, now.len) != 0))) {
        status = quipu__fail(err, QUIPU_CORRUPT, "the trace has changed while it was read");
        quipu__at(err, builder->trace->path, QUIPU_UNKNOWN);
    }
    quipu__buffer_release(&now);
    return status;
}

/* The head of an index that is small enough. */
static enum quipu_status make_head(struct quipu__index_builder *builder, const struct quipu__buffer *identity,
                                   struct quipu__buffer *head, struct quipu_error *err) {
    enum quipu_status status;
    while ((status = quipu__index_write_head(&builder->index, identity, head, err)) == QUIPU_OK &&
           head->len + builder->index.bytes.len > builder->most &&
           (status = drop_points(builder, err)) == QUIPU_OK)
        head->len = 0;
    return status;
}

enum quipu_status quipu__index_builder_write(struct quipu__index_builder *builder, struct quipu__file *file,
                                             uint64_t *out_bytes, struct quipu_error *err) {
    const struct quipu__buffer *bytes = &builder->index.bytes;
    struct quipu__buffer identity, head;
    *out_bytes = 0;
    quipu__buffer_init(&identity, builder->trace->memory, 0);
    quipu__buffer_init(&head, builder->trace->memory, 0);
    enum quipu_status status = identify(builder, &identity, err);
    if (status == QUIPU_OK)
        status = make_head(builder, &identity, &head, err);
    if (status == QUIPU_OK)
        status = quipu__file_write(file, head.data, head.len, err);
    if (status == QUIPU_OK)
        status = quipu__file_write(file, bytes->data, bytes->len, err);
    if (status == QUIPU_OK)
        *out_bytes = head.len + bytes->len;
    quipu__buffer_release(&identity);
    quipu__buffer_release(&head);
    return status;
}
