/* findings.c: findings about events that break a rule of the emulation. */
#include "formats/ovni/emulation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void break_rule(struct quipu__ovni_emulation *emulation, enum quipu__ovni_rule rule, const char *subject,
                       const char *expected, const char *found, va_list arguments) {
    const struct quipu__ovni_stream_state *stream = &emulation->streams[emulation->stream];
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[300],
        code[4] = {(char)stream->event.model, (char)stream->event.category, (char)stream->event.value, '\0'};
    vsnprintf(text, sizeof text, found, arguments);
    where.file = emulation->system->files->streams.items[emulation->stream].path;
    where.byte = stream->event.offset;
    where.record = stream->walk.events ? stream->walk.events - 1 : 0;
    where.type = code;
    where.field = subject;
    emulation->errors += quipu__ovni_is_error(rule);
    quipu__find(emulation->findings, &quipu__ovni_rules[rule], &where, expected, "%s (clock %" PRIu64 ")", text,
                stream->event.clock);
}

bool quipu__ovni_breaks(struct quipu__ovni_emulation *emulation, enum quipu__ovni_rule rule,
                        const char *expected, const char *found, ...) {
    va_list arguments;
    va_start(arguments, found);
    break_rule(emulation, rule, "", expected, found, arguments);
    va_end(arguments);
    return false;
}

bool quipu__ovni_subject_breaks(struct quipu__ovni_emulation *emulation, enum quipu__ovni_rule rule,
                                const char *subject, const char *expected, const char *found, ...) {
    va_list arguments;
    va_start(arguments, found);
    break_rule(emulation, rule, subject, expected, found, arguments);
    va_end(arguments);
    return false;
}
