/* findings.h: collecting findings. */
#ifndef QUIPU_CORE_TEXT_FINDINGS_H
#define QUIPU_CORE_TEXT_FINDINGS_H

#include "core/memory/buffer.h"
#include "core/slice.h"

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

/* Adds a finding; texts are copied. found is a printf format for "what is there", " " when there is nothing to say (compilers warn about empty
 * formats); expected is plain text and may be "". When memory is out the finding is still counted, and the gate remembers that the list is
 * incomplete. Safe to call from several threads. */
void quipu__find(struct quipu_findings *findings, const struct quipu_rule *rule,
                 const struct quipu__where *where, const char *expected, const char *found, ...)
    QUIPU_PRINTF(5, 6);

/* A file of the trace that exists but cannot be read, in full or at all. That is not damage, but the trace is not delivered completely. trouble
 * is the error of the read. Each file is reported once. */
void quipu__find_unreadable(struct quipu_findings *findings, const char *path,
                            const struct quipu_error *trouble);

/* A file whose compressed data are damaged or truncated: what precedes is delivered. Each file is reported once. */
void quipu__find_broken_compression(struct quipu_findings *findings, const char *path, uint64_t bytes);

/* A file that has fewer bytes than when it was first examined: it was not read completely, and its end is not mistaken for the trace's. Each
 * file is reported once. */
void quipu__find_shrunk(struct quipu_findings *findings, const char *path, uint64_t bytes, uint64_t before);

/* Adds the findings in from about files that were not read to their end: unreadable or shrunk ones. A second read may succeed, although what was
 * made from the first one is incomplete. */
void quipu__findings_copy_unreadable(const struct quipu_findings *from, struct quipu_findings *into);

/* How many such findings there are. */
uint64_t quipu__findings_unreadable(const struct quipu_findings *findings);

/* Until end_sharing, that many threads add findings at the same time; begin says which source, from 1, the calling thread reads next. What
 * end_sharing leaves is what one thread would have found, going over the sources in ascending order: the same findings in the same order. False
 * when memory is out. */
QUIPU_CHECKED bool quipu__findings_share(struct quipu_findings *findings, uint32_t thread_count);
void quipu__findings_begin(struct quipu_findings *findings, uint32_t source);
void quipu__findings_end_sharing(struct quipu_findings *findings);

/* QUIPU_NO_MEMORY when memory has run out at the gate of the list. */
enum quipu_status quipu__findings_status(const struct quipu_findings *findings, struct quipu_error *err);

/* Says of a listed finding whether it may only follow from another one. */
void quipu__findings_mark(struct quipu_findings *findings, size_t index, bool is_consequence);

/* Rules that findings may be of. */
struct quipu__known_rules {
    const struct quipu_rule *items;
    size_t count;
    const struct quipu__known_rules *more; /* NULL: there are no more */
};

/* Appends a list as bytes. load adds such bytes to another list, as if its findings had been found there after those that it has; a file
 * that is reported once stays so. Their rules are known, or about files. The bytes are not trusted:
 * QUIPU_CORRUPT when they cannot be right. */
void quipu__findings_save(const struct quipu_findings *findings, struct quipu__buffer *out);
enum quipu_status quipu__findings_load(struct quipu_findings *findings, struct quipu__slice *from,
                                       const struct quipu__known_rules *known, struct quipu_error *err);

/* Forgets everything: a second pass over the trace finds it again. */
void quipu__findings_clear(struct quipu_findings *findings);

#endif
