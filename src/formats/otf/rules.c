/* rules.c: what can be wrong with an OTF trace, and findings of it. */
#include "formats/otf/format.h"

#include <stdarg.h>
#include <stdio.h>

const struct quipu_rule quipu__otf_rules[QUIPU__OTF_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/otf/rules.def"
#undef RULE
};

void quipu__otf_find(const struct quipu__otf_trace *own, enum quipu__otf_rule rule, const char *file,
                     const char *expected, const char *found, ...) {
    char text[200];
    va_list arguments;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = file;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    quipu__find(own->trace->findings, &quipu__otf_rules[rule], &where, expected, "%s", text);
}

void quipu__otf_find_here(const struct quipu__otf_pass *pass, enum quipu__otf_rule rule, uint64_t byte,
                          const char *type, const char *field, const char *found, ...) {
    char text[200];
    va_list arguments;
    const bool counts = pass->start == 0; /* lines and records, from the beginning */
    const struct quipu__where where = {
        pass->path, byte, counts ? pass->line : QUIPU_UNKNOWN, counts ? pass->index : QUIPU_UNKNOWN,
        type,       field};
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    quipu__find(pass->own->trace->findings, &quipu__otf_rules[rule], &where, "", "%s", text);
}
