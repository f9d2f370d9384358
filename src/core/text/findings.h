/* findings.h: collecting findings. */
#ifndef QUIPU_CORE_TEXT_FINDINGS_H
#define QUIPU_CORE_TEXT_FINDINGS_H

#include "core/memory/memory.h"

enum quipu_status quipu__findings_new(struct quipu__memory *memory, struct quipu_findings **out,
                                      struct quipu_error *err);
void quipu__findings_free(struct quipu_findings *findings);

/* Where a finding is. Leave out what is not known: QUIPU__WHERE_INIT. */
struct quipu__where {
    const char *file;
    uint64_t byte, line, record;
    const char *type, *field;
};
#define QUIPU__WHERE_INIT                                                                                      \
    { "", QUIPU_UNKNOWN, QUIPU_UNKNOWN, QUIPU_UNKNOWN, "", "" }

/* Adds a finding; texts are copied. found is a printf format for "what is there", " " when there is nothing to say
 * (compilers warn of empty formats); expected is plain text and may be "". When memory is out it is still counted, and the
 * gate remembers that the list is not whole. Safe to call from several threads. */
void quipu__find(struct quipu_findings *findings, const struct quipu_rule *rule,
                 const struct quipu__where *where, const char *expected, const char *found, ...)
    QUIPU_PRINTF(5, 6);

/* A file of the trace that exists, but that the system does not let read, in full or at all: no damage, yet not all of
 * the trace is delivered. trouble is the error of the reading. A file is found once. */
void quipu__find_unreadable(struct quipu_findings *findings, const char *path,
                            const struct quipu_error *trouble);

/* A file whose compressed data is damaged or breaks off: what stands in front is delivered. A file is found once. */
void quipu__find_broken_compression(struct quipu_findings *findings, const char *path, uint64_t bytes);

/* A file that has fewer bytes than it had when it was first looked at: it was not all read, and is not taken for ended. A file is found once. */
void quipu__find_shrunk(struct quipu_findings *findings, const char *path, uint64_t bytes, uint64_t before);

/* Adds those of other findings that are about files which were not read to their end: unreadable ones, and those that have shrunk. Who reads
 * again may find them whole, when what was made of the first reading is not. */
void quipu__findings_copy_unreadable(const struct quipu_findings *from, struct quipu_findings *into);

/* How many of those there are. */
uint64_t quipu__findings_unreadable(const struct quipu_findings *findings);

/* Until end_sharing, so many threads add findings at the same time; begin says which source, from 1, the calling thread
 * reads next. What end_sharing leaves is what one thread would have found, going over the sources in ascending order: the same
 * findings in the same order. False when memory is out. */
QUIPU_CHECKED bool quipu__findings_share(struct quipu_findings *findings, uint32_t thread_count);
void quipu__findings_begin(struct quipu_findings *findings, uint32_t source);
void quipu__findings_end_sharing(struct quipu_findings *findings);

/* QUIPU_NO_MEMORY when memory has run out at the gate of the list. */
enum quipu_status quipu__findings_status(const struct quipu_findings *findings, struct quipu_error *err);

/* Says of a listed finding whether it may only follow from another one. */
void quipu__findings_mark(struct quipu_findings *findings, size_t index, bool is_consequence);

/* Forgets everything: a second pass over the trace finds it again. */
void quipu__findings_clear(struct quipu_findings *findings);

#endif
