/* attributes.c: metadata that the program sets, and the definitions of marks, which are metadata too. */
#include "library.h"

#include <math.h>

#define MARK_TYPES 100

/* ---- Setting ---- */

static void set(const char *function, const char *key, struct json *value) {
    if (!metadata_put(key, value))
        misuse(function, "attribute \"%s\" cannot be set: a part of its path has a value that is no object",
               key);
}

static bool may_set(const char *function, const char *key) {
    if (!needs_thread(function))
        return false;
    if (key && *key && json_is_utf8(key))
        return true;
    misuse(function, "the name of the attribute is missing or not UTF-8");
    return false;
}

void ovni_attr_set_double(const char *key, double num) {
    if (!may_set(__func__, key))
        return;
    if (!isfinite(num))
        misuse(__func__, "attribute \"%s\": only finite numbers can be set", key);
    else
        set(__func__, key, json_new_number(num));
}

void ovni_attr_set_boolean(const char *key, int value) {
    if (may_set(__func__, key))
        set(__func__, key, json_new_boolean(value != 0));
}

void ovni_attr_set_str(const char *key, const char *value) {
    if (!may_set(__func__, key))
        return;
    if (!value || !json_is_utf8(value))
        misuse(__func__, "attribute \"%s\": the text is missing or not UTF-8", key);
    else
        set(__func__, key, json_new_string(value));
}

void ovni_attr_set_json(const char *key, const char *json) {
    if (!may_set(__func__, key))
        return;
    struct json *value = json ? json_parse(json) : NULL;
    if (!value)
        misuse(__func__, "attribute \"%s\": the text is not JSON", key);
    else
        set(__func__, key, value);
}

/* ---- Getting ---- */

static const char *const kind_names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};

static struct json *get(const char *function, const char *key) {
    if (!needs_thread(function))
        return NULL;
    struct json *value = key ? json_find(thread.metadata, key) : NULL;
    if (!value)
        misuse(function, "there is no attribute \"%s\"", key ? key : "NULL");
    return value;
}

static struct json *get_kind(const char *function, const char *key, enum json_kind kind) {
    struct json *value = get(function, key);
    if (!value || value->kind == kind)
        return value;
    misuse(function, "attribute \"%s\" is %s, not %s", key, kind_names[value->kind], kind_names[kind]);
    return NULL;
}

int ovni_attr_has(const char *key) {
    return needs_thread(__func__) && key && json_find(thread.metadata, key) != NULL;
}

double ovni_attr_get_double(const char *key) {
    const struct json *value = get_kind(__func__, key, JSON_NUMBER);
    return value ? value->number : 0.0;
}

int ovni_attr_get_boolean(const char *key) {
    const struct json *value = get_kind(__func__, key, JSON_BOOLEAN);
    return value && value->boolean;
}

const char *ovni_attr_get_str(const char *key) {
    const struct json *value = get_kind(__func__, key, JSON_STRING);
    return value ? value->string : "";
}

char *ovni_attr_get_json(const char *key) {
    const struct json *value = get(__func__, key);
    return value ? json_text(value, false) : strdup("null");
}

void ovni_attr_flush(void) {
    if (needs_thread(__func__) && !metadata_write(false))
        system_failed(__func__, thread.folder);
}

/* ---- Marks ---- */

static bool type_is_sound(const char *function, int32_t type) {
    if (!needs_thread(function))
        return false;
    if (type >= 0 && type < MARK_TYPES)
        return true;
    misuse(function, "mark type %d is not between 0 and %d", (int)type, MARK_TYPES - 1);
    return false;
}

static void set_of_mark(const char *function, int32_t type, const char *name, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "ovni.mark.%d.%s", (int)type, name);
    set(function, path, json_new_string(text));
}

static bool mark_has(int32_t type, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "ovni.mark.%d.%s", (int)type, name);
    return json_find(thread.metadata, path) != NULL;
}

void ovni_mark_type(int32_t type, long flags, const char *title) {
    if (!type_is_sound(__func__, type))
        return;
    if (!title || !*title || !json_is_utf8(title))
        misuse(__func__, "mark type %d has no title", (int)type);
    else if (mark_has(type, "title"))
        misuse(__func__, "mark type %d was defined before", (int)type);
    else {
        set_of_mark(__func__, type, "title", title);
        set_of_mark(__func__, type, "chan_type", flags & OVNI_MARK_STACK ? "stack" : "single");
    }
}

void ovni_mark_label(int32_t type, int64_t value, const char *label) {
    char name[40];
    if (!type_is_sound(__func__, type))
        return;
    snprintf(name, sizeof name, "labels.%lld", (long long)value);
    if (value <= 0 || !label || !*label || !json_is_utf8(label))
        misuse(__func__, "mark type %d: a label needs a value above 0 and a text", (int)type);
    else if (!mark_has(type, "title"))
        misuse(__func__, "mark type %d is not defined; call ovni_mark_type first", (int)type);
    else if (mark_has(type, name))
        misuse(__func__, "mark type %d: value %lld has a label", (int)type, (long long)value);
    else
        set_of_mark(__func__, type, name, label);
}
