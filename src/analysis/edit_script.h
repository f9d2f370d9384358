/* edit_script.h: how one sequence becomes another one with the fewest elements removed and added. */
#ifndef QUIPU_ANALYSIS_EDIT_SCRIPT_H
#define QUIPU_ANALYSIS_EDIT_SCRIPT_H

#include "core/vec.h"

#include <stdint.h>

enum quipu__edit { QUIPU__EDIT_REMOVE, QUIPU__EDIT_ADD };

/* An element of the first sequence that the second one does not have, or the reverse. */
struct quipu__edit_step {
    enum quipu__edit edit;
    size_t a, b; /* where that is in both */
};

/* The steps in their order, up to a and b. */
struct quipu__edit_script {
    QUIPU__VEC(struct quipu__edit_step) steps;
    size_t a, b;
};

/* Sequences that differ in more steps than this are compared up to there. */
enum { QUIPU__EDITS_MOST = 512 };

/* Finds the script of two sequences, as far as QUIPU__EDITS_MOST steps lead. False when memory is out; release the steps in any case. */
QUIPU_CHECKED bool quipu__edit_script_find(struct quipu__memory *memory, const uint64_t *a, size_t a_count,
                                           const uint64_t *b, size_t b_count, struct quipu__edit_script *out);

#endif
