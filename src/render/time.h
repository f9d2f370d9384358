/* time.h: times as text, without stdio: a line of each event begins with one. */
#ifndef QUIPU_RENDER_TIME_H
#define QUIPU_RENDER_TIME_H

#include <quipu/printer.h>

/* Bytes that a time has at most, without a NUL. */
enum { QUIPU__TIME_MOST = QUIPU_TIME_TEXT_BYTES - 1 };

/* These put text at out and return its end; there is room for QUIPU__TIME_MOST bytes. */
char *quipu__put_duration(char *out, int64_t ns, enum quipu_time_unit unit);
char *quipu__put_date(char *out, int64_t unix_ns);

/* What local time is ahead of UTC, in the minute that was asked for last. Zero is none yet. */
struct quipu__zone {
    int64_t minute;
    int32_t minutes_ahead;
    bool is_known;
};

/* The date and time of day there, and how far that is ahead of UTC. */
char *quipu__put_local_date(char *out, int64_t unix_ns, struct quipu__zone *zone);
char *quipu__put_ticks(char *out, int64_t ticks);

#endif
