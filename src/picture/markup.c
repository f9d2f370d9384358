/* markup.c: see markup.h. */
#include "picture/markup.h"

#include "core/real.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Text ---- */

static void put_character(struct quipu__buffer *out, const char *text, size_t len, uint32_t code) {
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    const bool is_none_of_xml = (code & 0xfffe) == 0xfffe;
    if (len == 0 || is_none_of_xml || quipu__is_invisible(code)) {
        for (size_t i = 0; i < (len == 0 ? 1 : len); i++)
            quipu__put_format(out, "\\x%02x", (unsigned)(uint8_t)text[i]);
        return;
    }
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (code == (uint32_t)entities[i].character) {
            quipu__put_text(out, entities[i].entity);
            return;
        }
    quipu__put(out, text, len);
}

/* Whether a character is a text or a field of CSV by itself. */
static bool is_alone(const char *text, size_t position, size_t len) {
    static const char ends[] = ",\"\r\n";
    return (position == 0 || (text[position - 1] && strchr(ends, text[position - 1]))) &&
           (position + 1 == len || (text[position + 1] && strchr(ends, text[position + 1])));
}

/* The name at a place of a text. A name of one letter is part of many words: it counts alone. */
static const struct quipu__hidden_name *hidden_at(const struct quipu__hidden_names *hidden, const char *text,
                                                  size_t position, size_t size) {
    for (size_t i = 0; hidden && i < hidden->count; i++) {
        const size_t len = strlen(hidden->items[i].name);
        if (len <= size - position && memcmp(text + position, hidden->items[i].name, len) == 0 &&
            (len > 1 || is_alone(text, position, size)))
            return &hidden->items[i];
    }
    return NULL;
}

void quipu__put_markup(struct quipu__buffer *out, const struct quipu__hidden_names *hidden, const char *text,
                       size_t columns) {
    const size_t size = strlen(text);
    size_t position = 0;
    for (size_t column = 0; position < size; column++) {
        const struct quipu__hidden_name *name = hidden_at(hidden, text, position, size);
        uint32_t code = 0;
        size_t len = name ? strlen(name->name)
                          : quipu__utf8_decode((const uint8_t *)text + position, size - position, &code);
        if (columns > 0 && column == columns) {
            quipu__put_text(out, "…");
            return;
        }
        if (name)
            quipu__put_text(out, name->instead);
        else
            put_character(out, text + position, len, code);
        position += len > 0 ? len : 1;
    }
}

static void put_plain_byte(struct quipu__buffer *out, char byte, bool is_address) {
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,:;/()*+=@";
    if (is_address && (byte == '\0' || !strchr(harmless, byte)))
        quipu__put_format(out, "%%%02X", (unsigned)(uint8_t)byte);
    else
        quipu__put(out, &byte, 1);
}

void quipu__put_plain(struct quipu__buffer *out, const struct quipu__hidden_names *hidden, const char *text,
                      size_t len, bool is_address) {
    for (size_t i = 0; i < len; i++) {
        const struct quipu__hidden_name *name = hidden_at(hidden, text, i, len);
        if (!name) {
            put_plain_byte(out, text[i], is_address);
            continue;
        }
        quipu__put_plain(out, NULL, name->instead, strlen(name->instead), is_address);
        i += strlen(name->name) - 1;
    }
}

/* ---- Numbers ---- */

struct scale {
    double size;
    const char *name;
};

static const struct scale times[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
static const struct scale sizes[] = {
    {1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"}};

static struct scale scale_of(double number, const char *unit) {
    const bool is_time = strcmp(unit, "ns") == 0, is_size = strcmp(unit, "bytes") == 0;
    const struct scale *scales = is_time ? times : sizes;
    size_t scale = is_time ? sizeof times / sizeof *times : sizeof sizes / sizeof *sizes;
    if (!is_time && !is_size)
        return (struct scale){1, unit};
    do
        scale--;
    while (scale > 0 && fabs(number) < scales[scale].size);
    return scales[scale];
}

/* A whole number, its thousands apart. */
static void put_grouped(double number, char text[QUIPU__AMOUNT_BYTES]) {
    char digits[QUIPU__AMOUNT_BYTES];
    const int len = quipu__print(digits, sizeof digits, "%.0f", number);
    const int first = digits[0] == '-';
    size_t out = 0;
    for (int i = 0; i < len && out + 2 < QUIPU__AMOUNT_BYTES; i++) {
        if (i > first && (len - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
}

/* As many decimal places as make three digits. */
static int decimals_of(double number) {
    const double size = fabs(number);
    if (size >= 100 || size == floor(size))
        return 0;
    return size >= 10 ? 1 : 2;
}

const char *quipu__amount_text(double number, const char *unit, char text[QUIPU__AMOUNT_BYTES]) {
    const struct scale scale = scale_of(number, unit);
    const double scaled = number / scale.size;
    char digits[QUIPU__AMOUNT_BYTES];
    if (!isfinite(number)) {
        snprintf(text, QUIPU__AMOUNT_BYTES, "?");
        return text;
    }
    if (fabs(scaled) >= 1000 || scaled == floor(scaled))
        put_grouped(scaled, digits);
    else if (fabs(scaled) < 0.1)
        quipu__print(digits, sizeof digits, "%.2g", scaled);
    else
        quipu__print(digits, sizeof digits, "%.*f", decimals_of(scaled), scaled);
    snprintf(text, QUIPU__AMOUNT_BYTES, "%.30s%s%.12s", digits, scale.name[0] ? " " : "", scale.name);
    return text;
}

/* ---- Axes ---- */

const char *quipu__axis_text(const struct quipu__axis *axis, double number, char text[QUIPU__AMOUNT_BYTES]) {
    const struct scale scale = scale_of(axis->end, axis->unit);
    const double scaled = number / scale.size, step = axis->step / scale.size;
    char digits[QUIPU__AMOUNT_BYTES];
    if (step >= 1)
        put_grouped(scaled, digits);
    else
        quipu__print(digits, sizeof digits, "%.*f", (int)ceil(-log10(step) - 1e-9), scaled);
    snprintf(text, QUIPU__AMOUNT_BYTES, "%.30s%s%.12s", digits, scale.name[0] ? " " : "", scale.name);
    return text;
}

/* The round number that is not below a step: 1, 2 or 5 times a power of ten; of bytes a power of two. */
static double round_step(double step, const char *unit) {
    if (strcmp(unit, "bytes") == 0)
        return exp2(ceil(log2(step)));
    const double power = pow(10, floor(log10(step)));
    const double digits[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i < 3 && digits[i] * power < step * (1 - 1e-9))
        i++;
    return digits[i] * power;
}

struct quipu__axis quipu__axis_of(double most, const char *unit, int steps) {
    const bool is_whole = strcmp(unit, "ns") == 0 || strcmp(unit, "bytes") == 0;
    double step = most > 0 && isfinite(most) ? round_step(most / steps, unit) : 1;
    if (is_whole && step < 1)
        step = 1;
    const double end = most > 0 && isfinite(most) ? ceil(most / step * (1 - 1e-9)) * step : step;
    return (struct quipu__axis){step, end, unit};
}
