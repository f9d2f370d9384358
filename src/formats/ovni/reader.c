/* reader.c: passes over the events of a stream, and events as records. */
#include "formats/ovni/format.h"

#include "core/memory/pack.h"

#include <inttypes.h>
#include <string.h>

/* Most out-of-order events held at a time; beyond that they are given before their time. */
#define HELD_MOST ((uint32_t)1 << 20)

/* ---- Opening ---- */

static void set_thread(struct quipu__ovni_pass *pass, const struct quipu__ovni_trace *own) {
    const struct quipu__ovni_stream *stream = &own->files.streams.items[pass->common.stream];
    pass->has_old_models = stream->has_old_models;
    pass->thread = own->system.thread_of[pass->common.stream];
    pass->location = QUIPU_NONE;
    pass->offset = (int64_t)(0 - (uint64_t)own->origin);
    pass->watermark = INT64_MIN;
    if (pass->thread == QUIPU_NONE)
        return;
    const struct quipu__ovni_thread *thread = &own->system.threads.items[pass->thread];
    pass->location = own->thread_locations[pass->thread];
    pass->process = thread->process;
    pass->offset = (int64_t)((uint64_t)own->system.looms.items[thread->loom].offset - (uint64_t)own->origin);
}

enum quipu_status quipu__ovni_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                        struct quipu_error *err) {
    struct quipu__ovni_trace *own = quipu__ovni_of(common->trace);
    const struct quipu__ovni_stream *stream = &own->files.streams.items[common->stream];
    *out = NULL;
    if (stream->is_missing)
        return QUIPU_END;
    struct quipu__ovni_pass *pass = quipu__alloc_zero(own->memory, sizeof *pass);
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    quipu__scratch_init(&pass->scratch, own->memory);
    quipu__reorder_init(&pass->reorder, own->memory, HELD_MOST);
    set_thread(pass, own);
    const enum quipu_status status = quipu__ovni_walk_open(&pass->walk, own->trace->files, stream->path,
                                                           stream->has_header, common->window, err);
    if (status != QUIPU_OK) {
        quipu__ovni_pass_close(&pass->common);
        return status;
    }
    *out = &pass->common;
    return QUIPU_OK;
}

void quipu__ovni_pass_close(struct quipu__pass *common) {
    struct quipu__ovni_pass *pass = (struct quipu__ovni_pass *)common;
    if (!pass)
        return;
    if (pass->walk.input)
        quipu__ovni_walk_close(&pass->walk);
    quipu__reorder_release(&pass->reorder);
    quipu__scratch_release(&pass->scratch);
    quipu__release(common->trace->memory, pass, sizeof *pass);
}

/* ---- Findings ---- */

static void find(struct quipu__ovni_pass *pass, enum quipu__ovni_rule rule, uint64_t offset, const char *type,
                 const char *found) {
    const struct quipu__ovni_trace *own = quipu__ovni_of(pass->common.trace);
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = own->files.streams.items[pass->common.stream].path;
    where.byte = offset;
    where.record = pass->common.records;
    where.type = type;
    quipu__find(pass->common.trace->findings, &quipu__ovni_rules[rule], &where, "", "%s", found);
}

/* Clocks may go back in regions of late events only. */
static void check_clock(struct quipu__ovni_pass *pass) {
    const struct quipu__ovni_event *event = &pass->event;
    const bool is_region = event->model == 'O' && event->category == 'U';
    const int64_t clock = (int64_t)event->clock;
    if (is_region && (event->value == '[' || event->value == ']'))
        pass->is_in_region = event->value == '[';
    if (pass->walk.events > 1 && clock < pass->before)
        find(pass, pass->is_in_region ? QUIPU__OVNI_RULE_LATE : QUIPU__OVNI_RULE_CLOCK_BACK, event->offset, "",
             " ");
    if (!pass->is_in_region || clock > pass->before)
        pass->before = clock;
}

/* ---- Events ---- */

static enum quipu_status end_pass(struct quipu__ovni_pass *pass) {
    pass->common.bytes = quipu__input_offset(pass->walk.input);
    if (pass->walk.damage == QUIPU__OVNI_RULE_COUNT)
        return QUIPU_END;
    const uint64_t left = (uint64_t)(pass->walk.input->end - pass->walk.input->at);
    find(pass, (enum quipu__ovni_rule)pass->walk.damage, quipu__input_offset(pass->walk.input), "",
         pass->walk.found);
    pass->common.bytes += left;
    if (pass->common.substream == QUIPU__RECORDS)
        pass->common.skipped = left;
    return QUIPU_END;
}

static void count(struct quipu__ovni_pass *pass, uint32_t type) {
    pass->common.records++;
    if (pass->common.records_of)
        pass->common.records_of[type]++;
    pass->common.bytes = quipu__input_offset(pass->walk.input) + pass->walk.taken;
}

/* The beginning of a stream, which is a record if there is a header. QUIPU_OK when there is one. */
static enum quipu_status begin(struct quipu__ovni_pass *pass, struct quipu_error *err) {
    pass->has_started = true;
    const enum quipu_status status = quipu__ovni_walk_begin(&pass->walk, err);
    if (status == QUIPU_END)
        return end_pass(pass);
    if (status == QUIPU_OK && pass->walk.has_header)
        count(pass, QUIPU__OVNI_RECORD_TYPE_header);
    return status;
}

/* The next event of a pass, counted; QUIPU_END, with a finding if the stream is truncated. */
static enum quipu_status next_event(struct quipu__ovni_pass *pass, struct quipu_error *err) {
    enum quipu_status status = pass->has_started ? QUIPU_OK : begin(pass, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__ovni_walk_next(&pass->walk, &pass->event, err);
    if (QUIPU__UNLIKELY(status != QUIPU_OK))
        return status == QUIPU_END ? end_pass(pass) : status;
    check_clock(pass);
    count(pass, pass->event.is_jumbo ? QUIPU__OVNI_RECORD_TYPE_jumbo : QUIPU__OVNI_RECORD_TYPE_event);
    return QUIPU_OK;
}

/* ---- Records ---- */

static const uint8_t *copy_bytes(struct quipu__ovni_pass *pass, const uint8_t *bytes, uint32_t len) {
    uint8_t *copy = quipu__scratch_sized(&pass->scratch, len, 1);
    if (copy)
        memcpy(copy, bytes, len);
    return copy;
}

static void set_event(struct quipu__ovni_pass *pass) {
    const struct quipu__ovni_event *event = &pass->event;
    const char code[3] = {(char)event->model, (char)event->category, (char)event->value};
    const char *text = quipu__scratch_text(&pass->scratch, code, sizeof code);
    const uint8_t *payload = copy_bytes(pass, event->payload, event->len);
    if (event->is_jumbo)
        pass->record.jumbo = (struct quipu__ovni_record_jumbo){event->flags, text, event->clock, payload};
    else
        pass->record.event = (struct quipu__ovni_record_event){event->flags, text, event->clock, payload};
}

enum quipu_status quipu__ovni_next_record(struct quipu__pass *common, struct quipu_record *out,
                                          struct quipu_error *err) {
    struct quipu__ovni_pass *pass = (struct quipu__ovni_pass *)common;
    uint32_t type = QUIPU__OVNI_RECORD_TYPE_header;
    const bool is_first = !pass->has_started;
    quipu__scratch_reset(&pass->scratch);
    enum quipu_status status = is_first ? begin(pass, err) : QUIPU_OK;
    if (status == QUIPU_OK && is_first && pass->walk.has_header) {
        pass->record.header = (struct quipu__ovni_record_header){(uint32_t)pass->walk.version};
    } else if (status == QUIPU_OK) {
        status = next_event(pass, err);
        type = pass->event.is_jumbo ? QUIPU__OVNI_RECORD_TYPE_jumbo : QUIPU__OVNI_RECORD_TYPE_event;
        if (status == QUIPU_OK)
            set_event(pass);
    }
    if (status != QUIPU_OK)
        return status;
    *out = (struct quipu_record){
        .type = &quipu__ovni_record_types[type],
        .data = &pass->record,
        .stream = common->stream,
        .byte_offset = type == QUIPU__OVNI_RECORD_TYPE_header ? 0 : pass->event.offset,
        .line = QUIPU_UNKNOWN,
        .index = common->records - 1,
    };
    return quipu__memory_status(common->trace->memory, err);
}

/* ---- Batches ---- */

/* Adds the model's events of the current event to the batch. If clocks go back, all are held until nothing earlier can
 * follow. */
static enum quipu_status make_events(struct quipu__ovni_pass *pass, struct quipu__batch *batch,
                                     int64_t disorder, struct quipu_error *err) {
    const uint32_t first = batch->batch.count;
    const int64_t time = (int64_t)(pass->event.clock + (uint64_t)pass->offset);
    quipu__ovni_make(pass, batch);
    if (disorder == 0)
        return QUIPU_OK;
    pass->watermark = time > pass->watermark ? time : pass->watermark;
    const enum quipu_status status =
        batch->batch.count > first ? quipu__reorder_hold(&pass->reorder, batch, first, err) : QUIPU_OK;
    return status == QUIPU_LIMIT ? QUIPU_OK : status;
}

static enum quipu_status give(struct quipu__ovni_pass *pass, struct quipu__batch *batch, int64_t disorder,
                              struct quipu_error *err) {
    if (disorder == 0 || pass->watermark <= INT64_MIN + disorder)
        return QUIPU_OK;
    return quipu__reorder_give(&pass->reorder, pass->watermark - disorder - 1, batch, err);
}

static enum quipu_status fill(struct quipu__ovni_pass *pass, struct quipu__batch *batch,
                              struct quipu_error *err) {
    const struct quipu__ovni_trace *own = quipu__ovni_of(pass->common.trace);
    const int64_t disorder = own->extents[pass->common.stream].disorder;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && quipu__batch_left(batch) >= QUIPU__OVNI_EVENTS_MOST) {
        status = next_event(pass, err);
        if (status != QUIPU_OK)
            return status;
        status = make_events(pass, batch, disorder, err);
        if (status == QUIPU_OK)
            status = give(pass, batch, disorder, err);
    }
    return status;
}

enum quipu_status quipu__ovni_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                         struct quipu_error *err) {
    struct quipu__ovni_pass *pass = (struct quipu__ovni_pass *)common;
    enum quipu_status status = QUIPU_OK;
    if (batch->batch.capacity < 2 * QUIPU__OVNI_EVENTS_MOST)
        status = quipu__batch_grow(batch, 2 * QUIPU__OVNI_EVENTS_MOST, err);
    if (status == QUIPU_OK)
        status = pass->is_drained ? QUIPU_END : fill(pass, batch, err);
    pass->is_drained |= status == QUIPU_END;
    if (status == QUIPU_END)
        status = quipu__reorder_give(&pass->reorder, INT64_MAX, batch, err);
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

/* ---- Resuming ---- */

/* Where the record of the earliest event in the file lies that is held or will be read: events are given again from there on. */
static enum quipu_status pass_save(const struct quipu__pass *common, struct quipu__buffer *out,
                                   struct quipu_error *err) {
    const struct quipu__ovni_pass *pass = (const struct quipu__ovni_pass *)common;
    if (!pass->has_started || pass->is_drained || !quipu__input_can_seek(pass->walk.input))
        return QUIPU_OK;
    uint64_t offset = quipu__input_offset(pass->walk.input) + pass->walk.taken;
    for (size_t i = 0; i < pass->reorder.heap.count; i++) {
        const uint64_t held = pass->reorder.held->batch.byte_offset[pass->reorder.heap.items[i].event];
        offset = held < offset ? held : offset;
    }
    quipu__pack_u64(out, offset);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

/* A sound stream, and no other has an index, goes back only inside of regions of late events: that is where the place is taken to be until the
 * end of a region or the beginning of one shows more. */
static enum quipu_status pass_resume(struct quipu__pass *common, struct quipu__slice bytes,
                                     struct quipu_error *err) {
    struct quipu__ovni_pass *pass = (struct quipu__ovni_pass *)common;
    const struct quipu__ovni_trace *own = quipu__ovni_of(common->trace);
    const uint64_t offset = quipu__unpack_up_to(&bytes, own->files.streams.items[common->stream].bytes);
    if (bytes.failed || quipu__slice_left(&bytes) > 0)
        return quipu__fail(err, QUIPU_CORRUPT, "what was kept of a place in %s is damaged",
                           own->files.streams.items[common->stream].path);
    pass->has_started = pass->walk.has_started = pass->is_in_region = true;
    pass->walk.is_big = own->extents[common->stream].is_big;
    pass->walk.taken = 0;
    common->bytes = offset;
    const enum quipu_status status = quipu__input_more(pass->walk.input, 1, err);
    return status == QUIPU_OK ? quipu__input_seek(pass->walk.input, offset, err) : status;
}

const struct quipu__resuming quipu__ovni_resuming = {.save = pass_save, .resume = pass_resume};
