/* dependences.c: see dependences.h. Members wait for each other in n log n steps: a range of them waits for what is outside of it as a whole,
 * and each half of it for the other one. */
#include "analysis/replay/dependences.h"

#include "core/bisect.h"
#include "core/bounded.h"

#include <stdlib.h>

/* ---- Marks ---- */

/* A mark of the latest beginning in a section of those that contribute, from first to before end. The caller has its one reference. */
static uint32_t join_range(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                           uint32_t section, uint32_t first, uint32_t end) {
    uint32_t latest;
    const uint32_t condition = quipu__schedule_join(schedule, section, &latest);
    for (uint32_t i = first; i < end; i++)
        if (collective->sides[i].contributes)
            quipu__schedule_depend(schedule, condition, collective->sides[i].mark, 0);
    quipu__schedule_close(schedule, condition);
    return latest;
}

static uint32_t join_two(struct quipu__schedule *schedule, uint32_t section, uint32_t a, uint32_t b) {
    uint32_t latest;
    const uint32_t condition = quipu__schedule_join(schedule, section, &latest);
    quipu__schedule_depend(schedule, condition, a, 0);
    quipu__schedule_depend(schedule, condition, b, 0);
    quipu__schedule_close(schedule, condition);
    return latest;
}

static void depend_on_mark(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                           uint32_t later, uint32_t mark) {
    if (collective->sides[later].depends && collective->sides[later].has_ended)
        quipu__schedule_depend(schedule, collective->sides[later].end_mark, mark,
                               collective->sides[later].is_free ? QUIPU__NO_DISTANCE : schedule->distance);
}

/* Lets each side of a range wait for all others, or for all before it: for those outside of the range, which have a mark
 * (QUIPU_NONE: there are none), and those in the other half of it. */
static void depend_in_range(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                            uint32_t section, uint32_t first, uint32_t end, uint32_t outside) {
    const uint32_t middle = first + (end - first) / 2;
    const bool is_scan = collective->flow == QUIPU__FLOW_SCAN;
    if (end - first < 2) {
        if (end > first)
            depend_on_mark(schedule, collective, first, outside);
        return;
    }
    const uint32_t before = join_range(schedule, collective, section, first, middle),
                   behind = is_scan ? QUIPU_NONE : join_range(schedule, collective, section, middle, end),
                   of_first = join_two(schedule, section, outside, behind),
                   of_second = join_two(schedule, section, outside, before);
    depend_in_range(schedule, collective, section, first, middle, of_first);
    depend_in_range(schedule, collective, section, middle, end, of_second);
    quipu__schedule_drop(schedule, before);
    quipu__schedule_drop(schedule, behind);
    quipu__schedule_drop(schedule, of_first);
    quipu__schedule_drop(schedule, of_second);
}

static void depend_on_all(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                          uint32_t section) {
    const uint32_t all = join_range(schedule, collective, section, 0, collective->side_count);
    for (uint32_t i = 0; i < collective->side_count; i++)
        depend_on_mark(schedule, collective, i, all);
    quipu__schedule_drop(schedule, all);
}

/* In a scan members count only: the place of others is not known. Otherwise a side may wait for itself, too, where it either
 * contributes or depends; or where
 * nothing need pass between a beginning and the ends that wait for it: its beginning is behind it. */
static void depend_in_section(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                              uint32_t section) {
    const bool has_root =
        collective->flow == QUIPU__FLOW_ONE_TO_ALL || collective->flow == QUIPU__FLOW_ALL_TO_ONE;
    if (collective->flow == QUIPU__FLOW_SCAN)
        depend_in_range(schedule, collective, section, 0, collective->members, QUIPU_NONE);
    else if (schedule->distance > 0 && !has_root)
        depend_in_range(schedule, collective, section, 0, collective->side_count, QUIPU_NONE);
    else if (collective->flow != QUIPU__FLOW_NONE)
        depend_on_all(schedule, collective, section);
}

/* The first section, from one on, in which one that contributes begins; QUIPU_NONE when there is none. */
static uint32_t next_section(const struct quipu__schedule *schedule, const struct quipu__collective *collective,
                             uint32_t from) {
    uint32_t next = QUIPU_NONE;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        const struct quipu__collective_side *side = &collective->sides[i];
        const uint32_t section = side->contributes && side->mark != QUIPU_NONE
                                     ? quipu__schedule_section_of(schedule, side->mark)
                                     : QUIPU_NONE;
        next = section >= from && section < next ? section : next;
    }
    return next;
}

void quipu__collective_depend(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                              bool has_dependences) {
    uint32_t section = has_dependences ? next_section(schedule, collective, 0) : QUIPU_NONE;
    for (; section != QUIPU_NONE; section = next_section(schedule, collective, section + 1))
        depend_in_section(schedule, collective, section);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_ended)
            quipu__schedule_close(schedule, collective->sides[i].end_mark);
    for (uint32_t i = 0; i < collective->side_count; i++)
        quipu__schedule_drop(schedule, collective->sides[i].mark);
}

/* ---- Violations ---- */

/* Whether no end comes too early for any beginning that something waits for. */
static bool has_right_clocks(const struct quipu__collective *collective, int64_t least) {
    int64_t end = INT64_MAX, begin = INT64_MIN;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        const struct quipu__collective_side *side = &collective->sides[i];
        end = side->depends && side->end < end ? side->end : end;
        begin = side->contributes && side->begin > begin ? side->begin : begin;
    }
    return begin == INT64_MIN || end >= quipu__bounded_sum(begin, least);
}

static int compare_times(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How many of the sorted times are later. */
static uint64_t count_later(const int64_t *times, uint32_t count, int64_t time) {
    size_t first = 0;
    QUIPU__BISECT(first, count, i, times[i] <= time);
    return count - first;
}

/* The sorted beginnings of those in a range that contribute. Returns how many. */
static uint32_t copy_begins(const struct quipu__collective *collective, uint32_t first, uint32_t end,
                            int64_t *begins) {
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++)
        if (collective->sides[i].contributes)
            begins[count++] = collective->sides[i].begin;
    qsort(begins, count, sizeof *begins, compare_times);
    return count;
}

/* Each end against all beginnings but its own. */
static uint64_t count_all(const struct quipu__collective *collective, int64_t least, int64_t *begins) {
    const uint32_t count = copy_begins(collective, 0, collective->side_count, begins);
    uint64_t violations = 0;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        const struct quipu__collective_side *side = &collective->sides[i];
        const int64_t latest = quipu__bounded_difference(side->end, least);
        if (side->depends)
            violations += count_later(begins, count, latest) - (side->contributes && side->begin > latest);
    }
    return violations;
}

/* Each end of a range against the beginnings before it that are in the range too. */
static uint64_t count_before(const struct quipu__collective *collective, int64_t least, uint32_t first,
                             uint32_t end, int64_t *begins) {
    const uint32_t middle = first + (end - first) / 2;
    if (end - first < 2)
        return 0;
    uint64_t violations = count_before(collective, least, first, middle, begins) +
                          count_before(collective, least, middle, end, begins);
    const uint32_t count = copy_begins(collective, first, middle, begins);
    for (uint32_t i = middle; i < end; i++)
        if (collective->sides[i].depends)
            violations +=
                count_later(begins, count, quipu__bounded_difference(collective->sides[i].end, least));
    return violations;
}

uint64_t quipu__collective_violations(struct quipu__memory *memory, const struct quipu__collective *collective,
                                      int64_t least) {
    const size_t bytes = collective->side_count * sizeof(int64_t);
    int64_t *begins = has_right_clocks(collective, least) ? NULL : quipu__alloc(memory, bytes);
    if (!begins)
        return 0;
    const uint64_t violations = collective->flow == QUIPU__FLOW_SCAN
                                    ? count_before(collective, least, 0, collective->member_count, begins)
                                    : count_all(collective, least, begins);
    quipu__release(memory, begins, bytes);
    return violations;
}
