/* shared_fold.c: a fold of which several processes read a share each; one that needs all events in one process is run by rank 0, for which the others
 * read (trace/remote.h).
 *
 * What a process hands on: how it sees the trace, which must be as all others see it; whether one process must read everything; and
 * unless it must, what was found in streams with events and in others, the counts, and the state. Findings of other streams come after
 * those of all streams with events, as in one process.
 */
#include "analysis/shared/fold.h"
#include "core/checksum.h"
#include "core/error.h"
#include "core/memory/pack.h"
#include "core/text/findings.h"
#include "index/identity.h"
#include "trace/reader.h"
#include "trace/remote.h"
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

static enum quipu_status load_findings(const struct shared_fold *shared, struct quipu_findings *findings,
                                       struct quipu__slice *from, struct quipu_error *err) {
    const struct quipu_format *format = quipu_reader_format(shared->reader);
    return quipu__findings_load(findings, from, format->rules, format->rule_count, err);
}

/* How a process sees the trace, and what it is called. */
static void save_view(const struct shared_fold *shared, struct quipu__buffer *out) {
    const char *name = shared->name ? shared->name : "";
    quipu__pack_bytes(out, name, strlen(name));
    quipu__pack_u64(out, shared->view);
}

static enum quipu_status compare_view(const struct shared_fold *shared, struct quipu__slice *from,
                                      struct quipu_error *err) {
    const struct quipu__slice name = quipu__unpack_bytes(from);
    const uint64_t view = quipu__unpack_u64(from);
    const int len = (int)quipu__slice_left(&name);
    if (!from->failed && view == shared->view)
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_NOT_FOUND, "%s%.*s%sanother process sees another trace", len > 0 ? "at " : "",
                       len, len > 0 ? (const char *)name.at : "", len > 0 ? " " : "");
}

static enum quipu_status save(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    struct shared_fold *shared = context;
    save_view(shared, out);
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
    enum quipu_status status = compare_view(shared, &bytes, err);
    const bool must_repeat = quipu__take_u8(&bytes) != 0;
    if (status != QUIPU_OK)
        return status;
    shared->must_repeat |= must_repeat;
    if (shared->must_repeat)
        return QUIPU_OK;
    status = load_findings(shared, shared->range.events, &bytes, err);
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
    quipu__divide_streams(quipu__reader_trace(shared->reader), transport, &shared->range.first,
                          &shared->range.end);
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
    struct quipu_transport *transport = quipu__reader_sharing(reader)->transport;
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

/* ---- Reading for rank 0 ---- */

static enum quipu_status save_meeting(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    (void)err;
    save_view(context, out);
    return QUIPU_OK;
}

static enum quipu_status add_meeting(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    return compare_view(context, &bytes, err);
}

enum quipu_status quipu__fold_meet(struct quipu_reader *reader, struct quipu__remote *remote,
                                   struct quipu_error *err) {
    struct quipu_transport *transport = quipu__reader_sharing(reader)->transport;
    struct quipu__memory *memory = quipu__reader_trace(reader)->memory;
    struct shared_fold shared = {.reader = reader, .name = transport->name};
    const struct quipu__contribution meeting = {&shared, add_meeting, save_meeting, true};
    struct quipu_error own = QUIPU_ERROR_INIT;
    err = err ? err : &own;
    if (transport->is_done)
        return quipu__fail(err, QUIPU_MISUSE, "processes share a trace once");
    const enum quipu_status seen = see(&shared, err);
    const enum quipu_status status = quipu__transport_reduce(transport, memory, &meeting, seen, err);
    if (status != QUIPU_OK)
        return status;
    if (transport->rank > 0)
        return quipu__remote_serve(reader, err);
    if (transport->size > 1)
        *remote = quipu__remote_of(transport, memory);
    return QUIPU_OK;
}
