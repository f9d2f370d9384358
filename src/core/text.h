/* text.h: numbers in text, parsed by length and never by NUL, characters, and small helpers for paths. */
#ifndef QUIPU_CORE_TEXT_H
#define QUIPU_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a whole text as a decimal number; false when there is anything else in it or it is out of range. */
bool quipu__parse_i64(const char *text, size_t len, int64_t *out);
bool quipu__parse_u64(const char *text, size_t len, uint64_t *out);

/* Value of a lower-case hexadecimal digit, or -1. */
int quipu__hex_digit(unsigned char c);

/* Length of the UTF-8 character at text (1 to 4 bytes) and its code, or 0 when there is none: overlong forms, surrogates
 * and numbers above U+10FFFF do not count. left is at least 1. */
size_t quipu__utf8_decode(const uint8_t *text, size_t left, uint32_t *code);

/* Characters that are invisible or change how others appear: controls, bidirectional marks, and everything that Unicode
 * allows a display to leave out. Names that differ only in such characters look the same, and a name with them can make
 * the text after it look like something else. All code that prints names escapes them. */
bool quipu__is_invisible(uint32_t code);

/* True when text ends in suffix. */
bool quipu__ends_with(const char *text, const char *suffix);

/* True when path ends in one of the space-separated suffixes. */
bool quipu__has_suffix(const char *path, const char *suffixes);

/* The part after the last '/'. Borrowed from path. */
const char *quipu__base_name(const char *path);

/* What replaces a word in braces: {"found", "0x81"}. */
struct quipu__placeholder {
    const char *name, *value;
};

/* Writes a text with the placeholders in it filled in, cut to size with a terminating NUL. Other braces stay. Returns the
 * length of what was written. */
size_t quipu__text_fill(char *out, size_t size, const char *text, const struct quipu__placeholder *placeholders,
                        size_t count);

/* True when text is one of the space-separated words. */
bool quipu__has_word(const char *words, const char *text, size_t len);

#endif
