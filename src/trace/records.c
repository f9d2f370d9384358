/* records.c: a tournament over passes that read records. */
#include "trace/records.h"

#include "core/error.h"

const struct quipu_field *quipu__common_field(const struct quipu_schema *schema, enum quipu_role role) {
    for (uint16_t i = 0; schema->common && i < schema->common->field_count; i++)
        if (schema->common->fields[i].domain->role == role)
            return &schema->common->fields[i];
    return NULL;
}

/* The time of a record as a key; before when it has none. An unsigned 64-bit time may be out of range. */
static int64_t key_of(const struct quipu__records *records, const struct quipu_record *record, int64_t before) {
    int64_t time;
    if (!records->time || !record->common)
        return before;
    quipu_field_get_i64(records->time, record->common, &time);
    return time < 0 && records->time->storage == QUIPU_STORE_U64 ? before : time;
}

static void note_time_after(struct quipu__lookahead *lookahead) {
    if (lookahead->end - lookahead->next > 1)
        lookahead->time_after = (int64_t)lookahead->next[1].time;
}

/* Reads what a source gives next and lets it play; at its end the source leaves. */
static enum quipu_status advance(struct quipu__records *records, uint32_t number, int64_t before,
                                 struct quipu_error *err) {
    const struct quipu__format *format = records->trace->format;
    struct quipu__source *source = &records->sources[number];
    struct quipu__lookahead *lookahead = &records->lookahead[number];
    lookahead->next = lookahead->end = lookahead->room;
    if (lookahead->room)
        lookahead->end += format->copying->next_spans(source->pass, lookahead->room, records->span_capacity);
    if (lookahead->next != lookahead->end) {
        note_time_after(lookahead);
        quipu__tournament_enter(&records->tournament, number, (int64_t)lookahead->next->time, 0);
        return QUIPU_OK;
    }
    struct quipu_record *head = &records->heads[number];
    const enum quipu_status status = quipu__source_reconcile(
        records->trace, source->stream, format->reading->next_record(source->pass, head, err), err);
    if (status == QUIPU_OK)
        quipu__tournament_enter(&records->tournament, number, key_of(records, head, before), 0);
    if (status != QUIPU_END)
        return status;
    quipu__source_close(source, records->trace);
    quipu__tournament_leave(&records->tournament, number);
    return QUIPU_OK;
}

/* ---- Starting ---- */

static enum quipu_status open_source(struct quipu__records *records, uint32_t number,
                                     const struct quipu__share *share, struct quipu_error *err) {
    const enum quipu_status status = quipu__source_open(&records->sources[number], records->trace,
                                                        records->filter, share, records->counts, err);
    if (status == QUIPU_END) {
        quipu__tournament_leave(&records->tournament, number);
        return QUIPU_OK;
    }
    return status == QUIPU_OK ? advance(records, number, INT64_MIN, err) : status;
}

static uint32_t count_streams(const struct quipu__trace *trace, enum quipu_stream_kind kind) {
    uint32_t count = 0;
    for (size_t i = 0; i < trace->streams.count; i++)
        count += trace->streams.items[i].kind == kind;
    return count;
}

static size_t spans_bytes(const struct quipu__records *records) {
    return (size_t)records->count * records->span_capacity * sizeof *records->spans;
}

/* Spans of all sources together stay in the cache. */
static bool make_room_for_spans(struct quipu__records *records) {
    enum { SPANS_AHEAD = 8192, LEAST = 8, MOST = 1024, SOON = 32 };
    const uint32_t share = SPANS_AHEAD / records->count;
    records->span_capacity = share < MOST ? share : MOST;
    if (share < LEAST)
        records->span_capacity = LEAST;
    if (records->tournament.leaves > SOON)
        records->soon = quipu__trailing_zeros(records->tournament.leaves / SOON);
    records->spans = quipu__alloc(records->trace->memory, spans_bytes(records));
    for (uint32_t i = 0; records->spans && i < records->count; i++)
        records->lookahead[i].room = records->spans + (size_t)i * records->span_capacity;
    return records->spans != NULL;
}

void quipu__records_release(struct quipu__records *records) {
    if (!records->trace)
        return;
    struct quipu__memory *memory = records->trace->memory;
    for (uint32_t i = 0; records->sources && i < records->count; i++)
        quipu__source_close(&records->sources[i], records->trace);
    quipu__release(memory, records->spans, spans_bytes(records));
    quipu__release(memory, records->sources, records->count * sizeof *records->sources);
    quipu__release(memory, records->lookahead, records->count * sizeof *records->lookahead);
    quipu__release(memory, records->heads, records->count * sizeof *records->heads);
    if (records->tournament.nodes)
        quipu__tournament_release(&records->tournament);
    memset(records, 0, sizeof *records);
}

static enum quipu_status make_room(struct quipu__records *records, uint32_t count, bool with_spans,
                                   struct quipu_error *err) {
    struct quipu__memory *memory = records->trace->memory;
    const enum quipu_status status = quipu__tournament_init(&records->tournament, memory, count, err);
    if (status != QUIPU_OK)
        return status;
    records->count = count;
    records->sources = quipu__alloc_zero(memory, count * sizeof *records->sources);
    records->lookahead = quipu__alloc_zero(memory, count * sizeof *records->lookahead);
    records->heads = quipu__alloc_zero(memory, count * sizeof *records->heads);
    if (records->sources && records->lookahead && records->heads &&
        (!with_spans || make_room_for_spans(records)))
        return QUIPU_OK;
    quipu__records_release(records); /* missing sources have no bytes to count */
    return quipu__no_memory(err, count * sizeof *records->heads);
}

enum quipu_status quipu__records_start(struct quipu__records *records, struct quipu__trace *trace,
                                       const struct quipu__filter *filter, enum quipu_stream_kind kind,
                                       bool with_spans, struct quipu__counts *counts, struct quipu_error *err) {
    const uint32_t count = count_streams(trace, kind);
    memset(records, 0, sizeof *records);
    records->trace = trace;
    records->filter = filter;
    records->counts = counts;
    records->time = quipu__common_field(trace->format->info.schema, QUIPU_ROLE_TIME);
    enum quipu_status status =
        count > 0 ? make_room(records, count, with_spans && quipu__format_gives_spans(trace->format), err)
                  : QUIPU_OK;
    if (status != QUIPU_OK || count == 0)
        return status;
    const struct quipu__share share = quipu__share_of(trace->memory, count);
    for (uint32_t stream = 0, number = 0; number < count && status == QUIPU_OK; stream++) {
        if (trace->streams.items[stream].kind != kind)
            continue;
        records->sources[number] = (struct quipu__source){.stream = stream, .substream = QUIPU__RECORDS};
        status = open_source(records, number++, &share, err);
    }
    return status;
}

/* ---- Merging ---- */

/* Sources that come soon are losers near the top. What thousands of them give next is in no cache: the merge of 20,000
 * takes a quarter less time. */
static inline void prefetch_soon(const struct quipu__records *records, uint32_t number) {
    const struct quipu__contender *nodes = records->tournament.nodes;
    for (uint32_t n = (records->tournament.leaves + number) >> records->soon; n >= 4; n /= 2) {
        const uint32_t soon = quipu__contender_source(&nodes[n]);
        if (soon < records->count) /* else it has ended */
            QUIPU__PREFETCH(records->lookahead[soon].next);
    }
}

/* Goes behind the spans of the sequences that were taken; the source that has no more, if one has not, is the first of the tournament. */
static void pass_sequences(struct quipu__records *records) {
    const struct quipu__sequences *sequences = &records->sequences;
    quipu__tournament_clear(&records->tournament);
    for (uint32_t i = 0, k = 0; i < records->count; i++) {
        struct quipu__lookahead *lookahead = &records->lookahead[i];
        if (k == sequences->count || sequences->items[k].source != i) {
            quipu__tournament_play(&records->tournament, i, QUIPU__CONTENDER_ENDED);
            continue;
        }
        lookahead->next += sequences->items[k++].taken;
        const bool has_more = lookahead->next != lookahead->end;
        records->is_borrowed |= !has_more;
        quipu__tournament_enter(&records->tournament, i,
                                has_more ? (int64_t)lookahead->next->time : sequences->end, 0);
        note_time_after(lookahead);
    }
}

/* Collects the spans before the first end of those that sources have ahead; 0 when they cannot be merged as sequences. */
static uint32_t merge_sequences(struct quipu__records *records) {
    struct quipu__sequences *sequences = &records->sequences;
    if (records->tournament.left < 2 || records->count > QUIPU__SPANS_MERGED / QUIPU__SEQUENCES_LEAST)
        return 0;
    sequences->count = 0;
    sequences->stride = sizeof *records->spans;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct quipu__lookahead *lookahead = &records->lookahead[i];
        if (lookahead->next != lookahead->end)
            sequences->items[sequences->count++] = (struct quipu__sequence){
                &lookahead->next->time, (uint32_t)(lookahead->end - lookahead->next), i, 0};
    }
    if (sequences->count != records->tournament.left) /* the others have records */
        return 0;
    const uint32_t count = quipu__sequences_merge(sequences, INT64_MIN, QUIPU__SPANS_MERGED);
    const uint16_t *positions = sequences->positions;
    for (uint32_t k = 0; k < sequences->count && count > 0; k++) {
        const struct quipu__span *span = records->lookahead[sequences->items[k].source].next;
        for (uint32_t i = 0; i < sequences->items[k].taken; i++)
            records->merged[*positions++] = span++;
    }
    if (count > 0)
        pass_sequences(records);
    return count;
}

/* Collects spans until a record comes first, or the first source has no more: reading its next ones would invalidate
 * what its spans point to. */
static uint32_t merge_spans(struct quipu__records *records) {
    uint32_t count = merge_sequences(records);
    if (count > 0)
        return count;
    while (count < QUIPU__SPANS_MERGED) {
        const uint32_t number = quipu__contender_source(&records->tournament.nodes[0]);
        struct quipu__lookahead *lookahead = &records->lookahead[number];
        if (lookahead->next == lookahead->end)
            break;
        QUIPU__PREFETCH(lookahead->next->bytes);
        records->merged[count++] = lookahead->next++;
        if (lookahead->next == lookahead->end) {
            records->is_borrowed = true;
            break;
        }
        quipu__tournament_enter(&records->tournament, number, lookahead->time_after, 0);
        note_time_after(lookahead);
        if (records->soon)
            prefetch_soon(records, number);
    }
    return count;
}

enum quipu_status quipu__records_next(struct quipu__records *records, struct quipu__record_or_spans *out,
                                      struct quipu_error *err) {
    if (records->is_borrowed) {
        const struct quipu__contender first = records->tournament.nodes[0];
        records->is_borrowed = false;
        const enum quipu_status status = advance(records, quipu__contender_source(&first), first.time, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (records->tournament.left == 0)
        return QUIPU_END;
    const uint32_t first = quipu__contender_source(&records->tournament.nodes[0]);
    out->stream = records->sources[first].stream;
    out->spans = records->merged;
    out->span_count = merge_spans(records);
    if (out->span_count > 0)
        return QUIPU_OK;
    *out->record = records->heads[first];
    records->is_borrowed = true;
    return QUIPU_OK;
}
