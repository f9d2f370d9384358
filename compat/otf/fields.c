/* fields.c: reading single fields at the position of a read buffer. The library itself reads lines with the
 * format's decoder; these functions are for clients, with the same peculiarity of keywords: a test compares at
 * the place where it starts but skips white space even when it fails. */
#include "rbuffer.h"

#include <stdlib.h>
#include <string.h>

static char *at_position(OTF_RBuffer *rbuffer) {
    return rbuffer->buffer + rbuffer->pos;
}

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

/* ---- Keywords ---- */

void OTF_RBuffer_skipSpaces(OTF_RBuffer *rbuffer) {
    while (*at_position(rbuffer) == ' ' || *at_position(rbuffer) == '\t')
        rbuffer->pos++;
}

void OTF_RBuffer_skipKeyword(OTF_RBuffer *rbuffer) {
    while (is_capital(*at_position(rbuffer)) || *at_position(rbuffer) == '#')
        rbuffer->pos++;
}

static int test_word(OTF_RBuffer *rbuffer, const char *word, bool whole) {
    const uint32_t start = rbuffer->pos;
    const size_t length = strlen(word);
    OTF_RBuffer_skipSpaces(rbuffer);
    if (length > rbuffer->end - start || memcmp(rbuffer->buffer + start, word, length) != 0)
        return 0;
    if (whole && is_capital(rbuffer->buffer[start + length]))
        return 0;
    rbuffer->pos = start + (uint32_t)length;
    return 1;
}

int OTF_RBuffer_testKeyword(OTF_RBuffer *rbuffer, const char *string) {
    return test_word(rbuffer, string, true);
}

int OTF_RBuffer_testPrefix(OTF_RBuffer *rbuffer, const char *string) {
    return test_word(rbuffer, string, false);
}

int OTF_RBuffer_testChar(OTF_RBuffer *rbuffer, char c) {
    OTF_RBuffer_skipSpaces(rbuffer);
    if (*at_position(rbuffer) != c)
        return 0;
    rbuffer->pos++;
    return 1;
}

/* ---- Values ---- */

uint64_t OTF_RBuffer_readUint64(OTF_RBuffer *rbuffer) {
    uint64_t value = 0;
    OTF_RBuffer_skipSpaces(rbuffer);
    for (uint8_t digit; (digit = compat_hex_values[(uint8_t)*at_position(rbuffer)]) < 16; rbuffer->pos++)
        value = value << 4 | digit;
    return value;
}

uint32_t OTF_RBuffer_readUint32(OTF_RBuffer *rbuffer) {
    return (uint32_t)OTF_RBuffer_readUint64(rbuffer);
}

const char *OTF_RBuffer_readString(OTF_RBuffer *rbuffer) {
    OTF_RBuffer_skipSpaces(rbuffer);
    char *quote = at_position(rbuffer);
    char *closing = *quote == '"' ? memchr(quote + 1, '"', rbuffer->end - rbuffer->pos - 1) : NULL;
    if (!closing)
        return NULL;
    *closing = '\0';
    rbuffer->pos = (uint32_t)(closing + 1 - rbuffer->buffer);
    return quote + 1;
}

uint32_t OTF_RBuffer_readArray(OTF_RBuffer *rbuffer, uint32_t **array, uint32_t *size) {
    uint32_t count = 0;
    for (;;) {
        const uint32_t start = rbuffer->pos;
        const uint32_t value = OTF_RBuffer_readUint32(rbuffer);
        if (!OTF_RBuffer_testChar(rbuffer, ',')) {
            rbuffer->pos = start;
            return count;
        }
        if (count == *size) {
            const uint32_t room = *size ? *size * 2 : 16;
            uint32_t *grown = realloc(*array, room * sizeof *grown);
            if (!grown)
                return count;
            *array = grown;
            *size = room;
        }
        (*array)[count++] = value;
    }
}

uint32_t OTF_RBuffer_readBytes(OTF_RBuffer *rbuffer, uint8_t *array, uint32_t max_len) {
    uint32_t count = 0;
    OTF_RBuffer_skipSpaces(rbuffer);
    for (;;) {
        const uint8_t high = compat_hex_values[(uint8_t)at_position(rbuffer)[0]];
        const uint8_t low = high < 16 ? compat_hex_values[(uint8_t)at_position(rbuffer)[1]] : high;
        if (high >= 16)
            return count;
        if (count == max_len)
            return max_len + 1;
        array[count++] = (uint8_t)(low < 16 ? high << 4 | low : high << 4);
        rbuffer->pos += low < 16 ? 2 : 1;
    }
}

/* ---- Lines ---- */

int OTF_RBuffer_readNewline(OTF_RBuffer *rbuffer) {
    const bool found = memchr(at_position(rbuffer), '\n', rbuffer->end - rbuffer->pos) != NULL;
    compat_skip_line(rbuffer);
    return found;
}

char *OTF_RBuffer_printRecord(OTF_RBuffer *rbuffer) {
    const char *at = at_position(rbuffer);
    const char *newline = memchr(at, '\n', rbuffer->end - rbuffer->pos);
    const size_t length = newline ? (size_t)(newline - at) : rbuffer->end - rbuffer->pos;
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, at, length);
    copy[length] = '\0';
    return copy;
}
