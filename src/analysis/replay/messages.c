/* messages.c: see messages.h. */
#include "analysis/replay/messages.h"

#include "core/bounded.h"
#include "model/event.h"

/* ---- Messages ---- */

struct quipu__interface *quipu__interface_of(struct quipu__messages *messages, uint32_t location) {
    const size_t known = messages->interfaces.count;
    if (location < known)
        return &messages->interfaces.items[location];
    if (!QUIPU__VEC_RESERVE(messages->memory, &messages->interfaces, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        messages->interfaces.items[i] =
            (struct quipu__interface){.out_free = INT64_MIN, .in_free = INT64_MIN, .node = QUIPU_NONE};
    messages->interfaces.count = (size_t)location + 1;
    return &messages->interfaces.items[location];
}

static uint32_t new_message(struct quipu__messages *messages) {
    const uint32_t number = messages->unused;
    if (number != QUIPU_NONE) {
        messages->unused = messages->list.items[number].next_waiting;
        return number;
    }
    const struct quipu__message *added = QUIPU__VEC_ADD(messages->memory, &messages->list);
    return added ? (uint32_t)(messages->list.count - 1) : QUIPU_NONE;
}

/* Forgets a message that is needed no longer. */
static void drop(struct quipu__messages *messages, uint32_t number) {
    struct quipu__message *message = &messages->list.items[number];
    if (--message->references > 0)
        return;
    quipu__schedule_drop(messages->schedule, message->arrival);
    quipu__schedule_drop(messages->schedule, message->left);
    message->next_waiting = messages->unused;
    messages->unused = number;
}

void quipu__message_event(struct quipu__messages *messages, uint32_t number,
                          enum quipu__schedule_event_kind kind, int64_t time) {
    const struct quipu__message *message = &messages->list.items[number];
    const struct quipu__schedule_event event = {
        .time = time, .kind = kind, .location = message->sender, .number = message->number, .item = number};
    quipu__schedule_put_event(messages->schedule, &event);
}

void quipu__message_arrives(struct quipu__messages *messages, uint32_t number, int64_t arrival, int64_t left) {
    const struct quipu__message message = messages->list.items[number];
    quipu__schedule_set_mark(messages->schedule, message.left, left);
    quipu__schedule_set_mark(messages->schedule, message.arrival, arrival);
    drop(messages, number);
}

/* ---- The sender ---- */

/* Lets a location wait until a message has left. */
static void await_left(struct quipu__messages *messages, uint32_t location, uint32_t number) {
    const uint32_t condition = quipu__schedule_condition(messages->schedule, location);
    quipu__schedule_depend(messages->schedule, condition, messages->list.items[number].left, 0);
    quipu__schedule_await(messages->schedule, condition, 0, 0);
}

uint32_t quipu__messages_send(struct quipu__messages *messages, const struct quipu__message_end *send) {
    struct quipu__interface *interface = quipu__interface_of(messages, send->location);
    const uint32_t number = interface ? new_message(messages) : QUIPU_NONE;
    if (number == QUIPU_NONE)
        return number;
    const uint64_t bytes = send->bytes == QUIPU_UNKNOWN ? 0 : send->bytes;
    const bool asks_first = bytes > messages->network->eager && send->peer != send->location;
    messages->list.items[number] = (struct quipu__message){
        .bytes = bytes,
        .sender = send->location,
        .receiver = send->peer,
        .number = interface->sends++,
        .arrival = quipu__schedule_mark(messages->schedule),
        .left = asks_first ? quipu__schedule_mark(messages->schedule) : QUIPU_NONE,
        .answer = asks_first ? quipu__schedule_answer(messages->schedule, number) : QUIPU_NONE,
        .references = send->has_request ? 3 : 2};
    quipu__schedule_send(messages->schedule, send->location, number);
    if (asks_first && !send->has_request)
        await_left(messages, send->location, number);
    return number;
}

void quipu__messages_complete(struct quipu__messages *messages, uint32_t location, uint32_t number) {
    if (number == QUIPU_NONE)
        return;
    if (messages->list.items[number].left != QUIPU_NONE)
        await_left(messages, location, number);
    drop(messages, number);
}

static void send_at_once(struct quipu__messages *messages, uint32_t number, int64_t free, int64_t ready) {
    messages->eager++;
    if (messages->network->model->transferred) {
        quipu__schedule_set_mark(messages->schedule, messages->list.items[number].left, free);
        quipu__schedule_drop(messages->schedule, messages->list.items[number].left);
        messages->list.items[number].left = QUIPU_NONE;
        quipu__message_event(messages, number, QUIPU__EVENT_LEAVES, ready);
    } else {
        quipu__message_arrives(messages, number, ready, free);
    }
}

/* The location comes to its send. */
static bool send(void *context, uint32_t location, uint32_t number) {
    struct quipu__messages *messages = context;
    struct quipu__message *message = &messages->list.items[number];
    int64_t *position = &messages->schedule->locations.items[location].position, ready;
    if (message->answer != QUIPU_NONE && !message->is_matched && !messages->schedule->is_ending)
        return false;
    const uint32_t answer = message->is_matched ? message->answer : QUIPU_NONE;
    *position = messages->network->model->send(messages, number, answer == QUIPU_NONE ? message->bytes : 1,
                                               *position, &ready);
    if (answer == QUIPU_NONE) {
        quipu__schedule_give_up(messages->schedule, message->answer);
        send_at_once(messages, number, *position, ready);
        return true;
    }
    messages->rendezvous++;
    quipu__schedule_close_at(messages->schedule, answer, ready);
    return true;
}

/* The request has come, and the receive is posted. */
static void answer(void *context, uint32_t number, int64_t time) {
    struct quipu__messages *messages = context;
    quipu__message_event(messages, number, QUIPU__EVENT_LEAVES,
                         quipu__bounded_sum(time, messages->network->model->answer(messages->network)));
}

static void happens(void *context, const struct quipu__schedule_event *event) {
    struct quipu__messages *messages = context;
    if (event->kind == QUIPU__EVENT_LEAVES)
        messages->network->model->leave(messages, event->item, event->time);
    else
        messages->network->model->transferred(messages, event->item, event->time);
}

/* ---- The receiver ---- */

static int64_t receive(void *context, uint32_t location, uint64_t bytes, int64_t time) {
    struct quipu__messages *messages = context;
    return messages->network->model->receive(messages, location, bytes, time);
}

void quipu__messages_match(struct quipu__messages *messages, uint32_t number, uint32_t condition,
                           uint32_t post) {
    if (number == QUIPU_NONE)
        return;
    struct quipu__message *message = &messages->list.items[number];
    message->is_matched = true;
    if (post == QUIPU_NONE) {
        quipu__schedule_give_up(messages->schedule, message->answer);
        message->answer = QUIPU_NONE;
    }
    quipu__schedule_depend(messages->schedule, message->answer, post, 0);
    quipu__schedule_depend(messages->schedule, condition, message->arrival, 0);
    quipu__schedule_add_behind(messages->schedule, condition, QUIPU__BEHIND_RECEIVING, message->bytes);
    drop(messages, number);
}

void quipu__messages_give_up(struct quipu__messages *messages, uint32_t number) {
    if (number != QUIPU_NONE)
        drop(messages, number);
}

/* ---- All of them ---- */

void quipu__messages_init(struct quipu__messages *messages, struct quipu__memory *memory,
                          const struct quipu_definitions *definitions, const struct quipu__network *network,
                          struct quipu__schedule *schedule) {
    *messages = (struct quipu__messages){.memory = memory,
                                         .definitions = definitions,
                                         .network = network,
                                         .schedule = schedule,
                                         .carrier = {messages, send, answer, happens, receive},
                                         .unused = QUIPU_NONE,
                                         .first_waiting = QUIPU_NONE,
                                         .last_waiting = QUIPU_NONE};
    schedule->carrier = &messages->carrier;
    quipu__hosts_init(&messages->hosts, memory, definitions);
}

void quipu__messages_release(struct quipu__messages *messages) {
    QUIPU__VEC_RELEASE(messages->memory, &messages->list);
    QUIPU__VEC_RELEASE(messages->memory, &messages->interfaces);
    QUIPU__VEC_RELEASE(messages->memory, &messages->nodes);
    if (messages->memory)
        quipu__hosts_release(&messages->hosts);
}
