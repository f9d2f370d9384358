/* characters.c: how many bytes single characters have moved in streams of the C library. getc and putc take bytes of the stream's buffer, in
 * part inside of programs, so no call tells of them. But the stream's position does: what it has advanced by more than by recorded requests.
 *
 * Only streams whose opening was seen are looked at: others may be closed inside of the C library (endmntent), which goes unseen.
 * A position is that of the file, which others may advance: children that have inherited it, and whoever appends to the same file.
 * There only what is in the buffer is certain: that is less than what was moved, never more. */
#include "record/io/recorder.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <unistd.h>

#define UNKNOWN INT64_C(-1)

/* A stream by its descriptor. All of it is since the bytes were counted last. */
struct track {
    _Atomic(FILE *) stream; /* NULL: there is none */
    _Atomic int64_t begin;  /* its position then */
    _Atomic int64_t recorded;
    atomic_bool is_shared, appends;
};
static struct track tracks[DESCRIPTORS];
static atomic_int highest;

static struct track *track_at(int fd) {
    return fd >= 0 && fd < DESCRIPTORS && atomic_load_explicit(&tracks[fd].stream, memory_order_relaxed)
               ? &tracks[fd]
               : NULL;
}

static struct track *track_of(FILE *stream) {
    struct track *track = track_at(fileno(stream));
    return track && atomic_load(&track->stream) == stream ? track : NULL;
}

static void begin_track(int fd, FILE *stream, int64_t position, bool appends) {
    if (fd < 0 || fd >= DESCRIPTORS)
        return;
    struct track *track = &tracks[fd];
    atomic_store(&track->begin, position);
    atomic_store(&track->recorded, 0);
    atomic_store(&track->is_shared, appends);
    atomic_store(&track->appends, appends);
    atomic_store(&track->stream, stream);
    if (fd > atomic_load(&highest))
        atomic_store(&highest, fd);
}

/* ---- Counting ---- */

struct look {
    int64_t position, in_buffer;
};

/* Streams that another thread is in the middle of using are not waited for: it may wait for this one, or be dead. */
static bool look_at(FILE *stream, struct look *out) {
    if (ftrylockfile(stream) != 0)
        return false;
    const bool is_used = __fbufsize(stream) > 0;
    if (is_used)
        *out = (struct look){ftello(stream), __fwriting(stream) ? (int64_t)__fpending(stream) : 0};
    funlockfile(stream);
    return is_used && out->position >= 0;
}

/* Less than nothing is a correction: characters were given back, or a request of another thread was not counted yet when it had been made. */
static void put_count(FILE *stream, int64_t bytes) {
    if (bytes == 0 || !descriptor_is_file(fileno(stream)))
        return;
    const struct characters record = {.type = RECORD_CHARACTERS,
                                      .are_written = __fwriting(stream) != 0,
                                      .time = recorder_now(),
                                      .bytes = bytes};
    recorder_put(&record, sizeof record);
}

/* What is in the buffer of a shared stream is counted once: it stays there as if it were recorded. */
static void count(struct track *track) {
    FILE *stream = atomic_load(&track->stream);
    struct look look;
    if (atomic_load(&track->begin) == UNKNOWN || !look_at(stream, &look))
        return;
    const int64_t begin = atomic_exchange(&track->begin, look.position);
    if (atomic_load(&track->is_shared)) {
        const int64_t bytes = look.in_buffer - atomic_exchange(&track->recorded, look.in_buffer);
        put_count(stream, bytes > 0 ? bytes : 0);
    } else {
        const int64_t recorded = atomic_exchange(&track->recorded, 0);
        put_count(stream, look.position - begin - recorded);
    }
}

/* ---- What happens to streams ---- */

void characters_begin_process(void) {
    FILE *const streams[] = {stdin, stdout, stderr};
    for (int fd = 0; fd < 3; fd++) {
        const int64_t position = lseek(fd, 0, SEEK_CUR);
        const int flags = position >= 0 ? fcntl(fd, F_GETFL) : 0;
        begin_track(fd, streams[fd], position, flags >= 0 && flags & O_APPEND);
    }
}

void characters_opened(FILE *stream, bool appends) {
    const int fd = fileno(stream);
    const int64_t position = fd >= 0 ? lseek(fd, 0, SEEK_CUR) : UNKNOWN;
    if (position >= 0)
        begin_track(fd, stream, position, appends);
}

bool characters_append(FILE *stream) {
    struct track *track = track_of(stream);
    return track && atomic_load_explicit(&track->appends, memory_order_relaxed);
}

void characters_requested(FILE *stream, ssize_t bytes) {
    struct track *track = track_of(stream);
    if (track && bytes > 0)
        atomic_fetch_add_explicit(&track->recorded, bytes, memory_order_relaxed);
}

void characters_passed_by(int fd, ssize_t bytes) {
    struct track *track = track_at(fd);
    if (track && !atomic_load_explicit(&track->is_shared, memory_order_relaxed))
        atomic_fetch_add_explicit(&track->recorded, bytes, memory_order_relaxed);
}

static void each_track(void (*visit)(struct track *)) {
    const int last = atomic_load(&highest);
    for (int fd = 0; fd <= last; fd++) {
        struct track *track = track_at(fd);
        if (track)
            visit(track);
    }
}

static void visit_tracks(FILE *stream, void (*visit)(struct track *)) {
    struct track *track = stream ? track_of(stream) : NULL;
    if (track)
        visit(track);
    else if (!stream)
        each_track(visit);
}

static void begin_again(struct track *track) {
    struct look look;
    if (atomic_load(&track->begin) == UNKNOWN || !look_at(atomic_load(&track->stream), &look))
        return;
    atomic_store(&track->begin, look.position);
    atomic_store(&track->recorded, atomic_load(&track->is_shared) ? look.in_buffer : 0);
}

void characters_moving(FILE *stream) {
    visit_tracks(stream, count);
}

void characters_moved(FILE *stream) {
    visit_tracks(stream, begin_again);
}

/* The standard streams stay what they are, whatever their descriptors stand for. */
void characters_closing(int fd) {
    struct track *track = track_at(fd);
    if (!track)
        return;
    count(track);
    atomic_store(&track->begin, UNKNOWN);
    if (fd > STDERR_FILENO)
        atomic_store(&track->stream, NULL);
}

void characters_reopened(int fd, int flags) {
    struct track *track = track_at(fd);
    if (track && atomic_load(&track->begin) == UNKNOWN)
        begin_track(fd, atomic_load(&track->stream), lseek(fd, 0, SEEK_CUR), flags & O_APPEND);
}

void characters_forget(FILE *stream) {
    const int reason = errno;
    struct track *track = track_of(stream);
    if (track)
        atomic_store(&track->stream, NULL);
    errno = reason;
}

static void share(struct track *track) {
    atomic_store(&track->is_shared, true);
}

void characters_shared(void) {
    each_track(share);
}

static void count_and_share(struct track *track) {
    count(track);
    share(track);
    begin_again(track);
}

void characters_count_and_share(void) {
    each_track(count_and_share);
}
