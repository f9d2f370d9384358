/* simulation_messages.c: messages of a simulation, from the send to the receive: see simulation.h. */
#include "analysis/replay/simulation_inside.h"

#include "model/event.h"

static struct quipu__simulated_message *message_at(struct quipu__simulation *simulation, uint32_t number) {
    return &simulation->messages.items[number];
}

static bool is_loggops(const struct quipu__simulation *simulation) {
    return simulation->network->kind == QUIPU__NETWORK_LOGGOPS;
}

/* Forgets a message that is needed no longer. */
static void forget(struct quipu__simulation *simulation, uint32_t number) {
    const struct quipu__simulated_message *message = message_at(simulation, number);
    if (message->has_arrived && message->is_sent && message->is_received)
        QUIPU__SIMULATION_GIVE(simulation, messages, unused_message, next_waiting, number);
}

/* ---- Nodes ---- */

/* The node of a process: what has the same host, or the same location of that kind above. */
static uint32_t find_node(struct quipu__simulation *simulation, uint32_t location) {
    const struct quipu_locations *locations = &simulation->definitions->locations;
    if (location >= locations->count)
        return location;
    if (quipu__host_name(simulation->definitions, location)[0] != '\0')
        return quipu__host_first(&simulation->hosts, location);
    for (uint32_t up = location; up != QUIPU_NONE; up = locations->items[up].parent)
        if (locations->items[up].kind == QUIPU_LOCATION_NODE)
            return up;
    return location;
}

static uint32_t node_of(struct quipu__simulation *simulation, uint32_t location) {
    if (location >= simulation->locations.count)
        return find_node(simulation, location);
    uint32_t *node = &simulation->locations.items[location].node;
    if (*node == QUIPU_NONE)
        *node = find_node(simulation, quipu__process_of(simulation->definitions, location));
    return *node;
}

static bool is_within_node(struct quipu__simulation *simulation,
                           const struct quipu__simulated_message *message) {
    return node_of(simulation, message->sender) == node_of(simulation, message->receiver);
}

static bool know_nodes(struct quipu__simulation *simulation, uint32_t a, uint32_t b) {
    const size_t known = simulation->nodes.count, count = (size_t)(a > b ? a : b) + 1;
    if (count <= known)
        return true;
    if (!QUIPU__VEC_RESERVE(simulation->memory, &simulation->nodes, count - known))
        return false;
    simulation->nodes.count = count;
    return true;
}

/* ---- loggops ---- */

/* What each byte of a message but the first one takes. */
static int64_t of_bytes(uint64_t bytes, const struct quipu__decimal *per_byte) {
    return bytes > 1 ? quipu__multiplied(bytes - 1, per_byte) : 0;
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* A message of so many bytes leaves through the sender's interface, not before a time. Returns when the sender's processor is free
 * again; it arrives at *arrival. */
static int64_t leave(struct quipu__simulation *simulation, uint32_t location, uint64_t bytes, int64_t time,
                     int64_t *arrival) {
    const struct quipu__network *network = simulation->network;
    struct quipu__simulated_location *sender = &simulation->locations.items[location];
    const int64_t begin = later(time, sender->out_free);
    sender->out_free = quipu__bounded_sum(begin, network->gap + of_bytes(bytes, &network->gap_per_byte));
    *arrival = quipu__bounded_sum(begin, network->overhead + network->latency);
    return quipu__bounded_sum(begin, network->overhead + of_bytes(bytes, &network->overhead_per_byte));
}

/* When the receiver's processor has taken a message that has arrived. */
static int64_t receive_data(struct quipu__simulation *simulation, uint32_t location, uint64_t bytes,
                            int64_t arrival) {
    const struct quipu__network *network = simulation->network;
    struct quipu__simulated_location *receiver = &simulation->locations.items[location];
    const int64_t begin = later(later(arrival, receiver->now), receiver->in_free);
    const int64_t gaps = of_bytes(bytes, &network->gap_per_byte);
    const int64_t taken = later(of_bytes(bytes, &network->overhead_per_byte), gaps);
    receiver->in_free = quipu__bounded_sum(begin, network->gap + gaps);
    return quipu__bounded_sum(begin, network->overhead + taken);
}

/* ---- In transit ---- */

static void arrive(struct quipu__simulation *simulation, uint32_t number, int64_t arrival, int64_t left) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    message->has_arrived = true;
    message->arrival = arrival;
    message->left = left;
    quipu__simulation_wake(simulation, message->waiting_sender, left);
    quipu__simulation_wake(simulation, message->waiting_receiver, 0);
    forget(simulation, number);
}

/* It may leave from a time on. */
static void ask(struct quipu__simulation *simulation, uint32_t number, int64_t time) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    message->is_in_transit = true;
    quipu__simulation_put_event(simulation, &(struct quipu__simulated_event){.time = time,
                                                                             .kind = QUIPU__SIMULATED_ASKS,
                                                                             .who = message->sender,
                                                                             .number = message->number,
                                                                             .item = number});
}

/* One that asks first leaves when its request has come and its receive is posted. */
static void answer(struct quipu__simulation *simulation, uint32_t number) {
    const struct quipu__simulated_message *message = message_at(simulation, number);
    const struct quipu__simulated_mark *post =
        message->post == QUIPU_NONE ? NULL : &simulation->marks.items[message->post];
    if (message->is_in_transit || !message->has_asked || !post || !post->is_known)
        return;
    const int64_t back =
        is_loggops(simulation) ? simulation->network->overhead + simulation->network->latency : 0;
    const uint32_t mark = message->post;
    ask(simulation, number, quipu__bounded_sum(later(message->asked, post->time), back));
    message_at(simulation, number)->post = QUIPU_NONE;
    quipu__simulation_drop(simulation, mark);
}

void quipu__simulate_mark(struct quipu__simulation *simulation, uint32_t number, int64_t time) {
    struct quipu__simulated_mark *mark = &simulation->marks.items[number];
    uint32_t message = mark->first_message;
    mark->time = time;
    mark->is_known = true;
    mark->first_message = QUIPU_NONE;
    while (message != QUIPU_NONE) {
        const uint32_t next = message_at(simulation, message)->next_posted;
        answer(simulation, message);
        message = next;
    }
    quipu__simulation_drop(simulation, number);
}

/* Links of its nodes, and a bus, unless it stays within a node. */
static bool take_links(struct quipu__simulation *simulation, struct quipu__simulated_message *message) {
    const struct quipu__network *network = simulation->network;
    const uint32_t from = node_of(simulation, message->sender), to = node_of(simulation, message->receiver);
    if (from == to || !know_nodes(simulation, from, to))
        return true;
    struct quipu__simulated_node *out = &simulation->nodes.items[from], *in = &simulation->nodes.items[to];
    if ((network->links > 0 && (out->out == network->links || in->in == network->links)) ||
        (network->buses > 0 && simulation->buses == network->buses))
        return false;
    out->out++;
    in->in++;
    simulation->buses++;
    message->has_links = true;
    return true;
}

static void transfer(struct quipu__simulation *simulation, uint32_t number, int64_t time) {
    const struct quipu__simulated_message *message = message_at(simulation, number);
    const uint64_t bandwidth = is_within_node(simulation, message) ? simulation->network->intra_bandwidth
                                                                   : simulation->network->bandwidth;
    quipu__simulation_put_event(
        simulation, &(struct quipu__simulated_event){
                        .time = quipu__bounded_sum(time, quipu__transfer_time(message->bytes, bandwidth)),
                        .kind = QUIPU__SIMULATED_TRANSFERRED,
                        .who = message->sender,
                        .number = message->number,
                        .item = number});
}

static void wait_for_links(struct quipu__simulation *simulation, uint32_t number) {
    message_at(simulation, number)->next_waiting = QUIPU_NONE;
    if (simulation->first_waiting == QUIPU_NONE)
        simulation->first_waiting = number;
    else
        message_at(simulation, simulation->last_waiting)->next_waiting = number;
    simulation->last_waiting = number;
}

void quipu__simulate_ask(struct quipu__simulation *simulation, uint32_t number, int64_t time) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    int64_t arrival;
    if (is_loggops(simulation)) {
        const int64_t left = leave(simulation, message->sender, message->bytes, time, &arrival);
        arrive(simulation, number, arrival, left);
    } else if (take_links(simulation, message)) {
        transfer(simulation, number, time);
    } else {
        wait_for_links(simulation, number);
    }
}

/* Those that wait go on as far as there are links now, in their order. */
static void share_links(struct quipu__simulation *simulation, int64_t time) {
    uint32_t number = simulation->first_waiting;
    simulation->first_waiting = simulation->last_waiting = QUIPU_NONE;
    while (number != QUIPU_NONE) {
        const uint32_t next = message_at(simulation, number)->next_waiting;
        if (take_links(simulation, message_at(simulation, number)))
            transfer(simulation, number, time);
        else
            wait_for_links(simulation, number);
        number = next;
    }
}

void quipu__simulate_transferred(struct quipu__simulation *simulation, uint32_t number, int64_t time) {
    const struct quipu__simulated_message *message = message_at(simulation, number);
    const bool has_links = message->has_links;
    if (has_links) {
        simulation->nodes.items[node_of(simulation, message->sender)].out--;
        simulation->nodes.items[node_of(simulation, message->receiver)].in--;
        simulation->buses--;
    }
    arrive(simulation, number, time, time);
    if (has_links)
        share_links(simulation, time);
}

/* ---- Sending ---- */

uint32_t quipu__simulation_send(struct quipu__simulation *simulation, const struct quipu__message_end *send) {
    uint32_t number = QUIPU_NONE;
    if (send->location >= simulation->locations.count)
        return number;
    QUIPU__SIMULATION_TAKE(simulation, messages, unused_message, next_waiting, number);
    if (number == QUIPU_NONE)
        return number;
    const uint64_t bytes = send->bytes == QUIPU_UNKNOWN ? 0 : send->bytes;
    simulation->messages.items[number] = (struct quipu__simulated_message){
        .bytes = bytes,
        .sender = send->location,
        .receiver = send->peer,
        .number = simulation->locations.items[send->location].sends++,
        .post = QUIPU_NONE,
        .next_posted = QUIPU_NONE,
        .waiting_sender = QUIPU_NONE,
        .waiting_receiver = QUIPU_NONE,
        .is_blocking = !send->has_request,
        .asks_first = bytes > simulation->network->eager && send->peer != send->location};
    quipu__simulation_put_action(
        simulation, send->location,
        &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_SEND, .number = number});
    return number;
}

/* What the sender does itself; what is asked for is in transit then. */
static void begin_send(struct quipu__simulation *simulation, uint32_t location, uint32_t number,
                       bool asks_first) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    struct quipu__simulated_location *sender = &simulation->locations.items[location];
    if (!is_loggops(simulation)) {
        const struct quipu__network *network = simulation->network;
        sender->now = quipu__bounded_sum(
            sender->now, is_within_node(simulation, message) ? network->intra_latency : network->latency);
        message->asked = sender->now;
    } else {
        sender->now =
            leave(simulation, location, asks_first ? 1 : message->bytes, sender->now, &message->asked);
    }
    message->has_asked = true;
}

static enum quipu__simulated_outcome end_send(struct quipu__simulation *simulation, uint32_t number) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    message->is_sent = message->is_blocking;
    forget(simulation, number);
    return QUIPU__ACTION_DONE;
}

static enum quipu__simulated_outcome send_at_once(struct quipu__simulation *simulation, uint32_t location,
                                                  uint32_t number) {
    simulation->eager++;
    begin_send(simulation, location, number, false);
    const struct quipu__simulated_message *message = message_at(simulation, number);
    if (is_loggops(simulation))
        arrive(simulation, number, message->asked, simulation->locations.items[location].now);
    else
        ask(simulation, number, message->asked);
    return end_send(simulation, number);
}

/* Without a receive nothing answers: then it leaves as a small one does. */
enum quipu__simulated_outcome quipu__simulate_send(struct quipu__simulation *simulation, uint32_t location,
                                                   uint32_t number) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    if (message->asks_first && !message->is_matched && !simulation->is_ending)
        return QUIPU__ACTION_UNKNOWN;
    if (!message->asks_first || !message->is_matched)
        return send_at_once(simulation, location, number);
    if (!message->has_asked) {
        simulation->rendezvous++;
        begin_send(simulation, location, number, true);
        answer(simulation, number);
        message = message_at(simulation, number);
    }
    if (!message->is_blocking || message->has_arrived)
        return end_send(simulation, number);
    message->waiting_sender = location;
    return QUIPU__ACTION_BLOCKS;
}

void quipu__simulation_send_wait(struct quipu__simulation *simulation, uint32_t location, uint32_t message) {
    if (message != QUIPU_NONE)
        quipu__simulation_put_action(
            simulation, location,
            &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_SEND_WAIT, .number = message});
}

enum quipu__simulated_outcome quipu__simulate_send_wait(struct quipu__simulation *simulation, uint32_t location,
                                                        uint32_t number) {
    struct quipu__simulated_message *message = message_at(simulation, number);
    struct quipu__simulated_location *sender = &simulation->locations.items[location];
    const bool has_to_wait = message->asks_first && message->is_matched;
    if (has_to_wait && !message->has_arrived) {
        message->waiting_sender = location;
        return QUIPU__ACTION_BLOCKS;
    }
    if (has_to_wait)
        sender->now = later(sender->now, message->left);
    message->is_sent = true;
    forget(simulation, number);
    return QUIPU__ACTION_DONE;
}

/* ---- Receiving ---- */

uint32_t quipu__simulation_receive(struct quipu__simulation *simulation, uint32_t location) {
    uint32_t number = QUIPU_NONE;
    QUIPU__SIMULATION_TAKE(simulation, receives, unused_receive, next_unused, number);
    if (number == QUIPU_NONE)
        return number;
    simulation->receives.items[number].message = QUIPU_NONE;
    quipu__simulation_put_action(
        simulation, location,
        &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_RECEIVE, .number = number});
    return number;
}

void quipu__simulation_match(struct quipu__simulation *simulation, uint32_t receive, uint32_t number,
                             uint32_t post) {
    if (receive == QUIPU_NONE)
        return;
    simulation->receives.items[receive].is_known = true;
    simulation->receives.items[receive].message = number;
    if (number == QUIPU_NONE)
        return;
    struct quipu__simulated_message *message = message_at(simulation, number);
    message->is_matched = true;
    message->asks_first &= post != QUIPU_NONE;
    if (!message->asks_first)
        return;
    struct quipu__simulated_mark *mark = &simulation->marks.items[post];
    message->post = post;
    quipu__simulation_hold(simulation, post);
    if (mark->is_known)
        return;
    message->next_posted = mark->first_message;
    mark->first_message = number;
}

enum quipu__simulated_outcome quipu__simulate_receive(struct quipu__simulation *simulation, uint32_t location,
                                                      uint32_t number) {
    const struct quipu__simulated_receive *receive = &simulation->receives.items[number];
    const uint32_t message_number = receive->message;
    if (!receive->is_known && !simulation->is_ending)
        return QUIPU__ACTION_UNKNOWN;
    if (message_number != QUIPU_NONE) {
        struct quipu__simulated_message *message = message_at(simulation, message_number);
        struct quipu__simulated_location *receiver = &simulation->locations.items[location];
        if (!message->has_arrived) {
            message->waiting_receiver = location;
            return QUIPU__ACTION_BLOCKS;
        }
        receiver->now = is_loggops(simulation)
                            ? receive_data(simulation, location, message->bytes, message->arrival)
                            : later(receiver->now, message->arrival);
        message->is_received = true;
        forget(simulation, message_number);
    }
    QUIPU__SIMULATION_GIVE(simulation, receives, unused_receive, next_unused, number);
    return QUIPU__ACTION_DONE;
}
