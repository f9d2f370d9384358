/* json_reader.c: JSON text to values of jansson. Jansson's own reader cannot be used for text that may be hostile: no gate counts its
 * memory, and when memory is out it reports damaged text, or leaves out characters. Here each value is charged to the gate before it is
 * made, and lack of memory is reported as such. */
#include "core/error.h"
#include "core/real.h"
#include "core/text.h"
#include "formats/ovni/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 2048 };

/* Memory that jansson needs for a value on a 64-bit machine, including allocator overhead, and for another entry of an object or list;
 * rounded up. */
enum {
    OBJECT_BYTES = 240,
    LIST_BYTES = 144,
    MEMBER_BYTES = 112,
    ITEM_BYTES = 24,
    STRING_BYTES = 96,
    NUMBER_BYTES = 32
};

struct reading {
    const char *at, *end;
    struct quipu__charge *charge;
    struct quipu__buffer text; /* of the current string or number */
    unsigned depth;
    bool is_starved;
    const char *trouble; /* NULL: none */
};

static json_t *read_value(struct reading *reading);

static void *fail(struct reading *reading, const char *trouble) {
    if (!reading->trouble)
        reading->trouble = trouble;
    return NULL;
}

/* Memory is out. */
static void *starve(struct reading *reading) {
    reading->is_starved = true;
    return fail(reading, "no memory");
}

static bool pay(struct reading *reading, size_t bytes) {
    if (quipu__charge_add(reading->charge, bytes))
        return true;
    starve(reading);
    return false;
}

/* Skips blanks to the next character; 0 at the end. */
static char peek(struct reading *reading) {
    while (reading->at < reading->end && strchr(" \t\n\r", *reading->at) && *reading->at)
        reading->at++;
    return reading->at < reading->end ? *reading->at : '\0';
}

static bool read_character(struct reading *reading, char wanted) {
    if (peek(reading) != wanted || !wanted)
        return false;
    reading->at++;
    return true;
}

/* ---- Strings ---- */

static bool read_four(struct reading *reading, uint32_t *code) {
    *code = 0;
    if (reading->end - reading->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char c = *reading->at++;
        const int digit = quipu__hex_digit((unsigned char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
        if (digit < 0)
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

static void put_utf8(struct quipu__buffer *out, uint32_t code) {
    static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const int wide = code < 0x10000 ? 3 : 4, narrow = code < 0x80 ? 1 : 2, size = code < 0x800 ? narrow : wide;
    quipu__put_u8(out, (uint8_t)(leads[size] | code >> 6 * (size - 1)));
    for (int i = size - 2; i >= 0; i--)
        quipu__put_u8(out, (uint8_t)(0x80 | (code >> 6 * i & 0x3f)));
}

/* What follows \u. A character beyond 16 bits consists of two; a single half is invalid, and so is NUL. */
static bool read_code(struct reading *reading) {
    uint32_t code, low = 0;
    bool is_good = read_four(reading, &code) && code != 0 && (code < 0xdc00 || code > 0xdfff);
    if (is_good && code >= 0xd800 && code < 0xdc00) {
        is_good = reading->end - reading->at >= 2 && reading->at[0] == '\\' && reading->at[1] == 'u';
        reading->at += is_good ? 2 : 0;
        is_good = is_good && read_four(reading, &low) && low >= 0xdc00 && low <= 0xdfff;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (is_good)
        put_utf8(&reading->text, code);
    return is_good;
}

static bool read_escape(struct reading *reading) {
    static const char letters[] =
        "\"\"\\\\//b\bf\fn\nr\rt\t"; /* pairs: letter after the backslash, character */
    const char letter = reading->at < reading->end ? *reading->at++ : '\0';
    const char *pair = letters;
    if (letter == 'u')
        return read_code(reading);
    while (*pair && *pair != letter)
        pair += 2;
    if (*pair)
        quipu__put_u8(&reading->text, (uint8_t)pair[1]);
    return *pair != '\0';
}

/* Reads a string, after its first quote, into the buffer. */
static bool read_text(struct reading *reading) {
    reading->text.len = 0;
    while (reading->at < reading->end && *reading->at != '"') {
        const char *begin = reading->at;
        while (reading->at < reading->end && (unsigned char)*reading->at >= ' ' && *reading->at != '"' &&
               *reading->at != '\\')
            reading->at++;
        quipu__put(&reading->text, begin, (size_t)(reading->at - begin));
        if (reading->at == reading->end || *reading->at == '"')
            continue;
        if (*reading->at++ != '\\')
            return fail(reading, "a control character in a string") != NULL;
        if (!read_escape(reading))
            return fail(reading, "a backslash that begins nothing in a string") != NULL;
    }
    if (reading->at == reading->end)
        return fail(reading, "a string does not end") != NULL;
    reading->at++;
    if (reading->text.failed)
        starve(reading);
    return !reading->text.failed;
}

static json_t *read_string(struct reading *reading) {
    if (!read_text(reading) || !pay(reading, STRING_BYTES + reading->text.len))
        return NULL;
    json_t *string = json_stringn((const char *)reading->text.data, reading->text.len);
    return string ? string : starve(reading);
}

/* ---- Numbers and names ---- */

static size_t digits(struct reading *reading) {
    const char *begin = reading->at;
    while (reading->at < reading->end && *reading->at >= '0' && *reading->at <= '9')
        reading->at++;
    return (size_t)(reading->at - begin);
}

static bool skip(struct reading *reading, const char *wanted) {
    const bool is_there = reading->at < reading->end && strchr(wanted, *reading->at) && *reading->at;
    reading->at += is_there;
    return is_there;
}

/* Skips a number; false when there is none. No digit may follow a leading zero. */
static bool skip_number(struct reading *reading) {
    skip(reading, "-");
    const bool is_zero = reading->at < reading->end && *reading->at == '0';
    const size_t count = digits(reading);
    if (count == 0 || (is_zero && count > 1))
        return false;
    if (skip(reading, ".") && digits(reading) == 0)
        return false;
    if (!skip(reading, "eE"))
        return true;
    skip(reading, "+-");
    return digits(reading) > 0;
}

/* An integer, or a real where it has a fraction or an exponent, or does not fit. */
static json_t *read_number(struct reading *reading) {
    const char *begin = reading->at;
    int64_t integer;
    if (!skip_number(reading))
        return fail(reading, "a number that is none");
    const size_t len = (size_t)(reading->at - begin);
    reading->text.len = 0;
    quipu__put(&reading->text, begin, len);
    quipu__put_u8(&reading->text, 0);
    if (reading->text.failed || !pay(reading, NUMBER_BYTES))
        return starve(reading);
    const bool is_integer = quipu__parse_i64(begin, len, &integer);
    const double number = is_integer ? 0 : quipu__read_real((const char *)reading->text.data, NULL);
    if (isinf(number))
        return fail(reading, "a number that is too large");
    json_t *value = is_integer ? json_integer(integer) : json_real(number);
    return value ? value : starve(reading);
}

static json_t *read_name(struct reading *reading) {
    static const char *const names[] = {"true", "false", "null"};
    json_t *const values[] = {json_true(), json_false(), json_null()};
    const char *begin = reading->at;
    while (reading->at < reading->end && *reading->at >= 'a' && *reading->at <= 'z')
        reading->at++;
    const size_t len = (size_t)(reading->at - begin);
    for (int i = 0; i < 3; i++)
        if (len == strlen(names[i]) && memcmp(begin, names[i], len) == 0)
            return values[i];
    return fail(reading, "a value that is none");
}

/* ---- Objects and lists ---- */

/* Reads a member into an object. The key is copied, since the value is read into the same buffer. */
static bool read_member(struct reading *reading, json_t *object) {
    if (!read_character(reading, '"'))
        return fail(reading, "a member of an object has no name") != NULL;
    if (!read_text(reading))
        return false;
    const size_t len = reading->text.len;
    if (!pay(reading, MEMBER_BYTES + len))
        return false;
    char *key = quipu__alloc(reading->charge->memory, len + 1);
    if (!key)
        return starve(reading) != NULL;
    memcpy(key, reading->text.data ? (const char *)reading->text.data : "", len);
    key[len] = '\0';
    const bool is_new = json_object_getn(object, key, len) == NULL, has_colon = read_character(reading, ':');
    json_t *value = is_new && has_colon ? read_value(reading) : NULL;
    if (!is_new)
        fail(reading, "two members of an object have one name");
    else if (!has_colon)
        fail(reading, "a name in an object has no value");
    else if (value && json_object_setn_new(object, key, len, value) != 0)
        starve(reading);
    quipu__release(reading->charge->memory, key, len + 1);
    return !reading->trouble;
}

static bool read_item(struct reading *reading, json_t *list) {
    if (!pay(reading, ITEM_BYTES))
        return false;
    json_t *value = read_value(reading);
    if (value && json_array_append_new(list, value) != 0)
        starve(reading);
    return !reading->trouble;
}

static json_t *read_all(struct reading *reading, json_t *whole, char end,
                        bool read(struct reading *reading, json_t *into)) {
    if (!whole)
        return starve(reading);
    reading->depth++;
    bool is_good = true;
    if (!read_character(reading, end)) {
        do
            is_good = read(reading, whole);
        while (is_good && read_character(reading, ','));
        if (is_good && !read_character(reading, end)) {
            fail(reading, "an object or list does not end");
            is_good = false;
        }
    }
    reading->depth--;
    if (is_good)
        return whole;
    json_decref(whole);
    return NULL;
}

static json_t *read_value(struct reading *reading) {
    const char first = peek(reading);
    if (reading->depth >= DEPTH_MOST)
        return fail(reading, "objects and lists are too deep");
    switch (first) {
    case '{':
        reading->at++;
        return pay(reading, OBJECT_BYTES) ? read_all(reading, json_object(), '}', read_member) : NULL;
    case '[':
        reading->at++;
        return pay(reading, LIST_BYTES) ? read_all(reading, json_array(), ']', read_item) : NULL;
    case '"':
        reading->at++;
        return read_string(reading);
    default:
        return first == '-' || (first >= '0' && first <= '9') ? read_number(reading) : read_name(reading);
    }
}

enum quipu_status quipu__ovni_json_read(struct quipu__charge *charge, const char *text, size_t len,
                                        json_t **out, struct quipu_error *err) {
    struct reading reading = {.at = text, .end = text + len, .charge = charge};
    const size_t before = charge->bytes;
    quipu__buffer_init(&reading.text, charge->memory, 0);
    json_t *value = peek(&reading) == '{' ? read_value(&reading) : fail(&reading, "a JSON object is expected");
    quipu__buffer_release(&reading.text);
    *out = value;
    if (value)
        return QUIPU_OK;
    quipu__charge_give(charge, charge->bytes - before);
    if (reading.is_starved)
        return quipu__no_memory(err, len);
    return quipu__fail(err, QUIPU_CORRUPT, "%s at byte %zu", reading.trouble, (size_t)(reading.at - text));
}
