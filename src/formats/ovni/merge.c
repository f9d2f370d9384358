/* merge.c: the merge for commands that do not emulate. */
#include "formats/ovni/merge.h"

#include <inttypes.h>
#include <string.h>

#define WINDOWS_BYTES ((size_t)64 << 20)
#define WINDOW_MOST ((size_t)1 << 20)
#define WINDOW_LEAST ((size_t)4 << 10)

size_t quipu__ovni_window(const struct quipu__memory *memory, size_t streams) {
    const size_t quarter = memory->limit / 4;
    const size_t share = (quarter < WINDOWS_BYTES ? quarter : WINDOWS_BYTES) / (streams + 1);
    if (share > WINDOW_MOST)
        return WINDOW_MOST;
    return share < WINDOW_LEAST ? WINDOW_LEAST : share;
}

static void find(struct quipu__ovni_merge *merge, uint32_t number, enum quipu__ovni_rule rule, uint64_t offset,
                 const char *found) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = merge->files->streams.items[number].path;
    where.byte = offset;
    quipu__find(merge->files->findings, &quipu__ovni_rules[rule], &where, "", "%s", found);
}

static void check_clock(struct quipu__ovni_merge *merge, uint32_t number) {
    const struct quipu__ovni_merge_stream *stream = &merge->streams[number];
    if (stream->has_started && (int64_t)stream->event.clock < stream->clock)
        find(merge, number, QUIPU__OVNI_RULE_CLOCK_BACK, stream->event.offset, " ");
}

static enum quipu_status advance(struct quipu__ovni_merge *merge, uint32_t number, struct quipu_error *err) {
    struct quipu__ovni_merge_stream *stream = &merge->streams[number];
    const enum quipu_status status = quipu__ovni_walk_next(&stream->walk, &stream->event, err);
    if (status == QUIPU_OK) {
        check_clock(merge, number);
        stream->has_started = true;
        stream->clock = (int64_t)stream->event.clock;
        quipu__ovni_heap_put(&merge->heap, number, stream->clock);
        return QUIPU_OK;
    }
    if (status != QUIPU_END)
        return status;
    if (stream->walk.damage != QUIPU__OVNI_RULE_COUNT) {
        find(merge, number, (enum quipu__ovni_rule)stream->walk.damage, QUIPU_UNKNOWN, stream->walk.found);
        merge->errors++;
    } else if (stream->walk.events == 0) {
        find(merge, number, QUIPU__OVNI_RULE_NO_EVENTS, QUIPU_UNKNOWN, " ");
    }
    quipu__ovni_walk_close(&stream->walk);
    stream->is_open = false;
    return QUIPU_OK;
}

static enum quipu_status open_stream(struct quipu__ovni_merge *merge, uint32_t number,
                                     struct quipu_error *err) {
    const struct quipu__ovni_stream *from = &merge->files->streams.items[number];
    struct quipu__ovni_merge_stream *stream = &merge->streams[number];
    if (from->is_missing)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__ovni_walk_open(&stream->walk, merge->files->pool, from->path, from->has_header,
                              quipu__ovni_window(merge->files->memory, merge->files->streams.count), err);
    if (status != QUIPU_OK)
        return status;
    stream->is_open = true;
    return advance(merge, number, err);
}

enum quipu_status quipu__ovni_merge_open(struct quipu__ovni_merge *merge, struct quipu__ovni_files *files,
                                         struct quipu_error *err) {
    const size_t count = files->streams.count;
    *merge = (struct quipu__ovni_merge){.files = files};
    merge->streams = quipu__arena_alloc(&files->arena, (count + 1) * sizeof *merge->streams);
    merge->heap.entries = quipu__arena_alloc(&files->arena, (count + 1) * sizeof *merge->heap.entries);
    if (!merge->streams || !merge->heap.entries)
        return quipu__no_memory(err, count);
    memset(merge->streams, 0, (count + 1) * sizeof *merge->streams);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++)
        status = open_stream(merge, i, err);
    return status;
}

void quipu__ovni_merge_close(struct quipu__ovni_merge *merge) {
    for (size_t i = 0; merge->streams && i < merge->files->streams.count; i++)
        if (merge->streams[i].is_open)
            quipu__ovni_walk_close(&merge->streams[i].walk);
}

enum quipu_status quipu__ovni_merge_next(struct quipu__ovni_merge *merge, struct quipu_error *err) {
    const enum quipu_status status = merge->has_event ? advance(merge, merge->stream, err) : QUIPU_OK;
    merge->has_event = false;
    if (status != QUIPU_OK)
        return status;
    if (merge->heap.count == 0 || merge->errors > 0)
        return QUIPU_END;
    merge->stream = quipu__ovni_heap_take(&merge->heap);
    merge->has_event = true;
    return QUIPU_OK;
}
