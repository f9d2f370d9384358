/* gather.c: the traces of all nodes in the end. What goes into the same file as node 0's trace is put there in the order of time, as
 * ParaGraph wants it; nodes that have another file write it one after another. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, CHUNK_BYTES = 1 << 30 };

/* A line of the collected text. */
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

/* The text stays as it is when memory does not suffice. */
static void sort_lines(char *text, size_t size) {
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

/* ---- Between nodes ---- */

static void give_text(const char *text, uint64_t size) {
    picl_session.transport->send_to(&size, sizeof size, 0);
    for (uint64_t offset = 0; offset < size; offset += CHUNK_BYTES)
        picl_session.transport->send_to(text + offset,
                                        (int)(size - offset < CHUNK_BYTES ? size - offset : CHUNK_BYTES), 0);
}

/* Behind the text that is there. */
static void take_text(char **text, size_t *size, int node) {
    uint64_t more;
    picl_session.transport->receive_from(&more, sizeof more, node);
    char *grown = realloc(*text, *size + more + 1);
    if (!grown)
        picl_fail("no memory for the trace of node %d", node);
    *text = grown;
    for (uint64_t offset = 0; offset < more; offset += CHUNK_BYTES)
        picl_session.transport->receive_from(
            grown + *size + offset, (int)(more - offset < CHUNK_BYTES ? more - offset : CHUNK_BYTES), node);
    *size += more;
}

static void collect(char *text, size_t size) {
    for (int node = 1; node < picl_session.nodes; node++)
        take_text(&text, &size, node);
    sort_lines(text, size);
    picl_output_append(text, size);
    free(text);
}

/* Whether this node's trace goes where node 0's goes, which gets to know it. */
static bool shares_file(void) {
    char path[PATH_BYTES] = "";
    if (picl_session.me == 0 && picl_output_path() && strlen(picl_output_path()) < sizeof path)
        memcpy(path, picl_output_path(), strlen(picl_output_path()) + 1);
    picl_session.transport->broadcast(path, sizeof path, 0);
    return *path && picl_output_path() && strcmp(path, picl_output_path()) == 0;
}

void picl_gather(void) {
    const struct picl_transport *transport = picl_session.transport;
    const bool shares = shares_file();
    char token = 0;
    size_t size = 0;
    char *text = shares ? picl_output_take(&size) : NULL;
    if (picl_session.me == 0) {
        collect(text, size);
    } else {
        give_text(text, size);
        free(text);
        transport->receive_from(&token, 1, picl_session.me - 1);
    }
    picl_output_to_permanent();
    if (picl_session.me + 1 < picl_session.nodes)
        transport->send_to(&token, 1, picl_session.me + 1);
    transport->barrier();
}
