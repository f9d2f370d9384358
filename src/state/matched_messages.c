/* matched_messages.c: see quipu/messages.h. The matcher of analyses says when both ends of a message are known. A record for each
 * end holds what the matcher does not need: the time in ticks and the request. Calls matter only where threads share a process. */
#include "core/error.h"
#include "state/communication.h"

#include <quipu/messages.h>

struct record {
    int64_t ticks;
    uint64_t request;
    uint32_t next; /* next unused record */
};

struct quipu_messages {
    struct quipu__memory memory;
    struct quipu__communication communication;
    QUIPU__VEC(struct record) records;
    uint32_t unused;
    QUIPU__VEC(struct quipu_message) found;
    size_t taken; /* matched messages that were fetched */
    uint64_t unmatched_sends, unmatched_receives;
    const struct quipu_batch *batch; /* the event that is being added */
    uint32_t event;
    uint64_t position;       /* its number */
    uint32_t location_count; /* that were looked at for threads */
    bool has_threads;
};

/* ---- What the matching says ---- */

/* QUIPU_NONE when memory is out; the gate remembers that. */
static uint32_t note_end(void *context, struct quipu__message_end *end) {
    struct quipu_messages *messages = context;
    (void)end;
    uint32_t number = messages->unused;
    if (number != QUIPU_NONE) {
        messages->unused = messages->records.items[number].next;
    } else {
        if (!QUIPU__VEC_RESERVE(&messages->memory, &messages->records, 1))
            return QUIPU_NONE;
        number = (uint32_t)messages->records.count++;
    }
    messages->records.items[number] = (struct record){.ticks = messages->batch->time[messages->event],
                                                      .request = messages->batch->id[messages->event]};
    return number;
}

static struct record take_record(struct quipu_messages *messages, uint32_t number) {
    if (number == QUIPU_NONE)
        return (struct record){.request = QUIPU_UNKNOWN};
    struct record *record = &messages->records.items[number];
    const struct record taken = *record;
    record->next = messages->unused;
    messages->unused = number;
    return taken;
}

static void note_match(void *context, const struct quipu__message_end *send,
                       const struct quipu__message_end *receive) {
    struct quipu_messages *messages = context;
    const struct record sent = take_record(messages, send->mark);
    const struct record received = take_record(messages, receive->mark);
    struct quipu_message *message = QUIPU__VEC_ADD(&messages->memory, &messages->found);
    if (!message)
        return;
    *message = (struct quipu_message){.sender = send->location,
                                      .receiver = receive->location,
                                      .sent = sent.ticks,
                                      .received = received.ticks,
                                      .bytes = send->bytes == QUIPU_UNKNOWN ? receive->bytes : send->bytes,
                                      .tag = send->tag,
                                      .communicator = send->group,
                                      .send_request = sent.request,
                                      .receive_request = received.request,
                                      .is_assumed = receive->is_assumed};
}

static void note_unmatched_receive(void *context, const struct quipu__message_end *receive) {
    struct quipu_messages *messages = context;
    messages->unmatched_receives++;
    take_record(messages, receive->mark);
}

static void note_unmatched_send(void *context, const struct quipu__message_end *send) {
    struct quipu_messages *messages = context;
    messages->unmatched_sends++;
    take_record(messages, send->mark);
}

/* ---- The functions of the header ---- */

enum quipu_status quipu_messages_new(const struct quipu_definitions *definitions,
                                     const struct quipu_tracker_options *options, struct quipu_messages **out,
                                     struct quipu_error *err) {
    static const struct quipu_tracker_options defaults = QUIPU_TRACKER_OPTIONS_INIT;
    const struct quipu_tracker_options *given = options ? options : &defaults;
    struct quipu__memory memory;
    quipu__memory_of(&memory, given->allocator, given->memory_limit);
    struct quipu_messages *messages = *out = quipu__alloc_zero(&memory, sizeof *messages);
    if (!messages)
        return quipu__no_memory(err, sizeof *messages);
    const struct quipu__communication_listener listener = {.context = messages,
                                                           .end = note_end,
                                                           .matched = note_match,
                                                           .unmatched = note_unmatched_receive,
                                                           .send_unmatched = note_unmatched_send};
    messages->memory = memory;
    messages->unused = QUIPU_NONE;
    if (quipu__communication_init(&messages->communication, &messages->memory, definitions, &listener))
        return QUIPU_OK;
    quipu_messages_free(messages);
    *out = NULL;
    return quipu__no_memory(err, sizeof *messages);
}

void quipu_messages_free(struct quipu_messages *messages) {
    if (!messages)
        return;
    quipu__communication_release(&messages->communication);
    QUIPU__VEC_RELEASE(&messages->memory, &messages->records);
    QUIPU__VEC_RELEASE(&messages->memory, &messages->found);
    struct quipu__memory memory = messages->memory;
    quipu__release(&memory, messages, sizeof *messages);
}

/* Definitions may grow. Calls count from the batch on with which the first thread is known. */
static void look_for_threads(struct quipu_messages *messages) {
    const struct quipu_definitions *definitions = messages->communication.definitions;
    if (messages->has_threads || messages->location_count == definitions->locations.count)
        return;
    messages->location_count = definitions->locations.count;
    messages->has_threads = quipu__has_threads(definitions);
}

/* Without threads each event is its own call: those of a location do not overlap. */
static void add_alone(struct quipu_messages *messages, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__communication *communication = &messages->communication;
    const int64_t time = quipu__communication_ns(communication, batch->time[event]);
    const struct quipu__event_in_call where = {
        .time = time,
        .position = messages->position,
        .call = QUIPU_NONE,
        .call_began = {time, batch->location[event], messages->position}};
    quipu__matcher_pair_event(&communication->messages, batch, event, &where);
}

#define CALL_KINDS (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave))
#define MESSAGE_KINDS                                                                                          \
    (QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_send_complete) |                              \
     QUIPU_KIND_BIT(QUIPU_KIND_recv_post) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |                                  \
     QUIPU_KIND_BIT(QUIPU_KIND_probe) | QUIPU_KIND_BIT(QUIPU_KIND_cancel))

enum quipu_status quipu_messages_add(struct quipu_messages *messages, const struct quipu_batch *batch,
                                     struct quipu_error *err) {
    look_for_threads(messages);
    const quipu_kinds kinds = messages->has_threads ? MESSAGE_KINDS | CALL_KINDS : MESSAGE_KINDS;
    messages->batch = batch;
    for (messages->event = 0; messages->event < batch->count; messages->event++, messages->position++) {
        if ((kinds & QUIPU_KIND_BIT(batch->kind[messages->event])) == 0)
            continue;
        if (!messages->has_threads)
            add_alone(messages, batch, messages->event);
        else if (!quipu__communication_add(&messages->communication, batch, messages->event))
            return quipu__no_memory(err, messages->memory.used);
    }
    return quipu__memory_status(&messages->memory, err);
}

enum quipu_status quipu_messages_end(struct quipu_messages *messages, struct quipu_error *err) {
    quipu__communication_finish(&messages->communication);
    return quipu__memory_status(&messages->memory, err);
}

bool quipu_messages_next(struct quipu_messages *messages, struct quipu_message *out) {
    if (messages->taken == messages->found.count) {
        messages->taken = messages->found.count = 0;
        return false;
    }
    *out = messages->found.items[messages->taken++];
    return true;
}

struct quipu_message_ends quipu_messages_ends(const struct quipu_messages *messages) {
    const struct quipu__message_counts *counts = &messages->communication.messages.counts;
    return (struct quipu_message_ends){.sends = counts->sends,
                                       .receives = counts->receives,
                                       .unmatched_sends = messages->unmatched_sends,
                                       .unmatched_receives = messages->unmatched_receives};
}
