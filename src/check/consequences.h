/* consequences.h: which findings may only follow from others, so that one problem is shown once. */
#ifndef QUIPU_CHECK_CONSEQUENCES_H
#define QUIPU_CHECK_CONSEQUENCES_H

#include "core/findings.h"

/* Marks them. The words are identifiers of rules with blanks between them and may be NULL: those of the format that what is
 * lost elsewhere can break, and those of the model that rules of the format stand for. */
void quipu__mark_consequences(struct quipu_findings *findings, const char *dependent_rules,
                              const char *replaced_rules);

#endif
