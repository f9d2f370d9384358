/* tokens.h: numbers of the model's definitions become tokens of the files.
 *
 * A definition keeps its own number (native_id) when all of its class have numbers that can be tokens; then a trace that
 * is read and written again keeps its tokens. Else all get their index plus 1. 0 is never a token.
 */
#ifndef QUIPU_OTF_TOKENS_H
#define QUIPU_OTF_TOKENS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

struct quipu__otf_token {
    uint32_t token; /* 0: none yet */
    bool used;      /* something refers to it: it must be defined */
};

struct quipu__otf_tokens {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__otf_token) at; /* by number */
    struct quipu__map taken;                /* token -> number, 0 for one without definition */
    bool decided, by_index;
    uint32_t highest, lowest_free; /* tokens; all below lowest_free are taken */
};

/* The native number of definition number. */
typedef uint64_t quipu__otf_native_fn(const void *definitions, uint32_t number);

void quipu__otf_tokens_init(struct quipu__otf_tokens *tokens, struct quipu__memory *memory);
void quipu__otf_tokens_release(struct quipu__otf_tokens *tokens);

/* Gives the definitions up to count their tokens; may be called again when there are more. */
QUIPU_CHECKED bool quipu__otf_tokens_extend(struct quipu__otf_tokens *tokens, const void *definitions,
                                            uint32_t count, quipu__otf_native_fn *native);

/* The token of one definition of a class of which only few are wanted: its own number when that is free. Returns 0 when
 * memory is out. */
uint32_t quipu__otf_tokens_want(struct quipu__otf_tokens *tokens, uint32_t number, uint64_t native);

/* Reserves a token that nothing has. Returns 0 when memory is out. */
uint32_t quipu__otf_tokens_fresh(struct quipu__otf_tokens *tokens);

#endif
