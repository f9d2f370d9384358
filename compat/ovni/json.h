/* json.h: the metadata of a stream: a JSON object whose values are reached by paths such as "ovni.lib.version". */
#ifndef QUIPU_COMPAT_OVNI_JSON_H
#define QUIPU_COMPAT_OVNI_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value: member of an object, element of an array, or the outermost one. */
struct json {
    enum json_kind kind;
    bool boolean;
    double number;
    char *string;
    char *key;                 /* of a member of an object */
    struct json *first, *last; /* members or elements */
    struct json *next;
};

/* NULL when there is no memory. */
struct json *json_new(enum json_kind kind);
struct json *json_new_number(double number);
struct json *json_new_boolean(bool boolean);
struct json *json_new_string(const char *string);

/* Frees a value and what it holds; NULL is fine. */
void json_free(struct json *value);

/* The value at a path, NULL when there is none. */
struct json *json_find(struct json *object, const char *path);

/* Puts a value, which then belongs to object, at a path; what was there is replaced at its place, and objects on the way
 * are made. False when the path leads through a value that is no object, or value is NULL; value is freed then. */
bool json_put(struct json *object, const char *path, struct json *value);

/* Removes the value at a path; nothing happens when there is none. */
void json_remove(struct json *object, const char *path);

/* Appends an element to an array. False when value is NULL. */
bool json_append(struct json *array, struct json *value);

bool json_is_utf8(const char *text);

/* The value of a JSON text, NULL when it is none. */
struct json *json_parse(const char *text);

/* The text of a value, on many lines or as short as can be; the caller frees it. NULL when there is no memory. */
char *json_text(const struct json *value, bool is_indented);

#endif
