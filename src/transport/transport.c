/* transport.c: a sum over processes, up a tree.
 *
 *     0 ← 1     0 ← 2 ← 3     0 ← 4 ← 5, 4 ← 6 ← 7     …
 *
 * Below a process are contiguous ranks, so what is added in the order of ranks stays in it. A message says first what it
 * is: nothing, a failure, or a state, which ends in the checksum of the message. Processes that meet send their states up the
 * tree too, and then wait for a byte that comes down: whether all go on. Who fails on the way up stops those below at once: no
 * other process knows them. Processes that agree do the same, but who has failed waits as well: after meeting none leaves before.
 */
#include "transport/transport.h"

#include "core/checksum.h"
#include "core/error.h"
#include "core/memory/pack.h"

#include <inttypes.h>

enum message { NOTHING, FAILURE, STATE = QUIPU__MESSAGE, MEETING, GO_ON, STOP };

enum { ERROR_TEXTS = 4, CHECKSUM = 4 };

/* What a process says when it meets others is no longer: it can be received without memory. */
enum { MEETING_MOST = 1024 };

/* ---- Failures as bytes ---- */

static void save_failure(const struct quipu_error *failure, const char *name, struct quipu__buffer *out) {
    struct quipu_error named = *failure;
    if (name)
        quipu__fail(&named, failure->status, "at %s: %s", name, failure->message);
    const char *const texts[ERROR_TEXTS] = {failure->path, failure->field, named.message, failure->advice};
    quipu__pack_u64(out, (uint64_t) - (int64_t)failure->status);
    quipu__pack_u64(out, failure->byte);
    quipu__pack_u64(out, failure->line);
    quipu__pack_u64(out, failure->record);
    for (size_t i = 0; i < ERROR_TEXTS; i++)
        quipu__pack_bytes(out, texts[i], strlen(texts[i]));
}

/* Bytes that cannot be right are a failure too. */
static enum quipu_status load_failure(struct quipu__slice bytes, struct quipu_error *err) {
    struct quipu_error failure = QUIPU_ERROR_INIT;
    char *const texts[ERROR_TEXTS] = {failure.path, failure.field, failure.message, failure.advice};
    const size_t rooms[ERROR_TEXTS] = {sizeof failure.path, sizeof failure.field, sizeof failure.message,
                                       sizeof failure.advice};
    failure.status =
        (enum quipu_status) - (int64_t)quipu__unpack_up_to(&bytes, (uint64_t) - (int64_t)QUIPU_STOPPED);
    failure.byte = quipu__unpack_u64(&bytes);
    failure.line = quipu__unpack_u64(&bytes);
    failure.record = quipu__unpack_u64(&bytes);
    for (size_t i = 0; i < ERROR_TEXTS; i++) {
        const struct quipu__slice text = quipu__unpack_bytes(&bytes);
        const size_t len = quipu__slice_left(&text);
        bytes.failed |= len >= rooms[i];
        if (!bytes.failed && len > 0)
            memcpy(texts[i], text.at, len);
    }
    if (bytes.failed || failure.status == QUIPU_OK)
        return quipu__fail(err, QUIPU_CORRUPT, "the message of a process that failed cannot be right");
    *err = failure;
    return failure.status;
}

/* ---- The tree ---- */

/* The first process that sends to this one is before == rank; 0: there are no more. */
static uint32_t next_sender(const struct quipu_transport *transport, uint32_t before) {
    const uint64_t rank = transport->rank, distance = before - rank;
    const uint64_t next = transport->only_gathers || distance == 0 ? before + UINT64_C(1) : rank + distance * 2;
    const uint64_t lowest_bit = rank & (~rank + 1);
    const bool is_below = rank == 0 || (!transport->only_gathers && next - rank < lowest_bit);
    return is_below && next < transport->size ? (uint32_t)next : 0;
}

static uint32_t receiver_of(const struct quipu_transport *transport) {
    return transport->only_gathers ? 0 : transport->rank & (transport->rank - 1);
}

/* Receives the message of a process into a buffer, or drops it: its sender waits for that even where there is no memory. */
static enum quipu_status receive(struct quipu_transport *transport, uint32_t from, bool is_wanted,
                                 struct quipu__buffer *buffer, enum message *kind, struct quipu_error *err) {
    uint8_t small[MEETING_MOST];
    size_t size;
    enum quipu_status status = transport->await(transport->context, from, &size, err);
    if (status != QUIPU_OK)
        return status;
    buffer->len = 0;
    uint8_t *room = is_wanted ? quipu__buffer_room(buffer, size + 1) : NULL, *at = room;
    if (!room && size <= sizeof small)
        at = small;
    buffer->len = room ? size : 0;
    status = transport->receive(transport->context, from, at, size, err);
    *kind = status == QUIPU_OK && at && size > 0 ? (enum message)at[0] : NOTHING;
    return status == QUIPU_OK && is_wanted && !room ? quipu__no_memory(err, size) : status;
}

/* What a message holds: the bytes of a state. */
static enum quipu_status open_message(struct quipu__buffer *buffer, enum message wanted, uint32_t from,
                                      struct quipu__slice *out, struct quipu_error *err) {
    struct quipu__slice bytes = quipu__slice_of(buffer->data, buffer->len);
    const uint8_t message = quipu__take_u8(&bytes);
    if (message == FAILURE)
        return load_failure(bytes, err);
    if (message != wanted || bytes.failed)
        return quipu__fail(err, QUIPU_CORRUPT, "process %" PRIu32 " has ended without its part of the answer",
                           from);
    const size_t size = quipu__slice_left(&bytes);
    bytes.end -= size < CHECKSUM ? size : CHECKSUM;
    if (size < CHECKSUM || quipu__load_be32(bytes.end) != quipu__crc32(0, buffer->data, buffer->len - CHECKSUM))
        return quipu__fail(err, QUIPU_CORRUPT, "what process %" PRIu32 " has handed on is damaged", from);
    *out = bytes;
    return QUIPU_OK;
}

static enum quipu_status send_bytes(struct quipu_transport *transport, uint32_t to,
                                    const struct quipu__buffer *out, struct quipu_error *err) {
    transport->messages_sent++;
    transport->bytes_sent += out->len;
    return transport->send(transport->context, to, out->data, out->len, err);
}

enum quipu_status quipu__transport_send(struct quipu_transport *transport, uint32_t to,
                                        struct quipu__buffer *out, enum quipu_status status,
                                        struct quipu_error *err) {
    uint8_t room[sizeof(struct quipu_error) + 128];
    struct quipu__buffer failure = {.data = room, .capacity = sizeof room, .limit = sizeof room};
    if (status == QUIPU_OK && out->len > 0 && out->data[0] != NOTHING)
        quipu__put_be32(out, quipu__crc32(0, out->data, out->len));
    if (status == QUIPU_OK && out->failed)
        status = quipu__no_memory(err, out->len);
    if (status == QUIPU_OK)
        return send_bytes(transport, to, out, err);
    if (transport->only_gathers)
        return status;
    quipu__put_u8(&failure, FAILURE);
    save_failure(err, transport->name, &failure);
    return send_bytes(transport, to, &failure, err);
}

/* Sends what the process knows. *status becomes a failure when that cannot be said. */
static enum quipu_status send_on(struct quipu_transport *transport,
                                 const struct quipu__contribution *contribution, enum message kind,
                                 enum quipu_status *status, struct quipu__buffer *out,
                                 struct quipu_error *err) {
    out->len = 0;
    quipu__put_u8(out, (uint8_t)(contribution ? kind : NOTHING));
    if (*status == QUIPU_OK && contribution)
        *status = contribution->save(contribution->context, out, err);
    if (*status == QUIPU_OK && !quipu__buffer_room(out, CHECKSUM))
        *status = quipu__no_memory(err, out->len);
    return quipu__transport_send(transport, receiver_of(transport), out, *status, err);
}

/* Tells those that have met this process and wait, a bit each, how it goes on. */
static void tell(struct quipu_transport *transport, uint32_t waiting, enum message word) {
    const uint8_t byte = (uint8_t)word;
    struct quipu_error ignored;
    for (uint32_t from = transport->rank; waiting != 0 && (from = next_sender(transport, from)) != 0;
         waiting >>= 1)
        if ((waiting & 1) != 0)
            (void)!transport->send(transport->context, from, &byte, 1, &ignored);
}

/* contribution NULL: this process knows nothing, and fails with nothing but its own failure. */
static enum quipu_status add_all(struct quipu_transport *transport, struct quipu__buffer *buffer,
                                 const struct quipu__contribution *contribution, enum message kind,
                                 enum quipu_status status, uint32_t *waiting, struct quipu_error *err) {
    unsigned sender = 0;
    for (uint32_t from = transport->rank; (from = next_sender(transport, from)) != 0; sender++) {
        const bool is_wanted = contribution && status == QUIPU_OK;
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        struct quipu__slice bytes;
        enum message got = NOTHING;
        enum quipu_status taken = receive(transport, from, is_wanted, buffer, &got, &trouble);
        if (got == MEETING || (contribution && contribution->agrees))
            *waiting |= UINT32_C(1) << sender;
        if (taken == QUIPU_OK && is_wanted)
            taken = open_message(buffer, kind, from, &bytes, &trouble);
        if (taken == QUIPU_OK && is_wanted)
            taken = contribution->add(contribution->context, bytes, &trouble);
        if (taken != QUIPU_OK && status == QUIPU_OK) {
            *err = trouble;
            status = taken;
        }
    }
    return status;
}

/* QUIPU_END: this process has sent what it knows, and has nothing more to do. */
static enum quipu_status reduce(struct quipu_transport *transport, struct quipu__buffer *buffer,
                                const struct quipu__contribution *contribution, enum message kind,
                                enum quipu_status status, struct quipu_error *err) {
    const bool agrees = contribution && contribution->agrees;
    uint32_t waiting = 0;
    enum message word = agrees || kind == MEETING ? GO_ON : STOP;
    enum quipu_status sent = QUIPU_OK;
    status = add_all(transport, buffer, contribution, kind, status, &waiting, err);
    if (transport->rank > 0) {
        sent = send_on(transport, contribution, kind, &status, buffer, err);
        if (sent == QUIPU_OK && (agrees || (kind == MEETING && status == QUIPU_OK)))
            sent = receive(transport, receiver_of(transport), false, buffer, &word, err);
        else
            word = STOP;
    }
    const bool goes_on = status == QUIPU_OK && sent == QUIPU_OK && word == GO_ON;
    tell(transport, waiting, goes_on ? GO_ON : STOP);
    if (sent != QUIPU_OK)
        return sent;
    return transport->rank == 0 || goes_on ? status : QUIPU_END;
}

/* ---- For the runner of folds and for readers ---- */

enum quipu_status quipu__transport_reduce(struct quipu_transport *transport, struct quipu__memory *memory,
                                          const struct quipu__contribution *contribution,
                                          enum quipu_status status, struct quipu_error *err) {
    const enum message kind = contribution && contribution->meets ? MEETING : STATE;
    struct quipu_error own = QUIPU_ERROR_INIT;
    struct quipu__buffer buffer;
    transport->is_done = true;
    quipu__buffer_init(&buffer, memory, 0);
    status = reduce(transport, &buffer, contribution, kind, status, err ? err : &own);
    quipu__buffer_release(&buffer);
    return status;
}

enum quipu_status quipu__transport_receive(struct quipu_transport *transport, uint32_t from,
                                           struct quipu__buffer *buffer, struct quipu__slice *out,
                                           struct quipu_error *err) {
    enum message kind;
    const enum quipu_status status = receive(transport, from, true, buffer, &kind, err);
    return status == QUIPU_OK ? open_message(buffer, STATE, from, out, err) : status;
}

enum quipu_status quipu_transport_end(struct quipu_transport *transport, const struct quipu_error *failure,
                                      struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu_error own = failure ? *failure : (struct quipu_error)QUIPU_ERROR_INIT;
    if (transport->is_done)
        return QUIPU_OK;
    quipu__memory_init(&memory, NULL, 0);
    const enum quipu_status status =
        quipu__transport_reduce(transport, &memory, NULL, failure ? failure->status : QUIPU_OK, &own);
    if (status < QUIPU_OK && err)
        *err = own;
    return status < QUIPU_OK && !failure ? status : QUIPU_OK;
}
