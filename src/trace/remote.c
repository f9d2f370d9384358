/* remote.c: see remote.h.
 *
 * A batch goes as its columns, one after the other; those that plain events such as enter and leave do not use, only for events that do. Findings
 * and counts go with the batch in which they came up, so that they come to rank 0 in the order in which it would have come upon them.
 *
 * A reply has the next batches of the source that was asked for, and the first ones of sources behind it that have not been asked for yet, as many as
 * fit: so many small streams take few messages.
 *
 *     "state"  be64 length  batches  { number of another source  its batches }
 */
#include "trace/remote.h"

#include "core/error.h"
#include "core/memory/pack.h"
#include "core/scale.h"
#include "core/text/findings.h"
#include "trace/reader.h"

enum request { BEGIN, FILL, WORK, ALL };

enum { HAS_ENDED = 1, NEEDS_DEFINITION = 2 };

/* Of the batches that rank 0 may have in advance, of all sources together; of a reply that other sources are added to; of batches that are joined by
 * more of their source whatever rank 0 has asked for. */
enum { BYTES_AHEAD = 16 << 20, REPLY_BYTES = 64 << 10, FEW_BYTES = 1 << 10 };

/* Of what precedes the batches in a reply: what it is, and their length. */
enum { REPLY_HEAD = 1 + sizeof(uint64_t) };

/* ==== Who reads what ==== */

/* Pages, so that empty streams count too. */
static uint64_t weight_of(const struct quipu_stream *stream) {
    return 1 + (stream->bytes == QUIPU_UNKNOWN ? 0 : stream->bytes >> 12);
}

/* Streams one after the other, and who reads each. */
struct division {
    const struct quipu__trace *trace;
    uint64_t total, before, readers;
    uint32_t next;
};

static struct division division_of(const struct quipu__trace *trace, uint64_t readers) {
    struct division division = {.trace = trace, .readers = readers};
    for (uint32_t i = 0; i < trace->streams.count; i++)
        division.total += 2 * weight_of(&trace->streams.items[i]);
    return division;
}

static uint64_t next_reader(struct division *division) {
    uint64_t rest;
    const uint64_t weight = weight_of(&division->trace->streams.items[division->next++]);
    const uint64_t reader =
        quipu__scale_down(division->before + weight, division->readers, division->total, &rest);
    division->before += 2 * weight;
    return reader;
}

void quipu__divide_streams(const struct quipu__trace *trace, const struct quipu_transport *transport,
                           uint32_t *first, uint32_t *end) {
    const uint32_t gathers = transport->only_gathers, count = (uint32_t)trace->streams.count;
    const uint64_t own = (uint64_t)transport->rank - gathers;
    struct division division = division_of(trace, transport->size - gathers);
    *first = *end = count;
    for (uint32_t i = 0; i < count && (transport->rank > 0 || !gathers); i++) {
        const uint64_t reader = next_reader(&division);
        if (reader >= own && *first == count)
            *first = i;
        if (reader > own && *end == count)
            *end = i;
    }
}

/* Of what share each other process reads, that of rank 0, which consumes what all read, too. */
enum { SHARES = 100, CONSUMING = 50 };

static uint64_t own_shares(const struct quipu__remote *remote, const struct quipu__event_pass *pass) {
    const bool leaves_out = pass->order == QUIPU_ORDER_WINDOWS && pass->windows.unneeded;
    const uint64_t consuming = leaves_out ? pass->windows.unneeded->consuming : CONSUMING;
    const uint64_t consumed = remote->transport->size * consuming;
    return consumed < SHARES ? SHARES - consumed : 0;
}

static void give_away(struct quipu__remote *remote, struct quipu__event_pass *pass) {
    const uint64_t own = own_shares(remote, pass);
    struct division division = division_of(pass->trace, own + (uint64_t)(remote->transport->size - 1) * SHARES);
    uint64_t share = 0;
    for (uint32_t i = 0; i < pass->source_count; i++) {
        struct quipu__source *source = &pass->sources[i];
        while (division.next <= source->stream)
            share = next_reader(&division);
        source->remote = share < own ? NULL : remote;
        source->owner = share < own ? 0 : 1 + (uint32_t)((share - own) / SHARES);
        source->number = i;
    }
    for (uint32_t i = pass->source_count; i > 0; i--) {
        struct quipu__source *source = &pass->sources[i - 1];
        const bool is_last = i == pass->source_count || source->owner != source[1].owner;
        source->owner_end = is_last ? i : source[1].owner_end;
    }
}

/* ==== Selections as bytes ==== */

static void put_numbers(struct quipu__buffer *out, const uint32_t *numbers, uint32_t count) {
    quipu__put_u8(out, numbers != NULL);
    quipu__pack_bytes(out, numbers ? (const void *)numbers : "", numbers ? count * sizeof *numbers : 0);
}

static void put_selection(struct quipu__buffer *out, const struct quipu_selection *selection) {
    quipu__pack_i64(out, selection->from);
    quipu__pack_i64(out, selection->to);
    quipu__pack_u64(out, selection->kinds);
    quipu__put_u8(out, selection->without_attributes);
    put_numbers(out, selection->locations, selection->location_count);
    put_numbers(out, selection->regions, selection->region_count);
    quipu__pack_bytes(out, selection->where ? selection->where : "",
                      selection->where ? strlen(selection->where) + 1 : 0);
}

/* The bytes of a copy that is aligned; NULL: there are none, or no memory, which the gate remembers. */
static void *copy_bytes(struct quipu__slice *from, struct quipu__arena *arena, size_t *size) {
    const struct quipu__slice bytes = quipu__unpack_bytes(from);
    *size = from->failed ? 0 : quipu__slice_left(&bytes);
    void *copy = quipu__arena_alloc(arena, *size + 1);
    if (copy && *size > 0)
        memcpy(copy, bytes.at, *size);
    return copy;
}

static const uint32_t *read_numbers(struct quipu__slice *from, struct quipu__arena *arena, uint32_t *count) {
    const bool are_there = quipu__take_u8(from) != 0;
    size_t size;
    const uint32_t *numbers = copy_bytes(from, arena, &size);
    *count = (uint32_t)(size / sizeof *numbers);
    return are_there ? numbers : NULL;
}

static struct quipu_selection read_selection(struct quipu__slice *from, struct quipu__arena *arena) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    size_t size;
    selection.from = quipu__unpack_i64(from);
    selection.to = quipu__unpack_i64(from);
    selection.kinds = quipu__unpack_u64(from);
    selection.without_attributes = quipu__take_u8(from) != 0;
    selection.locations = read_numbers(from, arena, &selection.location_count);
    selection.regions = read_numbers(from, arena, &selection.region_count);
    const char *where = copy_bytes(from, arena, &size);
    selection.where = size > 0 ? where : NULL;
    return selection;
}

/* ==== What is left out, as bytes ==== */

static void put_unneeded(struct quipu__buffer *out, const struct quipu__unneeded_calls *calls) {
    quipu__put_u8(out, calls != NULL);
    if (!calls)
        return;
    quipu__put_u8(out, calls->has_any);
    quipu__pack_u64(out, calls->also);
    quipu__pack_bytes(out, calls->may_go ? (const void *)calls->may_go : "", calls->count);
}

/* False when there are none, or no memory, which the gate remembers; released in any case. */
static bool read_unneeded(struct quipu__slice *from, struct quipu__memory *memory,
                          struct quipu__unneeded_calls *calls) {
    *calls = (struct quipu__unneeded_calls){.memory = memory};
    if (quipu__take_u8(from) == 0)
        return false;
    calls->has_any = quipu__take_u8(from) != 0;
    calls->also = quipu__unpack_u64(from);
    const struct quipu__slice regions = quipu__unpack_bytes(from);
    const uint32_t count = from->failed ? 0 : (uint32_t)quipu__slice_left(&regions);
    calls->may_go = quipu__alloc(memory, count);
    calls->count = calls->may_go ? count : 0;
    for (uint32_t i = 0; i < calls->count; i++)
        calls->may_go[i] = regions.at[i] != 0;
    return calls->may_go != NULL;
}

/* ==== Batches as bytes ==== */

/* Does something with each column that all events use, and with each that only rich ones do, which go event by event. */
#define FOR_PLAIN_COLUMNS(DO)                                                                                  \
    DO(kind)                                                                                                   \
    DO(time)                                                                                                   \
    DO(location)                                                                                               \
    DO(byte_offset)                                                                                            \
    DO(object)
#define FOR_RICH_COLUMNS(DO)                                                                                   \
    DO(peer)                                                                                                   \
    DO(group)                                                                                                  \
    DO(operation)                                                                                              \
    DO(tag)                                                                                                    \
    DO(bytes)                                                                                                  \
    DO(value)                                                                                                  \
    DO(id)

/* Bytes of those of an event. */
enum {
#define SIZE(column) +sizeof(*((struct quipu_batch *)NULL)->column)
    RICH_BYTES = 0 FOR_RICH_COLUMNS(SIZE)
#undef SIZE
};

static bool is_text(const struct quipu_value *value) {
    return value->type == QUIPU_VALUE_STRING || value->type == QUIPU_VALUE_BYTES;
}

static void put_attributes(struct quipu__buffer *out, const struct quipu_batch *batch) {
    quipu__pack_u64(out, batch->attribute_count);
    for (uint32_t i = 0; i < batch->attribute_count; i++) {
        const struct quipu_value *value = &batch->attributes[i].value;
        quipu__pack_u64(out, batch->attributes[i].event);
        quipu__pack_u64(out, value->key);
        quipu__put_u8(out, value->type);
        if (is_text(value))
            quipu__pack_bytes(out, value->data, value->size);
        else
            quipu__pack_u64(out, value->u);
    }
}

static void put_rich(struct quipu__buffer *out, const struct quipu_batch *batch) {
    const quipu_kinds rich = quipu__rich_kinds();
    size_t count = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        count += rich >> batch->kind[i] & 1;
    uint8_t *at = quipu__buffer_room(out, count * RICH_BYTES);
    if (!at)
        return;
#define PUT(column)                                                                                            \
    memcpy(at, &batch->column[i], sizeof *batch->column);                                                      \
    at += sizeof *batch->column;
    for (uint32_t i = 0; i < batch->count; i++)
        if ((rich >> batch->kind[i] & 1) != 0) {
            FOR_RICH_COLUMNS(PUT)
        }
#undef PUT
    out->len += count * RICH_BYTES;
}

static void put_batch(struct quipu__buffer *out, const struct quipu__batch *from) {
    const struct quipu_batch *batch = &from->batch;
    const uint32_t count = batch->count;
    quipu__pack_u64(out, count);
    quipu__pack_u64(out, from->left_out);
#define PUT_ALL(column) quipu__put(out, batch->column, count * sizeof *batch->column);
    FOR_PLAIN_COLUMNS(PUT_ALL)
#undef PUT_ALL
    put_rich(out, batch);
    put_attributes(out, batch);
}

static void read_into(struct quipu__slice *from, void *to, size_t size) {
    const uint8_t *bytes = quipu__take_bytes(from, size);
    if (bytes)
        memcpy(to, bytes, size);
}

/* Attributes go to the event that was added last. False when memory is out. */
static bool read_attributes(struct quipu__slice *from, struct quipu__batch *batch) {
    const uint32_t count = batch->batch.count;
    bool has_memory = true;
    for (uint64_t left = quipu__unpack_u64(from), event = 0; left > 0 && !from->failed && has_memory; left--) {
        struct quipu_value value = {0};
        const uint64_t next = quipu__unpack_up_to(from, count);
        from->failed |= next < event || next == count;
        event = next;
        value.key = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
        value.type = quipu__take_u8(from);
        if (is_text(&value)) {
            const struct quipu__slice text = quipu__unpack_bytes(from);
            value.data = (const char *)text.at;
            value.size = from->failed ? 0 : (uint32_t)quipu__slice_left(&text);
        } else {
            value.u = quipu__unpack_u64(from);
        }
        if (from->failed)
            break;
        batch->batch.count = (uint32_t)event + 1;
        has_memory = quipu__batch_attribute(batch, &value);
    }
    batch->batch.count = count;
    return has_memory;
}

static void read_rich(struct quipu__slice *from, struct quipu_batch *to, uint32_t count) {
    const quipu_kinds rich = quipu__rich_kinds();
#define READ(column)                                                                                           \
    memcpy(&to->column[i], at, sizeof *to->column);                                                            \
    at += sizeof *to->column;
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        from->failed |= to->kind[i] >= QUIPU_KIND_COUNT;
        const bool is_rich = !from->failed && (rich >> to->kind[i] & 1) != 0;
        const uint8_t *at = is_rich ? quipu__take_bytes(from, RICH_BYTES) : NULL;
        if (at) {
            FOR_RICH_COLUMNS(READ)
        }
    }
#undef READ
}

static enum quipu_status read_batch(struct quipu__slice *from, struct quipu__batch *batch,
                                    struct quipu_error *err) {
    const uint32_t count = (uint32_t)quipu__unpack_up_to(from, quipu__slice_left(from));
    const uint32_t left_out = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
    enum quipu_status status = count > batch->batch.capacity ? quipu__batch_grow(batch, count, err) : QUIPU_OK;
    struct quipu_batch *to = &batch->batch;
    if (status != QUIPU_OK)
        return status;
#define READ_ALL(column) read_into(from, to->column, count * sizeof *to->column);
    FOR_PLAIN_COLUMNS(READ_ALL)
#undef READ_ALL
    read_rich(from, to, count);
    to->count = from->failed ? 0 : count;
    batch->left_out = left_out;
    return read_attributes(from, batch) ? QUIPU_OK : quipu__no_memory(err, count);
}

/* ==== Rank 0 ==== */

static void begin_message(struct quipu__buffer *out, enum request request) {
    out->len = 0;
    quipu__put_u8(out, QUIPU__MESSAGE);
    quipu__put_u8(out, (uint8_t)request);
}

static enum quipu_status tell_all(struct quipu__remote *remote, struct quipu_error *err) {
    const size_t len = remote->bytes.len;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t rank = 1; rank < remote->transport->size && status == QUIPU_OK; rank++) {
        remote->bytes.len = len; /* without the checksum */
        status = quipu__transport_send(remote->transport, rank, &remote->bytes, status, err);
    }
    return status;
}

static void remote_select(struct quipu__remote *remote, const struct quipu_selection *selection) {
    remote->selection.len = 0;
    put_selection(&remote->selection, selection);
}

static enum quipu_status remote_begin(struct quipu__remote *remote, struct quipu__event_pass *pass,
                                      struct quipu_error *err) {
    give_away(remote, pass);
    remote->sources = pass->sources;
    remote->source_count = pass->source_count;
    begin_message(&remote->bytes, BEGIN);
    quipu__put_u8(&remote->bytes, (uint8_t)pass->order);
    put_unneeded(&remote->bytes, pass->order == QUIPU_ORDER_WINDOWS ? pass->windows.unneeded : NULL);
    quipu__put(&remote->bytes, remote->selection.data, remote->selection.len);
    if (remote->selection.failed || remote->bytes.failed)
        return quipu__no_memory(err, remote->selection.len);
    return tell_all(remote, err);
}

static void remote_end(struct quipu__remote *remote) {
    uint8_t room[16];
    quipu__buffer_release(&remote->selection);
    quipu__buffer_release(&remote->bytes);
    remote->bytes = (struct quipu__buffer){.data = room, .capacity = sizeof room, .limit = sizeof room};
    begin_message(&remote->bytes, ALL);
    (void)tell_all(remote, &(struct quipu_error)QUIPU_ERROR_INIT); /* whoever cannot be told has ended */
}

/* What the process has found and counted on the way. */
static enum quipu_status read_account(struct quipu__slice *from, const struct quipu__trace *trace,
                                      struct quipu__counts *counts, bool has_ended, struct quipu_error *err) {
    const struct quipu__known_rules known = {trace->format->info.rules, trace->format->info.rule_count, NULL};
    counts->records += quipu__unpack_u64(from);
    counts->bytes += quipu__unpack_u64(from);
    counts->skipped += quipu__unpack_u64(from);
    for (uint32_t i = 0; has_ended && i < trace->format->info.schema->type_count; i++)
        counts->records_of[i] += quipu__unpack_u64(from);
    return quipu__take_u8(from) != 0 ? quipu__findings_load(trace->findings, from, &known, err) : QUIPU_OK;
}

/* A later pass must not see other events than the first one, so nothing goes on. */
static enum quipu_status refuse_to_go_on(struct quipu_error *err) {
    return quipu__fail(err, QUIPU_STOPPED, "one process must read everything");
}

static enum quipu_status refuse_reply(struct quipu_error *err) {
    return quipu__fail(err, QUIPU_CORRUPT, "what a process has handed on cannot be right");
}

/* The next of the batches that have come. */
static enum quipu_status read_received(struct quipu__source *source, struct quipu__trace *trace,
                                       struct quipu__batch *batch, struct quipu_error *err) {
    struct quipu__slice from = quipu__slice_of(source->received.data + source->received_at,
                                               source->received_end - source->received_at);
    const uint8_t flags = quipu__take_u8(&from);
    const bool has_ended = (flags & HAS_ENDED) != 0;
    source->remote->must_repeat |= (flags & NEEDS_DEFINITION) != 0;
    enum quipu_status status = read_account(&from, trace, source->counts, has_ended, err);
    if (status == QUIPU_OK && !has_ended)
        status = read_batch(&from, batch, err);
    if (status == QUIPU_OK && from.failed)
        status = refuse_reply(err);
    source->received_at = source->received_end - quipu__slice_left(&from);
    if (status == QUIPU_OK && source->remote->must_repeat)
        return refuse_to_go_on(err);
    return status == QUIPU_OK && has_ended ? QUIPU_END : status;
}

/* How many batches of so many events come in one message: many where there are few sources. */
static size_t batches_of_message(const struct quipu__remote *remote, uint32_t capacity) {
    const struct quipu__memory *memory = remote->bytes.memory;
    const size_t left = memory->limit > memory->used ? memory->limit - memory->used : 0;
    const size_t bytes = left / 8 < BYTES_AHEAD ? left / 8 : BYTES_AHEAD;
    const size_t count =
        bytes / capacity / QUIPU__EVENT_BYTES / (remote->source_count ? remote->source_count : 1);
    return count > 1 ? count : 1;
}

static void begin_receiving(struct quipu__source *source) {
    if (!source->received.memory)
        quipu__buffer_init(&source->received, source->remote->bytes.memory, 0);
}

/* Batches of sources behind the one that was asked for. */
static enum quipu_status keep_others(const struct quipu__source *asked, struct quipu__slice from,
                                     struct quipu_error *err) {
    while (quipu__slice_left(&from) > 0 && !from.failed) {
        const uint64_t number = quipu__unpack_u64(&from);
        const struct quipu__slice batches = quipu__unpack_bytes(&from);
        if (from.failed || number <= asked->number || number >= asked->owner_end)
            return refuse_reply(err);
        struct quipu__source *other = &asked->remote->sources[number];
        if (other->received_at < other->received_end)
            return refuse_reply(err);
        begin_receiving(other);
        other->received.len = other->received_at = 0;
        quipu__put(&other->received, batches.at, quipu__slice_left(&batches));
        other->received_end = other->received.len;
        if (other->received.failed)
            return quipu__no_memory(err, quipu__slice_left(&batches));
    }
    return from.failed ? refuse_reply(err) : QUIPU_OK;
}

static enum quipu_status ask_for_more(struct quipu__source *source, uint32_t capacity,
                                      struct quipu_error *err) {
    struct quipu__remote *remote = source->remote;
    struct quipu__slice reply;
    begin_receiving(source);
    begin_message(&remote->bytes, FILL);
    quipu__pack_u64(&remote->bytes, source->number);
    quipu__pack_u64(&remote->bytes, capacity);
    quipu__pack_u64(&remote->bytes, batches_of_message(remote, capacity));
    quipu__pack_u64(&remote->bytes, source->owner_end);
    enum quipu_status status = remote->bytes.failed ? quipu__no_memory(err, remote->bytes.len)
                                                    : quipu__transport_send(remote->transport, source->owner,
                                                                            &remote->bytes, QUIPU_OK, err);
    if (status == QUIPU_OK)
        status = quipu__transport_receive(remote->transport, source->owner, &source->received, &reply, err);
    if (status != QUIPU_OK)
        return status;
    const uint8_t *head = quipu__take_bytes(&reply, sizeof(uint64_t));
    const uint64_t size = head ? quipu__load_be64(head) : 0;
    if (size == 0 || size > quipu__slice_left(&reply))
        return refuse_reply(err);
    source->received_at = (size_t)(reply.at - source->received.data);
    source->received_end = source->received_at + (size_t)size;
    reply.at += size;
    return keep_others(source, reply, err);
}

static enum quipu_status remote_fill(struct quipu__source *source, struct quipu__trace *trace,
                                     struct quipu__batch *batch, struct quipu_error *err) {
    struct quipu_error own = QUIPU_ERROR_INIT;
    err = err ? err : &own;
    if (source->remote->must_repeat)
        return refuse_to_go_on(err);
    const enum quipu_status status = source->received_at < source->received_end
                                         ? QUIPU_OK
                                         : ask_for_more(source, batch->batch.capacity, err);
    return status == QUIPU_OK ? read_received(source, trace, batch, err) : status;
}

static enum quipu_status remote_ask(struct quipu__remote *remote, const struct quipu__buffer *question,
                                    struct quipu_error *err) {
    begin_message(&remote->bytes, WORK);
    quipu__put(&remote->bytes, question->data, question->len);
    return remote->bytes.failed ? quipu__no_memory(err, question->len) : tell_all(remote, err);
}

static enum quipu_status remote_receive(struct quipu__remote *remote, uint32_t rank, struct quipu__slice *out,
                                        struct quipu_error *err) {
    return quipu__transport_receive(remote->transport, rank, &remote->bytes, out, err);
}

struct quipu__remote quipu__remote_of(struct quipu_transport *transport, struct quipu__memory *memory) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    struct quipu__remote remote = {.transport = transport,
                                   .select = remote_select,
                                   .begin = remote_begin,
                                   .fill = remote_fill,
                                   .ask = remote_ask,
                                   .receive = remote_receive,
                                   .end = remote_end};
    quipu__buffer_init(&remote.selection, memory, 0);
    quipu__buffer_init(&remote.bytes, memory, 0);
    remote_select(&remote, &everything);
    return remote;
}

/* ==== The others ==== */

/* What rank 0 asks for: batches of a source, how many and of how many events, and up to which source others may be added. */
struct wish {
    uint64_t number, count, end;
    uint32_t capacity;
};

/* Replies of a source that may be ready: enough to work on while rank 0 reads what is its own. */
enum { READY_MOST = 2 };

/* What is known of a source. */
struct served {
    struct quipu__buffer
        replies[READY_MOST]; /* to what will be asked next: those that are ready, from first on */
    uint32_t first, ready;
    uint64_t added;   /* batches in the one behind them, which is being made */
    struct wish wish; /* the last one */
    bool was_asked, has_ended, is_queued;
};

struct serving {
    struct quipu_reader *reader;
    const struct quipu__remote_work *work;
    struct quipu__trace *trace;
    struct quipu__event_pass *pass; /* NULL: none has begun */
    enum quipu_status status;       /* with err: why it cannot go on */
    struct quipu_error err;
    struct quipu__share share;
    struct quipu__unneeded_calls unneeded; /* of the pass */
    bool leaves_out;                       /* there are any */
    struct served *served;                 /* by source */
    uint32_t served_count;
    uint32_t
        *queue; /* sources that may have more replies ready, those first that were asked first, in a circle */
    uint32_t queue_first, queue_count;
    struct quipu__batch *batch;
    struct quipu_findings *findings;
    struct quipu__counts told; /* of counts */
    struct quipu__buffer bytes;
};

static void end_pass(struct serving *serving) {
    struct quipu__memory *memory = serving->trace->memory;
    for (uint32_t i = 0; i < serving->served_count; i++)
        for (uint32_t k = 0; k < READY_MOST; k++)
            quipu__buffer_release(&serving->served[i].replies[k]);
    quipu__release(memory, serving->served, serving->served_count * sizeof *serving->served);
    quipu__release(memory, serving->queue, serving->served_count * sizeof *serving->queue);
    quipu__unneeded_calls_release(&serving->unneeded);
    serving->served = NULL;
    serving->queue = NULL;
    serving->served_count = serving->queue_first = serving->queue_count = 0;
    serving->pass = NULL;
}

static enum quipu_status make_room(struct serving *serving, uint32_t sources, struct quipu_error *err) {
    struct quipu__memory *memory = serving->trace->memory;
    serving->served = quipu__alloc_zero(memory, sources * sizeof *serving->served);
    serving->queue = quipu__alloc_zero(memory, sources * sizeof *serving->queue);
    for (uint32_t i = 0; serving->served && i < sources; i++)
        for (uint32_t k = 0; k < READY_MOST; k++)
            quipu__buffer_init(&serving->served[i].replies[k], memory, 0);
    if (serving->served && serving->queue) {
        serving->served_count = sources;
        return QUIPU_OK;
    }
    quipu__release(memory, serving->served, sources * sizeof *serving->served);
    quipu__release(memory, serving->queue, sources * sizeof *serving->queue);
    serving->served = NULL;
    serving->queue = NULL;
    return quipu__no_memory(err, sources * sizeof *serving->served);
}

static enum quipu_status begin_pass(struct serving *serving, struct quipu__slice from,
                                    struct quipu_error *err) {
    struct quipu__memory *memory = serving->trace->memory;
    const enum quipu_order order = (enum quipu_order)quipu__take_u8(&from);
    struct quipu__arena arena;
    end_pass(serving);
    serving->leaves_out = read_unneeded(&from, memory, &serving->unneeded);
    quipu__arena_init(&arena, memory);
    struct quipu_selection selection = read_selection(&from, &arena);
    selection.order = order;
    enum quipu_status status = from.failed
                                   ? quipu__fail(err, QUIPU_CORRUPT, "what is asked for cannot be right")
                                   : quipu__memory_status(memory, err);
    if (status == QUIPU_OK)
        status = quipu_reader_select(serving->reader, &selection, err);
    quipu__arena_release(&arena);
    if (status == QUIPU_OK)
        status = quipu__reader_start_pass(serving->reader, &serving->pass, err);
    if (status != QUIPU_OK)
        return status;
    serving->told = (struct quipu__counts){0};
    serving->share = order == QUIPU_ORDER_WINDOWS ? quipu__share_of_windows(memory, serving->pass->source_count)
                                                  : quipu__share_of(memory, serving->pass->source_count);
    return make_room(serving, serving->pass->source_count, err);
}

static bool has_found(const struct quipu_findings *findings) {
    uint64_t total = 0;
    for (unsigned severity = 0; severity <= QUIPU_ERROR_FINDING; severity++)
        total += quipu_findings_total(findings, (enum quipu_severity)severity);
    return total > 0;
}

static void put_account(struct serving *serving, bool has_ended, struct quipu__buffer *out) {
    struct quipu__counts *counts = serving->pass->counts;
    const size_t types = serving->trace->format->info.schema->type_count;
    quipu__pack_u64(out, counts->records - serving->told.records);
    quipu__pack_u64(out, counts->bytes - serving->told.bytes);
    quipu__pack_u64(out, counts->skipped - serving->told.skipped);
    serving->told = *counts;
    for (size_t i = 0; has_ended && i < types; i++) {
        quipu__pack_u64(out, counts->records_of[i]);
        counts->records_of[i] = 0;
    }
    quipu__put_u8(out, has_found(serving->findings));
    if (has_found(serving->findings))
        quipu__findings_save(serving->findings, out);
    quipu__findings_clear(serving->findings);
}

static enum quipu_status fill(struct serving *serving, struct quipu__source *source, uint32_t capacity,
                              struct quipu_error *err) {
    struct quipu__trace *trace = serving->trace;
    enum quipu_status status = QUIPU_OK;
    if (!serving->batch || serving->batch->batch.capacity != capacity) {
        quipu__batch_free(serving->batch);
        serving->batch = NULL;
        status = quipu__batch_new(trace->memory, capacity, &serving->batch, err);
    }
    if (status == QUIPU_OK)
        status = quipu__source_open(source, trace, serving->pass->filter, &serving->share,
                                    serving->pass->counts, err);
    if (status == QUIPU_OK)
        status = quipu__source_fill(source, trace, serving->pass->filter, serving->batch, err);
    if (status == QUIPU_OK && serving->leaves_out) {
        const uint32_t count = serving->batch->batch.count;
        quipu__unneeded_calls_leave_out(&serving->unneeded, &serving->batch->batch);
        serving->batch->left_out = count - serving->batch->batch.count;
    }
    const enum quipu_status memory = quipu__memory_status(trace->memory, err);
    return memory == QUIPU_OK ? status : memory;
}

/* Adds the next batch to what will be sent. False when that is the last one. */
static bool add_batch(struct serving *serving, struct quipu__source *source, struct served *served,
                      struct quipu__buffer *reply, uint32_t capacity) {
    const size_t before = reply->len;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const enum quipu_status status = fill(serving, source, capacity, &err);
    const bool needs = quipu__define_needs_definition(serving->trace->define);
    served->has_ended = status == QUIPU_END;
    if (served->has_ended)
        quipu__source_close(source, serving->trace);
    quipu__put_u8(reply, (uint8_t)((served->has_ended ? HAS_ENDED : 0) | (needs ? NEEDS_DEFINITION : 0)));
    put_account(serving, served->has_ended, reply);
    if (status == QUIPU_OK)
        put_batch(reply, serving->batch);
    if (status == QUIPU_OK || served->has_ended)
        return !served->has_ended && !needs && !reply->failed;
    reply->len = before; /* what comes before is sent, and then the failure */
    serving->status = status;
    serving->err = err;
    return false;
}

static struct quipu__buffer *unfinished_reply(struct served *served) {
    return &served->replies[(served->first + served->ready) % READY_MOST];
}

/* Makes one more batch of a source, as it will be sent: of the reply that is ready when that is as long as it is wished; none when reading has failed. */
static void prepare_batch(struct serving *serving, uint32_t number) {
    struct quipu__trace *trace = serving->trace;
    struct quipu__source *source = &serving->pass->sources[number];
    struct served *served = &serving->served[number];
    struct quipu__buffer *reply = unfinished_reply(served);
    struct quipu_findings *before = trace->findings;
    if (served->added == 0) {
        reply->len = 0;
        quipu__put_u8(reply, QUIPU__MESSAGE);
        quipu__put_be64(reply, 0);
    }
    trace->findings = trace->files->findings = serving->findings;
    const bool goes_on = add_batch(serving, source, served, reply, served->wish.capacity);
    trace->findings = trace->files->findings = before;
    served->added++;
    if (goes_on && !source->shared && (served->added < served->wish.count || reply->len < FEW_BYTES))
        return;
    served->ready += reply->len > REPLY_HEAD || reply->failed;
    served->added = 0;
}

/* So that a reply is ready, if reading has not failed: one that is being made may be short. */
static void prepare(struct serving *serving, uint32_t number, const struct wish *wish) {
    struct served *served = &serving->served[number];
    served->was_asked = true;
    served->wish = *wish;
    if (served->ready == 0 && served->added > 0) {
        served->ready = 1;
        served->added = 0;
    }
    while (served->ready == 0 && serving->status == QUIPU_OK)
        prepare_batch(serving, number);
}

/* The first reply of a source that is ready, which it is no longer then; it is valid until another one is prepared. */
static struct quipu__buffer *take_reply(struct served *served) {
    struct quipu__buffer *reply = &served->replies[served->first];
    served->first = (served->first + 1) % READY_MOST;
    served->ready--;
    return reply;
}

/* Adds what sources behind it begin with. They are decoded in advance, unless others of the same pass would be, too: then findings would come in
 * another order. */
static void add_others(struct serving *serving, const struct wish *wish, struct quipu__buffer *reply) {
    for (uint32_t i = (uint32_t)wish->number + 1; i < wish->end && reply->len < REPLY_BYTES; i++) {
        struct served *other = &serving->served[i];
        if (other->was_asked || serving->pass->sources[i].shared || serving->status != QUIPU_OK)
            return;
        prepare(serving, i, wish);
        if (other->ready == 0 || other->replies[other->first].failed)
            return;
        struct quipu__buffer *added = take_reply(other);
        quipu__pack_u64(reply, i);
        quipu__pack_bytes(reply, added->data + REPLY_HEAD, added->len - REPLY_HEAD);
        quipu__buffer_release(added);
        quipu__buffer_init(added, serving->trace->memory, 0);
    }
}

static enum quipu_status send_reply(struct serving *serving, const struct wish *wish, struct served *served,
                                    struct quipu_error *err) {
    struct quipu_transport *transport = quipu__reader_sharing(serving->reader)->transport;
    struct quipu__buffer *reply = take_reply(served);
    if (!reply->failed) {
        quipu__store_be64(reply->data + 1, reply->len - REPLY_HEAD);
        add_others(serving, wish, reply);
    }
    return quipu__transport_send(transport, 0, reply, QUIPU_OK, err);
}

static bool may_prepare(const struct serving *serving, uint32_t number) {
    const struct served *served = &serving->served[number];
    return serving->status == QUIPU_OK && !served->has_ended && served->ready < READY_MOST &&
           !serving->pass->sources[number].shared;
}

static void queue_source(struct serving *serving, uint32_t number) {
    if (serving->served[number].is_queued || !may_prepare(serving, number))
        return;
    serving->queue[(serving->queue_first + serving->queue_count++) % serving->served_count] = number;
    serving->served[number].is_queued = true;
}

/* A batch of the first source that is queued, so that rank 0 need not wait for more when it asks for another one. False when there is none. */
static bool work_in_advance(struct serving *serving) {
    if (!serving->pass || serving->queue_count == 0)
        return false;
    const uint32_t number = serving->queue[serving->queue_first], ready = serving->served[number].ready;
    if (may_prepare(serving, number))
        prepare_batch(serving, number);
    if (may_prepare(serving, number) && serving->served[number].ready == ready)
        return true;
    serving->queue_first = (serving->queue_first + 1) % serving->served_count;
    serving->queue_count--;
    serving->served[number].is_queued = false;
    queue_source(serving, number);
    return true;
}

static enum quipu_status serve_source(struct serving *serving, struct quipu__slice from,
                                      struct quipu_error *err) {
    struct quipu_transport *transport = quipu__reader_sharing(serving->reader)->transport;
    struct wish wish;
    wish.number = quipu__unpack_u64(&from);
    wish.capacity = (uint32_t)quipu__unpack_up_to(&from, UINT32_MAX);
    wish.count = quipu__unpack_u64(&from);
    wish.end = quipu__unpack_up_to(&from, serving->served_count);
    if (serving->status == QUIPU_OK &&
        (from.failed || wish.number >= serving->served_count || wish.capacity == 0))
        serving->status = quipu__fail(&serving->err, QUIPU_CORRUPT, "what is asked for cannot be right");
    const uint32_t number = (uint32_t)wish.number;
    struct served *served = wish.number < serving->served_count ? &serving->served[number] : NULL;
    if (serving->status == QUIPU_OK && served)
        prepare(serving, number, &wish);
    if (!served || served->ready == 0) {
        *err = serving->err;
        return quipu__transport_send(transport, 0, &serving->bytes, serving->status, err);
    }
    const enum quipu_status status = send_reply(serving, &wish, served, err);
    if (status != QUIPU_OK)
        return status;
    if (transport->has_message)
        queue_source(serving, number);
    else if (may_prepare(serving, number))
        prepare(serving, number, &wish);
    return QUIPU_OK;
}

/* Passes end before, so that whoever works may begin others. */
static enum quipu_status serve_work(struct serving *serving, struct quipu__slice question,
                                    struct quipu_error *err) {
    struct quipu__buffer answer;
    enum quipu_status status = serving->status;
    end_pass(serving);
    quipu__buffer_init(&answer, serving->trace->memory, 0);
    quipu__put_u8(&answer, QUIPU__MESSAGE);
    if (status == QUIPU_OK)
        status = serving->work ? serving->work->answer(serving->work->context, question, &answer, &serving->err)
                               : quipu__fail(&serving->err, QUIPU_CORRUPT, "what is asked for cannot be right");
    *err = serving->err;
    const enum quipu_status sent =
        quipu__transport_send(quipu__reader_sharing(serving->reader)->transport, 0, &answer, status, err);
    quipu__buffer_release(&answer);
    return sent;
}

static enum quipu_status serve_all(struct serving *serving, struct quipu_error *err) {
    struct quipu_transport *transport = quipu__reader_sharing(serving->reader)->transport;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK) {
        struct quipu__slice request;
        while (transport->has_message && !transport->has_message(transport->context, 0) &&
               work_in_advance(serving))
            continue;
        status = quipu__transport_receive(transport, 0, &serving->bytes, &request, err);
        const enum request what = status == QUIPU_OK ? (enum request)quipu__take_u8(&request) : ALL;
        if (what == BEGIN)
            serving->status = begin_pass(serving, request, &serving->err);
        else if (what == FILL)
            status = serve_source(serving, request, err);
        else if (what == WORK)
            status = serve_work(serving, request, err);
        else
            break;
    }
    return status == QUIPU_OK ? QUIPU_END : status;
}

enum quipu_status quipu__remote_serve(struct quipu_reader *reader, const struct quipu__remote_work *work,
                                      struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(reader);
    struct serving serving = {.reader = reader, .work = work, .trace = trace, .err = QUIPU_ERROR_INIT};
    struct quipu_error own = QUIPU_ERROR_INIT;
    quipu__buffer_init(&serving.bytes, trace->memory, 0);
    serving.status = quipu__findings_new(trace->memory, &serving.findings, &serving.err);
    quipu__define_lock(trace->define);
    const enum quipu_status status = serve_all(&serving, err ? err : &own);
    quipu__define_unlock(trace->define);
    end_pass(&serving);
    quipu__batch_free(serving.batch);
    quipu__findings_free(serving.findings);
    quipu__buffer_release(&serving.bytes);
    return status;
}
