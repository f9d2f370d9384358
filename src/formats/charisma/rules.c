/* rules.c: the rules as data, and reporting that one is broken. */
#include "formats/charisma/check.h"

#include <stdarg.h>
#include <stdio.h>

const struct quipu_rule quipu__charisma_rules[QUIPU__CHARISMA_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/charisma/rules.def"
#undef RULE
};

void quipu__charisma_find(struct quipu__charisma_check *check, enum quipu__charisma_rule rule,
                          const char *field, const char *expected, const char *found, ...) {
    const struct quipu_rule *broken = &quipu__charisma_rules[rule];
    check->errors += broken->id[0] == 'E';
    check->warnings += broken->id[0] == 'W';
    if (!check->findings)
        return;
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    const struct quipu__where where = {.file = check->path,
                                       .byte = check->where.byte,
                                       .line = QUIPU_UNKNOWN,
                                       .record = check->where.record,
                                       .type = check->where.type < QUIPU__CHARISMA_TYPE_COUNT
                                                   ? quipu__charisma_types[check->where.type].name
                                                   : "",
                                       .field = field};
    quipu__find(check->findings, broken, &where, expected, "%s", text);
}
