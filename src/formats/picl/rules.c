/* rules.c: the table that rules.def makes. */
#include "formats/picl/rules.h"

const struct quipu_rule quipu__picl_rules[QUIPU__PICL_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/picl/rules.def"
#undef RULE
};
