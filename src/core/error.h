/* error.h: making errors. quipu__fail is the only way in which a negative status is born, so that no failure is
 * mute. The function that sees the trouble words it; callers add only what they alone know (quipu__at). */
#ifndef QUIPU_CORE_ERROR_H
#define QUIPU_CORE_ERROR_H

#include <quipu/base.h>

/* Fills err (may be NULL) with a message and no place; returns status. An int, since nothing is lost when it is ignored:
 * a result of the enum's type must not be. */
int quipu__fail(struct quipu_error *err, enum quipu_status status, const char *format, ...) QUIPU_PRINTF(3, 4);

/* As quipu__fail, with ": " and the text of the system's error number added. A system that is out of memory makes it
 * QUIPU_NO_MEMORY whatever status says. */
int quipu__fail_errno(struct quipu_error *err, enum quipu_status status, int number, const char *format, ...)
    QUIPU_PRINTF(4, 5);

/* Adds the place to an error that has none yet. NULL and QUIPU_UNKNOWN leave a part as it is. */
void quipu__at(struct quipu_error *err, const char *path, uint64_t byte);

/* Adds one line of advice. */
void quipu__advise(struct quipu_error *err, const char *format, ...) QUIPU_PRINTF(2, 3);

/* What to do where memory was out. */
#define QUIPU__MEMORY_ADVICE "raise the memory limit, or read a part of the trace"

/* What to do where a trace leads to what is not in its folder. */
#define QUIPU__OUTSIDE_ADVICE "use --allow-outside if you trust the trace"

/* size 0: not known. */
int quipu__no_memory(struct quipu_error *err, size_t size);

#endif
