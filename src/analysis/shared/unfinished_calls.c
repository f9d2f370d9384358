/* unfinished_calls.c: see unfinished_calls.h. */
#include "analysis/shared/unfinished_calls.h"

#include <inttypes.h>

bool quipu__unfinished_calls_add(struct quipu__unfinished_counter *counter, struct quipu__memory *memory,
                                 uint32_t location, uint64_t calls) {
    const size_t known = counter->known.count;
    if (calls == 0)
        return true;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(memory, &counter->known, location + 1 - known))
            return false;
        counter->known.count = (size_t)location + 1;
    }
    counter->counts.calls += calls;
    counter->counts.locations += !counter->known.items[location];
    counter->known.items[location] = true;
    return true;
}

bool quipu__unfinished_calls_combine(struct quipu__unfinished_counter *counter, struct quipu__memory *memory,
                                     const struct quipu__unfinished_counter *other) {
    const uint64_t calls = counter->counts.calls + other->counts.calls;
    for (uint32_t i = 0; i < other->known.count; i++)
        if (other->known.items[i] && !quipu__unfinished_calls_add(counter, memory, i, 1))
            return false;
    counter->counts.calls = calls;
    return true;
}

void quipu__unfinished_calls_note(const struct quipu__unfinished_calls *counts, struct quipu_tables *tables) {
    if (counts->calls == 0)
        return;
    quipu__tables_note_add(
        tables, "%" PRIu64 " call%s at %" PRIu64 " location%s %s no end: counted until the last event there",
        counts->calls, counts->calls == 1 ? "" : "s", counts->locations, counts->locations == 1 ? "" : "s",
        counts->calls == 1 ? "has" : "have");
}
