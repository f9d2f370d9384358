/* date.h: dates of the Gregorian calendar, without the C library's, which depend on where the program runs. */
#ifndef QUIPU_CORE_TEXT_DATE_H
#define QUIPU_CORE_TEXT_DATE_H

#include <stdint.h>

/* A date and time of day in UTC. */
struct quipu__date {
    int64_t year;
    uint32_t month, day, hour, minute, second, nanosecond; /* month and day count from 1 */
};

/* The date that many nanoseconds after 1970. */
struct quipu__date quipu__date_of(int64_t unix_ns);

#endif
