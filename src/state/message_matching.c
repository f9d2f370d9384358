/* message_matching.c: see message_matching.h. What waits for the end is in message_deferred.c. */
#include "state/message_matching.h"

#include "model/event.h"
#include "state/message_deferred.h"

#include <string.h>

void quipu__message_matching_init(struct quipu__message_matching *matching, struct quipu__memory *memory,
                                  const struct quipu_definitions *definitions,
                                  const struct quipu__communication_listener *listener,
                                  struct quipu__communication_calls *calls) {
    *matching = (struct quipu__message_matching){.memory = memory,
                                                 .definitions = definitions,
                                                 .listener = listener,
                                                 .calls = calls,
                                                 .unused_end = QUIPU_NONE,
                                                 .unused_post = QUIPU_NONE};
    quipu__communicators_init(&matching->communicators, memory);
    quipu__map_init(&matching->queue_of, memory);
    quipu__map_init(&matching->post_of, memory);
    quipu__map_init(&matching->send_of, memory);
}

static size_t recent_bytes(const struct quipu__message_matching *matching) {
    return matching->recent_queues ? ((size_t)matching->recent_mask + 1) * sizeof *matching->recent_queues : 0;
}

void quipu__message_matching_release(struct quipu__message_matching *matching) {
    quipu__communicators_release(&matching->communicators);
    quipu__map_release(&matching->queue_of);
    quipu__release(matching->memory, matching->recent_queues, recent_bytes(matching));
    matching->recent_queues = NULL;
    quipu__map_release(&matching->post_of);
    quipu__map_release(&matching->send_of);
    QUIPU__VEC_RELEASE(matching->memory, &matching->ends);
    QUIPU__VEC_RELEASE(matching->memory, &matching->posts);
    QUIPU__VEC_RELEASE(matching->memory, &matching->queues);
    QUIPU__VEC_RELEASE(matching->memory, &matching->processes);
}

/* ---- Ends ---- */

static uint32_t add_end(struct quipu__message_matching *matching, const struct quipu__message_end *end) {
    uint32_t number = matching->unused_end;
    if (number != QUIPU_NONE)
        matching->unused_end = matching->ends.items[number].next;
    else if (QUIPU__VEC_ADD(matching->memory, &matching->ends))
        number = (uint32_t)(matching->ends.count - 1);
    else
        return QUIPU_NONE;
    matching->ends.items[number] = *end;
    quipu__communication_call_hold(matching->calls, end->call);
    quipu__communication_call_hold(matching->calls, end->other_call);
    if (matching->listener->end)
        matching->ends.items[number].mark =
            matching->listener->end(matching->listener->context, &matching->ends.items[number]);
    return number;
}

static void remove_end(struct quipu__message_matching *matching, uint32_t number) {
    struct quipu__message_end *end = &matching->ends.items[number];
    quipu__communication_call_drop(matching->calls, end->call);
    quipu__communication_call_drop(matching->calls, end->other_call);
    end->next = matching->unused_end;
    end->is_unused = true;
    matching->unused_end = number;
}

/* ---- Keys ---- */

static uint64_t hash_of(const struct quipu__map *map, uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t words[] = {a, b, c};
    return quipu__hash(words, sizeof words, map->seed);
}

static uint32_t communicator_of(struct quipu__message_matching *matching, uint32_t group) {
    const struct quipu_groups *groups = &matching->definitions->groups;
    if (group >= groups->count || groups->items[group].remote_member_count == 0 ||
        !quipu__communicators_know(&matching->communicators, groups))
        return group;
    return matching->communicators.list.items[group].number;
}

/* What an event's own location counts as: its process, where the other side is called by its process and ranks are processes as far as
 * is known; else itself. */
static uint32_t own_side(struct quipu__message_matching *matching, const struct quipu_batch *batch,
                         uint32_t event, uint32_t process) {
    const struct quipu_groups *groups = &matching->definitions->groups;
    const uint32_t location = batch->location[event], peer = batch->peer[event], group = batch->group[event];
    if (process == location)
        return location;
    if (peer != QUIPU_NONE && quipu__process_of(matching->definitions, peer) != peer)
        return location;
    const bool is_known = group < groups->count && groups->items[group].member_count > 0 &&
                          quipu__communicators_know(&matching->communicators, groups);
    return !is_known ||
                   quipu__communicator_has_processes(&matching->communicators, matching->definitions, group)
               ? process
               : location;
}

static uint32_t add_queue(struct quipu__message_matching *matching, uint64_t hash,
                          const struct quipu__message_queue *key) {
    struct quipu__message_queue *queue = QUIPU__VEC_ADD(matching->memory, &matching->queues);
    if (!queue)
        return QUIPU_NONE;
    *queue = *key;
    queue->first_send = queue->last_send = queue->first_receive = queue->last_receive = QUIPU_NONE;
    queue->first_waiting = queue->first_post = queue->last_post = queue->next_waiting = QUIPU_NONE;
    const uint32_t number = (uint32_t)(matching->queues.count - 1);
    return quipu__map_put(&matching->queue_of, hash, number) ? number : QUIPU_NONE;
}

static bool is_of_key(const struct quipu__message_queue *queue, const struct quipu__message_queue *key) {
    return queue->sender == key->sender && queue->receiver == key->receiver &&
           queue->communicator == key->communicator && queue->tag == key->tag;
}

/* QUIPU_NONE when memory is out. */
static uint32_t find_queue(struct quipu__message_matching *matching, const struct quipu__message_queue *key) {
    uint64_t hash = hash_of(&matching->queue_of, (uint64_t)key->sender << 32 | key->receiver, key->communicator,
                            (uint64_t)key->tag);
    for (;; hash++) {
        const uint32_t number = quipu__map_get(&matching->queue_of, hash);
        if (number == QUIPU_NONE)
            return add_queue(matching, hash, key);
        if (is_of_key(&matching->queues.items[number], key))
            return number;
    }
}

/* Of recent queues there are as many as there are queues, or more, but for very many. Without memory there are as many as before. */
static void make_room_for_recent(struct quipu__message_matching *matching) {
    enum { LEAST = 256, MOST = 1 << 18 };
    const size_t before = recent_bytes(matching) / sizeof(uint32_t);
    const size_t count = before > 0 ? before * 2 : LEAST, bytes = count * sizeof(uint32_t);
    if (matching->queues.count < before || before >= MOST)
        return;
    uint32_t *recent = quipu__resize(matching->memory, matching->recent_queues, recent_bytes(matching), bytes);
    if (!recent)
        return;
    matching->recent_queues = recent;
    matching->recent_mask = (uint32_t)count - 1;
    memset(recent, 0xFF, bytes);
}

/* The queue of a key, QUIPU_NONE when memory is out. */
static uint32_t queue_of(struct quipu__message_matching *matching, const struct quipu__message_queue *key) {
    make_room_for_recent(matching);
    if (!matching->recent_queues)
        return find_queue(matching, key);
    const uint32_t slot = key->sender * 61 + key->receiver * 7 + key->communicator + (uint32_t)key->tag;
    uint32_t *recent = &matching->recent_queues[slot & matching->recent_mask];
    if (*recent == QUIPU_NONE || !is_of_key(&matching->queues.items[*recent], key))
        *recent = find_queue(matching, key);
    return *recent;
}

struct quipu__receiving_process *quipu__receiving_process_at(struct quipu__message_matching *matching,
                                                             uint32_t process) {
    const size_t known = matching->processes.count;
    if (process < known)
        return &matching->processes.items[process];
    if (!QUIPU__VEC_RESERVE(matching->memory, &matching->processes, process + 1 - known))
        return NULL;
    for (size_t i = known; i <= process; i++)
        matching->processes.items[i] =
            (struct quipu__receiving_process){.first_post = QUIPU_NONE,
                                              .last_post = QUIPU_NONE,
                                              .first_waiting_queue = QUIPU_NONE,
                                              .first_deferred = QUIPU_NONE,
                                              .deferred_from = {INT64_MAX, QUIPU_NONE, UINT64_MAX}};
    matching->processes.count = (size_t)process + 1;
    return &matching->processes.items[process];
}

/* ---- Pairs ---- */

static void remove_pair(struct quipu__message_matching *matching, uint32_t send, uint32_t receive) {
    remove_end(matching, receive);
    remove_end(matching, send);
}

/* Tells that the sending of a matched message is complete, and forgets the message. */
static void complete_pair(struct quipu__message_matching *matching, uint32_t send, uint32_t receive) {
    if (matching->listener->completed)
        matching->listener->completed(matching->listener->context, &matching->ends.items[send],
                                      &matching->ends.items[receive]);
    remove_pair(matching, send, receive);
}

void quipu__message_pair(struct quipu__message_matching *matching, uint32_t send_number,
                         uint32_t receive_number) {
    struct quipu__message_end *send = &matching->ends.items[send_number];
    struct quipu__message_end *receive = &matching->ends.items[receive_number];
    const uint32_t send_call = send->other_call, receive_call = receive->call;
    matching->counts.matched++;
    matching->counts.assumed += receive->is_assumed;
    matching->counts.self += send->location == receive->location;
    send->partner = receive_number;
    receive->partner = send_number;
    if (matching->listener->matched)
        matching->listener->matched(matching->listener->context, send, receive);
    if (send_call != QUIPU_NONE)
        complete_pair(matching, send_number, receive_number);
    else if (matching->ends.items[send_number].is_abandoned)
        remove_pair(matching, send_number, receive_number);
    quipu__communication_call_resolve(matching->calls, send_call);
    quipu__communication_call_resolve(matching->calls, receive_call);
}

static void append(struct quipu__message_matching *matching, uint32_t *first, uint32_t *last, uint32_t end) {
    matching->ends.items[end].next = QUIPU_NONE;
    if (*first == QUIPU_NONE)
        *first = end;
    else
        matching->ends.items[*last].next = end;
    *last = end;
}

uint32_t quipu__message_queue_take_send(struct quipu__message_matching *matching,
                                        struct quipu__message_queue *queue) {
    const uint32_t send = queue->first_send;
    if (send == QUIPU_NONE)
        return send;
    queue->first_send = matching->ends.items[send].next;
    queue->sends--;
    return send;
}

void quipu__message_queue_put_receive(struct quipu__message_matching *matching, uint32_t queue_number,
                                      uint32_t receive) {
    struct quipu__message_queue *queue = &matching->queues.items[queue_number];
    const uint32_t send = quipu__message_queue_take_send(matching, queue);
    if (send == QUIPU_NONE)
        append(matching, &queue->first_receive, &queue->last_receive, receive);
    else
        quipu__message_pair(matching, send, receive);
}

/* ---- Sends ---- */

static void queue_send(struct quipu__message_matching *matching, uint32_t number, uint32_t queue_number) {
    struct quipu__message_queue *queue = &matching->queues.items[queue_number];
    const uint32_t receive = queue->first_receive;
    if (receive == QUIPU_NONE) {
        append(matching, &queue->first_send, &queue->last_send, number);
        queue->sends++;
        return;
    }
    queue->first_receive = matching->ends.items[receive].next;
    quipu__message_pair(matching, number, receive);
}

/* A request stands for a send from now on. The one that it stood for before is never completed. */
static void take_request(struct quipu__message_matching *matching, uint32_t send, uint32_t location,
                         uint64_t request) {
    const uint64_t hash = hash_of(&matching->send_of, location, request, 0);
    const uint32_t before = quipu__map_get(&matching->send_of, hash);
    if (before != QUIPU_NONE) {
        const uint32_t partner = matching->ends.items[before].partner;
        matching->ends.items[before].is_abandoned = true;
        if (partner != QUIPU_NONE)
            remove_pair(matching, before, partner);
    }
    quipu__gate_knows(quipu__map_put(&matching->send_of, hash, send));
}

static void tell_completion(struct quipu__message_matching *matching, uint32_t number, int64_t time) {
    struct quipu__message_end *send = &matching->ends.items[number];
    if (matching->listener->send_completes)
        send->completion_mark = matching->listener->send_completes(matching->listener->context, send, time);
}

static void add_send(struct quipu__message_matching *matching, const struct quipu_batch *batch, uint32_t event,
                     const struct quipu__event_in_call *where) {
    struct quipu__message_end send = {.time = where->time,
                                      .position = where->position,
                                      .bytes = batch->bytes[event],
                                      .tag = batch->tag[event],
                                      .location = batch->location[event],
                                      .group = batch->group[event],
                                      .peer = batch->peer[event],
                                      .call = where->call,
                                      .completion_position = where->position,
                                      .communicator = communicator_of(matching, batch->group[event]),
                                      .partner = QUIPU_NONE,
                                      .completion_mark = QUIPU_NONE,
                                      .is_send = true,
                                      .has_request = batch->id[event] != QUIPU_UNKNOWN};
    const struct quipu__message_queue key = {.sender = own_side(matching, batch, event, where->process),
                                             .receiver = send.peer,
                                             .communicator = send.communicator,
                                             .tag = send.tag};
    matching->counts.sends++;
    send.queue = send.peer == QUIPU_NONE ? QUIPU_NONE : queue_of(matching, &key);
    send.other_call = send.has_request ? QUIPU_NONE : send.call;
    if (send.queue == QUIPU_NONE)
        return;
    const uint32_t number = add_end(matching, &send);
    if (number == QUIPU_NONE)
        return;
    if (send.has_request)
        take_request(matching, number, send.location, batch->id[event]);
    else
        tell_completion(matching, number, where->time);
    quipu__communication_call_await(matching->calls, send.other_call);
    queue_send(matching, number, send.queue);
}

static void complete_send(struct quipu__message_matching *matching, uint32_t location, uint64_t request,
                          const struct quipu__event_in_call *where) {
    const uint64_t hash = hash_of(&matching->send_of, location, request, 0);
    const uint32_t number = quipu__map_get(&matching->send_of, hash);
    if (number == QUIPU_NONE)
        return;
    struct quipu__message_end *send = &matching->ends.items[number];
    quipu__map_remove(&matching->send_of, hash);
    send->other_call = where->call;
    send->completion_position = where->position;
    quipu__communication_call_hold(matching->calls, where->call);
    tell_completion(matching, number, where->time);
    if (send->partner != QUIPU_NONE)
        complete_pair(matching, number, send->partner);
    else
        quipu__communication_call_await(matching->calls, where->call);
}

/* ---- Posts ---- */

/* The list that a post is in: that of its queue, or of its process for those of any sender or tag. */
static void post_list(struct quipu__message_matching *matching, const struct quipu__receive_post *post,
                      uint32_t **first, uint32_t **last) {
    if (post->queue != QUIPU_NONE) {
        *first = &matching->queues.items[post->queue].first_post;
        *last = &matching->queues.items[post->queue].last_post;
        return;
    }
    struct quipu__receiving_process *process = &matching->processes.items[post->receiver];
    *first = &process->first_post;
    *last = &process->last_post;
}

static void unlink_post(struct quipu__message_matching *matching, const struct quipu__receive_post *post) {
    uint32_t *first, *last;
    post_list(matching, post, &first, &last);
    *(post->previous == QUIPU_NONE ? first : &matching->posts.items[post->previous].next) = post->next;
    *(post->next == QUIPU_NONE ? last : &matching->posts.items[post->next].previous) = post->previous;
}

static void link_post(struct quipu__message_matching *matching, uint32_t number) {
    struct quipu__receive_post *post = &matching->posts.items[number];
    uint32_t *first, *last;
    post_list(matching, post, &first, &last);
    post->previous = *last;
    post->next = QUIPU_NONE;
    *(*last == QUIPU_NONE ? first : &matching->posts.items[*last].next) = number;
    *last = number;
}

static uint32_t take_post(struct quipu__message_matching *matching, uint32_t location, uint64_t request,
                          struct quipu__receive_post *out) {
    const uint64_t hash = hash_of(&matching->post_of, location, request, 1);
    const uint32_t number = request == QUIPU_UNKNOWN ? QUIPU_NONE : quipu__map_get(&matching->post_of, hash);
    if (number == QUIPU_NONE)
        return QUIPU_NONE;
    *out = matching->posts.items[number];
    unlink_post(matching, out);
    quipu__map_remove(&matching->post_of, hash);
    matching->posts.items[number].next = matching->unused_post;
    matching->unused_post = number;
    return number;
}

/* ---- Order of posting ---- */

int quipu__posting_compare(const struct quipu__posting *a, const struct quipu__posting *b) {
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static bool fits(const struct quipu__receive_post *post, const struct quipu__message_queue *queue) {
    return post->communicator == queue->communicator &&
           (post->peer == QUIPU_NONE || post->peer == queue->sender) &&
           (post->tag == -1 || post->tag == queue->tag);
}

/* Whether something that was posted before may still be received under the key of a queue. */
static bool may_be_preceded(const struct quipu__message_matching *matching,
                            const struct quipu__message_queue *queue, const struct quipu__posting *posting) {
    const struct quipu__receive_post *posts = matching->posts.items;
    if (matching->is_ending)
        return false;
    if (queue->first_post != QUIPU_NONE &&
        quipu__posting_compare(&posts[queue->first_post].posting, posting) < 0)
        return true;
    const uint32_t first = queue->receiver < matching->processes.count
                               ? matching->processes.items[queue->receiver].first_post
                               : QUIPU_NONE;
    for (uint32_t i = first; i != QUIPU_NONE; i = posts[i].next)
        if (quipu__posting_compare(&posts[i].posting, posting) >= 0)
            break;
        else if (fits(&posts[i], queue))
            return true;
    return matching->is_earlier_active &&
           matching->is_earlier_active(matching->context, queue->receiver, posting);
}

/* Gives receives that wait in a queue their places, as far as these are known. */
static void release_waiting(struct quipu__message_matching *matching, uint32_t queue_number) {
    for (;;) {
        struct quipu__message_queue *queue = &matching->queues.items[queue_number];
        const uint32_t number = queue->first_waiting;
        if (number == QUIPU_NONE)
            return;
        struct quipu__message_end *receive = &matching->ends.items[number];
        if (may_be_preceded(matching, queue, &receive->posting))
            return;
        queue->first_waiting = receive->next;
        if (!quipu__message_deferred_takes(matching, number))
            quipu__message_queue_put_receive(matching, queue_number, number);
    }
}

void quipu__message_matching_retry(struct quipu__message_matching *matching, uint32_t process) {
    if (process >= matching->processes.count)
        return;
    uint32_t queue = matching->processes.items[process].first_waiting_queue;
    matching->processes.items[process].first_waiting_queue = QUIPU_NONE;
    while (queue != QUIPU_NONE) {
        const uint32_t next = matching->queues.items[queue].next_waiting;
        release_waiting(matching, queue);
        struct quipu__message_queue *released = &matching->queues.items[queue];
        struct quipu__receiving_process *receiving = &matching->processes.items[process];
        released->is_waiting = released->first_waiting != QUIPU_NONE;
        if (released->is_waiting) {
            released->next_waiting = receiving->first_waiting_queue;
            receiving->first_waiting_queue = queue;
        }
        queue = next;
    }
}

/* ---- Receives ---- */

/* Puts a receive among those that wait, in the order of posting. */
static void insert_waiting(struct quipu__message_matching *matching, uint32_t queue_number, uint32_t number) {
    struct quipu__message_end *ends = matching->ends.items;
    uint32_t *link = &matching->queues.items[queue_number].first_waiting;
    while (*link != QUIPU_NONE && quipu__posting_compare(&ends[*link].posting, &ends[number].posting) <= 0)
        link = &ends[*link].next;
    ends[number].next = *link;
    *link = number;
}

static void order_receive(struct quipu__message_matching *matching, uint32_t queue_number, uint32_t number) {
    const uint32_t receiver = matching->queues.items[queue_number].receiver;
    insert_waiting(matching, queue_number, number);
    release_waiting(matching, queue_number);
    struct quipu__message_queue *queue = &matching->queues.items[queue_number];
    struct quipu__receiving_process *process = quipu__receiving_process_at(matching, receiver);
    if (queue->first_waiting == QUIPU_NONE || queue->is_waiting || !process)
        return;
    queue->is_waiting = true;
    queue->next_waiting = process->first_waiting_queue;
    process->first_waiting_queue = queue_number;
}

/* After a post has gone: those behind it may have their places now. */
static void release_behind(struct quipu__message_matching *matching, const struct quipu__receive_post *post) {
    if (post->queue != QUIPU_NONE)
        release_waiting(matching, post->queue);
    else
        quipu__message_matching_retry(matching, post->receiver);
}

static void add_post(struct quipu__message_matching *matching, const struct quipu_batch *batch, uint32_t event,
                     const struct quipu__event_in_call *where) {
    const uint32_t location = batch->location[event];
    struct quipu__receive_post post = {.posting = {where->time, location, where->position},
                                       .request = batch->id[event],
                                       .tag = batch->tag[event],
                                       .location = location,
                                       .receiver = own_side(matching, batch, event, where->process),
                                       .call = where->call,
                                       .peer = batch->peer[event],
                                       .communicator = communicator_of(matching, batch->group[event])};
    struct quipu__receive_post replaced;
    matching->counts.posts++;
    if (take_post(matching, location, post.request, &replaced) != QUIPU_NONE) {
        quipu__communication_call_drop(matching->calls, replaced.call);
        release_behind(matching, &replaced);
    }
    const struct quipu__message_queue key = {
        .sender = post.peer, .receiver = post.receiver, .communicator = post.communicator, .tag = post.tag};
    post.queue = post.peer == QUIPU_NONE || post.tag == -1 ? QUIPU_NONE : queue_of(matching, &key);
    uint32_t number = matching->unused_post;
    if (!quipu__receiving_process_at(matching, post.receiver) || post.request == QUIPU_UNKNOWN)
        return;
    if (number != QUIPU_NONE)
        matching->unused_post = matching->posts.items[number].next;
    else if (QUIPU__VEC_ADD(matching->memory, &matching->posts))
        number = (uint32_t)(matching->posts.count - 1);
    else
        return;
    matching->posts.items[number] = post;
    link_post(matching, number);
    quipu__communication_call_hold(matching->calls, post.call);
    quipu__gate_knows(
        quipu__map_put(&matching->post_of, hash_of(&matching->post_of, location, post.request, 1), number));
}

static void cancel(struct quipu__message_matching *matching, uint32_t location, uint64_t request) {
    struct quipu__receive_post post;
    if (take_post(matching, location, request, &post) == QUIPU_NONE)
        return;
    quipu__communication_call_drop(matching->calls, post.call);
    release_behind(matching, &post);
}

/* Puts a receive where it belongs: under its key, or among those that name no key. */
static void file_receive(struct quipu__message_matching *matching, uint32_t number, uint32_t process) {
    const struct quipu__message_end *receive = &matching->ends.items[number];
    const struct quipu__message_queue key = {.sender = receive->peer,
                                             .receiver = process,
                                             .communicator = receive->communicator,
                                             .tag = receive->tag};
    const bool is_known = receive->peer != QUIPU_NONE && receive->tag != -1;
    const uint32_t queue = is_known ? queue_of(matching, &key) : QUIPU_NONE;
    matching->ends.items[number].queue = queue;
    if (queue != QUIPU_NONE)
        order_receive(matching, queue, number);
    else if (quipu__receiving_process_at(matching, process))
        quipu__message_defer(matching, number, process);
}

static void add_receive(struct quipu__message_matching *matching, const struct quipu_batch *batch,
                        uint32_t event, const struct quipu__event_in_call *where) {
    struct quipu__receive_post post;
    const uint32_t posted = take_post(matching, batch->location[event], batch->id[event], &post);
    const struct quipu__message_end receive = {.time = where->time,
                                               .position = where->position,
                                               .bytes = batch->bytes[event],
                                               .tag = batch->tag[event],
                                               .location = batch->location[event],
                                               .group = batch->group[event],
                                               .peer = batch->peer[event],
                                               .call = where->call,
                                               .other_call = posted == QUIPU_NONE ? where->call : post.call,
                                               .posting =
                                                   posted == QUIPU_NONE ? where->call_began : post.posting,
                                               .communicator = communicator_of(matching, batch->group[event]),
                                               .partner = QUIPU_NONE};
    matching->counts.receives++;
    const uint32_t number = add_end(matching, &receive);
    if (number == QUIPU_NONE)
        return;
    quipu__communication_call_await(matching->calls, receive.call);
    file_receive(matching, number, own_side(matching, batch, event, where->process));
    if (posted == QUIPU_NONE)
        return;
    quipu__communication_call_drop(matching->calls, post.call);
    release_behind(matching, &post);
}

void quipu__message_matching_add(struct quipu__message_matching *matching, const struct quipu_batch *batch,
                                 uint32_t event, const struct quipu__event_in_call *where) {
    switch (batch->kind[event]) {
    case QUIPU_KIND_send:
        add_send(matching, batch, event, where);
        break;
    case QUIPU_KIND_send_complete:
        complete_send(matching, batch->location[event], batch->id[event], where);
        break;
    case QUIPU_KIND_recv_post:
        add_post(matching, batch, event, where);
        break;
    case QUIPU_KIND_recv:
        add_receive(matching, batch, event, where);
        break;
    case QUIPU_KIND_cancel:
        cancel(matching, batch->location[event], batch->id[event]);
        break;
    default:
        break;
    }
}

/* ---- The end ---- */

void quipu__message_give_up_receive(struct quipu__message_matching *matching, uint32_t number) {
    const struct quipu__message_end *receive = &matching->ends.items[number];
    const uint32_t call = receive->call;
    if (matching->listener->unmatched)
        matching->listener->unmatched(matching->listener->context, receive);
    remove_end(matching, number);
    quipu__communication_call_resolve(matching->calls, call);
}

static void give_up_send(struct quipu__message_matching *matching, uint32_t number) {
    const struct quipu__message_end *send = &matching->ends.items[number];
    const uint32_t call = send->other_call;
    if (matching->listener->send_unmatched)
        matching->listener->send_unmatched(matching->listener->context, send);
    remove_end(matching, number);
    quipu__communication_call_resolve(matching->calls, call);
}

/* As they lie, not queue by queue: there may be more than fit into memory. */
static void give_up_all(struct quipu__message_matching *matching) {
    for (uint32_t i = 0; i < matching->ends.count; i++) {
        const struct quipu__message_end *end = &matching->ends.items[i];
        if (end->is_unused || end->partner != QUIPU_NONE)
            continue;
        if (end->is_send)
            give_up_send(matching, i);
        else
            quipu__message_give_up_receive(matching, i);
    }
}

void quipu__message_matching_finish(struct quipu__message_matching *matching) {
    matching->is_ending = true;
    for (uint32_t i = 0; i < matching->queues.count; i++)
        release_waiting(matching, i);
    quipu__message_deferred_finish(matching);
    give_up_all(matching);
}
