/* where_regex.c: see where_regex.h.
 *
 * The C library writes counted repetitions out, "a{3}" as "aaa", and takes memory in proportion to the square of what comes out, which no
 * memory gate sees: "((a{255}){255}){255}" is gigabytes. And what matches a back reference is found by trying. So the size is estimated
 * from the text first, and back references are refused. What matching takes is not bounded by that: the C library remembers what it has
 * seen, which for alternatives before a long repetition may be as many things as the text has characters.
 */
#include "model/where_regex.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    SIZE_MOST = 1000,      /* of a regular expression: characters and the like, repetitions written out */
    ALL_SIZES_MOST = 5000, /* of all in one expression */
    DEPTH_MOST = 50,       /* groups inside each other */
};

const char quipu__regex_no_memory[] = "no memory for the expression";

/* What has been read: of each group that is open what comes before its latest part, and that part, which a repetition is of. */
struct measure {
    uint32_t before[DEPTH_MOST + 1], latest[DEPTH_MOST + 1];
    int depth;
};

static uint32_t bounded(uint64_t size) {
    return size > SIZE_MOST ? SIZE_MOST + 1 : (uint32_t)size;
}

static void add_part(struct measure *measure, uint32_t size) {
    uint32_t *before = &measure->before[measure->depth];
    *before = bounded((uint64_t)*before + measure->latest[measure->depth]);
    measure->latest[measure->depth] = size;
}

static void repeat(struct measure *measure, uint32_t times) {
    uint32_t *latest = &measure->latest[measure->depth];
    *latest = bounded((uint64_t)*latest * (times > 0 ? times : 1));
}

static const char *read_number(const char *at, uint32_t *out) {
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        *out = bounded((uint64_t)*out * 10 + (uint64_t)(*at - '0'));
    return at;
}

/* Reads "{3}", "{3,}" or "{3,5}" from behind the brace on; returns what comes behind it. */
static const char *read_count(struct measure *measure, const char *at) {
    uint32_t least, most;
    at = read_number(at, &least);
    if (*at == ',') {
        at = read_number(at + 1, &most);
        least = most > least ? most : least + 1;
    }
    repeat(measure, least);
    return *at == '}' ? at + 1 : at;
}

/* Reads "[...]" from behind the first bracket on. */
static const char *read_set(const char *at) {
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        const bool is_class = *at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=');
        const char kind = at[1];
        at += is_class ? 2 : 1;
        while (is_class && *at && (at[0] != kind || at[1] != ']'))
            at++;
        at += is_class && *at ? 2 : 0;
    }
    return *at ? at + 1 : at;
}

static void close_group(struct measure *measure) {
    if (measure->depth == 0)
        return;
    const uint32_t size = bounded((uint64_t)measure->before[measure->depth] + measure->latest[measure->depth]);
    measure->depth--;
    add_part(measure, size > 0 ? size : 1);
}

/* Reads a part or what repeats it; returns what comes behind it, NULL when that is too deep. */
static const char *read_part(struct measure *measure, const char *at) {
    switch (*at) {
    case '(':
        if (measure->depth == DEPTH_MOST)
            return NULL;
        measure->depth++;
        measure->before[measure->depth] = measure->latest[measure->depth] = 0;
        return at + 1;
    case ')':
        close_group(measure);
        return at + 1;
    case '{':
        return read_count(measure, at + 1);
    case '+':
        repeat(measure, 2);
        return at + 1;
    case '[':
        add_part(measure, 1);
        return read_set(at + 1);
    case '*':
    case '?':
        return at + 1;
    default:
        add_part(measure, 1);
        return *at == '\\' && at[1] ? at + 2 : at + 1;
    }
}

static bool has_back_reference(const char *at) {
    for (; *at; at++) {
        if (at[0] == '[')
            at = read_set(at + 1) - 1;
        else if (at[0] == '\\' && at[1] >= '1' && at[1] <= '9')
            return true;
        else if (at[0] == '\\' && at[1])
            at++;
    }
    return false;
}

/* More than SIZE_MOST when it is too large or too deep. */
static uint32_t size_of(const char *text) {
    struct measure measure = {.depth = 0};
    const char *at = text;
    while (at && *at)
        at = read_part(&measure, at);
    while (measure.depth > 0)
        close_group(&measure);
    return at ? bounded((uint64_t)measure.before[0] + measure.latest[0]) : SIZE_MOST + 1;
}

const char *quipu__regex_trouble(const char *text, uint32_t *size) {
    regex_t regex;
    const uint32_t own = size_of(text);
    if (own > SIZE_MOST || *size + own > ALL_SIZES_MOST)
        return "the regular expression is too large: written out, 1000 characters are allowed, and 5000 in all";
    if (has_back_reference(text))
        return "a regular expression may not have back references";
    *size += own;
    const int fault = regcomp(&regex, text, QUIPU__REGEX_FLAGS);
    if (fault == REG_ESPACE)
        return quipu__regex_no_memory;
    if (fault != 0)
        return "expected an extended regular expression";
    regfree(&regex);
    return NULL;
}
