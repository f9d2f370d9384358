/* output.h: text and bytes on their way to a file descriptor, in large blocks. A failed write shows in failed, and the
 * rest does nothing. */
#ifndef COMPAT_DUMPI_OUTPUT_H
#define COMPAT_DUMPI_OUTPUT_H

#include "sheet.h"

#include <string.h>

struct quipu__undumpi_output {
    char *data, *at, *end; /* the buffer; at is where the next byte goes */
    int fd;
    bool failed;
};

/* Longest category that may be put after one call of quipu__undumpi_room. */
#define QUIPU__UNDUMPI_ROOM ((size_t)1024)

bool quipu__undumpi_output_init(struct quipu__undumpi_output *output, int fd);

/* Writes what is left and frees the buffer; false when a write failed. */
bool quipu__undumpi_output_finish(struct quipu__undumpi_output *output);

void quipu__undumpi_flush(struct quipu__undumpi_output *output);

/* Makes room for QUIPU__UNDUMPI_ROOM bytes. */
static inline void quipu__undumpi_room(struct quipu__undumpi_output *output) {
    if (QUIPU__UNLIKELY((size_t)(output->end - output->at) < QUIPU__UNDUMPI_ROOM))
        quipu__undumpi_flush(output);
}

/* Text of any length, constructor its own room. */
void quipu__undumpi_say(struct quipu__undumpi_output *output, const char *text, size_t len);

/* A printf of up to QUIPU__UNDUMPI_ROOM bytes, constructor its own room; longer ones are cut. */
void quipu__undumpi_format(struct quipu__undumpi_output *output, const char *format, ...) QUIPU_PRINTF(2, 3);

/* Copies a text in whole blocks: room must have been made. */
static inline char *quipu__undumpi_copy(char *to, const struct quipu__undumpi_text *text) {
    memcpy(to, text->at, QUIPU__UNDUMPI_BLOCK);
    for (size_t done = QUIPU__UNDUMPI_BLOCK; QUIPU__UNLIKELY(done < text->len); done += QUIPU__UNDUMPI_BLOCK)
        memcpy(to + done, text->at + done, QUIPU__UNDUMPI_BLOCK);
    return to + text->len;
}

/* Decimal numbers: room must have been made. */
char *quipu__undumpi_unsigned(char *to, uint64_t value);
static inline char *quipu__undumpi_signed(char *to, int64_t value) {
    if (QUIPU__LIKELY((uint64_t)value < 10)) {
        *to = (char)('0' + value);
        return to + 1;
    }
    if (value < 0)
        *to++ = '-';
    return quipu__undumpi_unsigned(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Seconds and nine digits of nanoseconds, after nanoseconds since the clock's origin. */
char *quipu__undumpi_time(char *to, int64_t time);

#endif
