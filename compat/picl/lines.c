/* lines.c: the lines of a trace as text: by time, and without some of them. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

/* A line of a text. */
struct line {
    int64_t time;
    size_t offset, len;
};

/* Microseconds of a record: its third word, which has six decimals. */
static int64_t time_of(const char *line, const char *end) {
    int64_t time = 0;
    bool is_negative = false;
    for (int words = 0; line < end && words < 2; line++)
        words += *line == ' ';
    for (; line < end && *line != ' '; line++) {
        if (*line >= '0' && *line <= '9')
            time = time * 10 + (*line - '0');
        is_negative |= *line == '-';
    }
    return is_negative ? -time : time;
}

static int by_time(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void picl_lines_sort(char *text, size_t size) {
    size_t count = 0, number = 0, put = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    struct line *lines = malloc((count + 1) * sizeof *lines);
    char *sorted = malloc(size + 1);
    for (size_t offset = 0; lines && sorted && number < count; number++) {
        const char *end = memchr(text + offset, '\n', size - offset);
        const size_t len = (size_t)(end - (text + offset)) + 1;
        lines[number] = (struct line){time_of(text + offset, end), offset, len};
        offset += len;
    }
    const bool done = lines && sorted;
    if (done)
        qsort(lines, count, sizeof *lines, by_time);
    for (size_t i = 0; done && i < count; i++) {
        memcpy(sorted + put, text + lines[i].offset, lines[i].len);
        put += lines[i].len;
    }
    if (done)
        memcpy(text, sorted, put);
    free(lines);
    free(sorted);
}

/* ---- Removing ---- */

/* A line that is to be removed once. */
struct removed {
    const char *text;
    size_t len;
    bool is_found;
};

static int by_text(const void *a, const void *b) {
    const struct removed *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    if (order != 0)
        return order;
    return (x->len > y->len) - (x->len < y->len);
}

static struct removed *list_lines(const char *lines, size_t size, size_t *out_count) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += lines[i] == '\n';
    struct removed *list = malloc((count + 1) * sizeof *list);
    *out_count = list ? count : 0;
    for (size_t i = 0; i < *out_count; i++) {
        const char *end = memchr(lines, '\n', size);
        const size_t len = (size_t)(end - lines) + 1;
        list[i] = (struct removed){lines, len, false};
        lines += len;
        size -= len;
    }
    if (list)
        qsort(list, count, sizeof *list, by_text);
    return list;
}

/* Equal lines lie together in the list: the first of them that has not been found is taken. */
static bool is_removed(struct removed *list, size_t count, const char *text, size_t len) {
    const struct removed key = {text, len, false};
    struct removed *found = bsearch(&key, list, count, sizeof *list, by_text);
    while (found && found > list && by_text(found - 1, &key) == 0)
        found--;
    for (; found && found < list + count && by_text(found, &key) == 0; found++)
        if (!found->is_found)
            return found->is_found = true;
    return false;
}

size_t picl_lines_remove(char *text, size_t size, const char *lines, size_t lines_size, size_t *first) {
    size_t count, put = 0;
    struct removed *list = list_lines(lines, lines_size, &count);
    *first = size;
    for (size_t offset = 0; offset < size;) {
        const char *end = memchr(text + offset, '\n', size - offset);
        const size_t len = end ? (size_t)(end - (text + offset)) + 1 : size - offset;
        if (is_removed(list, count, text + offset, len)) {
            *first = put < *first ? put : *first;
        } else {
            memmove(text + put, text + offset, len);
            put += len;
        }
        offset += len;
    }
    *first = *first < put ? *first : put;
    free(list);
    return put;
}
