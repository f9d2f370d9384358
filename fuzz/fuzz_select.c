/* fuzz_select.c: selecting times, locations and kinds gives what filtering all events gives, in the same order at each location unless
 * times go back: what goes back counts as late as what was delivered before it. Of other locations at the same time, that comes first which waits
 * behind nothing else in its stream, so what is left out has a part in that. */
#include "support.h"

#define LOCATIONS 64

struct choice {
    struct quipu_selection selection;
    uint32_t locations[LOCATIONS];
};

static bool has_location(const struct quipu_selection *selection, uint32_t location) {
    for (uint32_t i = 0; i < selection->location_count; i++)
        if (selection->locations[i] == location)
            return true;
    return !selection->locations;
}

/* Of all events, as they are delivered. Files of markers have no order that could be broken. */
static int64_t latest;
static bool goes_back;

static bool passes(const struct quipu_event *event, const void *context) {
    const struct quipu_selection *selection = context;
    goes_back |= event->time < latest;
    latest = event->time;
    const bool is_early = event->time < selection->to || selection->to == INT64_MAX;
    return event->time >= selection->from && is_early && (selection->kinds & QUIPU_KIND_BIT(event->kind)) &&
           has_location(selection, event->location);
}

static void choose_times(const struct fuzz_case *fuzz, const struct quipu_summary *summary,
                         struct quipu_selection *out) {
    const uint64_t length = (uint64_t)summary->last - (uint64_t)summary->first;
    if (!summary->has_times || fuzz_choose(fuzz, 30, 4) == 0)
        return;
    out->from = (int64_t)((uint64_t)summary->first + fuzz_choose(fuzz, 31, length / 2 + 1));
    out->to = (int64_t)((uint64_t)out->from + fuzz_choose(fuzz, 32, length / 2 + 2));
}

static void choose_locations(const struct fuzz_case *fuzz, uint32_t count, struct choice *out) {
    if (fuzz_choose(fuzz, 33, 2) == 0)
        return;
    out->selection.locations = out->locations;
    for (uint32_t i = 0; i < count && out->selection.location_count < LOCATIONS; i++)
        if (fuzz_choose(fuzz, 40 + i, 2) == 0)
            out->locations[out->selection.location_count++] = i;
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    struct choice choice = {QUIPU_SELECTION_INIT, {0}};
    struct quipu_summary summary;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const struct fuzz_verdict verdict = fuzz_check(fuzz->path, fuzz->format);
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader)
        return;
    if (fuzz_worked("summarise", quipu_summarise(reader, NULL, &summary, &err), &err)) {
        const struct quipu_selection all = QUIPU_SELECTION_INIT;
        fuzz_worked("select", quipu_reader_select(reader, &all, &err), &err);
        choose_times(fuzz, &summary, &choice.selection);
        choose_locations(fuzz, quipu_reader_definitions(reader)->locations.count, &choice);
        if (fuzz_choose(fuzz, 34, 3) == 0)
            choice.selection.kinds = fuzz_choose(fuzz, 35, UINT64_MAX);
        latest = INT64_MIN;
        goes_back = false;
        const struct fuzz_digest filtered = fuzz_events(reader, fuzz->size, passes, &choice.selection);
        if (fuzz_worked("select", quipu_reader_select(reader, &choice.selection, &err), &err)) {
            const struct fuzz_digest selected = fuzz_events(reader, fuzz->size, NULL, NULL);
            const bool same_order =
                selected.by_location == filtered.by_location || !fuzz_is_sound(&verdict) || goes_back;
            if (selected.count != filtered.count || selected.unordered != filtered.unordered || !same_order)
                fuzz_fail("selecting gives %llu events, filtering %llu, or others",
                          (unsigned long long)selected.count, (unsigned long long)filtered.count);
        }
    }
    quipu_reader_close(reader);
}
