/* where_regex.h: regular expressions of --where. They are PCRE2's, which bounds the size of what is compiled, the groups inside each other
 * and the memory of a match. Its limit of steps bounds no time, so the work is counted here. What it takes comes from the gate. */
#ifndef QUIPU_MODEL_WHERE_REGEX_H
#define QUIPU_MODEL_WHERE_REGEX_H

#include "core/memory/memory.h"

enum { QUIPU__REGEX_TROUBLE = 160 };

struct quipu__regex;

/* NULL when it cannot be had: trouble says why, or is empty when memory was out, which the gate knows. */
struct quipu__regex *quipu__regex_new(struct quipu__memory *memory, const char *text,
                                      char trouble[QUIPU__REGEX_TROUBLE]);

/* Whether it is found anywhere in a text, letters of either case. False, and the gate knows, when that takes too many steps, in this text
 * or in all together that were asked for. Several threads may ask at once. */
bool quipu__regex_finds(struct quipu__regex *regex, const char *text);

/* NULL is nothing. */
void quipu__regex_free(struct quipu__regex *regex);

#endif
