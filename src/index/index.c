/* index.c: asking an index. */
#include "index/index.h"

#include "core/bisect.h"
#include "core/error.h"

#include <zstd.h>
#include <zstd_errors.h>

/* No section is larger, so a damaged one cannot ask for more. */
#define SECTION_MOST ((unsigned long long)64 << 20)

/* ---- Beginning and end ---- */

/* The number of the first substream of each stream among all substreams. */
static enum quipu_status number_substreams(struct quipu__index *index, const struct quipu__trace *trace,
                                           struct quipu_error *err) {
    const size_t bytes = (trace->streams.count + 1) * sizeof *index->first_substreams;
    index->first_substreams = quipu__alloc(index->memory, bytes);
    if (!index->first_substreams)
        return quipu__no_memory(err, bytes);
    index->stream_count = (uint32_t)trace->streams.count;
    index->first_substreams[0] = 0;
    for (uint32_t i = 0; i < index->stream_count; i++)
        index->first_substreams[i + 1] = index->first_substreams[i] + trace->streams.items[i].substreams;
    return QUIPU_OK;
}

enum quipu_status quipu__index_init(struct quipu__index *index, const struct quipu__trace *trace,
                                    struct quipu_error *err) {
    *index = (struct quipu__index){.memory = trace->memory};
    quipu__buffer_init(&index->bytes, trace->memory, 0);
    return number_substreams(index, trace, err);
}

void quipu__index_release(struct quipu__index *index) {
    if (index->first_substreams)
        quipu__release(index->memory, index->first_substreams,
                       ((size_t)index->stream_count + 1) * sizeof *index->first_substreams);
    QUIPU__VEC_RELEASE(index->memory, &index->times);
    QUIPU__VEC_RELEASE(index->memory, &index->entries);
    quipu__buffer_release(&index->bytes);
    index->first_substreams = NULL;
}

/* ---- Asking ---- */

uint32_t quipu__index_find(const struct quipu__index *index, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, index ? index->times.count : 0, i, index->times.items[i] <= time);
    return low > 0 ? (uint32_t)(low - 1) : QUIPU_NONE;
}

static bool has_name(const struct quipu__slice *slice, const char *name) {
    const size_t len = strlen(name);
    return quipu__slice_left(slice) == len && memcmp(slice->at, name, len) == 0;
}

static const struct quipu__index_entry *find_entry(const struct quipu__index *index, const char *name,
                                                   uint32_t stream, uint32_t substream, uint32_t point) {
    uint32_t section = 0;
    while (section < index->section_count && !has_name(&index->names[section], name))
        section++;
    if (section == index->section_count ||
        substream >= index->first_substreams[stream + 1] - index->first_substreams[stream])
        return NULL;
    const size_t number = index->first_substreams[stream] + substream;
    const struct quipu__index_entry *entry =
        &index->entries.items[(number * index->times.count + point) * index->section_count + section];
    return entry->offset == QUIPU_NONE ? NULL : entry;
}

static enum quipu_status unpack(const uint8_t *data, size_t size, struct quipu__buffer *room,
                                struct quipu__slice *out, struct quipu_error *err) {
    const unsigned long long wanted = ZSTD_getFrameContentSize(data, size);
    if (wanted > SECTION_MOST)
        return quipu__fail(err, QUIPU_CORRUPT, "a section of the index cannot be unpacked");
    room->len = 0;
    room->failed = false;
    uint8_t *to = quipu__buffer_room(room, (size_t)wanted + 1); /* never NULL, not even for nothing */
    if (!to)
        return quipu__no_memory(err, (size_t)wanted);
    const size_t got = ZSTD_decompress(to, (size_t)wanted, data, size);
    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return quipu__no_memory(err, size);
    if (ZSTD_isError(got) || got != wanted)
        return quipu__fail(err, QUIPU_CORRUPT, "a section of the index cannot be unpacked");
    *out = quipu__slice_of(to, got);
    return QUIPU_OK;
}

enum quipu_status quipu__index_section(const struct quipu__index *index, const char *name, uint32_t stream,
                                       uint32_t substream, uint32_t point, struct quipu__buffer *room,
                                       struct quipu__slice *out, struct quipu_error *err) {
    const struct quipu__index_entry *entry = find_entry(index, name, stream, substream, point);
    *out = quipu__slice_of(NULL, 0);
    if (!entry)
        return QUIPU_OK;
    const uint8_t *data = index->bytes.data + index->data + entry->offset;
    if (entry->is_packed)
        return unpack(data, entry->size, room, out, err);
    *out = quipu__slice_of(data, entry->size);
    return QUIPU_OK;
}

enum quipu_status quipu__index_resume(const struct quipu__index *index, struct quipu__pass *pass,
                                      struct quipu_error *err) {
    const struct quipu__format *format = pass->trace->format;
    const uint32_t point = quipu__index_find(index, pass->filter->from);
    struct quipu__buffer room;
    struct quipu__slice bytes;
    if (point == QUIPU_NONE || !format->resuming)
        return QUIPU_OK;
    quipu__buffer_init(&room, pass->trace->memory, 0);
    enum quipu_status status = quipu__index_section(index, QUIPU__INDEX_RESUME, pass->stream, pass->substream,
                                                    point, &room, &bytes, err);
    if (status == QUIPU_OK && bytes.at)
        status = format->resuming->resume(pass, bytes, err);
    quipu__buffer_release(&room);
    return status;
}
