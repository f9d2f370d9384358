/* matcher_pairs.c: which send each receive belongs to, as events come in time order: see matcher.h.
 *
 * Each key has a queue: of sends without a receive so far, or of receives without a send. A receive takes its place in the order when nothing
 * posted earlier can still precede it: requests of that key or of any key, and calls of other locations with the same end. Before, it waits in
 * line behind requests of which nothing is known. One that names no sender or no tag waits for the end of the trace, and so does everything that
 * its end receives from then on.
 */
#include "state/matcher.h"

#include "core/memory/sort.h"
#include "core/os.h"

/* ---- Ends ---- */

static uint32_t add_end(struct quipu__matcher *matcher, const struct quipu__message_end *end) {
    uint32_t number = matcher->unused_end;
    if (number != QUIPU_NONE)
        matcher->unused_end = matcher->ends.items[number].next;
    else if (QUIPU__VEC_ADD(matcher->memory, &matcher->ends))
        number = (uint32_t)(matcher->ends.count - 1);
    else
        return QUIPU_NONE;
    matcher->ends.items[number] = *end;
    quipu__communication_call_hold(matcher->calls, end->call);
    quipu__communication_call_hold(matcher->calls, end->other_call);
    if (matcher->listener->end && (!end->is_probe || matcher->listener->probed))
        matcher->ends.items[number].mark =
            matcher->listener->end(matcher->listener->context, &matcher->ends.items[number]);
    return number;
}

static void remove_end(struct quipu__matcher *matcher, uint32_t number) {
    struct quipu__message_end *end = &matcher->ends.items[number];
    quipu__communication_call_drop(matcher->calls, end->call);
    quipu__communication_call_drop(matcher->calls, end->other_call);
    end->next = matcher->unused_end;
    end->is_unused = true;
    matcher->unused_end = number;
}

/* ---- Keys ---- */

/* Requests are small numbers nearly always: then that is no hash, but the request itself. */
static uint64_t hash_of(const struct quipu__map *map, uint64_t location, uint64_t request) {
    const uint64_t words[] = {location, request};
    return QUIPU__LIKELY(request <= UINT32_MAX) ? location << 32 | request
                                                : quipu__hash(words, sizeof words, map->seed);
}

/* The same, with a queue. */
static uint32_t queue_of(struct quipu__matcher *matcher, const struct quipu__message_key *key) {
    const size_t known = matcher->queues.count;
    const uint32_t number = quipu__matcher_number_of(matcher, key);
    if (QUIPU__LIKELY(number < known) || number == QUIPU_NONE)
        return number;
    if (!QUIPU__VEC_RESERVE(matcher->memory, &matcher->queues, (size_t)number + 1 - known))
        return QUIPU_NONE;
    for (size_t i = known; i <= number; i++)
        matcher->queues.items[i] = (struct quipu__message_queue){.first_send = QUIPU_NONE,
                                                                 .last_send = QUIPU_NONE,
                                                                 .first_receive = QUIPU_NONE,
                                                                 .last_receive = QUIPU_NONE,
                                                                 .first_waiting = QUIPU_NONE,
                                                                 .first_post = QUIPU_NONE,
                                                                 .last_post = QUIPU_NONE,
                                                                 .next_waiting = QUIPU_NONE};
    matcher->queues.count = (size_t)number + 1;
    return number;
}

static const struct quipu__message_key *key_of(const struct quipu__matcher *matcher, uint32_t key_number) {
    return &matcher->keys.items[key_number].key;
}

/* NULL when memory is out. Valid until the next call. */
static struct quipu__receiving_end *receiving_end_at(struct quipu__matcher *matcher, uint32_t end) {
    const size_t known = matcher->receiving.count;
    if (end < known)
        return &matcher->receiving.items[end];
    if (!QUIPU__VEC_RESERVE(matcher->memory, &matcher->receiving, end + 1 - known))
        return NULL;
    for (size_t i = known; i <= end; i++)
        matcher->receiving.items[i] =
            (struct quipu__receiving_end){.first_post = QUIPU_NONE,
                                          .last_post = QUIPU_NONE,
                                          .first_in_line = QUIPU_NONE,
                                          .last_in_line = QUIPU_NONE,
                                          .first_waiting_queue = QUIPU_NONE,
                                          .first_deferred = QUIPU_NONE,
                                          .deferred_from = {INT64_MAX, QUIPU_NONE, UINT64_MAX}};
    matcher->receiving.count = (size_t)end + 1;
    return &matcher->receiving.items[end];
}

/* ---- Pairs ---- */

static void remove_pair(struct quipu__matcher *matcher, uint32_t send, uint32_t receive) {
    remove_end(matcher, receive);
    remove_end(matcher, send);
}

/* Reports that the sending of a matched message is complete, and forgets the message. */
static void complete_pair(struct quipu__matcher *matcher, uint32_t send, uint32_t receive) {
    if (matcher->listener->completed)
        matcher->listener->completed(matcher->listener->context, &matcher->ends.items[send],
                                     &matcher->ends.items[receive]);
    remove_pair(matcher, send, receive);
}

static void pair(struct quipu__matcher *matcher, uint32_t send_number, uint32_t receive_number) {
    struct quipu__message_end *send = &matcher->ends.items[send_number];
    struct quipu__message_end *receive = &matcher->ends.items[receive_number];
    const uint32_t send_call = send->other_call, receive_call = receive->call;
    const bool is_complete = send->is_complete;
    const struct quipu__message_key *key = key_of(matcher, send->key_number);
    matcher->counts.matched++;
    matcher->counts.assumed += receive->is_assumed;
    matcher->counts.self += key->sender == key->receiver;
    send->partner = receive_number;
    receive->partner = send_number;
    if (matcher->listener->matched)
        matcher->listener->matched(matcher->listener->context, send, receive);
    if (is_complete)
        complete_pair(matcher, send_number, receive_number);
    else if (matcher->ends.items[send_number].is_abandoned)
        remove_pair(matcher, send_number, receive_number);
    quipu__communication_call_resolve(matcher->calls, send_call);
    quipu__communication_call_resolve(matcher->calls, receive_call);
}

/* A probe has found a send, which stays where it is. */
QUIPU__RARELY void pair_probe(struct quipu__matcher *matcher, uint32_t send, uint32_t probe) {
    const uint32_t call = matcher->ends.items[probe].call;
    if (matcher->listener->probed)
        matcher->listener->probed(matcher->listener->context, &matcher->ends.items[send],
                                  &matcher->ends.items[probe]);
    remove_end(matcher, probe);
    quipu__communication_call_resolve(matcher->calls, call);
}

static void append(struct quipu__matcher *matcher, uint32_t *first, uint32_t *last, uint32_t end) {
    matcher->ends.items[end].next = QUIPU_NONE;
    if (*first == QUIPU_NONE)
        *first = end;
    else
        matcher->ends.items[*last].next = end;
    *last = end;
}

/* Removes the first send from the queue; QUIPU_NONE when there is none. */
static uint32_t take_send(struct quipu__matcher *matcher, struct quipu__message_queue *queue) {
    const uint32_t send = queue->first_send;
    if (send == QUIPU_NONE)
        return send;
    queue->first_send = matcher->ends.items[send].next;
    queue->sends--;
    return send;
}

static void put_receive(struct quipu__matcher *matcher, uint32_t queue_number, uint32_t receive) {
    struct quipu__message_queue *queue = &matcher->queues.items[queue_number];
    if (QUIPU__UNLIKELY(matcher->ends.items[receive].is_probe) && queue->first_send != QUIPU_NONE) {
        pair_probe(matcher, queue->first_send, receive);
        return;
    }
    const uint32_t send = take_send(matcher, queue);
    if (send == QUIPU_NONE)
        append(matcher, &queue->first_receive, &queue->last_receive, receive);
    else
        pair(matcher, send, receive);
}

/* ---- Sends ---- */

static void queue_send(struct quipu__matcher *matcher, uint32_t number, uint32_t queue_number) {
    struct quipu__message_queue *queue = &matcher->queues.items[queue_number];
    uint32_t receive;
    while ((receive = queue->first_receive) != QUIPU_NONE && matcher->ends.items[receive].is_probe) {
        queue->first_receive = matcher->ends.items[receive].next;
        pair_probe(matcher, number, receive);
    }
    if (receive == QUIPU_NONE) {
        append(matcher, &queue->first_send, &queue->last_send, number);
        queue->sends++;
        return;
    }
    queue->first_receive = matcher->ends.items[receive].next;
    pair(matcher, number, receive);
}

/* From now on a request stands for a send. An earlier send with that request is never completed. */
static void take_request(struct quipu__matcher *matcher, uint32_t send, uint32_t location, uint64_t request) {
    const uint64_t hash = hash_of(&matcher->send_of, location, request);
    const uint32_t before = quipu__map_get(&matcher->send_of, hash);
    if (before != QUIPU_NONE) {
        const uint32_t partner = matcher->ends.items[before].partner;
        matcher->ends.items[before].is_abandoned = true;
        if (partner != QUIPU_NONE)
            remove_pair(matcher, before, partner);
    }
    quipu__gate_knows(quipu__map_put(&matcher->send_of, hash, send));
}

static void tell_completion(struct quipu__matcher *matcher, uint32_t number, int64_t time) {
    struct quipu__message_end *send = &matcher->ends.items[number];
    if (matcher->listener->send_completes)
        send->completion_mark = matcher->listener->send_completes(matcher->listener->context, send, time);
}

static void add_send(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                     const struct quipu__event_in_call *where) {
    struct quipu__message_key key;
    struct quipu__message_end send = {.time = where->time,
                                      .position = where->position,
                                      .bytes = batch->bytes[event],
                                      .tag = batch->tag[event],
                                      .location = batch->location[event],
                                      .group = batch->group[event],
                                      .peer = batch->peer[event],
                                      .call = where->call,
                                      .completion_position = where->position,
                                      .partner = QUIPU_NONE,
                                      .completion_mark = QUIPU_NONE,
                                      .is_send = true,
                                      .has_request = batch->id[event] != QUIPU_UNKNOWN};
    matcher->counts.sends++;
    if (send.peer == QUIPU_NONE || !quipu__matcher_key_of(matcher, batch, event, &key))
        return;
    send.key_number = queue_of(matcher, &key);
    send.other_call = send.has_request ? QUIPU_NONE : send.call;
    send.is_complete = !send.has_request;
    if (send.key_number == QUIPU_NONE)
        return;
    quipu__communication_call_use(matcher->calls, send.call);
    const uint32_t number = add_end(matcher, &send);
    if (number == QUIPU_NONE)
        return;
    if (send.has_request)
        take_request(matcher, number, send.location, batch->id[event]);
    else
        tell_completion(matcher, number, where->time);
    quipu__communication_call_await(matcher->calls, send.other_call);
    queue_send(matcher, number, send.key_number);
}

static void complete_send(struct quipu__matcher *matcher, uint32_t location, uint64_t request,
                          const struct quipu__event_in_call *where) {
    const uint32_t number = quipu__map_remove(&matcher->send_of, hash_of(&matcher->send_of, location, request));
    if (number == QUIPU_NONE)
        return;
    struct quipu__message_end *send = &matcher->ends.items[number];
    send->other_call = where->call;
    send->is_complete = true;
    send->completion_position = where->position;
    quipu__communication_call_hold(matcher->calls, where->call);
    tell_completion(matcher, number, where->time);
    if (send->partner != QUIPU_NONE)
        complete_pair(matcher, number, send->partner);
    else
        quipu__communication_call_await(matcher->calls, where->call);
}

/* ---- Order of posting ---- */

static int compare_postings(const struct quipu__posting *a, const struct quipu__posting *b) {
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* ---- Posts ---- */

/* The list that a post is in: that of its queue or, for any sender or tag, one of its end. */
static void post_list(struct quipu__matcher *matcher, const struct quipu__receive_post *post, uint32_t **first,
                      uint32_t **last) {
    if (post->key_number != QUIPU_NONE) {
        *first = &matcher->queues.items[post->key_number].first_post;
        *last = &matcher->queues.items[post->key_number].last_post;
        return;
    }
    struct quipu__receiving_end *end = &matcher->receiving.items[post->end];
    *first = post->is_in_line ? &end->first_in_line : &end->first_post;
    *last = post->is_in_line ? &end->last_in_line : &end->last_post;
}

static void unlink_post(struct quipu__matcher *matcher, const struct quipu__receive_post *post) {
    uint32_t *first, *last;
    post_list(matcher, post, &first, &last);
    *(post->previous == QUIPU_NONE ? first : &matcher->posts.items[post->previous].next) = post->next;
    *(post->next == QUIPU_NONE ? last : &matcher->posts.items[post->next].previous) = post->previous;
}

/* Links a post behind another one, or behind the first earlier one before that. */
static void link_post(struct quipu__matcher *matcher, uint32_t number, uint32_t behind) {
    struct quipu__receive_post *posts = matcher->posts.items, *post = &posts[number];
    uint32_t *first, *last;
    post_list(matcher, post, &first, &last);
    while (post->is_in_line && behind != QUIPU_NONE &&
           compare_postings(&posts[behind].posting, &post->posting) > 0)
        behind = posts[behind].previous;
    uint32_t *link = behind == QUIPU_NONE ? first : &posts[behind].next;
    post->previous = behind;
    post->next = *link;
    *link = number;
    *(post->next == QUIPU_NONE ? last : &posts[post->next].previous) = number;
    matcher->in_line += post->is_in_line;
}

/* A post that is in no list yet; QUIPU_NONE when memory is out. */
static uint32_t new_post(struct quipu__matcher *matcher, const struct quipu__receive_post *post) {
    uint32_t number = matcher->unused_post;
    if (number != QUIPU_NONE)
        matcher->unused_post = matcher->posts.items[number].next;
    else if (QUIPU__VEC_ADD(matcher->memory, &matcher->posts))
        number = (uint32_t)(matcher->posts.count - 1);
    else
        return QUIPU_NONE;
    matcher->posts.items[number] = *post;
    return number;
}

static void reuse_post(struct quipu__matcher *matcher, uint32_t number) {
    matcher->posts.items[number].next = matcher->unused_post;
    matcher->unused_post = number;
}

/* Removes a post with that request and returns its number, QUIPU_NONE when there is none. */
static uint32_t take_post(struct quipu__matcher *matcher, uint32_t location, uint64_t request,
                          struct quipu__receive_post *out) {
    const uint32_t number =
        request == QUIPU_UNKNOWN || matcher->post_of.count == 0
            ? QUIPU_NONE
            : quipu__map_remove(&matcher->post_of, hash_of(&matcher->post_of, location, request));
    if (number == QUIPU_NONE)
        return QUIPU_NONE;
    *out = matcher->posts.items[number];
    if (!out->is_overtaken)
        unlink_post(matcher, out);
    matcher->in_line -= out->is_in_line;
    reuse_post(matcher, number);
    return number;
}

/* ---- Places ---- */

/* Whether something posted earlier may still be received under the key of a queue. */
static bool may_be_preceded(const struct quipu__matcher *matcher, uint32_t queue_number,
                            const struct quipu__posting *posting) {
    const struct quipu__receive_post *posts = matcher->posts.items;
    const struct quipu__message_key *key = key_of(matcher, queue_number);
    const uint32_t own = matcher->queues.items[queue_number].first_post;
    if (matcher->is_ending)
        return false;
    if (own != QUIPU_NONE && compare_postings(&posts[own].posting, posting) < 0)
        return true;
    uint32_t i = key->receiver < matcher->receiving.count ? matcher->receiving.items[key->receiver].first_post
                                                          : QUIPU_NONE;
    for (; i != QUIPU_NONE && compare_postings(&posts[i].posting, posting) < 0; i = posts[i].next)
        if (quipu__message_key_fits(&posts[i].key, key))
            return true;
    return matcher->is_earlier_active && matcher->is_earlier_active(matcher->context, posting);
}

static void put_deferred(struct quipu__matcher *matcher, uint32_t receive,
                         struct quipu__receiving_end *receiving) {
    matcher->ends.items[receive].next = receiving->first_deferred;
    receiving->first_deferred = receive;
    receiving->deferred++;
}

/* Defers a receive that names no key. */
static void defer(struct quipu__matcher *matcher, uint32_t receive, uint32_t end_number) {
    struct quipu__receiving_end *receiving = &matcher->receiving.items[end_number];
    const struct quipu__posting *posting = &matcher->ends.items[receive].posting;
    matcher->ends.items[receive].is_assumed = true;
    if (compare_postings(posting, &receiving->deferred_from) < 0)
        receiving->deferred_from = *posting;
    put_deferred(matcher, receive, receiving);
}

/* Defers a receive of a key when one that names none was posted before. */
static bool is_deferred(struct quipu__matcher *matcher, uint32_t receive) {
    const struct quipu__message_end *end = &matcher->ends.items[receive];
    const uint32_t end_number = key_of(matcher, end->key_number)->receiver;
    if (end_number >= matcher->receiving.count)
        return false;
    struct quipu__receiving_end *receiving = &matcher->receiving.items[end_number];
    if (compare_postings(&end->posting, &receiving->deferred_from) < 0)
        return false;
    put_deferred(matcher, receive, receiving);
    return true;
}

/* Gives waiting receives of a queue their places, as far as these are known. */
static void release_waiting(struct quipu__matcher *matcher, uint32_t queue_number) {
    for (;;) {
        struct quipu__message_queue *queue = &matcher->queues.items[queue_number];
        const uint32_t number = queue->first_waiting;
        if (number == QUIPU_NONE)
            return;
        struct quipu__message_end *receive = &matcher->ends.items[number];
        if (may_be_preceded(matcher, queue_number, &receive->posting))
            return;
        queue->first_waiting = receive->next;
        if (!is_deferred(matcher, number))
            put_receive(matcher, queue_number, number);
    }
}

/* Puts a queue among those in which receives wait: of all ends that have a location in common. */
static void await_others(struct quipu__matcher *matcher, uint32_t queue_number) {
    struct quipu__message_queue *queue = &matcher->queues.items[queue_number];
    struct quipu__receiving_end *outermost = receiving_end_at(
        matcher, quipu__ends_outermost(&matcher->locations, key_of(matcher, queue_number)->receiver));
    queue->is_waiting = outermost && queue->first_waiting != QUIPU_NONE;
    if (!queue->is_waiting)
        return;
    queue->next_waiting = outermost->first_waiting_queue;
    outermost->first_waiting_queue = queue_number;
}

void quipu__matcher_retry(struct quipu__matcher *matcher, uint32_t location) {
    const uint32_t outermost = quipu__ends_outermost(&matcher->locations, location);
    if (outermost >= matcher->receiving.count)
        return;
    uint32_t queue = matcher->receiving.items[outermost].first_waiting_queue;
    matcher->receiving.items[outermost].first_waiting_queue = QUIPU_NONE;
    while (queue != QUIPU_NONE) {
        const uint32_t next = matcher->queues.items[queue].next_waiting;
        release_waiting(matcher, queue);
        await_others(matcher, queue);
        queue = next;
    }
}

/* ---- Receives ---- */

/* Puts a receive among those that wait, in the order of posting. */
QUIPU__INLINE void insert_waiting(struct quipu__matcher *matcher, uint32_t queue_number, uint32_t number) {
    struct quipu__message_end *ends = matcher->ends.items;
    uint32_t *link = &matcher->queues.items[queue_number].first_waiting;
    while (*link != QUIPU_NONE && compare_postings(&ends[*link].posting, &ends[number].posting) <= 0)
        link = &ends[*link].next;
    ends[number].next = *link;
    *link = number;
}

QUIPU__INLINE void order_receive(struct quipu__matcher *matcher, uint32_t queue_number, uint32_t number) {
    insert_waiting(matcher, queue_number, number);
    release_waiting(matcher, queue_number);
    const struct quipu__message_queue *queue = &matcher->queues.items[queue_number];
    if (queue->first_waiting != QUIPU_NONE && !queue->is_waiting)
        await_others(matcher, queue_number);
}

/* Puts a receive where it belongs: under its key, or among those that name no key. */
QUIPU__INLINE void file_receive(struct quipu__matcher *matcher, uint32_t number,
                                const struct quipu__message_key *key) {
    const uint32_t queue = quipu__message_key_is_exact(key) ? queue_of(matcher, key) : QUIPU_NONE;
    matcher->ends.items[number].key_number = queue;
    if (queue != QUIPU_NONE)
        order_receive(matcher, queue, number);
    else if (receiving_end_at(matcher, key->receiver))
        defer(matcher, number, key->receiver);
}

/* ---- Turns ---- */

/* Notes a receive, and whether one of its key that was posted later had its place before. */
static void note_order(struct quipu__matcher *matcher, struct quipu__message_end *receive,
                       const struct quipu__message_key *key) {
    const uint32_t queue = quipu__matcher_number_of(matcher, key);
    const size_t known = matcher->latest_postings.count;
    if (queue == QUIPU_NONE ||
        (queue >= known && !QUIPU__VEC_RESERVE(matcher->memory, &matcher->latest_postings, queue + 1 - known)))
        return;
    for (; matcher->latest_postings.count <= queue; matcher->latest_postings.count++)
        matcher->latest_postings.items[matcher->latest_postings.count] = INT64_MIN;
    int64_t *latest = &matcher->latest_postings.items[queue];
    receive->is_assumed = receive->posting.time < *latest && !receive->is_probe;
    *latest = receive->posting.time > *latest ? receive->posting.time : *latest;
}

/* Files a receive that waits no longer. */
QUIPU__RARELY void release_receive(struct quipu__matcher *matcher, uint32_t number,
                                   const struct quipu__message_key *key) {
    if (matcher->has_overtaken && quipu__message_key_is_exact(key))
        note_order(matcher, &matcher->ends.items[number], key);
    file_receive(matcher, number, key);
}

/* Files receives that have come to the front of a line. */
static void advance_line(struct quipu__matcher *matcher, uint32_t end) {
    for (;;) {
        const uint32_t number = matcher->receiving.items[end].first_in_line;
        if (number == QUIPU_NONE || matcher->posts.items[number].receive == QUIPU_NONE)
            return;
        const struct quipu__receive_post waiting = matcher->posts.items[number];
        unlink_post(matcher, &waiting);
        reuse_post(matcher, number);
        matcher->in_line--;
        matcher->receiving.items[end].complete_in_line--;
        release_receive(matcher, waiting.receive, &waiting.key);
    }
}

/* The others no longer wait for the first post. */
QUIPU__RARELY void overtake(struct quipu__matcher *matcher, uint32_t end) {
    advance_line(matcher, end); /* where memory is out the first may be complete */
    const uint32_t first = matcher->receiving.items[end].first_in_line;
    if (first == QUIPU_NONE)
        return;
    matcher->has_overtaken = true;
    matcher->posts.items[first].is_overtaken = true;
    unlink_post(matcher, &matcher->posts.items[first]);
    advance_line(matcher, end);
}

/* The end in whose line a location stands. */
static uint32_t line_of(struct quipu__matcher *matcher, uint32_t location) {
    const struct quipu__standing *standing = quipu__ends_standing(&matcher->locations, location);
    return standing ? standing->outermost : location;
}

/* What a receive must wait for that was in no line when it was posted: the last one in that of its location, if the first was posted before. */
static uint32_t line_before(struct quipu__matcher *matcher, const struct quipu__message_end *receive) {
    const uint32_t end = line_of(matcher, receive->location);
    const uint32_t first =
        end < matcher->receiving.count ? matcher->receiving.items[end].first_in_line : QUIPU_NONE;
    return first == QUIPU_NONE || compare_postings(&matcher->posts.items[first].posting, &receive->posting) > 0
               ? QUIPU_NONE
               : matcher->receiving.items[end].last_in_line;
}

/* Lets a receive wait behind a post, or behind the first earlier one before that. */
static void join_line(struct quipu__matcher *matcher, uint32_t number, const struct quipu__message_key *key,
                      uint32_t behind) {
    const uint32_t end = matcher->posts.items[behind].end;
    const struct quipu__receive_post waiting = {.posting = matcher->ends.items[number].posting,
                                                .request = QUIPU_UNKNOWN,
                                                .key = *key,
                                                .call = QUIPU_NONE,
                                                .key_number = QUIPU_NONE,
                                                .end = end,
                                                .receive = number,
                                                .is_in_line = true};
    const uint32_t added = new_post(matcher, &waiting);
    if (added == QUIPU_NONE)
        return;
    link_post(matcher, added, behind);
    matcher->receiving.items[end].complete_in_line++;
    while (matcher->receiving.items[end].complete_in_line > QUIPU__IN_LINE_MOST)
        overtake(matcher, end);
}

/* Files a receive, which may have been posted, unless it must wait in line. */
QUIPU__RARELY void line_up(struct quipu__matcher *matcher, uint32_t number,
                           const struct quipu__message_key *key, const struct quipu__receive_post *post) {
    const uint32_t behind = post && post->is_in_line && !post->is_overtaken
                                ? post->previous
                                : line_before(matcher, &matcher->ends.items[number]);
    if (behind == QUIPU_NONE)
        release_receive(matcher, number, key);
    else
        join_line(matcher, number, key, behind);
}

static void finish_line(struct quipu__matcher *matcher, uint32_t end) {
    while (matcher->receiving.items[end].first_in_line != QUIPU_NONE)
        overtake(matcher, end);
}

/* After a post is removed: later ones may have their places now. */
static void release_behind(struct quipu__matcher *matcher, const struct quipu__receive_post *post) {
    quipu__communication_call_drop(matcher->calls, post->call);
    if (post->is_in_line)
        advance_line(matcher, post->end);
    else if (post->key_number != QUIPU_NONE)
        release_waiting(matcher, post->key_number);
    else
        quipu__matcher_retry(matcher, post->key.receiver);
}

static void cancel(struct quipu__matcher *matcher, uint32_t location, uint64_t request) {
    struct quipu__receive_post post;
    if (take_post(matcher, location, request, &post) != QUIPU_NONE)
        release_behind(matcher, &post);
}

/* Adds a post and returns its number, QUIPU_NONE when memory is out or it cannot be distinguished from others. */
static uint32_t put_post(struct quipu__matcher *matcher, const struct quipu__receive_post *post) {
    if (!receiving_end_at(matcher, post->end) || post->request == QUIPU_UNKNOWN)
        return QUIPU_NONE;
    const uint32_t number = new_post(matcher, post);
    uint32_t *first, *last;
    if (number == QUIPU_NONE)
        return QUIPU_NONE;
    post_list(matcher, post, &first, &last);
    link_post(matcher, number, *last);
    quipu__gate_knows(quipu__map_put(
        &matcher->post_of, hash_of(&matcher->post_of, post->posting.location, post->request), number));
    return number;
}

static void add_post(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                     const struct quipu__event_in_call *where) {
    const uint32_t location = batch->location[event];
    struct quipu__receive_post post = {.posting = {where->time, location, where->position},
                                       .request = batch->id[event],
                                       .call = where->call,
                                       .receive = QUIPU_NONE};
    matcher->counts.posts++;
    quipu__communication_call_use(matcher->calls, post.call);
    cancel(matcher, location, post.request);
    if (!quipu__matcher_key_of(matcher, batch, event, &post.key))
        return;
    const bool is_exact = quipu__message_key_is_exact(&post.key);
    post.key_number = is_exact ? queue_of(matcher, &post.key) : QUIPU_NONE;
    post.is_in_line = !is_exact && post.key.communicator == QUIPU_NONE;
    post.end = post.is_in_line ? line_of(matcher, location) : post.key.receiver;
    if (put_post(matcher, &post) != QUIPU_NONE)
        quipu__communication_call_hold(matcher->calls, post.call);
}

/* ---- Receives that complete ---- */

/* A probe stands among the receives as one that is posted when its call begins. One that does not say what it has found waits for nothing. */
static void add_receive(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                        const struct quipu__event_in_call *where) {
    struct quipu__receive_post post;
    struct quipu__message_key key;
    const bool has_line = matcher->in_line > 0;
    const bool is_probe = batch->kind[event] == QUIPU_KIND_probe;
    const uint32_t posted =
        is_probe ? QUIPU_NONE : take_post(matcher, batch->location[event], batch->id[event], &post);
    struct quipu__message_end receive = {.time = where->time,
                                         .position = where->position,
                                         .bytes = batch->bytes[event],
                                         .tag = batch->tag[event],
                                         .location = batch->location[event],
                                         .group = batch->group[event],
                                         .call = where->call,
                                         .other_call = posted == QUIPU_NONE ? where->call : post.call,
                                         .posting = posted == QUIPU_NONE ? where->call_began : post.posting,
                                         .partner = QUIPU_NONE,
                                         .is_probe = is_probe};
    matcher->counts.receives += !is_probe;
    if (!quipu__matcher_key_of(matcher, batch, event, &key) || (is_probe && !quipu__message_key_is_exact(&key)))
        return;
    receive.peer = key.sender;
    receive.communicator = key.communicator;
    if (posted == QUIPU_NONE)
        quipu__communication_call_use(matcher->calls, receive.call);
    const uint32_t number = add_end(matcher, &receive);
    if (number == QUIPU_NONE)
        return;
    quipu__communication_call_await(matcher->calls, receive.call);
    if (QUIPU__LIKELY(!has_line))
        file_receive(matcher, number, &key);
    else
        line_up(matcher, number, &key, posted == QUIPU_NONE ? NULL : &post);
    if (posted != QUIPU_NONE)
        release_behind(matcher, &post);
}

void quipu__matcher_pair_event(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                               const struct quipu__event_in_call *where) {
    switch (batch->kind[event]) {
    case QUIPU_KIND_send:
        add_send(matcher, batch, event, where);
        break;
    case QUIPU_KIND_send_complete:
        complete_send(matcher, batch->location[event], batch->id[event], where);
        break;
    case QUIPU_KIND_recv_post:
        add_post(matcher, batch, event, where);
        break;
    case QUIPU_KIND_recv:
    case QUIPU_KIND_probe:
        add_receive(matcher, batch, event, where);
        break;
    case QUIPU_KIND_cancel:
        cancel(matcher, batch->location[event], batch->id[event]);
        break;
    default:
        break;
    }
}

/* ---- The end ---- */

static void give_up(struct quipu__matcher *matcher, uint32_t number) {
    const struct quipu__message_end *end = &matcher->ends.items[number];
    const uint32_t call = end->is_send ? end->other_call : end->call;
    void (*const unmatched)(void *, const struct quipu__message_end *) =
        end->is_send ? matcher->listener->send_unmatched : matcher->listener->unmatched;
    if (unmatched && (!end->is_probe || matcher->listener->probed))
        unmatched(matcher->listener->context, end);
    remove_end(matcher, number);
    quipu__communication_call_resolve(matcher->calls, call);
}

/* A deferred receive with the sort key of its list. */
struct deferred {
    struct quipu__posting posting;
    uint64_t position;
    uint32_t receive;
};

static int compare_deferred(const void *a, const void *b) {
    const struct deferred *x = a, *y = b;
    const int order = compare_postings(&x->posting, &y->posting);
    return order != 0 ? order : (x->position > y->position) - (x->position < y->position);
}

/* Whether the first send of one queue is earlier than that of another one. */
static bool is_earlier(const struct quipu__matcher *matcher, uint32_t a, uint32_t b) {
    const struct quipu__message_end *x = &matcher->ends.items[matcher->queues.items[a].first_send],
                                    *y = &matcher->ends.items[matcher->queues.items[b].first_send];
    if (x->time != y->time)
        return x->time < y->time;
    const uint32_t sender = key_of(matcher, a)->sender, other = key_of(matcher, b)->sender;
    return sender != other ? sender < other : x->position < y->position;
}

/* In the order of posting, a receive with a key takes its next send; one without takes the earliest send of all matching keys that have more
 * sends left than remaining receives. */
static void match_any(struct quipu__matcher *matcher, uint32_t receive, uint32_t end) {
    const struct quipu__message_end *wanted = &matcher->ends.items[receive];
    const struct quipu__message_key key = {wanted->peer, end, wanted->communicator, wanted->tag};
    uint32_t best = QUIPU_NONE;
    for (uint32_t i = 0; i < matcher->queues.count; i++)
        if (matcher->queues.items[i].sends > matcher->queues.items[i].needed &&
            quipu__message_key_fits(&key, key_of(matcher, i)) &&
            (best == QUIPU_NONE || is_earlier(matcher, i, best)))
            best = i;
    if (best != QUIPU_NONE)
        pair(matcher, take_send(matcher, &matcher->queues.items[best]), receive);
    else
        give_up(matcher, receive);
}

static void match_in_order(struct quipu__matcher *matcher, const struct deferred *list, size_t count,
                           uint32_t end_number) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t queue = matcher->ends.items[list[i].receive].key_number;
        if (queue != QUIPU_NONE)
            matcher->queues.items[queue].needed += !matcher->ends.items[list[i].receive].is_probe;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t receive = list[i].receive, queue = matcher->ends.items[receive].key_number;
        if (queue == QUIPU_NONE) {
            match_any(matcher, receive, end_number);
            continue;
        }
        matcher->queues.items[queue].needed -= !matcher->ends.items[receive].is_probe;
        put_receive(matcher, queue, receive);
    }
}

/* Everything has been sent: gives the deferred receives of an end their sends. */
static void finish_deferred(struct quipu__matcher *matcher, uint32_t end_number) {
    const struct quipu__receiving_end *receiving = &matcher->receiving.items[end_number];
    const size_t count = receiving->deferred, bytes = count * sizeof(struct deferred);
    struct deferred *list = count > 0 ? quipu__alloc(matcher->memory, bytes) : NULL;
    if (!list)
        return;
    size_t filled = 0;
    for (uint32_t i = receiving->first_deferred; i != QUIPU_NONE; i = matcher->ends.items[i].next)
        list[filled++] = (struct deferred){matcher->ends.items[i].posting, matcher->ends.items[i].position, i};
    if (quipu__sort(matcher->memory, list, count, sizeof *list, compare_deferred))
        match_in_order(matcher, list, count, end_number);
    quipu__release(matcher->memory, list, bytes);
}

/* In storage order, not queue by queue: there may be more than fit into memory. */
static void give_up_all(struct quipu__matcher *matcher) {
    for (uint32_t i = 0; i < matcher->ends.count; i++) {
        const struct quipu__message_end *end = &matcher->ends.items[i];
        if (!end->is_unused && end->partner == QUIPU_NONE)
            give_up(matcher, i);
    }
}

void quipu__matcher_finish(struct quipu__matcher *matcher) {
    matcher->is_ending = true;
    for (uint32_t i = 0; i < matcher->receiving.count; i++)
        finish_line(matcher, i);
    for (uint32_t i = 0; i < matcher->queues.count; i++)
        release_waiting(matcher, i);
    for (uint32_t i = 0; i < matcher->receiving.count; i++)
        finish_deferred(matcher, i);
    give_up_all(matcher);
}

/* ==== Numbers ====
 *
 * Numbers that a send and its receive share, for reading location by location. The n-th send of a key and its n-th receive have the same number; a receive
 * gets its position when it is posted.
 */

/* Bits for numbering the messages of one key. */
enum { NUMBER_BITS = 40 };

static uint64_t number_of(uint32_t key_number, uint64_t position) {
    return ((uint64_t)key_number + 1) << NUMBER_BITS | (position & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

/* The next position among the receives of a key, or one that a cancelled receive has left. */
static uint64_t take_position(struct quipu__matcher *matcher, uint32_t key_number) {
    struct quipu__message_queue *queue = &matcher->queues.items[key_number];
    const uint32_t left = queue->first_waiting;
    if (left == QUIPU_NONE)
        return matcher->keys.items[key_number].received++;
    queue->first_waiting = matcher->posts.items[left].next;
    reuse_post(matcher, left);
    return matcher->posts.items[left].position;
}

/* A posted receive does not complete: those posted after it move up, and the position of the last one becomes free. */
static void leave_position(struct quipu__matcher *matcher, uint32_t number,
                           const struct quipu__receive_post *post) {
    struct quipu__receive_post *posts = matcher->posts.items;
    if (number == QUIPU_NONE || post->key_number == QUIPU_NONE)
        return;
    uint64_t position = post->position;
    for (uint32_t i = post->next; i != QUIPU_NONE; i = posts[i].next) {
        const uint64_t next = posts[i].position;
        posts[i].position = position;
        position = next;
    }
    matcher->unused_post = posts[number].next; /* take_post has put it there */
    uint32_t *link = &matcher->queues.items[post->key_number].first_waiting;
    while (*link != QUIPU_NONE && posts[*link].position < position)
        link = &posts[*link].next;
    posts[number].position = position;
    posts[number].next = *link;
    *link = number;
}

/* The position of a receive whose key was not known when it was posted: before those posted later. */
static uint64_t insert_position(struct quipu__matcher *matcher, uint32_t key_number,
                                const struct quipu__posting *posting) {
    struct quipu__receive_post *posts = matcher->posts.items;
    uint64_t position = take_position(matcher, key_number);
    uint32_t i = matcher->queues.items[key_number].last_post;
    for (; i != QUIPU_NONE && compare_postings(&posts[i].posting, posting) > 0; i = posts[i].previous) {
        const uint64_t earlier = posts[i].position;
        posts[i].position = position;
        position = earlier;
    }
    return position;
}

static uint32_t queue_at(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__message_key key;
    return quipu__matcher_key_of(matcher, batch, event, &key) && quipu__message_key_is_exact(&key)
               ? queue_of(matcher, &key)
               : QUIPU_NONE;
}

static void number_post(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                        const struct quipu__posting *posting) {
    struct quipu__receive_post post = {
        .posting = *posting, .request = batch->id[event], .call = QUIPU_NONE, .receive = QUIPU_NONE};
    if (!quipu__matcher_key_of(matcher, batch, event, &post.key))
        return;
    post.end = post.key.receiver;
    post.key_number = quipu__message_key_is_exact(&post.key) ? queue_of(matcher, &post.key) : QUIPU_NONE;
    const uint32_t number = put_post(matcher, &post);
    if (number != QUIPU_NONE && post.key_number != QUIPU_NONE)
        matcher->posts.items[number].position = take_position(matcher, post.key_number);
}

static uint64_t number_receive(struct quipu__matcher *matcher, uint32_t key_number, uint32_t posted,
                               const struct quipu__receive_post *post, const struct quipu__posting *posting) {
    const bool was_posted = posted != QUIPU_NONE;
    if (was_posted && post->key_number == key_number)
        return key_number == QUIPU_NONE ? 0 : number_of(key_number, post->position);
    leave_position(matcher, posted, post);
    if (key_number == QUIPU_NONE)
        return 0;
    return number_of(key_number, insert_position(matcher, key_number, was_posted ? &post->posting : posting));
}

uint64_t quipu__matcher_number(struct quipu__matcher *matcher, const struct quipu_batch *batch,
                               uint32_t event) {
    const uint8_t kind = batch->kind[event];
    if (kind == QUIPU_KIND_send) {
        const uint32_t number = batch->peer[event] == QUIPU_NONE ? QUIPU_NONE : queue_at(matcher, batch, event);
        return number == QUIPU_NONE ? 0 : number_of(number, matcher->keys.items[number].sent++);
    }
    if (kind != QUIPU_KIND_recv_post && kind != QUIPU_KIND_recv && kind != QUIPU_KIND_cancel)
        return 0;
    const struct quipu__posting posting = {batch->time[event], batch->location[event], matcher->counts.posts++};
    struct quipu__receive_post post = {.key_number = QUIPU_NONE};
    const uint32_t posted = take_post(matcher, batch->location[event], batch->id[event], &post);
    if (kind == QUIPU_KIND_recv)
        return number_receive(matcher, queue_at(matcher, batch, event), posted, &post, &posting);
    leave_position(matcher, posted, &post);
    if (kind == QUIPU_KIND_recv_post)
        number_post(matcher, batch, event, &posting);
    return 0;
}
