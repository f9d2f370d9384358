/* tournament.c: the parts of a tournament outside the hot path. */
#include "core/memory/tournament.h"

#include "core/error.h"

#include <assert.h>

enum quipu_status quipu__tournament_init(struct quipu__tournament *tournament, struct quipu__memory *memory,
                                         uint32_t count, struct quipu_error *err) {
    uint32_t leaves = 1;
    while (leaves < count && leaves < UINT32_C(1) << 30)
        leaves *= 2;
    *tournament = (struct quipu__tournament){.memory = memory, .leaves = leaves, .count = count, .left = count};
    tournament->nodes = quipu__alloc(memory, leaves * sizeof *tournament->nodes);
    if (!tournament->nodes)
        return quipu__no_memory(err, leaves * sizeof *tournament->nodes);
    quipu__tournament_clear(tournament);
    return QUIPU_OK;
}

void quipu__tournament_clear(struct quipu__tournament *tournament) {
    for (uint32_t i = 0; i < tournament->leaves; i++)
        tournament->nodes[i] = QUIPU__CONTENDER_ABSENT;
    for (uint32_t i = tournament->count; i < tournament->leaves; i++)
        quipu__tournament_play(tournament, i, QUIPU__CONTENDER_ENDED);
}

void quipu__tournament_release(struct quipu__tournament *tournament) {
    quipu__release(tournament->memory, tournament->nodes, tournament->leaves * sizeof *tournament->nodes);
    tournament->nodes = NULL;
}

void quipu__tournament_leave(struct quipu__tournament *tournament, uint32_t source) {
    assert(source < tournament->leaves && tournament->left > 0);
    tournament->left--;
    quipu__tournament_play(tournament, source, QUIPU__CONTENDER_ENDED);
}

struct quipu__contender quipu__tournament_second(const struct quipu__tournament *tournament) {
    const uint32_t first = quipu__contender_source(&tournament->nodes[0]);
    struct quipu__contender second = QUIPU__CONTENDER_ENDED;
    for (uint32_t n = (tournament->leaves + first) / 2; n > 0; n /= 2)
        if (quipu__contender_precedes(&tournament->nodes[n], &second))
            second = tournament->nodes[n];
    return second;
}
