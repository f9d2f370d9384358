/* wait_states.c: see wait_states.h. */
#include "analysis/waits/wait_states.h"

#include "core/memory/sort.h"
#include "model/event.h"

/* ==== Wrong order ====
 *
 * Which late senders are of wrong order: another message, sent before, is received by the same location on the same communicator later, in
 * another call. A wait is held back until every message that was sent before has been received.
 */

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

static uint32_t late_receive_add(struct quipu__wait_states *states, const struct quipu__message_end *receive) {
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
        log->early--;
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
    for (uint32_t i = log->early > 1 ? log->unmatched.first : QUIPU_NONE; i != QUIPU_NONE;
         i = receives[i].next) {
        if (i == number)
            is_behind = true;
        else if (receives[i].is_matched && is_behind)
            compare(receive, &receives[i]);
        else if (receives[i].is_matched)
            compare(&receives[i], receive);
    }
}

static void late_receive_match(struct quipu__wait_states *states, uint32_t number,
                               const struct quipu__message_end *send, int64_t sent) {
    if (number == QUIPU_NONE)
        return;
    struct quipu__late_receive *receive = &states->receives.items[number];
    receive->is_matched = true;
    states->logs.items[receive->log].early++;
    receive->sent = sent;
    receive->sender = send->location;
    compare_all(states, number);
    advance(states, receive->log);
}

/* Those without a message, or with one of the location itself, count for nothing. */
static void late_receive_give_up(struct quipu__wait_states *states, uint32_t number) {
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

/* The earliest enter of a call that may still send, which is active or will come, and that of calls whose message has not been received: by
 * the outermost location that the receiver may stand for. */
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
    const struct quipu__matcher *messages = &communication->messages;
    for (size_t i = 0; i < horizon->count; i++)
        horizon->unreceived[i] = INT64_MAX;
    for (size_t i = 0; i < messages->queues.count; i++) {
        const struct quipu__message_queue *queue = &messages->queues.items[i];
        const uint32_t receiver =
            quipu__ends_outermost(&messages->locations, messages->keys.items[i].key.receiver);
        for (uint32_t k = queue->first_send; k != QUIPU_NONE; k = messages->ends.items[k].next) {
            const int64_t enter = communication->calls.list.items[messages->ends.items[k].call].enter;
            if (receiver < horizon->count && enter < horizon->unreceived[receiver])
                horizon->unreceived[receiver] = enter;
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
        const uint32_t receiver =
            quipu__ends_outermost(&communication->messages.locations, states->logs.items[i].location);
        const int64_t unreceived = receiver < horizon.count ? horizon.unreceived[receiver] : INT64_MIN;
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

static void late_receives_finish(struct quipu__wait_states *states) {
    for (uint32_t i = 0; i < states->logs.count; i++)
        while (states->logs.items[i].matched.first != QUIPU_NONE)
            close_receive(states, states->logs.items[i].matched.first);
}

const struct quipu__wait_pattern_row quipu__wait_patterns[QUIPU__WAIT_PATTERNS] = {
#define WAIT_PATTERN(name, text, synchronises, doc) {text, synchronises, doc},
#include "analysis/waits/wait_patterns.def"
#undef WAIT_PATTERN
};

/* ==== What calls wait for ==== */

static int64_t enter_of(const struct quipu__wait_states *states, uint32_t call) {
    return states->communication.calls.list.items[call].enter;
}

/* The listener's mark is left to others. */
static uint32_t add_end(void *context, struct quipu__message_end *end) {
    end->wait_mark = end->is_send || end->is_probe ? QUIPU_NONE : late_receive_add(context, end);
    return QUIPU_NONE;
}

/* What a receive, or a probe, may have waited for its sender. */
static void add_late_sender(struct quipu__wait_states *states, const struct quipu__message_end *send,
                            const struct quipu__message_end *receive) {
    quipu__division_add_share(states, receive->call,
                              &(struct quipu__wait_share){.arrival = enter_of(states, send->call),
                                                          .entered = enter_of(states, receive->call),
                                                          .until = INT64_MAX,
                                                          .position = receive->position,
                                                          .peer = send->location,
                                                          .group = receive->group,
                                                          .receive = receive->wait_mark,
                                                          .pattern = QUIPU__WAIT_LATE_SENDER});
}

/* A probe waits like a receive, which is never one of wrong order. */
static void add_probed(void *context, const struct quipu__message_end *send,
                       const struct quipu__message_end *probe) {
    if (send->location != probe->location)
        add_late_sender(context, send, probe);
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct quipu__wait_states *states = context;
    const int64_t sent = enter_of(states, send->call);
    if (states->matched)
        states->matched(states->context, send, receive);
    if (send->location == receive->location) {
        late_receive_give_up(states, receive->wait_mark);
        return;
    }
    late_receive_match(states, receive->wait_mark, send, sent);
    if (receive->wait_mark != QUIPU_NONE)
        add_late_sender(states, send, receive);
}

static void add_completed(void *context, const struct quipu__message_end *send,
                          const struct quipu__message_end *receive) {
    struct quipu__wait_states *states = context;
    if (states->completed)
        states->completed(states->context, send, receive);
    if (send->location != receive->location &&
        quipu__send_waits(&states->sending, &states->communication, send))
        quipu__division_add_share(states, send->other_call,
                                  &(struct quipu__wait_share){.arrival = enter_of(states, receive->other_call),
                                                              .entered = enter_of(states, send->other_call),
                                                              .until = INT64_MAX,
                                                              .position = send->completion_position,
                                                              .peer = receive->location,
                                                              .group = send->group,
                                                              .receive = QUIPU_NONE,
                                                              .pattern = QUIPU__WAIT_LATE_RECEIVER});
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    late_receive_give_up(context, receive->wait_mark);
}

/* ---- Collective operations ---- */

const enum quipu__wait_pattern quipu__flow_waits[] = {[QUIPU__FLOW_NONE] = QUIPU__WAIT_PATTERNS,
                                                      [QUIPU__FLOW_BARRIER] = QUIPU__WAIT_BARRIER,
                                                      [QUIPU__FLOW_ALL_TO_ALL] = QUIPU__WAIT_NXN,
                                                      [QUIPU__FLOW_ONE_TO_ALL] = QUIPU__WAIT_LATE_BROADCAST,
                                                      [QUIPU__FLOW_ALL_TO_ONE] = QUIPU__WAIT_EARLY_REDUCE,
                                                      [QUIPU__FLOW_SCAN] = QUIPU__WAIT_EARLY_SCAN,
                                                      [QUIPU__FLOW_FENCE] = QUIPU__WAIT_FENCE,
                                                      [QUIPU__FLOW_CONSTRUCTOR] = QUIPU__WAIT_CONSTRUCTOR,
                                                      [QUIPU__FLOW_COLLECTIVE_IO] = QUIPU__WAIT_COLLECTIVE_IO,
                                                      [QUIPU__FLOW_FINALIZE] = QUIPU__WAIT_FINALIZE};

/* QUIPU__WAIT_PATTERNS: it has none. */
static enum quipu__wait_pattern completion_of(enum quipu__collective_flow flow) {
    if (flow == QUIPU__FLOW_BARRIER)
        return QUIPU__WAIT_BARRIER_COMPLETION;
    return flow == QUIPU__FLOW_ALL_TO_ALL ? QUIPU__WAIT_NXN_COMPLETION : QUIPU__WAIT_PATTERNS;
}

static void add_collective(void *context, const struct quipu__collective *collective, uint32_t waiting,
                           uint32_t last) {
    const struct quipu__collective_side *side = &collective->sides[waiting];
    quipu__division_add_share(context, side->end_call,
                              &(struct quipu__wait_share){.arrival = collective->sides[last].begin,
                                                          .entered = side->entered,
                                                          .until = side->end,
                                                          .position = side->end_position,
                                                          .peer = collective->sides[last].location,
                                                          .group = collective->group,
                                                          .receive = QUIPU_NONE,
                                                          .pattern = quipu__flow_waits[collective->flow]});
}

/* From the first exit of those that depend on others on, but not before the last arrival of those that contribute. */
static void add_completions(struct quipu__wait_states *states, const struct quipu__collective *collective,
                            uint32_t last, enum quipu__wait_pattern pattern) {
    const struct quipu__collective_side *sides = collective->sides;
    int64_t first_exit = INT64_MAX;
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (sides[i].depends && sides[i].end < first_exit)
            first_exit = sides[i].end;
    const int64_t begin = first_exit > sides[last].begin ? first_exit : sides[last].begin;
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (sides[i].depends && sides[i].end > begin && sides[i].end > sides[i].entered)
            quipu__division_add_share(
                states, sides[i].end_call,
                &(struct quipu__wait_share){.arrival = sides[i].end,
                                            .entered = begin > sides[i].entered ? begin : sides[i].entered,
                                            .until = sides[i].end,
                                            .position = sides[i].end_position,
                                            .peer = QUIPU_NONE,
                                            .group = collective->group,
                                            .receive = QUIPU_NONE,
                                            .pattern = pattern});
}

static void evaluate_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__wait_states *states = context;
    const enum quipu__wait_pattern completion = completion_of(collective->flow);
    if (states->collective)
        states->collective(states->context, collective);
    if (!collective->is_evaluated)
        return;
    const uint32_t last = quipu__collective_each_wait(collective, add_collective, states);
    if (completion != QUIPU__WAIT_PATTERNS && last != QUIPU_NONE)
        add_completions(states, collective, last, completion);
}

/* ---- All ---- */

bool quipu__wait_states_init(struct quipu__wait_states *states, struct quipu__memory *memory,
                             const struct quipu_definitions *definitions, uint64_t eager_limit,
                             void (*wait)(void *context, const struct quipu__wait *wait), void *context) {
    const struct quipu__communication_listener listener = {.context = states,
                                                           .end = add_end,
                                                           .matched = add_matched,
                                                           .probed = add_probed,
                                                           .completed = add_completed,
                                                           .unmatched = add_unmatched,
                                                           .call_left = quipu__division_leave,
                                                           .call_known = quipu__division_know,
                                                           .collective = evaluate_collective,
                                                           .has_finalize = true};
    *states = (struct quipu__wait_states){.memory = memory,
                                          .sending = {.memory = memory, .eager_limit = eager_limit},
                                          .wait = wait,
                                          .context = context,
                                          .complete_to = INT64_MIN,
                                          .unused_share = QUIPU_NONE,
                                          .unused_ended = QUIPU_NONE,
                                          .unused_receive = QUIPU_NONE};
    quipu__map_init(&states->log_of, memory);
    return quipu__communication_init(&states->communication, memory, definitions, &listener);
}

void quipu__wait_states_release(struct quipu__wait_states *states) {
    quipu__communication_release(&states->communication);
    quipu__map_release(&states->log_of);
    QUIPU__VEC_RELEASE(states->memory, &states->latest_logs);
    quipu__division_release(states);
    QUIPU__VEC_RELEASE(states->memory, &states->receives);
    QUIPU__VEC_RELEASE(states->memory, &states->logs);
    quipu__sending_release(&states->sending);
}

static bool is_io(uint8_t kind) {
    return kind == QUIPU_KIND_io_begin || kind == QUIPU_KIND_io_end;
}

/* Of calls only, which are nearly all of those that matter to causes, whole batches take less time. */
static bool has_io(const struct quipu_batch *batch) {
    bool has_any = false;
    for (uint32_t i = 0; i < batch->count; i++)
        has_any |= is_io(batch->kind[i]);
    return has_any;
}

bool quipu__wait_states_add(struct quipu__wait_states *states, const struct quipu_batch *batch) {
    quipu__wait_states_sweep(states, batch);
    if (!has_io(batch))
        return quipu__communication_add_batch(&states->communication, batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!quipu__communication_add_range(&states->communication, batch, i, i + 1))
            return false;
        if (QUIPU__UNLIKELY(is_io(batch->kind[i])))
            quipu__division_add_io(states, batch, i);
    }
    return true;
}

void quipu__wait_states_finish(struct quipu__wait_states *states) {
    quipu__communication_finish(&states->communication);
    quipu__division_finish(states);
    late_receives_finish(states);
}
