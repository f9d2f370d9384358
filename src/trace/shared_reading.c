/* shared_reading.c: see shared_reading.h. */
#include "trace/shared_reading.h"

#include "core/checksum.h"
#include "core/error.h"
#include "core/memory/pack.h"
#include "index/identity.h"
#include "transport/transport.h"

struct sharing {
    struct quipu_reader *reader;
    const struct quipu__shared_reader *shared; /* NULL: processes only meet */
    const char *name;                          /* of this process */
    struct quipu__stream_range range;
    uint32_t view; /* of the trace: a checksum */
    bool must_repeat;
};

/* ---- How a process sees the trace ---- */

/* Of everything that decides what the numbers in states mean. */
static enum quipu_status see(struct sharing *sharing, struct quipu_error *err) {
    const struct quipu__trace *trace = quipu__reader_trace(sharing->reader);
    struct quipu__buffer bytes;
    quipu__buffer_init(&bytes, trace->memory, 0);
    quipu__identity_put_reading(trace, &bytes);
    for (uint32_t i = 0; i < quipu_reader_stream_count(sharing->reader); i++)
        quipu__pack_u64(&bytes, quipu_reader_stream_at(sharing->reader, i)->bytes);
    sharing->view = quipu__crc32(0, bytes.data, bytes.len);
    const enum quipu_status status = bytes.failed ? quipu__no_memory(err, bytes.len) : QUIPU_OK;
    quipu__buffer_release(&bytes);
    return status;
}

/* ---- Handing on ---- */

/* Those of the format and of whoever reads. */
static enum quipu_status take_findings(const struct sharing *sharing, struct quipu_findings *findings,
                                       struct quipu__slice *from, struct quipu_error *err) {
    const struct quipu_format *format = quipu_reader_format(sharing->reader);
    const struct quipu__known_rules known = {format->rules, format->rule_count, sharing->shared->rules};
    return quipu__findings_load(findings, from, &known, err);
}

/* How a process sees the trace, and what it is called. */
static void save_view(const struct sharing *sharing, struct quipu__buffer *out) {
    const char *name = sharing->name ? sharing->name : "";
    quipu__pack_bytes(out, name, strlen(name));
    quipu__pack_u64(out, sharing->view);
}

static enum quipu_status compare_view(const struct sharing *sharing, struct quipu__slice *from,
                                      struct quipu_error *err) {
    const struct quipu__slice name = quipu__unpack_bytes(from);
    const uint64_t view = quipu__unpack_u64(from);
    const int len = (int)quipu__slice_left(&name);
    if (!from->failed && view == sharing->view)
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_NOT_FOUND, "%s%.*s%sanother process sees another trace", len > 0 ? "at " : "",
                       len, len > 0 ? (const char *)name.at : "", len > 0 ? " " : "");
}

static enum quipu_status save(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    struct sharing *sharing = context;
    save_view(sharing, out);
    quipu__put_u8(out, sharing->must_repeat);
    if (sharing->must_repeat)
        return QUIPU_OK;
    quipu__findings_save(sharing->range.events, out);
    quipu__findings_save(sharing->range.others, out);
    quipu__reader_save_counts(sharing->reader, out);
    return sharing->shared->save(sharing->shared->context, out, err);
}

/* Whoever adds takes all bytes, unless one process must read everything. */
static enum quipu_status add_known(struct sharing *sharing, struct quipu__slice *from,
                                   struct quipu_error *err) {
    const enum quipu_status status =
        sharing->shared->add(sharing->shared->context, from, &sharing->must_repeat, err);
    if (status != QUIPU_OK || (!from->failed && (quipu__slice_left(from) == 0 || sharing->must_repeat)))
        return status;
    return quipu__fail(err, QUIPU_CORRUPT, "what a process has handed on cannot be right");
}

static enum quipu_status add(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    struct sharing *sharing = context;
    enum quipu_status status = compare_view(sharing, &bytes, err);
    const bool must_repeat = quipu__take_u8(&bytes) != 0;
    if (status != QUIPU_OK)
        return status;
    sharing->must_repeat |= must_repeat;
    if (sharing->must_repeat)
        return QUIPU_OK;
    status = take_findings(sharing, sharing->range.events, &bytes, err);
    if (status == QUIPU_OK)
        status = take_findings(sharing, sharing->range.others, &bytes, err);
    quipu__reader_add_counts(sharing->reader, &bytes);
    return status == QUIPU_OK ? add_known(sharing, &bytes, err) : status;
}

/* ---- Meeting ---- */

static enum quipu_status save_meeting(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    (void)err;
    save_view(context, out);
    return QUIPU_OK;
}

static enum quipu_status add_meeting(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    return compare_view(context, &bytes, err);
}

static enum quipu_status meet(struct sharing *sharing, struct quipu_transport *transport,
                              struct quipu_error *err) {
    const struct quipu__contribution meeting = {
        .context = sharing, .add = add_meeting, .save = save_meeting, .meets = true};
    const enum quipu_status status = see(sharing, err);
    return quipu__transport_reduce(transport, quipu__reader_trace(sharing->reader)->memory, &meeting, status,
                                   err);
}

/* ---- The whole ---- */

/* Makes the findings of all shares those of the reader. */
static enum quipu_status show_findings(const struct sharing *sharing, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(sharing->reader);
    struct quipu__buffer bytes;
    quipu__buffer_init(&bytes, trace->memory, 0);
    quipu__findings_save(sharing->range.events, &bytes);
    quipu__findings_save(sharing->range.others, &bytes);
    struct quipu__slice from = quipu__slice_of(bytes.data, bytes.len);
    enum quipu_status status = bytes.failed ? quipu__no_memory(err, bytes.len) : QUIPU_OK;
    for (unsigned list = 0; list < 2 && status == QUIPU_OK; list++)
        status = take_findings(sharing, trace->findings, &from, err);
    quipu__buffer_release(&bytes);
    return status;
}

static enum quipu_status read_share(struct sharing *sharing, struct quipu_transport *transport,
                                    struct quipu_error *err) {
    const enum quipu_status status = see(sharing, err);
    quipu__divide_streams(quipu__reader_trace(sharing->reader), transport, &sharing->range.first,
                          &sharing->range.end);
    return status == QUIPU_OK
               ? sharing->shared->read(sharing->shared->context, &sharing->range, &sharing->must_repeat, err)
               : status;
}

/* Others may do it once only. */
static enum quipu_status begin(struct sharing *sharing, struct quipu_transport **transport,
                               struct quipu_error *err) {
    *transport = quipu__reader_sharing(sharing->reader)->transport;
    sharing->name = (*transport)->name;
    return (*transport)->is_done ? quipu__fail(err, QUIPU_MISUSE, "processes share a trace once") : QUIPU_OK;
}

enum quipu_status quipu__read_shared(struct quipu_reader *reader, const struct quipu__shared_reader *shared,
                                     bool *must_repeat, struct quipu_error *err) {
    struct sharing sharing = {.reader = reader, .shared = shared};
    const struct quipu__contribution contribution = {
        .context = &sharing, .add = add, .save = save, .agrees = shared->writes};
    struct quipu__memory *memory = quipu__reader_trace(reader)->memory;
    struct quipu_error own = QUIPU_ERROR_INIT;
    struct quipu_transport *transport;
    err = err ? err : &own;
    enum quipu_status status = begin(&sharing, &transport, err);
    if (status == QUIPU_OK && shared->writes)
        status = meet(&sharing, transport, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__findings_new(memory, &sharing.range.events, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(memory, &sharing.range.others, err);
    if (status == QUIPU_OK)
        status = read_share(&sharing, transport, err);
    status = quipu__transport_reduce(transport, memory, &contribution, status, err);
    if (status == QUIPU_OK && !sharing.must_repeat)
        status = show_findings(&sharing, err);
    quipu__findings_free(sharing.range.events);
    quipu__findings_free(sharing.range.others);
    *must_repeat = status == QUIPU_OK && sharing.must_repeat;
    return status;
}

/* ---- Names of outputs ---- */

static enum quipu_status save_nothing(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    (void)context, (void)out, (void)err;
    return QUIPU_OK;
}

static enum quipu_status add_nothing(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    (void)context, (void)bytes, (void)err;
    return QUIPU_OK;
}

enum quipu_status quipu__name_shared(struct quipu_reader *reader,
                                     enum quipu_status (*name)(void *context, struct quipu_error *err),
                                     void *context, struct quipu_error *err) {
    static const struct quipu__contribution nothing = {.add = add_nothing, .save = save_nothing};
    struct quipu_transport *transport = quipu__reader_sharing(reader)->transport;
    enum quipu_status status = transport->rank > 0 ? name(context, err) : QUIPU_OK;
    status = quipu__transport_reduce(transport, quipu__reader_trace(reader)->memory, &nothing, status, err);
    return transport->rank == 0 && status == QUIPU_OK ? name(context, err) : status;
}

/* ---- Reading for rank 0 ---- */

/* QUIPU_OK in rank 0, which has the others, and QUIPU_END in those when they have read for it. */
static enum quipu_status begin_serving(struct quipu_reader *reader, const struct quipu__remote_work *work,
                                       struct quipu__remote *remote, struct quipu_error *err) {
    struct sharing sharing = {.reader = reader};
    struct quipu_transport *transport;
    enum quipu_status status = begin(&sharing, &transport, err);
    if (status == QUIPU_OK)
        status = meet(&sharing, transport, err);
    if (status != QUIPU_OK)
        return status;
    if (transport->rank > 0)
        return quipu__remote_serve(reader, work, err);
    if (transport->size > 1)
        *remote = quipu__remote_of(transport, quipu__reader_trace(reader)->memory);
    return QUIPU_OK;
}

enum quipu_status quipu__lead(struct quipu_reader *reader, const struct quipu__leading *leading,
                              struct quipu_error *err) {
    struct quipu__sharing *sharing = quipu__reader_sharing(reader);
    struct quipu_error own = QUIPU_ERROR_INIT;
    struct quipu__remote remote;
    err = err ? err : &own;
    enum quipu_status status = begin_serving(reader, leading->work, &remote, err);
    if (status != QUIPU_OK)
        return status;
    if (sharing->transport->size == 1) {
        quipu_reader_share(reader, NULL);
        return leading->lead(leading->context, err);
    }
    sharing->remote = &remote;
    status = leading->lead(leading->context, err);
    sharing->remote = NULL;
    remote.end(&remote);
    if (!remote.must_repeat)
        return status;
    quipu_reader_share(reader, NULL);
    quipu_error_clear(err);
    quipu_reader_rewind(reader);
    return leading->lead_again(leading->context, err);
}
