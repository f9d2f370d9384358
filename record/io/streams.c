/* streams.c: the C library's streams. Their reading and writing happens inside of it, so the requests recorded are those of the
 * program: what it reads from a stream and writes to it, at the stream's position. */
#include "record/io/recorder.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#define READ 0
#define WRITE QUIPU__CHARISMA_WRITE

/* -1 for streams in memory and those of the program's own functions, which is no error of its own. */
static int descriptor_of(FILE *stream) {
    const int reason = errno;
    const int fd = fileno(stream);
    errno = reason;
    return fd;
}

/* ---- Opening and closing ---- */

/* The flags of open() for a mode of fopen(). */
static int flags_of(const char *mode) {
    const int both = strchr(mode, '+') ? O_RDWR : 0;
    if (*mode == 'r')
        return both;
    return (both ? both : O_WRONLY) | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
}

static FILE *opened(FILE *stream, const char *mode) {
    recorder_return();
    if (stream) {
        descriptor_opened(descriptor_of(stream), flags_of(mode), recorder_now());
        characters_opened(stream, *mode == 'a');
    }
    recorder_leave();
    return stream;
}

QUIPU_EXPORT FILE *fopen(const char *path, const char *mode) {
    if (!recorder_enter())
        return REAL(fopen)(path, mode);
    recorder_leave();
    return opened(REAL(fopen)(path, mode), mode);
}
ALIAS(fopen64, fopen)

/* A stream on a descriptor that is open already. */
QUIPU_EXPORT FILE *fdopen(int fd, const char *mode) {
    FILE *stream = REAL(fdopen)(fd, mode);
    if (!stream || !recorder_enter_for(fd))
        return stream;
    characters_opened(stream, *mode == 'a' || fcntl(fd, F_GETFL) & O_APPEND);
    recorder_leave();
    return stream;
}

/* What is known of a stream goes before the stream does, which the C library may do inside of the call. */
static struct closing stream_closing(FILE *stream, int fd) {
    const struct closing closing = descriptor_closing(fd);
    characters_forget(stream);
    return closing;
}

QUIPU_EXPORT FILE *freopen(const char *path, const char *mode, FILE *stream) {
    const int fd = descriptor_of(stream);
    if (!recorder_enter()) {
        characters_forget(stream);
        return REAL(freopen)(path, mode, stream);
    }
    const struct closing closing = stream_closing(stream, fd);
    recorder_leave();
    FILE *result = REAL(freopen)(path, mode, stream);
    recorder_return();
    descriptor_closed(fd, &closing);
    recorder_leave();
    return opened(result, mode);
}
ALIAS(freopen64, freopen)

QUIPU_EXPORT FILE *tmpfile(void) {
    if (!recorder_enter())
        return REAL(tmpfile)();
    recorder_leave();
    return opened(REAL(tmpfile)(), "w+");
}
ALIAS(tmpfile64, tmpfile)

#define CLOSING(name)                                                                                          \
    QUIPU_EXPORT int name(FILE *stream) {                                                                      \
        const int fd = descriptor_of(stream);                                                                  \
        if (!recorder_enter()) {                                                                               \
            characters_forget(stream);                                                                         \
            return REAL(name)(stream);                                                                         \
        }                                                                                                      \
        const struct closing closing = stream_closing(stream, fd);                                             \
        recorder_leave();                                                                                      \
        const int result = REAL(name)(stream);                                                                 \
        recorder_return();                                                                                     \
        descriptor_closed(fd, &closing);                                                                       \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }
CLOSING(fclose)
CLOSING(pclose)

/* ---- Reading and writing ---- */

static void record_stream_request(FILE *stream, uint8_t operation, uint64_t begin, int64_t offset,
                                  const void *memory, ssize_t size) {
    const int fd = descriptor_of(stream);
    if (operation == WRITE && characters_append(stream)) /* what is in the buffer goes there, too */
        offset = descriptor_end(fd) + (int64_t)__fpending(stream) - size;
    record_request(fd, operation, begin, offset, memory, size);
    characters_requested(stream, size);
}

/* A call on a stream; size is how many bytes it has moved, by its result. What reads or writes a character at a time is not here: it
 * moves bytes of the stream's buffer, and a record of each would take longer than the call. */
#define STREAMING(type, name, operation, size, memory, parameters, arguments)                                  \
    QUIPU_EXPORT type name parameters {                                                                        \
        if (!recorder_enter_for(descriptor_of(stream)))                                                        \
            return REAL(name) arguments;                                                                       \
        const int64_t offset = ftello(stream);                                                                 \
        const uint64_t begin = recorder_now();                                                                 \
        recorder_leave();                                                                                      \
        type result = REAL(name) arguments;                                                                    \
        recorder_return();                                                                                     \
        const ssize_t moved = (ssize_t)(size);                                                                 \
        record_stream_request(stream, operation, begin, offset, moved < 0 ? NULL : (memory), moved);           \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }

#undef fread_unlocked
#undef fwrite_unlocked
#define LENGTH (result ? (ssize_t)strlen(result) : -1)
#define WRITTEN (result >= 0 ? (ssize_t)strlen(text) : -1)

/* What the C library calls where it has been told to check sizes, which it declares nowhere. */
size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *text, size_t room, int size, FILE *stream);
ssize_t __getdelim(char **line, size_t *room, int delimiter, FILE *stream);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list values);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list values);
int __printf_chk(int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list values);
int __dprintf_chk(int fd, int flag, const char *format, ...);

/* clang-format off */
STREAMING(size_t, fread, READ, result * size, data, (void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
STREAMING(size_t, fwrite, WRITE, result * size, data, (const void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
STREAMING(size_t, fread_unlocked, READ, result * size, data, (void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
STREAMING(size_t, fwrite_unlocked, WRITE, result * size, data, (const void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
STREAMING(size_t, __fread_chk, READ, result * size, data, (void *data, size_t room, size_t size, size_t count, FILE *stream), (data, room, size, count, stream))
STREAMING(char *, fgets, READ, LENGTH, text, (char *text, int size, FILE *stream), (text, size, stream))
STREAMING(char *, fgets_unlocked, READ, LENGTH, text, (char *text, int size, FILE *stream), (text, size, stream))
STREAMING(char *, __fgets_chk, READ, LENGTH, text, (char *text, size_t room, int size, FILE *stream), (text, room, size, stream))
STREAMING(int, fputs, WRITE, WRITTEN, text, (const char *text, FILE *stream), (text, stream))
STREAMING(int, fputs_unlocked, WRITE, WRITTEN, text, (const char *text, FILE *stream), (text, stream))
STREAMING(ssize_t, getline, READ, result, *line, (char **line, size_t *room, FILE *stream), (line, room, stream))
STREAMING(ssize_t, getdelim, READ, result, *line, (char **line, size_t *room, int delimiter, FILE *stream), (line, room, delimiter, stream))
STREAMING(ssize_t, __getdelim, READ, result, *line, (char **line, size_t *room, int delimiter, FILE *stream), (line, room, delimiter, stream))
STREAMING(int, vfprintf, WRITE, result, format, (FILE *stream, const char *format, va_list values), (stream, format, values))
STREAMING(int, __vfprintf_chk, WRITE, result, format, (FILE *stream, int flag, const char *format, va_list values), (stream, flag, format, values))
/* clang-format on */

/* ---- Moving ---- */

/* Of a stream, or of all (NULL), before a call behind which the position, or the buffer, is another one. */
static bool enter_moving(FILE *stream) {
    if ((stream && descriptor_is_other(descriptor_of(stream))) || !recorder_enter())
        return false;
    characters_moving(stream);
    recorder_leave();
    return true;
}

static void moved(FILE *stream) {
    recorder_return();
    characters_moved(stream);
    recorder_leave();
}

#define MOVING(name, parameters, arguments)                                                                    \
    QUIPU_EXPORT int name parameters {                                                                         \
        const bool is_recorded = enter_moving(stream);                                                         \
        const int result = REAL(name) arguments;                                                               \
        if (is_recorded)                                                                                       \
            moved(stream);                                                                                     \
        return result;                                                                                         \
    }
MOVING(fseek, (FILE * stream, long offset, int from), (stream, offset, from))
MOVING(fseeko, (FILE * stream, off_t offset, int from), (stream, offset, from))
ALIAS(fseeko64, fseeko)
MOVING(fsetpos, (FILE * stream, const fpos_t *position), (stream, position))
QUIPU_EXPORT int fsetpos64(FILE *stream, const fpos64_t *position) __attribute__((alias("fsetpos")));
MOVING(fflush, (FILE * stream), (stream))
MOVING(fflush_unlocked, (FILE * stream), (stream))

QUIPU_EXPORT void rewind(FILE *stream) {
    const bool is_recorded = enter_moving(stream);
    REAL(rewind)(stream);
    if (is_recorded)
        moved(stream);
}

/* ---- Formatted output ---- */

/* To a descriptor, by writes inside of the C library. */
#define PRINTING(name, parameters, arguments)                                                                  \
    QUIPU_EXPORT int name parameters {                                                                         \
        if (!recorder_enter_for(fd))                                                                           \
            return REAL(name) arguments;                                                                       \
        const uint64_t begin = recorder_now();                                                                 \
        recorder_leave();                                                                                      \
        const int result = REAL(name) arguments;                                                               \
        recorder_return();                                                                                     \
        record_request(fd, WRITE, begin, CURRENT_OFFSET, format, result);                                      \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }
PRINTING(vdprintf, (int fd, const char *format, va_list values), (fd, format, values))
PRINTING(__vdprintf_chk, (int fd, int flag, const char *format, va_list values), (fd, flag, format, values))

/* Calls the function above with the values behind the last parameter. */
#define FORMATTED(name, last, parameters, call)                                                                \
    QUIPU_EXPORT int name parameters {                                                                         \
        va_list values;                                                                                        \
        va_start(values, last);                                                                                \
        const int result = call;                                                                               \
        va_end(values);                                                                                        \
        return result;                                                                                         \
    }

/* clang-format off */
FORMATTED(dprintf, format, (int fd, const char *format, ...), vdprintf(fd, format, values))
FORMATTED(__dprintf_chk, format, (int fd, int flag, const char *format, ...), __vdprintf_chk(fd, flag, format, values))
FORMATTED(fprintf, format, (FILE *stream, const char *format, ...), vfprintf(stream, format, values))
FORMATTED(printf, format, (const char *format, ...), vfprintf(stdout, format, values))
FORMATTED(__fprintf_chk, format, (FILE *stream, int flag, const char *format, ...), __vfprintf_chk(stream, flag, format, values))
FORMATTED(__printf_chk, format, (int flag, const char *format, ...), __vfprintf_chk(stdout, flag, format, values))
/* clang-format on */

QUIPU_EXPORT int vprintf(const char *format, va_list values) {
    return vfprintf(stdout, format, values);
}

QUIPU_EXPORT int __vprintf_chk(int flag, const char *format, va_list values) {
    return __vfprintf_chk(stdout, flag, format, values);
}

/* The text and a newline. */
QUIPU_EXPORT int puts(const char *text) {
    const int fd = descriptor_of(stdout);
    if (!recorder_enter_for(fd))
        return REAL(puts)(text);
    const int64_t offset = ftello(stdout);
    const uint64_t begin = recorder_now();
    recorder_leave();
    const int result = REAL(puts)(text);
    recorder_return();
    record_stream_request(stdout, WRITE, begin, offset, text, result >= 0 ? (ssize_t)strlen(text) + 1 : -1);
    recorder_leave();
    return result;
}
