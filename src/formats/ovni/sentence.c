/* sentence.c: arguments by the signatures of events.def, and sentences with their values. */
#include "formats/ovni/sentence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes "i32 cpu" from a signature; returns what follows. */
static const char *parse_argument(const char *signature, struct quipu__ovni_argument *out) {
    const size_t type_len = strcspn(signature, " "), name_from = type_len + 1;
    const size_t name_len = strcspn(signature + name_from, ",");
    *out = (struct quipu__ovni_argument){.type = signature[0]};
    if (signature[0] != 's')
        out->bytes = (uint32_t)(strtoul(signature + 1, NULL, 10) / 8);
    snprintf(out->name, sizeof out->name, "%.*s", (int)name_len, signature + name_from);
    const char *next = signature + name_from + name_len;
    return next + strspn(next, ", ");
}

static int64_t load(bool is_big, const uint8_t *at, const struct quipu__ovni_argument *argument) {
    if (argument->bytes == 8)
        return quipu__ovni_load_i64(is_big, at);
    return argument->type == 'i' ? quipu__ovni_load_i32(is_big, at) : (int64_t)quipu__ovni_load_32(is_big, at);
}

/* The arguments in the payload of an event, according to its row; false when it is too short for them. Lists of numbers are
 * left out. */
static bool ovni_arguments(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                           bool is_big, struct quipu__ovni_argument arguments[QUIPU__OVNI_ARGUMENTS_MOST],
                           uint32_t *count) {
    const char *signature = row->arguments + quipu__ovni_is_jumbo_row(row);
    uint32_t offset = 0;
    *count = 0;
    if (strchr(signature, '['))
        return true;
    while (*signature && *count < QUIPU__OVNI_ARGUMENTS_MOST) {
        struct quipu__ovni_argument *argument = &arguments[(*count)++];
        signature = parse_argument(signature, argument);
        if (argument->type == 's') {
            const char *text = (const char *)event->payload + offset;
            const char *end = memchr(text, '\0', event->len - offset);
            argument->text = text;
            argument->text_len = end ? (size_t)(end - text) : event->len - offset;
            continue;
        }
        if (event->len - offset < argument->bytes)
            return false;
        argument->number = load(is_big, event->payload + offset, argument);
        offset += argument->bytes;
    }
    return true;
}

/* A growing sentence; what does not fit is left out. */
struct text {
    char *bytes;
    size_t size, len;
};

static void put(struct text *text, const char *format, ...) QUIPU_PRINTF(2, 3);
static void put(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int len = vsnprintf(text->bytes + text->len, text->size - text->len, format, arguments);
    va_end(arguments);
    text->len += len > 0 ? (size_t)len : 0;
    text->len = text->len < text->size ? text->len : text->size - 1;
}

static void put_argument(struct text *text, const struct quipu__ovni_argument *argument) {
    if (argument->type == 's')
        put(text, "%.*s", (int)argument->text_len, argument->text);
    else if (strcmp(argument->name, "tag") == 0)
        put(text, "0x%" PRIx64, (uint64_t)argument->number);
    else
        put(text, "%" PRId64, argument->number);
}

/* Numbers of 64 bits to the end of the payload. */
static void put_list(struct text *text, const struct quipu__ovni_event *event, bool is_big) {
    for (uint32_t offset = 0; event->len - offset >= 8; offset += 8)
        put(text, "%s%" PRId64, offset ? ", " : "", quipu__ovni_load_i64(is_big, event->payload + offset));
}

static void put_value(struct text *text, const char *name, size_t len,
                      const struct quipu__ovni_argument *arguments, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (strlen(arguments[i].name) == len && memcmp(arguments[i].name, name, len) == 0)
            put_argument(text, &arguments[i]);
}

size_t quipu__ovni_sentence(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                            bool is_big, char *out, size_t size) {
    struct quipu__ovni_argument arguments[QUIPU__OVNI_ARGUMENTS_MOST];
    struct text text = {out, size, 0};
    uint32_t count;
    if (!ovni_arguments(row, event, is_big, arguments, &count))
        return 0;
    const char *rest = row->sentence;
    for (const char *value; (value = strstr(rest, "%{")) != NULL;) {
        const size_t len = strcspn(value + 2, "}");
        put(&text, "%.*s", (int)(value - rest), rest);
        if (count == 0)
            put_list(&text, event, is_big);
        put_value(&text, value + 2, len, arguments, count);
        rest = value + 2 + len + 1;
    }
    put(&text, "%s", rest);
    return text.len;
}
