/* error.h: making errors. Only quipu__fail makes a negative status, so every failure has a message. The function that
 * notices the failure words it; callers add only what they alone know (quipu__at). */
#ifndef QUIPU_CORE_ERROR_H
#define QUIPU_CORE_ERROR_H

#include <quipu/base.h>

/* Fills err (may be NULL) with a message and no place; returns status. An int, since it may be ignored; results of the
 * enum's type may not. */
int quipu__fail(struct quipu_error *err, enum quipu_status status, const char *format, ...) QUIPU_PRINTF(3, 4);

/* As quipu__fail, with ": " and the text of the system's error number added. A system that is out of memory makes it
 * QUIPU_NO_MEMORY whatever status says. */
int quipu__fail_errno(struct quipu_error *err, enum quipu_status status, int number, const char *format, ...)
    QUIPU_PRINTF(4, 5);

/* Adds the place to an error that has none yet. NULL and QUIPU_UNKNOWN leave a part as it is. */
void quipu__at(struct quipu_error *err, const char *path, uint64_t byte);

/* Adds one line of advice. */
void quipu__advise(struct quipu_error *err, const char *format, ...) QUIPU_PRINTF(2, 3);

/* Advice when memory was out. */
#define QUIPU__MEMORY_ADVICE "raise the memory limit, or read a part of the trace"

/* Advice when a trace refers to something outside its folder. */
#define QUIPU__OUTSIDE_ADVICE "use --allow-outside if you trust the trace"

/* size 0: not known. */
int quipu__no_memory(struct quipu_error *err, size_t size);

#endif
