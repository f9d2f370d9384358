/* recorder.h: what the intercepted calls of the I/O recorder share.
 *
 *     if (!recorder_enter_for(fd))                  also inside of the recorder itself, and when nothing is recorded
 *         return REAL(read)(fd, data, size);
 *     const uint64_t begin = recorder_now();
 *     recorder_leave();
 *     const ssize_t count = REAL(read)(fd, data, size);
 *     recorder_return();
 *     record_request(...);
 *     recorder_leave();                             errno is what the call left
 *
 * The real call is the program's: a thread may be cancelled in it, leave it by longjmp out of a signal's handler, and never come back,
 * and what such a handler does is recorded. So nothing may be held meanwhile, and nothing be half done.
 */
#ifndef QUIPU_RECORD_IO_RECORDER_H
#define QUIPU_RECORD_IO_RECORDER_H

#include "record/clock.h"
#include "record/io/records.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define QUIPU_EXPORT __attribute__((visibility("default")))

/* What headers of a C library before glibc 2.34 do not have: programs may run with a newer one. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND 0x20
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif
int close_range(unsigned first, unsigned last, int flags);
int execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags);

/* The C library's function of that name. */
#define REAL(name)                                                                                             \
    (__extension__({                                                                                           \
        static __typeof__(&(name)) real;                                                                       \
        if (!real)                                                                                             \
            real = (__typeof__(&(name)))dlsym(RTLD_NEXT, #name);                                               \
        real;                                                                                                  \
    }))

/* Another name of a function in the same file. */
#define ALIAS(name, of) QUIPU_EXPORT __typeof__(of) name __attribute__((alias(#of)));

/* False when the call is none to record. What is between entering, or returning, and leaving goes unrecorded. recorder_leave gives errno
 * the value that it had. */
bool recorder_enter(void);
void recorder_return(void);
void recorder_leave(void);

/* The same without a stream to record to: nothing can be put. */
bool recorder_enter_without_stream(void);

/* The same for calls that change which descriptors there are: false in a child of vfork, whose descriptors are its own. */
bool recorder_enter_own(void);

/* The same for a call on a descriptor: false when it is that of no regular file. */
bool recorder_enter_for(int fd);

/* What another recorder writes in between is none of the program's input and output. */
QUIPU_EXPORT void quipu_recorder_io_pause(bool is_paused);

static inline uint64_t recorder_now(void) {
    return quipu__clock_now();
}

/* Of the calling thread and its process. */
int32_t recorder_client(void);
int32_t recorder_app(void);

/* Appends a record to the stream of the calling thread. */
void recorder_put(const void *record, size_t size);

/* Something about the process that a user has to know; the second one is for what goes unrecorded itself. */
void recorder_note(enum recorder_note note);
void recorder_put_note(enum recorder_note note);

/* Notes that a process has a ring of io_uring, if a descriptor, or any of them, is one. */
void rings_look_at(int fd);
void rings_look_at_all(void);

/* Whether a program that this process executes can make files where the recorder's are. */
bool recorder_can_note(void);

/* A program that is about to be executed will not load the recorder, or not be able to record. Returns a number, by which this is taken back. */
uint64_t recorder_note_program(const char *program);
void recorder_take_back_program(uint64_t number);

/* The process is about to have system calls refused, perhaps those of the recorder: if that succeeds, recording ends with it.
 * False when nothing is recorded; else recorder_confined has to follow. */
bool recorder_confining(void);
void recorder_confined(bool has_succeeded);

/* Whether the calling process is the one that the recorder knows: not so in a child of vfork. */
bool recorder_is_own_process(void);

/* ---- Descriptors ---- */

#define DESCRIPTORS 65536 /* those above are not recorded */

/* Whether a descriptor is that of a regular file. If it has come from elsewhere (inherited, received), its file is found and
 * recorded as opened now. */
bool descriptor_is_file(int fd);

/* For descriptors that are known to be no files, without asking the system. */
bool descriptor_is_other(int fd);

void descriptor_opened(int fd, int flags, uint64_t time);

/* The same for one that is there, as its file is open now; nothing when there is none. */
void descriptor_found(int fd);

/* Whether Linux puts what is written to a descriptor behind the end of its file, whatever offset the call names: for pwritev2 and libaio its
 * flags tell, too. And where that end is now; -1: it is not known. */
bool descriptor_appends(int fd, int flags);
int64_t descriptor_end(int fd);

/* The offset of count bytes that were written when the call has named one. */
int64_t descriptor_written_at(int fd, int64_t named, ssize_t count, int flags);

/* What is to be known of a descriptor before it is closed: the time too, since another thread may get its number right after. */
struct closing {
    bool is_file;
    int64_t size;
    uint64_t time;
};
struct closing descriptor_closing(int fd);
void descriptor_closed(int fd, const struct closing *closing);

/* The descriptors are the parent's: each is found again when it is used. */
void descriptors_forget(void);

/* Requests in flight are the parent's, too, whose other threads may have held what guards them. */
void requests_forget(void);

/* All from first to last are about to be closed. */
void descriptors_closed(unsigned first, unsigned last);

/* ---- Characters of streams: what moves them one at a time is no call, or too short for a record, so they are counted (characters.c) ---- */

/* The standard streams are there when the process begins. */
void characters_begin_process(void);

/* A stream is open on a descriptor. Others may append to the same file where it appends. */
void characters_opened(FILE *stream, bool appends);

/* Whether it does: what is written to it then goes behind the end of the file, wherever its position is. */
bool characters_append(FILE *stream);

/* A recorded request has moved count bytes of a stream. */
void characters_requested(FILE *stream, ssize_t count);

/* So has one on its descriptor, if there is a stream. */
void characters_passed_by(int fd, ssize_t count);

/* A stream, or all of them (NULL), moves elsewhere, or is written out: before, and after it has done so. What was moved is counted up to
 * then. */
void characters_moving(FILE *stream);
void characters_moved(FILE *stream);

/* A descriptor stands for another file, or for none, from now on. */
void characters_closing(int fd);
void characters_reopened(int fd, int flags);

/* A stream is about to be closed: its memory is the C library's again. Also where nothing is recorded. */
void characters_forget(FILE *stream);

/* A child has been made that has the same files, and may write to them: then positions do not tell what this process has moved. */
void characters_shared(void);

/* The same after counting what was moved up to now. */
void characters_count_and_share(void);

/* What is known of a file now. */
struct file_facts {
    uint64_t id; /* device, inode and time of birth as one: an inode is used again once its file is gone */
    uint64_t links;
    int64_t size, changed; /* in bytes; in seconds */
    bool is_regular;
};

/* What a path leads to, or a descriptor. False when there is nothing. */
bool file_look(int folder, const char *path, int link_flags, struct file_facts *out);
bool file_look_at(int fd, struct file_facts *out);

/* ---- Records of calls ---- */

#define CURRENT_OFFSET INT64_C(-1) /* behind the request lies the descriptor's position */

/* A read or write of count bytes that has succeeded; others are not recorded. */
void record_request(int fd, uint8_t operation, uint64_t begin, int64_t offset, const void *memory,
                    ssize_t count);
void record_async_request(int fd, uint8_t operation, uint64_t begin, int64_t offset, const void *memory,
                          size_t size, int64_t async);
void record_async_end(int64_t async, int32_t client, uint64_t call);
void record_control(int fd, int request, int argument, uint64_t time);
void record_size_change(const struct file_facts *before, int64_t size, uint64_t time);
/* The name that a path has given a file, if it is still there. */
void record_name(int folder, const char *path, const struct file_facts *file, uint64_t time);

void record_link_change(enum record_type type, const struct file_facts *found, uint64_t count, uint64_t time);

#endif
