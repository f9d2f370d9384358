/* builder.h: putting an index together: substream by substream, and of each substream point by point, what is known there is added.
 *
 *     quipu__index_builder_init(&builder, trace, err), quipu__index_builder_survey(…), quipu__index_builder_name(…),
 *     quipu__index_builder_point(…)
 *     for each substream: until it has all points (quipu__index_builder_next): quipu__index_builder_add(…)
 *     quipu__index_builder_write(…)
 *     quipu__index_builder_release(&builder)
 *
 * Whenever the index becomes larger than it may be, every second point is dropped, for the substreams so far and for those to
 * come. The last point always stays.
 */
#ifndef QUIPU_INDEX_BUILDER_H
#define QUIPU_INDEX_BUILDER_H

#include "core/error.h"
#include "index/index.h"

#include <string.h>

struct quipu__index_builder {
    const struct quipu__trace *trace;
    struct quipu__index index;
    size_t most;               /* bytes */
    uint32_t substream, point; /* that come next */
    struct quipu__buffer
        last[QUIPU__INDEX_SECTIONS_MOST]; /* what was added to the substream at the point before */
    bool has_last;
    struct quipu__buffer stamps; /* of the trace's files at the beginning */
    struct quipu__buffer survey;
    void *packer; /* of zstd */
    struct quipu__buffer packed;
};

enum quipu_status quipu__index_builder_init(struct quipu__index_builder *builder,
                                            const struct quipu__trace *trace, struct quipu_error *err);
void quipu__index_builder_release(struct quipu__index_builder *builder);

/* Puts in what the format has found by reading all of the trace, if it does that and if there is room: a quarter of the index. */
enum quipu_status quipu__index_builder_survey(struct quipu__index_builder *builder, struct quipu_error *err);

/* Names the next section; borrowed. At most QUIPU__INDEX_SECTIONS_MOST. */
static inline void quipu__index_builder_name(struct quipu__index_builder *builder, const char *name) {
    builder->index.names[builder->index.section_count++] = quipu__slice_of(name, strlen(name));
}

/* Adds a point, which is behind the one before. */
static inline enum quipu_status quipu__index_builder_point(struct quipu__index_builder *builder, int64_t time,
                                                           struct quipu_error *err) {
    return QUIPU__VEC_PUT(builder->index.memory, &builder->index.times, time)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof time);
}

/* The time of the next point of that substream; false when it has all. */
static inline bool quipu__index_builder_next(const struct quipu__index_builder *builder, uint32_t substream,
                                             int64_t *time) {
    if (substream != builder->substream || builder->index.times.count == 0)
        return false;
    *time = builder->index.times.items[builder->point];
    return true;
}

/* Adds the sections of the next point of the substream at hand, in the order of their names. The contents are copied. QUIPU_LIMIT
 * when not even one point fits. */
enum quipu_status quipu__index_builder_add(struct quipu__index_builder *builder,
                                           const struct quipu__buffer *sections, struct quipu_error *err);

/* Writes the index into a file when it is complete. *out_bytes is its size. QUIPU_CORRUPT when the trace is no longer what it was at
 * the beginning. */
enum quipu_status quipu__index_builder_write(struct quipu__index_builder *builder, struct quipu__file *file,
                                             uint64_t *out_bytes, struct quipu_error *err);

#endif
