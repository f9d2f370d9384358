/* dimemas.c: the Dimemas model of a network: a sender is busy for a latency, then its message takes an output link, an input link and a bus while it
 * is transferred; those that find none wait in the order of (time of asking, sender, number). Within a node nothing is shared. */
#include "analysis/replay/messages.h"

#include "core/bounded.h"
#include "core/error.h"
#include "model/event.h"

/* ---- Parameters ---- */

static enum quipu_status take_count(const struct quipu__settings *settings, const char *name, uint32_t *out,
                                    struct quipu_error *err) {
    uint64_t number = 0;
    const enum quipu_status status = quipu__network_number(settings, name, UINT32_MAX, &number, err);
    *out = (uint32_t)number;
    return status;
}

static enum quipu_status take_options(const struct quipu__settings *settings, struct quipu__network *network,
                                      struct quipu_error *err) {
    enum quipu_status status =
        quipu__network_number(settings, "bandwidth", UINT64_MAX, &network->bandwidth, err);
    network->intra_latency = network->latency;
    network->intra_bandwidth = network->bandwidth;
    if (status == QUIPU_OK)
        status = quipu__network_time(settings, "intra-latency", &network->intra_latency, err);
    if (status == QUIPU_OK)
        status = quipu__network_number(settings, "intra-bandwidth", UINT64_MAX, &network->intra_bandwidth, err);
    if (status == QUIPU_OK)
        status = take_count(settings, "links", &network->links, err);
    if (status == QUIPU_OK)
        status = take_count(settings, "buses", &network->buses, err);
    if (status != QUIPU_OK || (network->bandwidth > 0 && network->intra_bandwidth > 0))
        return status;
    return quipu__fail(err, QUIPU_MISUSE, "--network dimemas needs --bandwidth, in bytes per second");
}

static int64_t step(const struct quipu__network *network, uint64_t bytes) {
    return network->latency + quipu__transfer_time(bytes, network->bandwidth);
}

/* ---- Nodes ---- */

/* The node of a process: what has the same host, or the same location of that kind above. */
static uint32_t find_node(struct quipu__messages *messages, uint32_t location) {
    if (location >= messages->definitions->locations.count)
        return location;
    if (quipu__host_name(messages->definitions, location)[0] != '\0')
        return quipu__host_first(&messages->hosts, location);
    const uint32_t node = quipu__location_above(messages->definitions, location, QUIPU_LOCATION_NODE);
    return node == QUIPU_NONE ? location : node;
}

/* QUIPU_NONE where the location is not known. */
static uint32_t node_of(struct quipu__messages *messages, uint32_t location) {
    struct quipu__interface *interface =
        location == QUIPU_NONE ? NULL : quipu__interface_of(messages, location);
    if (interface && interface->node == QUIPU_NONE)
        interface->node = find_node(messages, quipu__process_of(messages->definitions, location));
    return interface ? interface->node : QUIPU_NONE;
}

static bool is_within_node(struct quipu__messages *messages, const struct quipu__message *message) {
    return node_of(messages, message->sender) == node_of(messages, message->receiver);
}

static bool know_nodes(struct quipu__messages *messages, uint32_t a, uint32_t b) {
    const size_t known = messages->nodes.count, count = (size_t)(a > b ? a : b) + 1;
    if (count <= known)
        return true;
    if (a == QUIPU_NONE || b == QUIPU_NONE ||
        !QUIPU__VEC_RESERVE(messages->memory, &messages->nodes, count - known))
        return false;
    messages->nodes.count = count;
    return true;
}

/* ---- Transfers ---- */

static bool has_bus(const struct quipu__messages *messages) {
    return messages->network->buses == 0 || messages->buses < messages->network->buses;
}

/* Links of its nodes, and a bus, unless it stays within a node. */
static bool take_links(struct quipu__messages *messages, struct quipu__message *message) {
    const struct quipu__network *network = messages->network;
    const uint32_t from = node_of(messages, message->sender), to = node_of(messages, message->receiver);
    if (from == to || !know_nodes(messages, from, to))
        return true;
    struct quipu__node *out = &messages->nodes.items[from], *in = &messages->nodes.items[to];
    if ((network->links > 0 && (out->out == network->links || in->in == network->links)) || !has_bus(messages))
        return false;
    out->out++;
    in->in++;
    messages->buses++;
    message->has_links = true;
    return true;
}

static void wait_for_links(struct quipu__messages *messages, uint32_t number) {
    messages->list.items[number].next_waiting = QUIPU_NONE;
    if (messages->first_waiting == QUIPU_NONE)
        messages->first_waiting = number;
    else
        messages->list.items[messages->last_waiting].next_waiting = number;
    messages->last_waiting = number;
}

/* It is transferred if there are links. */
static bool transfer(struct quipu__messages *messages, uint32_t number, int64_t time) {
    struct quipu__message *message = &messages->list.items[number];
    if (!take_links(messages, message))
        return false;
    const uint64_t bandwidth =
        is_within_node(messages, message) ? messages->network->intra_bandwidth : messages->network->bandwidth;
    quipu__message_event(messages, number, QUIPU__EVENT_TRANSFERRED,
                         quipu__bounded_sum(time, quipu__transfer_time(message->bytes, bandwidth)));
    return true;
}

static void leave(struct quipu__messages *messages, uint32_t number, int64_t time) {
    if (!transfer(messages, number, time))
        wait_for_links(messages, number);
}

/* Whether one that waits may go on when a message from one node to another has given its links back: without buses it needs one of these. */
static bool has_room(const struct quipu__messages *messages, uint32_t from, uint32_t to) {
    const struct quipu__network *network = messages->network;
    const struct quipu__node *nodes = messages->nodes.items;
    return network->buses > 0 ? has_bus(messages)
                              : nodes[from].out < network->links || nodes[to].in < network->links;
}

/* Those that wait go on as far as there are links now, in their order. */
static void share_links(struct quipu__messages *messages, uint32_t from, uint32_t to, int64_t time) {
    uint32_t before = QUIPU_NONE, next;
    for (uint32_t number = messages->first_waiting; number != QUIPU_NONE && has_room(messages, from, to);
         number = next) {
        next = messages->list.items[number].next_waiting;
        if (!transfer(messages, number, time)) {
            before = number;
            continue;
        }
        if (before == QUIPU_NONE)
            messages->first_waiting = next;
        else
            messages->list.items[before].next_waiting = next;
        if (next == QUIPU_NONE)
            messages->last_waiting = before;
    }
}

static void transferred(struct quipu__messages *messages, uint32_t number, int64_t time) {
    const struct quipu__message message = messages->list.items[number];
    const uint32_t from = node_of(messages, message.sender), to = node_of(messages, message.receiver);
    if (message.has_links) {
        messages->nodes.items[from].out--;
        messages->nodes.items[to].in--;
        messages->buses--;
    }
    quipu__message_arrives(messages, number, time, time);
    if (message.has_links)
        share_links(messages, from, to, time);
}

/* ---- Ends ---- */

static int64_t send(struct quipu__messages *messages, uint32_t message, uint64_t bytes, int64_t time,
                    int64_t *out) {
    const struct quipu__network *network = messages->network;
    (void)bytes;
    *out = quipu__bounded_sum(time, is_within_node(messages, &messages->list.items[message])
                                        ? network->intra_latency
                                        : network->latency);
    return *out;
}

static int64_t answer(const struct quipu__network *network) {
    (void)network;
    return 0;
}

static int64_t receive(struct quipu__messages *messages, uint32_t location, uint64_t bytes, int64_t time) {
    (void)messages;
    (void)location;
    (void)bytes;
    return time;
}

static const char *const options[] = {
    "latency",       "eager",           "collective", "sensitivity", "bandwidth",
    "intra-latency", "intra-bandwidth", "links",      "buses",       NULL};

const struct quipu__network_model quipu__dimemas_network = {.name = "dimemas",
                                                            .options = options,
                                                            .take_options = take_options,
                                                            .step = step,
                                                            .send = send,
                                                            .answer = answer,
                                                            .leave = leave,
                                                            .transferred = transferred,
                                                            .receive = receive};
