/* time.c: see time.h. */
#include "render/time.h"

#include "core/bounded.h"
#include "core/text/date.h"
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
    *size = quipu__magnitude(number);
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
    char name[4];
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
    memcpy(out, row->name,
           sizeof row->name); /* of known size, so without a call; there is room for a '\0', too */
    return out + row->name_len;
}

char *quipu__put_date(char *out, int64_t unix_ns) {
    const struct quipu__date date = quipu__date_of(unix_ns);
    const struct {
        uint32_t number;
        unsigned digits;
        char behind;
    } numbers[] = {{(uint32_t)date.year, 4, '-'}, {date.month, 2, '-'},  {date.day, 2, 'T'},
                   {date.hour, 2, ':'},           {date.minute, 2, ':'}, {date.second, 2, '.'},
                   {date.nanosecond, 9, 'Z'}};
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
