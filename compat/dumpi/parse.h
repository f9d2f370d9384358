/* parse.h: calls from the text that the printer makes. A call is parsed from one contiguous chunk of text, so the
 * caller gives a window and, when that ends inside the call, a larger one. */
#ifndef COMPAT_DUMPI_PARSE_H
#define COMPAT_DUMPI_PARSE_H

#include "sheet.h"

enum quipu__undumpi_parsed {
    QUIPU__UNDUMPI_CALL,
    QUIPU__UNDUMPI_OTHER,  /* no call begins here */
    QUIPU__UNDUMPI_SHORT,  /* the text ends inside the call, or might */
    QUIPU__UNDUMPI_BROKEN, /* a call begins here, but expected says what was missing, and where at */
    QUIPU__UNDUMPI_NO_MEMORY
};

#define QUIPU__UNDUMPI_NAME_SLOTS 1024

struct quipu__undumpi_parser {
    struct quipu__undumpi_sheet sheet;
    uint16_t slots[QUIPU__UNDUMPI_NAME_SLOTS]; /* types by the hash of their names, plus 1 */
    struct quipu__scratch scratch;
    /* The call parsed last; lists live until the next. */
    uint32_t type;
    struct quipu__dumpi_call call;
    union quipu__dumpi_any data;
    const char *const *counters; /* names in its lines of counters */
    /* Why there is none. */
    const char *expected;
    const char *at;
};

enum quipu_status quipu__undumpi_parser_init(struct quipu__undumpi_parser *parser, struct quipu__memory *memory,
                                             struct quipu_error *err);
void quipu__undumpi_parser_release(struct quipu__undumpi_parser *parser);

/* Parses the call that begins at a line; *next is the line after it. */
enum quipu__undumpi_parsed quipu__undumpi_parse_call(struct quipu__undumpi_parser *parser, const char *at,
                                                     const char *end, const char **next);

/* Type of the call with that name, or QUIPU_NONE. */
uint32_t quipu__undumpi_type_by_name(const struct quipu__undumpi_parser *parser, const char *name, size_t len);

#endif
