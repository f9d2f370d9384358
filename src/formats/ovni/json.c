/* json.c: comments, invalid bytes, and the layout of the original's writer. */
#include "formats/ovni/json.h"

#include "core/error.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Reading ---- */

/* The end of a comment that begins at from, or from when none does. */
static size_t skip_comment(const char *text, size_t len, size_t from) {
    if (len - from < 2 || text[from] != '/' || (text[from + 1] != '/' && text[from + 1] != '*'))
        return from;
    const bool is_line = text[from + 1] == '/';
    for (size_t offset = from + 2; offset < len; offset++) {
        if (is_line && text[offset] == '\n')
            return offset;
        if (!is_line && text[offset] == '*' && len - offset > 1 && text[offset + 1] == '/')
            return offset + 2;
    }
    return is_line ? len : from; /* an unfinished one is not a comment */
}

static void blank_comments(char *text, size_t len) {
    bool is_string = false;
    for (size_t offset = 0; offset < len; offset++) {
        if (is_string && text[offset] == '\\') {
            offset++;
        } else if (text[offset] == '"') {
            is_string = !is_string;
        } else if (!is_string) {
            const size_t end = skip_comment(text, len, offset);
            if (end > offset) {
                memset(text + offset, ' ', end - offset);
                offset = end - 1;
            }
        }
    }
}

static void replace_bad_bytes(char *text, size_t len) {
    uint32_t code;
    for (size_t offset = 0; offset < len;) {
        const size_t size = quipu__utf8_decode((const uint8_t *)text + offset, len - offset, &code);
        if (size == 0)
            text[offset] = '?';
        offset += size ? size : 1;
    }
}

enum quipu_status quipu__ovni_json_parse(struct quipu__charge *charge, const uint8_t *text, size_t len,
                                         json_t **out, struct quipu_error *err) {
    struct quipu__memory *memory = charge->memory;
    char *copy = quipu__alloc(memory, len + 1);
    *out = NULL;
    if (!copy)
        return quipu__no_memory(err, len + 1);
    memcpy(copy, text, len);
    if (len < 3 || memcmp(copy, "\xef\xbb\xbf", 3) != 0) /* a byte order mark is refused */
        replace_bad_bytes(copy, len);
    blank_comments(copy, len);
    const enum quipu_status status = quipu__ovni_json_read(charge, copy, len, out, err);
    quipu__release(memory, copy, len + 1);
    return status;
}

enum quipu_status quipu__ovni_json_load(struct quipu__files *files, struct quipu__charge *charge,
                                        const char *path, json_t **out, struct quipu_error *err) {
    struct quipu__input *input;
    *out = NULL;
    enum quipu_status status = quipu__input_open(files, path, QUIPU__CODEC_SEEK, 4096, &input, err);
    if (status != QUIPU_OK)
        return status;
    do
        status = quipu__input_widen(input, err);
    while (status == QUIPU_OK && !input->ended);
    if (status == QUIPU_OK)
        status = quipu__ovni_json_parse(charge, input->at, (size_t)(input->end - input->at), out, err);
    quipu__input_close(input);
    if (status != QUIPU_OK)
        quipu__at(err, path, QUIPU_UNKNOWN);
    return status;
}

/* ---- Values ---- */

const json_t *quipu__ovni_json_at(const json_t *value, const char *path) {
    while (value && *path) {
        const size_t len = strcspn(path, ".");
        value = json_object_getn(value, path, len);
        path += len + (path[len] == '.');
    }
    return value;
}

bool quipu__ovni_json_integer(const json_t *value, const char *path, int64_t *out) {
    const json_t *found = quipu__ovni_json_at(value, path);
    *out = 0;
    if (!found)
        return false;
    const double number = json_number_value(found);
    if (number >= 9.2233720368547758e18)
        *out = INT64_MAX;
    else if (number <= -9.2233720368547758e18)
        *out = INT64_MIN;
    else if (!isnan(number))
        *out = (int64_t)number;
    return true;
}

/* ---- Building ---- */

void quipu__ovni_json_set(json_t *object, const char *key, json_t *value, bool *is_starved) {
    *is_starved |= json_object_set_new(object, key, value) != 0;
}

void quipu__ovni_json_append(json_t *array, json_t *value, bool *is_starved) {
    *is_starved |= json_array_append_new(array, value) != 0;
}

static bool is_utf8(const char *text, size_t len) {
    uint32_t code;
    size_t size = 1;
    for (size_t offset = 0; offset < len && size > 0; offset += size)
        size = quipu__utf8_decode((const uint8_t *)text + offset, len - offset, &code);
    return size > 0;
}

json_t *quipu__ovni_json_text(const char *text) {
    char copy[1024];
    if (is_utf8(text, strlen(text)))
        return json_string(text);
    snprintf(copy, sizeof copy, "%s", text);
    replace_bad_bytes(copy, strlen(copy));
    return json_string(copy);
}

json_t *quipu__ovni_json_copy(const json_t *value) {
    json_t *copy = json_deep_copy(value);
    if (copy && json_equal(copy, value))
        return copy;
    json_decref(copy);
    return NULL;
}

/* ---- Writing ---- */

static void put_indent(struct quipu__buffer *out, unsigned level) {
    for (unsigned i = 0; i < level; i++)
        quipu__put_text(out, "    ");
}

static void put_string(struct quipu__buffer *out, const char *text, size_t len) {
    static const char letters[] =
        "\"\"\\\\//\bb\ff\nn\rr\tt"; /* pairs: character, letter after the backslash */
    quipu__put_u8(out, '"');
    for (size_t i = 0; i < len; i++) {
        const char *pair = letters;
        while (*pair && *pair != text[i])
            pair += 2;
        if (*pair && text[i])
            quipu__put_format(out, "\\%c", pair[1]);
        else if ((unsigned char)text[i] < ' ')
            quipu__put_format(out, "\\u%04x", (unsigned char)text[i]);
        else
            quipu__put_u8(out, (uint8_t)text[i]);
    }
    quipu__put_u8(out, '"');
}

static void put_value(const json_t *value, struct quipu__buffer *out, unsigned level);

static void put_members(const json_t *value, struct quipu__buffer *out, unsigned level) {
    bool is_first = true;
    json_t *object = (json_t *)value;
    const char *key;
    json_t *member;
    json_object_foreach(object, key, member) {
        quipu__put_text(out, is_first ? "{\n" : ",\n");
        is_first = false;
        put_indent(out, level + 1);
        put_string(out, key, strlen(key));
        quipu__put_text(out, ": ");
        put_value(member, out, level + 1);
    }
    quipu__put_u8(out, '\n');
    put_indent(out, level);
    quipu__put_u8(out, '}');
}

static void put_elements(const json_t *value, struct quipu__buffer *out, unsigned level) {
    for (size_t i = 0; i < json_array_size(value); i++) {
        quipu__put_text(out, i == 0 ? "[\n" : ",\n");
        put_indent(out, level + 1);
        put_value(json_array_get(value, i), out, level + 1);
    }
    quipu__put_u8(out, '\n');
    put_indent(out, level);
    quipu__put_u8(out, ']');
}

static void put_value(const json_t *value, struct quipu__buffer *out, unsigned level) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        if (json_object_size(value) == 0)
            quipu__put_text(out, "{}");
        else
            put_members(value, out, level);
        return;
    case JSON_ARRAY:
        if (json_array_size(value) == 0)
            quipu__put_text(out, "[]");
        else
            put_elements(value, out, level);
        return;
    case JSON_STRING:
        put_string(out, json_string_value(value), json_string_length(value));
        return;
    case JSON_INTEGER:
    case JSON_REAL:
        quipu__put_format(out, "%1.17g", json_number_value(value));
        return;
    case JSON_TRUE:
        quipu__put_text(out, "true");
        return;
    case JSON_FALSE:
        quipu__put_text(out, "false");
        return;
    case JSON_NULL:
        quipu__put_text(out, "null");
    }
}

void quipu__ovni_json_write(const json_t *value, struct quipu__buffer *out) {
    put_value(value, out, 0);
}
