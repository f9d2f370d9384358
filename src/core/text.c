/* text.c: numbers in text, characters, suffixes, words. */
#include "core/text.h"

#include <string.h>

bool quipu__parse_u64(const char *text, size_t len, uint64_t *out) {
    uint64_t value = 0;
    *out = 0;
    if (len == 0)
        return false;
    for (size_t i = 0; i < len; i++) {
        const unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool quipu__parse_i64(const char *text, size_t len, int64_t *out) {
    const bool negative = len > 0 && text[0] == '-';
    const bool has_sign = negative || (len > 0 && text[0] == '+');
    uint64_t magnitude;
    *out = 0;
    if (!quipu__parse_u64(text + has_sign, len - has_sign, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

int quipu__hex_digit(unsigned char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* ---- Characters ---- */

/* Length of a character beyond ASCII, by its first byte; 0 when no character begins with it. */
static size_t utf8_length(uint8_t first) {
    if ((first & 0xe0) == 0xc0)
        return 2;
    if ((first & 0xf0) == 0xe0)
        return 3;
    return (first & 0xf8) == 0xf0 ? 4 : 0;
}

size_t quipu__utf8_decode(const uint8_t *text, size_t left, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t first = text[0];
    *code = first;
    if (first < 0x80)
        return 1;
    const size_t length = utf8_length(first);
    if (length == 0 || length > left)
        return 0;
    *code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    const bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || *code > 0x10ffff || is_surrogate ? 0 : length;
}

/* Ascending. From Unicode: general category Cc, the property Default_Ignorable_Code_Point, the separators of lines and
 * paragraphs, and the marks of interlinear notes. */
static const struct {
    uint32_t first, last;
} invisible[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x061c, 0x061c},
    {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool quipu__is_invisible(uint32_t code) {
    const size_t count = sizeof invisible / sizeof *invisible;
    size_t i = 0;
    while (i < count && code > invisible[i].last)
        i++;
    return i < count && code >= invisible[i].first;
}

/* ---- Suffixes and words ---- */

bool quipu__ends_with(const char *text, const char *suffix) {
    const size_t text_len = strlen(text), suffix_len = strlen(suffix);
    return text_len >= suffix_len && memcmp(text + text_len - suffix_len, suffix, suffix_len) == 0;
}

bool quipu__has_suffix(const char *path, const char *suffixes) {
    const size_t path_len = strlen(path);
    while (*suffixes) {
        const size_t len = strcspn(suffixes, " ");
        if (len > 0 && len <= path_len && memcmp(path + path_len - len, suffixes, len) == 0)
            return true;
        suffixes += len;
        suffixes += strspn(suffixes, " ");
    }
    return false;
}

const char *quipu__base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool quipu__has_word(const char *words, const char *text, size_t len) {
    while (*words) {
        const size_t word_len = strcspn(words, " ");
        if (word_len == len && len > 0 && memcmp(words, text, len) == 0)
            return true;
        words += word_len;
        words += strspn(words, " ");
    }
    return false;
}

/* The placeholder at text, or NULL. */
static const struct quipu__placeholder *find_placeholder(const char *text,
                                                         const struct quipu__placeholder *placeholders,
                                                         size_t count) {
    for (size_t i = 0; i < count; i++) {
        const size_t len = strlen(placeholders[i].name);
        if (text[0] == '{' && strncmp(text + 1, placeholders[i].name, len) == 0 && text[1 + len] == '}')
            return &placeholders[i];
    }
    return NULL;
}

size_t quipu__text_fill(char *out, size_t size, const char *text, const struct quipu__placeholder *placeholders,
                        size_t count) {
    size_t len = 0;
    while (*text && len + 1 < size) {
        const struct quipu__placeholder *placeholder = find_placeholder(text, placeholders, count);
        const char *filling = placeholder ? placeholder->value : text;
        const size_t filling_len = placeholder ? strlen(filling) : 1, room = size - len - 1;
        memcpy(out + len, filling, filling_len < room ? filling_len : room);
        len += filling_len < room ? filling_len : room;
        text += placeholder ? strlen(placeholder->name) + 2 : 1;
    }
    if (size > 0)
        out[len] = '\0';
    return len;
}
