/* unneeded_calls.c: see unneeded_calls.h. */
#include "state/unneeded_calls.h"

bool quipu__unneeded_calls_init(struct quipu__unneeded_calls *calls, struct quipu__memory *memory,
                                const struct quipu_definitions *definitions, enum quipu__region_use last) {
    const uint32_t count = definitions->regions.count;
    *calls = (struct quipu__unneeded_calls){
        .memory = memory, .may_go = quipu__alloc(memory, count), .consuming = QUIPU__CONSUMING};
    if (!calls->may_go)
        return false;
    calls->count = count;
    for (uint32_t i = 0; i < count; i++) {
        calls->may_go[i] = quipu__region_use_of(definitions, i) <= last;
        calls->has_any |= calls->may_go[i];
    }
    return true;
}

/* Depth of nested calls; deeper ones are not left out. */
enum { DEEPEST = 64 };

/* State of going through a batch: the first events are those that remain; after them come the enters of active calls that may
 * still be left out. */
struct walk {
    struct quipu_batch *batch;
    uint32_t remaining, depth;
    uint32_t ended,
        leave; /* enter and leave of the call that the latest event has ended, if it is left out until now; or that event, left out
                            * by its kind; else QUIPU_NONE */
    uint32_t enters[DEEPEST];
};

QUIPU__INLINE void retain(struct walk *walk, uint32_t event) {
    if (walk->remaining != event)
        quipu__batch_move_event(walk->batch, walk->remaining, event);
    walk->remaining++;
}

/* Something happens in the active calls: they remain. */
QUIPU__INLINE void retain_active(struct walk *walk) {
    for (uint32_t i = 0; i < walk->depth; i++)
        retain(walk, walk->enters[i]);
    walk->depth = 0;
}

/* Nothing more comes of the location. */
static void retain_latest(struct walk *walk) {
    retain_active(walk);
    if (walk->ended == QUIPU_NONE)
        return;
    retain(walk, walk->ended);
    if (walk->leave != QUIPU_NONE)
        retain(walk, walk->leave);
    walk->ended = QUIPU_NONE;
}

void quipu__unneeded_calls_leave_out(const struct quipu__unneeded_calls *calls, struct quipu_batch *batch) {
    struct walk walk;
    const int64_t *times = batch->time;
    const uint32_t *locations = batch->location, *regions = batch->object;
    const uint8_t *kinds = batch->kind;
    const uint32_t count = calls->has_any && batch->attribute_count == 0 ? batch->count : 0;
    walk.batch = batch;
    walk.remaining = walk.depth = 0;
    walk.ended = QUIPU_NONE;
    bool begins = true;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t region = regions[i];
        if (begins || QUIPU__UNLIKELY(locations[i] != locations[i - 1] || times[i] < times[i - 1])) {
            retain_latest(&walk);
            retain(&walk, i);
            begins = (QUIPU__NO_EVENTS >> kinds[i] & 1) != 0;
            continue;
        }
        if (kinds[i] == QUIPU_KIND_leave && walk.depth > 0 && regions[walk.enters[walk.depth - 1]] == region) {
            walk.ended = walk.enters[--walk.depth];
            walk.leave = i;
            continue;
        }
        if (kinds[i] == QUIPU_KIND_enter && region < calls->count && calls->may_go[region] &&
            walk.depth < DEEPEST) {
            walk.ended = QUIPU_NONE;
            walk.enters[walk.depth++] = i;
            continue;
        }
        if (calls->also >> kinds[i] & 1) {
            walk.ended = i;
            walk.leave = QUIPU_NONE;
            continue;
        }
        begins = (QUIPU__NO_EVENTS >> kinds[i] & 1) != 0;
        if (begins)
            retain_latest(&walk);
        walk.ended = QUIPU_NONE;
        retain_active(&walk);
        retain(&walk, i);
    }
    retain_latest(&walk);
    batch->count = count > 0 ? walk.remaining : batch->count;
}
