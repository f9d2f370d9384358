/* where_regex.h: regular expressions of --where. They are PCRE2's, which limits the size of the compiled form, the nesting of groups and
 * the memory of a match. Its limit of steps does not limit the time, so the work is counted here. Its memory comes from the gate. */
#ifndef QUIPU_MODEL_WHERE_REGEX_H
#define QUIPU_MODEL_WHERE_REGEX_H

#include "core/memory/memory.h"

enum { QUIPU__REGEX_TROUBLE = 160 };

struct quipu__regex;

/* NULL when it cannot be compiled: trouble says why, or is empty when memory was out, which the gate remembers. */
struct quipu__regex *quipu__regex_new(struct quipu__memory *memory, const char *text,
                                      char trouble[QUIPU__REGEX_TROUBLE]);

/* Whether it is found anywhere in a text, ignoring case. False when that takes too many steps, in this text or in all texts so far
 * together; the gate remembers that. Several threads may ask at once. */
bool quipu__regex_finds(struct quipu__regex *regex, const char *text);

/* NULL is accepted. */
void quipu__regex_free(struct quipu__regex *regex);

#endif
