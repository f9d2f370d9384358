/* json.h: metadata of streams: JSON with comments, as the runtimes of ovni read it, and written as they write it. Values are
 * jansson's. */
#ifndef QUIPU_OVNI_JSON_H
#define QUIPU_OVNI_JSON_H

#include "core/memory/buffer.h"
#include "core/memory/charge.h"
#include "core/files/input.h"

#include <jansson.h>

/* Parses a text: an object; what follows it is ignored. Comments are blanks, bytes that are not UTF-8 become '?'. QUIPU_CORRUPT when
 * it is not valid, QUIPU_NO_MEMORY when the memory of its values cannot be charged. The caller calls json_decref, and then releases
 * the charge. */
enum quipu_status quipu__ovni_json_parse(struct quipu__charge *charge, const uint8_t *text, size_t len,
                                         json_t **out, struct quipu_error *err);
enum quipu_status quipu__ovni_json_load(struct quipu__files *files, struct quipu__charge *charge,
                                        const char *path, json_t **out, struct quipu_error *err);

/* The same for strict JSON (json_reader.c). */
enum quipu_status quipu__ovni_json_read(struct quipu__charge *charge, const char *text, size_t len,
                                        json_t **out, struct quipu_error *err);

/* In the layout of the original: four blanks per level, one member per line, members in their order, no newline at the end. The buffer has
 * failed when memory is out. */
void quipu__ovni_json_write(const json_t *value, struct quipu__buffer *out);

/* The value at a path of keys separated by dots; NULL when there is none. */
const json_t *quipu__ovni_json_at(const json_t *value, const char *path);

/* The number at a path, truncated, as the original reads it: 0 if it is not a number, the nearest limit if it does not fit. False
 * when there is nothing. */
bool quipu__ovni_json_integer(const json_t *value, const char *path, int64_t *out);

/* Building. When memory is out for a member or item, *is_starved becomes true, which the caller must check. The value is consumed;
 * it may be NULL, which also means that memory is out. */
static inline void quipu__ovni_json_set(json_t *object, const char *key, json_t *value, bool *is_starved) {
    *is_starved |= json_object_set_new(object, key, value) != 0;
}

static inline void quipu__ovni_json_append(json_t *array, json_t *value, bool *is_starved) {
    *is_starved |= json_array_append_new(array, value) != 0;
}

/* A string, in which bytes that are not UTF-8 become '?'. NULL when memory is out. */
json_t *quipu__ovni_json_text(const char *text);

/* A deep copy; NULL when memory is out, unlike jansson, which then gives a part. */
json_t *quipu__ovni_json_copy(const json_t *value);

#endif
