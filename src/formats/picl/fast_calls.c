/* fast_calls.c: entries and exits that are regions, with or without a message that is sent or received, straight from lines into the
 * columns of a batch: nearly all events of a trace. What they become is said by the plan of their event type (plans.c). Anything
 * else ends the run and goes through to_model.c, which makes the same of these records (test_fast_line.c compares them). */
#include "formats/picl/fast_line.h"
#include "formats/picl/format.h"

/* Most events that such a record makes. */
enum { EVENTS_MOST = 2 };

struct fast {
    struct quipu__picl_pass *pass;
    struct quipu__batch *batch;
    struct quipu_batch columns; /* of the batch */
    const uint8_t *at, *limit;  /* the line at hand, and where no line can begin any more */
    uint64_t offset;            /* of at = NULL: the byte offset of a line is offset + at */
    int64_t time;
    int64_t processor, process; /* of the line before */
    uint32_t location;          /* and theirs */
    int64_t *last_time;         /* of an event of theirs; NULL: they are not of this pass */
    bool is_located;            /* there was a line before */
    bool has_attributes;        /* they are asked for */
    bool done;                  /* memory has not run out */
};

/* Where lines must end to be read here: in the window with room behind them, and in the span that is read. */
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

QUIPU__INLINE void add_call(struct fast *f, bool is_entry, uint32_t region) {
    f->columns.object[add_event(f, is_entry ? QUIPU_KIND_enter : QUIPU_KIND_leave)] = region;
}

/* Values as attributes of the event added last, for which there is room. */
QUIPU__INLINE void add_values(struct fast *f, const uint32_t *keys, uint32_t count) {
    struct quipu__batch *batch = f->batch;
    const int64_t *integers = f->pass->record.integers;
    if (count == 0 || !f->has_attributes)
        return;
    struct quipu_attribute *added = batch->attributes.items + batch->attributes.count;
    for (uint32_t i = 0; i < count; i++) {
        *added = (struct quipu_attribute){f->columns.count - 1,
                                          {.key = keys[i], .type = QUIPU_VALUE_I64, .i = integers[i]}};
        added += keys[i] != QUIPU_NONE;
    }
    batch->attributes.count = (size_t)(added - batch->attributes.items);
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

/* What is to be done with a line: a message to all is many events. */
QUIPU__INLINE enum quipu__picl_action action_of(const struct fast *f, const struct quipu__picl_plan *plan,
                                                const struct quipu__picl_fast_line *line) {
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
    const uint32_t region = quipu__picl_region_of(f->pass->own, line->event_type);
    const bool is_entry = line->record_type == QUIPU__PICL_ENTRY, has_message = line->count >= 3;
    f->time = quipu__picl_ticks_of(f->pass, &line->time);
    if (QUIPU__UNLIKELY(action == QUIPU__PICL_ACTION_RECEIVE) && has_message)
        add_message(f, QUIPU_KIND_recv, &plan->message, line->count, &f->pass->received_from);
    add_call(f, is_entry, region);
    add_values(f, plan->keys[line->record_type - QUIPU__PICL_EXIT], line->count);
    if (QUIPU__UNLIKELY(action == QUIPU__PICL_ACTION_SEND) && has_message)
        add_message(f, QUIPU_KIND_send, &plan->message, line->count, &f->pass->sent_to);
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
        add_line(f, &line, plan, action);
        pass->records_of[line.record_type == QUIPU__PICL_ENTRY ? QUIPU__PICL_TYPE_entry
                                                               : QUIPU__PICL_TYPE_exit]++;
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
    unsigned whole_len, time_len;   /* of the timestamp, from its first byte */
    unsigned fraction_shift;        /* of eight bytes, so that the decimals fill the upper end */
    uint64_t location, location_mask;
    unsigned location_len;
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
    out->whole_len = (unsigned)expected->whole_len;
    out->time_len = out->whole_len + decimals;
    out->fraction_shift = 64 - 8 * decimals;
    out->location = expected->location;
    out->location_mask = expected->location_mask;
    out->location_len = (unsigned)expected->location_len;
    out->scale = (int64_t)pass->scale_of[decimals];
    out->second = (int64_t)expected->seconds * out->scale;
    return true;
}

/* The values of a line, each ended by a blank but for the last one. Returns the next line, or NULL. */
QUIPU__INLINE const uint8_t *read_values(const uint8_t *p, uint32_t count, uint32_t event, const uint32_t *keys,
                                         struct quipu_attribute *added, bool with_attributes) {
    for (;; added++) {
        const uint64_t offsets = quipu__picl_offsets(p), others = quipu__picl_others(offsets);
        if (QUIPU__UNLIKELY(others == 0 || (others & 0x80) != 0))
            return NULL;
        const unsigned bits = quipu__trailing_zeros(others) - 7;
        if (with_attributes) {
            added->event = event;
            added->value.key = *keys++;
            added->value.type = QUIPU_VALUE_I64;
            added->value.size = 0;
            added->value.i = (int64_t)quipu__picl_join(offsets, bits);
        }
        p += bits / 8 + 1;
        if (--count == 0)
            return p[-1] == '\n' ? p : NULL;
        if (QUIPU__UNLIKELY(p[-1] != ' '))
            return NULL;
    }
}

/* What stands behind the number of data fields: blank, descriptor of integers, blank. */
#define INTEGERS ((uint32_t)' ' | (uint32_t)('0' + QUIPU__PICL_INTEGERS) << 8 | (uint32_t)' ' << 16)

QUIPU__INLINE void read_blocks(struct fast *f, bool with_attributes) {
    struct quipu__picl_pass *pass = f->pass;
    struct shape shape;
    if (!see_shape(f, &shape))
        return;
    const struct quipu_batch batch = f->columns;
    const uint32_t *const keys = pass->own->user_plan.keys[0];
    const uint32_t *const regions = pass->own->region_of + QUIPU__PICL_EVENT_LIMIT;
    const uint32_t location = f->location, first = batch.count, most = batch.capacity;
    const uint8_t *p = f->at, *const limit = f->limit;
    struct quipu_attribute *added = f->batch->attributes.items + f->batch->attributes.count;
    struct quipu_attribute *const last =
        f->batch->attributes.items + f->batch->attributes.capacity - QUIPU__PICL_FAST_VALUES;
    uint32_t count = first, exits = 0;
    int64_t time = f->time;
    while (p < limit && count < most && (!with_attributes || added <= last)) {
        const uint32_t begin =
            (quipu__load_le32(p) & UINT32_C(0xffffff)) - QUIPU__PICL_BEGINS_WITH(QUIPU__PICL_ENTRY);
        const uint32_t name = quipu__load_le32(p + 3) ^ (uint32_t)QUIPU__PICL_EACH('0');
        const uint32_t others =
            ((name + (uint32_t)QUIPU__PICL_EACH(0x76)) | name) & (uint32_t)QUIPU__PICL_EACH(0x80);
        if (((begin & ~UINT32_C(0x100)) | (others & 0x80)) != 0 || others == 0)
            break;
        const unsigned bits = quipu__trailing_zeros(others) - 7;
        const uint8_t *const stamp = p + 4 + bits / 8, *const data =
                                                           stamp + shape.time_len + shape.location_len;
        const uint64_t fraction = quipu__picl_offsets(stamp + shape.whole_len) << shape.fraction_shift;
        const uint64_t place = quipu__load_le64(stamp + shape.time_len) & shape.location_mask;
        if ((((quipu__load_le64(stamp - 1) & shape.seconds_mask) ^ shape.seconds) | (place ^ shape.location) |
             quipu__picl_others(fraction)) != 0)
            break;
        const uint32_t values = (uint8_t)(data[0] - '0');
        const uint8_t *behind = data[1] == '\n' ? data + 2 : NULL;
        if (values > QUIPU__PICL_FAST_VALUES)
            break;
        if (values > 0)
            behind = quipu__load_le32(data) >> 8 == INTEGERS
                         ? read_values(data + 4, values, count, keys, added, with_attributes)
                         : NULL;
        if (QUIPU__UNLIKELY(!behind))
            break;
        time = shape.second + (int64_t)quipu__picl_join_eight(fraction) * shape.scale;
        batch.time[count] = time;
        batch.kind[count] = begin == 0 ? QUIPU_KIND_enter : QUIPU_KIND_leave;
        batch.location[count] = location;
        batch.byte_offset[count] = f->offset + (uintptr_t)p;
        batch.object[count] = regions[quipu__picl_join(name, bits)];
        added += values;
        exits += begin != 0;
        count++;
        p = behind;
    }
    f->at = p;
    f->time = time;
    f->columns.count = count;
    if (with_attributes)
        f->batch->attributes.count = (size_t)(added - f->batch->attributes.items);
    pass->records_of[QUIPU__PICL_TYPE_entry] += count - first - exits;
    pass->records_of[QUIPU__PICL_TYPE_exit] += exits;
    pass->pass.records += count - first;
    pass->walk.decoder.line += count - first;
    *f->last_time = time;
}

/* ---- The loop ---- */

static bool make_room(struct fast *f) {
    struct quipu__batch *batch = f->batch;
    if (batch->attributes.capacity - batch->attributes.count < QUIPU__PICL_FAST_VALUES)
        f->done = QUIPU__VEC_RESERVE(batch->memory, &batch->attributes, QUIPU__PICL_FAST_VALUES);
    return f->done;
}

bool quipu__picl_take_calls(struct quipu__picl_pass *pass, struct quipu__batch *batch) {
    struct quipu__picl_decoder *decoder = &pass->walk.decoder;
    if (pass->own->variant != QUIPU__PICL_NEW_FORMAT || pass->next_due < INT64_MAX)
        return true;
    struct fast f = {.pass = pass,
                     .batch = batch,
                     .columns = batch->batch,
                     .at = decoder->at,
                     .limit = limit_of(pass),
                     .offset = decoder->offset - (uintptr_t)decoder->end,
                     .has_attributes = !pass->pass.filter->without_attributes,
                     .done = true};
    while (f.at < f.limit && f.columns.capacity - f.columns.count >= EVENTS_MOST && make_room(&f) &&
           read_line(&f)) {
        if (f.has_attributes)
            read_blocks(&f, true);
        else
            read_blocks(&f, false);
    }
    decoder->at = f.at;
    batch->batch.count = f.columns.count;
    batch->batch.attributes = batch->attributes.items;
    batch->batch.attribute_count = (uint32_t)batch->attributes.count;
    return f.done;
}
