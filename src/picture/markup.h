/* markup.h: writing HTML and SVG: text that nothing can break out of, and numbers as people read them. */
#ifndef QUIPU_PICTURE_MARKUP_H
#define QUIPU_PICTURE_MARKUP_H

#include "core/memory/buffer.h"

#include <quipu/table.h>

/* What is written in place of names that are not to be shown, longest name first. */
struct quipu__hidden_name {
    const char *name, *instead;
};

struct quipu__hidden_names {
    const struct quipu__hidden_name *items;
    size_t count;
};

/* Text as content or attribute value: markup is escaped, invisible characters and invalid UTF-8 are written as \xNN. Names in hidden, which may
 * be NULL, are replaced. At most columns characters, then "…"; 0: all. */
void quipu__put_markup(struct quipu__buffer *out, const struct quipu__hidden_names *hidden, const char *text,
                       size_t columns);

/* Bytes as they are, or as part of an address "data:…" (is_address), but for names in hidden. */
void quipu__put_plain(struct quipu__buffer *out, const struct quipu__hidden_names *hidden, const char *text,
                      size_t len, bool is_address);

enum { QUIPU__AMOUNT_BYTES = 48 };

/* A number in a unit of its size, with three digits or more: "1.23 ms", "12.3 MiB", "4.56 %", "12,345". unit as in tables. Returns text. */
const char *quipu__amount_text(double number, const char *unit, char text[QUIPU__AMOUNT_BYTES]);

/* The numbers of an axis: multiples of a round step from 0 up to the first that is not below most. */
struct quipu__axis {
    double step, end; /* end: the last one */
    const char *unit;
};
struct quipu__axis quipu__axis_of(double most, const char *unit, int steps);

/* A number of an axis, in the unit of its end. Returns text. */
const char *quipu__axis_text(const struct quipu__axis *axis, double number, char text[QUIPU__AMOUNT_BYTES]);

#endif
