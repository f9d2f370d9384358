/* division.c: whose time a wait is, where several waits of a location could have it.
 *
 * Waits for others come first: those of calls that end earlier before those of others, so an inner call before the outer one; within a call in the
 * order in which its partners came, receives and collective operations before sends. Then completions, then I/O: each begins behind what has been
 * told of that time.
 *
 * Nearly all calls overlap with no other one, and are looked at when their partners are known. Those that lie in another one, or in an operation that
 * has begun and not ended, wait in the order of their ends, for as long as one of them that ended before is not known.
 */
#include "analysis/waits/wait_states.h"
#include "core/bounded.h"
#include "core/memory/sort.h"
#include "state/tracker.h"

#include <string.h>

/* What the mark of a call says that has ended: it overlaps with no other one, or which of those that do it is, plus BEHIND_ALONE. */
enum { NOT_ENDED, ALONE, BEHIND_ALONE };

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* NULL when memory is out. */
QUIPU__RARELY struct quipu__divided_location *add_locations(struct quipu__wait_states *states,
                                                            uint32_t location) {
    const size_t known = states->locations.count;
    if (!QUIPU__VEC_RESERVE(states->memory, &states->locations, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++) {
        struct quipu__divided_location *added = &states->locations.items[i];
        added->reached = added->told_to = INT64_MIN;
        added->first_ended = added->last_ended = added->first_blocked = QUIPU_NONE;
    }
    states->locations.count = (size_t)location + 1;
    return &states->locations.items[location];
}

/* NULL when memory is out. */
QUIPU__INLINE struct quipu__divided_location *location_of(struct quipu__wait_states *states,
                                                          uint32_t location) {
    return QUIPU__LIKELY(location < states->locations.count) ? &states->locations.items[location]
                                                             : add_locations(states, location);
}

/* ---- What may still overlap ---- */

/* The enter of the outermost call that is active and may wait; INT64_MAX: there is none. */
static int64_t active_from(const struct quipu__communication *communication, uint32_t location) {
    const struct quipu__call_stack *stack = &communication->stacks.items[location];
    uint32_t depth = 1;
    if (stack->waiting == 0)
        return INT64_MAX;
    while (stack->calls[depth].is_simple)
        depth++;
    return stack->calls[depth].enter;
}

/* The earliest beginning of a collective operation that has not ended; INT64_MAX: there is none. */
static int64_t started_from(const struct quipu__communication *communication, uint32_t location) {
    const struct quipu__collective_matching *matching = &communication->collectives;
    uint32_t number = location < matching->latest_open.count ? matching->latest_open.items[location] : 0;
    int64_t from = INT64_MAX;
    for (int looked = 0; number > 0 && looked < QUIPU__LOOK_OUT_MOST; looked++) {
        const struct quipu__open_collective *started = &matching->open.items[number - 1];
        from = earlier(from, started->collective->sides[started->side].begin);
        number = started->older;
    }
    return from;
}

/* Whether nothing is active or undecided at a location. */
static bool is_clear(const struct quipu__wait_states *states, const struct quipu__divided_location *divided,
                     uint32_t location) {
    const struct quipu__collective_matching *matching = &states->communication.collectives;
    return states->communication.stacks.items[location].waiting == 0 && divided->undecided == 0 &&
           (location >= matching->latest_open.count || matching->latest_open.items[location] == 0);
}

/* ---- Telling ---- */

static void note_told(struct quipu__wait_states *states, struct quipu__divided_location *divided, int64_t from,
                      int64_t to) {
    if (!QUIPU__VEC_RESERVE(states->memory, &divided->told, 1))
        return;
    size_t i = divided->told.count++;
    for (; i > 0 && divided->told.items[i - 1].to > to; i--)
        divided->told.items[i] = divided->told.items[i - 1];
    divided->told.items[i] = (struct quipu__told_wait){from, to};
}

/* A completion or I/O begins behind what has been told of its time. */
static void tell_behind(struct quipu__wait_states *states, struct quipu__divided_location *divided,
                        const struct quipu__residual_wait *residual) {
    struct quipu__wait wait = residual->wait;
    for (size_t i = divided->told.count; i-- > 0 && divided->told.items[i].to > residual->wait.from;)
        if (divided->told.items[i].from < wait.to) {
            wait.from = divided->told.items[i].to;
            break;
        }
    wait.from = later(wait.from, residual->reached);
    if (wait.to <= wait.from)
        return;
    wait.entered = wait.from;
    note_told(states, divided, wait.from, wait.to);
    divided->told_to = later(divided->told_to, wait.to);
    states->wait(states->context, &wait);
}

/* Whether a call that is not decided overlaps. */
static bool overlaps_ended(const struct quipu__wait_states *states,
                           const struct quipu__divided_location *divided, const struct quipu__wait *wait) {
    for (uint32_t i = divided->last_ended; i != QUIPU_NONE; i = states->ended.items[i].previous) {
        const struct quipu__ended_call *ended = &states->ended.items[i];
        if (ended->until <= wait->from)
            return false;
        if (ended->call.since < wait->to)
            return true;
    }
    return false;
}

static bool overlaps_completion(const struct quipu__divided_location *divided, const struct quipu__wait *wait) {
    for (size_t i = 0; i < divided->completions.count; i++)
        if (divided->completions.items[i].wait.from < wait->to)
            return true;
    return false;
}

/* The earliest operation of I/O that has not ended. */
static int64_t operation_from(const struct quipu__divided_location *divided) {
    int64_t from = INT64_MAX;
    for (size_t i = 0; i < divided->operations.count; i++)
        from = earlier(from, divided->operations.items[i].begin);
    return from;
}

#define REMOVE_FIRST(list, number)                                                                             \
    do {                                                                                                       \
        if ((number) > 0)                                                                                      \
            memmove((list).items, (list).items + (number), ((list).count - (number)) * sizeof *(list).items);  \
        (list).count -= (number);                                                                              \
    } while (0)

/* Tells of completions and I/O that nothing can overlap any more, each in their order. */
static void decide_residuals(struct quipu__wait_states *states, uint32_t location) {
    const struct quipu__communication *communication = &states->communication;
    struct quipu__divided_location *divided = &states->locations.items[location];
    if (divided->completions.count + divided->spans.count > 0) {
        const int64_t from =
            earlier(active_from(communication, location), started_from(communication, location));
        const int64_t operation = operation_from(divided);
        size_t decided = 0;
        for (; decided < divided->completions.count; decided++) {
            const struct quipu__residual_wait *residual = &divided->completions.items[decided];
            if (residual->wait.to > from || overlaps_ended(states, divided, &residual->wait))
                break;
            tell_behind(states, divided, residual);
        }
        REMOVE_FIRST(divided->completions, decided);
        divided->undecided -= (uint32_t)decided;
        for (decided = 0; decided < divided->spans.count; decided++) {
            const struct quipu__residual_wait *residual = &divided->spans.items[decided];
            if (residual->wait.to > from || residual->wait.from > operation ||
                overlaps_ended(states, divided, &residual->wait) ||
                overlaps_completion(divided, &residual->wait))
                break;
            tell_behind(states, divided, residual);
        }
        REMOVE_FIRST(divided->spans, decided);
        divided->undecided -= (uint32_t)decided;
    }
    if (is_clear(states, divided, location))
        divided->told.count = 0;
}

/* ---- Calls ---- */

void quipu__division_add_share(struct quipu__wait_states *states, uint32_t call_number,
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
    states->shares.items[number].next = call->first_wait;
    call->first_wait = number;
}

/* Late senders and collective operations, late receivers, completions. */
static int group_of(const struct quipu__wait_share *share) {
    if (!quipu__wait_patterns[share->pattern].synchronises)
        return 2;
    return share->pattern == QUIPU__WAIT_LATE_RECEIVER;
}

static int compare_shares(const void *a, const void *b) {
    const struct quipu__wait_share *x = a, *y = b;
    const int first = group_of(x), second = group_of(y);
    if (first != second)
        return first < second ? -1 : 1;
    if (first < 2 && x->arrival != y->arrival)
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

static struct quipu__wait wait_of(const struct quipu__communication_call *call,
                                  const struct quipu__wait_share *share, int64_t from, int64_t to) {
    return (struct quipu__wait){.from = from,
                                .to = to > from ? to : from,
                                .arrival = share->arrival,
                                .entered = share->entered,
                                .location = call->location,
                                .path = call->path,
                                .group = share->group,
                                .peer = share->peer,
                                .pattern = share->pattern};
}

/* Keeps a list in an order. */
static void add_residual(struct quipu__wait_states *states, struct quipu__divided_location *divided,
                         struct quipu__residual_waits *list, const struct quipu__residual_wait *residual,
                         bool (*comes_before)(const struct quipu__residual_wait *,
                                              const struct quipu__residual_wait *)) {
    if (!QUIPU__VEC_RESERVE(states->memory, list, 1))
        return;
    divided->undecided++;
    size_t i = list->count++;
    for (; i > 0 && comes_before(residual, &list->items[i - 1]); i--)
        list->items[i] = list->items[i - 1];
    list->items[i] = *residual;
}

static bool has_earlier_position(const struct quipu__residual_wait *a, const struct quipu__residual_wait *b) {
    return a->position < b->position;
}

static bool has_earlier_time(const struct quipu__residual_wait *a, const struct quipu__residual_wait *b) {
    return a->wait.from != b->wait.from ? a->wait.from < b->wait.from : a->wait.to < b->wait.to;
}

/* What a partner adds to the wait of a call that has been waiting for others until reached. Returns until when it waits now. */
static int64_t evaluate_share(struct quipu__wait_states *states, const struct quipu__communication_call *call,
                              const struct quipu__wait_share *share, int64_t reached) {
    const bool counts = share->pattern != QUIPU__WAIT_LATE_RECEIVER || call->leave >= share->arrival;
    const int64_t to = earlier(earlier(share->arrival, share->until), call->leave);
    const struct quipu__wait wait =
        wait_of(call, share, later(share->entered, reached), counts ? to : INT64_MIN);
    if (share->receive != QUIPU_NONE)
        quipu__late_receive_evaluate(states, share->receive, &wait);
    else if (wait.to > wait.from)
        states->wait(states->context, &wait);
    if (QUIPU__UNLIKELY(states->message_waits != NULL) && wait.to > wait.from &&
        (share->receive != QUIPU_NONE || share->pattern == QUIPU__WAIT_LATE_RECEIVER))
        states->message_waits(states->context, call->location, share->position,
                              quipu__bounded_difference(wait.to, wait.from));
    return wait.to > wait.from ? wait.to : reached;
}

/* A call that waits for one partner only and overlaps with no other one, as most do. */
static void evaluate_single(struct quipu__wait_states *states, const struct quipu__communication_call *call) {
    struct quipu__divided_location *divided = &states->locations.items[call->location];
    const uint32_t number = call->first_wait;
    const struct quipu__wait_share share = states->shares.items[number];
    states->shares.items[number].next = states->unused_share;
    states->unused_share = number;
    const int64_t reached = evaluate_share(states, call, &share, INT64_MIN);
    divided->reached = later(divided->reached, reached);
    divided->told_to = later(divided->told_to, reached);
}

/* Returns until when the call has waited for others. */
static int64_t evaluate_call(struct quipu__wait_states *states, const struct quipu__communication_call *call,
                             int64_t reached, bool is_alone) {
    struct quipu__divided_location *divided = &states->locations.items[call->location];
    if (!sort_shares(states, call->first_wait))
        return reached;
    const struct quipu__wait_share *shares = states->sorted.items;
    const size_t count = states->sorted.count;
    const bool is_noted = !is_alone || group_of(&shares[count - 1]) == 2;
    for (size_t i = 0; i < count; i++) {
        if (group_of(&shares[i]) == 2) {
            const struct quipu__residual_wait residual = {
                wait_of(call, &shares[i], shares[i].entered, shares[i].until), INT64_MIN, shares[i].position};
            if (residual.wait.to > residual.wait.from)
                add_residual(states, divided, &divided->completions, &residual, has_earlier_position);
            continue;
        }
        const int64_t before = reached;
        reached = evaluate_share(states, call, &shares[i], reached);
        if (is_noted && reached > before)
            note_told(states, divided, later(shares[i].entered, before), reached);
    }
    divided->reached = later(divided->reached, reached);
    divided->told_to = later(divided->told_to, divided->reached);
    return reached;
}

/* ---- Calls that overlap ---- */

/* Takes a call in behind those that have ended before. Returns its number plus BEHIND_ALONE, or ALONE when memory is out. */
static uint32_t add_ended(struct quipu__wait_states *states, struct quipu__divided_location *divided,
                          const struct quipu__communication_call *call) {
    uint32_t number = states->unused_ended;
    if (number != QUIPU_NONE)
        states->unused_ended = states->ended.items[number].next;
    else if (QUIPU__VEC_ADD(states->memory, &states->ended))
        number = (uint32_t)(states->ended.count - 1);
    else
        return ALONE;
    struct quipu__ended_call *ended = &states->ended.items[number];
    *ended = (struct quipu__ended_call){.call = *call,
                                        .reached = divided->reached,
                                        .until = call->leave,
                                        .order = states->ended_count++,
                                        .previous = divided->last_ended,
                                        .next = QUIPU_NONE,
                                        .next_blocked = QUIPU_NONE};
    if (ended->previous != QUIPU_NONE)
        ended->until = later(ended->until, states->ended.items[ended->previous].until);
    for (uint32_t i = ended->previous; i != QUIPU_NONE && states->ended.items[i].until > call->since;
         i = states->ended.items[i].previous)
        ended->blocking++;
    *(ended->previous == QUIPU_NONE ? &divided->first_ended : &states->ended.items[ended->previous].next) =
        number;
    divided->last_ended = number;
    divided->undecided++;
    if (ended->blocking > 0) {
        ended->next_blocked = divided->first_blocked;
        divided->first_blocked = number;
    }
    return number + BEHIND_ALONE;
}

/* A call is decided: those that end later and overlap with it may be, too. What can be goes into a list. */
static void unblock(struct quipu__wait_states *states, struct quipu__divided_location *divided,
                    const struct quipu__ended_call *decided, int64_t reached, uint32_t *list) {
    for (uint32_t *link = &divided->first_blocked; *link != QUIPU_NONE;) {
        const uint32_t number = *link;
        struct quipu__ended_call *ended = &states->ended.items[number];
        const bool is_behind = ended->order > decided->order && ended->call.since < decided->until;
        ended->reached = is_behind ? later(ended->reached, reached) : ended->reached;
        if (!is_behind || --ended->blocking > 0) {
            link = &ended->next_blocked;
            continue;
        }
        *link = ended->next_blocked;
        if (ended->is_known) {
            ended->next_blocked = *list;
            *list = number;
        }
    }
}

/* A call that is known, and that nothing blocks. */
static void decide_ended(struct quipu__wait_states *states, uint32_t location, uint32_t list) {
    struct quipu__divided_location *divided = &states->locations.items[location];
    for (uint32_t number; (number = list) != QUIPU_NONE;) {
        const struct quipu__ended_call ended = states->ended.items[number];
        list = ended.next_blocked;
        *(ended.previous == QUIPU_NONE ? &divided->first_ended : &states->ended.items[ended.previous].next) =
            ended.next;
        *(ended.next == QUIPU_NONE ? &divided->last_ended : &states->ended.items[ended.next].previous) =
            ended.previous;
        states->ended.items[number].next = states->unused_ended;
        states->unused_ended = number;
        divided->undecided--;
        const int64_t reached = ended.call.first_wait == QUIPU_NONE
                                    ? ended.reached
                                    : evaluate_call(states, &ended.call, ended.reached, false);
        unblock(states, divided, &ended, reached, &list);
    }
}

void quipu__division_leave(void *context, struct quipu__communication_call *call) {
    struct quipu__wait_states *states = context;
    if (call->first_wait == QUIPU_NONE && call->unresolved == 0)
        return;
    struct quipu__divided_location *divided = location_of(states, call->location);
    if (!divided)
        return;
    const bool is_alone = divided->reached <= call->since && is_clear(states, divided, call->location);
    call->wait_mark = is_alone ? ALONE : add_ended(states, divided, call);
}

void quipu__division_know(void *context, const struct quipu__communication_call *call) {
    struct quipu__wait_states *states = context;
    if (call->wait_mark == NOT_ENDED)
        return;
    if (call->wait_mark == ALONE && call->first_wait != QUIPU_NONE) {
        const struct quipu__wait_share *first = &states->shares.items[call->first_wait];
        if (first->next == QUIPU_NONE && quipu__wait_patterns[first->pattern].synchronises) {
            evaluate_single(states, call);
            return;
        }
        evaluate_call(states, call, INT64_MIN, true);
    } else if (call->wait_mark != ALONE) {
        struct quipu__ended_call *ended = &states->ended.items[call->wait_mark - BEHIND_ALONE];
        ended->call.first_wait = call->first_wait;
        ended->is_known = true;
        if (ended->blocking == 0)
            decide_ended(states, call->location, call->wait_mark - BEHIND_ALONE);
    }
    decide_residuals(states, call->location);
}

/* ---- I/O ---- */

/* The latest active operation with that number is removed; false when there is none. */
static bool end_operation(struct quipu__divided_location *divided, uint64_t matching,
                          struct quipu__io_operation *out) {
    for (size_t i = divided->operations.count; i-- > 0;) {
        if (divided->operations.items[i].matching != matching)
            continue;
        *out = divided->operations.items[i];
        memmove(divided->operations.items + i, divided->operations.items + i + 1,
                (divided->operations.count - i - 1) * sizeof *divided->operations.items);
        divided->operations.count--;
        divided->undecided--;
        return true;
    }
    return false;
}

/* The innermost call at an event; what is outside of any call has position UINT64_MAX. */
static struct quipu__active_call innermost_call(const struct quipu__communication *communication,
                                                uint32_t location) {
    static const struct quipu__active_call none = {.path = QUIPU__NO_CALLS, .position = UINT64_MAX};
    const struct quipu__call_stack *stack = &communication->stacks.items[location];
    return stack->depth == 0 ? none : stack->calls[stack->depth];
}

void quipu__division_add_io(struct quipu__wait_states *states, const struct quipu_batch *batch,
                            uint32_t event) {
    struct quipu__communication *communication = &states->communication;
    const uint32_t location = batch->location[event];
    const int64_t time = quipu__communication_ns(communication, batch->time[event]);
    struct quipu__divided_location *divided = location_of(states, location);
    if (!divided)
        return;
    const struct quipu__active_call call = innermost_call(communication, location);
    struct quipu__io_operation operation = {time, batch->id[event], call.position};
    if (batch->kind[event] == QUIPU_KIND_io_begin) {
        struct quipu__io_operation *added = QUIPU__VEC_ADD(states->memory, &divided->operations);
        if (!added)
            return;
        *added = operation;
        divided->undecided++;
        return;
    }
    if (!end_operation(divided, batch->id[event], &operation))
        return;
    const bool is_same = operation.call_position == call.position || call.position == UINT64_MAX;
    const struct quipu__residual_wait residual = {{.from = is_same ? operation.begin : call.enter,
                                                   .to = time,
                                                   .arrival = time,
                                                   .location = location,
                                                   .path = call.path,
                                                   .group = QUIPU_NONE,
                                                   .peer = QUIPU_NONE,
                                                   .pattern = QUIPU__WAIT_IO},
                                                  divided->told_to,
                                                  0};
    if (residual.wait.to > residual.wait.from)
        add_residual(states, divided, &divided->spans, &residual, has_earlier_time);
    decide_residuals(states, location);
}

/* ---- All ---- */

void quipu__division_release(struct quipu__wait_states *states) {
    for (size_t i = 0; i < states->locations.count; i++) {
        struct quipu__divided_location *divided = &states->locations.items[i];
        QUIPU__VEC_RELEASE(states->memory, &divided->told);
        QUIPU__VEC_RELEASE(states->memory, &divided->completions);
        QUIPU__VEC_RELEASE(states->memory, &divided->spans);
        QUIPU__VEC_RELEASE(states->memory, &divided->operations);
    }
    QUIPU__VEC_RELEASE(states->memory, &states->locations);
    QUIPU__VEC_RELEASE(states->memory, &states->ended);
    QUIPU__VEC_RELEASE(states->memory, &states->shares);
    QUIPU__VEC_RELEASE(states->memory, &states->sorted);
}

void quipu__division_finish(struct quipu__wait_states *states) {
    for (uint32_t i = 0; i < states->locations.count; i++) {
        states->locations.items[i].undecided -= (uint32_t)states->locations.items[i].operations.count;
        states->locations.items[i].operations.count = 0;
        decide_residuals(states, i);
    }
}
