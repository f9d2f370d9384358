/* rules.h: rules.def as numbers. */
#ifndef QUIPU_OVNI_RULES_H
#define QUIPU_OVNI_RULES_H

#include "core/text/findings.h"

enum quipu__ovni_rule {
#define RULE(name, id, severity, text, advice) QUIPU__OVNI_RULE_##name,
#include "formats/ovni/rules.def"
#undef RULE
    QUIPU__OVNI_RULE_COUNT
};

extern const struct quipu_rule quipu__ovni_rules[QUIPU__OVNI_RULE_COUNT];

#endif
