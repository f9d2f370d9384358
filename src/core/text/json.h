/* json.h: writing JSON: nesting, separators, strings and numbers have their one home here.
 *
 *     struct quipu__json json = quipu__json_init(&buffer);
 *     quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
 *     quipu__json_text(&json, "verdict", "ok");
 *     quipu__json_open(&json, "findings", QUIPU__JSON_LINES);
 *     quipu__json_u64(&json, NULL, 3);
 *     quipu__json_close(&json);
 *     quipu__json_close(&json);                 {"verdict": "ok", "findings": [
 *                                               3]}
 *
 * A key is NULL for elements of a list and for the outermost value. Keys need no escaping.
 */
#ifndef QUIPU_CORE_TEXT_JSON_H
#define QUIPU_CORE_TEXT_JSON_H

#include "core/memory/buffer.h"

/* LINES and ROWS are lists with one element per line, indented in ROWS. */
enum quipu__json_shape { QUIPU__JSON_OBJECT, QUIPU__JSON_LIST, QUIPU__JSON_LINES, QUIPU__JSON_ROWS };

enum { QUIPU__JSON_DEPTH = 8 };

struct quipu__json {
    struct quipu__buffer *out;
    unsigned depth;
    struct {
        enum quipu__json_shape shape;
        bool has_elements;
    } levels[QUIPU__JSON_DEPTH];
};

static inline struct quipu__json quipu__json_init(struct quipu__buffer *out) {
    struct quipu__json json = {.out = out};
    return json;
}

void quipu__json_open(struct quipu__json *json, const char *key, enum quipu__json_shape shape);

/* Ends what was opened last. */
void quipu__json_close(struct quipu__json *json);

void quipu__json_text(struct quipu__json *json, const char *key, const char *text);
void quipu__json_i64(struct quipu__json *json, const char *key, int64_t number);
void quipu__json_bool(struct quipu__json *json, const char *key, bool value);
void quipu__json_null(struct quipu__json *json, const char *key);

/* QUIPU_UNKNOWN is null. */
void quipu__json_u64(struct quipu__json *json, const char *key, uint64_t number);

/* Separator and key of a value that the caller writes. */
void quipu__json_key(struct quipu__json *json, const char *key);

/* "quipu": the beginning of every JSON answer. */
void quipu__json_head(struct quipu__json *json);

#endif
