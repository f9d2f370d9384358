/* output.c: buffered writing, and numbers as text two digits at a time. */
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)

bool quipu__undumpi_output_init(struct quipu__undumpi_output *output, int fd) {
    char *data = malloc(BUFFER_BYTES);
    *output = (struct quipu__undumpi_output){data, data, data ? data + BUFFER_BYTES : NULL, fd, data == NULL};
    return data != NULL;
}

static void write_all(struct quipu__undumpi_output *output, const char *data, size_t len) {
    while (len > 0 && !output->failed) {
        const ssize_t written = write(output->fd, data, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            output->failed = true;
            return;
        }
        data += written;
        len -= (size_t)written;
    }
}

void quipu__undumpi_flush(struct quipu__undumpi_output *output) {
    write_all(output, output->data, (size_t)(output->at - output->data));
    output->at = output->data;
}

bool quipu__undumpi_output_finish(struct quipu__undumpi_output *output) {
    if (output->data)
        quipu__undumpi_flush(output);
    free(output->data);
    output->data = output->at = output->end = NULL;
    return !output->failed;
}

void quipu__undumpi_say(struct quipu__undumpi_output *output, const char *text, size_t len) {
    if ((size_t)(output->end - output->at) < len)
        quipu__undumpi_flush(output);
    if ((size_t)(output->end - output->at) < len) {
        write_all(output, text, len);
        return;
    }
    memcpy(output->at, text, len);
    output->at += len;
}

void quipu__undumpi_format(struct quipu__undumpi_output *output, const char *format, ...) {
    va_list arguments;
    quipu__undumpi_room(output);
    va_start(arguments, format);
    const int len = vsnprintf(output->at, QUIPU__UNDUMPI_ROOM, format, arguments);
    va_end(arguments);
    if (len > 0)
        output->at += (size_t)len < QUIPU__UNDUMPI_ROOM ? (size_t)len : QUIPU__UNDUMPI_ROOM - 1;
}

static const char digit_pairs[200] = "0001020304050607080910111213141516171819"
                                     "2021222324252627282930313233343536373839"
                                     "4041424344454647484950515253545556575859"
                                     "6061626364656667686970717273747576777879"
                                     "8081828384858687888990919293949596979899";

char *quipu__undumpi_unsigned(char *to, uint64_t value) {
    char digits[20];
    char *first = digits + sizeof digits;
    while (value >= 100) {
        first -= 2;
        memcpy(first, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        first -= 2;
        memcpy(first, digit_pairs + 2 * value, 2);
    } else {
        *--first = (char)('0' + value);
    }
    const size_t len = (size_t)(digits + sizeof digits - first);
    memcpy(to, first, len);
    return to + len;
}

char *quipu__undumpi_time(char *to, int64_t time) {
    int64_t seconds = time / 1000000000;
    int32_t rest = (int32_t)(time % 1000000000);
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    to = quipu__undumpi_signed(to, (int32_t)(uint32_t)(uint64_t)seconds);
    uint32_t nanoseconds = (uint32_t)rest;
    to[0] = '.';
    for (int i = 8; i >= 2; i -= 2) {
        memcpy(to + i, digit_pairs + 2 * (nanoseconds % 100), 2);
        nanoseconds /= 100;
    }
    to[1] = (char)('0' + nanoseconds);
    return to + 10;
}
