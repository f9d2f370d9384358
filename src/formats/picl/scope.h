/* scope.h: what describes data: scanf control strings, which are compiled once and then applied to one structure after the other; and
 * the definitions that reading and checking need: numbers of control strings (records of type -6) and subsets (-201 to -203). Each is
 * in force from its place in the file on; of several that fit, the last one counts. */
#ifndef QUIPU_PICL_SCOPE_H
#define QUIPU_PICL_SCOPE_H

#include "core/memory/vec.h"
#include "formats/picl/layout.h"

#include <quipu/model.h>

/* ---- Control strings ---- */

enum quipu__picl_item_kind {
    QUIPU__PICL_ITEM_INTEGER,  /* %d */
    QUIPU__PICL_ITEM_ANY_BASE, /* %i */
    QUIPU__PICL_ITEM_UNSIGNED, /* %u */
    QUIPU__PICL_ITEM_OCTAL,    /* %o */
    QUIPU__PICL_ITEM_HEX,      /* %x %X */
    QUIPU__PICL_ITEM_REAL,     /* %f %e %E %g %G */
    QUIPU__PICL_ITEM_STRING,   /* %s */
    QUIPU__PICL_ITEM_CHARACTERS,
    QUIPU__PICL_ITEM_SET,     /* %[...] */
    QUIPU__PICL_ITEM_LITERAL, /* a character that must be there */
    QUIPU__PICL_ITEM_SPACE    /* any white space, or none */
};

struct quipu__picl_item {
    enum quipu__picl_item_kind kind;
    bool is_stored;
    bool is_negated;  /* of a set */
    uint8_t literal;  /* the character */
    uint32_t width;   /* 0: none given */
    const char *set;  /* characters and ranges between the brackets */
    uint32_t set_len; /* of them */
};

struct quipu__picl_control {
    struct quipu__picl_item items[QUIPU__PICL_CONVERSIONS_MOST];
    uint32_t count;
    uint32_t stored;       /* values of one structure */
    bool is_characters;    /* exactly "%c": the data is text */
    bool begins_with_char; /* only one white-space character is skipped before a structure */
};

/* Compiles the text between the quotes, which must outlive the result. False when a conversion is not supported, nothing is
 * stored, or there are too many of them. */
bool quipu__picl_compile(const char *text, size_t len, struct quipu__picl_control *out);

enum quipu__picl_match {
    QUIPU__PICL_MATCHED,
    QUIPU__PICL_ENDED,     /* the text ended too early */
    QUIPU__PICL_MISMATCH,  /* a value does not match its conversion */
    QUIPU__PICL_TOO_LARGE, /* an integer is beyond 64 bits */
};

/* Reads one structure from *at on and stores its values, of which there is room for control->stored. Texts point into what is read.
 * On success *at is after it. White space before it has been skipped. */
enum quipu__picl_match quipu__picl_read_structure(const struct quipu__picl_control *control, const uint8_t **at,
                                                  const uint8_t *end, struct quipu_value *values);

static inline bool quipu__picl_is_space(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline const uint8_t *quipu__picl_skip_space(const uint8_t *at, const uint8_t *end) {
    while (at < end && quipu__picl_is_space(*at))
        at++;
    return at;
}

/* The next run of characters other than white space; its length is 0 at the end. */
static inline const uint8_t *quipu__picl_take_token(const uint8_t **at, const uint8_t *end, size_t *len) {
    const uint8_t *const first = quipu__picl_skip_space(*at, end);
    *at = first;
    while (*at < end && !quipu__picl_is_space(**at))
        ++*at;
    *len = (size_t)(*at - first);
    return first;
}

/* ---- Definitions ---- */

struct quipu__picl_alias {
    uint64_t byte; /* where it is defined */
    int64_t number, event, processor, process;
    const char *control;
    size_t len;
};

struct quipu__picl_subset {
    uint64_t byte;
    int64_t record_type; /* QUIPU__PICL_PROCESSOR_SUBSET, … */
    int64_t identifier;
    const int64_t *members;
    size_t member_count;
};

struct quipu__picl_scope {
    struct quipu__memory *memory;
    struct quipu__arena arena;
    QUIPU__VEC(struct quipu__picl_alias) aliases;
    QUIPU__VEC(struct quipu__picl_subset) subsets;
    bool redefines_integers; /* descriptor 2 is not always "%d" */
    bool is_full;            /* definitions beyond the limit were left out */
};

void quipu__picl_scope_init(struct quipu__picl_scope *scope, struct quipu__memory *memory);
void quipu__picl_scope_release(struct quipu__picl_scope *scope);

/* Both copy. False when memory is out. */
QUIPU_CHECKED bool quipu__picl_add_alias(struct quipu__picl_scope *scope,
                                         const struct quipu__picl_alias *alias);
QUIPU_CHECKED bool quipu__picl_add_subset(struct quipu__picl_scope *scope,
                                          const struct quipu__picl_subset *subset);

/* The control string of a descriptor's number that is in force at a byte, for a record with that event, processor and process: the
 * last definition's, else the predefined one. NULL when there is none. */
const char *quipu__picl_find_control(const struct quipu__picl_scope *scope, int64_t number, int64_t event,
                                     int64_t processor, int64_t process, uint64_t byte, size_t *len);

/* The subset that is in force at a byte, or NULL. Predefined subsets of events are not among them. */
const struct quipu__picl_subset *quipu__picl_find_subset(const struct quipu__picl_scope *scope,
                                                         int64_t record_type, int64_t identifier,
                                                         uint64_t byte);

/* Whether a value fits a pattern: -1 fits all, a subset its members. record_type says which kind of subset. */
bool quipu__picl_fits(const struct quipu__picl_scope *scope, int64_t record_type, int64_t value,
                      int64_t pattern, uint64_t byte);

/* Control string of a predefined descriptor, NULL for others. */
const char *quipu__picl_predefined(int64_t number);

#endif
