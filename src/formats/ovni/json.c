/* json.c: comments and invalid bytes, looking up and building values, and writing them. */
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

static int put_part(const char *text, size_t len, void *out) {
    quipu__put(out, text, len);
    return 0;
}

void quipu__ovni_json_write(const json_t *value, struct quipu__buffer *out) {
    const size_t layout = JSON_INDENT(4) | JSON_ESCAPE_SLASH | JSON_REAL_PRECISION(17);
    out->failed |= json_dump_callback(value, put_part, out, layout) != 0;
}
