/* json.c: see json.h. */
#include "core/text/json.h"

#include <string.h>

static void separate(struct quipu__json *json) {
    static const char *const first[] = {[QUIPU__JSON_OBJECT] = "",
                                        [QUIPU__JSON_LIST] = "",
                                        [QUIPU__JSON_LINES] = "\n",
                                        [QUIPU__JSON_ROWS] = "\n  "};
    static const char *const next[] = {[QUIPU__JSON_OBJECT] = ", ",
                                       [QUIPU__JSON_LIST] = ", ",
                                       [QUIPU__JSON_LINES] = ",\n",
                                       [QUIPU__JSON_ROWS] = ",\n  "};
    const enum quipu__json_shape shape = json->levels[json->depth - 1].shape;
    quipu__put_text(json->out, (json->levels[json->depth - 1].has_elements ? next : first)[shape]);
    json->levels[json->depth - 1].has_elements = true;
}

void quipu__json_key(struct quipu__json *json, const char *key) {
    if (json->depth > 0)
        separate(json);
    if (!key)
        return;
    quipu__put_u8(json->out, '"');
    quipu__put_text(json->out, key);
    quipu__put_text(json->out, "\": ");
}

void quipu__json_open(struct quipu__json *json, const char *key, enum quipu__json_shape shape) {
    quipu__json_key(json, key);
    quipu__put_u8(json->out, shape == QUIPU__JSON_OBJECT ? '{' : '[');
    json->levels[json->depth].shape = shape;
    json->levels[json->depth++].has_elements = false;
}

void quipu__json_close(struct quipu__json *json) {
    const enum quipu__json_shape shape = json->levels[--json->depth].shape;
    quipu__put_u8(json->out, shape == QUIPU__JSON_OBJECT ? '}' : ']');
    if (json->depth == 0)
        quipu__put_u8(json->out, '\n');
}

void quipu__json_text(struct quipu__json *json, const char *key, const char *text) {
    quipu__json_key(json, key);
    quipu__put_json(json->out, text, strlen(text));
}

void quipu__json_i64(struct quipu__json *json, const char *key, int64_t number) {
    quipu__json_key(json, key);
    quipu__put_i64(json->out, number);
}

void quipu__json_bool(struct quipu__json *json, const char *key, bool value) {
    quipu__json_key(json, key);
    quipu__put_text(json->out, value ? "true" : "false");
}

void quipu__json_null(struct quipu__json *json, const char *key) {
    quipu__json_key(json, key);
    quipu__put_text(json->out, "null");
}

void quipu__json_u64(struct quipu__json *json, const char *key, uint64_t number) {
    if (number == QUIPU_UNKNOWN) {
        quipu__json_null(json, key);
        return;
    }
    quipu__json_key(json, key);
    quipu__put_u64(json->out, number);
}

void quipu__json_head(struct quipu__json *json) {
    quipu__json_open(json, "quipu", QUIPU__JSON_OBJECT);
    quipu__json_text(json, "version", quipu_version());
    quipu__json_i64(json, "schema", QUIPU_JSON_SCHEMA);
    quipu__json_close(json);
}
