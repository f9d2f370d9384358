/* merge.h: the events of all streams in the order of their uncorrected clocks: for printing and counting. */
#ifndef QUIPU_OVNI_MERGE_H
#define QUIPU_OVNI_MERGE_H

#include "formats/ovni/files.h"
#include "formats/ovni/heap.h"

struct quipu__ovni_merge_stream {
    struct quipu__ovni_walk walk;
    struct quipu__ovni_event event;
    bool is_open, has_started;
    int64_t clock;
};

struct quipu__ovni_merge {
    struct quipu__ovni_files *files;
    struct quipu__ovni_merge_stream *streams;
    struct quipu__ovni_heap heap;
    uint32_t stream; /* the stream of the current event */
    bool has_event;
    uint64_t errors; /* streams that broke off */
};

enum quipu_status quipu__ovni_merge_open(struct quipu__ovni_merge *merge, struct quipu__ovni_files *files,
                                         struct quipu_error *err);
void quipu__ovni_merge_close(struct quipu__ovni_merge *merge);

/* Moves to the next event. QUIPU_END after the last, and when a stream is truncated. A clock that goes back is a finding. */
enum quipu_status quipu__ovni_merge_next(struct quipu__ovni_merge *merge, struct quipu_error *err);

/* Bytes of window for each of that many streams: together they stay within a limit, and within a quarter of the memory. */
size_t quipu__ovni_window(const struct quipu__memory *memory, size_t streams);

#endif
