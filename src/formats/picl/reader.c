/* reader.c: passes: records in the order of the file, or the events of one substream.
 *
 * A substream of one process reads the spans of the file that hold its records and leaves out those of others. Messages are written at once and
 * precede older records of their process: the reorder buffer holds them until they are due. Statistics may follow later events of other
 * processes; they are delivered at the time of those. */
#include "formats/picl/format.h"

#include "core/error.h"
#include "core/memory/pack.h"
#include "formats/picl/fast_line.h"

/* ---- A walk over the file: input, decoder and the two formats behind one step ---- */

enum quipu_status quipu__picl_walk_open(struct quipu__picl_walk *walk, struct quipu__picl_trace *own,
                                        size_t window, struct quipu_error *err) {
    walk->own = own;
    quipu__picl_decoder_init(&walk->decoder, own->trace->memory, &own->scope);
    return quipu__input_open(own->trace->files, own->trace->path, QUIPU__CODEC_DETECT, window, &walk->input,
                             err);
}

void quipu__picl_walk_close(struct quipu__picl_walk *walk) {
    quipu__input_close(walk->input);
    if (walk->own) {
        quipu__picl_decoder_release(&walk->decoder);
        quipu__picl_old_release(&walk->old, walk->own->trace->memory);
    }
    walk->input = NULL;
    walk->own = NULL;
}

/* Shows the decoder what the input shows. */
static void show_window(struct quipu__picl_walk *walk) {
    walk->decoder.at = walk->input->at;
    walk->decoder.end = walk->input->end;
    walk->decoder.ended = walk->input->ended;
    walk->decoder.offset = walk->input->end_offset;
}

/* Compressed files cannot be sought: they are read again from the beginning, up to the place. */
static enum quipu_status skip_to(struct quipu__picl_walk *walk, uint64_t byte, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (quipu__input_offset(walk->input) > byte)
        status = quipu__input_seek(walk->input, 0, err);
    while (status == QUIPU_OK && walk->input->end_offset < byte && !walk->input->ended) {
        walk->input->at = walk->input->end;
        status = quipu__input_more(walk->input, 1, err);
    }
    if (status == QUIPU_OK && walk->input->end_offset >= byte)
        walk->input->at = walk->input->end - (walk->input->end_offset - byte);
    return status;
}

/* Goes to a line. */
static enum quipu_status walk_seek(struct quipu__picl_walk *walk, uint64_t byte, uint64_t line,
                                   struct quipu_error *err) {
    walk->decoder.next = NULL;
    walk->decoder.line = line;
    walk->old.converted_next = walk->old.converted_count = 0;
    if (walk->decoder.end)
        walk->input->at = walk->decoder.at;
    enum quipu_status status =
        quipu__input_more(walk->input, 1, err); /* so that it is known what can be sought */
    if (status == QUIPU_OK && quipu__input_offset(walk->input) != byte)
        status = quipu__input_can_seek(walk->input) ? quipu__input_seek(walk->input, byte, err)
                                                    : skip_to(walk, byte, err);
    show_window(walk);
    return status;
}

/* A line that is longer than a window can be: what of it is there is left out. */
static enum quipu_status skip_window(struct quipu__picl_walk *walk) {
    const struct quipu__picl_decoder *decoder = &walk->decoder;
    if (decoder->report)
        decoder->report(decoder->context, QUIPU__PICL_RULE_LONG_LINE, decoder->line,
                        quipu__picl_walk_offset(walk), "");
    walk->input->at = walk->input->end;
    show_window(walk);
    return QUIPU_OK;
}

/* The decoder needs more than the window has. QUIPU_END at the end of the file. */
static enum quipu_status read_on(struct quipu__picl_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    if (walk->decoder.end)
        input->at = walk->decoder.at;
    if (input->ended && (input->at == input->end || walk->decoder.ended))
        return QUIPU_END;
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const size_t left = (size_t)(input->end - input->at);
    const enum quipu_status status = left < QUIPU__PICL_FAST_BYTES
                                         ? quipu__input_more(input, QUIPU__PICL_FAST_BYTES, &trouble)
                                         : quipu__input_widen(input, &trouble);
    show_window(walk);
    if (status == QUIPU_LIMIT)
        return skip_window(walk);
    if (status != QUIPU_OK && err)
        *err = trouble;
    return status;
}

static enum quipu__picl_decoded decode_old(struct quipu__picl_walk *walk, struct quipu__picl_record *record) {
    struct quipu__picl_old_decoder *old = &walk->old;
    struct quipu__picl_old_record from;
    if (old->converted_next == old->converted_count) {
        const enum quipu__picl_decoded decoded = quipu__picl_old_decode(&walk->decoder, old, &from);
        if (decoded != QUIPU__PICL_RECORD)
            return decoded;
        quipu__picl_old_to_new(old, &from);
        if (old->converted_count == 0)
            return QUIPU__PICL_NOTHING;
    }
    *record = old->converted[old->converted_next++];
    return QUIPU__PICL_RECORD;
}

/* Whether a record was cut by the end of the window and more has been read since, so that it must be decoded again. */
static bool is_cut(struct quipu__picl_walk *walk, enum quipu__picl_decoded decoded, enum quipu_status *status,
                   struct quipu_error *err) {
    *status = QUIPU_OK;
    if (decoded == QUIPU__PICL_NO_MEMORY)
        *status = quipu__no_memory(err, sizeof(struct quipu__picl_record));
    if (decoded == QUIPU__PICL_CUT)
        *status = read_on(walk, err);
    return decoded == QUIPU__PICL_CUT && *status == QUIPU_OK;
}

enum quipu_status quipu__picl_walk_step(struct quipu__picl_walk *walk, struct quipu__picl_record *record,
                                        bool *is_record, struct quipu_error *err) {
    enum quipu__picl_decoded decoded;
    enum quipu_status status;
    do {
        decoded = walk->own->variant == QUIPU__PICL_NEW_FORMAT ? quipu__picl_decode(&walk->decoder, record)
                                                               : decode_old(walk, record);
    } while (is_cut(walk, decoded, &status, err));
    *is_record = decoded == QUIPU__PICL_RECORD;
    return status;
}

enum quipu_status quipu__picl_walk_old_step(struct quipu__picl_walk *walk,
                                            struct quipu__picl_old_record *record, bool *is_record,
                                            struct quipu_error *err) {
    enum quipu__picl_decoded decoded;
    enum quipu_status status;
    do {
        decoded = quipu__picl_old_decode(&walk->decoder, &walk->old, record);
    } while (is_cut(walk, decoded, &status, err));
    *is_record = decoded == QUIPU__PICL_RECORD;
    return status;
}

enum quipu_status quipu__picl_walk_all(struct quipu__picl_trace *own, struct quipu__picl_record *record,
                                       void (*look)(void *context), void *context, struct quipu_error *err) {
    struct quipu__picl_walk walk = {0};
    enum quipu_status status = quipu__picl_walk_open(&walk, own, QUIPU__PICL_SCAN_WINDOW, err);
    while (status == QUIPU_OK) {
        bool is_record;
        status = quipu__picl_walk_step(&walk, record, &is_record, err);
        if (status == QUIPU_OK && is_record)
            look(context);
    }
    quipu__picl_walk_close(&walk);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- Passes ---- */

/* Messages that are held at a time; more are delivered as they come. */
#define DUE_LIMIT 4096

/* ---- Deviations ---- */

/* A deviation is reported by the pass whose record it is about. */
static void keep_report(void *context, enum quipu__picl_rule rule, uint64_t line, uint64_t byte,
                        const char *found) {
    struct quipu__picl_pass *pass = context;
    if (rule == QUIPU__PICL_RULE_CARRIAGE_RETURN ||
        pass->report_count == sizeof pass->reports / sizeof *pass->reports)
        return;
    struct quipu__picl_deferred_report *report = &pass->reports[pass->report_count++];
    *report = (struct quipu__picl_deferred_report){.rule = rule, .line = line, .byte = byte};
    memcpy(report->found, found, strlen(found) + 1);
}

static void find(const struct quipu__picl_pass *pass, enum quipu__picl_rule rule, uint64_t line, uint64_t byte,
                 const char *found) {
    const struct quipu__where where = {pass->path, byte, line, QUIPU_UNKNOWN, "", ""};
    quipu__find(pass->own->trace->findings, &quipu__picl_rules[rule], &where, "", "%s", found);
}

static void flush_reports(struct quipu__picl_pass *pass, bool is_ours) {
    for (unsigned i = 0; is_ours && i < pass->report_count; i++)
        find(pass, pass->reports[i].rule, pass->reports[i].line, pass->reports[i].byte, pass->reports[i].found);
    pass->report_count = 0;
}

/* ---- Opening and closing ---- */

/* Spans of two lists in the order of the file, those that touch as one. */
static bool merge_spans(struct quipu__memory *memory, const quipu__picl_spans *a, const quipu__picl_spans *b,
                        quipu__picl_spans *out) {
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const bool takes_a = j == b->count || (i < a->count && a->items[i].begin <= b->items[j].begin);
        const struct quipu__picl_span *span = takes_a ? &a->items[i++] : &b->items[j++];
        struct quipu__picl_span *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
        if (last && span->begin <= last->end) {
            last->end = span->end > last->end ? span->end : last->end;
            continue;
        }
        if (!QUIPU__VEC_PUT(memory, out, *span))
            return false;
    }
    return true;
}

/* What the pass has to read. The first substream also reads the lines of no process. */
static bool choose_spans(struct quipu__picl_pass *pass) {
    const struct quipu__picl_trace *own = pass->own;
    static const quipu__picl_spans none = QUIPU__VEC_INIT;
    pass->process = QUIPU_NONE;
    if (pass->pass.substream >= QUIPU__ALL_SUBSTREAMS || own->is_sorted || own->substreams.count == 0)
        return true;
    pass->process = own->substreams.items[pass->pass.substream];
    return merge_spans(own->trace->memory, &own->processes.items[pass->process].spans,
                       pass->pass.substream == 0 ? &own->others : &none, &pass->spans);
}

static enum quipu_status init_pass(struct quipu__picl_pass *pass, const struct quipu__pass *common,
                                   struct quipu_error *err) {
    struct quipu__memory *memory = common->trace->memory;
    pass->pass = *common;
    pass->own = common->trace->own;
    pass->path = common->trace->path;
    pass->records_of = common->records_of ? common->records_of : pass->own_records_of;
    pass->last = QUIPU_NONE;
    quipu__scratch_init(&pass->scratch, memory);
    quipu__reorder_init(&pass->due, memory, DUE_LIMIT);
    quipu__picl_requests_init(&pass->requests, memory);
    pass->next_due = INT64_MAX;
    pass->sent_to.location = pass->received_from.location = QUIPU_NONE;
    for (uint32_t i = 0; i <= pass->own->decimals; i++) {
        pass->scale_of[i] = quipu__picl_power_of_ten(pass->own->decimals - i);
        pass->mantissa_most[i] = (uint64_t)INT64_MAX / 2 / pass->scale_of[i];
    }
    const size_t count = pass->own->processes.count + 1;
    pass->progress = quipu__alloc_zero(memory, count * sizeof *pass->progress);
    if (!pass->progress || !choose_spans(pass))
        return quipu__no_memory(err, count * sizeof *pass->progress);
    for (size_t i = 0; i < count; i++)
        pass->progress[i].time = INT64_MIN;
    const enum quipu_status status = quipu__picl_walk_open(&pass->walk, pass->own, common->window, err);
    pass->walk.decoder.report = keep_report;
    pass->walk.decoder.context = pass;
    return status;
}

enum quipu_status quipu__picl_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                        struct quipu_error *err) {
    struct quipu__picl_pass *pass = quipu__alloc_zero(common->trace->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    enum quipu_status status = init_pass(pass, common, err);
    if (status == QUIPU_OK && pass->spans.count > 0)
        status = walk_seek(&pass->walk, pass->spans.items[0].begin, pass->spans.items[0].line, err);
    if (status != QUIPU_OK)
        quipu__picl_pass_close(&pass->pass);
    else
        *out = &pass->pass;
    return status;
}

void quipu__picl_pass_close(struct quipu__pass *base) {
    struct quipu__picl_pass *pass = (struct quipu__picl_pass *)base;
    struct quipu__memory *memory = pass->own->trace->memory;
    const size_t count = pass->own->processes.count + 1;
    quipu__picl_walk_close(&pass->walk);
    for (size_t i = 0; pass->progress && i < count; i++)
        QUIPU__VEC_RELEASE(memory, &pass->progress[i].entries);
    quipu__release(memory, pass->progress, pass->progress ? count * sizeof *pass->progress : 0);
    QUIPU__VEC_RELEASE(memory, &pass->spans);
    quipu__picl_requests_release(&pass->requests);
    quipu__reorder_release(&pass->due);
    quipu__scratch_release(&pass->scratch);
    quipu__release(memory, pass, sizeof *pass);
}

/* ---- Records ---- */

static const struct quipu_value *values_of(struct quipu__picl_pass *pass, const struct quipu_value *values,
                                           uint32_t count) {
    struct quipu_value *list = quipu__scratch_sized(&pass->scratch, count, sizeof *list);
    if (list && count > 0)
        memcpy(list, values, count * sizeof *list);
    return list;
}

static const struct quipu_value *integers_of(struct quipu__picl_pass *pass) {
    const struct quipu__picl_record *record = &pass->record;
    struct quipu_value *list = quipu__scratch_sized(&pass->scratch, record->value_count, sizeof *list);
    for (uint32_t i = 0; list && i < record->value_count; i++)
        list[i] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = record->integers[i]};
    return list;
}

/* The struct of a record of the new format. */
static bool store_new(struct quipu__picl_pass *pass) {
    const struct quipu__picl_record *record = &pass->record;
    const struct quipu_value integers = {.type = QUIPU_VALUE_I64, .i = QUIPU__PICL_INTEGERS};
    const struct quipu_value none = {.type = QUIPU_VALUE_STRING};
    const struct quipu_value fast_descriptor = record->value_count > 0 ? integers : none;
    struct quipu__picl_new *out = &pass->data.user;
    *out = (struct quipu__picl_new){
        .record_type = record->record_type,
        .event_type = record->event_type,
        .timestamp = quipu__scratch_text(&pass->scratch, (const char *)record->time_text, record->time_len),
        .processor = record->processor,
        .process = record->process,
        .count = record->count,
        .descriptor = record->is_fast ? fast_descriptor : record->descriptor,
        .values = record->is_fast ? integers_of(pass) : values_of(pass, record->values, record->value_count),
        .spelling = {record->text, record->len}};
    return out->timestamp && out->values;
}

static enum quipu_status give(struct quipu__picl_pass *pass, enum quipu__picl_record_type type, uint64_t byte,
                              uint64_t line, struct quipu_record *out) {
    *out = (struct quipu_record){.type = &quipu__picl_schema.types[type],
                                 .data = &pass->data,
                                 .stream = pass->pass.stream,
                                 .byte_offset = byte,
                                 .line = line,
                                 .index = pass->index++};
    pass->pass.records++;
    pass->records_of[type]++;
    pass->pass.bytes = quipu__input_consumed(pass->walk.input);
    return QUIPU_OK;
}

/* A step of the walk, whose fast path needs no call. */
QUIPU__INLINE enum quipu_status step(struct quipu__picl_pass *pass, bool *is_record, struct quipu_error *err) {
    *is_record = true;
    return quipu__picl_take_fast_line(&pass->walk.decoder, &pass->record)
               ? QUIPU_OK
               : quipu__picl_walk_step(&pass->walk, &pass->record, is_record, err);
}

static bool store_old(struct quipu__picl_pass *pass, const struct quipu__picl_old_record *record) {
    struct quipu__picl_old *out = &pass->data.trace_start;
    *out = (struct quipu__picl_old){.key = record->key,
                                    .time_us = record->time_us,
                                    .node = record->node,
                                    .values = values_of(pass, record->values, record->value_count),
                                    .spelling = {record->text, record->len},
                                    .is_verbose = record->is_verbose};
    return out->values != NULL;
}

enum quipu_status quipu__picl_next_record(struct quipu__pass *base, struct quipu_record *out,
                                          struct quipu_error *err) {
    struct quipu__picl_pass *pass = (struct quipu__picl_pass *)base;
    const struct quipu__picl_record *record = &pass->record;
    const bool is_new = pass->own->variant == QUIPU__PICL_NEW_FORMAT;
    struct quipu__picl_old_record old;
    bool is_record = false;
    quipu__scratch_reset(&pass->scratch);
    while (!is_record) {
        const uint64_t before = quipu__picl_walk_offset(&pass->walk);
        const enum quipu_status status = is_new ? step(pass, &is_record, err)
                                                : quipu__picl_walk_old_step(&pass->walk, &old, &is_record, err);
        if (QUIPU__UNLIKELY(pass->report_count > 0)) {
            const bool is_rejected = status == QUIPU_OK && !is_record;
            base->skipped += is_rejected ? quipu__picl_walk_offset(&pass->walk) - before : 0;
            flush_reports(pass, true);
        }
        if (status != QUIPU_OK)
            return status;
    }
    if (!(is_new ? store_new(pass) : store_old(pass, &old)))
        return quipu__no_memory(err, is_new ? record->len : old.len);
    return is_new ? give(pass, quipu__picl_type_of(record->record_type), record->byte, record->line, out)
                  : give(pass, quipu__picl_type_of_key(old.key), old.byte, old.line, out);
}

/* ---- Events ---- */

/* Definitions describe the trace and belong to no process. */
static bool is_definition(int64_t record_type) {
    return record_type == QUIPU__PICL_LABEL || record_type == QUIPU__PICL_ALIAS ||
           (record_type <= QUIPU__PICL_PROCESSOR_SUBSET && record_type >= QUIPU__PICL_EVENT_SUBSET);
}

/* Says once that times were rounded. */
static void report_rounded(const struct quipu__picl_pass *pass) {
    if (pass->is_rounded)
        find(pass, QUIPU__PICL_RULE_TIME_ROUNDED, QUIPU_UNKNOWN, QUIPU_UNKNOWN, " ");
}

/* The next record of the spans that is one of ours, in pass->record, with its process; QUIPU_END after the last. */
static enum quipu_status next_of_ours(struct quipu__picl_pass *pass, uint32_t *process,
                                      struct quipu_error *err) {
    for (;;) {
        bool is_record;
        if (pass->spans.count > 0 && pass->span == pass->spans.count)
            return QUIPU_END;
        if (pass->spans.count > 0 && !quipu__picl_walk_is_inside(&pass->walk) &&
            quipu__picl_walk_offset(&pass->walk) >= pass->spans.items[pass->span].end) {
            if (++pass->span == pass->spans.count)
                return QUIPU_END;
            const struct quipu__picl_span *span = &pass->spans.items[pass->span];
            const enum quipu_status status = walk_seek(&pass->walk, span->begin, span->line, err);
            if (status != QUIPU_OK)
                return status;
        }
        const enum quipu_status status = quipu__picl_walk_step(&pass->walk, &pass->record, &is_record, err);
        if (status != QUIPU_OK)
            return status;
        const bool is_others = !is_record || is_definition(pass->record.record_type);
        *process =
            is_others ? QUIPU_NONE : quipu__picl_process_at(pass, pass->record.processor, pass->record.process);
        const bool is_ours =
            is_others ? pass->pass.substream == 0 || pass->pass.substream == QUIPU__ALL_SUBSTREAMS
                      : *process != QUIPU_NONE && (pass->process == QUIPU_NONE || pass->process == *process);
        if (pass->report_count > 0)
            flush_reports(pass, is_ours);
        if (!is_ours || !is_record)
            continue;
        pass->pass.records++;
        pass->records_of[quipu__picl_type_of(pass->record.record_type)]++;
        if (!is_others)
            return QUIPU_OK;
    }
}

/* Gives what is due before a time, as far as there is room. */
static enum quipu_status give_due(struct quipu__picl_pass *pass, int64_t until, struct quipu__batch *batch,
                                  struct quipu_error *err) {
    const enum quipu_status status = quipu__reorder_give(&pass->due, until, batch, err);
    pass->next_due = quipu__reorder_due(&pass->due);
    return status;
}

/* Whether waiting events are due by the time of the record that was read. A message does not show that: the next one may be as early as the
 * records after all messages. */
static bool has_due(struct quipu__picl_pass *pass) {
    return pass->next_due < INT64_MAX && pass->record.record_type != QUIPU__PICL_MESSAGE &&
           pass->next_due < quipu__picl_time_of(pass);
}

/* Adds the events of the record, which find room. */
static enum quipu_status add_record(struct quipu__picl_pass *pass, uint32_t process, struct quipu__batch *batch,
                                    struct quipu_error *err) {
    const uint32_t first = batch->batch.count;
    const int64_t type = pass->record.record_type;
    int64_t time = quipu__picl_time_of(pass), *last = &pass->progress[pass->own->is_sorted ? 0 : process].time;
    const bool is_loose =
        type == QUIPU__PICL_MESSAGE || (type <= QUIPU__PICL_TIMES && type >= QUIPU__PICL_SIZES);
    if (is_loose && time < *last)
        time = *last;
    if (!is_loose)
        *last = time;
    enum quipu_status status = quipu__picl_to_model(pass, process, time, batch, err);
    if (status == QUIPU_OK && type == QUIPU__PICL_MESSAGE && time > *last && batch->batch.count > first &&
        quipu__reorder_count(&pass->due) + (batch->batch.count - first) <= DUE_LIMIT) {
        status = quipu__reorder_hold(&pass->due, batch, first, err);
        pass->next_due = quipu__reorder_due(&pass->due);
    }
    return status;
}

/* Makes room for the events of the record: false when the batch has to be given first. */
static enum quipu_status make_room(struct quipu__picl_pass *pass, struct quipu__batch *batch, bool *has_room,
                                   struct quipu_error *err) {
    const uint32_t most = quipu__picl_events_most(pass);
    *has_room = quipu__batch_left(batch) >= most;
    if (*has_room || batch->batch.count > 0)
        return QUIPU_OK;
    *has_room = true;
    return quipu__batch_grow(batch, most, err);
}

static enum quipu_status end_of_substream(struct quipu__picl_pass *pass, struct quipu__batch *batch,
                                          struct quipu_error *err) {
    const enum quipu_status status = give_due(pass, INT64_MAX, batch, err);
    if (status != QUIPU_OK || batch->batch.count > 0)
        return status;
    report_rounded(pass);
    pass->is_rounded = false;
    return QUIPU_END;
}

/* A trace that has an index is in time order, so what comes behind the selection is not needed. */
static bool is_over(const struct quipu__picl_pass *pass) {
    const uint32_t process = pass->own->is_sorted || pass->process == QUIPU_NONE ? 0 : pass->process;
    return pass->pass.trace->index && pass->pass.filter->to < INT64_MAX &&
           (pass->own->is_sorted || pass->process != QUIPU_NONE) &&
           pass->progress[process].time >= pass->pass.filter->to && quipu__reorder_count(&pass->due) == 0;
}

enum quipu_status quipu__picl_next_batch(struct quipu__pass *base, struct quipu__batch *batch,
                                         struct quipu_error *err) {
    struct quipu__picl_pass *pass = (struct quipu__picl_pass *)base;
    enum quipu_status status = QUIPU_OK;
    bool has_room = true;
    while (status == QUIPU_OK && has_room) {
        if (!pass->has_record && !quipu__picl_take_calls(pass, batch))
            status = quipu__no_memory(err, sizeof(struct quipu_attribute));
        if (status == QUIPU_OK && is_over(pass))
            status = QUIPU_END;
        if (status == QUIPU_OK && !pass->has_record)
            status = next_of_ours(pass, &pass->record_process, err);
        if (status != QUIPU_OK)
            break;
        pass->has_record = true;
        status = make_room(pass, batch, &has_room, err);
        if (status == QUIPU_OK && has_room && has_due(pass)) {
            status = give_due(pass, quipu__picl_time_of(pass) - 1, batch, err);
            continue;
        }
        if (status != QUIPU_OK || !has_room)
            break;
        status = add_record(pass, pass->record_process, batch, err);
        pass->has_record = false;
    }
    base->bytes = quipu__input_consumed(pass->walk.input);
    if (status == QUIPU_END)
        status = batch->batch.count > 0 ? QUIPU_OK : end_of_substream(pass, batch, err);
    return status;
}

/* ---- Resuming ----
 *
 * A pass can continue at a record where no message waits for its time: the reorder buffer is not kept. Of a line with several records, or that
 * stands for two of the new format, all must have been read. */

static bool can_save(const struct quipu__picl_pass *pass) {
    const struct quipu__picl_walk *walk = &pass->walk;
    const bool is_whole =
        pass->own->variant == QUIPU__PICL_NEW_FORMAT || !pass->has_record || walk->old.converted_count == 1;
    return is_whole && !quipu__picl_walk_is_inside(walk) && quipu__reorder_count(&pass->due) == 0 &&
           walk->decoder.end && quipu__input_can_seek(walk->input);
}

static void save_entries(const quipu__picl_entries *entries, struct quipu__buffer *out) {
    quipu__pack_u64(out, entries->count);
    for (size_t i = 0; i < entries->count; i++) {
        const struct quipu__picl_entry_values *entry = &entries->items[i];
        quipu__pack_i64(out, entry->event);
        quipu__pack_u64(out, entry->count);
        for (uint32_t k = 0; k < entry->count; k++)
            quipu__pack_i64(out, entry->integers[k]);
        quipu__pack_u64(out, (uint32_t)(entry->file + 1));
        quipu__pack_u64(out, entry->request);
    }
}

/* List after list, each in its order. */
static void save_requests(const struct quipu__picl_requests *requests, struct quipu__buffer *out) {
    const struct quipu__picl_request *items = requests->items.items;
    for (uint32_t first = 0; first < requests->items.count; first++) {
        const uint64_t key = quipu__picl_request_key(requests, items[first].process, items[first].name);
        const bool is_first = quipu__map_get(&requests->first, key) == first;
        for (uint32_t i = is_first ? first : QUIPU_NONE; i != QUIPU_NONE; i = items[i].next) {
            quipu__pack_u64(out, (uint64_t)items[i].process + 1);
            quipu__pack_i64(out, items[i].name);
            quipu__pack_u64(out, items[i].request);
        }
    }
    quipu__pack_u64(out, 0);
}

static enum quipu_status pass_save(const struct quipu__pass *common, struct quipu__buffer *out,
                                   struct quipu_error *err) {
    const struct quipu__picl_pass *pass = (const struct quipu__picl_pass *)common;
    if (!can_save(pass))
        return QUIPU_OK;
    quipu__pack_u64(out, pass->has_record ? pass->record.byte : quipu__picl_walk_offset(&pass->walk));
    quipu__pack_u64(out, pass->has_record ? pass->record.line : pass->walk.decoder.line);
    for (size_t i = 0; i < pass->own->processes.count; i++) {
        const struct quipu__picl_progress *progress = &pass->progress[i];
        save_entries(&progress->entries, out);
        quipu__pack_u64(out, progress->requests);
        quipu__pack_i64(out, progress->time);
    }
    save_requests(&pass->requests, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

static bool resume_entries(const struct quipu__picl_pass *pass, struct quipu__slice *from,
                           quipu__picl_entries *out) {
    const uint32_t files = pass->own->trace->define->definitions.files.count;
    for (uint64_t left = quipu__unpack_up_to(from, quipu__slice_left(from)); left > 0 && !from->failed;
         left--) {
        struct quipu__picl_entry_values entry = {.event = quipu__unpack_i64(from)};
        entry.count = (uint32_t)quipu__unpack_up_to(from, sizeof entry.integers / sizeof *entry.integers);
        for (uint32_t k = 0; k < entry.count; k++)
            entry.integers[k] = quipu__unpack_i64(from);
        entry.file = (uint32_t)quipu__unpack_up_to(from, files) - 1;
        entry.request = quipu__unpack_u64(from);
        if (!QUIPU__VEC_PUT(pass->own->trace->memory, out, entry))
            return false;
    }
    return true;
}

static bool resume_requests(struct quipu__picl_pass *pass, struct quipu__slice *from) {
    for (;;) {
        const uint64_t process = quipu__unpack_up_to(from, pass->own->processes.count);
        if (process == 0)
            return true;
        const int64_t name = quipu__unpack_i64(from);
        const uint64_t request = quipu__unpack_u64(from);
        if (!quipu__picl_requests_put(&pass->requests, (uint32_t)process - 1, name, request))
            return false;
    }
}

/* Goes to a line in one of the spans, or to the beginning of the next one. */
static enum quipu_status resume_at(struct quipu__picl_pass *pass, uint64_t byte, uint64_t line,
                                   struct quipu_error *err) {
    const quipu__picl_spans *spans = &pass->spans;
    while (pass->span < spans->count && spans->items[pass->span].end <= byte)
        pass->span++;
    if (pass->span < spans->count && spans->items[pass->span].begin > byte) {
        byte = spans->items[pass->span].begin;
        line = spans->items[pass->span].line;
    }
    pass->pass.bytes = byte;
    return walk_seek(&pass->walk, byte, line, err);
}

static enum quipu_status pass_resume(struct quipu__pass *common, struct quipu__slice bytes,
                                     struct quipu_error *err) {
    struct quipu__picl_pass *pass = (struct quipu__picl_pass *)common;
    struct quipu__slice *from = &bytes;
    const uint64_t byte = quipu__unpack_u64(from), line = quipu__unpack_u64(from);
    bool has_memory = true;
    for (size_t i = 0; i < pass->own->processes.count && has_memory && !from->failed; i++) {
        has_memory = resume_entries(pass, from, &pass->progress[i].entries);
        pass->progress[i].requests = quipu__unpack_u64(from);
        pass->progress[i].time = quipu__unpack_i64(from);
    }
    if (!has_memory || !resume_requests(pass, from))
        return quipu__no_memory(err, sizeof *pass->progress);
    if (from->failed || quipu__slice_left(from) > 0)
        return quipu__fail(err, QUIPU_CORRUPT, "what was kept of a place in %s is damaged", pass->path);
    return resume_at(pass, byte, line, err);
}

const struct quipu__resuming quipu__picl_resuming = {.save = pass_save, .resume = pass_resume};
