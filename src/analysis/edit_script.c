/* edit_script.c: see edit_script.h.
 *
 * The method is that of Myers (1986): for each number of steps, how far each diagonal (the distance of the places in both sequences) can be
 * followed. Where many steps are needed the farthest place that the most steps lead to is the end. */
#include "analysis/edit_script.h"

struct search {
    struct quipu__memory *memory;
    const uint64_t *a, *b;
    size_t a_count, b_count;
    QUIPU__VEC(size_t)
    reached; /* places in a: for d steps those of the diagonals -d, -d + 2 .. d, one after the other */
};

/* Where the row of so many steps begins. */
static size_t row_of(size_t steps) {
    return steps * (steps + 1) / 2;
}

/* The places of diagonal 2 * index - steps in both sequences. */
static size_t b_of(size_t a, size_t steps, size_t index) {
    return a + steps - 2 * index;
}

/* Whether the last of the steps to a diagonal adds an element of b, rather than removing one of a. */
static bool adds(const struct search *search, size_t steps, size_t index) {
    const size_t *before = &search->reached.items[row_of(steps - 1)];
    return index == 0 || (index < steps && before[index] > before[index - 1]);
}

/* How far a diagonal leads with so many steps. May be beyond an end. */
static size_t follow(const struct search *search, size_t steps, size_t index) {
    size_t a = 0;
    if (steps > 0) {
        const size_t *before = &search->reached.items[row_of(steps - 1)];
        a = adds(search, steps, index) ? before[index] : before[index - 1] + 1;
    }
    size_t b = b_of(a, steps, index);
    while (a < search->a_count && b < search->b_count && search->a[a] == search->b[b]) {
        a++;
        b++;
    }
    return a;
}

/* Goes back from the diagonal, step by step. */
static bool collect(const struct search *search, size_t steps, size_t index, struct quipu__edit_script *out) {
    if (!QUIPU__VEC_RESERVE(search->memory, &out->steps, steps))
        return false;
    out->steps.count = steps;
    while (steps > 0) {
        const bool is_added = adds(search, steps, index);
        index -= !is_added;
        steps--;
        const size_t a = search->reached.items[row_of(steps) + index];
        out->steps.items[steps] = (struct quipu__edit_step){is_added ? QUIPU__EDIT_ADD : QUIPU__EDIT_REMOVE, a,
                                                            b_of(a, steps, index)};
    }
    return true;
}

/* Of the diagonals that end within both sequences, the one that leads farthest. */
static size_t farthest(const struct search *search, size_t steps) {
    const size_t *row = &search->reached.items[row_of(steps)];
    size_t best = SIZE_MAX, most = 0;
    for (size_t i = 0; i <= steps; i++) {
        const size_t b = b_of(row[i], steps, i);
        const bool is_inside = row[i] <= search->a_count && b <= search->b_count;
        if (is_inside && (best == SIZE_MAX || row[i] + b > most)) {
            best = i;
            most = row[i] + b;
        }
    }
    return best;
}

bool quipu__edit_script_find(struct quipu__memory *memory, const uint64_t *a, size_t a_count, const uint64_t *b,
                             size_t b_count, struct quipu__edit_script *out) {
    struct search search = {.memory = memory, .a = a, .b = b, .a_count = a_count, .b_count = b_count};
    bool has_memory = true, is_done = false;
    *out = (struct quipu__edit_script){.a = 0};
    for (size_t steps = 0; !is_done && has_memory; steps++) {
        has_memory = QUIPU__VEC_RESERVE(memory, &search.reached, steps + 1);
        for (size_t i = 0; i <= steps && has_memory; i++)
            search.reached.items[search.reached.count++] = follow(&search, steps, i);
        const size_t index = has_memory ? farthest(&search, steps) : SIZE_MAX;
        if (index == SIZE_MAX)
            continue;
        out->a = search.reached.items[row_of(steps) + index];
        out->b = b_of(out->a, steps, index);
        is_done = (out->a == a_count && out->b == b_count) || steps == QUIPU__EDITS_MOST;
        has_memory = !is_done || collect(&search, steps, index, out);
    }
    QUIPU__VEC_RELEASE(memory, &search.reached);
    return has_memory;
}
