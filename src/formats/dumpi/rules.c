/* rules.c: the rules as data, and reporting that one is broken. */
#include "formats/dumpi/format.h"

#include <stdarg.h>
#include <stdio.h>

const struct quipu_rule quipu__dumpi_rules[QUIPU__DUMPI_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/dumpi/rules.def"
#undef RULE
};

void quipu__dumpi_find(const struct quipu__dumpi_trace *own, enum quipu__dumpi_rule rule,
                       const struct quipu__where *where, const char *expected, const char *found, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    quipu__find(own->trace->findings, &quipu__dumpi_rules[rule], where, expected, "%s", text);
}
