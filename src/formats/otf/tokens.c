/* tokens.c: see from_model.h. */
#include "formats/otf/from_model.h"

#define TOKEN_MOST UINT32_C(0xfffffffe)

void quipu__otf_tokens_init(struct quipu__otf_tokens *tokens, struct quipu__memory *memory) {
    *tokens = (struct quipu__otf_tokens){.memory = memory, .lowest_free = 1};
    quipu__map_init(&tokens->taken, memory);
}

void quipu__otf_tokens_release(struct quipu__otf_tokens *tokens) {
    QUIPU__VEC_RELEASE(tokens->memory, &tokens->at);
    quipu__map_release(&tokens->taken);
}

/* Unknown numbers (of definitions that only this library has made) do not count. */
static bool all_can_be_tokens(const void *definitions, uint32_t count, quipu__otf_native_fn *native) {
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t id = native(definitions, i);
        if (id == 0 || (id > TOKEN_MOST && id != QUIPU_UNKNOWN))
            return false;
    }
    return true;
}

static bool is_taken(const struct quipu__otf_tokens *tokens, uint64_t token) {
    return quipu__map_get(&tokens->taken, token) != QUIPU_NONE;
}

/* The one above all others or, if there is none, the lowest free one. All below the latter stay taken, so each token
 * is examined once. */
static uint32_t find_free(struct quipu__otf_tokens *tokens) {
    if (tokens->highest < TOKEN_MOST)
        return tokens->highest + 1;
    while (is_taken(tokens, tokens->lowest_free))
        tokens->lowest_free++;
    return tokens->lowest_free;
}

static bool reserve(struct quipu__otf_tokens *tokens, uint32_t token, uint32_t number) {
    if (!quipu__map_put(&tokens->taken, token, number))
        return false;
    if (token > tokens->highest)
        tokens->highest = token;
    return true;
}

uint32_t quipu__otf_tokens_fresh(struct quipu__otf_tokens *tokens) {
    const uint32_t token = find_free(tokens);
    return reserve(tokens, token, 0) ? token : 0;
}

static bool assign(struct quipu__otf_tokens *tokens, uint32_t number, uint64_t native) {
    const uint64_t wanted = tokens->by_index ? (uint64_t)number + 1 : native;
    const bool is_free = wanted >= 1 && wanted <= TOKEN_MOST && !is_taken(tokens, wanted);
    const uint32_t token = is_free ? (uint32_t)wanted : find_free(tokens);
    if (!reserve(tokens, token, number))
        return false;
    tokens->at.items[number].token = token;
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
    /* Fresh tokens are for definitions that cannot keep their own, so they come after all others. */
    for (int round = 0; round < 2; round++)
        for (uint32_t i = before; i < count; i++) {
            const uint64_t id = native(definitions, i);
            const bool waits = round == 0 && !tokens->by_index && (id > TOKEN_MOST || is_taken(tokens, id));
            if (!waits && tokens->at.items[i].token == 0 && !assign(tokens, i, id))
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
    if (!tokens->at.items[number].token && !assign(tokens, number, native))
        return 0;
    return tokens->at.items[number].token;
}
