/* profile.c: where the time goes: calls, times, messages and collective operations of each region at each location.
 *
 * Each location has a stack of open calls, which are nothing but the numbers of the rows that they count for. Times are
 * added up without looking back: what has passed since the latest enter or leave belongs to the innermost call, and the
 * outermost call of a region takes its row's inclusive time back to before its beginning and forward to its end. Sums
 * wrap on the way and are right when nothing is open. Traffic counts for the innermost open call, or for a row without
 * region outside of any.
 *
 * Leaves need not balance: a leave of a region that is open further out closes the calls inside it too; one of a
 * region that is not open is only counted. Calls that are open at the end of a stream are closed at their location's
 * last event there.
 */
#include "analysis/fold.h"
#include "core/error.h"
#include "core/map.h"
#include "core/memory.h"
#include "core/os.h"
#include "core/pack.h"
#include "core/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum profile_value {
#define PROFILE_VALUE(name, type, unit, doc) VALUE_##name,
#include "analysis/profile.def"
#undef PROFILE_VALUE
    VALUE_COUNT
};

struct row {
    uint32_t location, region;    /* region QUIPU_NONE: outside of any */
    uint32_t locations;           /* that were added up here */
    uint32_t open;                /* calls of it on the stack */
    uint64_t values[VALUE_COUNT]; /* signed ones in two's complement, so that sums wrap and never trap */
};

struct place {
    uint32_t *calls; /* rows of the open calls: 1 is the outermost one, depth the innermost; 0 is ROW_NOWHERE */
    uint32_t depth, capacity;
    uint32_t stream; /* that the latest event is in */
    int64_t change;  /* time of the latest enter or leave */
    int64_t last;    /* the latest time */
};

/* What passes while no call is open. It is not shown. */
#define ROW_NOWHERE 0

/* Rows that were used lately: nearly all calls find theirs here with one comparison. */
#define RECENT_COUNT 1024
struct recent {
    uint64_t key; /* location and region */
    uint32_t row;
};

struct profile {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    bool by_region;
    struct place *places; /* by location */
    uint32_t place_count;
    QUIPU__VEC(struct row) rows;
    struct quipu__map row_of; /* (location, region) to row */
    struct recent recent[RECENT_COUNT];
};

/* ---- Rows and places ---- */

static uint64_t key_of(uint32_t location, uint32_t region) {
    return (uint64_t)location << 32 | region;
}

static uint32_t add_row(struct profile *profile, uint32_t location, uint32_t region) {
    struct row *row = QUIPU__VEC_ADD(&profile->memory, &profile->rows);
    if (!row)
        return QUIPU_NONE;
    *row = (struct row){.location = location, .region = region, .locations = 1};
    const uint32_t number = (uint32_t)(profile->rows.count - 1);
    return quipu__map_put(&profile->row_of, key_of(location, region), number) ? number : QUIPU_NONE;
}

/* Where the row would be. Regions of a location are in different places as far as there are enough. */
QUIPU__INLINE uint32_t recent_index(uint32_t location, uint32_t region) {
    return (location * 61 + region) % RECENT_COUNT;
}

/* Number of the row; QUIPU_NONE when memory is out. */
static uint32_t row_of(struct profile *profile, uint32_t location, uint32_t region) {
    uint32_t number = quipu__map_get(&profile->row_of, key_of(location, region));
    if (number == QUIPU_NONE)
        number = add_row(profile, location, region);
    if (number != QUIPU_NONE)
        profile->recent[recent_index(location, region)] = (struct recent){key_of(location, region), number};
    return number;
}

/* The row that traffic counts for at this moment. */
static struct row *innermost_row(struct profile *profile, const struct place *place, uint32_t location) {
    const uint32_t number =
        place->depth > 0 ? place->calls[place->depth] : row_of(profile, location, QUIPU_NONE);
    return number == QUIPU_NONE ? NULL : &profile->rows.at[number];
}

/* Makes places for all locations that are defined by now, and for this one in any case. */
static bool add_places(struct profile *profile, uint32_t location) {
    const uint32_t defined = profile->definitions->locations.count;
    const size_t count = location < defined ? defined : (size_t)location + 1;
    if (count > SIZE_MAX / sizeof(struct place))
        return false;
    struct place *places = quipu__resize(&profile->memory, profile->places,
                                         profile->place_count * sizeof *places, count * sizeof *places);
    if (!places)
        return false;
    memset(places + profile->place_count, 0, (count - profile->place_count) * sizeof *places);
    for (size_t i = profile->place_count; i < count; i++) {
        places[i].last = INT64_MIN;
        places[i].stream = QUIPU_NONE;
    }
    profile->places = places;
    profile->place_count = (uint32_t)count;
    return true;
}

static bool deepen(struct profile *profile, struct place *place) {
    const uint32_t capacity = place->capacity ? place->capacity * 2 : 16;
    uint32_t *calls = quipu__resize(&profile->memory, place->calls, place->capacity * sizeof *calls,
                                    (size_t)capacity * sizeof *calls);
    if (!calls)
        return false;
    calls[0] = ROW_NOWHERE;
    place->calls = calls;
    place->capacity = capacity;
    return true;
}

/* ---- Calls ---- */

/* Closes the innermost call. */
static void close_call(struct profile *profile, struct place *place, int64_t time) {
    struct row *row = &profile->rows.at[place->calls[place->depth--]];
    row->values[VALUE_exclusive_ns] += (uint64_t)time - (uint64_t)place->change;
    if (--row->open == 0)
        row->values[VALUE_inclusive_ns] += (uint64_t)time;
    place->change = time;
}

static bool leave(struct profile *profile, struct place *place, uint32_t location, uint32_t region,
                  int64_t time) {
    if (region == QUIPU_NONE && place->depth > 0) {
        close_call(profile, place, time);
        return true;
    }
    const uint32_t number = row_of(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct row *row = &profile->rows.at[number];
    if (row->open == 0) {
        row->values[VALUE_unmatched]++;
        return true;
    }
    while (place->calls[place->depth] != number)
        close_call(profile, place, time);
    close_call(profile, place, time);
    return true;
}

static bool enter(struct profile *profile, struct place *place, uint32_t location, uint32_t region,
                  int64_t time) {
    if (place->depth + 1 >= place->capacity && !deepen(profile, place))
        return false;
    const uint32_t number = row_of(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct row *row = &profile->rows.at[number];
    profile->rows.at[place->calls[place->depth]].values[VALUE_exclusive_ns] +=
        (uint64_t)time - (uint64_t)place->change;
    row->values[VALUE_calls]++;
    if (row->open++ == 0)
        row->values[VALUE_inclusive_ns] -= (uint64_t)time;
    place->calls[++place->depth] = number;
    place->change = time;
    return true;
}

/* Enters and leaves, from event first on, that need nothing new and whose leaves are of the innermost call. Returns the
 * index of the first event that is not of this sort. Which of the two comes next is hard to guess for a processor, so both
 * take the same way and differ only in numbers: half the time of asking. */
static uint32_t add_usual_calls(struct profile *profile, struct place *place, const struct quipu_batch *batch,
                                uint32_t first, uint32_t location) {
    const uint32_t *const locations = batch->location, *const regions = batch->object;
    const uint8_t *const kinds = batch->kind;
    const int64_t *const times = batch->time;
    const uint32_t count = batch->count, most = place->capacity;
    struct row *const rows = profile->rows.at;
    uint32_t *const calls = place->calls;
    uint32_t depth = place->depth, i = first;
    int64_t change = place->change, last = place->last;
    for (; i < count && locations[i] == location; i++) {
        const struct recent *recent = &profile->recent[recent_index(location, regions[i])];
        const bool leaves = kinds[i] == QUIPU_KIND_leave;
        if ((!leaves && kinds[i] != QUIPU_KIND_enter) || recent->key != key_of(location, regions[i]) ||
            depth + 1 >= most || (leaves && calls[depth] != recent->row))
            break;
        const int64_t time = times[i];
        const uint64_t step = leaves ? UINT64_MAX : 1;
        struct row *row = &rows[recent->row];
        rows[calls[depth]].values[VALUE_exclusive_ns] += (uint64_t)time - (uint64_t)change;
        row->values[VALUE_inclusive_ns] -= row->open == leaves ? (uint64_t)time * step : 0;
        row->values[VALUE_calls] += !leaves;
        row->open += (uint32_t)step;
        calls[depth + 1] = recent->row; /* when leaving, nobody looks at it */
        depth += (uint32_t)step;
        change = time;
        last = time > last ? time : last;
    }
    place->depth = depth;
    place->change = change;
    place->last = last;
    return i;
}

/* ---- Events ---- */

static uint64_t known(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

static bool add_traffic(struct profile *profile, const struct place *place, const struct quipu_batch *batch,
                        uint32_t i) {
    struct row *row = innermost_row(profile, place, batch->location[i]);
    if (!row)
        return false;
    switch (batch->kind[i]) {
    case QUIPU_KIND_send:
        row->values[VALUE_messages_sent]++;
        row->values[VALUE_bytes_sent] += known(batch->bytes[i]);
        break;
    case QUIPU_KIND_recv:
        row->values[VALUE_messages_received]++;
        row->values[VALUE_bytes_received] += known(batch->bytes[i]);
        break;
    case QUIPU_KIND_collective_begin:
        row->values[VALUE_collectives]++;
        row->values[VALUE_collective_bytes_sent] += known(batch->bytes[i]);
        row->values[VALUE_collective_bytes_received] += known(batch->value[i]);
        break;
    default:
        break;
    }
    return true;
}

/* Closes what is still open. */
static void close_place(struct profile *profile, struct place *place) {
    while (place->depth > 0) {
        profile->rows.at[place->calls[place->depth]].values[VALUE_unfinished]++;
        close_call(profile, place, place->last);
    }
}

/* The place comes up in another stream, which knows nothing of what the one before has left open. */
static void turn_to_stream(struct profile *profile, struct place *place, uint32_t stream) {
    close_place(profile, place);
    place->last = INT64_MIN;
    place->stream = stream;
}

static bool add_event(struct profile *profile, struct place *place, const struct quipu_batch *batch,
                      uint32_t i) {
    const int64_t time = batch->time[i];
    place->last = time > place->last ? time : place->last;
    if (batch->kind[i] == QUIPU_KIND_enter)
        return enter(profile, place, batch->location[i], batch->object[i], time);
    if (batch->kind[i] == QUIPU_KIND_leave)
        return leave(profile, place, batch->location[i], batch->object[i], time);
    return add_traffic(profile, place, batch, i);
}

/* Adds events at one location. Returns the index of the first one that is elsewhere; UINT32_MAX when memory is out. */
static uint32_t add_events(struct profile *profile, const struct quipu_batch *batch, uint32_t first) {
    const uint32_t location = batch->location[first], count = batch->count;
    if (location >= profile->place_count && !add_places(profile, location))
        return UINT32_MAX;
    struct place *place = &profile->places[location];
    if (place->stream != batch->stream)
        turn_to_stream(profile, place, batch->stream);
    for (uint32_t i = first; i < count; i++) {
        i = add_usual_calls(profile, place, batch, i, location);
        if (i == count || batch->location[i] != location)
            return i;
        if (!add_event(profile, place, batch, i))
            return UINT32_MAX;
    }
    return count;
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    const char *by = quipu__fold_setting(start, "by");
    if (by && strcmp(by, "location") != 0 && strcmp(by, "region") != 0)
        return quipu__fail(err, QUIPU_MISUSE, "a profile is by location or by region, not by \"%s\"", by);
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    struct profile *profile = *state = quipu__alloc_zero(&memory, sizeof *profile);
    if (!profile)
        return quipu__no_memory(err, sizeof *profile);
    profile->memory = memory;
    profile->definitions = start->definitions;
    profile->by_region = by && strcmp(by, "region") == 0;
    quipu__map_init(&profile->row_of, &profile->memory);
    for (size_t i = 0; i < RECENT_COUNT; i++)
        profile->recent[i].key = key_of(QUIPU_NONE, QUIPU_NONE);
    return add_row(profile, QUIPU_NONE, QUIPU_NONE) == ROW_NOWHERE ? QUIPU_OK
                                                                   : quipu__no_memory(err, sizeof(struct row));
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct profile *profile = state;
    uint32_t next = 0;
    while (next < batch->count)
        next = add_events(profile, batch, next);
    return next == batch->count ? QUIPU_OK : quipu__no_memory(err, profile->memory.used);
}

static void close_all(struct profile *profile) {
    for (uint32_t i = 0; i < profile->place_count; i++)
        close_place(profile, &profile->places[i]);
}

static void add_values(struct row *to, const struct row *from) {
    for (size_t i = 0; i < VALUE_COUNT; i++)
        to->values[i] += from->values[i];
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct profile *profile = state, *part = other;
    close_all(part);
    for (size_t i = ROW_NOWHERE + 1; i < part->rows.count; i++) {
        const struct row *from = &part->rows.at[i];
        const uint32_t number = row_of(profile, from->location, from->region);
        if (number == QUIPU_NONE)
            return quipu__no_memory(err, profile->memory.used);
        add_values(&profile->rows.at[number], from);
    }
    return QUIPU_OK;
}

static void release(void *state) {
    struct profile *profile = state;
    for (uint32_t i = 0; i < profile->place_count; i++)
        quipu__release(&profile->memory, profile->places[i].calls,
                       profile->places[i].capacity * sizeof *profile->places[i].calls);
    quipu__release(&profile->memory, profile->places, profile->place_count * sizeof *profile->places);
    QUIPU__VEC_RELEASE(&profile->memory, &profile->rows);
    quipu__map_release(&profile->row_of);
    struct quipu__memory memory = profile->memory;
    quipu__release(&memory, profile, sizeof *profile);
}

/* ---- The table ---- */

#define PROFILE_VALUE(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
static const struct quipu_table_column columns_by_location[] = {
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread"},
    {"location_id", QUIPU_TYPE_I64, "", "the format's own number of the location"},
    {"region", QUIPU_TYPE_TEXT, "", "name of the region, null for what happened outside of any"},
    {"region_id", QUIPU_TYPE_I64, "", "the format's own number of the region"},
#include "analysis/profile.def"
};
static const struct quipu_table_column columns_by_region[] = {
    {"region", QUIPU_TYPE_TEXT, "", "name of the region, null for what happened outside of any"},
    {"region_id", QUIPU_TYPE_I64, "", "the format's own number of the region"},
    {"locations", QUIPU_TYPE_U64, "", "locations that it happened at"},
#include "analysis/profile.def"
};
#undef PROFILE_VALUE

#define COLUMN_COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int by_location_then_region(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->region, y->region);
}

static int by_region_then_location(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return x->region != y->region ? COMPARE(x->region, y->region) : COMPARE(x->location, y->location);
}

/* Adds up the rows of each region, which lie side by side. */
static void merge_locations(struct profile *profile) {
    struct row *rows = profile->rows.at;
    size_t kept = 0;
    for (size_t i = 0; i < profile->rows.count; i++) {
        if (kept > 0 && rows[kept - 1].region == rows[i].region) {
            add_values(&rows[kept - 1], &rows[i]);
            rows[kept - 1].locations++;
        } else {
            rows[kept++] = rows[i];
        }
    }
    profile->rows.count = kept;
}

static struct quipu_cell native_id_cell(uint64_t native_id) {
    return (struct quipu_cell){.is_null = native_id == QUIPU_UNKNOWN, .i = (int64_t)native_id};
}

/* Name and native number of a definition; a definition without a name is called by its native number. */
static void name_cells(struct quipu_cell cells[2], const char *name, uint64_t native_id, char text[32]) {
    snprintf(text, 32, "%" PRIu64, native_id);
    cells[0] = (struct quipu_cell){.text = name[0] ? name : text};
    cells[1] = native_id_cell(native_id);
}

static void location_cells(const struct profile *profile, uint32_t number, struct quipu_cell cells[2],
                           char text[32]) {
    if (number < profile->definitions->locations.count) {
        const struct quipu_location *location = &profile->definitions->locations.at[number];
        name_cells(cells, location->name, location->native_id, text);
    }
}

static void region_cells(const struct profile *profile, uint32_t number, struct quipu_cell cells[2],
                         char text[32]) {
    if (number < profile->definitions->regions.count) {
        const struct quipu_region *region = &profile->definitions->regions.at[number];
        name_cells(cells, region->name, region->native_id, text);
    }
}

static bool is_time(size_t value) {
    return value == VALUE_inclusive_ns || value == VALUE_exclusive_ns;
}

static enum quipu_status show_row(const struct profile *profile, const struct row *row,
                                  struct quipu_table *table, struct quipu_error *err) {
    struct quipu_cell cells[COLUMN_COUNT(columns_by_location)];
    char location_text[32], region_text[32];
    for (size_t i = 0; i < 4; i++)
        cells[i] = (struct quipu_cell){.is_null = true, .u = 0};
    size_t at;
    if (profile->by_region) {
        region_cells(profile, row->region, &cells[0], region_text);
        cells[2] = (struct quipu_cell){.u = row->locations};
        at = 3;
    } else {
        location_cells(profile, row->location, &cells[0], location_text);
        region_cells(profile, row->region, &cells[2], region_text);
        at = 4;
    }
    for (size_t i = 0; i < VALUE_COUNT; i++)
        cells[at + i] = is_time(i) ? (struct quipu_cell){.i = quipu_clock_ns(&profile->definitions->clock,
                                                                             (int64_t)row->values[i])}
                                   : (struct quipu_cell){.u = row->values[i]};
    return quipu_table_add(table, cells, err);
}

static enum quipu_status finish(void *state, struct quipu_table **tables, size_t table_limit,
                                size_t *out_table_count, struct quipu_error *err) {
    struct profile *profile = state;
    *out_table_count = 0;
    if (table_limit < 1)
        return quipu__fail(err, QUIPU_MISUSE, "a profile is one table, but none is asked for");
    close_all(profile);
    profile->rows.at[ROW_NOWHERE] = profile->rows.at[--profile->rows.count]; /* that one is not shown */
    if (profile->rows.count > 0)
        qsort(profile->rows.at, profile->rows.count, sizeof *profile->rows.at,
              profile->by_region ? by_region_then_location : by_location_then_region);
    if (profile->by_region)
        merge_locations(profile);

    struct quipu_table *table;
    enum quipu_status status =
        profile->by_region
            ? quipu_table_new("profile", columns_by_region, COLUMN_COUNT(columns_by_region), &table, err)
            : quipu_table_new("profile", columns_by_location, COLUMN_COUNT(columns_by_location), &table, err);
    for (size_t i = 0; i < profile->rows.count && status == QUIPU_OK; i++)
        status = show_row(profile, &profile->rows.at[i], table, err);
    if (status != QUIPU_OK) {
        quipu_table_free(table);
        return status;
    }
    tables[0] = table;
    *out_table_count = 1;
    return QUIPU_OK;
}

/* ---- Keeping what is known of a lane ----
 *
 *     rows    count, then of each: location, region + 1, a bit per value that is not 0, those values
 *     places  count of those where calls are open, then of each: location, stream, time of the latest event, depth,
 *             and of each call: row, time of its enter, ticks in the calls inside it
 */

static void save_row(const struct row *row, struct quipu__buffer *out) {
    uint64_t used = 0;
    for (unsigned i = 0; i < VALUE_COUNT; i++)
        used |= (uint64_t)(row->values[i] != 0) << i;
    quipu__pack_u64(out, row->location);
    quipu__pack_u64(out, row->region + UINT32_C(1)); /* none is 0 */
    quipu__pack_u64(out, used);
    for (unsigned i = 0; i < VALUE_COUNT; i++)
        if (row->values[i] != 0)
            quipu__pack_u64(out, row->values[i]);
}

static void save_place(const struct place *place, uint32_t location, struct quipu__buffer *out) {
    quipu__pack_u64(out, location);
    quipu__pack_u64(out, place->stream);
    quipu__pack_i64(out, place->last);
    quipu__pack_u64(out, place->depth);
    for (uint32_t i = 0; i < place->depth; i++) {
        quipu__pack_u64(out, place->frames[i].row);
        quipu__pack_i64(out, place->frames[i].enter);
        quipu__pack_u64(out, place->frames[i].inside);
    }
}

static enum quipu_status save(const void *state, struct quipu__buffer *out, struct quipu_error *err) {
    const struct profile *profile = state;
    uint32_t open = 0;
    quipu__pack_u64(out, profile->rows.count);
    for (size_t i = 0; i < profile->rows.count; i++)
        save_row(&profile->rows.at[i], out);
    for (uint32_t i = 0; i < profile->place_count; i++)
        open += profile->places[i].depth > 0;
    quipu__pack_u64(out, open);
    for (uint32_t i = 0; i < profile->place_count; i++)
        if (profile->places[i].depth > 0)
            save_place(&profile->places[i], i, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

/* A number below a limit; another one sets failed. */
static uint32_t load_below(struct quipu__slice *from, uint64_t limit) {
    const uint64_t number = quipu__unpack_u64(from);
    from->failed |= number >= limit;
    return from->failed ? 0 : (uint32_t)number;
}

/* False when memory is out; from says whether the bytes are right. */
static bool load_row(struct profile *profile, struct quipu__slice *from) {
    const uint32_t location = load_below(from, profile->definitions->locations.count);
    const uint32_t region = load_below(from, (uint64_t)profile->definitions->regions.count + 1) - UINT32_C(1);
    const uint64_t used = load_below(from, UINT64_C(1) << VALUE_COUNT);
    from->failed |= quipu__map_get(&profile->row_of, (uint64_t)location << 32 | region) != QUIPU_NONE;
    if (from->failed)
        return true;
    const uint32_t number = add_row(profile, location, region);
    for (unsigned i = 0; number != QUIPU_NONE && i < VALUE_COUNT; i++)
        if ((used >> i & 1) != 0)
            profile->rows.at[number].values[i] = quipu__unpack_u64(from);
    return number != QUIPU_NONE;
}

static bool load_frame(struct profile *profile, struct place *place, struct quipu__slice *from) {
    struct frame frame = {.row = load_below(from, profile->rows.count)};
    frame.enter = quipu__unpack_i64(from);
    frame.inside = quipu__unpack_u64(from);
    if (from->failed)
        return true;
    if (place->depth == place->capacity && !deepen(profile, place))
        return false;
    frame.region = profile->rows.at[frame.row].region;
    profile->rows.at[frame.row].open++;
    place->frames[place->depth++] = frame;
    return true;
}

static bool load_place(struct profile *profile, struct quipu__slice *from) {
    const uint32_t location = load_below(from, profile->definitions->locations.count);
    if (from->failed)
        return true;
    if (location >= profile->place_count && !add_places(profile, location))
        return false;
    struct place *place = &profile->places[location];
    from->failed |= place->depth > 0;
    place->stream = load_below(from, QUIPU_NONE);
    place->last = quipu__unpack_i64(from);
    bool has_room = true;
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_frame(profile, place, from);
    return has_room;
}

static bool load_all(struct profile *profile, struct quipu__slice *from) {
    bool has_room = true;
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_row(profile, from);
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_place(profile, from);
    from->failed |= from->at != from->end;
    return has_room;
}

static enum quipu_status load(const struct quipu__fold_start *start, struct quipu__slice bytes, void **state,
                              struct quipu_error *err) {
    enum quipu_status status = begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    struct profile *profile = *state;
    if (!load_all(profile, &bytes))
        status = quipu__no_memory(err, profile->memory.used);
    else if (bytes.failed)
        status = quipu__fail(err, QUIPU_CORRUPT, "what is kept of the profile cannot be right");
    if (status != QUIPU_OK) {
        release(profile);
        *state = NULL;
    }
    return status;
}

static const struct quipu_analysis_option options[] = {
    {"by", "location: a row per location and region (default); region: locations added up"},
};

const struct quipu__fold quipu__profile_fold = {
    .info = {"profile", "calls, time and traffic of each region", options, sizeof options / sizeof options[0]},
    .kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
             QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |
             QUIPU_KIND_BIT(QUIPU_KIND_collective_begin),
    .needs_attributes = false,
    .begin = begin,
    .consume = consume,
    .combine = combine,
    .finish = finish,
    .release = release,
    .section = "profile 1",
    .save = save,
    .load = load,
};
