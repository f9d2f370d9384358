/* ring.c: making, writing out and closing a thread's buffer. */
#include "record/ring.h"

#include "record/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DATA_OFFSET 64

struct quipu__ring_head quipu__ring_none;

void quipu__ring_init(struct quipu__ring *ring) {
    *ring = (struct quipu__ring){.head = &quipu__ring_none};
}

/* What has no room, and will not have any. */
#define USED_OF_LOST (UINT64_MAX / 2)

/* The buffer of the calling thread, for its handler of signals. */
static _Thread_local struct {
    uint8_t *data;
    size_t size;
} own_mapping;

static size_t mapping_size(uint64_t capacity) {
    return DATA_OFFSET + (size_t)capacity + QUIPU__RING_SLACK;
}

static bool write_all(int fd, const uint8_t *data, size_t size) {
    while (size > 0) {
        const ssize_t count = write(fd, data, size);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            data += count;
            size -= (size_t)count;
        }
    }
    return true;
}

/* Closes whatever happened before; the first error counts. */
static bool close_after(int fd, bool is_fine) {
    const int reason = errno;
    const bool is_closed = close(fd) == 0;
    if (!is_fine)
        errno = reason;
    return is_fine && is_closed;
}

static bool make_stream(const char *path, const void *head, size_t size) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd >= 0 && close_after(fd, write_all(fd, head, size));
}

void *quipu__ring_map_file(const char *path, size_t size) {
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return NULL;
    errno = posix_fallocate(fd, 0, (off_t)size);
    void *map = errno == 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (!close_after(fd, map != MAP_FAILED))
        unlink(path);
    return map == MAP_FAILED ? NULL : map;
}

static bool copy_paths(struct quipu__ring *ring, const char *stream_path) {
    const size_t len = strlen(stream_path);
    ring->stream_path = malloc(len + 1);
    ring->ring_path = malloc(len + sizeof QUIPU__RING_SUFFIX);
    if (!ring->stream_path || !ring->ring_path)
        return false;
    memcpy(ring->stream_path, stream_path, len + 1);
    memcpy(ring->ring_path, stream_path, len);
    memcpy(ring->ring_path + len, QUIPU__RING_SUFFIX, sizeof QUIPU__RING_SUFFIX);
    return true;
}

static void release(struct quipu__ring *ring) {
    const int reason = errno;
    if (ring->data && own_mapping.data == (uint8_t *)ring->head)
        own_mapping.data = NULL;
    if (ring->data)
        munmap(ring->head, mapping_size(ring->capacity));
    free(ring->stream_path);
    free(ring->ring_path);
    quipu__ring_init(ring);
    errno = reason;
}

bool quipu__ring_open(struct quipu__ring *ring, const char *stream_path, const void *head, size_t head_size,
                      size_t capacity) {
    quipu__ring_init(ring);
    if (!copy_paths(ring, stream_path)) {
        release(ring);
        return false;
    }
    const struct quipu__silence silence = quipu__silence_begin();
    unlink(ring->ring_path); /* of a run before, whose stream is about to be replaced */
    void *map = make_stream(stream_path, head, head_size)
                    ? quipu__ring_map_file(ring->ring_path, mapping_size(capacity))
                    : NULL;
    quipu__silence_end(&silence);
    if (!map) {
        release(ring);
        return false;
    }
    own_mapping.data = map;
    own_mapping.size = mapping_size(capacity);
    ring->head = map;
    ring->data = (uint8_t *)map + DATA_OFFSET;
    ring->limit = ring->capacity = capacity;
    *ring->head =
        (struct quipu__ring_head){.data_offset = DATA_OFFSET, .capacity = capacity, .base = head_size};
    ring->head->version = QUIPU__RING_VERSION;
    memcpy(ring->head->magic, QUIPU__RING_MAGIC, sizeof ring->head->magic);
    return true;
}

bool quipu__ring_rescue(const void *address) {
    const uintptr_t begin = (uintptr_t)own_mapping.data, at_fault = (uintptr_t)address;
    if (begin == 0 || at_fault < begin || at_fault - begin >= own_mapping.size)
        return false;
    if (mmap(own_mapping.data, own_mapping.size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    ((struct quipu__ring_head *)(void *)own_mapping.data)->used = USED_OF_LOST;
    return true;
}

/* False with errno when another program has written to the buffer's file, or cut it short. */
static bool is_sound(const struct quipu__ring *ring) {
    const struct quipu__ring_head *head = ring->head;
    if (!ring->data || (memcmp(head->magic, QUIPU__RING_MAGIC, sizeof head->magic) == 0 &&
                        head->used <= ring->capacity + QUIPU__RING_SLACK))
        return true;
    errno = EIO;
    return false;
}

/* Writes behind the first base bytes. What a failed attempt has left there is cut off: it is in the buffer still. */
static bool append_to_stream(const struct quipu__ring *ring, const void *data, size_t size) {
    const int fd = open(ring->stream_path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const off_t base = (off_t)ring->head->base;
    const bool is_fine = lseek(fd, base, SEEK_SET) == base && write_all(fd, data, size);
    const int reason = errno;
    const bool is_cut = is_fine || ftruncate(fd, base) == 0; /* if not, readers ignore it all the same */
    errno = reason;
    return close_after(fd, is_fine && is_cut);
}

bool quipu__ring_write_out(struct quipu__ring *ring) {
    if (!is_sound(ring))
        return false;
    const uint64_t used = ring->head->used;
    if (used == 0)
        return true;
    const struct quipu__silence silence = quipu__silence_begin();
    const bool is_written = append_to_stream(ring, ring->data, (size_t)used);
    quipu__silence_end(&silence);
    if (!is_written)
        return false;
    ring->head->used = 0;
    atomic_signal_fence(memory_order_seq_cst);
    ring->head->base += used;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

bool quipu__ring_append(struct quipu__ring *ring, const void *event, size_t size) {
    if (!quipu__ring_write_out(ring))
        return false;
    const struct quipu__silence silence = quipu__silence_begin();
    const bool is_written = append_to_stream(ring, event, size);
    quipu__silence_end(&silence);
    if (is_written)
        ring->head->base += size;
    return is_written;
}

bool quipu__ring_close(struct quipu__ring *ring) {
    const int shield = quipu__shield_begin();
    const bool is_written = quipu__ring_write_out(ring);
    if (is_written && ring->ring_path)
        unlink(ring->ring_path);
    release(ring);
    quipu__shield_end(shield);
    return is_written;
}

void quipu__ring_abandon(struct quipu__ring *ring) {
    release(ring);
}
