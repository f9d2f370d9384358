/* delays.c: see delays.h. Waits are treated from the latest to the earliest, so all that others hand on to one is there when
 * its own costs are shared. */
#include "analysis/waits/delays.h"

#include "analysis/shared/path_text.h"
#include "core/bisect.h"
#include "core/bounded.h"
#include "core/scale.h"
#include "core/memory/sort.h"

#define CHUNK_BYTES (QUIPU__DELAY_CHUNK * sizeof(struct quipu__delay_block))

/* ==== Meetings ====
 *
 * When two locations have met last.
 */

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* The order of waits by (end, begin, location). */
static int delay_waits_compare(const struct quipu__wait *a, const struct quipu__wait *b) {
    if (a->to != b->to)
        return COMPARE(a->to, b->to);
    if (a->from != b->from)
        return COMPARE(a->from, b->from);
    return COMPARE(a->location, b->location);
}

/* ---- Sorting ---- */

static int compare_waits(const void *a, const void *b) {
    const struct quipu__wait *x = &((const struct quipu__delay_wait *)a)->wait;
    const struct quipu__wait *y = &((const struct quipu__delay_wait *)b)->wait;
    return x->location != y->location ? COMPARE(x->location, y->location) : delay_waits_compare(x, y);
}

static int compare_meetings(const void *a, const void *b) {
    const struct quipu__delay_meeting *x = a, *y = b;
    return x->a_exit != y->a_exit ? COMPARE(x->a_exit, y->a_exit) : COMPARE(x->b_exit, y->b_exit);
}

static int compare_exits(const void *a, const void *b) {
    const struct quipu__delay_exit *x = a, *y = b;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->exit, y->exit);
}

static int compare_instances(const void *a, const void *b) {
    const struct quipu__delay_exit *x = a, *y = b;
    return x->instance != y->instance ? COMPARE(x->instance, y->instance) : COMPARE(x->location, y->location);
}

#define SORT(list, compare)                                                                                    \
    quipu__sort(delays->memory, (list).items, (list).count, sizeof *(list).items, compare)

/* False when memory is out. */
static bool sort_pair(struct quipu__delays *delays, const struct quipu__delay_pair *pair) {
    struct quipu__delay_meeting *list = delays->meetings.items + pair->first;
    if (!quipu__sort(delays->memory, list, pair->count, sizeof *list, compare_meetings))
        return false;
    for (size_t i = 0; i < pair->count; i++)
        list[i].b_most = i > 0 && list[i - 1].b_most > list[i].b_exit ? list[i - 1].b_most : list[i].b_exit;
    return true;
}

/* Calls have been left by now, so messages become meetings, pair by pair. False when memory is out. */
static bool find_meetings(struct quipu__delays *delays) {
    const int64_t *leaves = delays->states->communication.calls.leaves.items;
    if (!QUIPU__VEC_RESERVE(delays->memory, &delays->meetings, delays->messages.count))
        return false;
    for (size_t i = 0; i < delays->pairs.count; i++) {
        delays->pairs.items[i].first = delays->meetings.count;
        delays->meetings.count += delays->pairs.items[i].count;
        delays->pairs.items[i].count = 0;
    }
    for (size_t i = 0; i < delays->messages.count; i++) {
        const struct quipu__delay_message *message = &delays->messages.items[i];
        struct quipu__delay_pair *pair = &delays->pairs.items[message->pair];
        delays->meetings.items[pair->first + pair->count++] =
            (struct quipu__delay_meeting){leaves[message->a_leave], leaves[message->b_leave], 0};
    }
    QUIPU__VEC_RELEASE(delays->memory, &delays->messages);
    for (size_t i = 0; i < delays->pairs.count; i++)
        if (!sort_pair(delays, &delays->pairs.items[i]))
            return false;
    return true;
}

/* Sorts what was added, before asking. */
static bool sort_all(struct quipu__delays *delays) {
    return SORT(delays->waits, compare_waits) && SORT(delays->exits, compare_exits) &&
           SORT(delays->exits_of_instance, compare_instances);
}

/* ---- Asking ---- */

/* How many of a sorted list come before a key, or are equal to it. */
static size_t count_up_to(const void *list, size_t count, size_t size, const void *key,
                          int (*compare)(const void *, const void *)) {
    size_t low = 0;
    QUIPU__BISECT(low, count, i, compare((const char *)list + i * size, key) <= 0);
    return low;
}

/* The later one of what is known and of a meeting, which is over when the first of both has left it. */
static int64_t later_meeting(int64_t known, int64_t a_exit, int64_t b_exit) {
    const int64_t over = a_exit < b_exit ? a_exit : b_exit;
    return over > known ? over : known;
}

/* Two locations, and the latest times at which each may have left a meeting. */
struct until {
    uint32_t a, b;
    int64_t a_time, b_time;
};

/* Of two locations, whatever their order. */
static uint64_t pair_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Earlier ones in the list are over no later than the earlier one of a_exit and b_most. */
static int64_t look_at_messages(const struct quipu__delays *delays, const struct until *until, int64_t latest) {
    const uint32_t number = quipu__map_get(&delays->pair_of, pair_key(until->a, until->b));
    if (number == QUIPU_NONE)
        return latest;
    const struct quipu__delay_pair *pair = &delays->pairs.items[number];
    const struct quipu__delay_meeting *list = delays->meetings.items + pair->first;
    const struct quipu__delay_meeting last =
        until->a < until->b ? (struct quipu__delay_meeting){until->a_time, until->b_time, 0}
                            : (struct quipu__delay_meeting){until->b_time, until->a_time, 0};
    for (size_t i = count_up_to(list, pair->count, sizeof *list, &last, compare_meetings); i-- > 0;) {
        if (list[i].a_exit <= latest || list[i].b_most <= latest)
            return latest;
        if (list[i].b_exit <= last.b_exit)
            latest = later_meeting(latest, list[i].a_exit, list[i].b_exit);
    }
    return latest;
}

/* When a location left an instance; INT64_MAX when it took no part. */
static int64_t exit_of(const struct quipu__delays *delays, uint32_t instance, uint32_t location) {
    const struct quipu__delay_exit *list = delays->exits_of_instance.items, key = {location, instance, 0};
    const size_t count =
        count_up_to(list, delays->exits_of_instance.count, sizeof *list, &key, compare_instances);
    return count > 0 && list[count - 1].instance == instance && list[count - 1].location == location
               ? list[count - 1].exit
               : INT64_MAX;
}

static int64_t look_at_collectives(const struct quipu__delays *delays, const struct until *until,
                                   int64_t latest) {
    const struct quipu__delay_exit *list = delays->exits.items, key = {until->a, 0, until->a_time};
    for (size_t i = count_up_to(list, delays->exits.count, sizeof *list, &key, compare_exits); i-- > 0;) {
        if (list[i].location != until->a || list[i].exit <= latest)
            return latest;
        const int64_t other = exit_of(delays, list[i].instance, until->b);
        if (other <= until->b_time)
            latest = later_meeting(latest, list[i].exit, other);
    }
    return latest;
}

/* When the last meeting of two locations that both had left before times of each was over; when the first of them began, where they have not
 * met. */
static int64_t delays_last_meeting(const struct quipu__delays *delays, uint32_t a, uint32_t b, int64_t a_time,
                                   int64_t b_time) {
    const struct quipu__call_stack *stacks = delays->states->communication.stacks.items;
    const struct until until = {a, b, a_time, b_time};
    const int64_t latest = look_at_collectives(delays, &until, look_at_messages(delays, &until, INT64_MIN));
    if (latest != INT64_MIN)
        return latest;
    return stacks[a].first < stacks[b].first ? stacks[a].first : stacks[b].first;
}

/* The first wait of a location that ends after a time; of the list behind it when there is none. */
static size_t delays_first_wait(const struct quipu__delays *delays, uint32_t location, int64_t after) {
    const struct quipu__delay_wait key = {.wait = {.location = location, .to = after, .from = INT64_MAX}};
    return count_up_to(delays->waits.items, delays->waits.count, sizeof key, &key, compare_waits);
}

void quipu__delays_init(struct quipu__delays *delays, struct quipu__memory *memory,
                        struct quipu__wait_states *states) {
    *delays = (struct quipu__delays){.memory = memory, .states = states};
    quipu__map_init(&delays->cost_of, memory);
    quipu__map_init(&delays->pair_of, memory);
    quipu__between_init(&delays->between, memory);
}

void quipu__delays_release(struct quipu__delays *delays) {
    struct quipu__memory *memory = delays->memory;
    for (size_t i = 0; i < delays->steps.count; i++)
        QUIPU__VEC_RELEASE(memory, &delays->steps.items[i].blocks);
    for (size_t i = 0; i < delays->chunks.count; i++)
        quipu__release(memory, delays->chunks.items[i], CHUNK_BYTES);
    QUIPU__VEC_RELEASE(memory, &delays->chunks);
    QUIPU__VEC_RELEASE(memory, &delays->steps);
    QUIPU__VEC_RELEASE(memory, &delays->messages);
    QUIPU__VEC_RELEASE(memory, &delays->meetings);
    QUIPU__VEC_RELEASE(memory, &delays->pairs);
    QUIPU__VEC_RELEASE(memory, &delays->exits);
    QUIPU__VEC_RELEASE(memory, &delays->exits_of_instance);
    QUIPU__VEC_RELEASE(memory, &delays->waits);
    QUIPU__VEC_RELEASE(memory, &delays->costs);
    QUIPU__VEC_RELEASE(memory, &delays->touched);
    QUIPU__VEC_RELEASE(memory, &delays->shares);
    quipu__map_release(&delays->cost_of);
    quipu__map_release(&delays->pair_of);
    quipu__between_release(&delays->between);
    quipu__call_path_positions_release(&delays->states->communication.paths, delays->positions);
    quipu__release(memory, delays->late, delays->path_count * sizeof *delays->late);
    quipu__release(memory, delays->early, delays->path_count * sizeof *delays->early);
}

/* ---- What happened ---- */

void quipu__delays_add_wait(struct quipu__delays *delays, const struct quipu__wait *wait, int64_t reported) {
    if (!quipu__wait_patterns[wait->pattern].synchronises)
        return;
    struct quipu__delay_wait *added = QUIPU__VEC_ADD(delays->memory, &delays->waits);
    if (added)
        *added = (struct quipu__delay_wait){.wait = *wait, .reported = reported};
}

static bool add_chunk(struct quipu__delays *delays) {
    struct quipu__delay_block **chunk = QUIPU__VEC_ADD(delays->memory, &delays->chunks);
    if (!chunk)
        return false;
    *chunk = quipu__alloc(delays->memory, CHUNK_BYTES);
    delays->chunks.count -= !*chunk;
    return *chunk;
}

/* A new block at the end of a location's steps. False when memory is out. */
static bool add_block(struct quipu__delays *delays, struct quipu__delay_steps *steps) {
    const bool has_room = delays->blocks < delays->chunks.count * QUIPU__DELAY_CHUNK;
    uint32_t *number = has_room || add_chunk(delays) ? QUIPU__VEC_ADD(delays->memory, &steps->blocks) : NULL;
    if (!number)
        return false;
    *number = (uint32_t)delays->blocks++;
    return true;
}

void quipu__delays_add_step(struct quipu__delays *delays, uint32_t location, uint32_t path, int64_t to) {
    const size_t known = delays->steps.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(delays->memory, &delays->steps, location + 1 - known))
            return;
        delays->steps.count = (size_t)location + 1;
    }
    struct quipu__delay_steps *steps = &delays->steps.items[location];
    if (steps->count == 0 || quipu__delay_step_at(delays, steps, steps->count - 1).path != path) {
        if (steps->count == steps->blocks.count * QUIPU__DELAY_BLOCK && !add_block(delays, steps))
            return;
        steps->count++;
    }
    struct quipu__delay_block *block =
        quipu__delay_block_at(delays, steps->blocks.items[steps->blocks.count - 1]);
    block->to[(steps->count - 1) % QUIPU__DELAY_BLOCK] = to;
    block->paths[(steps->count - 1) % QUIPU__DELAY_BLOCK] = path;
}

/* The number of a pair, which has one more message; QUIPU_NONE when memory is out. */
static uint32_t add_to_pair(struct quipu__delays *delays, uint64_t key) {
    uint32_t number = quipu__map_get(&delays->pair_of, key);
    if (number == QUIPU_NONE) {
        number = (uint32_t)delays->pairs.count;
        const struct quipu__delay_pair none = {0, 0};
        if (!QUIPU__VEC_PUT(delays->memory, &delays->pairs, none) ||
            !quipu__map_put(&delays->pair_of, key, number))
            return QUIPU_NONE;
    }
    delays->pairs.items[number].count++;
    return number;
}

void quipu__delays_add_message(struct quipu__delays *delays, const struct quipu__message_end *send,
                               const struct quipu__message_end *receive) {
    if (send->location == receive->location || !QUIPU__VEC_RESERVE(delays->memory, &delays->messages, 1))
        return;
    const struct quipu__communication_call *calls = delays->states->communication.calls.list.items;
    const uint32_t pair = add_to_pair(delays, pair_key(send->location, receive->location));
    const uint32_t sent = calls[send->other_call].serial, received = calls[receive->call].serial;
    const bool sends_lower = send->location < receive->location;
    if (pair != QUIPU_NONE)
        delays->messages.items[delays->messages.count++] =
            (struct quipu__delay_message){pair, sends_lower ? sent : received, sends_lower ? received : sent};
}

void quipu__delays_add_collective(struct quipu__delays *delays, const struct quipu__collective *collective) {
    if (!collective->is_evaluated || collective->flow == QUIPU__FLOW_NONE ||
        collective->flow == QUIPU__FLOW_FINALIZE)
        return;
    const uint32_t instance = delays->instances++;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        if (!collective->sides[i].contributes && !collective->sides[i].depends)
            continue;
        const struct quipu__delay_exit exit = {collective->sides[i].location, instance,
                                               collective->sides[i].end};
        if (!QUIPU__VEC_PUT(delays->memory, &delays->exits, exit) ||
            !QUIPU__VEC_PUT(delays->memory, &delays->exits_of_instance, exit))
            return;
    }
}

/* ---- Profiles ---- */

static void touch(struct quipu__delays *delays, uint32_t path) {
    uint32_t *touched = NULL;
    if (delays->late[path] == 0 && delays->early[path] == 0)
        touched = QUIPU__VEC_ADD(delays->memory, &delays->touched);
    if (touched)
        *touched = path;
}

static int64_t overlap(int64_t from, int64_t to, int64_t begin, int64_t end) {
    const int64_t first = from > begin ? from : begin, last = to < end ? to : end;
    return last > first ? quipu__bounded_difference(last, first) : 0;
}

/* The first step of a location that ends after a time. */
static size_t first_step(const struct quipu__delays *delays, const struct quipu__delay_steps *steps,
                         int64_t after) {
    size_t low = 0;
    QUIPU__BISECT(low, steps->count, i, quipu__delay_step_at(delays, steps, i).to <= after);
    return low;
}

static int64_t step_from(const struct quipu__delays *delays, uint32_t location, size_t step) {
    return step > 0 ? quipu__delay_step_at(delays, &delays->steps.items[location], step - 1).to
                    : delays->states->communication.stacks.items[location].first;
}

/* The calls around a step. */
static struct quipu__calls_around calls_around(const struct quipu__delays *delays,
                                               const struct quipu__delay_steps *steps, size_t step) {
    const struct quipu__call_paths *paths = &delays->states->communication.paths;
    struct quipu__calls_around around = QUIPU__NO_CALLS_AROUND;
    if (step > 0)
        around.before = quipu__call_path_outermost(paths, quipu__delay_step_at(delays, steps, step - 1).path);
    if (step + 1 < steps->count)
        around.after = quipu__call_path_outermost(paths, quipu__delay_step_at(delays, steps, step + 1).path);
    return around;
}

/* Adds the time of each path in an interval, waiting included, and looks for the longest one outside of any region. */
static void add_steps(struct quipu__delays *delays, uint32_t location, int64_t from, int64_t to,
                      int64_t *times) {
    if (location >= delays->steps.count)
        return;
    const struct quipu__delay_steps *steps = &delays->steps.items[location];
    size_t i = first_step(delays, steps, from);
    int64_t begin = step_from(delays, location, i);
    delays->longest = 0;
    for (; i < steps->count && begin < to; i++) {
        const struct quipu__delay_step step = quipu__delay_step_at(delays, steps, i);
        const int64_t time = overlap(begin, step.to, from, to);
        touch(delays, step.path);
        times[step.path] = quipu__bounded_sum(times[step.path], time);
        begin = step.to;
        if (step.path != QUIPU__NO_CALLS || time <= delays->longest)
            continue;
        delays->longest = time;
        delays->around = calls_around(delays, steps, i);
    }
}

/* Takes the waits in an interval out of the time of their paths. Those not before a limit are no waits here. Returns their
 * time. */
static int64_t take_waits_out(struct quipu__delays *delays, uint32_t location, int64_t from, int64_t to,
                              const struct quipu__wait *limit, int64_t *times) {
    int64_t waited = 0;
    for (size_t i = delays_first_wait(delays, location, from); i < delays->waits.count; i++) {
        const struct quipu__wait *wait = &delays->waits.items[i].wait;
        if (wait->location != location || wait->from >= to)
            break;
        touch(delays, wait->path);
        if (limit && delay_waits_compare(wait, limit) >= 0)
            continue;
        const int64_t inside = overlap(wait->from, wait->to, from, to);
        times[wait->path] -= inside;
        waited = quipu__bounded_sum(waited, inside);
    }
    return waited;
}

/* ---- Shares ---- */

static void add_share(struct quipu__delays *delays, uint32_t path, uint32_t wait, int64_t weight) {
    struct quipu__delay_share *share = QUIPU__VEC_ADD(delays->memory, &delays->shares);
    if (share)
        *share = (struct quipu__delay_share){
            .path = path, .wait = wait, .position = delays->positions[path], .weight = (uint64_t)weight};
}

static int compare_rests(const void *a, const void *b) {
    const struct quipu__delay_share *const *x = a, *const *y = b;
    if ((*x)->rest != (*y)->rest)
        return (*x)->rest > (*y)->rest ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* Gives ones to the largest rests, the earlier one of equals first. */
static bool share_rest(struct quipu__delays *delays, struct quipu__delay_share *shares, size_t count,
                       uint64_t left) {
    const size_t bytes = count * sizeof(struct quipu__delay_share *);
    struct quipu__delay_share **order = quipu__alloc(delays->memory, bytes);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = &shares[i];
    const bool is_sorted = quipu__sort(delays->memory, order, count, sizeof *order, compare_rests);
    for (uint64_t i = 0; i < left && i < count && is_sorted; i++)
        order[i]->amount++;
    quipu__release(delays->memory, order, bytes);
    return is_sorted;
}

/* Shares an amount in proportion to the weights, in whole numbers. */
static bool share_amount(struct quipu__delays *delays, struct quipu__delay_share *shares, size_t count,
                         int64_t amount) {
    uint64_t total = 0, left = (uint64_t)amount;
    for (size_t i = 0; i < count; i++)
        total += shares[i].weight;
    if (total == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        shares[i].amount =
            (int64_t)quipu__scale_down((uint64_t)amount, shares[i].weight, total, &shares[i].rest);
        left -= (uint64_t)shares[i].amount;
    }
    return left == 0 || share_rest(delays, shares, count, left);
}

/* ---- Excess ---- */

static int compare_by_position(const void *a, const void *b) {
    const struct quipu__delay_share *x = a, *y = b;
    return (x->position > y->position) - (x->position < y->position);
}

/* The paths in which the late one spent more, in their order: of the first paths, which are its own. A wait is taken out of its call's
 * path, also where other regions were active inside the call, so times may be below 0. */
static bool list_excess(struct quipu__delays *delays, size_t own_count) {
    for (size_t i = 0; i < delays->touched.count; i++) {
        const uint32_t path = delays->touched.items[i];
        const int64_t excess = quipu__bounded_difference(delays->late[path], delays->early[path]);
        if (i < own_count && excess > 0)
            add_share(delays, path, QUIPU_NONE, excess);
        delays->late[path] = delays->early[path] = 0;
    }
    delays->touched.count = 0;
    return quipu__sort(delays->memory, delays->shares.items, delays->shares.count, sizeof *delays->shares.items,
                       compare_by_position);
}

/* The waits of the late one that carry what it waited more, in their order; those without a share are left out. */
static bool list_waits(struct quipu__delays *delays, uint32_t location, int64_t from, int64_t to,
                       const struct quipu__wait *limit, int64_t more) {
    const size_t first = delays->shares.count;
    for (size_t i = delays_first_wait(delays, location, from); i < delays->waits.count; i++) {
        const struct quipu__wait *wait = &delays->waits.items[i].wait;
        if (wait->location != location || wait->from >= to)
            break;
        if (delay_waits_compare(wait, limit) < 0)
            add_share(delays, wait->path, (uint32_t)i, overlap(wait->from, wait->to, from, to));
    }
    struct quipu__delay_share *shares = delays->shares.items + first;
    size_t count = delays->shares.count - first, left = 0;
    if (count > 0 && !share_amount(delays, shares, count, more))
        return false;
    for (size_t i = 0; i < count; i++)
        if (shares[i].amount > 0) {
            shares[left] = shares[i];
            shares[left].weight = (uint64_t)shares[i].amount;
            shares[left++].amount = 0;
        }
    delays->shares.count = first + left;
    return true;
}

/* The path that a location is in just before a time, and the calls around that. */
static uint32_t path_before(const struct quipu__delays *delays, uint32_t location, int64_t time,
                            struct quipu__calls_around *around) {
    *around = QUIPU__NO_CALLS_AROUND;
    if (location >= delays->steps.count)
        return QUIPU__NO_CALLS;
    const struct quipu__delay_steps *steps = &delays->steps.items[location];
    size_t next = first_step(delays, steps, time - 1);
    if (next == steps->count || step_from(delays, location, next) >= time)
        next--;
    if (next >= steps->count)
        return QUIPU__NO_CALLS;
    *around = calls_around(delays, steps, next);
    return quipu__delay_step_at(delays, steps, next).path;
}

/* ---- Costs ---- */

enum cost { DIRECT, INDIRECT, CERTAIN };

static void add_cost(struct quipu__delays *delays, uint32_t location, uint32_t path, enum cost kind,
                     int64_t amount) {
    const uint64_t key = (uint64_t)location << 32 | path;
    uint32_t number = quipu__map_get(&delays->cost_of, key);
    if (number == QUIPU_NONE) {
        struct quipu__delay_cost *cost = QUIPU__VEC_ADD(delays->memory, &delays->costs);
        number = (uint32_t)(delays->costs.count - 1);
        if (!cost || !quipu__map_put(&delays->cost_of, key, number))
            return;
        *cost = (struct quipu__delay_cost){.location = location, .path = path};
    }
    struct quipu__delay_cost *cost = &delays->costs.items[number];
    int64_t *const totals[] = {
        [DIRECT] = &cost->direct, [INDIRECT] = &cost->indirect, [CERTAIN] = &cost->certain};
    *totals[kind] = quipu__bounded_sum(*totals[kind], amount);
    if (path == QUIPU__NO_CALLS && kind != CERTAIN)
        quipu__between_add(&delays->between, location, delays->around, amount);
}

/* Shares an amount over paths and over waits, which carry it. */
static bool put_costs(struct quipu__delays *delays, uint32_t location, int64_t amount, enum cost kind) {
    if (amount == 0)
        return true;
    if (!share_amount(delays, delays->shares.items, delays->shares.count, amount))
        return false;
    for (size_t i = 0; i < delays->shares.count; i++) {
        const struct quipu__delay_share *share = &delays->shares.items[i];
        if (share->wait == QUIPU_NONE) {
            add_cost(delays, location, share->path, kind, share->amount);
            continue;
        }
        struct quipu__delay_wait *wait = &delays->waits.items[share->wait];
        int64_t *carried = kind == CERTAIN ? &wait->carried_certain : &wait->carried;
        *carried = quipu__bounded_sum(*carried, share->amount);
    }
    return true;
}

static bool explain(struct quipu__delays *delays, uint32_t number) {
    const struct quipu__delay_wait *item = &delays->waits.items[number];
    const struct quipu__wait wait = item->wait;
    if (item->reported == 0 && item->carried == 0 && item->certain == 0 && item->carried_certain == 0)
        return true;
    const int64_t since = delays_last_meeting(delays, wait.peer, wait.location, wait.arrival, wait.entered);
    delays->shares.count = 0;
    add_steps(delays, wait.peer, since, wait.arrival, delays->late);
    struct quipu__calls_around around = delays->longest > 0 ? delays->around : QUIPU__NO_CALLS_AROUND;
    const int64_t late_waits = take_waits_out(delays, wait.peer, since, wait.arrival, &wait, delays->late);
    const size_t own_count = delays->touched.count;
    add_steps(delays, wait.location, since, wait.entered, delays->early);
    const int64_t early_waits = take_waits_out(delays, wait.location, since, wait.entered, NULL, delays->early);
    if (!list_excess(delays, own_count))
        return false;
    if (late_waits > early_waits &&
        !list_waits(delays, wait.peer, since, wait.arrival, &wait, late_waits - early_waits))
        return false;
    if (delays->shares.count == 0)
        add_share(delays, path_before(delays, wait.peer, wait.arrival, &around), QUIPU_NONE, 1);
    delays->around = around;
    return put_costs(delays, wait.peer, item->reported, DIRECT) &&
           put_costs(delays, wait.peer, item->carried, INDIRECT) &&
           put_costs(delays, wait.peer, item->certain, CERTAIN) &&
           put_costs(delays, wait.peer, item->carried_certain, CERTAIN);
}

/* ---- All ---- */

static int compare_latest_first(const void *a, const void *b) {
    const struct quipu__delay_wait *const *x = a, *const *y = b;
    const int order = delay_waits_compare(&(*y)->wait, &(*x)->wait);
    return order != 0 ? order : (*x < *y) - (*x > *y);
}

bool quipu__delays_find(struct quipu__delays *delays) {
    const size_t count = delays->waits.count, bytes = count * sizeof(struct quipu__delay_wait *);
    struct quipu__delay_wait **order = count > 0 ? quipu__alloc(delays->memory, bytes) : NULL;
    bool has_memory = order || count == 0;
    for (size_t i = 0; order && i < count; i++)
        order[i] = &delays->waits.items[i];
    if (order)
        has_memory = quipu__sort(delays->memory, order, count, sizeof *order, compare_latest_first);
    for (size_t i = 0; order && i < count && has_memory; i++)
        has_memory = explain(delays, (uint32_t)(order[i] - delays->waits.items));
    quipu__release(delays->memory, order, bytes);
    return has_memory;
}

bool quipu__delays_sort(struct quipu__delays *delays) {
    delays->path_count = delays->states->communication.paths.list.count;
    delays->late = quipu__alloc_zero(delays->memory, delays->path_count * sizeof *delays->late);
    delays->early = quipu__alloc_zero(delays->memory, delays->path_count * sizeof *delays->early);
    delays->positions = quipu__path_text_positions(&delays->states->communication.paths,
                                                   delays->states->communication.definitions);
    if (!delays->late || !delays->early || !delays->positions || !find_meetings(delays))
        return false;
    quipu__communication_calls_release(&delays->states->communication.calls); /* their times are known */
    return sort_all(delays);
}
