/* records.c: a tournament over passes that read records. */
#include "trace/records.h"

#include "core/error.h"

const struct quipu_field *quipu__common_field(const struct quipu_schema *schema, enum quipu_role role) {
    for (uint16_t i = 0; schema->common && i < schema->common->field_count; i++)
        if (schema->common->fields[i].domain->role == role)
            return &schema->common->fields[i];
    return NULL;
}

/* The time of a record as a key; before when it has none. A time of 64 bits without sign may lie beyond the range. */
static int64_t key_of(const struct quipu__records *records, const struct quipu_record *record, int64_t before) {
    int64_t time;
    if (!records->time || !record->common)
        return before;
    quipu_field_get_i64(records->time, record->common, &time);
    return time < 0 && records->time->storage == QUIPU_STORE_U64 ? before : time;
}

/* Reads the next record of a source and lets it play; at the end the source leaves. */
static enum quipu_status advance(struct quipu__records *records, uint32_t number, int64_t before,
                                 struct quipu_error *err) {
    struct quipu__source *source = &records->sources[number];
    struct quipu_record *head = &records->heads[number];
    const enum quipu_status status = records->trace->format->next_record(source->pass, head, err);
    if (status == QUIPU_OK) {
        quipu__tournament_enter(&records->tournament, number, key_of(records, head, before), 0);
        return QUIPU_OK;
    }
    if (status != QUIPU_END)
        return status;
    quipu__source_close(source, records->trace, records->counts);
    quipu__tournament_leave(&records->tournament, number);
    return QUIPU_OK;
}

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
        count += trace->streams.at[i].kind == kind;
    return count;
}

static enum quipu_status make_room(struct quipu__records *records, uint32_t count, struct quipu_error *err) {
    struct quipu__memory *memory = records->trace->memory;
    const enum quipu_status status = quipu__tournament_init(&records->tournament, memory, count, err);
    if (status != QUIPU_OK)
        return status;
    records->count = count;
    records->sources = quipu__alloc_zero(memory, count * sizeof *records->sources);
    records->heads = quipu__alloc_zero(memory, count * sizeof *records->heads);
    if (records->sources && records->heads)
        return QUIPU_OK;
    return quipu__no_memory(err, count * sizeof *records->heads);
}

enum quipu_status quipu__records_start(struct quipu__records *records, struct quipu__trace *trace,
                                       const struct quipu__filter *filter, enum quipu_stream_kind kind,
                                       struct quipu__counts *counts, struct quipu_error *err) {
    const uint32_t count = count_streams(trace, kind);
    *records =
        (struct quipu__records){.trace = trace,
                                .filter = filter,
                                .counts = counts,
                                .time = quipu__common_field(trace->format->info.schema, QUIPU_ROLE_TIME)};
    enum quipu_status status = count > 0 ? make_room(records, count, err) : QUIPU_OK;
    if (status != QUIPU_OK || count == 0)
        return status;
    const struct quipu__share share = quipu__share_of(trace->memory, count);
    for (uint32_t stream = 0, number = 0; number < count && status == QUIPU_OK; stream++) {
        if (trace->streams.at[stream].kind != kind)
            continue;
        records->sources[number] = (struct quipu__source){.stream = stream, .lane = QUIPU__RECORDS};
        status = open_source(records, number++, &share, err);
    }
    return status;
}

enum quipu_status quipu__records_next(struct quipu__records *records, struct quipu_record *out,
                                      struct quipu_error *err) {
    if (records->lent) {
        const struct quipu__contender first = records->tournament.nodes[0];
        records->lent = false;
        const enum quipu_status status = advance(records, quipu__contender_source(&first), first.time, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (records->tournament.left == 0)
        return QUIPU_END;
    *out = records->heads[quipu__contender_source(&records->tournament.nodes[0])];
    records->lent = true;
    return QUIPU_OK;
}

void quipu__records_release(struct quipu__records *records) {
    if (!records->trace)
        return;
    struct quipu__memory *memory = records->trace->memory;
    for (uint32_t i = 0; records->sources && i < records->count; i++)
        quipu__source_close(&records->sources[i], records->trace, records->counts);
    quipu__release(memory, records->sources, records->count * sizeof *records->sources);
    quipu__release(memory, records->heads, records->count * sizeof *records->heads);
    if (records->tournament.nodes)
        quipu__tournament_release(&records->tournament);
    *records = (struct quipu__records){.trace = NULL};
}
