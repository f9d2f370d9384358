/* recording.c: reading what a recorder's buffer file holds of a stream. */
#include "core/files/recording.h"

#include "core/error.h"
#include "core/files/input.h"
#include "core/os.h"

#include <string.h>

/* Larger buffers are not from our recorders, and not worth the memory. */
#define RING_MOST ((size_t)64 << 20)

static bool head_is_sound(const struct quipu__ring_head *head, uint64_t ring_size, uint64_t stream_size) {
    return memcmp(head->magic, QUIPU__RING_MAGIC, sizeof head->magic) == 0 &&
           head->version == QUIPU__RING_VERSION && head->data_offset >= sizeof *head &&
           head->data_offset <= ring_size && head->used <= ring_size - head->data_offset &&
           head->used <= head->capacity && head->base <= stream_size;
}

/* Reads head and data of a buffer file, and appends the data to the stream's input. */
static enum quipu_status splice(struct quipu__input *ring, struct quipu__input *stream,
                                enum quipu__ring_state *state, struct quipu_error *err) {
    struct quipu__ring_head head;
    enum quipu_status status = quipu__input_more(ring, sizeof head, err);
    if (status != QUIPU_OK)
        return status;
    *state = QUIPU__RING_DAMAGED;
    if ((size_t)(ring->end - ring->at) < sizeof head || ring->size > RING_MOST)
        return QUIPU_OK;
    memcpy(&head, ring->at, sizeof head);
    if (!head_is_sound(&head, ring->size, stream->size))
        return QUIPU_OK;
    status = quipu__input_more(ring, (size_t)(head.data_offset + head.used), err);
    if (status != QUIPU_OK || (size_t)(ring->end - ring->at) < head.data_offset + head.used)
        return status;
    *state = head.used ? QUIPU__RING_SPLICED : QUIPU__RING_ABSENT;
    return head.used
               ? quipu__input_splice(stream, head.base, ring->at + head.data_offset, (size_t)head.used, err)
               : QUIPU_OK;
}

enum quipu_status quipu__recording_splice(struct quipu__files *files, const char *stream_path,
                                          struct quipu__input *input, enum quipu__ring_state *out_state,
                                          struct quipu_error *err) {
    const size_t len = strlen(stream_path), size = len + sizeof QUIPU__RING_SUFFIX;
    *out_state = QUIPU__RING_ABSENT;
    char *path = quipu__alloc(files->memory, size);
    if (!path)
        return quipu__no_memory(err, size);
    memcpy(path, stream_path, len);
    memcpy(path + len, QUIPU__RING_SUFFIX, sizeof QUIPU__RING_SUFFIX);
    struct quipu__input *ring = NULL;
    enum quipu_status status = QUIPU_OK;
    if (quipu__path_kind(path, NULL) == QUIPU__PATH_FILE)
        status = quipu__input_open(files, path, QUIPU__CODEC_NONE, 0, &ring, err);
    if (ring)
        status = splice(ring, input, out_state, err);
    quipu__input_close(ring);
    quipu__release(files->memory, path, size);
    return status;
}
