/* text.h: numbers in text, parsed by length and never by NUL, and small helpers for paths. */
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

/* True when text ends in suffix. */
bool quipu__ends_with(const char *text, const char *suffix);

/* True when path ends in one of the space-separated suffixes. */
bool quipu__has_suffix(const char *path, const char *suffixes);

/* The part after the last '/'. Borrowed from path. */
const char *quipu__base_name(const char *path);

/* True when text is one of the space-separated words. */
bool quipu__has_word(const char *words, const char *text, size_t len);

#endif
