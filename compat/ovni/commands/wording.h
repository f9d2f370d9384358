/* wording.h: findings in the words that scripts around the original look for in its messages. */
#ifndef QUIPU_COMPAT_OVNI_WORDING_H
#define QUIPU_COMPAT_OVNI_WORDING_H

#include <quipu/base.h>

#include <stdbool.h>
#include <stddef.h>

/* Writes what the original says of a finding; false when there is nothing of its own to say. */
bool wording_of(const struct quipu_finding *finding, char *out, size_t size);

#endif
