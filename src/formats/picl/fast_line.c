/* fast_line.c: entries and exits that are regions, with or without a message that is sent or received, and user-defined records,
 * straight from lines into the columns of a batch: nearly all events of a trace. What they become is said by the plan of their event
 * type (define.c). Anything else ends the run and goes through to_model.c, which makes the same of these records
 * (test_fast_line.c compares them). */
#include "formats/picl/fast_line.h"
#include "formats/picl/format.h"

/* ---- What the lines meet seldom: long numbers, and what differs from the line before ---- */

/* Digits up to limit behind those of *value, of which there is at least one if the first byte is one. */
static const uint8_t *read_digits(const uint8_t *p, const uint8_t *limit, uint64_t *value) {
    for (uint64_t digit = (uint8_t)(*p - '0'); digit <= 9 && p < limit; digit = (uint8_t)(*++p - '0'))
        *value = *value * 10 + digit;
    return p;
}

const uint8_t *quipu__picl_long_integer(const uint8_t *p, int64_t *out) {
    const bool is_negative = *p == '-';
    const uint8_t *const first = p += is_negative;
    uint64_t value = 0;
    p = read_digits(p, first + QUIPU__PICL_FAST_DIGITS, &value);
    if (p == first)
        return NULL;
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    return p;
}

/* Seconds of up to seven digits with a point, and up to sixteen decimals, are what the next timestamps are expected to have. */
static void expect_time(struct quipu__picl_expected *expected, const uint8_t *first, const uint8_t *point,
                        unsigned decimals, uint64_t seconds) {
    const size_t len = (size_t)(point + 1 - first);
    if (len > 8 || decimals == 0 || decimals > 16)
        return;
    expected->whole_mask = UINT64_MAX >> 8 * (8 - len);
    expected->whole = quipu__load_le64(first) & expected->whole_mask;
    expected->whole_len = len;
    expected->decimals = decimals;
    expected->seconds = seconds * quipu__picl_power_of_ten(decimals);
    expected->low_scale = quipu__picl_power_of_ten(decimals > 8 ? decimals - 8 : 0);
}

const uint8_t *quipu__picl_learn_time(const uint8_t *p, struct quipu__picl_expected *expected,
                                      struct quipu__picl_decimal *out) {
    const bool is_negative = *p == '-';
    const uint8_t *const first = p += is_negative, *const limit = first + QUIPU__PICL_FAST_DIGITS;
    uint64_t value = 0;
    p = read_digits(p, limit, &value);
    *out = (struct quipu__picl_decimal){value, 0, is_negative, false};
    if (p == first)
        return NULL;
    if (*p != '.')
        return p;
    const uint8_t *const point = p++;
    p = read_digits(p, limit, &out->mantissa);
    out->exponent = (int32_t)(point + 1 - p);
    expect_time(expected, first, point, (unsigned)(p - point - 1), value);
    return p;
}

const uint8_t *quipu__picl_learn_location(const uint8_t *p, struct quipu__picl_expected *expected) {
    const uint8_t *const at = p;
    p = quipu__picl_fast_next(p, &expected->processor);
    p = quipu__picl_fast_next(p, &expected->process);
    expected->location = 1; /* which nothing is under a mask of 0 */
    expected->location_mask = 0;
    if (!p || *p != ' ')
        return NULL;
    const size_t len = (size_t)(p + 1 - at);
    if (len <= 8) {
        expected->location_mask = UINT64_MAX >> 8 * (8 - len);
        expected->location = quipu__load_le64(at) & expected->location_mask;
        expected->location_len = len;
    }
    return p;
}

/* ---- Lines into batches ---- */

/* Most events and attributes that such a record makes. */
enum { EVENTS_MOST = 2, ATTRIBUTES_MOST = QUIPU__PICL_FAST_VALUES + 1 };

struct fast {
    struct quipu__picl_pass *pass;
    struct quipu__batch *batch;
    struct quipu_batch columns; /* of the batch */
    const uint8_t *at, *limit;  /* the current line, and where no further line can begin */
    uint64_t offset;            /* of at = NULL: the byte offset of a line is offset + at */
    int64_t time;
    int64_t processor, process; /* of the line before */
    uint32_t location;          /* and theirs */
    int64_t *last_time;         /* of an event of theirs; NULL: they are not of this pass */
    bool is_located;            /* there was a line before */
    bool has_attributes;        /* they are asked for */
    bool wants_enter, wants_leave, wants_send, wants_recv; /* these are, too */
};

/* Where lines must end to be read here: in the window with room after them, and in the span being read. */
static const uint8_t *limit_of(const struct quipu__picl_pass *pass) {
    const struct quipu__picl_decoder *decoder = &pass->walk.decoder;
    if (!quipu__picl_may_be_fast(decoder) || (pass->spans.count > 0 && pass->span == pass->spans.count))
        return decoder->at;
    const uint8_t *const limit = decoder->end - QUIPU__PICL_FAST_BYTES + 1;
    if (pass->spans.count == 0)
        return limit;
    const uint64_t end = pass->spans.items[pass->span].end, offset = quipu__picl_walk_offset(&pass->walk);
    const uint64_t left = end > offset ? end - offset : 0;
    return left < (uint64_t)(limit - decoder->at) ? decoder->at + left : limit;
}

/* ---- Events ---- */

QUIPU__INLINE uint32_t add_event(struct fast *f, enum quipu_kind kind) {
    return quipu__batch_add(&f->columns, f->time, kind, f->location, f->offset + (uintptr_t)f->at);
}

/* ---- Attributes ---- */

QUIPU__INLINE void put_integer(struct quipu_attribute *at, uint32_t event, uint32_t key, int64_t value) {
    at->event = event;
    at->value.key = key;
    at->value.type = QUIPU_VALUE_I64;
    at->value.size = 0;
    at->value.i = value;
}

/* For the event added last; there is room. */
QUIPU__INLINE void add_attribute(struct fast *f, uint32_t key, int64_t value) {
    put_integer(&f->batch->attributes.items[f->batch->attributes.count], f->columns.count - 1, key, value);
    f->batch->attributes.count += key != QUIPU_NONE;
}

QUIPU__INLINE void add_values(struct fast *f, const uint32_t *keys, uint32_t count) {
    for (uint32_t i = 0; f->has_attributes && i < count; i++)
        add_attribute(f, keys[i], f->pass->record.integers[i]);
}

/* ---- Messages ---- */

QUIPU__INLINE int64_t value_at(const struct fast *f, int index, uint32_t count, int64_t otherwise) {
    return index >= 0 && (uint32_t)index < count ? f->pass->record.integers[index] : otherwise;
}

/* Most often it is the same as that of the message before in the same direction. */
static uint32_t peer_at(const struct fast *f, struct quipu__picl_peer *last, int64_t processor,
                        int64_t process) {
    if (last->location == QUIPU_NONE || last->processor != processor || last->process != process)
        *last = (struct quipu__picl_peer){processor, process,
                                          quipu__picl_location_of(f->pass->own, processor, process)};
    return last->location;
}

static void add_message(struct fast *f, enum quipu_kind kind, const struct quipu__picl_message_values *values,
                        uint32_t count, struct quipu__picl_peer *last) {
    const int64_t bytes = value_at(f, values->bytes, count, -1);
    const uint32_t event = add_event(f, kind);
    f->columns.peer[event] = peer_at(f, last, value_at(f, values->processor, count, QUIPU__PICL_ALL),
                                     value_at(f, values->process, count, QUIPU__PICL_ALL));
    f->columns.group[event] = f->pass->own->world;
    f->columns.tag[event] = value_at(f, values->tag, count, -1);
    f->columns.bytes[event] = bytes < 0 ? QUIPU_UNKNOWN : (uint64_t)bytes;
    f->columns.id[event] = QUIPU_UNKNOWN;
}

/* ---- Lines ---- */

/* What to do with a line: a message to all is many events. */
QUIPU__INLINE enum quipu__picl_action action_of(const struct fast *f, const struct quipu__picl_plan *plan,
                                                const struct quipu__picl_fast_line *line) {
    if (QUIPU__UNLIKELY(line->record_type >= 0))
        return QUIPU__PICL_ACTION_MARKER;
    if (QUIPU__UNLIKELY(!plan ||
                        (line->record_type != QUIPU__PICL_ENTRY && line->record_type != QUIPU__PICL_EXIT)))
        return QUIPU__PICL_ACTION_OTHER;
    const enum quipu__picl_action action =
        line->record_type == QUIPU__PICL_ENTRY ? plan->at_entry : plan->at_exit;
    const bool is_to_all = action == QUIPU__PICL_ACTION_SEND &&
                           value_at(f, plan->message.processor, line->count, 0) == QUIPU__PICL_ALL;
    return is_to_all ? QUIPU__PICL_ACTION_OTHER : action;
}

/* The events of a line, which find room. */
QUIPU__INLINE void add_line(struct fast *f, const struct quipu__picl_fast_line *line,
                            const struct quipu__picl_plan *plan, enum quipu__picl_action action) {
    struct quipu__picl_pass *pass = f->pass;
    const uint32_t region = quipu__picl_region_of(pass->own, line->event_type);
    const bool is_entry = line->record_type == QUIPU__PICL_ENTRY, has_message = line->count >= 3;
    if (QUIPU__UNLIKELY(action == QUIPU__PICL_ACTION_RECEIVE) && has_message && f->wants_recv)
        add_message(f, QUIPU_KIND_recv, &plan->message, line->count, &pass->received_from);
    if (QUIPU__LIKELY(is_entry ? f->wants_enter : f->wants_leave)) {
        f->columns.object[add_event(f, is_entry ? QUIPU_KIND_enter : QUIPU_KIND_leave)] = region;
        add_values(f, plan->keys[line->record_type - QUIPU__PICL_EXIT], line->count);
    }
    if (QUIPU__UNLIKELY(action == QUIPU__PICL_ACTION_SEND) && has_message && f->wants_send)
        add_message(f, QUIPU_KIND_send, &plan->message, line->count, &pass->sent_to);
    pass->records_of[is_entry ? QUIPU__PICL_TYPE_entry : QUIPU__PICL_TYPE_exit]++;
}

static void add_marker(struct fast *f, const struct quipu__picl_fast_line *line) {
    const struct quipu__picl_trace *own = f->pass->own;
    const uint32_t event = add_event(f, QUIPU_KIND_marker);
    f->columns.object[event] = quipu__map_get(&own->markers, (uint64_t)line->record_type);
    f->columns.value[event] = QUIPU_UNKNOWN;
    if (f->has_attributes)
        add_attribute(f, own->keys[QUIPU__PICL_KEY_EVENT], line->event_type);
    add_values(f, own->user_plan.keys[0], line->count);
    f->pass->records_of[QUIPU__PICL_TYPE_user]++;
}

/* Once for a run of lines of one process. */
static void locate(struct fast *f) {
    struct quipu__picl_pass *pass = f->pass;
    const struct quipu__picl_expected *expected = &pass->walk.decoder.expected;
    const uint32_t process = quipu__picl_process_at(pass, expected->processor, expected->process);
    f->processor = expected->processor;
    f->process = expected->process;
    f->is_located = true;
    f->last_time = NULL;
    if (process == QUIPU_NONE || (pass->process != QUIPU_NONE && pass->process != process))
        return;
    f->location = pass->own->processes.items[process].location;
    f->last_time = &pass->progress[pass->own->is_sorted ? 0 : process].time;
}

/* False when the line is for others. */
QUIPU__INLINE bool read_line(struct fast *f) {
    struct quipu__picl_pass *pass = f->pass;
    struct quipu__picl_expected *expected = &pass->walk.decoder.expected;
    struct quipu__picl_fast_line line;
    if (!quipu__picl_read_fast_line(f->at, expected, &line, pass->record.integers))
        return false;
    if (QUIPU__UNLIKELY(!f->is_located || expected->processor != f->processor ||
                        expected->process != f->process))
        locate(f);
    if (QUIPU__LIKELY(f->last_time != NULL)) {
        const struct quipu__picl_plan *plan = quipu__picl_plan_of(pass->own, line.event_type);
        const enum quipu__picl_action action = action_of(f, plan, &line);
        if (QUIPU__UNLIKELY(action == QUIPU__PICL_ACTION_OTHER))
            return false;
        f->time = quipu__picl_ticks_of(pass, &line.time);
        if (QUIPU__UNLIKELY(action == QUIPU__PICL_ACTION_MARKER))
            add_marker(f, &line);
        else
            add_line(f, &line, plan, action);
        pass->pass.records++;
        *f->last_time = f->time;
    }
    pass->walk.decoder.line++;
    f->at = line.behind;
    return true;
}

/* ---- Blocks ----
 *
 * Lines of users' events that are like the one before: entries and exits at the same whole second, with as many decimals, of the same
 * process. They are most of a trace with blocks. All that they are compared with is known before the first one; numbers go
 * straight into the columns: 200 instructions a line with two values, half of what read_line takes. */

struct shape {
    uint64_t seconds, seconds_mask; /* a blank and the bytes of the timestamp up to its point */
    size_t whole_len, time_len;     /* of the timestamp: up to its point, all of it */
    size_t head_len;                /* from the timestamp to the number of data fields */
    unsigned fraction_shift;        /* of eight bytes, so that the decimals fill the upper end */
    uint64_t location, location_mask;
    int64_t second; /* in ticks */
    int64_t scale;  /* ticks of the last decimal */
};

/* False when the lines to come cannot be foreseen. */
static bool see_shape(const struct fast *f, struct shape *out) {
    const struct quipu__picl_pass *pass = f->pass;
    const struct quipu__picl_expected *expected = &pass->walk.decoder.expected;
    const unsigned decimals = expected->decimals;
    if (!f->is_located || !f->last_time || expected->processor != f->processor ||
        expected->process != f->process || expected->location_mask == 0 || expected->whole_len == 0 ||
        expected->whole_len > 7 || decimals > 8 || decimals > pass->own->decimals ||
        expected->seconds + quipu__picl_power_of_ten(decimals) > pass->mantissa_most[decimals])
        return false;
    out->seconds = expected->whole << 8 | ' ';
    out->seconds_mask = expected->whole_mask << 8 | 0xff;
    out->whole_len = expected->whole_len;
    out->time_len = expected->whole_len + decimals;
    out->head_len = out->time_len + expected->location_len;
    out->fraction_shift = 64 - 8 * decimals;
    out->location = expected->location;
    out->location_mask = expected->location_mask;
    out->scale = (int64_t)pass->scale_of[decimals];
    out->second = (int64_t)expected->seconds * out->scale;
    return true;
}

/* The values of a line, each except the last followed by a blank. Returns the next line, or NULL. */
QUIPU__INLINE const uint8_t *read_values(const uint8_t *p, uint32_t count, uint32_t event, const uint32_t *keys,
                                         struct quipu_attribute *added, bool with_attributes) {
    for (;; added++) {
        const uint64_t offsets = quipu__picl_offsets(p), others = quipu__picl_others(offsets);
        if (QUIPU__UNLIKELY(others == 0 || (others & 0x80) != 0))
            return NULL;
        const unsigned bits = quipu__trailing_zeros(others) - 7;
        if (with_attributes)
            put_integer(added, event, *keys++, (int64_t)quipu__picl_join(offsets, bits));
        p += bits / 8 + 1;
        if (--count == 0)
            return p[-1] == '\n' ? p : NULL;
        if (QUIPU__UNLIKELY(p[-1] != ' '))
            return NULL;
    }
}

struct block {
    const uint8_t *data; /* the number of data fields */
    uint64_t fraction;   /* eight digits of the timestamp */
    uint32_t name;       /* digits of the event type, of which there are bits / 8 */
    unsigned bits;
    bool is_exit;
};

/* All of a line but its data. False when it is not such a line. */
QUIPU__INLINE bool read_block(const struct shape *shape, const uint8_t *p, struct block *out) {
    const uint32_t begin =
        (quipu__load_le32(p) & UINT32_C(0xffffff)) - QUIPU__PICL_BEGINS_WITH(QUIPU__PICL_ENTRY);
    const uint32_t name = quipu__load_le32(p + 3) ^ (uint32_t)QUIPU__PICL_EACH('0');
    const uint32_t others =
        ((name + (uint32_t)QUIPU__PICL_EACH(0x76)) | name) & (uint32_t)QUIPU__PICL_EACH(0x80);
    if (((begin & ~QUIPU__PICL_EXIT_BEGINS) | (others & 0x80)) != 0 || others == 0)
        return false;
    const unsigned bits = quipu__trailing_zeros(others) - 7;
    const uint8_t *const stamp = p + 4 + bits / 8;
    const uint64_t fraction = quipu__picl_offsets(stamp + shape->whole_len) << shape->fraction_shift;
    const uint64_t location = quipu__load_le64(stamp + shape->time_len) & shape->location_mask;
    const uint64_t seconds = quipu__load_le64(stamp - 1) & shape->seconds_mask;
    *out = (struct block){stamp + shape->head_len, fraction, name, bits, begin != 0};
    return ((seconds ^ shape->seconds) | (location ^ shape->location) | quipu__picl_others(fraction)) == 0;
}

QUIPU__INLINE const uint8_t *read_data(const uint8_t *p, uint32_t count, uint32_t event, const uint32_t *keys,
                                       struct quipu_attribute *added, bool with_attributes) {
    if (QUIPU__UNLIKELY(count == 0))
        return p[1] == '\n' ? p + 2 : NULL;
    if (QUIPU__UNLIKELY(count > QUIPU__PICL_FAST_VALUES ||
                        quipu__load_le32(p) >> 8 != QUIPU__PICL_INTEGERS_FOLLOW))
        return NULL;
    return read_values(p + 4, count, event, keys, added, with_attributes);
}

/* The number of events that there may be in the batch without looking for room again. */
static uint32_t events_most(const struct fast *f) {
    const size_t room = f->batch->attributes.capacity - f->batch->attributes.count;
    const size_t lines = f->has_attributes ? room / QUIPU__PICL_FAST_VALUES : SIZE_MAX;
    const uint32_t left = f->columns.capacity - f->columns.count;
    return lines < left ? f->columns.count + (uint32_t)lines : f->columns.capacity;
}

static void count_blocks(const struct fast *f, uint32_t entries, uint32_t exits) {
    struct quipu__picl_pass *pass = f->pass;
    pass->records_of[QUIPU__PICL_TYPE_entry] += entries;
    pass->records_of[QUIPU__PICL_TYPE_exit] += exits;
    pass->pass.records += entries + exits;
    pass->walk.decoder.line += entries + exits;
    *f->last_time = f->time;
}

QUIPU__INLINE void read_blocks(struct fast *f, const struct shape *shape, bool with_attributes) {
    const struct quipu_batch batch = f->columns;
    const uint32_t *const keys = f->pass->own->user_plan.keys[0];
    const uint32_t *const regions = f->pass->own->region_of + QUIPU__PICL_EVENT_LIMIT;
    const uint32_t location = f->location, most = events_most(f);
    const uint8_t *p = f->at, *const limit = f->limit;
    struct quipu_attribute *added = f->batch->attributes.items + f->batch->attributes.count;
    uint32_t event = batch.count, lines = 0, exits = 0;
    int64_t time = f->time;
    while (p < limit && event < most) {
        struct block block;
        if (!read_block(shape, p, &block))
            break;
        const uint32_t count = (uint8_t)(*block.data - '0');
        const uint8_t *behind = read_data(block.data, count, event, keys, added, with_attributes);
        if (QUIPU__UNLIKELY(!behind))
            break;
        time = shape->second + (int64_t)quipu__picl_join(block.fraction, 64) * shape->scale;
        batch.time[event] = time;
        batch.kind[event] = block.is_exit ? QUIPU_KIND_leave : QUIPU_KIND_enter;
        batch.location[event] = location;
        batch.byte_offset[event] = f->offset + (uintptr_t)p;
        batch.object[event] = regions[quipu__picl_join(block.name, block.bits)];
        const bool is_wanted = block.is_exit ? f->wants_leave : f->wants_enter;
        added += with_attributes && is_wanted ? count : 0;
        exits += block.is_exit;
        lines++;
        event += is_wanted;
        p = behind;
    }
    f->at = p;
    f->time = time;
    f->columns.count = event;
    f->batch->attributes.count = (size_t)(added - f->batch->attributes.items);
    count_blocks(f, lines - exits, exits);
}

/* Whether the current line may be a block. */
static bool is_block(const struct fast *f) {
    return f->at < f->limit && f->at[0] == '-' && (uint8_t)(f->at[3] - '0') <= 9;
}

static void take_blocks(struct fast *f) {
    struct shape shape;
    if (!is_block(f) || !see_shape(f, &shape))
        return;
    if (f->has_attributes)
        read_blocks(f, &shape, true);
    else
        read_blocks(f, &shape, false);
}

/* ---- The loop ---- */

static bool make_room(const struct fast *f) {
    struct quipu__batch *batch = f->batch;
    return batch->attributes.capacity - batch->attributes.count >= ATTRIBUTES_MOST ||
           QUIPU__VEC_RESERVE(batch->memory, &batch->attributes, ATTRIBUTES_MOST);
}

bool quipu__picl_take_calls(struct quipu__picl_pass *pass, struct quipu__batch *batch) {
    struct quipu__picl_decoder *decoder = &pass->walk.decoder;
    if (pass->own->variant != QUIPU__PICL_NEW_FORMAT || pass->next_due < INT64_MAX)
        return true;
    const struct quipu__filter *filter = pass->pass.filter;
    struct fast f = {.pass = pass,
                     .batch = batch,
                     .columns = batch->batch,
                     .at = decoder->at,
                     .limit = limit_of(pass),
                     .offset = decoder->offset - (uintptr_t)decoder->end,
                     .has_attributes = !filter->without_attributes,
                     .wants_enter = quipu__filter_kind(filter, QUIPU_KIND_enter),
                     .wants_leave = quipu__filter_kind(filter, QUIPU_KIND_leave),
                     .wants_send = quipu__filter_kind(filter, QUIPU_KIND_send),
                     .wants_recv = quipu__filter_kind(filter, QUIPU_KIND_recv)};
    bool has_room = true;
    while (f.at < f.limit && f.columns.capacity - f.columns.count >= EVENTS_MOST &&
           (has_room = make_room(&f)) && read_line(&f))
        take_blocks(&f);
    decoder->at = f.at;
    batch->batch.count = f.columns.count;
    batch->batch.attributes = batch->attributes.items;
    batch->batch.attribute_count = (uint32_t)batch->attributes.count;
    return has_room;
}
