/* together.h: several analyses of the same readings of a trace: each gets every batch, and those that want another reading share that too. An
 * analysis may join later, with settings that others have found by then.
 *
 * All see events of every kind; when not all can do with stream after stream, they are merged by time. */
#ifndef QUIPU_ANALYSIS_TOGETHER_H
#define QUIPU_ANALYSIS_TOGETHER_H

#include "analysis/shared/fold.h"

enum { QUIPU__TOGETHER_MOST = 8 };

struct quipu__together_question {
    const struct quipu__fold *fold;
    struct quipu__fold_start start;
    struct quipu_selection selection; /* what it reads next */
    void *state;
    bool reads; /* in the next reading */
};

struct quipu__together {
    struct quipu_reader *reader;
    struct quipu__together_question questions[QUIPU__TOGETHER_MOST];
    size_t count;
    bool has_read; /* once at least */
};

/* Adds an analysis to the next reading. *question can be asked about its state until the release. The settings are borrowed until then. */
enum quipu_status quipu__together_add(struct quipu__together *together, const char *name,
                                      const struct quipu_setting *settings, size_t count,
                                      struct quipu__together_question **question, struct quipu_error *err);

/* Reads the trace once for all that want it. */
enum quipu_status quipu__together_read(struct quipu__together *together, struct quipu_error *err);

/* Whether one of them wants to read on. */
bool quipu__together_reads(const struct quipu__together *together);

/* The answer of one that has read everything; the caller frees it. */
enum quipu_status quipu__together_answer(const struct quipu__together_question *question,
                                         struct quipu_tables **out, struct quipu_error *err);

void quipu__together_release(struct quipu__together *together);

#endif
