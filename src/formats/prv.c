/* prv.c: writing files for Paraver. */
#include "formats/prv.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Lines ---- */

static enum quipu_status begin(struct quipu__prv *prv, struct quipu__memory *memory, struct quipu_sink sink,
                               struct quipu_error *err) {
    *prv = (struct quipu__prv){.sink = sink, .err = err, .status = QUIPU_OK};
    prv->buffer = prv->at = quipu__alloc(memory, QUIPU__PRV_BUFFER_BYTES);
    if (!prv->buffer)
        return quipu__no_memory(err, QUIPU__PRV_BUFFER_BYTES);
    prv->last_start = prv->buffer + QUIPU__PRV_BUFFER_BYTES - QUIPU__PRV_LINE_MOST;
    return QUIPU_OK;
}

enum quipu_status quipu__prv_begin(struct quipu__prv *prv, struct quipu__memory *memory, int row_digits,
                                   struct quipu_sink sink, struct quipu_error *err) {
    const enum quipu_status status = begin(prv, memory, sink, err);
    if (status == QUIPU_OK)
        prv->at += quipu__prv_head(prv->at, 0, 0, row_digits);
    return status;
}

enum quipu_status quipu__prv_begin_with(struct quipu__prv *prv, struct quipu__memory *memory, const char *head,
                                        size_t len, struct quipu_sink sink, struct quipu_error *err) {
    const enum quipu_status status = begin(prv, memory, sink, err);
    return status == QUIPU_OK ? sink.write(sink.context, head, len, err) : status;
}

void quipu__prv_release(struct quipu__prv *prv, struct quipu__memory *memory) {
    quipu__release(memory, prv->buffer, prv->buffer ? QUIPU__PRV_BUFFER_BYTES : 0);
    prv->buffer = NULL;
}

enum quipu_status quipu__prv_flush(struct quipu__prv *prv) {
    if (prv->status == QUIPU_OK && prv->at > prv->buffer)
        prv->status =
            prv->sink.write(prv->sink.context, prv->buffer, (size_t)(prv->at - prv->buffer), prv->err);
    prv->at = prv->buffer;
    return prv->status;
}

struct quipu__prv_type quipu__prv_type(uint32_t type) {
    char text[10 + 1 + QUIPU__DIGITS_SLACK];
    struct quipu__prv_type made = {.number = type};
    char *end = quipu__put_digits(text, type);
    *end++ = ':';
    made.len = (uint8_t)(end - text);
    memcpy(made.text, text, made.len);
    return made;
}

struct quipu__prv_object quipu__prv_object(uint32_t cpu, uint32_t task, uint32_t thread) {
    char text[QUIPU__PRV_OBJECT_MOST + QUIPU__DIGITS_SLACK];
    struct quipu__prv_object object;
    char *at = quipu__put_digits(text, cpu);
    memcpy(at, ":1:", 3);
    at = quipu__put_digits(at + 3, task);
    *at++ = ':';
    at = quipu__put_digits(at, thread);
    *at++ = ':';
    object.len = (uint8_t)(at - text);
    memset(at, 0, (size_t)(text + sizeof text - at));
    memcpy(object.text, text, sizeof object.text);
    return object;
}

static char *put_object(char *at, const struct quipu__prv_object *object) {
    memcpy(at, object->text, sizeof object->text);
    return at + object->len;
}

static char *put_time(char *at, int64_t time) {
    at = quipu__put_signed_digits(at, time);
    *at++ = ':';
    return at;
}

void quipu__prv_put_state(struct quipu__prv *prv, const struct quipu__prv_object *object, int64_t begin,
                          int64_t end, uint32_t state) {
    if (prv->at > prv->last_start && quipu__prv_flush(prv) != QUIPU_OK)
        return;
    memcpy(prv->at, "1:", 2);
    char *at = put_time(put_time(put_object(prv->at + 2, object), begin), end);
    at = quipu__put_digits(at, state);
    *at++ = '\n';
    prv->at = at;
}

static char *put_end(char *at, const struct quipu__prv_end *end) {
    return put_time(put_time(put_object(at, end->object), end->logical), end->physical);
}

void quipu__prv_put_message(struct quipu__prv *prv, const struct quipu__prv_end *sent,
                            const struct quipu__prv_end *received, uint64_t bytes, int64_t tag) {
    if (prv->at > prv->last_start && quipu__prv_flush(prv) != QUIPU_OK)
        return;
    memcpy(prv->at, "3:", 2);
    char *at = put_end(put_end(prv->at + 2, sent), received);
    at = quipu__put_digits(at, bytes);
    *at++ = ':';
    at = quipu__put_signed_digits(at, tag);
    *at++ = '\n';
    prv->at = at;
}

int quipu__prv_digits(uint32_t rows) {
    char text[20 + QUIPU__DIGITS_SLACK];
    return (int)(quipu__put_digits(text, rows) - text);
}

size_t quipu__prv_head(char *out, int64_t duration, uint32_t rows, int row_digits) {
    const int len = snprintf(out, QUIPU__PRV_HEAD_MOST,
                             "#Paraver (19/01/38 at 03:14):%020" PRId64 "_ns:0:1:1(%0*" PRIu32 ":1)\n",
                             duration, row_digits, rows);
    return (size_t)len;
}

/* ---- Types and values ---- */

void quipu__pcf_options(struct quipu__buffer *out) {
    quipu__put_text(out, "DEFAULT_OPTIONS\n\n"
                         "LEVEL               THREAD\n"
                         "UNITS               NANOSEC\n"
                         "LOOK_BACK           100\n"
                         "SPEED               1\n"
                         "FLAG_ICONS          ENABLED\n"
                         "NUM_OF_STATE_COLORS 1000\n"
                         "YMAX_SCALE          37\n\n\n"
                         "DEFAULT_SEMANTIC\n\n"
                         "THREAD_FUNC         State As Is\n");
}

void quipu__pcf_begin(struct quipu__buffer *out) {
    static const uint8_t colours[][3] = {
        {0, 0, 0},       {0, 130, 200},   {217, 217, 217}, {230, 25, 75},  {60, 180, 75},   {255, 225, 25},
        {245, 130, 48},  {145, 30, 180},  {70, 240, 240},  {240, 50, 230}, {210, 245, 60},  {250, 190, 212},
        {0, 128, 128},   {128, 128, 128}, {220, 190, 255}, {170, 110, 40}, {255, 250, 200}, {128, 0, 0},
        {170, 255, 195}, {128, 128, 0},   {255, 215, 180}, {0, 0, 128},    {0, 0, 255}};
    quipu__pcf_options(out);
    quipu__put_text(out, "\n\nSTATES_COLOR\n");
    for (unsigned i = 0; i < sizeof colours / sizeof *colours; i++)
        quipu__put_format(out, "%-3u {%3u, %3u, %3u}\n", i, colours[i][0], colours[i][1], colours[i][2]);
}

/* ---- Rows ---- */

void quipu__row_begin(struct quipu__buffer *out, uint32_t rows) {
    quipu__put_format(out, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %" PRIu32 "\n", rows);
}
