/* prv.h: writing the three files that Paraver reads: lines of values (.prv), the names of types and values (.pcf), and the
 * names of rows (.row).
 *
 *     #Paraver (19/01/38 at 03:14):00000000000000001800_ns:0:1:1(3:1)       duration, rows
 *     2:0:1:1:1:0:6:1                                                       row, time, type, value
 *     1:1:1:1:1:0:20:1                                                      a state: row, its begin and end, its number
 *     3:0:1:1:1:20:20:0:1:1:2:50:50:8:7                  a message: its sender's row and times, the receiver's, bytes, tag
 */
#ifndef QUIPU_FORMATS_PRV_H
#define QUIPU_FORMATS_PRV_H

#include "core/memory/buffer.h"
#include "core/digits.h"
#include "core/os.h"

#include <inttypes.h>

#define QUIPU__PRV_LINE_MOST 240
#define QUIPU__PRV_BUFFER_BYTES ((size_t)256 << 10)
#define QUIPU__PRV_HEAD_MOST 100
#define QUIPU__PRV_TAIL_MOST 56 /* 21 of time, 11 of type, 21 of value, a newline */

/* Lines on their way to a sink. First a placeholder head is written, with room for the duration and for a number of rows of
 * that many digits, which are not known yet: quipu__prv_head gives the final one to put over it. */
struct quipu__prv {
    struct quipu_sink sink;
    struct quipu_error *err;
    enum quipu_status status;       /* the first failure of the sink */
    char *buffer, *at, *last_start; /* QUIPU__PRV_BUFFER_BYTES; where the last line that fits may start */
};

enum quipu_status quipu__prv_begin(struct quipu__prv *prv, struct quipu__memory *memory, int row_digits,
                                   struct quipu_sink sink, struct quipu_error *err);
/* The same with a head that the caller has made, which is written at once. */
enum quipu_status quipu__prv_begin_with(struct quipu__prv *prv, struct quipu__memory *memory, const char *head,
                                        size_t len, struct quipu_sink sink, struct quipu_error *err);
void quipu__prv_release(struct quipu__prv *prv, struct quipu__memory *memory);

/* Writes the lines so far to the sink; returns the first failure so far. */
enum quipu_status quipu__prv_flush(struct quipu__prv *prv);

/* A type as in lines, followed by a colon. */
struct quipu__prv_type {
    char text[11]; /* ten digits and a colon */
    uint8_t len;
    uint32_t number;
};
struct quipu__prv_type quipu__prv_type(uint32_t type);

/* What follows the row of a line: the same text for all rows and files that show a value. */
struct quipu__prv_tail {
    int64_t time, value;
    uint32_t type, time_end, len; /* len 0: there is none yet */
    char text[QUIPU__PRV_TAIL_MOST + QUIPU__DIGITS_SLACK];
};

QUIPU__INLINE void quipu__prv_set_tail(struct quipu__prv_tail *tail, int64_t time,
                                       const struct quipu__prv_type *type, int64_t value) {
    if (time != tail->time || tail->len == 0) {
        char *end = quipu__put_signed_digits(tail->text, time);
        *end++ = ':';
        tail->time_end = (uint32_t)(end - tail->text);
        tail->time = time;
    } else if (type->number == tail->type && value == tail->value) {
        return;
    }
    char *at = tail->text + tail->time_end;
    memcpy(at, type->text, sizeof type->text); /* a fixed length is one or two moves */
    at = quipu__put_signed_digits(at + type->len, value);
    *at++ = '\n';
    tail->len = (uint32_t)(at - tail->text);
    tail->type = type->number;
    tail->value = value;
}

/* Adds a line; rows count from 1 here. */
QUIPU__INLINE void quipu__prv_put(struct quipu__prv *prv, uint32_t row, const struct quipu__prv_tail *tail) {
    if (QUIPU__UNLIKELY(prv->at > prv->last_start) && quipu__prv_flush(prv) != QUIPU_OK)
        return;
    memcpy(prv->at, "2:0:1:1:", 8);
    char *at = quipu__put_digits(prv->at + 8, row);
    *at++ = ':';
    memcpy(at, tail->text, QUIPU__PRV_TAIL_MOST);
    prv->at = at + tail->len;
}

/* The object of a line, as in lines: CPU, application, task and thread, which count from 1, each followed by a colon. */
#define QUIPU__PRV_OBJECT_MOST 39
struct quipu__prv_object {
    char text[QUIPU__PRV_OBJECT_MOST];
    uint8_t len;
};

/* An object of the first application; CPU 0: not known. */
struct quipu__prv_object quipu__prv_object(uint32_t cpu, uint32_t task, uint32_t thread);

QUIPU__INLINE void quipu__prv_put_at(struct quipu__prv *prv, const struct quipu__prv_object *object,
                                     const struct quipu__prv_tail *tail) {
    if (QUIPU__UNLIKELY(prv->at > prv->last_start) && quipu__prv_flush(prv) != QUIPU_OK)
        return;
    memcpy(prv->at, "2:", 2);
    memcpy(prv->at + 2, object->text, sizeof object->text);
    char *at = prv->at + 2 + object->len;
    memcpy(at, tail->text, QUIPU__PRV_TAIL_MOST);
    prv->at = at + tail->len;
}

void quipu__prv_put_state(struct quipu__prv *prv, const struct quipu__prv_object *object, int64_t begin,
                          int64_t end, uint32_t state);

/* An end of a message: when the program sent it or was ready for it, and when it left or arrived. */
struct quipu__prv_end {
    const struct quipu__prv_object *object;
    int64_t logical, physical;
};
void quipu__prv_put_message(struct quipu__prv *prv, const struct quipu__prv_end *sent,
                            const struct quipu__prv_end *received, uint64_t bytes, int64_t tag);

/* The head, with a newline; returns its length, which does not depend on the duration, nor on rows of at most that many
 * digits. */
size_t quipu__prv_head(char *out, int64_t duration, uint32_t rows, int row_digits);
int quipu__prv_digits(uint32_t rows);

/* ---- Names ---- */

/* Options, followed by colours of values. */
void quipu__pcf_options(struct quipu__buffer *out);
void quipu__pcf_begin(struct quipu__buffer *out);
static inline void quipu__pcf_type(struct quipu__buffer *out, uint32_t type, const char *label) {
    quipu__put_format(out, "\n\nEVENT_TYPE\n0 %-10" PRIu32 " %s\nVALUES\n", type, label);
}
static inline void quipu__pcf_value(struct quipu__buffer *out, int64_t value, const char *label) {
    quipu__put_format(out, "%-4" PRId64 " %s\n", value, label);
}

void quipu__row_begin(struct quipu__buffer *out, uint32_t rows);
static inline void quipu__row_name(struct quipu__buffer *out, const char *name) {
    quipu__put_format(out, "%s\n", name);
}

#endif
