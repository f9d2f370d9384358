/* tokens.c: see tokens.h. */
#include "formats/otf/tokens.h"

#define TOKEN_MOST UINT32_C(0xfffffffe)

void quipu__otf_tokens_init(struct quipu__otf_tokens *tokens, struct quipu__memory *memory) {
    *tokens = (struct quipu__otf_tokens){.memory = memory};
    quipu__map_init(&tokens->taken, memory);
}

void quipu__otf_tokens_release(struct quipu__otf_tokens *tokens) {
    QUIPU__VEC_RELEASE(tokens->memory, &tokens->at);
    quipu__map_release(&tokens->taken);
}

/* Numbers that are not known (those of things that only this library has defined) do not count. */
static bool all_can_be_tokens(const void *definitions, uint32_t count, quipu__otf_native_fn *native) {
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t id = native(definitions, i);
        if (id == 0 || (id > TOKEN_MOST && id != QUIPU_UNKNOWN))
            return false;
    }
    return true;
}

uint32_t quipu__otf_tokens_fresh(struct quipu__otf_tokens *tokens) {
    uint32_t token = tokens->highest < TOKEN_MOST ? tokens->highest + 1 : 1;
    while (quipu__map_get(&tokens->taken, token) != QUIPU_NONE)
        token = token < TOKEN_MOST ? token + 1 : 1;
    return token;
}

static bool take(struct quipu__otf_tokens *tokens, uint32_t number, uint64_t native) {
    const uint64_t wanted = tokens->by_index ? (uint64_t)number + 1 : native;
    const bool is_free =
        wanted >= 1 && wanted <= TOKEN_MOST && quipu__map_get(&tokens->taken, wanted) == QUIPU_NONE;
    const uint32_t token = is_free ? (uint32_t)wanted : quipu__otf_tokens_fresh(tokens);
    if (!quipu__map_put(&tokens->taken, token, number))
        return false;
    if (token > tokens->highest)
        tokens->highest = token;
    tokens->at.at[number].token = token;
    return true;
}

bool quipu__otf_tokens_extend(struct quipu__otf_tokens *tokens, const void *definitions, uint32_t count,
                              quipu__otf_native_fn *native) {
    const uint32_t before = (uint32_t)tokens->at.count;
    if (before >= count)
        return true;
    if (!tokens->decided)
        tokens->by_index = !all_can_be_tokens(definitions, count, native);
    tokens->decided = true;
    if (!QUIPU__VEC_RESERVE(tokens->memory, &tokens->at, count - before))
        return false;
    tokens->at.count = count;
    /* Fresh tokens are for those that cannot have their own, so they wait until the others have theirs. */
    for (int round = 0; round < 2; round++)
        for (uint32_t i = before; i < count; i++) {
            const uint64_t id = native(definitions, i);
            const bool waits = round == 0 && !tokens->by_index &&
                               (id > TOKEN_MOST || quipu__map_get(&tokens->taken, id) != QUIPU_NONE);
            if (!waits && tokens->at.at[i].token == 0 && !take(tokens, i, id))
                return false;
        }
    return true;
}

uint32_t quipu__otf_tokens_want(struct quipu__otf_tokens *tokens, uint32_t number, uint64_t native) {
    const size_t count = tokens->at.count;
    if (number >= count) {
        if (!QUIPU__VEC_RESERVE(tokens->memory, &tokens->at, number + 1 - count))
            return 0;
        tokens->at.count = (size_t)number + 1;
    }
    if (!tokens->at.at[number].token && !take(tokens, number, native))
        return 0;
    return tokens->at.at[number].token;
}
