/* time.h: times as text, without stdio: a line of each event begins with one. */
#ifndef QUIPU_RENDER_TIME_H
#define QUIPU_RENDER_TIME_H

#include <quipu/printer.h>

/* Bytes that a time has at most, without a NUL. */
enum { QUIPU__TIME_MOST = QUIPU_TIME_TEXT_BYTES - 1 };

/* These put text at out and return its end; there is room for QUIPU__TIME_MOST bytes. */
char *quipu__put_duration(char *out, int64_t ns, enum quipu_time_unit unit);
char *quipu__put_date(char *out, int64_t unix_ns);
char *quipu__put_ticks(char *out, int64_t ticks);

#endif
