/* rules.c: the rules as data. */
#include "formats/ovni/rules.h"

const struct quipu_rule quipu__ovni_rules[QUIPU__OVNI_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/ovni/rules.def"
#undef RULE
};
