/* control_string.h: scanf control strings, by which records describe their data: compiled once, then applied to one structure
 * after the other. */
#ifndef QUIPU_PICL_CONTROL_STRING_H
#define QUIPU_PICL_CONTROL_STRING_H

#include "formats/picl/layout.h"

#include <quipu/model.h>

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

/* Reads one structure from *at on and stores its values, of which there is room for control->stored. Texts point into what is
 * read. On success *at is behind it. White space before it has been skipped. */
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

#endif
