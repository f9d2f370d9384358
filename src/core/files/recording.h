/* recording.h: the buffer file that a recorder maps beside each stream it writes, and what it leaves there when its program
 * is killed.
 *
 *     STREAM        what has been written: the first base bytes of the stream
 *     STREAM.ring   struct quipu__ring_head, then from data_offset on used bytes that follow them
 *
 * The recorder first stores an event after the data and then adds it to used, so used always covers whole events, whenever
 * the program ends. When the buffer is full, its bytes are written to the stream, then used becomes 0, then base is
 * advanced; after each of these steps base and used are right or used is 0. A stream that was completed has no buffer file.
 * Numbers have the byte order of the machine that records.
 */
#ifndef QUIPU_CORE_FILES_RECORDING_H
#define QUIPU_CORE_FILES_RECORDING_H

#include <quipu/base.h>

#define QUIPU__RING_SUFFIX ".ring"
#define QUIPU__RING_MAGIC "quipring"
#define QUIPU__RING_VERSION 1

struct quipu__ring_head {
    char magic[8];
    uint32_t version;
    uint32_t data_offset;
    uint64_t capacity; /* most bytes of data */
    uint64_t base;
    uint64_t used;
    uint64_t reserved[3];
};

struct quipu__files;
struct quipu__input;
struct quipu_error;

enum quipu__ring_state {
    QUIPU__RING_ABSENT,  /* no buffer file, or an empty one: the stream is all there is */
    QUIPU__RING_SPLICED, /* the input continues with the buffer's data */
    QUIPU__RING_DAMAGED /* the buffer file contradicts itself or the stream; the input shows the stream alone */
};

/* For an input that was just opened on an uncompressed stream (QUIPU__CODEC_NONE), from which nothing has been read yet:
 * looks for the buffer file beside it and makes the input show the recorded bytes as one. */
enum quipu_status quipu__recording_splice(struct quipu__files *files, const char *stream_path,
                                          struct quipu__input *input, enum quipu__ring_state *out_state,
                                          struct quipu_error *err);

#endif
