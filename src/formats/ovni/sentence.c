/* sentence.c: arguments by the signatures of events.def, and sentences with their values. */
#include "formats/ovni/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One argument of an event. */
struct argument {
    const char *name, *text; /* not terminated */
    size_t name_len, text_len;
    char type; /* 'i' signed, 'u' unsigned, 's' text */
    uint32_t bytes;
    int64_t number;
};
#define ARGUMENTS_MOST 4

/* Takes "i32 cpu" from a signature; returns what follows. */
static const char *parse_argument(const char *signature, struct argument *out) {
    const char *name = signature;
    while (*name && *name != ' ')
        name++;
    name += *name == ' ';
    const char *end = name;
    while (*end && *end != ',')
        end++;
    *out = (struct argument){.name = name, .name_len = (size_t)(end - name), .type = signature[0]};
    if (signature[0] != 's')
        out->bytes = signature[1] == '6' ? 8 : 4; /* i64 or u64; i32 or u32 */
    while (*end == ',' || *end == ' ')
        end++;
    return end;
}

static int64_t load(bool is_big, const uint8_t *at, const struct argument *argument) {
    if (argument->bytes == 8)
        return quipu__ovni_load_i64(is_big, at);
    return argument->type == 'i' ? quipu__ovni_load_i32(is_big, at) : (int64_t)quipu__ovni_load_32(is_big, at);
}

/* The arguments in the payload of an event, according to its row; false when it is too short for them. Lists of numbers are
 * left out. */
static bool ovni_arguments(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                           bool is_big, struct argument arguments[ARGUMENTS_MOST], uint32_t *count) {
    const char *signature = row->arguments + quipu__ovni_is_jumbo_row(row);
    uint32_t offset = 0;
    *count = 0;
    if (strchr(signature, '['))
        return true;
    while (*signature && *count < ARGUMENTS_MOST) {
        struct argument *argument = &arguments[(*count)++];
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

static void put(struct text *text, const char *bytes, size_t len) {
    const size_t room = text->size - 1 - text->len, len_here = len < room ? len : room;
    memcpy(text->bytes + text->len, bytes, len_here);
    text->len += len_here;
}

static void put_number(struct text *text, int64_t number) {
    char digits[24 + QUIPU__DIGITS_SLACK];
    put(text, digits, (size_t)(quipu__put_signed_digits(digits, number) - digits));
}

static void put_tag(struct text *text, int64_t number) {
    char digits[24];
    put(text, digits, (size_t)snprintf(digits, sizeof digits, "0x%" PRIx64, (uint64_t)number));
}

static void put_argument(struct text *text, const struct argument *argument) {
    if (argument->type == 's')
        put(text, argument->text, argument->text_len);
    else if (argument->name_len == 3 && memcmp(argument->name, "tag", 3) == 0)
        put_tag(text, argument->number);
    else
        put_number(text, argument->number);
}

/* Numbers of 64 bits to the end of the payload. */
static void put_list(struct text *text, const struct quipu__ovni_event *event, bool is_big) {
    for (uint32_t offset = 0; event->len - offset >= 8; offset += 8) {
        put(text, ", ", offset ? 2 : 0);
        put_number(text, quipu__ovni_load_i64(is_big, event->payload + offset));
    }
}

static void put_value(struct text *text, const char *name, size_t len, const struct argument *arguments,
                      uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].name_len == len && memcmp(arguments[i].name, name, len) == 0)
            put_argument(text, &arguments[i]);
}

size_t quipu__ovni_sentence(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                            bool is_big, char *out, size_t size) {
    struct argument arguments[ARGUMENTS_MOST];
    struct text text = {out, size, 0};
    uint32_t count;
    if (!ovni_arguments(row, event, is_big, arguments, &count))
        return 0;
    const char *rest = row->sentence;
    for (const char *value; (value = strchr(rest, '%')) != NULL;) {
        const size_t len = (size_t)(strchr(value, '}') - (value + 2));
        put(&text, rest, (size_t)(value - rest));
        if (count == 0)
            put_list(&text, event, is_big);
        put_value(&text, value + 2, len, arguments, count);
        rest = value + 2 + len + 1;
    }
    put(&text, rest, strlen(rest));
    out[text.len] = '\0';
    return text.len;
}
