/* real.h: real numbers in text have a decimal point, whatever the locale of the program that uses the library says. */
#ifndef QUIPU_CORE_REAL_H
#define QUIPU_CORE_REAL_H

#include "core/slice.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* From here to the end this thread reads and writes numbers with a point; no other thread does. */
struct quipu__with_points {
    locale_t own, before; /* own is 0 where the locale has a point already */
};

static inline struct quipu__with_points quipu__begin_points(void) {
    struct quipu__with_points with = {(locale_t)0, (locale_t)0};
    const char *point = nl_langinfo(RADIXCHAR);
    if (point[0] != '.' || point[1] != '\0')
        with.own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (with.own)
        with.before = uselocale(with.own);
    return with;
}

static inline void quipu__end_points(struct quipu__with_points with) {
    if (!with.own)
        return;
    uselocale(with.before);
    freelocale(with.own);
}

/* vsnprintf and strtod with points. */
static inline int quipu__vprint(char *text, size_t size, const char *format, va_list arguments) {
    const struct quipu__with_points with = quipu__begin_points();
    const int len = vsnprintf(text, size, format, arguments);
    quipu__end_points(with);
    return len;
}

QUIPU_PRINTF(3, 4) static inline int quipu__print(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int len = quipu__vprint(text, size, format, arguments);
    va_end(arguments);
    return len;
}

static inline double quipu__read_real(const char *text, char **end) {
    const struct quipu__with_points with = quipu__begin_points();
    const double real = strtod(text, end);
    quipu__end_points(with);
    return real;
}

#endif
