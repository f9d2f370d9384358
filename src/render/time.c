/* time.c: see time.h. */
#include "render/time.h"

#include "core/digits.h"

#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1000000000

/* A number with leading zeros, in nine digits at most. Up to eight bytes are written where fewer are asked for. */
static char *put_digits(char *out, uint32_t number, unsigned count) {
    enum { EIGHT = 100000000 };
    const uint64_t digits = quipu__eight_digits(number % EIGHT) | UINT64_C(0x3030303030303030);
    if (count == 9)
        *out++ = (char)('0' + number / EIGHT);
    const unsigned behind = count < 8 ? count : 8;
    quipu__store_digits(out, digits >> 8 * (8 - behind));
    return out + behind;
}

static char *put_sign(char *out, int64_t number, uint64_t *size) {
    *size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0)
        *out++ = '-';
    return out;
}

char *quipu__put_ticks(char *out, int64_t ticks) {
    uint64_t size;
    out = put_sign(out, ticks, &size);
    return quipu__put_digits(out, size);
}

/* Units by their number: nanoseconds in one, digits behind the point, name. */
static const struct unit {
    uint32_t ns;
    uint8_t digits, name_len;
    char name[3];
} units[] = {
    [QUIPU_UNIT_S] = {NS_PER_SECOND, 9, 1, "s"},
    [QUIPU_UNIT_MS] = {1000000, 6, 2, "ms"},
    [QUIPU_UNIT_US] = {1000, 3, 2, "us"},
    [QUIPU_UNIT_NS] = {1, 0, 2, "ns"},
};

char *quipu__put_duration(char *out, int64_t ns, enum quipu_time_unit unit) {
    const struct unit *row = &units[unit];
    uint64_t size;
    out = put_sign(out, ns, &size);
    const uint64_t whole =
        unit == QUIPU_UNIT_S ? size / NS_PER_SECOND : size / row->ns; /* the former by multiplying */
    out = quipu__put_digits(out, whole);
    if (row->digits > 0) {
        *out++ = '.';
        out = put_digits(out, (uint32_t)(size - whole * row->ns), row->digits);
    }
    memcpy(out, row->name, row->name_len);
    return out + row->name_len;
}

struct date {
    int64_t year;
    unsigned month, day;
};

/* The date so many days after 1970-01-01 in the Gregorian calendar. Years begin in March here, so that a leap day is the last. */
static struct date date_of(int64_t days) {
    enum { DAYS_OF_400_YEARS = 146097, DAYS_BEFORE_1970 = 719468 };
    days += DAYS_BEFORE_1970;
    const int64_t era = (days >= 0 ? days : days - (DAYS_OF_400_YEARS - 1)) / DAYS_OF_400_YEARS;
    const unsigned day_of_era = (unsigned)(days - era * DAYS_OF_400_YEARS);
    const unsigned year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const unsigned day = day_of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
    const bool is_next_year = month >= 10;
    return (struct date){year + era * 400 + is_next_year, is_next_year ? month - 9 : month + 3,
                         day - (153 * month + 2) / 5 + 1};
}

char *quipu__put_date(char *out, int64_t unix_ns) {
    int64_t seconds = unix_ns / NS_PER_SECOND;
    int64_t rest = unix_ns % NS_PER_SECOND;
    if (rest < 0) {
        rest += NS_PER_SECOND;
        seconds--;
    }
    const int64_t days = (seconds >= 0 ? seconds : seconds - 86399) / 86400;
    const uint32_t of_day = (uint32_t)(seconds - days * 86400);
    const struct date date = date_of(days);
    const struct {
        uint32_t number;
        unsigned digits;
        char behind;
    } numbers[] = {{(uint32_t)date.year, 4, '-'}, {date.month, 2, '-'},       {date.day, 2, 'T'},
                   {of_day / 3600, 2, ':'},       {of_day / 60 % 60, 2, ':'}, {of_day % 60, 2, '.'},
                   {(uint32_t)rest, 9, 'Z'}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        out = put_digits(out, numbers[i].number, numbers[i].digits);
        *out++ = numbers[i].behind;
    }
    return out;
}

/* "+0100" in minutes. */
static int32_t minutes_of(const char *text) {
    const int32_t minutes = ((text[1] - '0') * 10 + text[2] - '0') * 60 + (text[3] - '0') * 10 + text[4] - '0';
    return text[0] == '-' ? -minutes : minutes;
}

/* The system is asked once for each minute: no zone changes within one. */
static int32_t minutes_ahead(struct quipu__zone *zone, int64_t unix_ns) {
    enum { SECONDS = 60, DIGITS = 5 };
    const int64_t seconds = unix_ns / NS_PER_SECOND - (unix_ns % NS_PER_SECOND < 0);
    const int64_t minute = seconds / SECONDS - (seconds % SECONDS < 0);
    char text[DIGITS + 1];
    struct tm local;
    if (zone->is_known && zone->minute == minute)
        return zone->minutes_ahead;
    const time_t time = (time_t)seconds;
    const bool is_known = localtime_r(&time, &local) && strftime(text, sizeof text, "%z", &local) == DIGITS;
    *zone = (struct quipu__zone){minute, is_known ? minutes_of(text) : 0, true};
    return zone->minutes_ahead;
}

char *quipu__put_local_date(char *out, int64_t unix_ns, struct quipu__zone *zone) {
    enum { MINUTES = 60 };
    const int32_t offset = minutes_ahead(zone, unix_ns);
    const uint32_t size = (uint32_t)(offset < 0 ? -offset : offset);
    const uint64_t shift = (uint64_t)offset * MINUTES * NS_PER_SECOND;
    out = quipu__put_date(out, (int64_t)((uint64_t)unix_ns + shift));
    out[-1] = offset < 0 ? '-' : '+'; /* in place of Z */
    out = put_digits(out, size / MINUTES, 2);
    *out++ = ':';
    return put_digits(out, size % MINUTES, 2);
}

char *quipu_duration_text(int64_t ns, enum quipu_time_unit unit, char text[QUIPU_TIME_TEXT_BYTES]) {
    *quipu__put_duration(text, ns, unit) = '\0';
    return text;
}

char *quipu_date_text(int64_t unix_ns, char text[QUIPU_TIME_TEXT_BYTES]) {
    *quipu__put_date(text, unix_ns) = '\0';
    return text;
}
