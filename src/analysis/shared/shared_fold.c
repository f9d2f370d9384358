/* shared_fold.c: a fold of which several processes read a share each.
 *
 * What a process hands on: how it sees the trace, which must be as all others see it; whether one process must read everything; and
 * unless it must, what was found in streams with events and in others, the counts, and the state. Findings of other streams come after
 * those of all streams with events, as in one process.
 */
#include "analysis/shared/fold.h"
#include "core/checksum.h"
#include "core/error.h"
#include "core/memory/pack.h"
#include "core/scale.h"
#include "core/text/findings.h"
#include "index/identity.h"
#include "trace/reader.h"
#include "transport/transport.h"

struct shared_fold {
    const struct quipu__fold *fold;
    const struct quipu__fold_start *start;
    struct quipu_reader *reader;
    const char *name; /* of this process */
    struct quipu__stream_range range;
    uint32_t view; /* of the trace: a checksum */
    bool must_repeat;
    void *state;
};

/* ---- Who reads what ---- */

/* Pages, so that empty streams count too. */
static uint64_t weight_of(const struct quipu_stream *stream) {
    return 1 + (stream->bytes == QUIPU_UNKNOWN ? 0 : stream->bytes >> 12);
}

/* The streams whose middle lies in the share of a process, all streams laid end to end. */
static void divide(struct shared_fold *shared, const struct quipu_transport *transport) {
    const uint32_t gathers = transport->only_gathers, count = quipu_reader_stream_count(shared->reader);
    const uint64_t readers = transport->size - gathers, reader = transport->rank - gathers;
    uint64_t total = 0, before = 0, rest;
    for (uint32_t i = 0; i < count; i++)
        total += 2 * weight_of(quipu_reader_stream_at(shared->reader, i));
    shared->range.first = shared->range.end = count;
    for (uint32_t i = 0; i < count && (transport->rank > 0 || !gathers); i++) {
        const uint64_t weight = weight_of(quipu_reader_stream_at(shared->reader, i));
        const uint64_t owner = quipu__scale_down(before + weight, readers, total, &rest);
        if (owner >= reader && shared->range.first == count)
            shared->range.first = i;
        if (owner > reader && shared->range.end == count)
            shared->range.end = i;
        before += 2 * weight;
    }
}

/* Of everything that decides what the numbers in states mean. */
static enum quipu_status see(struct shared_fold *shared, struct quipu_error *err) {
    const struct quipu__trace *trace = quipu__reader_trace(shared->reader);
    struct quipu__buffer bytes;
    quipu__buffer_init(&bytes, trace->memory, 0);
    quipu__identity_put_reading(trace, &bytes);
    for (uint32_t i = 0; i < quipu_reader_stream_count(shared->reader); i++)
        quipu__pack_u64(&bytes, quipu_reader_stream_at(shared->reader, i)->bytes);
    shared->view = quipu__crc32(0, bytes.data, bytes.len);
    const enum quipu_status status = bytes.failed ? quipu__no_memory(err, bytes.len) : QUIPU_OK;
    quipu__buffer_release(&bytes);
    return status;
}

/* ---- Handing on ---- */

static const struct quipu_rule *rule_of(const void *context, const char *id, enum quipu_severity severity) {
    const struct quipu_format *format = context;
    for (size_t i = 0; i < format->rule_count; i++)
        if (format->rules[i].severity == severity && strcmp(format->rules[i].id, id) == 0)
            return &format->rules[i];
    return NULL;
}

static enum quipu_status load_findings(const struct shared_fold *shared, struct quipu_findings *findings,
                                       struct quipu__slice *from, struct quipu_error *err) {
    return quipu__findings_load(findings, from, rule_of, quipu_reader_format(shared->reader), err);
}

static enum quipu_status save(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    struct shared_fold *shared = context;
    const char *name = shared->name ? shared->name : "";
    quipu__pack_bytes(out, name, strlen(name));
    quipu__pack_u64(out, shared->view);
    quipu__put_u8(out, shared->must_repeat);
    if (shared->must_repeat)
        return QUIPU_OK;
    quipu__findings_save(shared->range.events, out);
    quipu__findings_save(shared->range.others, out);
    quipu__reader_save_counts(shared->reader, out);
    return shared->fold->save(shared->state, out, err);
}

static enum quipu_status add_state(struct shared_fold *shared, struct quipu__slice *from,
                                   struct quipu_error *err) {
    void *other = NULL;
    enum quipu_status status = shared->fold->load(shared->start, from, &other, err);
    if (status == QUIPU_OK && (from->failed || quipu__slice_left(from) > 0))
        status = quipu__fail(err, QUIPU_CORRUPT, "what a process has handed on cannot be right");
    if (status == QUIPU_OK)
        status = shared->fold->combine(shared->state, other, err);
    if (other)
        shared->fold->release(other);
    return status;
}

static enum quipu_status add(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    struct shared_fold *shared = context;
    const struct quipu__slice name = quipu__unpack_bytes(&bytes);
    const uint64_t view = quipu__unpack_u64(&bytes);
    const bool must_repeat = quipu__take_u8(&bytes) != 0;
    if (bytes.failed || view != shared->view) {
        const int len = (int)quipu__slice_left(&name);
        return quipu__fail(err, QUIPU_NOT_FOUND, "%s%.*s%sanother process sees another trace",
                           len > 0 ? "at " : "", len, len > 0 ? (const char *)name.at : "", len > 0 ? " " : "");
    }
    shared->must_repeat |= must_repeat;
    if (shared->must_repeat)
        return QUIPU_OK;
    enum quipu_status status = load_findings(shared, shared->range.events, &bytes, err);
    if (status == QUIPU_OK)
        status = load_findings(shared, shared->range.others, &bytes, err);
    quipu__reader_add_counts(shared->reader, &bytes);
    return status == QUIPU_OK ? add_state(shared, &bytes, err) : status;
}

/* ---- The whole ---- */

/* Makes the findings of all parts those of the reader. */
static enum quipu_status show_findings(struct shared_fold *shared, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(shared->reader);
    struct quipu__buffer bytes;
    quipu__buffer_init(&bytes, trace->memory, 0);
    quipu__findings_save(shared->range.events, &bytes);
    quipu__findings_save(shared->range.others, &bytes);
    struct quipu__slice from = quipu__slice_of(bytes.data, bytes.len);
    enum quipu_status status = bytes.failed ? quipu__no_memory(err, bytes.len) : QUIPU_OK;
    for (unsigned list = 0; list < 2 && status == QUIPU_OK; list++)
        status = load_findings(shared, trace->findings, &from, err);
    quipu__buffer_release(&bytes);
    return status;
}

static enum quipu_status read_share(struct shared_fold *shared, struct quipu_transport *transport,
                                    struct quipu_error *err) {
    enum quipu_status status = see(shared, err);
    if (status == QUIPU_OK)
        status = shared->fold->begin(shared->start, &shared->state, err);
    divide(shared, transport);
    return status == QUIPU_OK ? quipu__fold_read_range(shared->fold, shared->start, shared->reader,
                                                       &shared->range, &shared->must_repeat, shared->state, err)
                              : status;
}

static enum quipu_status fold_with(struct shared_fold *shared, struct quipu_transport *transport,
                                   struct quipu_error *err) {
    static const struct quipu__contribution handing_on = {.add = add, .save = save};
    struct quipu__contribution contribution = handing_on;
    struct quipu__memory *memory = quipu__reader_trace(shared->reader)->memory;
    contribution.context = shared;
    enum quipu_status status = quipu__findings_new(memory, &shared->range.events, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(memory, &shared->range.others, err);
    if (status == QUIPU_OK)
        status = read_share(shared, transport, err);
    status = quipu__transport_reduce(transport, memory, &contribution, status, err);
    if (status == QUIPU_OK && !shared->must_repeat)
        status = show_findings(shared, err);
    quipu__findings_free(shared->range.events);
    quipu__findings_free(shared->range.others);
    return status;
}

/* Options may want what a fold that can be shared does not: events in time order. */
static bool can_share(const struct quipu__fold *fold, const struct quipu__fold_start *start) {
    return fold->save && (!start->selection || start->selection->order == QUIPU_ORDER_STREAM);
}

static enum quipu_status refuse(const struct quipu__fold *fold, struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s%s must see all events in one process", fold->info.name,
                fold->save ? " with these options" : "");
    quipu__advise(err, "run \"quipu %s\"", fold->info.name);
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu__fold_run_shared(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                         struct quipu_reader *reader, bool *must_repeat, void **state,
                                         struct quipu_error *err) {
    struct quipu_transport *transport = quipu__reader_transport(reader);
    struct shared_fold shared = {.fold = fold, .start = start, .reader = reader, .name = transport->name};
    struct quipu_error own = QUIPU_ERROR_INIT;
    if (transport->is_done)
        return quipu__fail(err, QUIPU_MISUSE, "processes share a trace once");
    if (!can_share(fold, start))
        return refuse(fold, err);
    const enum quipu_status status = fold_with(&shared, transport, err ? err : &own);
    *must_repeat = status == QUIPU_OK && shared.must_repeat;
    *state = shared.state;
    return status;
}
