/* date.c: see date.h. */
#include "core/text/date.h"

#include <stdbool.h>

enum { NS_PER_SECOND = 1000000000, SECONDS_OF_DAY = 86400 };

/* Rounds towards minus infinity. */
static int64_t whole(int64_t number, int64_t unit) {
    return number / unit - (number % unit < 0);
}

/* The date that many days after 1970-01-01. Years begin in March here, so that a leap day is the last. */
static void set_day(struct quipu__date *date, int64_t days) {
    enum { DAYS_OF_400_YEARS = 146097, DAYS_BEFORE_1970 = 719468 };
    days += DAYS_BEFORE_1970;
    const int64_t era = whole(days, DAYS_OF_400_YEARS);
    const unsigned day_of_era = (unsigned)(days - era * DAYS_OF_400_YEARS);
    const unsigned year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const unsigned day = day_of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
    const bool is_next_year = month >= 10;
    date->year = year + era * 400 + is_next_year;
    date->month = is_next_year ? month - 9 : month + 3;
    date->day = day - (153 * month + 2) / 5 + 1;
}

struct quipu__date quipu__date_of(int64_t unix_ns) {
    const int64_t seconds = whole(unix_ns, NS_PER_SECOND), days = whole(seconds, SECONDS_OF_DAY);
    const uint32_t of_day = (uint32_t)(seconds - days * SECONDS_OF_DAY);
    struct quipu__date date = {.hour = of_day / 3600,
                               .minute = of_day / 60 % 60,
                               .second = of_day % 60,
                               .nanosecond = (uint32_t)(unix_ns - seconds * NS_PER_SECOND)};
    set_day(&date, days);
    return date;
}
