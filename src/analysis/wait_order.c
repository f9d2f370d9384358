/* wait_order.c: which late senders are of wrong order: another message, sent before, is received by the same location on the same
 * communicator later, in another call. A wait is held back until every message that was sent before has been received. */
#include "analysis/wait_states.h"

#include "model/event.h"

/* ---- Lists ---- */

static void unlink_receive(struct quipu__wait_states *states, struct quipu__receive_list *list,
                           uint32_t number) {
    struct quipu__late_receive *receives = states->receives.items;
    const struct quipu__late_receive *receive = &receives[number];
    *(receive->previous == QUIPU_NONE ? &list->first : &receives[receive->previous].next) = receive->next;
    *(receive->next == QUIPU_NONE ? &list->last : &receives[receive->next].previous) = receive->previous;
}

static void append(struct quipu__wait_states *states, struct quipu__receive_list *list, uint32_t number) {
    struct quipu__late_receive *receive = &states->receives.items[number];
    receive->previous = list->last;
    receive->next = QUIPU_NONE;
    *(list->last == QUIPU_NONE ? &list->first : &states->receives.items[list->last].next) = number;
    list->last = number;
}

static void give_back(struct quipu__wait_states *states, uint32_t number) {
    states->receives.items[number].next = states->unused_receive;
    states->unused_receive = number;
}

static uint32_t find_log(struct quipu__wait_states *states, uint32_t location, uint32_t communicator) {
    const uint64_t key = (uint64_t)location << 32 | communicator;
    const uint32_t known = quipu__map_get(&states->log_of, key);
    if (known != QUIPU_NONE)
        return known;
    struct quipu__receive_log *log = QUIPU__VEC_ADD(states->memory, &states->logs);
    if (!log)
        return QUIPU_NONE;
    *log = (struct quipu__receive_log){.location = location,
                                       .communicator = communicator,
                                       .unmatched = {QUIPU_NONE, QUIPU_NONE},
                                       .matched = {QUIPU_NONE, QUIPU_NONE},
                                       .latest_sent = INT64_MIN};
    const uint32_t number = (uint32_t)(states->logs.count - 1);
    return quipu__map_put(&states->log_of, key, number) ? number : QUIPU_NONE;
}

/* Nearly all receives of a location are on one communicator: its log needs no search. */
static uint32_t log_of(struct quipu__wait_states *states, uint32_t location, uint32_t communicator) {
    const size_t known = states->latest_logs.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(states->memory, &states->latest_logs, location + 1 - known))
            return QUIPU_NONE;
        states->latest_logs.count = (size_t)location + 1;
    }
    uint32_t *latest = &states->latest_logs.items[location];
    if (*latest == 0 || states->logs.items[*latest - 1].communicator != communicator)
        *latest = find_log(states, location, communicator) + 1;
    return *latest - 1;
}

uint32_t quipu__late_receive_add(struct quipu__wait_states *states, const struct quipu__message_end *receive) {
    const struct quipu__communication_call *call =
        quipu__communication_call_at(&states->communication.calls, receive->call);
    const uint32_t log = log_of(states, receive->location, receive->group);
    uint32_t number = states->unused_receive;
    if (log == QUIPU_NONE)
        return QUIPU_NONE;
    if (number != QUIPU_NONE)
        states->unused_receive = states->receives.items[number].next;
    else if (QUIPU__VEC_ADD(states->memory, &states->receives))
        number = (uint32_t)(states->receives.count - 1);
    else
        return QUIPU_NONE;
    states->receives.items[number] = (struct quipu__late_receive){
        .position = receive->position, .call_position = call->position, .log = log};
    append(states, &states->logs.items[log].unmatched, number);
    return number;
}

/* ---- Deciding ---- */

static void decide(struct quipu__wait_states *states, const struct quipu__late_receive *receive) {
    struct quipu__wait wait = receive->wait;
    if (receive->has_same_source)
        wait.pattern = QUIPU__WAIT_WRONG_ORDER_SAME;
    else if (receive->has_other_source)
        wait.pattern = QUIPU__WAIT_WRONG_ORDER_DIFFERENT;
    if (wait.to > wait.from)
        states->wait(states->context, &wait);
}

/* Whether nothing more is to be known of a receive that is matched. */
static bool is_decided(const struct quipu__late_receive *receive) {
    return receive->is_evaluated && (receive->wait.to <= receive->wait.from || receive->has_same_source);
}

/* Decides a receive of the list of matched ones and takes it out. */
static void close_receive(struct quipu__wait_states *states, uint32_t number) {
    const struct quipu__late_receive *receive = &states->receives.items[number];
    struct quipu__receive_log *log = &states->logs.items[receive->log];
    if (receive->wait.to > receive->wait.from)
        states->undecided--;
    decide(states, receive);
    unlink_receive(states, &log->matched, number);
    give_back(states, number);
    if (log->matched.first == QUIPU_NONE)
        log->latest_sent = INT64_MIN;
}

/* Lets receives whose predecessors are all matched join those that wait for decision. */
static void advance(struct quipu__wait_states *states, uint32_t log_number) {
    struct quipu__receive_log *log = &states->logs.items[log_number];
    for (uint32_t number; (number = log->unmatched.first) != QUIPU_NONE;) {
        struct quipu__late_receive *receive = &states->receives.items[number];
        if (!receive->is_matched)
            return;
        unlink_receive(states, &log->unmatched, number);
        append(states, &log->matched, number);
        receive->is_listed = true;
        log->latest_sent = receive->sent > log->latest_sent ? receive->sent : log->latest_sent;
        if (is_decided(receive))
            close_receive(states, number);
    }
}

/* ---- Marks ---- */

/* The later one of two receives may put the earlier one in the wrong order. */
static void compare(struct quipu__late_receive *earlier, const struct quipu__late_receive *later) {
    if (later->sent >= earlier->sent || later->call_position == earlier->call_position)
        return;
    if (later->sender == earlier->sender)
        earlier->has_same_source = true;
    else
        earlier->has_other_source = true;
}

/* Compares a receive that has just been matched with all others that matter. */
static void compare_all(struct quipu__wait_states *states, uint32_t number) {
    struct quipu__late_receive *receives = states->receives.items, *receive = &receives[number];
    const struct quipu__receive_log *log = &states->logs.items[receive->log];
    bool is_behind = false;
    for (uint32_t i = log->latest_sent > receive->sent ? log->matched.first : QUIPU_NONE; i != QUIPU_NONE;
         i = receives[i].next)
        compare(&receives[i], receive);
    for (uint32_t i = log->unmatched.first; i != QUIPU_NONE; i = receives[i].next) {
        if (i == number)
            is_behind = true;
        else if (receives[i].is_matched && is_behind)
            compare(receive, &receives[i]);
        else if (receives[i].is_matched)
            compare(&receives[i], receive);
    }
}

void quipu__late_receive_match(struct quipu__wait_states *states, uint32_t number,
                               const struct quipu__message_end *send, int64_t sent) {
    if (number == QUIPU_NONE)
        return;
    struct quipu__late_receive *receive = &states->receives.items[number];
    receive->is_matched = true;
    receive->sent = sent;
    receive->sender = send->location;
    compare_all(states, number);
    advance(states, receive->log);
}

/* Those without a message, or with one of the location itself, count for nothing. */
void quipu__late_receive_give_up(struct quipu__wait_states *states, uint32_t number) {
    if (number == QUIPU_NONE)
        return;
    const uint32_t log = states->receives.items[number].log;
    unlink_receive(states, &states->logs.items[log].unmatched, number);
    give_back(states, number);
    advance(states, log);
}

void quipu__late_receive_evaluate(struct quipu__wait_states *states, uint32_t number,
                                  const struct quipu__wait *wait) {
    struct quipu__late_receive *receive = &states->receives.items[number];
    receive->wait = *wait;
    receive->is_evaluated = true;
    if (wait->to > wait->from)
        states->undecided++;
    if (receive->is_listed && is_decided(receive))
        close_receive(states, number);
}

/* ---- Sweeping ---- */

/* The earliest enter of a call that may still send, which is active or will come, and of each process that of calls whose message it has not received. */
struct horizon {
    int64_t active;
    int64_t *unreceived;
    size_t count;
};

static void look_at_calls(const struct quipu__communication *communication, struct horizon *horizon) {
    for (size_t i = 0; i < communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        const uint32_t outermost = stack->calls[stack->depth].outermost;
        if (outermost > 0 && stack->calls[outermost].enter < horizon->active)
            horizon->active = stack->calls[outermost].enter;
    }
}

static void look_at_sends(const struct quipu__communication *communication, struct horizon *horizon) {
    const struct quipu__message_matching *messages = &communication->messages;
    for (size_t i = 0; i < horizon->count; i++)
        horizon->unreceived[i] = INT64_MAX;
    for (size_t i = 0; i < messages->queues.count; i++) {
        const struct quipu__message_queue *queue = &messages->queues.items[i];
        for (uint32_t k = queue->first_send; k != QUIPU_NONE; k = messages->ends.items[k].next) {
            const int64_t enter = communication->calls.list.items[messages->ends.items[k].call].enter;
            if (queue->receiver < horizon->count && enter < horizon->unreceived[queue->receiver])
                horizon->unreceived[queue->receiver] = enter;
        }
    }
}

/* Decides the waits of a log that nothing to come can change. */
static void sweep_log(struct quipu__wait_states *states, uint32_t number, int64_t until) {
    struct quipu__receive_log *log = &states->logs.items[number];
    if (log->unmatched.first != QUIPU_NONE)
        return;
    int64_t latest = INT64_MIN;
    for (uint32_t i = log->matched.first, next; i != QUIPU_NONE; i = next) {
        const struct quipu__late_receive *receive = &states->receives.items[i];
        next = receive->next;
        if (receive->is_evaluated && receive->sent <= until)
            close_receive(states, i);
        else
            latest = receive->sent > latest ? receive->sent : latest;
    }
    log->latest_sent = latest;
}

static void sweep(struct quipu__wait_states *states, int64_t complete_to) {
    const struct quipu__communication *communication = &states->communication;
    const size_t bytes = communication->stacks.count * sizeof(int64_t);
    struct horizon horizon = {.unreceived = quipu__alloc(states->memory, bytes),
                              .active = complete_to,
                              .count = communication->stacks.count};
    if (!horizon.unreceived)
        return;
    look_at_calls(communication, &horizon);
    look_at_sends(communication, &horizon);
    for (uint32_t i = 0; i < states->logs.count; i++) {
        const uint32_t process = communication->stacks.items[states->logs.items[i].location].process;
        const int64_t unreceived = process < horizon.count ? horizon.unreceived[process] : INT64_MIN;
        sweep_log(states, i, unreceived < horizon.active ? unreceived : horizon.active);
    }
    quipu__release(states->memory, horizon.unreceived, bytes);
}

void quipu__wait_states_sweep(struct quipu__wait_states *states, const struct quipu_batch *batch) {
    enum { LEAST = 256 };
    const struct quipu__communication *communication = &states->communication;
    if (batch->complete_to == states->complete_to)
        return;
    states->complete_to = batch->complete_to;
    if (states->undecided < LEAST || states->undecided < states->sweep_from)
        return;
    sweep(states, quipu_clock_ns(&communication->definitions->clock, batch->complete_to));
    states->sweep_from = 2 * states->undecided + communication->stacks.count / 4 + states->logs.count +
                         communication->messages.queues.count / 4;
}

void quipu__late_receives_finish(struct quipu__wait_states *states) {
    for (uint32_t i = 0; i < states->logs.count; i++)
        while (states->logs.items[i].matched.first != QUIPU_NONE)
            close_receive(states, states->logs.items[i].matched.first);
}
