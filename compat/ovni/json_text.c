/* json_text.c: JSON as text, in the layout of the original: four spaces a level, one member or element a line, "/" escaped,
 * numbers with all their digits. */
#include "json.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 2048

/* ---- UTF-8 ---- */

/* Bytes of the character that begins here, 0 when it is none. */
static size_t utf8_length(const unsigned char *at) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } shapes[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t more = 0; more < 4; more++) {
        if ((at[0] & shapes[more].mask) != shapes[more].lead)
            continue;
        uint32_t code = at[0] & (unsigned char)~shapes[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if ((at[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (at[i] & 0x3f);
        }
        const bool is_character =
            code >= shapes[more].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        return is_character ? more + 1 : 0;
    }
    return 0;
}

bool json_is_utf8(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = utf8_length(at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

/* ---- Printing ---- */

struct text {
    char *data;
    size_t len, size;
    bool failed, is_indented;
};

static void put_bytes(struct text *out, const char *bytes, size_t len) {
    while (!out->failed && out->size - out->len <= len) {
        const size_t size = out->size ? 2 * out->size : 1024;
        char *data = realloc(out->data, size);
        out->failed = !data;
        if (data) {
            out->data = data;
            out->size = size;
        }
    }
    if (out->failed)
        return;
    memcpy(out->data + out->len, bytes, len);
    out->len += len;
    out->data[out->len] = '\0';
}

static void put(struct text *out, const char *string) {
    put_bytes(out, string, strlen(string));
}

static void put_character(struct text *out, unsigned char c) {
    static const char escaped[] = "\"\\/\b\f\n\r\t", letters[] = "\"\\/bfnrt";
    const char *found = c ? strchr(escaped, c) : NULL;
    char buffer[8];
    if (found)
        snprintf(buffer, sizeof buffer, "\\%c", letters[found - escaped]);
    else
        snprintf(buffer, sizeof buffer, c < 0x20 ? "\\u%04x" : "%c", c);
    put(out, buffer);
}

static void put_string(struct text *out, const char *string) {
    put(out, "\"");
    for (const char *at = string; *at; at++)
        put_character(out, (unsigned char)*at);
    put(out, "\"");
}

static void put_line(struct text *out, int level) {
    if (!out->is_indented)
        return;
    put(out, "\n");
    for (int i = 0; i < level; i++)
        put(out, "    ");
}

static void put_value(struct text *out, const struct json *value, int level);

static void put_children(struct text *out, const struct json *value, int level) {
    for (const struct json *child = value->first; child; child = child->next) {
        put_line(out, level + 1);
        if (child->key) {
            put_string(out, child->key);
            put(out, out->is_indented ? ": " : ":");
        }
        put_value(out, child, level + 1);
        if (child->next)
            put(out, ",");
    }
    if (value->first)
        put_line(out, level);
}

/* Numbers have a point in JSON, whatever the program's locale says; between the two, for this thread. */
static locale_t begin_points(locale_t *before) {
    const locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *before = own ? uselocale(own) : (locale_t)0;
    return own;
}

static void end_points(locale_t own, locale_t before) {
    if (!own)
        return;
    uselocale(before);
    freelocale(own);
}

static void put_number(struct text *out, double number) {
    char buffer[40];
    locale_t before;
    const locale_t own = begin_points(&before);
    snprintf(buffer, sizeof buffer, "%1.17g", number);
    end_points(own, before);
    put(out, buffer);
}

static void put_value(struct text *out, const struct json *value, int level) {
    switch (value->kind) {
    case JSON_NULL:
        put(out, "null");
        break;
    case JSON_BOOLEAN:
        put(out, value->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        put_number(out, value->number);
        break;
    case JSON_STRING:
        put_string(out, value->string);
        break;
    case JSON_ARRAY:
        put(out, "[");
        put_children(out, value, level);
        put(out, "]");
        break;
    case JSON_OBJECT:
        put(out, "{");
        put_children(out, value, level);
        put(out, "}");
    }
}

char *json_text(const struct json *value, bool is_indented) {
    struct text out = {.is_indented = is_indented};
    put_value(&out, value, 0);
    if (!out.failed)
        return out.data;
    free(out.data);
    return NULL;
}

/* ---- Parsing ---- */

struct parser {
    const char *at;
    int depth;
};

static void skip_space(struct parser *parser) {
    parser->at += strspn(parser->at, " \t\r\n");
}

/* Whether the next character that is no space is this one; then it is passed. */
static bool next_is(struct parser *parser, char wanted) {
    skip_space(parser);
    if (*parser->at != wanted)
        return false;
    parser->at++;
    return true;
}

static bool parse_hex(struct parser *parser, uint32_t *out) {
    char digits[5] = {0};
    if (strspn(parser->at, "0123456789abcdefABCDEF") < 4)
        return false;
    memcpy(digits, parser->at, 4);
    *out = (uint32_t)strtoul(digits, NULL, 16);
    parser->at += 4;
    return true;
}

static void put_code(struct text *out, uint32_t code) {
    char bytes[5] = {0};
    if (code < 0x80)
        bytes[0] = (char)code;
    else if (code < 0x800)
        snprintf(bytes, sizeof bytes, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
    else if (code < 0x10000)
        snprintf(bytes, sizeof bytes, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)),
                 (int)(0x80 | (code & 0x3f)));
    else
        snprintf(bytes, sizeof bytes, "%c%c%c%c", (int)(0xf0 | code >> 18), (int)(0x80 | (code >> 12 & 0x3f)),
                 (int)(0x80 | (code >> 6 & 0x3f)), (int)(0x80 | (code & 0x3f)));
    put(out, bytes);
}

/* Behind \u: one code, or two that make one character. A zero would end the string. */
static bool parse_code(struct parser *parser, struct text *out) {
    uint32_t code, low;
    if (!parse_hex(parser, &code) || code == 0 || (code >= 0xdc00 && code <= 0xdfff))
        return false;
    if (code >= 0xd800 && code <= 0xdbff) {
        if (strncmp(parser->at, "\\u", 2) != 0)
            return false;
        parser->at += 2;
        if (!parse_hex(parser, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
    }
    put_code(out, code);
    return true;
}

static bool parse_escape(struct parser *parser, struct text *out) {
    static const char letters[] = "\"\\/bfnrt", escaped[] = "\"\\/\b\f\n\r\t";
    const char letter = *parser->at++;
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (found)
        put_bytes(out, &escaped[found - letters], 1);
    return found || (letter == 'u' && parse_code(parser, out));
}

/* A string behind its first quote; NULL when it is none. */
static char *parse_string(struct parser *parser) {
    struct text out = {0};
    put(&out, "");
    bool is_fine = true;
    while (is_fine && *parser->at != '"') {
        const size_t length = utf8_length((const unsigned char *)parser->at);
        is_fine = (unsigned char)*parser->at >= 0x20 && length > 0;
        if (!is_fine)
            break;
        if (*parser->at == '\\') {
            parser->at++;
            is_fine = parse_escape(parser, &out);
            continue;
        }
        put_bytes(&out, parser->at, length);
        parser->at += length;
    }
    if (is_fine && !out.failed) {
        parser->at++;
        return out.data;
    }
    free(out.data);
    return NULL;
}

static struct json *parse_value(struct parser *parser);

static struct json *fail(struct json *value) {
    json_free(value);
    return NULL;
}

static struct json *parse_array(struct parser *parser) {
    struct json *array = json_new(JSON_ARRAY);
    if (!array || next_is(parser, ']'))
        return array;
    do {
        if (!json_append(array, parse_value(parser)))
            return fail(array);
    } while (next_is(parser, ','));
    return next_is(parser, ']') ? array : fail(array);
}

static bool has_member(const struct json *object, const char *key) {
    for (const struct json *member = object->first; member; member = member->next)
        if (strcmp(member->key, key) == 0)
            return true;
    return false;
}

static bool parse_member(struct parser *parser, struct json *object) {
    char *key = next_is(parser, '"') ? parse_string(parser) : NULL;
    struct json *value = key && !has_member(object, key) && next_is(parser, ':') ? parse_value(parser) : NULL;
    if (!value) {
        free(key);
        return false;
    }
    value->key = key;
    return json_append(object, value);
}

static struct json *parse_object(struct parser *parser) {
    struct json *object = json_new(JSON_OBJECT);
    if (!object || next_is(parser, '}'))
        return object;
    do {
        if (!parse_member(parser, object))
            return fail(object);
    } while (next_is(parser, ','));
    return next_is(parser, '}') ? object : fail(object);
}

static struct json *parse_text(struct parser *parser) {
    char *string = parse_string(parser);
    struct json *value = string ? json_new_string(string) : NULL;
    free(string);
    return value;
}

/* strtod also knows numbers that JSON does not: hexadecimal ones, and infinity. */
static struct json *parse_number(struct parser *parser) {
    const size_t len = strspn(parser->at, "-+.0123456789eE");
    const char *digits = parser->at + (*parser->at == '-');
    char *end;
    locale_t before;
    const locale_t own = begin_points(&before);
    const double number = strtod(parser->at, &end);
    end_points(own, before);
    const bool has_zeros = digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
    if (*digits < '0' || *digits > '9' || has_zeros || end != parser->at + len || !isfinite(number))
        return NULL;
    parser->at = end;
    return json_new_number(number);
}

static struct json *parse_word(struct parser *parser, const char *word, struct json *value) {
    if (strncmp(parser->at, word, strlen(word)) != 0)
        return fail(value);
    parser->at += strlen(word);
    return value;
}

static struct json *parse_nested(struct parser *parser, struct json *(*parse)(struct parser *)) {
    parser->at++;
    if (++parser->depth > DEPTH_MOST)
        return NULL;
    struct json *value = parse(parser);
    parser->depth--;
    return value;
}

static struct json *parse_value(struct parser *parser) {
    skip_space(parser);
    switch (*parser->at) {
    case '{':
        return parse_nested(parser, parse_object);
    case '[':
        return parse_nested(parser, parse_array);
    case '"':
        return parse_nested(parser, parse_text);
    case 't':
        return parse_word(parser, "true", json_new_boolean(true));
    case 'f':
        return parse_word(parser, "false", json_new_boolean(false));
    case 'n':
        return parse_word(parser, "null", json_new(JSON_NULL));
    default:
        return parse_number(parser);
    }
}

struct json *json_parse(const char *text) {
    struct parser parser = {.at = text};
    struct json *value = parse_value(&parser);
    skip_space(&parser);
    return value && *parser.at ? fail(value) : value;
}
