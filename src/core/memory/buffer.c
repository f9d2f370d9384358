/* buffer.c: growing byte buffers; writing numbers and text into them. */
#include "core/memory/buffer.h"

#include "core/digits.h"
#include "core/error.h"
#include "core/hex.h"
#include "core/os.h"
#include "core/real.h"
#include "core/slice.h"
#include "core/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void quipu__buffer_release(struct quipu__buffer *buffer) {
    quipu__release(buffer->memory, buffer->data, buffer->capacity);
    buffer->data = NULL;
    buffer->len = buffer->capacity = 0;
}

static bool grow(struct quipu__buffer *buffer, size_t size) {
    if (size > buffer->limit || buffer->len > buffer->limit - size)
        return false;
    size_t wanted = buffer->capacity ? buffer->capacity * 2 : 256;
    if (wanted < buffer->len + size)
        wanted = buffer->len + size;
    if (wanted > buffer->limit)
        wanted = buffer->limit;
    void *grown = quipu__resize(buffer->memory, buffer->data, buffer->capacity, wanted);
    if (!grown)
        return false;
    buffer->data = grown;
    buffer->capacity = wanted;
    return true;
}

/* How much a printing buffer holds before it passes its contents on. */
#define PRINTED_MOST ((size_t)64 << 10)

static bool hand_on(struct quipu__buffer *buffer) {
    struct quipu__printing *printing = buffer->printing;
    if (printing->status == QUIPU_OK)
        printing->status = quipu__buffer_flush(buffer, printing->sink, printing->err);
    return printing->status == QUIPU_OK;
}

/* Makes room for more than there is. A printing buffer empties itself before it grows beyond what it should hold. */
static uint8_t *make_room(struct quipu__buffer *buffer, size_t size) {
    bool has_room = true;
    if (buffer->printing && buffer->len + size > PRINTED_MOST)
        has_room = hand_on(buffer);
    if (has_room && buffer->capacity - buffer->len < size)
        has_room = grow(buffer, size);
    if (has_room)
        return buffer->data + buffer->len;
    buffer->failed = true;
    quipu__memory_refuse(buffer->memory);
    return NULL;
}

uint8_t *quipu__buffer_room(struct quipu__buffer *buffer, size_t size) {
    assert(buffer->len <= buffer->capacity);
    if (buffer->failed)
        return NULL;
    return QUIPU__LIKELY(buffer->capacity - buffer->len >= size) ? buffer->data + buffer->len
                                                                 : make_room(buffer, size);
}

/* Puts all but the last block of something long into a printing buffer. */
static const void *put_blocks(struct quipu__buffer *buffer, const void *data, size_t *size) {
    const uint8_t *from = data;
    for (; *size > PRINTED_MOST; *size -= PRINTED_MOST, from += PRINTED_MOST)
        quipu__put(buffer, from, PRINTED_MOST);
    return from;
}

static void put_slowly(struct quipu__buffer *buffer, const void *data, size_t size) {
    if (buffer->printing)
        data = put_blocks(buffer, data, &size);
    uint8_t *room = quipu__buffer_room(buffer, size ? size : 1);
    if (!room || !size)
        return;
    memcpy(room, data, size);
    buffer->len += size;
}

/* Most printed texts are a few bytes and need no call: 1 to 16 bytes take two copies that may overlap. */
static void copy_few(uint8_t *to, const uint8_t *from, size_t size) {
    if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

void quipu__put(struct quipu__buffer *buffer, const void *data, size_t size) {
    if (QUIPU__UNLIKELY(buffer->capacity - buffer->len <= size || buffer->failed || size == 0)) {
        put_slowly(buffer, data, size);
        return;
    }
    if (size <= 16)
        copy_few(buffer->data + buffer->len, data, size);
    else
        memcpy(buffer->data + buffer->len, data, size);
    buffer->len += size;
}

/* Formats directly if the text fits, else first finds out how much it needs. */
void quipu__put_format(struct quipu__buffer *buffer, const char *format, ...) {
    va_list arguments, again;
    const size_t left = buffer->failed ? 0 : buffer->capacity - buffer->len;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int wanted =
        quipu__vprint(left > 0 ? (char *)buffer->data + buffer->len : NULL, left, format, arguments);
    va_end(arguments);
    const bool fits = wanted >= 0 && (size_t)wanted < left;
    char *room = wanted < 0 || fits ? NULL : (char *)quipu__buffer_room(buffer, (size_t)wanted + 1);
    if (room)
        quipu__vprint(room, (size_t)wanted + 1, format, again);
    if (fits || room)
        buffer->len += (size_t)wanted;
    va_end(again);
}

void quipu__put_u8(struct quipu__buffer *buffer, uint8_t value) {
    if (QUIPU__LIKELY(buffer->capacity - buffer->len > 1 && !buffer->failed))
        buffer->data[buffer->len++] = value;
    else
        put_slowly(buffer, &value, 1);
}

void quipu__put_be16(struct quipu__buffer *buffer, uint16_t value) {
    uint8_t bytes[2];
    quipu__store_be16(bytes, value);
    quipu__put(buffer, bytes, sizeof bytes);
}

void quipu__put_be32(struct quipu__buffer *buffer, uint32_t value) {
    uint8_t bytes[4];
    quipu__store_be32(bytes, value);
    quipu__put(buffer, bytes, sizeof bytes);
}

void quipu__put_be64(struct quipu__buffer *buffer, uint64_t value) {
    quipu__put_be32(buffer, (uint32_t)(value >> 32));
    quipu__put_be32(buffer, (uint32_t)value);
}

/* Sign, digits, and what may be written after them. */
enum { NUMBER_MOST = 1 + 20 + QUIPU__DIGITS_SLACK };

/* Where a number can be written in place; in text when the buffer must grow or is at its limit. */
static char *number_room(const struct quipu__buffer *buffer, char text[NUMBER_MOST]) {
    const bool has_room = buffer->capacity - buffer->len > NUMBER_MOST && !buffer->failed;
    return QUIPU__LIKELY(has_room) ? (char *)buffer->data + buffer->len : text;
}

static void put_number(struct quipu__buffer *buffer, const char *at, const char *end, const char *text) {
    if (QUIPU__UNLIKELY(at == text))
        quipu__put(buffer, text, (size_t)(end - text));
    else
        buffer->len += (size_t)(end - at);
}

void quipu__put_u64(struct quipu__buffer *buffer, uint64_t value) {
    char text[NUMBER_MOST], *at = number_room(buffer, text);
    put_number(buffer, at, quipu__put_digits(at, value), text);
}

void quipu__put_i64(struct quipu__buffer *buffer, int64_t value) {
    char text[NUMBER_MOST], *at = number_room(buffer, text);
    put_number(buffer, at, quipu__put_signed_digits(at, value), text);
}

void quipu__put_hex(struct quipu__buffer *buffer, uint64_t value) {
    uint8_t digits[16];
    quipu__put(buffer, digits, (size_t)(quipu__hex_write(digits, value) - digits));
}

static bool json_is_unescaped(uint8_t c) {
    return c >= 0x20 && c != '"' && c != '\\' && c < 0x7f;
}

static void put_json_special(struct quipu__buffer *buffer, uint8_t c) {
    static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; escapes[i]; i += 2)
        if ((uint8_t)escapes[i] == c) {
            const char escaped[2] = {'\\', escapes[i + 1]};
            quipu__put(buffer, escaped, 2);
            return;
        }
    quipu__put_format(buffer, "\\u%04x", c);
}

/* Beyond U+FFFF as a surrogate pair. */
static void put_json_code(struct quipu__buffer *buffer, uint32_t code) {
    if (code < 0x10000)
        quipu__put_format(buffer, "\\u%04x", code);
    else
        quipu__put_format(buffer, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

void quipu__put_json(struct quipu__buffer *buffer, const char *text, size_t len) {
    const uint8_t *bytes = (const uint8_t *)text;
    quipu__put_u8(buffer, '"');
    for (size_t i = 0; i < len;) {
        size_t end = i;
        while (end < len && json_is_unescaped(bytes[end]))
            end++;
        if (end > i)
            quipu__put(buffer, bytes + i, end - i);
        i = end;
        if (i == len)
            break;
        uint32_t code;
        const size_t length = quipu__utf8_decode(bytes + i, len - i, &code);
        if (length == 1)
            put_json_special(buffer, bytes[i]);
        else if (length > 1 && quipu__is_invisible(code))
            put_json_code(buffer, code);
        else if (length > 1)
            quipu__put(buffer, bytes + i, length);
        else
            quipu__put_text(buffer, "\\ufffd");
        i += length ? length : 1;
    }
    quipu__put_u8(buffer, '"');
}

/* Bytes at the beginning of a text that are printable ASCII or in unescaped. */
static size_t printable_length(const uint8_t *text, size_t len, const char *unescaped) {
    size_t length = 0;
    while (length < len &&
           ((text[length] >= ' ' && text[length] < 0x7f) || (text[length] && strchr(unescaped, text[length]))))
        length++;
    return length;
}

void quipu__put_escaped_but(struct quipu__buffer *buffer, const char *text, size_t len, const char *unescaped) {
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t i = 0; i < len;) {
        const size_t printable = printable_length(bytes + i, len - i, unescaped);
        quipu__put(buffer, bytes + i, printable);
        i += printable;
        if (i == len)
            break;
        uint32_t code;
        const size_t length = quipu__utf8_decode(bytes + i, len - i, &code), taken = length ? length : 1;
        if (length == 0 || quipu__is_invisible(code))
            for (size_t k = 0; k < taken; k++)
                quipu__put_format(buffer, "\\x%02x", bytes[i + k]);
        else
            quipu__put(buffer, bytes + i, length);
        i += taken;
    }
}

void quipu__put_escaped(struct quipu__buffer *buffer, const char *text, size_t len) {
    quipu__put_escaped_but(buffer, text, len, "");
}

enum quipu_status quipu__buffer_flush(struct quipu__buffer *buffer, struct quipu_sink sink,
                                      struct quipu_error *err) {
    const size_t len = buffer->len;
    buffer->len = 0;
    if (buffer->failed) {
        buffer->failed = false;
        return quipu__no_memory(err, len);
    }
    return len ? sink.write(sink.context, buffer->data, len, err) : QUIPU_OK;
}

void quipu__printing_begin(struct quipu__printing *printing, struct quipu_sink sink, struct quipu_error *err) {
    /* Has no seed, which only maps need: asking the system for one took half the time of printing a record. */
    *printing = (struct quipu__printing){.memory = {.limit = QUIPU_MEMORY_LIMIT}, .sink = sink, .err = err};
    quipu__buffer_init(&printing->out, &printing->memory, 0);
    printing->out.printing = printing;
}

enum quipu_status quipu__printing_end(struct quipu__printing *printing) {
    if (printing->status == QUIPU_OK)
        printing->status = quipu__buffer_flush(&printing->out, printing->sink, printing->err);
    quipu__buffer_release(&printing->out);
    return printing->status;
}
