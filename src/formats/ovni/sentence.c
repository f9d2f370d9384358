/* sentence.c: arguments by the signatures of events.def. */
#include "formats/ovni/sentence.h"

#include <inttypes.h>
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

bool quipu__ovni_arguments(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
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

static int put_argument(char *out, size_t size, const struct quipu__ovni_argument *argument) {
    if (argument->type == 's')
        return snprintf(out, size, ", %s \"%.*s\"", argument->name, (int)argument->text_len, argument->text);
    if (strcmp(argument->name, "tag") == 0)
        return snprintf(out, size, ", %s 0x%" PRIx64, argument->name, (uint64_t)argument->number);
    return snprintf(out, size, ", %s %" PRId64, argument->name, argument->number);
}

size_t quipu__ovni_sentence(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                            bool is_big, char *out, size_t size) {
    struct quipu__ovni_argument arguments[QUIPU__OVNI_ARGUMENTS_MOST];
    uint32_t count;
    if (!quipu__ovni_arguments(row, event, is_big, arguments, &count))
        return 0;
    size_t len = (size_t)snprintf(out, size, "%s", row->sentence);
    for (uint32_t i = 0; i < count && len < size; i++)
        len += (size_t)put_argument(out + len, size - len, &arguments[i]);
    return len < size ? len : size - 1;
}
