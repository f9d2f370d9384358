/* timeline.c: see timeline.h. What goes on in each of a number of equal bins of time, at each location, process or host: what the time is spent on, the
 * region with most of it, and what is counted. A first reading finds from when to when the trace goes, a second one fills the bins. Waits are found
 * in the first one and held until their bins are known. */
#include "analysis/timeline/timeline.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/path_uses.h"
#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"
#include "state/tracker.h"

#include <string.h>

/* ---- The table ---- */

/* clang-format off */
#define TIMELINE_TABLES(TABLE, COLUMN, END) \
    TABLE(TIMELINE, "timeline", "a row per bin of time of each location, process or host, or of all together") \
    QUIPU__NAMED(COLUMN, TIMELINE, location, "name of the location or process; of the host, without a number; null: all together") \
    COLUMN(TIMELINE, bin, U64, "", "number of the bin, from 0") \
    COLUMN(TIMELINE, from_ns, TIME, "ns", "where it begins, from the trace's origin") \
    COLUMN(TIMELINE, to_ns, TIME, "ns", "where it ends") \
    COLUMN(TIMELINE, useful_ns, I64, "ns", "time of computing: outside of communication, I/O, runtime system, synchronisation and idleness") \
    COLUMN(TIMELINE, mpi_p2p_ns, I64, "ns", "time in point-to-point communication") \
    COLUMN(TIMELINE, mpi_collective_ns, I64, "ns", "time in collective operations") \
    COLUMN(TIMELINE, mpi_rma_ns, I64, "ns", "time in one-sided communication") \
    COLUMN(TIMELINE, mpi_other_ns, I64, "ns", "time in other calls of MPI") \
    COLUMN(TIMELINE, mpi_io_ns, I64, "ns", "time in parallel I/O") \
    COLUMN(TIMELINE, io_ns, I64, "ns", "time in I/O outside of MPI") \
    COLUMN(TIMELINE, sync_ns, I64, "ns", "time in synchronisation") \
    COLUMN(TIMELINE, runtime_ns, I64, "ns", "time in a runtime system or in tracing itself") \
    COLUMN(TIMELINE, idle_ns, I64, "ns", "time of doing nothing") \
    COLUMN(TIMELINE, absent_ns, I64, "ns", "time before a location's first and after its last event") \
    QUIPU__NAMED(COLUMN, TIMELINE, region, "the innermost region with most time in the bin; null: outside of any") \
    COLUMN(TIMELINE, region_ns, I64, "ns", "its time") \
    COLUMN(TIMELINE, between, TEXT, "", "of time outside of any region: the calls around most of it") \
    COLUMN(TIMELINE, calls, U64, "", "calls that begin in the bin") \
    COLUMN(TIMELINE, messages_sent, U64, "", "messages sent") \
    COLUMN(TIMELINE, messages_received, U64, "", "messages received") \
    COLUMN(TIMELINE, collectives, U64, "", "collective operations that begin") \
    COLUMN(TIMELINE, bytes_sent, U64, "bytes", "bytes sent in messages and collective operations") \
    COLUMN(TIMELINE, bytes_received, U64, "bytes", "bytes received in them") \
    COLUMN(TIMELINE, bytes_read, U64, "bytes", "bytes that transfers which end in the bin have read from files") \
    COLUMN(TIMELINE, bytes_written, U64, "bytes", "bytes that they have written") \
    END(TIMELINE) \
    TABLE(WAITS, "timeline_waits", "with --waits: a row per pattern of waiting in a bin, as quipu waits tells them apart") \
    QUIPU__NAMED(COLUMN, WAITS, location, "as in the other table") \
    COLUMN(WAITS, bin, U64, "", "number of the bin") \
    COLUMN(WAITS, from_ns, TIME, "ns", "where it begins") \
    COLUMN(WAITS, to_ns, TIME, "ns", "where it ends") \
    COLUMN(WAITS, pattern, TEXT, "", "why it waits") \
    COLUMN(WAITS, time_ns, I64, "ns", "how long, of what lies in the bin") \
    COLUMN(WAITS, share_percent, F64, "%", "the same, of the bin's time at all its locations") \
    END(WAITS) \
    TABLE(COUNTERS, "timeline_counters", "with --counters: a row per counter that counts anything in a bin") \
    QUIPU__NAMED(COLUMN, COUNTERS, location, "as in the first table") \
    COLUMN(COUNTERS, bin, U64, "", "number of the bin") \
    COLUMN(COUNTERS, from_ns, TIME, "ns", "where it begins") \
    COLUMN(COUNTERS, to_ns, TIME, "ns", "where it ends") \
    COLUMN(COUNTERS, counter, TEXT, "", "name of the metric") \
    COLUMN(COUNTERS, total, DECIMAL, "", "what it counts in the bin, all locations together") \
    COLUMN(COUNTERS, unit, TEXT, "", "of that") \
    COLUMN(COUNTERS, per_second, F64, "", "the same, per second of the bin") \
    END(COUNTERS)
/* clang-format on */
QUIPU__TABLES(TIMELINE_TABLES)
static const struct quipu_analysis_table timeline_tables[] = {QUIPU__SHAPES(TIMELINE_TABLES)};

/* What time is spent on: columns of the table. */
enum { USES = QUIPU__TIMELINE_USES, ABSENT = TIMELINE_absent_ns - TIMELINE_useful_ns };

/* ---- What is known ---- */

/* An active call, or, outermost, the time outside of any. */
struct quipu__timeline_call {
    uint32_t region, slot; /* the region, plus 1, and its number at the location */
    uint8_t use;
    bool communicates;
};

/* What calls of a region are for. */
struct quipu__timeline_region {
    uint8_t use, column; /* enum quipu__region_use; of the use, from 0 */
};

/* A wait whose bins are not known yet. */
struct quipu__timeline_wait {
    int64_t from, to;
    uint32_t location;
    enum quipu__wait_pattern pattern;
};

/* How long a row waits in a bin, by pattern. */
struct quipu__timeline_waited {
    int64_t time[QUIPU__WAIT_PATTERNS];
};

_Static_assert((int)ABSENT == (int)QUIPU__TIMELINE_ABSENT &&
                   (int)TIMELINE_COLUMNS - (int)TIMELINE_calls == (int)QUIPU__TIMELINE_COUNTS,
               "cells have the columns of the table");

static size_t cell_count(const struct quipu__timeline *timeline) {
    return timeline->rows.count * timeline->bins;
}

static size_t cells_size(const struct quipu__timeline *timeline) {
    return cell_count(timeline) * sizeof *timeline->cells;
}

/* Where a bin begins. */
static int64_t bin_start(const struct quipu__timeline *timeline, uint64_t bin) {
    return quipu__bin_start(timeline->from, timeline->length, timeline->bins, bin);
}

/* The last bin has no end. */
static struct quipu__timeline_cursor cursor_at(const struct quipu__timeline *timeline, uint32_t bin) {
    return (struct quipu__timeline_cursor){
        bin, bin + 1 < timeline->bins ? bin_start(timeline, (uint64_t)bin + 1) : INT64_MAX};
}

/* Goes on to the bin of a time. */
static inline void move_to(const struct quipu__timeline *timeline, struct quipu__timeline_cursor *cursor,
                           int64_t time) {
    while (QUIPU__UNLIKELY(time >= cursor->end) && cursor->bin + 1 < timeline->bins)
        *cursor = cursor_at(timeline, cursor->bin + 1);
}

static inline struct quipu__timeline_cell *cell_of(const struct quipu__timeline *timeline,
                                                   const struct quipu__timeline_location *location,
                                                   uint32_t bin) {
    return &timeline->cells[(size_t)location->row * timeline->bins + bin];
}

/* ---- What time is spent on ---- */

static uint8_t column_of(enum quipu_region_role role) {
    static const uint8_t columns[QUIPU_REGION_ROLE_COUNT] = {[QUIPU_REGION_MPI_P2P] = TIMELINE_mpi_p2p_ns,
                                                             [QUIPU_REGION_MPI_COLLECTIVE] =
                                                                 TIMELINE_mpi_collective_ns,
                                                             [QUIPU_REGION_MPI_RMA] = TIMELINE_mpi_rma_ns,
                                                             [QUIPU_REGION_MPI_IO] = TIMELINE_mpi_io_ns,
                                                             [QUIPU_REGION_MPI_OTHER] = TIMELINE_mpi_other_ns,
                                                             [QUIPU_REGION_IO] = TIMELINE_io_ns,
                                                             [QUIPU_REGION_SYNC] = TIMELINE_sync_ns,
                                                             [QUIPU_REGION_RUNTIME] = TIMELINE_runtime_ns,
                                                             [QUIPU_REGION_IDLE] = TIMELINE_idle_ns};
    return columns[role] ? columns[role] : TIMELINE_useful_ns;
}

static bool find_regions(struct quipu__timeline *timeline) {
    const struct quipu_definitions *definitions = timeline->definitions;
    const uint32_t count = definitions->regions.count;
    if (!QUIPU__VEC_RESERVE(&timeline->memory, &timeline->regions, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        timeline->regions.items[i] = (struct quipu__timeline_region){
            (uint8_t)quipu__region_use_of(definitions, i),
            (uint8_t)(column_of((enum quipu_region_role)definitions->regions.items[i].role) -
                      TIMELINE_useful_ns)};
    timeline->regions.count = count;
    return true;
}

/* ---- The region with most time ---- */

/* Adds time of a region in a cell: that several locations share; or, where regions are kept, of one, and then for the first time. */
static void add_share(struct quipu__timeline *timeline, uint32_t cell, uint32_t region, int64_t time) {
    const uint64_t key = (uint64_t)cell << 32 | region;
    const uint32_t known = timeline->fills_index ? QUIPU_NONE : quipu__map_get(&timeline->share_of, key);
    if (known != QUIPU_NONE) {
        timeline->shares.items[known].time = quipu__bounded_sum(timeline->shares.items[known].time, time);
        return;
    }
    struct quipu__timeline_share *share = QUIPU__VEC_ADD(&timeline->memory, &timeline->shares);
    const uint32_t number = (uint32_t)timeline->shares.count;
    if (!share || (!timeline->fills_index && !quipu__map_put(&timeline->share_of, key, number - 1)))
        return;
    *share = (struct quipu__timeline_share){.cell = cell, .region = region, .time = time};
}

/* The bin of a location is over. */
void quipu__timeline_end_bin(struct quipu__timeline *timeline, struct quipu__timeline_location *location) {
    struct quipu__timeline_cell *cell = cell_of(timeline, location, location->spent.bin);
    const bool is_alone = quipu__timeline_is_by(timeline, "location") && !timeline->fills_index;
    if (location->outside > 0)
        quipu__timeline_add_region(timeline, location, quipu__timeline_slot(timeline, location, 0),
                                   location->outside);
    location->outside = 0;
    for (unsigned use = 0; use < USES; use++) {
        cell->time[use] = quipu__bounded_sum(cell->time[use], location->uses[use]);
        location->uses[use] = 0;
    }
    for (size_t i = 0; i < location->touched.count; i++) {
        const uint32_t slot = location->touched.items[i];
        if (is_alone)
            quipu__timeline_offer(timeline, cell, location->regions.items[slot], location->times.items[slot]);
        else
            add_share(timeline, (uint32_t)(cell - timeline->cells), location->regions.items[slot],
                      location->times.items[slot]);
        location->times.items[slot] = 0;
    }
    location->touched.count = 0;
}

/* ---- Calls ---- */

static inline void enter(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                         uint32_t region, int64_t time) {
    if (QUIPU__UNLIKELY(location->calls.count == location->calls.capacity) &&
        !QUIPU__VEC_RESERVE(&timeline->memory, &location->calls, location->calls.count))
        return;
    location->has_entered |= location->calls.count == 1;
    location->entered = location->calls.count == 1 ? time : location->entered;
    struct quipu__timeline_call *call = &location->calls.items[location->calls.count++];
    const struct quipu__timeline_call outer = call[-1];
    *call = (struct quipu__timeline_call){region + 1, quipu__timeline_slot(timeline, location, region + 1),
                                          outer.use, outer.communicates};
    if (region >= timeline->regions.count)
        return;
    const struct quipu__timeline_region known = timeline->regions.items[region];
    if (quipu__use_is_of_outer_call((enum quipu__region_use)known.use, outer.communicates))
        return;
    call->use = known.column;
    call->communicates = known.use >= QUIPU__REGION_COMMUNICATES;
}

/* Calls inside end with it; one that is not active, or too far out, is not left. */
static void leave_outer(struct quipu__timeline_location *location, uint32_t region) {
    const size_t depth = location->calls.count - 1;
    const size_t least = depth > QUIPU__LOOK_OUT_MOST ? depth - QUIPU__LOOK_OUT_MOST : 0;
    size_t call = depth;
    while (call > least && region != QUIPU_NONE && location->calls.items[call].region != region + 1)
        call--;
    if (call > least)
        location->calls.count = call;
}

static inline void leave(struct quipu__timeline_location *location, uint32_t region) {
    if (QUIPU__UNLIKELY(location->calls.count == 1))
        return;
    if (QUIPU__LIKELY(location->calls.items[location->calls.count - 1].region == region + 1))
        location->calls.count--;
    else
        leave_outer(location, region);
    if (location->calls.count > 1)
        return;
    location->before = location->has_entered ? location->before : location->calls.items[1].region;
    location->has_entered = false;
}

/* ---- Spans of time ---- */

static inline void add_time(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                            const struct quipu__timeline_call *call, int64_t amount) {
    location->uses[call->use] = quipu__bounded_sum(location->uses[call->use], amount);
    quipu__timeline_add_region(timeline, location, call->slot, amount);
}

/* Time in a call, or outside, that may pass the end of the bin. A call may have no region either. */
static void add_span(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                     const struct quipu__timeline_call *call, bool is_outside, int64_t from, int64_t to) {
    to = to < timeline->to ? to : timeline->to;
    while (from < to) {
        if (QUIPU__UNLIKELY(from >= location->spent.end)) {
            quipu__timeline_end_bin(timeline, location);
            move_to(timeline, &location->spent, from);
        }
        const int64_t until = to < location->spent.end ? to : location->spent.end;
        add_time(timeline, location, call, quipu__bounded_difference(until, from));
        if (is_outside)
            location->outside = quipu__bounded_sum(location->outside, quipu__bounded_difference(until, from));
        from = until;
    }
    location->limit = location->spent.end < timeline->to ? location->spent.end : timeline->to;
}

/* A location has been in its innermost call up to a time. */
static inline void spend(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                         int64_t time) {
    const struct quipu__timeline_call *call = &location->calls.items[location->calls.count - 1];
    const int64_t from = location->until;
    location->until = time > from ? time : from;
    if (QUIPU__LIKELY(time > from && time <= location->limit))
        add_time(timeline, location, call, quipu__bounded_difference(time, from));
    else if (time > from)
        add_span(timeline, location, call, false, from, time);
}

/* A location has been outside of any call up to a time: between the call before and one with that region, plus 1; 0: none. */
static inline void spend_outside(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                                 int64_t time, uint32_t after) {
    const int64_t from = location->until;
    if (time <= from)
        return;
    const struct quipu__timeline_call outside = {
        .slot = quipu__timeline_outside_slot(timeline, location, location->before, after)};
    location->until = time;
    if (QUIPU__LIKELY(time <= location->limit)) {
        add_time(timeline, location, &outside, quipu__bounded_difference(time, from));
        location->outside = quipu__bounded_sum(location->outside, quipu__bounded_difference(time, from));
    } else {
        add_span(timeline, location, &outside, true, from, time);
    }
}

/* Time goes on to where a call begins or ends. What is outside waits until the call behind it has taken some time: those that take none are not seen. */
static inline void move_on(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                           int64_t time) {
    if (location->has_entered) {
        if (time <= location->entered)
            return;
        location->has_entered = false;
        spend_outside(timeline, location, location->entered, location->calls.items[1].region);
    }
    if (location->calls.count > 1)
        spend(timeline, location, time);
}

/* The time after the last call that was entered or left: a call that is never left lasts to the location's last event. */
static void end_location(struct quipu__timeline *timeline, struct quipu__timeline_location *location) {
    if (location->calls.count == 0)
        return;
    move_on(timeline, location, location->last);
    if (location->calls.count == 1 || location->has_entered)
        spend_outside(timeline, location, location->last, 0);
    quipu__timeline_end_bin(timeline, location);
    timeline->unfinished.calls += location->calls.count - 1;
    timeline->unfinished.locations += location->calls.count > 1;
    location->calls.count = 0;
    location->is_over = true;
}

/* The time of a location before its first and after its last event. */
static void add_absence(struct quipu__timeline *timeline, struct quipu__timeline_location *location,
                        int64_t from, int64_t to) {
    struct quipu__timeline_cursor cursor = cursor_at(timeline, 0);
    from = from > timeline->from ? from : timeline->from;
    to = to < timeline->to ? to : timeline->to;
    while (from < to) {
        move_to(timeline, &cursor, from);
        const int64_t until = to < cursor.end ? to : cursor.end;
        struct quipu__timeline_cell *cell = cell_of(timeline, location, cursor.bin);
        cell->time[ABSENT] = quipu__bounded_sum(cell->time[ABSENT], quipu__bounded_difference(until, from));
        from = until;
    }
}

/* ---- What is counted ---- */

static inline void count(struct quipu__timeline_cell *cell, unsigned column, uint64_t amount) {
    if (amount != QUIPU_UNKNOWN)
        cell->counts[column - TIMELINE_calls] += amount;
}

static void count_transfer(struct quipu__timeline_cell *cell, const struct quipu_batch *batch, uint32_t event) {
    if (batch->operation[event] == QUIPU_IO_READ)
        count(cell, TIMELINE_bytes_read, batch->bytes[event]);
    else if (batch->operation[event] == QUIPU_IO_WRITE)
        count(cell, TIMELINE_bytes_written, batch->bytes[event]);
}

static void count_event(struct quipu__timeline_cell *cell, const struct quipu_batch *batch, uint32_t event) {
    switch ((enum quipu_kind)batch->kind[event]) {
    case QUIPU_KIND_enter:
        count(cell, TIMELINE_calls, 1);
        break;
    case QUIPU_KIND_send:
        count(cell, TIMELINE_messages_sent, 1);
        count(cell, TIMELINE_bytes_sent, batch->bytes[event]);
        break;
    case QUIPU_KIND_recv:
        count(cell, TIMELINE_messages_received, 1);
        count(cell, TIMELINE_bytes_received, batch->bytes[event]);
        break;
    case QUIPU_KIND_collective_begin:
        count(cell, TIMELINE_collectives, 1);
        count(cell, TIMELINE_bytes_sent, batch->bytes[event]);
        count(cell, TIMELINE_bytes_received, batch->value[event]);
        break;
    case QUIPU_KIND_io_end:
        count_transfer(cell, batch, event);
        break;
    default:
        break;
    }
}

/* The location of an event in the second reading; NULL when it has none. */
static struct quipu__timeline_location *location_of(struct quipu__timeline *timeline, uint32_t number) {
    struct quipu__timeline_location *location =
        number < timeline->locations.count ? &timeline->locations.items[number] : NULL;
    if (!location || !location->has_events)
        return NULL;
    if (QUIPU__LIKELY(location->calls.count > 0))
        return location;
    struct quipu__timeline_call *outside = QUIPU__VEC_ADD(&timeline->memory, &location->calls);
    if (!outside)
        return NULL;
    *outside = (struct quipu__timeline_call){0};
    location->cell = cell_of(timeline, location, location->counted.bin);
    location->until = location->first > timeline->from ? location->first : timeline->from;
    location->limit = location->until; /* the first time finds the bin */
    return location;
}

static void fill_bins(struct quipu__timeline *timeline, const struct quipu_batch *batch) {
    struct quipu__timeline_location *location = NULL;
    uint32_t number = QUIPU_NONE;
    for (uint32_t i = 0; i < batch->count; i++) {
        const int64_t time = quipu__communication_ns(&timeline->states.communication, batch->time[i]);
        if (QUIPU__UNLIKELY(batch->location[i] != number || i == 0)) {
            number = batch->location[i];
            location = location_of(timeline, number);
        }
        if (QUIPU__UNLIKELY(!location))
            continue;
        if (batch->kind[i] == QUIPU_KIND_leave || batch->kind[i] == QUIPU_KIND_enter)
            move_on(timeline, location, time);
        if (batch->kind[i] == QUIPU_KIND_leave) {
            leave(location, batch->object[i]);
            continue;
        }
        if (batch->kind[i] == QUIPU_KIND_enter)
            enter(timeline, location, batch->object[i], time);
        if (!quipu__window_has(&timeline->window, time))
            continue;
        if (QUIPU__UNLIKELY(time >= location->counted.end)) {
            move_to(timeline, &location->counted, time);
            location->cell = cell_of(timeline, location, location->counted.bin);
        }
        count_event(location->cell, batch, i);
    }
}

/* ---- Waits ---- */

/* Of the first reading. What lies in no bin is not held. */
static void hold_wait(void *context, const struct quipu__wait *wait) {
    struct quipu__timeline *timeline = context;
    const int64_t from = wait->from > timeline->window.from ? wait->from : timeline->window.from,
                  to = wait->to < timeline->window.to ? wait->to : timeline->window.to;
    struct quipu__timeline_wait *held = from < to ? QUIPU__VEC_ADD(&timeline->memory, &timeline->waits) : NULL;
    if (held)
        *held = (struct quipu__timeline_wait){from, to, wait->location, wait->pattern};
}

/* The bin that a time of theirs lies in. */
static uint64_t bin_at(const struct quipu__timeline *timeline, int64_t time) {
    uint64_t rest;
    uint64_t bin =
        quipu__scale_down((uint64_t)time - (uint64_t)timeline->from, timeline->bins, timeline->length, &rest);
    while (bin + 1 < timeline->bins && time >= bin_start(timeline, bin + 1))
        bin++;
    return bin;
}

/* Distributes waits over bins. False when memory is out. */
static bool fill_waits(struct quipu__timeline *timeline) {
    const size_t size = cell_count(timeline) * sizeof *timeline->waited;
    timeline->waited = size > 0 ? quipu__alloc_zero(&timeline->memory, size) : NULL;
    for (size_t i = 0; i < timeline->waits.count && timeline->waited; i++) {
        const struct quipu__timeline_wait *wait = &timeline->waits.items[i];
        struct quipu__timeline_waited *row =
            &timeline->waited[(size_t)timeline->locations.items[wait->location].row * timeline->bins];
        int64_t from = wait->from;
        for (uint64_t bin = bin_at(timeline, from); from < wait->to && bin < timeline->bins; bin++) {
            const int64_t end = bin_start(timeline, bin + 1), until = end < wait->to ? end : wait->to;
            int64_t *time = &row[bin].time[wait->pattern];
            *time = quipu__bounded_sum(*time, quipu__bounded_difference(until, from));
            from = until;
        }
    }
    QUIPU__VEC_RELEASE(&timeline->memory, &timeline->waits);
    return timeline->waited || size == 0;
}

/* ---- Counters ---- */

static size_t counted_count(const struct quipu__timeline *timeline) {
    return cell_count(timeline) * timeline->definitions->metrics.count;
}

/* Of the first reading. */
static void hold_increases(struct quipu__timeline *timeline, const struct quipu_batch *batch) {
    struct quipu__counter_increase increase;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] != QUIPU_KIND_metric)
            continue;
        const int64_t time = quipu__communication_ns(&timeline->states.communication, batch->time[i]);
        if (!quipu__counter_increases_add(&timeline->increases, batch, i, time, &increase))
            continue;
        struct quipu__counter_increase *held = QUIPU__VEC_ADD(&timeline->memory, &timeline->held);
        if (held)
            *held = increase;
    }
}

/* Distributes an increase over the bins of its row. One that takes no time is of the bin where it comes. */
static void fill_increase(struct quipu__timeline *timeline, const struct quipu__counter_increase *increase,
                          struct quipu__counter_amount *row) {
    const uint32_t metrics = timeline->definitions->metrics.count;
    const bool is_at_once = increase->from == increase->to;
    int64_t from = increase->from > timeline->from ? increase->from : timeline->from;
    const int64_t to = increase->to < timeline->to ? increase->to : timeline->to;
    if (from > to || timeline->length == 0 || (is_at_once && !quipu__window_has(&timeline->window, from)))
        return;
    const uint64_t first = bin_at(timeline, from);
    for (uint64_t bin = first < timeline->bins ? first : timeline->bins - 1;
         bin < timeline->bins && (from < to || is_at_once); bin++) {
        const int64_t end = bin_start(timeline, bin + 1), until = end < to ? end : to;
        quipu__counter_amount_add(&row[bin * metrics + increase->metric], increase, from, until);
        if (is_at_once)
            return;
        from = until;
    }
}

/* False when memory is out. */
static bool fill_counters(struct quipu__timeline *timeline) {
    const size_t size = counted_count(timeline) * sizeof *timeline->counted;
    timeline->counted = size > 0 ? quipu__alloc_zero(&timeline->memory, size) : NULL;
    for (size_t i = 0; i < timeline->held.count && timeline->counted; i++) {
        const struct quipu__counter_increase *increase = &timeline->held.items[i];
        const size_t row = timeline->locations.items[increase->location].row;
        fill_increase(timeline, increase,
                      timeline->counted + row * timeline->bins * timeline->definitions->metrics.count);
    }
    QUIPU__VEC_RELEASE(&timeline->memory, &timeline->held);
    return timeline->counted || size == 0;
}

/* ---- From the first reading to the second ---- */

/* Finds the first and the last event of each location. False when memory is out. */
static bool find_locations(struct quipu__timeline *timeline) {
    const struct quipu__communication *communication = &timeline->states.communication;
    const size_t count = communication->stacks.count;
    if (!QUIPU__VEC_RESERVE(&timeline->memory, &timeline->locations, count))
        return false;
    timeline->locations.count = count;
    for (size_t i = 0; i < count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        timeline->locations.items[i] = (struct quipu__timeline_location){
            .has_events = stack->has_events, .first = stack->first, .last = stack->last};
    }
    return true;
}

/* From when to when the bins go. */
static void find_range(struct quipu__timeline *timeline) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < timeline->locations.count; i++) {
        const struct quipu__timeline_location *location = &timeline->locations.items[i];
        if (!location->has_events)
            continue;
        first = location->first < first ? location->first : first;
        last = location->last > last ? location->last : last;
    }
    if (timeline->window.from != INT64_MIN)
        first = timeline->window.from;
    if (timeline->window.to != INT64_MAX)
        last = timeline->window.to;
    timeline->from = first;
    timeline->to = last > first ? last : first;
    timeline->length = (uint64_t)timeline->to - (uint64_t)first;
    if (timeline->length < timeline->bins)
        timeline->bins = timeline->length > 0 ? (uint32_t)timeline->length : 1;
}

/* Gets everything ready that a thread needs for the second reading. False when memory is out. */
static bool begin_second(struct quipu__timeline *timeline, struct quipu__timeline_cell *cells) {
    const struct quipu__timeline_cursor start = cursor_at(timeline, 0);
    timeline->is_second = true;
    for (size_t i = 0; i < timeline->locations.count; i++)
        timeline->locations.items[i].spent = timeline->locations.items[i].counted = start;
    timeline->cells = cells;
    timeline->owns_cells = !cells && cells_size(timeline) > 0;
    if (timeline->owns_cells)
        timeline->cells = quipu__alloc_zero(&timeline->memory, cells_size(timeline));
    const bool has_memory =
        find_regions(timeline) &&
        quipu__region_slots_init(&timeline->slots, &timeline->memory, timeline->definitions->regions.count + 1,
                                 (uint32_t)timeline->locations.count);
    return has_memory && (timeline->cells || cells_size(timeline) == 0);
}

bool quipu__timeline_begin_bins(struct quipu__timeline *timeline) {
    find_range(timeline);
    if (timeline->fills_index)
        timeline->bins = quipu__timeline_finest(timeline);
    if (timeline->bins == 0 || !quipu__timeline_number_rows(timeline) || !begin_second(timeline, NULL))
        return false;
    for (size_t i = 0; i < timeline->locations.count; i++) {
        struct quipu__timeline_location *location = &timeline->locations.items[i];
        if (!location->has_events)
            continue;
        add_absence(timeline, location, timeline->from, location->first);
        add_absence(timeline, location, location->last, INT64_MAX);
    }
    return true;
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct quipu__timeline *timeline = state;
    if (timeline->is_second)
        return false;
    timeline->is_second = true;
    selection->order = QUIPU_ORDER_STREAM;
    selection->kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
                       QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |
                       QUIPU_KIND_BIT(QUIPU_KIND_collective_begin) | QUIPU_KIND_BIT(QUIPU_KIND_io_end);
    if (timeline->has_waits)
        quipu__wait_states_finish(&timeline->states);
    return find_locations(timeline) && quipu__timeline_begin_bins(timeline) &&
           (!timeline->has_waits || fill_waits(timeline)) &&
           (!timeline->has_counters || fill_counters(timeline)); /* the tables ask for memory */
}

/* ---- The fold ---- */

static void release(void *state) {
    struct quipu__timeline *timeline = state;
    struct quipu__memory *memory = &timeline->memory;
    for (size_t i = 0; i < timeline->locations.count; i++) {
        QUIPU__VEC_RELEASE(memory, &timeline->locations.items[i].calls);
        QUIPU__VEC_RELEASE(memory, &timeline->locations.items[i].times);
        QUIPU__VEC_RELEASE(memory, &timeline->locations.items[i].touched);
        QUIPU__VEC_RELEASE(memory, &timeline->locations.items[i].regions);
        QUIPU__VEC_RELEASE(memory, &timeline->locations.items[i].arounds);
    }
    if (timeline->owns_cells)
        quipu__release(memory, timeline->cells, cells_size(timeline));
    if (timeline->waited)
        quipu__release(memory, timeline->waited, cell_count(timeline) * sizeof *timeline->waited);
    if (timeline->counted)
        quipu__release(memory, timeline->counted, counted_count(timeline) * sizeof *timeline->counted);
    quipu__counter_increases_release(&timeline->increases);
    QUIPU__VEC_RELEASE(memory, &timeline->held);
    QUIPU__VEC_RELEASE(memory, &timeline->waits);
    quipu__unneeded_calls_release(&timeline->computing);
    quipu__wait_states_release(&timeline->states);
    quipu__region_slots_release(&timeline->slots);
    quipu__map_release(&timeline->share_of);
    quipu__map_release(&timeline->around_of);
    quipu__calls_numbers_release(&timeline->arounds);
    QUIPU__VEC_RELEASE(memory, &timeline->shares);
    QUIPU__VEC_RELEASE(memory, &timeline->regions);
    QUIPU__VEC_RELEASE(memory, &timeline->rows);
    QUIPU__VEC_RELEASE(memory, &timeline->locations);
    struct quipu__memory own = timeline->memory;
    quipu__release(&own, timeline, sizeof *timeline);
}

/* What is matched must be everything. A window is cut out of that. */
static enum quipu_status check_selection(const struct quipu_selection *selection, struct quipu_error *err) {
    const bool is_everything =
        !selection || (!selection->locations && !selection->regions && !selection->where &&
                       (selection->kinds & QUIPU__COMMUNICATION_KINDS) == QUIPU__COMMUNICATION_KINDS);
    return is_everything
               ? QUIPU_OK
               : quipu__fail(err, QUIPU_MISUSE,
                             "--waits takes all events into account: only --since and --until select");
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__timeline *timeline = quipu__fold_state(start, sizeof *timeline, state);
    if (!timeline)
        return quipu__no_memory(err, sizeof *timeline);
    timeline->definitions = start->definitions;
    timeline->by = quipu__settings_value(&start->settings, "by");
    timeline->window = start->window ? *start->window : (struct quipu__window){INT64_MIN, INT64_MAX};
    quipu__map_init(&timeline->share_of, &timeline->memory);
    quipu__map_init(&timeline->around_of, &timeline->memory);
    quipu__calls_numbers_init(&timeline->arounds, &timeline->memory);
    const enum quipu_status status = quipu__bins_setting(start, &timeline->bins, err);
    if (status != QUIPU_OK)
        return status;
    if (timeline->window.from != INT64_MIN)
        timeline->window.from = quipu_clock_ns(&start->definitions->clock, timeline->window.from);
    if (timeline->window.to != INT64_MAX)
        timeline->window.to = quipu_clock_ns(&start->definitions->clock, timeline->window.to);
    timeline->fills_index = start->fills_index;
    timeline->fills_picture = start->fills_picture;
    timeline->has_waits = quipu__settings_say_yes(&start->settings, "waits");
    timeline->has_counters = quipu__settings_say_yes(&start->settings, "counters");
    quipu__counter_increases_init(&timeline->increases, &timeline->memory, start->definitions);
    if (!quipu__wait_states_init(&timeline->states, &timeline->memory, start->definitions,
                                 quipu__number_setting(start, "eager-limit"), hold_wait, timeline) ||
        !quipu__unneeded_calls_init(&timeline->computing, &timeline->memory, start->definitions,
                                    QUIPU__REGION_ACCESSES_FILES))
        return quipu__no_memory(err, sizeof *timeline);
    timeline->states.communication.only_calls = !timeline->has_waits;
    return timeline->has_waits ? check_selection(start->selection, err) : QUIPU_OK;
}

/* A location has an event, of which nothing but the time is known. */
static bool note_time(struct quipu__timeline *timeline, uint32_t location, int64_t time) {
    uint8_t kind = QUIPU_KIND_note;
    const struct quipu_batch one = {.count = 1, .time = &time, .kind = &kind, .location = &location};
    return quipu__communication_add(&timeline->states.communication, &one, 0);
}

/* The first reading needs the first and the last time of each location, so of a run of events at one the first and the latest. */
static bool note_times(struct quipu__timeline *timeline, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count;) {
        const uint32_t location = batch->location[i];
        const int64_t first = batch->time[i];
        int64_t latest = first;
        for (; i < batch->count && batch->location[i] == location; i++)
            latest = batch->time[i] > latest ? batch->time[i] : latest;
        if (!note_time(timeline, location, first) || !note_time(timeline, location, latest))
            return false;
    }
    return true;
}

static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct quipu__timeline *timeline = state;
    return timeline->has_waits && !timeline->is_second ? &timeline->computing : NULL;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__timeline *timeline = state;
    bool has_memory = true;
    if (timeline->is_second)
        fill_bins(timeline, batch);
    else if (timeline->has_waits)
        has_memory = quipu__wait_states_add(&timeline->states, batch);
    else
        has_memory = note_times(timeline, batch);
    if (timeline->has_counters && !timeline->is_second && has_memory)
        hold_increases(timeline, batch);
    if (!has_memory)
        return quipu__no_memory(err, timeline->memory.used);
    return quipu__memory_status(&timeline->memory, err);
}

/* Cells of a location are those of the thread that reads it; cells of several locations are added up. */
static enum quipu_status share(void *state, const void *first, struct quipu_error *err) {
    struct quipu__timeline *timeline = state;
    const struct quipu__timeline *other = first;
    const bool has_rows = QUIPU__VEC_RESERVE(&timeline->memory, &timeline->rows, other->rows.count) &&
                          QUIPU__VEC_RESERVE(&timeline->memory, &timeline->locations, other->locations.count);
    if (!has_rows)
        return quipu__no_memory(err, other->locations.count * sizeof *other->locations.items);
    timeline->rows.count = other->rows.count;
    for (size_t i = 0; i < other->rows.count; i++)
        timeline->rows.items[i] = other->rows.items[i];
    timeline->locations.count = other->locations.count;
    for (size_t i = 0; i < other->locations.count; i++) {
        const struct quipu__timeline_location *location = &other->locations.items[i];
        timeline->locations.items[i] = (struct quipu__timeline_location){.has_events = location->has_events,
                                                                         .row = location->row,
                                                                         .first = location->first,
                                                                         .last = location->last};
    }
    timeline->from = other->from;
    timeline->to = other->to;
    timeline->length = other->length;
    timeline->bins = other->bins;
    struct quipu__timeline_cell *cells = quipu__timeline_is_by(timeline, "location") ? other->cells : NULL;
    return begin_second(timeline, cells) ? QUIPU_OK : quipu__no_memory(err, cells_size(timeline));
}

static void end_locations(struct quipu__timeline *timeline) {
    for (size_t i = 0; i < timeline->locations.count; i++)
        end_location(timeline, &timeline->locations.items[i]);
}

/* Locations that have only events which the second reading leaves out are outside of any call. Without bins there has been none. */
static void add_silent_locations(struct quipu__timeline *timeline) {
    for (uint32_t i = 0; i < timeline->locations.count && timeline->cells; i++)
        if (!timeline->locations.items[i].is_over)
            (void)location_of(timeline, i);
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu__timeline *timeline = state, *from = other;
    end_locations(from);
    for (size_t i = 0; i < from->locations.count; i++)
        timeline->locations.items[i].is_over |= from->locations.items[i].is_over;
    timeline->unfinished.calls += from->unfinished.calls;
    timeline->unfinished.locations += from->unfinished.locations;
    for (size_t i = 0; from->owns_cells && i < from->rows.count * from->bins; i++) {
        struct quipu__timeline_cell *cell = &timeline->cells[i];
        for (unsigned use = 0; use < USES; use++)
            cell->time[use] = quipu__bounded_sum(cell->time[use], from->cells[i].time[use]);
        for (size_t column = 0; column < sizeof cell->counts / sizeof *cell->counts; column++)
            cell->counts[column] += from->cells[i].counts[column];
    }
    for (size_t i = 0; i < from->shares.count; i++) {
        const struct quipu__timeline_share *share = &from->shares.items[i];
        const bool is_around = share->region >= QUIPU__TIMELINE_AROUND;
        const uint32_t number =
            is_around ? quipu__calls_number(&timeline->arounds,
                                            from->arounds.list.items[share->region - QUIPU__TIMELINE_AROUND])
                      : 0;
        if (number != QUIPU_NONE)
            add_share(timeline, share->cell, is_around ? QUIPU__TIMELINE_AROUND | number : share->region,
                      share->time);
    }
    const enum quipu_status status = quipu__memory_status(&from->memory, err);
    return status == QUIPU_OK ? quipu__memory_status(&timeline->memory, err) : status;
}

/* ---- Rows ---- */

static uint64_t count_locations(const struct quipu__timeline *timeline, uint32_t row) {
    uint64_t count = 0;
    for (size_t i = 0; i < timeline->locations.count; i++)
        count += timeline->locations.items[i].has_events && timeline->locations.items[i].row == row;
    return count;
}

/* The columns that begin the rows of all tables. */
static void put_bin(const struct quipu__timeline *timeline, size_t number, struct quipu_table *table) {
    const uint64_t bin = number % timeline->bins;
    quipu__timeline_put_row(timeline, table, timeline->rows.items[number / timeline->bins]);
    quipu__table_put_u64(table, TIMELINE_bin, bin);
    quipu__table_put_time(table, TIMELINE_from_ns, bin_start(timeline, bin));
    quipu__table_put_time(table, TIMELINE_to_ns, bin_start(timeline, bin + 1));
}

static uint64_t bin_length(const struct quipu__timeline *timeline, size_t number) {
    const uint64_t bin = number % timeline->bins;
    return (uint64_t)bin_start(timeline, bin + 1) - (uint64_t)bin_start(timeline, bin);
}

static enum quipu_status put_cell(const struct quipu__timeline *timeline, size_t number,
                                  struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__timeline_cell *cell = &timeline->cells[number];
    put_bin(timeline, number, table);
    for (unsigned use = 0; use < USES; use++)
        quipu__table_put_i64(table, TIMELINE_useful_ns + use, cell->time[use]);
    quipu__table_put_name_and_id(table, TIMELINE_region, timeline->definitions, QUIPU_REFERS_REGION,
                                 cell->region - 1);
    quipu__table_put_i64(table, TIMELINE_region_ns, cell->region_time);
    quipu__table_put_calls_around(table, TIMELINE_between, timeline->definitions,
                                  cell->region == 0 && cell->around_time > 0 ? cell->around
                                                                             : QUIPU__NO_CALLS_AROUND);
    for (unsigned column = TIMELINE_calls; column < TIMELINE_COLUMNS; column++)
        quipu__table_put_u64(table, column, cell->counts[column - TIMELINE_calls]);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_waited(const struct quipu__timeline *timeline, size_t number,
                                    struct quipu_table *table, struct quipu_error *err) {
    const uint32_t row = (uint32_t)(number / timeline->bins);
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < QUIPU__WAIT_PATTERNS && status == QUIPU_OK; i++) {
        const int64_t time = timeline->waited[number].time[i];
        if (time == 0)
            continue;
        put_bin(timeline, number, table);
        quipu__table_put_text(table, WAITS_pattern, quipu__wait_patterns[i].text);
        quipu__table_put_i64(table, WAITS_time_ns, time);
        quipu__table_put_percent(table, WAITS_share_percent, (uint64_t)time, count_locations(timeline, row),
                                 bin_length(timeline, number));
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status put_counted(const struct quipu__timeline *timeline, size_t number,
                                     struct quipu_table *table, struct quipu_error *err) {
    const struct quipu_metrics *metrics = &timeline->definitions->metrics;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < metrics->count && timeline->counted && status == QUIPU_OK; i++) {
        const struct quipu__counter_amount *amount = &timeline->counted[number * metrics->count + i];
        if (!(quipu__counter_number(&metrics->items[i], amount) > 0))
            continue;
        put_bin(timeline, number, table);
        quipu__table_put_text(table, COUNTERS_counter, metrics->items[i].name);
        quipu__table_put_counted(table, COUNTERS_total, &metrics->items[i], amount);
        quipu__table_put_text(table, COUNTERS_unit, metrics->items[i].unit);
        quipu__table_put_rate(table, COUNTERS_per_second, &metrics->items[i], amount,
                              bin_length(timeline, number));
        status = quipu__table_end_row(table, err);
    }
    return status;
}

typedef enum quipu_status put_fn(const struct quipu__timeline *timeline, size_t number,
                                 struct quipu_table *table, struct quipu_error *err);

static enum quipu_status add_table(const struct quipu__timeline *timeline, struct quipu_tables *tables,
                                   unsigned shape, put_fn *put, struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(tables, &timeline_tables[shape], &table, err);
    for (size_t i = 0; i < cell_count(timeline) && status == QUIPU_OK; i++)
        status = put(timeline, i, table, err);
    return status;
}

static void link_shares(struct quipu__timeline *timeline) {
    for (size_t i = 0; i < timeline->shares.count; i++) {
        struct quipu__timeline_share *share = &timeline->shares.items[i];
        struct quipu__timeline_cell *cell = &timeline->cells[share->cell];
        share->next = cell->first_share;
        cell->first_share = (uint32_t)(i + 1);
    }
}

static enum quipu_status finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__timeline *timeline = state;
    enum quipu_status status = quipu__memory_status(&timeline->memory, err);
    if (status != QUIPU_OK)
        return status;
    add_silent_locations(timeline);
    end_locations(timeline);
    if (timeline->fills_index) {
        link_shares(timeline);
        return quipu__memory_status(&timeline->memory, err);
    }
    for (size_t i = 0; i < timeline->shares.count; i++)
        quipu__timeline_offer(timeline, &timeline->cells[timeline->shares.items[i].cell],
                              timeline->shares.items[i].region, timeline->shares.items[i].time);
    if (timeline->fills_picture)
        return quipu__memory_status(&timeline->memory, err);
    quipu__unfinished_calls_note(&timeline->unfinished, tables);
    status = add_table(timeline, tables, TIMELINE, put_cell, err);
    if (timeline->has_waits)
        quipu__matching_note(&timeline->states.communication, tables);
    if (status == QUIPU_OK && timeline->has_waits)
        status = add_table(timeline, tables, WAITS, put_waited, err);
    if (status == QUIPU_OK && timeline->has_counters)
        status = add_table(timeline, tables, COUNTERS, put_counted, err);
    return status == QUIPU_OK ? quipu__memory_status(&timeline->memory, err) : status;
}

static const struct quipu_option options[] = {
    QUIPU__BINS_OPTION,
    {.name = "by",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "location|process|host|all",
     .default_value = "location",
     .doc = "a row per bin of each location, process or host, or of all together"},
    {.name = "waits",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "also say how long each waits in each bin, and why; takes messages and collective operations to be "
            "matched"},
    {.name = "counters",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "also say what the counters of the trace count in each bin, and how much per second"},
    QUIPU__EAGER_LIMIT_OPTION,
};

const struct quipu__fold quipu__timeline_fold = {
    .info = {.name = "timeline",
             .doc = "show what the time is spent on, bin by bin",
             .details =
                 "Cuts the time of the trace (with --location of these), or from --since to --until, into "
                 "equal bins, and says for "
                 "each of them, at each "
                 "location, what the time is spent on, the region with most of it, and how many calls "
                 "begin, messages and bytes "
                 "are sent and received, and bytes read and written. With --waits a second table has "
                 "the waiting of each bin by its pattern, as \"quipu waits\" tells them apart: a wait "
                 "counts in each bin with its part there. With --counters another one has what each "
                 "counter counts: the increase between two of its values at a location, in proportion to "
                 "the time in each bin; bins add up to the whole.\n\n"
                 "With an index (quipu index) numbers of bins that divide 80, 400 or 2000, and of locations "
                 "8000 too, "
                 "are answered at once, however long the trace is, "
                 "where the index has room for so many, nothing is selected, and without --waits and "
                 "--counters.\n\n"
                 "Text is a map: a line per location, a letter per bin for what most of its time is "
                 "spent on, a capital where "
                 "that is three quarters or more; a legend says what the letters stand for. JSON and "
                 "CSV have the figures.",
             .examples =
                 "quipu timeline run.trace # when does who compute, wait, communicate?\n"
                 "quipu timeline run.trace --waits --by all --table timeline_waits # when is waited, and why?\n"
                 "quipu timeline run.trace --by all --bins 10 --csv # the figures of tenths of the run",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = timeline_tables,
             .table_count = sizeof timeline_tables / sizeof *timeline_tables,
             .empty_answer = "no time passes",
             .map_letters = "=PCRMFFSUI ", /* of the uses */
             .map_column = TIMELINE_useful_ns},
    .kinds = QUIPU_ALL_KINDS & ~(QUIPU_KIND_BIT(QUIPU_KIND_summary) | QUIPU_KIND_BIT(QUIPU_KIND_snapshot)),
    .order = QUIPU_ORDER_WINDOWS,
    .cuts_calls = true,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .next_pass = next_pass,
    .share = share,
    .levels = &quipu__timeline_levels,
    .combine = combine,
    .finish = finish,
    .release = release,
};
