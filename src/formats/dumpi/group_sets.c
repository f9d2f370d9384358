/* group_sets.c: what MPI's calls on groups make, in the order that MPI prescribes. */
#include "formats/dumpi/group_sets.h"

#include <string.h>

static bool contains(const struct quipu__dumpi_set *set, uint32_t process) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i] == process)
            return true;
    return false;
}

/* Members of a that are, or are not, in b. */
static uint32_t filter(uint32_t *out, const struct quipu__dumpi_set *a, const struct quipu__dumpi_set *b,
                       bool wanted) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (contains(b, a->members[i]) == wanted)
            out[count++] = a->members[i];
    return count;
}

/* Marks the ranks of a list, or of triples of first, last and stride; in their order into ranks when that is not
 * NULL. Never more than limit: each rank once. */
static uint32_t list_ranks(const struct quipu__dumpi_constructor *constructor, uint32_t size, bool are_ranges,
                           uint8_t *marks, uint32_t *ranks) {
    uint32_t count = 0;
    const uint32_t step = are_ranges ? 3 : 1;
    for (uint32_t i = 0; i + step <= constructor->count; i += step) {
        const int64_t first = constructor->numbers[i];
        const int64_t last = are_ranges ? constructor->numbers[i + 1] : first;
        const int64_t stride = are_ranges && constructor->numbers[i + 2] != 0 ? constructor->numbers[i + 2] : 1;
        for (int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
            if (rank < 0 || rank >= size || marks[rank])
                break;
            marks[rank] = 1;
            ranks[count++] = (uint32_t)rank;
        }
    }
    return count;
}

/* The listed members in the order of the list, or the others in their own. */
static bool choose(struct quipu__arena *arena, const struct quipu__dumpi_constructor *constructor,
                   const struct quipu__dumpi_set *set, bool are_ranges, bool exclude, uint32_t *members,
                   uint32_t *count) {
    uint8_t *marks = quipu__arena_alloc(arena, (size_t)set->count + 1);
    uint32_t *ranks = quipu__arena_alloc(arena, ((size_t)set->count + 1) * sizeof *ranks);
    if (!marks || !ranks)
        return false;
    memset(marks, 0, set->count);
    const uint32_t listed = list_ranks(constructor, set->count, are_ranges, marks, ranks);
    *count = 0;
    for (uint32_t i = 0; !exclude && i < listed; i++)
        members[(*count)++] = set->members[ranks[i]];
    for (uint32_t i = 0; exclude && i < set->count; i++)
        if (!marks[i])
            members[(*count)++] = set->members[i];
    return true;
}

bool quipu__dumpi_set_make(struct quipu__arena *arena, const struct quipu__dumpi_constructor *constructor,
                           const struct quipu__dumpi_set *a, const struct quipu__dumpi_set *b,
                           struct quipu__dumpi_set *out) {
    uint32_t count = 0;
    if (!a)
        return false;
    const size_t most = (size_t)a->count + (b ? b->count : 0);
    uint32_t *members = quipu__arena_alloc(arena, (most + 1) * sizeof *members);
    if (!members)
        return false;
    switch (constructor->type) {
    case QUIPU__DUMPI_TYPE_group_union:
        if (!b)
            return false;
        if (a->count)
            memcpy(members, a->members, a->count * sizeof *members);
        count = a->count + filter(members + a->count, b, a, false);
        break;
    case QUIPU__DUMPI_TYPE_group_intersection:
    case QUIPU__DUMPI_TYPE_group_difference:
        if (!b)
            return false;
        count = filter(members, a, b, constructor->type == QUIPU__DUMPI_TYPE_group_intersection);
        break;
    case QUIPU__DUMPI_TYPE_group_incl:
    case QUIPU__DUMPI_TYPE_group_excl:
        if (!choose(arena, constructor, a, false, constructor->type == QUIPU__DUMPI_TYPE_group_excl, members,
                    &count))
            return false;
        break;
    case QUIPU__DUMPI_TYPE_group_range_incl:
    case QUIPU__DUMPI_TYPE_group_range_excl:
        if (!choose(arena, constructor, a, true, constructor->type == QUIPU__DUMPI_TYPE_group_range_excl,
                    members, &count))
            return false;
        break;
    default:
        return false;
    }
    *out = (struct quipu__dumpi_set){members, count};
    return true;
}
