/* where_regex.h: regular expressions of --where, bounded before they are compiled. */
#ifndef QUIPU_MODEL_WHERE_REGEX_H
#define QUIPU_MODEL_WHERE_REGEX_H

#include <regex.h>
#include <stdint.h>

enum { QUIPU__REGEX_FLAGS = REG_EXTENDED | REG_ICASE | REG_NOSUB };

/* What is wrong with a regular expression; NULL: nothing. Adds how large it is when counted repetitions are written out to what others of
 * the same expression are. */
const char *quipu__regex_trouble(const char *text, uint32_t *size);

/* What is said when memory was out. */
extern const char quipu__regex_no_memory[];

#endif
