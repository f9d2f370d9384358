/* wait_states.c: see wait_states.h. */
#include "analysis/wait_states.h"

#include "core/sort.h"
#include "model/event.h"

const struct quipu__wait_pattern_row quipu__wait_patterns[QUIPU__WAIT_PATTERNS] = {
#define WAIT_PATTERN(name, text, synchronises, doc) {text, synchronises, doc},
#include "analysis/wait_patterns.def"
#undef WAIT_PATTERN
};

static void tell(struct quipu__wait_states *states, const struct quipu__wait *wait) {
    if (wait->to > wait->from)
        states->wait(states->context, wait);
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* ---- Calls of messages ---- */

static void add_share(struct quipu__wait_states *states, uint32_t call_number,
                      const struct quipu__wait_share *share) {
    struct quipu__communication_call *call = &states->communication.calls.list.items[call_number];
    uint32_t number = states->unused_share;
    if (number != QUIPU_NONE)
        states->unused_share = states->shares.items[number].next;
    else if (QUIPU__VEC_ADD(states->memory, &states->shares))
        number = (uint32_t)(states->shares.count - 1);
    else
        return;
    states->shares.items[number] = *share;
    states->shares.items[number].next = call->first_share;
    call->first_share = number;
}

static int64_t enter_of(const struct quipu__wait_states *states, uint32_t call) {
    return states->communication.calls.list.items[call].enter;
}

static uint32_t add_end(void *context, const struct quipu__message_end *end) {
    return end->is_send ? QUIPU_NONE : quipu__late_receive_add(context, end);
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct quipu__wait_states *states = context;
    const int64_t sent = enter_of(states, send->call);
    if (send->location == receive->location) {
        quipu__late_receive_give_up(states, receive->mark);
        return;
    }
    quipu__late_receive_match(states, receive->mark, send, sent);
    if (receive->mark != QUIPU_NONE)
        add_share(states, receive->call,
                  &(struct quipu__wait_share){sent, receive->position, send->location, receive->group,
                                              receive->mark, QUIPU_NONE});
}

static void add_completed(void *context, const struct quipu__message_end *send,
                          const struct quipu__message_end *receive) {
    struct quipu__wait_states *states = context;
    if (states->completed)
        states->completed(states->context, send, receive);
    if (send->location != receive->location &&
        quipu__send_waits(&states->sending, &states->communication, send))
        add_share(states, send->other_call,
                  &(struct quipu__wait_share){enter_of(states, receive->other_call), send->completion_position,
                                              receive->location, send->group, QUIPU_NONE, QUIPU_NONE});
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    quipu__late_receive_give_up(context, receive->mark);
}

/* Receives come first: only they must have waited. */
static int compare_shares(const void *a, const void *b) {
    const struct quipu__wait_share *x = a, *y = b;
    const bool x_sends = x->receive == QUIPU_NONE, y_sends = y->receive == QUIPU_NONE;
    if (x_sends != y_sends)
        return x_sends ? 1 : -1;
    if (x->arrival != y->arrival)
        return x->arrival < y->arrival ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Moves the shares of a call into the sorted list. */
static bool sort_shares(struct quipu__wait_states *states, uint32_t first) {
    states->sorted.count = 0;
    for (uint32_t i = first, next; i != QUIPU_NONE; i = next) {
        struct quipu__wait_share *share = QUIPU__VEC_ADD(states->memory, &states->sorted);
        if (!share)
            return false;
        *share = states->shares.items[i];
        next = share->next;
        states->shares.items[i].next = states->unused_share;
        states->unused_share = i;
    }
    return quipu__sort(states->memory, states->sorted.items, states->sorted.count, sizeof *states->sorted.items,
                       compare_shares);
}

/* What a partner adds to the wait of a call that has been waiting for others until reached. Returns until when it waits now. */
static int64_t evaluate_share(struct quipu__wait_states *states, const struct quipu__communication_call *call,
                              const struct quipu__wait_share *share, int64_t reached) {
    const bool is_send = share->receive == QUIPU_NONE;
    const bool counts = !is_send || call->leave >= share->arrival;
    const int64_t to = counts ? later(reached, earlier(share->arrival, call->leave)) : reached;
    const struct quipu__wait wait = {.from = reached,
                                     .to = to,
                                     .arrival = share->arrival,
                                     .entered = call->enter,
                                     .location = call->location,
                                     .path = call->path,
                                     .group = share->group,
                                     .peer = share->peer,
                                     .pattern = is_send ? QUIPU__WAIT_LATE_RECEIVER : QUIPU__WAIT_LATE_SENDER};
    if (is_send)
        tell(states, &wait);
    else
        quipu__late_receive_evaluate(states, share->receive, &wait);
    return to;
}

static void evaluate_call(void *context, const struct quipu__communication_call *call) {
    struct quipu__wait_states *states = context;
    int64_t reached = call->enter;
    if (call->first_share == QUIPU_NONE || !sort_shares(states, call->first_share))
        return;
    for (size_t i = 0; i < states->sorted.count; i++)
        reached = evaluate_share(states, call, &states->sorted.items[i], reached);
}

/* ---- Collective operations ---- */

/* What is wanted of all sides of an operation. */
struct arrivals {
    uint32_t last; /* the last to come, the lowest location of equals */
    int64_t first_exit;
};

/* Whether a side comes later than another one, or at the same time from a lower location. */
static bool comes_later(const struct quipu__collective_side *a, const struct quipu__collective_side *b) {
    return a->begin > b->begin || (a->begin == b->begin && a->location < b->location);
}

static bool comes_earlier(const struct quipu__collective_side *a, const struct quipu__collective_side *b) {
    return a->begin < b->begin || (a->begin == b->begin && a->location < b->location);
}

static struct arrivals arrivals_of(const struct quipu__collective *collective) {
    const struct quipu__collective_side *sides = collective->sides;
    struct arrivals arrivals = {0, sides[0].end};
    for (uint32_t i = 1; i < collective->side_count; i++) {
        if (comes_later(&sides[i], &sides[arrivals.last]))
            arrivals.last = i;
        arrivals.first_exit = earlier(arrivals.first_exit, sides[i].end);
    }
    return arrivals;
}

static void tell_collective(struct quipu__wait_states *states, const struct quipu__collective *collective,
                            uint32_t waiting, uint32_t peer, enum quipu__wait_pattern pattern) {
    const struct quipu__collective_side *side = &collective->sides[waiting], *other = &collective->sides[peer];
    tell(states, &(struct quipu__wait){.from = side->entered,
                                       .to = earlier(other->begin, side->end),
                                       .arrival = other->begin,
                                       .entered = side->entered,
                                       .location = side->location,
                                       .path = states->communication.calls.list.items[side->end_call].path,
                                       .group = collective->group,
                                       .peer = other->location,
                                       .pattern = pattern});
}

static void tell_completion(struct quipu__wait_states *states, const struct quipu__collective *collective,
                            uint32_t waiting, const struct arrivals *arrivals,
                            enum quipu__wait_pattern pattern) {
    const struct quipu__collective_side *side = &collective->sides[waiting];
    const int64_t last = collective->sides[arrivals->last].begin;
    tell(states, &(struct quipu__wait){.from = later(later(arrivals->first_exit, last), side->entered),
                                       .to = side->end,
                                       .arrival = side->end,
                                       .entered = side->entered,
                                       .location = side->location,
                                       .path = states->communication.calls.list.items[side->end_call].path,
                                       .group = collective->group,
                                       .peer = QUIPU_NONE,
                                       .pattern = pattern});
}

/* All wait for the last one. */
static void evaluate_all(struct quipu__wait_states *states, const struct quipu__collective *collective,
                         enum quipu__wait_pattern pattern, enum quipu__wait_pattern completion) {
    const struct arrivals arrivals = arrivals_of(collective);
    for (uint32_t i = 0; i < collective->side_count; i++) {
        if (i != arrivals.last)
            tell_collective(states, collective, i, arrivals.last, pattern);
        tell_completion(states, collective, i, &arrivals, completion);
    }
}

/* All wait for the root. */
static void evaluate_one_to_all(struct quipu__wait_states *states, const struct quipu__collective *collective) {
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (i != collective->root)
            tell_collective(states, collective, i, collective->root, QUIPU__WAIT_LATE_BROADCAST);
}

/* The root waits for the first of the others. */
static void evaluate_all_to_one(struct quipu__wait_states *states, const struct quipu__collective *collective) {
    uint32_t first = QUIPU_NONE;
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (i != collective->root &&
            (first == QUIPU_NONE || comes_earlier(&collective->sides[i], &collective->sides[first])))
            first = i;
    if (first != QUIPU_NONE)
        tell_collective(states, collective, collective->root, first, QUIPU__WAIT_EARLY_REDUCE);
}

/* Each waits for the last of those before it. */
static void evaluate_scan(struct quipu__wait_states *states, const struct quipu__collective *collective) {
    uint32_t last = 0;
    for (uint32_t i = 1; i < collective->side_count; i++) {
        tell_collective(states, collective, i, last, QUIPU__WAIT_EARLY_SCAN);
        if (comes_later(&collective->sides[i], &collective->sides[last]))
            last = i;
    }
}

static void evaluate_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__wait_states *states = context;
    if (states->collective)
        states->collective(states->context, collective);
    if (!collective->is_evaluated)
        return;
    switch (quipu__collective_flow(collective->operation)) {
    case QUIPU__FLOW_BARRIER:
        evaluate_all(states, collective, QUIPU__WAIT_BARRIER, QUIPU__WAIT_BARRIER_COMPLETION);
        break;
    case QUIPU__FLOW_ALL_TO_ALL:
        evaluate_all(states, collective, QUIPU__WAIT_NXN, QUIPU__WAIT_NXN_COMPLETION);
        break;
    case QUIPU__FLOW_ONE_TO_ALL:
        if (collective->root != QUIPU_NONE)
            evaluate_one_to_all(states, collective);
        break;
    case QUIPU__FLOW_ALL_TO_ONE:
        if (collective->root != QUIPU_NONE)
            evaluate_all_to_one(states, collective);
        break;
    case QUIPU__FLOW_SCAN:
        evaluate_scan(states, collective);
        break;
    case QUIPU__FLOW_NONE:
        break;
    }
}

/* ---- All ---- */

bool quipu__wait_states_init(struct quipu__wait_states *states, struct quipu__memory *memory,
                             const struct quipu_definitions *definitions, uint64_t eager_limit,
                             void (*wait)(void *context, const struct quipu__wait *wait), void *context) {
    const struct quipu__communication_listener listener = {.context = states,
                                                           .end = add_end,
                                                           .matched = add_matched,
                                                           .completed = add_completed,
                                                           .unmatched = add_unmatched,
                                                           .call_known = evaluate_call,
                                                           .collective = evaluate_collective};
    *states = (struct quipu__wait_states){.memory = memory,
                                          .sending = {.memory = memory, .eager_limit = eager_limit},
                                          .wait = wait,
                                          .context = context,
                                          .complete_to = INT64_MIN,
                                          .unused_share = QUIPU_NONE,
                                          .unused_receive = QUIPU_NONE};
    quipu__map_init(&states->log_of, memory);
    return quipu__communication_init(&states->communication, memory, definitions, &listener);
}

void quipu__wait_states_release(struct quipu__wait_states *states) {
    quipu__communication_release(&states->communication);
    quipu__map_release(&states->log_of);
    QUIPU__VEC_RELEASE(states->memory, &states->latest_logs);
    QUIPU__VEC_RELEASE(states->memory, &states->shares);
    QUIPU__VEC_RELEASE(states->memory, &states->sorted);
    QUIPU__VEC_RELEASE(states->memory, &states->receives);
    QUIPU__VEC_RELEASE(states->memory, &states->logs);
    quipu__sending_release(&states->sending);
}

void quipu__wait_states_finish(struct quipu__wait_states *states) {
    quipu__communication_finish(&states->communication);
    quipu__late_receives_finish(states);
}
