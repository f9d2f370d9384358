/* text.c: numbers in text, suffixes, words. */
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
