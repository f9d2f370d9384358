/* sections.c: the time that counts, cut into sections that are replayed each by itself: see network_replay.h. */
#include "analysis/replay/network_replay.h"

#include "core/bisect.h"
#include "core/bounded.h"

/* ---- Totals of times ---- */

static void add_time(struct quipu__time_total *total, int64_t time) {
    total->upper += (uint64_t)time >> 32;
    total->lower += (uint64_t)time & UINT32_MAX;
}

void quipu__replay_totals_add(struct quipu__replay_totals *totals, int64_t useful) {
    add_time(&totals->useful, useful);
    totals->most = useful > totals->most ? useful : totals->most;
}

/* ---- Sections ---- */

/* The section of a time. */
static uint32_t section_at(const struct quipu__replay_sections *sections, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, sections->cuts.count, i, sections->cuts.items[i] <= time);
    return (uint32_t)low;
}

bool quipu__replay_sections_cut(struct quipu__network_replay *replay, const int64_t *cuts, size_t count) {
    struct quipu__replay_sections *sections = &replay->sections;
    sections->cuts.count = sections->list.count = 0;
    if (!QUIPU__VEC_RESERVE(&replay->memory, &sections->cuts, count) ||
        !QUIPU__VEC_RESERVE(&replay->memory, &sections->list, count + 1))
        return false;
    for (size_t i = 0; i < count; i++)
        sections->cuts.items[i] = cuts[i];
    sections->cuts.count = count;
    sections->list.count = count + 1;
    return true;
}

bool quipu__replay_sections_begin(struct quipu__network_replay *replay) {
    struct quipu__replay_sections *sections = &replay->sections;
    for (size_t i = 0; i < sections->list.count; i++)
        sections->list.items[i] = (struct quipu__replay_totals){0};
    return sections->list.count == 0 || quipu__schedule_cut(&replay->schedule, (uint32_t)sections->list.count);
}

/* A location leaves the section that it is in, for that one. */
static void leave_section(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                          uint32_t location, uint32_t next) {
    const bool counts = quipu__reports(&replay->reported, location);
    if (counts)
        quipu__replay_totals_add(&replay->sections.list.items[known->section],
                                 quipu__bounded_difference(known->useful, known->useful_before));
    known->useful_before = known->useful;
    known->section = next;
    quipu__schedule_go_to_section(&replay->schedule, location, next, counts);
}

void quipu__replay_section_enter(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                                 uint32_t location, int64_t time) {
    leave_section(replay, known, location, section_at(&replay->sections, time));
}

void quipu__replay_sections_end(struct quipu__network_replay *replay) {
    const uint32_t behind = (uint32_t)replay->sections.list.count;
    for (uint32_t i = 0; behind > 0 && i < replay->locations.count; i++)
        if (replay->locations.items[i].section < behind)
            leave_section(replay, &replay->locations.items[i], i, behind);
}

struct quipu__replay_totals quipu__replay_section_totals(const struct quipu__network_replay *replay,
                                                         uint32_t section, int64_t from, int64_t to) {
    const struct quipu__communication *communication = &replay->communication;
    struct quipu__replay_totals totals = {.has_ideal = true};
    if (section < replay->sections.list.count) {
        const struct quipu__schedule_section *passed = &replay->schedule.sections.items[section];
        totals = replay->sections.list.items[section];
        totals.has_ideal = passed->missing == 0;
        totals.ideal = passed->longest;
    }
    for (uint32_t i = 0; i < communication->stacks.count; i++)
        totals.locations += communication->stacks.items[i].has_events && quipu__reports(&replay->reported, i);
    totals.begin = from;
    totals.end = to;
    totals.run_time = quipu__bounded_difference(to, from);
    return totals;
}
