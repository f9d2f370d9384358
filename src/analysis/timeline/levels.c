/* levels.c: levels of detail: a trace's bins as an index holds them. All bins of a level make those of any number that divides it.
 *
 *     calls that are never left, locations that have such calls
 *     count of locations with events, then of each: its number, the times of its first and its last event
 *     of each of them, of each bin: bits for the uses and counts that are not 0, these, the count of regions with time there, and of each, in
 *     ascending order: region plus 1 as distance from the one before, time; then of the time outside of any: the count of pairs of calls that it
 *     lies between, and of each the two regions plus 1, time
 *
 * The finest level has the region with most time of each bin alone: it is for pictures, whose rows are locations, and all regions would take three times as much.
 */
#include "analysis/timeline/timeline.h"

#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/pack.h"

#include <string.h>

#define BINS(bins) bins,
static const uint32_t level_bins[] = {QUIPU__TIMELINE_LEVELS(BINS)};
#undef BINS
#define SECTION(bins) "timeline 2 " #bins,
static const char *const level_sections[] = {QUIPU__TIMELINE_LEVELS(SECTION)};
#undef SECTION
enum { LEVELS = sizeof level_bins / sizeof *level_bins };

/* A finer level than the coarsest has no more cells than these; the coarsest no more than those. */
enum { CELLS_OF_FINER = 1 << 17, CELLS_MOST = 1 << 19 };

static uint64_t count_locations(const struct quipu__timeline *timeline) {
    uint64_t count = 0;
    for (size_t i = 0; i < timeline->locations.count; i++)
        count += timeline->locations.items[i].has_events;
    return count;
}

uint32_t quipu__timeline_finest(const struct quipu__timeline *timeline) {
    const uint64_t count = count_locations(timeline);
    uint32_t finest = 0;
    for (size_t i = 0; i < LEVELS; i++)
        if (count > 0 && level_bins[i] <= timeline->length &&
            count * level_bins[i] <= (i == 0 ? CELLS_MOST : CELLS_OF_FINER))
            finest = level_bins[i];
    return finest;
}

static bool is_of_one_region(size_t level) {
    return level == LEVELS - 1;
}

static bool serves(const struct quipu__settings *settings, size_t level) {
    const struct quipu__fold_start start = {.settings = *settings};
    const uint64_t bins = quipu__number_setting(&start, "bins");
    if (is_of_one_region(level) &&
        (bins != level_bins[level] || strcmp(quipu__settings_value(settings, "by"), "location") != 0))
        return false;
    return !quipu__settings_say_yes(settings, "waits") && !quipu__settings_say_yes(settings, "counters") &&
           bins > 0 && level_bins[level] % bins == 0;
}

/* ---- Saving ---- */

/* Bits of a cell: uses without absence, which first and last events tell, then counts. */
enum { SAVED_USES = QUIPU__TIMELINE_ABSENT, BITS = SAVED_USES + QUIPU__TIMELINE_COUNTS };

/* In the order of regions, then of the calls around time outside: their numbers are as they were met. */
static uint64_t order_of(const struct quipu__timeline *timeline,
                         const struct quipu__timeline_location *location, uint32_t slot) {
    const uint32_t region = location->regions.items[slot];
    if (region < QUIPU__TIMELINE_AROUND)
        return region;
    const struct quipu__calls_around *calls = &timeline->arounds.list.items[region - QUIPU__TIMELINE_AROUND];
    return (uint64_t)(calls->before + 2) << 32 | (calls->after + 1);
}

/* There are few. */
static void sort_touched(const struct quipu__timeline *timeline, struct quipu__timeline_location *location) {
    uint32_t *slots = location->touched.items;
    for (size_t i = 1; i < location->touched.count; i++)
        for (size_t k = i;
             k > 0 && order_of(timeline, location, slots[k - 1]) > order_of(timeline, location, slots[k]);
             k--) {
            const uint32_t slot = slots[k];
            slots[k] = slots[k - 1];
            slots[k - 1] = slot;
        }
}

/* Moves the largest of some sorted slots, the first one of equals, to their beginning; returns how many are left. */
static size_t keep_largest(const struct quipu__timeline_location *location, uint32_t *slots, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const uint32_t slot = slots[i];
        if (location->times.items[slot] <= location->times.items[slots[0]])
            continue;
        slots[i] = slots[0];
        slots[0] = slot;
    }
    return count > 0;
}

static void save_arounds(const struct quipu__timeline *timeline,
                         const struct quipu__timeline_location *location, const uint32_t *slots, size_t count,
                         struct quipu__buffer *out) {
    quipu__pack_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = location->regions.items[slots[i]] - QUIPU__TIMELINE_AROUND;
        const struct quipu__calls_around calls = timeline->arounds.list.items[number];
        quipu__pack_u64(out, calls.before + 1);
        quipu__pack_u64(out, calls.after + 1);
        quipu__pack_u64(out, (uint64_t)location->times.items[slots[i]]);
    }
}

/* If one is enough, the calls around time outside are wanted only where that is the largest. */
static void save_regions(const struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                         bool has_one, struct quipu__buffer *out) {
    uint32_t before = 0, *slots = location->touched.items;
    size_t count = 0;
    sort_touched(timeline, location);
    while (count < location->touched.count && location->regions.items[slots[count]] < QUIPU__TIMELINE_AROUND)
        count++;
    size_t arounds = location->touched.count - count;
    uint32_t *around = arounds > 0 ? slots + count : NULL;
    if (has_one) {
        count = keep_largest(location, slots, count);
        const bool is_outside = count > 0 && location->regions.items[slots[0]] == 0;
        arounds = is_outside ? keep_largest(location, around, arounds) : 0;
    }
    quipu__pack_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t region = location->regions.items[slots[i]];
        quipu__pack_u64(out, region - before);
        quipu__pack_u64(out, (uint64_t)location->times.items[slots[i]]);
        before = region;
    }
    save_arounds(timeline, location, around, arounds, out);
    for (size_t i = 0; i < location->touched.count; i++)
        location->times.items[slots[i]] = 0;
    location->touched.count = 0;
}

static void save_values(const uint64_t *values, struct quipu__buffer *out) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < BITS; i++)
        bits |= (uint64_t)(values[i] != 0) << i;
    quipu__pack_u64(out, bits);
    for (unsigned i = 0; i < BITS; i++)
        if (values[i] != 0)
            quipu__pack_u64(out, values[i]);
}

/* Cells of a location as one. */
static void save_cells(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                       size_t first, size_t count, bool has_one_region, struct quipu__buffer *out) {
    uint64_t values[BITS] = {0};
    for (size_t i = first; i < first + count; i++) {
        const struct quipu__timeline_cell *cell = &timeline->cells[i];
        for (unsigned use = 0; use < SAVED_USES; use++)
            values[use] += (uint64_t)cell->time[use];
        for (unsigned k = 0; k < QUIPU__TIMELINE_COUNTS; k++)
            values[SAVED_USES + k] += cell->counts[k];
        for (uint32_t k = cell->first_share; k > 0; k = timeline->shares.items[k - 1].next) {
            const struct quipu__timeline_share *share = &timeline->shares.items[k - 1];
            quipu__timeline_add_region(timeline, location,
                                       quipu__timeline_slot(timeline, location, share->region), share->time);
        }
    }
    save_values(values, out);
    save_regions(timeline, location, has_one_region, out);
}

static void save_locations(const struct quipu__timeline *timeline, struct quipu__buffer *out) {
    quipu__pack_u64(out, timeline->unfinished.calls);
    quipu__pack_u64(out, timeline->unfinished.locations);
    quipu__pack_u64(out, count_locations(timeline));
    for (size_t i = 0; i < timeline->locations.count; i++) {
        const struct quipu__timeline_location *location = &timeline->locations.items[i];
        if (!location->has_events)
            continue;
        quipu__pack_u64(out, i);
        quipu__pack_i64(out, location->first);
        quipu__pack_i64(out, location->last);
    }
}

static enum quipu_status save(void *state, size_t level, struct quipu__buffer *out, struct quipu_error *err) {
    struct quipu__timeline *timeline = state;
    const uint32_t bins = level_bins[level];
    if (!timeline->cells || bins > timeline->bins || timeline->bins % bins != 0)
        return QUIPU_OK;
    const size_t factor = timeline->bins / bins;
    save_locations(timeline, out);
    for (size_t i = 0; i < timeline->locations.count; i++) {
        struct quipu__timeline_location *location = &timeline->locations.items[i];
        const size_t first = location->has_events ? (size_t)location->row * timeline->bins : 0;
        for (uint32_t bin = 0; location->has_events && bin < bins; bin++)
            save_cells(timeline, location, first + bin * factor, factor, is_of_one_region(level), out);
    }
    return out->failed ? quipu__no_memory(err, out->len) : quipu__memory_status(&timeline->memory, err);
}

/* ---- Loading ---- */

/* False when memory is out; from says whether the bytes are right. */
static bool load_locations(struct quipu__timeline *timeline, struct quipu__slice *from) {
    const uint32_t most = timeline->definitions->locations.count;
    timeline->unfinished.calls = quipu__unpack_u64(from);
    timeline->unfinished.locations = quipu__unpack_up_to(from, most);
    if (!QUIPU__VEC_RESERVE(&timeline->memory, &timeline->locations, most))
        return false;
    for (uint64_t left = quipu__unpack_up_to(from, most); left > 0 && !from->failed; left--) {
        const uint64_t number = quipu__unpack_u64(from);
        from->failed |= number < timeline->locations.count || number >= most;
        while (!from->failed && timeline->locations.count <= number)
            timeline->locations.items[timeline->locations.count++] = (struct quipu__timeline_location){0};
        if (from->failed)
            return true;
        struct quipu__timeline_location *location = &timeline->locations.items[number];
        location->has_events = true;
        location->first = quipu__unpack_i64(from);
        location->last = quipu__unpack_i64(from);
        from->failed |= location->last < location->first;
    }
    return true;
}

/* No time is longer than its bin. */
static void load_values(struct quipu__timeline_location *location, struct quipu__timeline_cell *cell,
                        uint64_t longest, struct quipu__slice *from) {
    const uint64_t bits = quipu__unpack_up_to(from, (UINT64_C(1) << BITS) - 1);
    for (unsigned i = 0; i < SAVED_USES; i++)
        if (bits >> i & 1)
            location->uses[i] =
                quipu__bounded_sum(location->uses[i], (int64_t)quipu__unpack_up_to(from, longest));
    for (unsigned i = 0; i < QUIPU__TIMELINE_COUNTS; i++)
        if (bits >> (SAVED_USES + i) & 1)
            cell->counts[i] += quipu__unpack_u64(from);
}

static void load_regions(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                         uint64_t longest, struct quipu__slice *from) {
    const uint64_t most = timeline->definitions->regions.count;
    uint64_t region = 0;
    for (uint64_t left = quipu__unpack_up_to(from, most + 1), i = 0; left > 0 && !from->failed; left--, i++) {
        const uint64_t distance = quipu__unpack_up_to(from, most - region);
        const uint64_t time = quipu__unpack_up_to(from, longest);
        from->failed |= i > 0 && distance == 0;
        region += distance;
        if (!from->failed && time > 0)
            quipu__timeline_add_region(
                timeline, location, quipu__timeline_slot(timeline, location, (uint32_t)region), (int64_t)time);
    }
}

static void load_arounds(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                         uint64_t longest, struct quipu__slice *from) {
    const uint64_t most = timeline->definitions->regions.count;
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && !from->failed; left--) {
        const uint32_t before = (uint32_t)quipu__unpack_up_to(from, most),
                       after = (uint32_t)quipu__unpack_up_to(from, most);
        const uint64_t time = quipu__unpack_up_to(from, longest);
        const uint32_t number =
            from->failed
                ? QUIPU_NONE
                : quipu__calls_number(&timeline->arounds, (struct quipu__calls_around){before - 1, after - 1});
        if (number != QUIPU_NONE && time > 0)
            quipu__timeline_add_region(timeline, location,
                                       quipu__timeline_around_slot(timeline, location, number), (int64_t)time);
    }
}

static void load_bins(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                      uint32_t bins, struct quipu__slice *from) {
    const uint32_t factor = bins / timeline->bins;
    for (uint32_t bin = 0; bin < bins && !from->failed; bin++) {
        const int64_t begin = quipu__bin_start(timeline->from, timeline->length, bins, bin),
                      end = quipu__bin_start(timeline->from, timeline->length, bins, (uint64_t)bin + 1);
        const uint64_t length = (uint64_t)end - (uint64_t)begin,
                       longest = length < INT64_MAX ? length : INT64_MAX;
        location->spent.bin = bin / factor;
        load_values(location, &timeline->cells[(size_t)location->row * timeline->bins + location->spent.bin],
                    longest, from);
        load_regions(timeline, location, longest, from);
        load_arounds(timeline, location, longest, from);
        if (bin % factor == factor - 1)
            quipu__timeline_end_bin(timeline, location);
    }
    location->is_over = true;
}

static enum quipu_status load_all(struct quipu__timeline *timeline, uint32_t bins, struct quipu__slice *from,
                                  struct quipu_error *err) {
    const uint32_t wanted = timeline->bins;
    if (!load_locations(timeline, from))
        return quipu__no_memory(err, timeline->memory.used);
    from->failed |= timeline->locations.count == 0;
    if (!from->failed && !quipu__timeline_begin_bins(timeline))
        return quipu__no_memory(err, timeline->memory.used);
    from->failed |= timeline->length < bins || timeline->bins != wanted;
    for (size_t i = 0; i < timeline->locations.count && !from->failed; i++)
        if (timeline->locations.items[i].has_events)
            load_bins(timeline, &timeline->locations.items[i], bins, from);
    return QUIPU_OK;
}

static enum quipu_status load(const struct quipu__fold_start *start, size_t level, struct quipu__slice bytes,
                              void **state, struct quipu_error *err) {
    enum quipu_status status = quipu__timeline_fold.begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__timeline *timeline = *state;
    status = load_all(timeline, level_bins[level], &bytes, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&timeline->memory, err);
    if (status == QUIPU_OK && (bytes.failed || bytes.at != bytes.end))
        status = quipu__fail(err, QUIPU_CORRUPT, "a level of detail of the timeline cannot be right");
    return status;
}

const struct quipu__fold_levels quipu__timeline_levels = {
    .sections = level_sections, .count = LEVELS, .serves = serves, .save = save, .load = load};
