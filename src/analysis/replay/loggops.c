/* loggops.c: the LogGOPS model of a network: a location has a processor, which its own sends and receives take for an overhead, and a network
 * interface, which is free again a gap after each message; a message is on its way for a latency. */
#include "analysis/replay/messages.h"

#include "core/bounded.h"

static enum quipu_status take_options(const struct quipu__settings *settings, struct quipu__network *network,
                                      struct quipu_error *err) {
    enum quipu_status status = quipu__network_time(settings, "overhead", &network->overhead, err);
    if (status == QUIPU_OK)
        status = quipu__network_time(settings, "gap", &network->gap, err);
    if (status == QUIPU_OK)
        status = quipu__network_decimal(settings, "gap-per-byte", &network->gap_per_byte, err);
    if (status == QUIPU_OK)
        status = quipu__network_decimal(settings, "overhead-per-byte", &network->overhead_per_byte, err);
    return status;
}

static int64_t step(const struct quipu__network *network, uint64_t bytes) {
    return network->latency + 2 * network->overhead + quipu__multiplied(bytes, &network->gap_per_byte);
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What each byte of a message but the first one takes. */
static int64_t of_bytes(uint64_t bytes, const struct quipu__decimal *per_byte) {
    return bytes > 1 ? quipu__multiplied(bytes - 1, per_byte) : 0;
}

static int64_t send(struct quipu__messages *messages, uint32_t message, uint64_t bytes, int64_t time,
                    int64_t *out) {
    const struct quipu__network *network = messages->network;
    struct quipu__interface *sender = quipu__interface_of(messages, messages->list.items[message].sender);
    const int64_t begin = sender ? later(time, sender->out_free) : time;
    if (sender)
        sender->out_free = quipu__bounded_sum(begin, network->gap + of_bytes(bytes, &network->gap_per_byte));
    *out = quipu__bounded_sum(begin, network->overhead + network->latency);
    return quipu__bounded_sum(begin, network->overhead + of_bytes(bytes, &network->overhead_per_byte));
}

static int64_t answer(const struct quipu__network *network) {
    return network->overhead + network->latency;
}

static void leave(struct quipu__messages *messages, uint32_t message, int64_t time) {
    int64_t arrival;
    const int64_t left = send(messages, message, messages->list.items[message].bytes, time, &arrival);
    quipu__message_arrives(messages, message, arrival, left);
}

/* When the receiver's processor has taken it. */
static int64_t receive(struct quipu__messages *messages, uint32_t location, uint64_t bytes, int64_t time) {
    const struct quipu__network *network = messages->network;
    struct quipu__interface *receiver = quipu__interface_of(messages, location);
    const int64_t begin = receiver ? later(time, receiver->in_free) : time,
                  gaps = of_bytes(bytes, &network->gap_per_byte),
                  taken = later(of_bytes(bytes, &network->overhead_per_byte), gaps);
    if (receiver)
        receiver->in_free = quipu__bounded_sum(begin, network->gap + gaps);
    return quipu__bounded_sum(begin, network->overhead + taken);
}

static const char *const options[] = {"latency", "eager",        "collective",        "sensitivity", "overhead",
                                      "gap",     "gap-per-byte", "overhead-per-byte", NULL};

const struct quipu__network_model quipu__loggops_network = {.name = "loggops",
                                                            .options = options,
                                                            .take_options = take_options,
                                                            .step = step,
                                                            .send = send,
                                                            .answer = answer,
                                                            .leave = leave,
                                                            .receive = receive};
