/* ring.h: a recorder's buffer of one thread: a file that is mapped, so that events survive whatever ends the program.
 *
 *     struct quipu__ring ring;
 *     if (!quipu__ring_open(&ring, "/folder/stream.obs", head, sizeof head, 2 << 20)) ...errno
 *     uint8_t *room = quipu__ring_room(&ring, size);      NULL: write the buffer out first, or recording has stopped
 *     memcpy(room, event, size);
 *     quipu__ring_commit(&ring, size);
 *     quipu__ring_close(&ring);
 *
 * Putting an event takes no lock, no memory and no call of the system. Only quipu__ring_write_out, which is due once per
 * buffer, opens, writes and closes the stream: between times no descriptor is held, so programs that close
 * all of theirs, or count them, do no harm and take none. A ring belongs to one thread. core/files/recording.h has the layout.
 */
#ifndef QUIPU_RECORD_RING_H
#define QUIPU_RECORD_RING_H

#include "core/files/recording.h"

#include <stdatomic.h>

/* Bytes behind the capacity that may be written, so that small events can be copied without looking at their size. */
#define QUIPU__RING_SLACK 4096

struct quipu__ring {
    struct quipu__ring_head *head; /* never NULL */
    uint8_t *data;
    uint64_t
        limit; /* room ends here; 0 makes every event look for room in vain, so that its caller takes notice */
    uint64_t capacity;
    char *stream_path, *ring_path;
};

/* A ring without room: what a thread has before it records, and afterwards. */
extern struct quipu__ring_head quipu__ring_none;
#define QUIPU__RING_NONE                                                                                       \
    { .head = &quipu__ring_none }
void quipu__ring_init(struct quipu__ring *ring);

/* Makes a stream that holds head, and its buffer beside it; both replace what was there. The path must be absolute, since
 * programs change their directory. False with errno; the ring has no room then. */
bool quipu__ring_open(struct quipu__ring *ring, const char *stream_path, const void *head, size_t head_size,
                      size_t capacity);

/* Writes what the buffer holds to the stream and empties it. False with errno: the events stay in the buffer file. */
bool quipu__ring_write_out(struct quipu__ring *ring);

/* Writes an event behind all others, straight to the stream: one that the buffer has no room for even when it is empty. The buffer is
 * written out before. False with errno. */
bool quipu__ring_append(struct quipu__ring *ring, const void *event, size_t size);

/* Writes out, unmaps and removes the buffer. False with errno: the buffer file stays beside the stream. */
bool quipu__ring_close(struct quipu__ring *ring);

/* Unmaps the buffer and leaves the files as they are: what was recorded can be read. */
void quipu__ring_abandon(struct quipu__ring *ring);

/* Makes a file and maps it. Its blocks are allocated now: where the disk is full, a store into the mapping would end the program. NULL with
 * errno. */
void *quipu__ring_map_file(const char *path, size_t size);

/* In a handler of SIGBUS: whether an address is in the buffer that the calling thread opened last, whose file has been cut short then. The
 * buffer is memory without a file afterwards and has no room, and writing it out fails with EIO. */
bool quipu__ring_rescue(const void *address);

static inline bool quipu__ring_is_open(const struct quipu__ring *ring) {
    return ring->data != NULL;
}

/* Where the next event of size bytes goes; NULL when it does not fit. */
static inline uint8_t *quipu__ring_room(const struct quipu__ring *ring, uint64_t size) {
    const uint64_t used = ring->head->used;
    return __builtin_expect(used + size < ring->limit, 1) ? ring->data + used : NULL;
}

/* Counts an event in, after it was stored. */
static inline void quipu__ring_commit(struct quipu__ring *ring, uint64_t size) {
    atomic_signal_fence(memory_order_release);
    ring->head->used += size;
}

#endif
