/* json.h: metadata of streams: JSON with comments, as the runtimes of ovni read it, and written as they write it. Values
 * are jansson's; numbers are doubles, as they are there. */
#ifndef QUIPU_OVNI_JSON_H
#define QUIPU_OVNI_JSON_H

#include "core/memory/buffer.h"
#include "core/memory/charge.h"
#include "core/files/input.h"

#include <jansson.h>

/* Parses a text: an object; what follows it is not looked at. Comments are blanks, bytes that are not UTF-8 become '?'.
 * QUIPU_CORRUPT when it is none, QUIPU_NO_MEMORY when what its values take cannot be charged. The caller calls json_decref, and then
 * releases the charge. */
enum quipu_status quipu__ovni_json_parse(struct quipu__charge *charge, const uint8_t *text, size_t len,
                                         json_t **out, struct quipu_error *err);
enum quipu_status quipu__ovni_json_load(struct quipu__files *files, struct quipu__charge *charge,
                                        const char *path, json_t **out, struct quipu_error *err);

/* The same of strict JSON (json_reader.c). */
enum quipu_status quipu__ovni_json_read(struct quipu__charge *charge, const char *text, size_t len,
                                        json_t **out, struct quipu_error *err);

/* Four blanks a level, a member a line, members in their order, no newline at the end. */
void quipu__ovni_json_write(const json_t *value, struct quipu__buffer *out);

/* The value at a path of keys with dots between them; NULL when there is none. */
const json_t *quipu__ovni_json_at(const json_t *value, const char *path);

/* The number at a path, cut towards zero, as a reader of the original takes it: what is no number is 0, what does not fit is the
 * nearest that does. False when there is nothing. */
bool quipu__ovni_json_integer(const json_t *value, const char *path, int64_t *out);

/* Building. A member or item that memory does not suffice for makes *is_starved true, which the caller must look at. The value is
 * taken; it may be NULL, which is lack of memory too. */
void quipu__ovni_json_set(json_t *object, const char *key, json_t *value, bool *is_starved);
void quipu__ovni_json_append(json_t *array, json_t *value, bool *is_starved);

/* A string, in which bytes that are not UTF-8 become '?'. NULL when memory is out. */
json_t *quipu__ovni_json_text(const char *text);

/* A deep copy; NULL when memory is out, where jansson gives a part of it. */
json_t *quipu__ovni_json_copy(const json_t *value);

#endif
