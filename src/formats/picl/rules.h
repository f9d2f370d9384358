/* rules.h: the rules of rules.def. */
#ifndef QUIPU_PICL_RULES_H
#define QUIPU_PICL_RULES_H

#include <quipu/base.h>

enum quipu__picl_rule {
#define RULE(name, id, severity, text, advice) QUIPU__PICL_RULE_##name,
#include "formats/picl/rules.def"
#undef RULE
    QUIPU__PICL_RULE_COUNT
};
extern const struct quipu_rule quipu__picl_rules[QUIPU__PICL_RULE_COUNT];

#endif
