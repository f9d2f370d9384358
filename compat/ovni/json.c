/* json.c: values of JSON in memory and their paths; json_text.c reads and prints them. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct json *json_new(enum json_kind kind) {
    struct json *value = calloc(1, sizeof *value);
    if (value)
        value->kind = kind;
    return value;
}

struct json *json_new_number(double number) {
    struct json *value = json_new(JSON_NUMBER);
    if (value)
        value->number = number;
    return value;
}

struct json *json_new_boolean(bool boolean) {
    struct json *value = json_new(JSON_BOOLEAN);
    if (value)
        value->boolean = boolean;
    return value;
}

struct json *json_new_string(const char *string) {
    struct json *value = json_new(JSON_STRING);
    if (!value)
        return NULL;
    value->string = strdup(string);
    if (value->string)
        return value;
    json_free(value);
    return NULL;
}

static void free_children(struct json *value) {
    while (value->first) {
        struct json *child = value->first;
        value->first = child->next;
        json_free(child);
    }
    value->last = NULL;
}

void json_free(struct json *value) {
    if (!value)
        return;
    free_children(value);
    free(value->string);
    free(value->key);
    free(value);
}

/* ---- Paths ---- */

static struct json *find_member(const struct json *object, const char *key, size_t len) {
    for (struct json *member = object->first; member; member = member->next)
        if (strncmp(member->key, key, len) == 0 && member->key[len] == '\0')
            return member;
    return NULL;
}

struct json *json_find(struct json *object, const char *path) {
    while (object && object->kind == JSON_OBJECT) {
        const size_t len = strcspn(path, ".");
        object = find_member(object, path, len);
        if (path[len] == '\0')
            return object;
        path += len + 1;
    }
    return NULL;
}

static void link_child(struct json *parent, struct json *child) {
    *(parent->last ? &parent->last->next : &parent->first) = child;
    parent->last = child;
}

static struct json *add_member(struct json *object, const char *key, size_t len, struct json *member) {
    if (!member)
        return NULL;
    member->key = strndup(key, len);
    if (!member->key) {
        json_free(member);
        return NULL;
    }
    link_child(object, member);
    return member;
}

/* What value holds becomes what member holds; value itself is freed. */
static void replace(struct json *member, struct json *value) {
    free_children(member);
    free(member->string);
    const struct json old = *member;
    *member = *value;
    member->key = old.key;
    member->next = old.next;
    free(value);
}

bool json_put(struct json *object, const char *path, struct json *value) {
    size_t len = strcspn(path, ".");
    for (; value && object && object->kind == JSON_OBJECT && path[len] == '.'; len = strcspn(path, ".")) {
        struct json *member = find_member(object, path, len);
        object = member ? member : add_member(object, path, len, json_new(JSON_OBJECT));
        path += len + 1;
    }
    if (!value || !object || object->kind != JSON_OBJECT) {
        json_free(value);
        return false;
    }
    struct json *member = find_member(object, path, len);
    if (!member)
        return add_member(object, path, len, value) != NULL;
    replace(member, value);
    return true;
}

static struct json *before(const struct json *object, const struct json *member) {
    struct json *found = NULL;
    for (struct json *other = object->first; other != member; other = other->next)
        found = other;
    return found;
}

void json_remove(struct json *object, const char *path) {
    const char *dot = strrchr(path, '.');
    struct json *parent = object;
    if (dot) {
        char *parent_path = strndup(path, (size_t)(dot - path));
        parent = parent_path ? json_find(object, parent_path) : NULL;
        free(parent_path);
    }
    const char *key = dot ? dot + 1 : path;
    struct json *member = parent && parent->kind == JSON_OBJECT ? find_member(parent, key, strlen(key)) : NULL;
    if (!member)
        return;
    struct json *previous = before(parent, member);
    *(previous ? &previous->next : &parent->first) = member->next;
    if (parent->last == member)
        parent->last = previous;
    json_free(member);
}

bool json_append(struct json *array, struct json *value) {
    if (value)
        link_child(array, value);
    return value != NULL;
}
