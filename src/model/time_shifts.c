/* time_shifts.c: see time_shifts.h. A run of events is written as numbers with seven bits per byte, lowest first:
 * how many events, and whether they have a limit; by how much the shift differs from that of the run before; and
 * the limit from the one before. */
#include "model/time_shifts.h"

#include "core/bounded.h"

void quipu__time_shifts_release(struct quipu__time_shifts *shifts) {
    for (size_t i = 0; i < shifts->locations.count; i++)
        quipu__buffer_release(&shifts->locations.items[i].bytes);
    QUIPU__VEC_RELEASE(shifts->memory, &shifts->locations);
}

/* ---- Writing ---- */

static void put_number(struct quipu__buffer *out, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        quipu__put_u8(out, (uint8_t)(number | 0x80));
    quipu__put_u8(out, (uint8_t)number);
}

/* Small numbers of either sign become small unsigned ones. */
static void put_difference(struct quipu__buffer *out, int64_t to, int64_t from) {
    const uint64_t difference = (uint64_t)to - (uint64_t)from;
    put_number(out, difference << 1 ^ (UINT64_C(0) - (difference >> 63)));
}

static void put_last(struct quipu__location_shifts *location) {
    const struct quipu__time_shift *last = &location->last;
    const bool has_limit = last->limit != INT64_MAX;
    if (last->events == 0)
        return;
    put_number(&location->bytes, last->events << 1 | has_limit);
    put_difference(&location->bytes, last->shift, location->shift);
    if (has_limit)
        put_difference(&location->bytes, last->limit, location->limit);
    location->shift = last->shift;
    location->limit = has_limit ? last->limit : location->limit;
}

static struct quipu__location_shifts *location_at(struct quipu__time_shifts *shifts, uint32_t location) {
    const size_t known = shifts->locations.count;
    if (location < known)
        return &shifts->locations.items[location];
    if (!QUIPU__VEC_RESERVE(shifts->memory, &shifts->locations, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        quipu__buffer_init(&shifts->locations.items[i].bytes, shifts->memory, 0);
    shifts->locations.count = (size_t)location + 1;
    return &shifts->locations.items[location];
}

void quipu__time_shifts_add(struct quipu__time_shifts *shifts, uint32_t location,
                            const struct quipu__time_shift *shift) {
    struct quipu__location_shifts *known = location_at(shifts, location);
    if (!known || shift->events == 0)
        return;
    known->events += shift->events;
    if (known->last.events > 0 && known->last.shift == shift->shift && known->last.limit == shift->limit) {
        known->last.events += shift->events;
        return;
    }
    put_last(known);
    known->last = *shift;
}

/* ---- Reading ---- */

static uint64_t take_number(const struct quipu__buffer *bytes, size_t *offset) {
    uint64_t number = 0;
    for (unsigned bit = 0;; bit += 7) {
        const uint8_t byte = bytes->data[(*offset)++];
        number |= (uint64_t)(byte & 0x7f) << bit;
        if (byte < 0x80)
            return number;
    }
}

static int64_t take_difference(const struct quipu__buffer *bytes, size_t *offset, int64_t from) {
    const uint64_t number = take_number(bytes, offset);
    return (int64_t)((uint64_t)from + (number >> 1 ^ (UINT64_C(0) - (number & 1))));
}

/* Makes the run of the next event current; false after the last one. */
static bool find_run(const struct quipu__location_shifts *location, struct quipu__time_shift_cursor *cursor) {
    if (cursor->now.events > 0)
        return true;
    if (cursor->passed == location->events)
        return false;
    cursor->has_run = true;
    if (cursor->offset == location->bytes.len) {
        cursor->now = location->last;
        return true;
    }
    const uint64_t head = take_number(&location->bytes, &cursor->offset);
    cursor->shift = take_difference(&location->bytes, &cursor->offset, cursor->shift);
    if ((head & 1) != 0)
        cursor->limit = take_difference(&location->bytes, &cursor->offset, cursor->limit);
    cursor->now =
        (struct quipu__time_shift){head >> 1, cursor->shift, (head & 1) != 0 ? cursor->limit : INT64_MAX};
    return true;
}

static int64_t moved(const struct quipu__time_shift_cursor *cursor, int64_t time) {
    if (!cursor->has_run)
        return time;
    int64_t to = quipu__bounded_sum(time, cursor->now.shift);
    to = to > cursor->now.limit ? cursor->now.limit : to;
    return cursor->passed > 0 && to < cursor->latest ? cursor->latest : to;
}

int64_t quipu__time_shift_next(const struct quipu__time_shifts *shifts, uint32_t location,
                               struct quipu__time_shift_cursor *cursor, int64_t time) {
    if (location < shifts->locations.count && find_run(&shifts->locations.items[location], cursor))
        cursor->now.events--;
    cursor->latest = moved(cursor, time);
    cursor->passed++;
    return shifts->amortisation
               ? quipu__amortised_next(shifts->amortisation, location, &cursor->amortised, cursor->latest)
               : cursor->latest;
}

int64_t quipu__time_shift_least(const struct quipu__time_shifts *shifts, uint32_t location,
                                struct quipu__time_shift_cursor *cursor, int64_t time) {
    if (location >= shifts->locations.count || !find_run(&shifts->locations.items[location], cursor))
        return INT64_MAX;
    const int64_t to = moved(cursor, time);
    return cursor->amortised.event > 0 && to < cursor->amortised.latest ? cursor->amortised.latest : to;
}
